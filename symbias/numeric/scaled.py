"""The problem of argmin Q with rows, columns and solution of unit size: everything is multiplied by powers of two."""

from dataclasses import dataclass, field

import numpy as np

from symbias.errors import BadInput
from symbias.numeric.curves import Curves, Point
from symbias.numeric.frame import DenseFrame, Frame, OperatorFrame, choose
from symbias.numeric.operators import BLOCK, Dense, FromObject

SMALL = 4_000_000  # entries of A up to which frames are formed: 32 MB
#: Spread of the weights of a basis beyond which a Gram matrix formed outside the frame loses them.
_GRADED = np.log(1e10)


class OutOfRange(BadInput):
    """The numbers of the problem do not fit in floats."""


@dataclass(frozen=True)
class Scaled:
    """rho_j = size columns_j r_j, r_j = exp(amplitude_j + L s) h_j, and the scaled matrix is diag(1/rows) A
    diag(columns).

    ``center`` = max amplitude_j / L of the curves, so that s is of order log alpha and ends at the center, where
    A r = ``y``. For any s the path asks A r = y + (exp(L (s - center)) - 1) ``start``, with start = A r at v_0 there:
    where the curves begin at rho = 0 that is y. ``log_w`` = log W_j <= 0, T_j = W_j (A^T mu)_j for the scaled matrix.
    """

    operator: Dense | FromObject
    curves: Curves
    y: np.ndarray
    start: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    size: float
    center: float
    amplitude: np.ndarray
    log_w: np.ndarray
    cached: dict = field(default_factory=dict)

    @property
    def depth(self) -> int:
        return self.curves.depth

    def log_size(self, at: Point, s: float) -> np.ndarray:
        """Return log(|r| / |value|)."""
        return self.amplitude + self.depth * s + at.log_size

    def log_omega(self, at: Point) -> np.ndarray:
        """Return log of the derivative of v in T times W."""
        return self.log_w + at.log_grow

    def log_weight(self, at: Point, s: float) -> np.ndarray:
        """Return log g, the weights of the Gram matrix A diag(g) A^T."""
        return self.log_size(at, s) + np.log(at.slope) + self.log_omega(at)

    def forward(self, right: np.ndarray) -> np.ndarray:
        return self.operator.apply(right * self.columns) / self.rows

    def back(self, left: np.ndarray) -> np.ndarray:
        return self.operator.adjoint(left / self.rows) * self.columns

    def gram(self, weights: np.ndarray) -> np.ndarray:
        return self.operator.gram(weights * self.columns**2) / self.rows / self.rows[:, None]

    def some(self, chosen: np.ndarray) -> np.ndarray:
        """Return chosen columns of the scaled matrix."""
        return self.operator.columns(chosen) / self.rows[:, None] * self.columns[chosen]

    def frame(self, log_weight: np.ndarray) -> Frame | int:
        """Return the frame of the heaviest columns, or the rank of A when it is below n."""
        n, m = self.operator.shape
        if n * m <= SMALL:
            if "matrix" not in self.cached:
                self.cached["matrix"] = self.some(np.arange(m))
            return choose(self.cached["matrix"], self.y, log_weight)
        count = 8 * n
        while True:
            likely = np.sort(np.argpartition(-log_weight, min(count, m - 1))[:count])
            chosen = choose(self.some(likely), self.y, log_weight[likely])
            if isinstance(chosen, DenseFrame):
                break
            if count >= m:
                return chosen
            count *= 8
        basis, anchor = likely[chosen.basis], likely[chosen.anchor]
        square = self.some(basis)
        if np.ptp(log_weight[basis]) < _GRADED:
            return OperatorFrame(basis=basis, anchor=anchor, y=chosen.y, problem=self, inverse=np.linalg.inv(square))
        made = self.transformed(basis, np.linalg.inv(square))
        return DenseFrame(basis=basis, anchor=anchor, y=chosen.y, matrix=made)

    def transformed(self, basis: np.ndarray, inverse: np.ndarray) -> np.ndarray:
        """Return A_B^{-1} A in blocks of columns, with zeros where nothing but rounding is left."""
        n, m = self.operator.shape
        made = np.empty((n, m))
        for start in range(0, m, BLOCK):
            block = self.some(np.arange(start, min(start + BLOCK, m)))
            entries = inverse @ block
            entries[np.abs(entries) <= 16 * np.finfo(float).eps * (np.abs(inverse) @ np.abs(block))] = 0.0
            made[:, start : start + BLOCK] = entries
        made[:, basis] = np.eye(n)
        return made


def rescale(operator: Dense | FromObject, y: np.ndarray, curves: Curves) -> Scaled:
    """Divide rows, columns and y by the powers of two nearest to their largest entries."""
    row_size, column_size = operator.sizes()
    rows, largest = power_of_two(row_size), power_of_two(column_size)
    amplitude = curves.amplitude
    center = float(amplitude.max()) / curves.depth
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # named below
        scaled_y = y / rows
        first = curves.at(curves.v_0)
        rho = first.value * np.exp(np.where(first.value == 0, -np.inf, amplitude + first.log_size))
        begun = operator.apply(rho) / rows if rho.any() else np.zeros(y.size)
        size = power_of_two(max(np.abs(scaled_y - begun).max(), np.abs(rho * largest).max()))
        units = size / largest
    if not np.isfinite([*scaled_y, *begun, *units]).all() or not scaled_y.any() and not rho.any():
        raise OutOfRange("rho = y/A leaves the range of float64; ask for digits=")
    return Scaled(
        operator,
        curves,
        scaled_y / size,
        begun / size,
        rows,
        1 / largest,
        float(size),
        center,
        amplitude - curves.depth * center + np.log(largest) - np.log(size),
        (log_w := curves.log_w + np.log(largest)) - log_w.max(),
    )


def power_of_two(sizes: np.ndarray) -> np.ndarray:
    """Return the powers of two nearest to the sizes, and 1 for a size of 0."""
    return np.where(sizes > 0, np.exp2(np.round(np.log2(np.where(sizes > 0, sizes, 1.0)))), 1.0)

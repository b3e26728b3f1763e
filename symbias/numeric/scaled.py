"""The problem of argmin Q with rows, columns and solution of unit size: everything is multiplied by powers of two."""

from dataclasses import dataclass, field

import numpy as np

from symbias.errors import BadInput
from symbias.numeric.frame import DenseFrame, Frame, OperatorFrame, choose
from symbias.numeric.operators import BLOCK, Dense, FromObject
from symbias.numeric.sech import Hyperbolic

SMALL = 4_000_000  # entries of A up to which frames are formed: 32 MB
_GRADED = np.log(
    1e10
)  # spread of the weights of a basis beyond which a Gram matrix formed outside the frame loses them


@dataclass(frozen=True)
class Scaled:
    """rho_j = size columns_j r_j, and the scaled matrix is diag(1/rows) A diag(columns).

    ``center`` = max log a_j, so that log a_j = center + O(1) at the end s = center of the path, and
    ``amplitude`` = L (log a_j - center) - log(size columns_j); ``log_w`` = log W_j <= 0, W_j = a_j^(L-2) columns_j.
    """

    operator: Dense | FromObject
    y: np.ndarray
    depth: int
    rows: np.ndarray
    columns: np.ndarray
    size: float
    center: float
    amplitude: np.ndarray
    log_w: np.ndarray
    cached: dict = field(default_factory=dict)

    def log_size(self, at: Hyperbolic, s: float) -> np.ndarray:
        """Return log(|r| / |tanh v|)."""
        return self.amplitude + self.depth * (s + at.log_cosh)

    def slope(self, at: Hyperbolic) -> np.ndarray:
        """Return the derivative of r in v divided by r / tanh v."""
        return at.sech_squared + self.depth * at.tanh**2

    def log_omega(self, at: Hyperbolic) -> np.ndarray:
        """Return log of the derivative of v in T times W."""
        return self.log_w + (self.depth - 2) * at.log_cosh

    def log_weight(self, at: Hyperbolic, s: float) -> np.ndarray:
        """Return log g, the weights of the Gram matrix A diag(g) A^T."""
        return self.log_size(at, s) + np.log(self.slope(at)) + self.log_omega(at)

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


def rescale(operator: Dense | FromObject, y: np.ndarray, log_a: np.ndarray, depth: int) -> Scaled:
    """Divide rows, columns and y by the powers of two nearest to their largest entries."""
    row_size, column_size = operator.sizes()
    rows, largest = power_of_two(row_size), power_of_two(column_size)
    with np.errstate(over="ignore", under="ignore"):  # named below
        scaled_y = y / rows
    if not np.isfinite(scaled_y).all() or not scaled_y.any():
        raise BadInput("rho = y/A leaves the range of float64; ask for digits=")
    size = float(power_of_two(np.abs(scaled_y).max()))
    log_largest = np.log(largest)
    center = float(log_a.max())
    log_w = (depth - 2) * (log_a - center) + log_largest
    amplitude = depth * (log_a - center) + log_largest - np.log(size)
    return Scaled(operator, scaled_y / size, depth, rows, 1 / largest, size, center, amplitude, log_w - log_w.max())


def power_of_two(sizes: np.ndarray) -> np.ndarray:
    """Return the powers of two nearest to the sizes, and 1 for a size of 0."""
    return np.where(sizes > 0, np.exp2(np.round(np.log2(np.where(sizes > 0, sizes, 1.0)))), 1.0)

"""The flow of a decomposed network from any real start: one unknown z_j a coordinate, and its distance to the blow-up.

The squares of two layers keep their difference. With the smallest layer of coordinate j as reference, eta_ref = sigma
z, eta_l^2 = z^2 + delta_l for the others and sigma the product of their signs, rho_j = z_j omega_j(z_j) with
omega_j(z) = prod_{l != ref} sqrt(z^2 + delta_l), and dz_j/ds = omega_j(z_j) (A^T mu')_j. So int dz/omega_j = (A^T
mu)_j: z_j becomes infinite when (A^T mu)_j reaches int_{z_j(0)}^{±oo} dz/omega_j, which is finite for L >= 3 and
infinite for L = 2. Where a second layer ties with the smallest one, the integral diverges at z = 0: z_j keeps its sign
for ever. Where two layers are zero, so is rho_j for ever. High precision: ``dynamics.clock``.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from symbias.numeric.losses import LogExponential


@dataclass(frozen=True)
class Start:
    """Coordinates of a start, in float64 or mpf: ``z`` (m,) and ``delta`` (L - 1, m) >= 0, with ``unit`` (m,) > 0.

    ``unit`` is a size of z on which omega varies: sqrt(min delta), or |z| where that is zero. Coordinates that are
    zero and stay zero (two layers zero) are in ``dead`` and have unit 1. ``kept`` is the sign of the coordinates that
    keep theirs (two equal smallest layers), 0 of those that are free.
    """

    z: np.ndarray
    delta: np.ndarray
    unit: np.ndarray
    dead: np.ndarray
    kept: np.ndarray

    @classmethod
    def of(cls, etas, sqrt=np.sqrt) -> "Start":
        """The coordinates of eta_1, .., eta_L (each (m,))."""
        eta = np.array(etas)
        depth, m = eta.shape
        z, delta, unit = eta[0].copy(), eta[1:] * 0, eta[0].copy()
        dead, kept = np.zeros(m, dtype=bool), np.zeros(m, dtype=int)
        for j in range(m):
            sizes = [abs(entry) for entry in eta[:, j]]
            # The last of equal layers is the reference: layer L wherever it is the smallest.
            reference = min(range(depth - 1, -1, -1), key=sizes.__getitem__)
            others = [eta[l, j] for l in range(depth) if l != reference]
            sign = 1
            for entry in others:
                sign = -sign if entry < 0 else sign
            z[j] = sign * eta[reference, j]
            delta[:, j] = [(abs(entry) - sizes[reference]) * (abs(entry) + sizes[reference]) for entry in others]
            least = min(delta[:, j])
            dead[j] = not least and not z[j]
            kept[j] = 0 if least or dead[j] else 1 if z[j] > 0 else -1
            unit[j] = sqrt(least) if least else abs(z[j]) if z[j] else z[j] + 1
        return cls(z, delta, unit, dead, kept)


class CoordinateFlow:
    """The flow of log(loss) in zeta, z_j = unit_j sinh zeta_j, for ``numeric.integrate.march``: state (zeta, mu, time).

    A coordinate of kept sign s has z_j = s unit_j e^{s zeta_j}, so that it may decay by any power of ten and come back.
    d zeta_j/ds = w_j (A^T p)_j and d mu/ds = p, p the softmax weights of the margins; w_j = omega_j / (dz_j/dzeta_j)
    is the product of sqrt(z_j^2 + delta_l) over all delta_l but the smallest. The time is changed once more by N, N^2 =
    sum_j w_j^2 |A_j|^2, so that the rates stay bounded.

    Without a common size s of the coordinates, z = s z', the margins are in units of s^L and mu in units of s^{2-L}:
    ``one`` is then the margin 1 in these units, s^{-L}.
    """

    def __init__(self, A: np.ndarray, start: Start, multiplicity=None, one: float = 1.0):
        self.A, self.data, self.one = A, start, one
        #: A coordinate that stands for c equal ones counts c times in the margins.
        self.multiplicity = np.ones(A.shape[1]) if multiplicity is None else np.asarray(multiplicity, dtype=float)
        self.output = A * self.multiplicity
        self.n, self.m = A.shape
        self.loss = LogExponential(np.ones(self.n), one)
        self.columns = np.sum(A**2, axis=0)
        self.others = np.sort(start.delta, axis=0)[1:]
        first = np.where(start.kept, 0.0, np.arcsinh(start.z / start.unit))  # there unit is |z|
        self.start = np.concatenate([first, np.zeros(self.n + 1)])
        dual = 1 / (np.sqrt(self.columns.max()) * max(self._weights(first).max(), np.finfo(float).tiny))
        # zeta may be far below 1 and still decide a coordinate: 1e-8 of it is kept to the tolerance.
        self.scales = np.concatenate([np.full(self.m, 1e-8), np.full(self.n, dual), [1.0]])

    def size(self) -> float:
        """The size of rho at which the coordinates leave their start."""
        return float(np.max(self.data.unit**2 * self._weights(0 * self.data.z)))

    def z(self, state) -> np.ndarray:
        """z of a state."""
        return self._place(state[: self.m])[0]

    def coefficients(self, state) -> np.ndarray:
        """rho of a state."""
        z, root = self._place(state[: self.m])
        return z * root * self._weights(state[: self.m])

    def dual(self, state) -> np.ndarray:
        """mu = int p ds of a state."""
        return state[self.m : -1]

    def margins(self, state) -> np.ndarray:
        """A rho of a state."""
        return self.output @ self.coefficients(state)

    def velocity(self, state):
        weights = np.where(self.data.dead, 0.0, self._weights(state[: self.m]))
        return self._unscaled(state, weights) / self._norm(weights)

    def jacobian(self, state):
        zeta = state[: self.m]
        z, root = self._place(zeta)
        weights = np.where(self.data.dead, 0.0, self._weights(zeta))
        squares = z**2 + self.others
        with np.errstate(divide="ignore", invalid="ignore"):  # a dead coordinate has z = delta = 0; its rows are zero
            inner = np.where(squares > 0, z / squares, 0.0).sum(axis=0)
        growth = root * inner  # d log w / d zeta
        slope = weights * root**2 * (1 + (z / root) ** 2 + z * inner)  # d rho / d zeta
        dp = -self.loss.slope(self.margins(state)) @ (self.output * slope)
        moved = self._unscaled(state, weights)
        out = np.zeros((len(state), len(state)))
        out[: self.m, : self.m] = np.diag(growth * moved[: self.m]) + weights[:, None] * (self.A.T @ dp)
        out[self.m : -1, : self.m] = dp
        share = (weights / weights.max()) ** 2 * self.columns
        out[:, : self.m] -= np.outer(moved, growth * share / share.sum())
        return out / self._norm(weights)

    def slacks(self, state, side: int) -> np.ndarray:
        """What (A^T mu)_j may still move by towards side (±1) before z_j is infinite, to 8 digits.

        Infinite for L = 2, and where a tie keeps z_j from there.
        """
        if len(self.data.delta) == 1:
            return np.full(self.m, np.inf)
        nodes, heights = np.polynomial.legendre.leggauss(24)
        total = np.where(self.data.dead | (self.data.kept == -side), np.inf, 0.0)
        for low, high in pairwise((0.0, 0.5, 1, 2, 4, 8, 16, 32, 64)):
            for node, height in zip(nodes, heights, strict=True):
                zeta = state[: self.m] + side * (low + (high - low) * (node + 1) / 2)
                with np.errstate(over="ignore"):  # a coordinate too small to be seen: its slack is infinite
                    total += height * (high - low) / 2 * np.exp(-self._log_weights(zeta))
        return total

    def _place(self, zeta):
        """z and dz/dzeta."""
        unit, kept = self.data.unit, self.data.kept
        grown = unit * np.exp(kept * zeta)
        return np.where(kept, kept * grown, unit * np.sinh(zeta)), np.where(kept, grown, unit * np.cosh(zeta))

    def _weights(self, zeta):
        """w_j."""
        return np.exp(self._log_weights(zeta))

    def _log_weights(self, zeta):
        squares = self._place(zeta)[0] ** 2 + self.others
        return 0.5 * np.log(np.maximum(squares, np.finfo(float).tiny)).sum(axis=0)

    def _unscaled(self, state, weights):
        p = -self.loss.residual(self.margins(state))
        return np.concatenate([weights * (p @ self.A), p, [1.0]])

    def _norm(self, weights):
        largest = weights.max()  # its square may leave the range of floats
        return largest * np.sqrt(np.sum((weights / largest) ** 2 * self.columns))

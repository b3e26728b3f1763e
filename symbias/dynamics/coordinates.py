"""The flow of a decomposed network from any real start: one unknown z_j a coordinate, and its distance to the blow-up.

The squares of two layers keep their difference. With the smallest layer of coordinate j as reference, eta_ref = sigma
z, eta_l^2 = z^2 + delta_l for the others and sigma the product of their signs, rho_j = z_j omega_j(z_j) with
omega_j(z) = prod_{l != ref} sqrt(z^2 + delta_l), and dz_j/ds = omega_j(z_j) (A^T mu')_j. So int dz/omega_j = (A^T
mu)_j: z_j becomes infinite when (A^T mu)_j reaches int_{z_j(0)}^{±oo} dz/omega_j, which is finite for L >= 3 and
infinite for L = 2.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from symbias.numeric.losses import LogExponential


@dataclass(frozen=True)
class Start:
    """Coordinates of a start, in float64 or mpf: ``z`` (m,) and ``delta`` (L - 1, m) >= 0, with ``unit`` (m,) > 0.

    ``unit`` is a size of z on which omega varies: sqrt(min delta), or |z| where that is zero. Coordinates that are
    zero and stay zero (two layers zero) are in ``dead`` and have unit 1.
    """

    z: np.ndarray
    delta: np.ndarray
    unit: np.ndarray
    dead: np.ndarray

    @classmethod
    def of(cls, etas, sqrt=np.sqrt) -> "Start":
        """The coordinates of eta_1, .., eta_L (each (m,))."""
        eta = np.array(etas)
        depth, m = eta.shape
        z, delta, unit = eta[0].copy(), eta[1:] * 0, eta[0].copy()
        dead = np.zeros(m, dtype=bool)
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
            unit[j] = sqrt(least) if least else abs(z[j]) if z[j] else z[j] + 1
        return cls(z, delta, unit, dead)


class CoordinateFlow:
    """The flow of log(loss) in zeta_j = asinh(z_j / unit_j), for ``numeric.integrate.march``: state (zeta, mu, time).

    d zeta_j/ds = w_j (A^T p)_j and d mu/ds = p, w_j = omega_j / sqrt(z_j^2 + unit_j^2), p the softmax weights of the
    margins; the time is changed once more by N, N^2 = sum_j w_j^2 |A_j|^2, so that the rates stay bounded.

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
        first = np.arcsinh(start.z / start.unit)
        self.start = np.concatenate([first, np.zeros(self.n + 1)])
        dual = 1 / (np.sqrt(self.columns.max()) * max(self._weights(first).max(), np.finfo(float).tiny))
        # zeta may be far below 1 and still decide a coordinate: 1e-8 of it is kept to the tolerance.
        self.scales = np.concatenate([np.full(self.m, 1e-8), np.full(self.n, dual), [1.0]])

    def size(self) -> float:
        """The size of rho at which the coordinates leave their start."""
        return float(np.max(self.data.unit**2 * self._weights(0 * self.data.z)))

    def z(self, state) -> np.ndarray:
        """z of a state."""
        return self.data.unit * np.sinh(state[: self.m])

    def coefficients(self, state) -> np.ndarray:
        """rho of a state."""
        zeta = state[: self.m]
        return self.z(state) * self.data.unit * np.cosh(zeta) * self._weights(zeta)

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
        z, root = self.z(state), self.data.unit * np.cosh(zeta)
        weights = np.where(self.data.dead, 0.0, self._weights(zeta))
        squares = z**2 + self.data.delta
        with np.errstate(divide="ignore", invalid="ignore"):  # a dead coordinate has z = delta = 0; its rows are zero
            inner = np.where(squares > 0, z / squares, 0.0).sum(axis=0)
        growth = root * (inner - z / root**2)  # d log w / d zeta
        slope = weights * root**2 * (1 + z * inner)  # d rho / d zeta
        dp = -self.loss.slope(self.margins(state)) @ (self.output * slope)
        moved = self._unscaled(state, weights)
        out = np.zeros((len(state), len(state)))
        out[: self.m, : self.m] = np.diag(growth * moved[: self.m]) + weights[:, None] * (self.A.T @ dp)
        out[self.m : -1, : self.m] = dp
        share = (weights / weights.max()) ** 2 * self.columns
        out[:, : self.m] -= np.outer(moved, growth * share / share.sum())
        return out / self._norm(weights)

    def slacks(self, state, side: int) -> np.ndarray:
        """What (A^T mu)_j may still move by towards side (±1) before z_j is infinite, to 8 digits; infinite for L =
        2.
        """
        if len(self.data.delta) == 1:
            return np.full(self.m, np.inf)
        nodes, heights = np.polynomial.legendre.leggauss(24)
        total = np.zeros(self.m)
        for low, high in pairwise((0.0, 0.5, 1, 2, 4, 8, 16, 32, 64)):
            for node, height in zip(nodes, heights, strict=True):
                zeta = state[: self.m] + side * (low + (high - low) * (node + 1) / 2)
                total += height * (high - low) / 2 * np.exp(-self._log_weights(zeta))
        return total

    def _weights(self, zeta):
        """w_j: the product of sqrt(z^2 + delta_l) over all but the smallest delta_l (where that is unit^2)."""
        return np.exp(self._log_weights(zeta))

    def _log_weights(self, zeta):
        unit = self.data.unit
        z = unit * np.sinh(zeta)
        squares = np.maximum(z**2 + self.data.delta, np.finfo(float).tiny)  # a coordinate of frozen sign decays to 0
        return 0.5 * np.log(squares).sum(axis=0) - np.log(unit * np.cosh(zeta))

    def _unscaled(self, state, weights):
        p = -self.loss.residual(self.margins(state))
        return np.concatenate([weights * (p @ self.A), p, [1.0]])

    def _norm(self, weights):
        largest = weights.max()  # its square may leave the range of floats
        return largest * np.sqrt(np.sum((weights / largest) ** 2 * self.columns))


def slack(z, delta, unit, side: int, ctx) -> Any:
    """Return int dx/omega(x) from z to side times infinity, side = ±1, for L >= 3: what (A^T mu)_j may still grow by.

    With x = unit sinh u the integrand is smooth and falls like exp(-(L-2)|u|).
    """
    if side < 0:
        z = -z

    def integrand(u):
        x = unit * ctx.sinh(u)
        product = ctx.one
        for entry in delta:
            product *= x * x + entry
        return unit * ctx.cosh(u) / ctx.sqrt(product)

    low = ctx.asinh(z / unit)
    depth = len(delta) + 1
    # Beyond ``tail`` the integrand is below eps of its value at ``low``.
    tail = max(low, 0) + (ctx.prec * ctx.ln2 + 10) / (depth - 2) + sum(ctx.log1p(ctx.sqrt(d) / unit) for d in delta)
    points = [low, *(p for p in (0, 1, 4) if p > low), *ctx.linspace(max(low, ctx.mpf(4)) + 1, tail + 6, 5)]
    return ctx.quad(integrand, points, method="gauss-legendre")

"""The curves of any real start, in float64: rho = z prod_l sqrt(z^2 + delta_l), Q' = int_{z_0}^z dx / prod_l sqrt(x^2 +
delta_l).

z is the layer of the smallest |eta_l(0)|, delta_l >= 0 the conserved differences of squares of the L-1 others to it,
delta_1 the smallest: z = sqrt(delta_1) sinh v, or z = ±e^{±v} |z_0| where delta_1 = 0 (two layers tie: z keeps its
sign). With x = z / unit, kappa_l = unit^2 / delta_l and f_l = sqrt(kappa_l x^2 + 1) (f_l = |x| where delta_l = 0),

    h = x x' prod_{l>1} f_l,    t = int_{v_0}^v dv / prod_{l>1} f_l.

The integrand is analytic in v within pi/2 of the real line, whatever the kappa_l: a Gauss-Legendre rule of 16 nodes on
intervals of length 2 leaves (pi/2 + sqrt(pi^2/4 + 1))^{-32} = 1e-17.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from symbias.numeric.sech import NEAR, Hyperbolic

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_PANEL = 2.0  # length of an interval of the rule
_FAR = 20.0  # beyond every knot by this, the integrand is a pure exponential to e^{-40}
_MOST = 2_000  # intervals: 4000 in v is beyond any scale of a float


@dataclass(frozen=True, eq=False)
class UnequalLayers:
    """``tied`` (m,): 0, or the sign that a tie keeps; ``log_kappa`` (L-2, m), infinite where delta_l = 0; ``v_0`` (m,).

    ``amplitude`` and ``log_w`` as for ``curves.Curves``: logarithms of prod unit^2 sqrt(delta_l) and prod
    sqrt(delta_l).
    """

    v_0: np.ndarray
    tied: np.ndarray
    log_kappa: np.ndarray
    amplitude: np.ndarray
    log_w: np.ndarray
    panel: float = _PANEL

    @property
    def depth(self) -> int:
        return len(self.log_kappa) + 2

    @property
    def rate(self) -> float:
        return self.depth

    @cached_property
    def knots(self) -> np.ndarray:
        """The |v| beyond which every f_l grows like e^|v|."""
        return np.where(np.isfinite(self.log_kappa), -self.log_kappa / 2, 0.0).max(axis=0, initial=0.0)

    @cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The ends of t downwards and upwards, positive; infinite at depth 2 and where a tie holds z back."""
        every, scale = np.arange(self.v_0.size), np.exp(-self.log_f(self.v_0, slice(None)))
        sides = (np.where(self.tied == -side, np.inf, self.beyond(self.v_0, every, side) * scale) for side in (-1, 1))
        return tuple(sides)  # type: ignore[return-value]

    def at(self, v: np.ndarray) -> "UnequalPoint":
        with np.errstate(over="ignore", invalid="ignore"):  # an overshoot, which is taken back
            return UnequalPoint(self, v)

    def log_x(self, v: np.ndarray, j) -> np.ndarray:
        """log|x|."""
        size = np.abs(v)
        with np.errstate(divide="ignore"):  # log 0 = -inf
            free = size + np.log(-np.expm1(-2 * size)) - np.log(2)
        return np.where(self.tied[j] == 0, free, self.tied[j] * v)

    def log_f(self, v: np.ndarray, j) -> np.ndarray:
        """log prod_{l>1} f_l."""
        return self._log_factors(self.log_x(v, j), j).sum(axis=0)

    def _log_factors(self, log_x, j) -> np.ndarray:
        kappa = self.log_kappa[:, j]
        plain = np.isfinite(kappa)
        return np.where(plain, np.logaddexp(2 * log_x + np.where(plain, kappa, 0.0), 0.0) / 2, log_x)

    def _f(self, v: np.ndarray, j: np.ndarray) -> np.ndarray:
        """The f_l (L-2, |j|, nodes) at v (|j|, nodes)."""
        at = np.clip(v, -700.0, 700.0)
        sign = self.tied[j][:, None]
        x = np.where(sign == 0, np.sinh(at), np.exp(sign * at))
        kappa = self.log_kappa[:, j, None]
        root = np.exp(np.where(np.isfinite(kappa), kappa, 0.0) / 2)
        return np.where(np.isfinite(kappa), np.hypot(1.0, root * x), np.abs(x))

    def beyond(self, v: np.ndarray, j: np.ndarray, side) -> np.ndarray:
        """Return prod f_l(v) int_v^{side oo} dv / prod f_l of the coordinates j, where it is finite."""
        k = self.depth - 2
        side = np.broadcast_to(side, v.shape)
        value = np.full(v.size, np.inf if k == 0 else 1.0 / max(k, 1))
        ask = np.flatnonzero((side * v < self.knots[j] + _FAR) & (self.tied[j] != -side)) if k else np.zeros(0, int)
        if not ask.size:
            return value
        v, j, side = v[ask, None], j[ask], side[ask, None]
        here, total = self._f(v, j), np.zeros(ask.size)
        for step in range(_MOST):
            nodes = self.panel * (step + (1 + _NODES) / 2)
            with np.errstate(under="ignore"):
                part = (here / self._f(v + side * nodes, j)).prod(axis=0) @ _WEIGHTS * self.panel / 2
            total += part
            if (part <= 1e-17 * total).all():
                break
        value[ask] = total
        return value

    def between(self, v: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return t = int_{v_0}^v dv / prod f_l of the coordinates j."""
        if self.depth == 2 or not j.size:
            return v - self.v_0[j]
        # where a tie holds z back, the integrand is 1 from some v on
        kappa = self.log_kappa[:, j].max(axis=0)
        flat = np.where(np.isfinite(kappa), -_FAR - np.maximum(kappa, 0.0) / 2, -np.inf)
        inside = np.where(self.tied[j] * v < np.where(self.tied[j] == 0, -np.inf, flat), self.tied[j] * flat, v)
        way = inside - self.v_0[j]
        way = np.where(np.abs(way) < _MOST * self.panel, way, np.nan)  # an overshoot, which is taken back
        count = max(1, int(np.ceil(np.nanmax(np.abs(way), initial=0.0) / self.panel)))
        total = np.zeros(j.size)
        for step in range(count):
            part = (step + (1 + _NODES) / 2) / count
            total += (1 / self._f(self.v_0[j, None] + way[:, None] * part, j)).prod(axis=0) @ _WEIGHTS
        return total * way / (2 * count) + (v - inside)

    def invert(self, j: np.ndarray, sign: np.ndarray, log_h: np.ndarray) -> np.ndarray:
        """Newton's method in log|x|, of which log|h| is a convex function of slope 1 to L."""
        free, u = self.tied[j] == 0, np.array(log_h, dtype=float)
        kappa = self.log_kappa[:, j]
        plain = np.isfinite(kappa)
        for _ in range(100):
            share = np.where(plain, _sigmoid(2 * u + np.where(plain, kappa, 0.0)), 1.0).sum(axis=0)
            value = u + np.where(free, np.logaddexp(2 * u, 0.0) / 2, u) + self._log_factors(u, j).sum(axis=0)
            with np.errstate(invalid="ignore"):  # h = 0 is at u = -inf, where it stays
                move = (log_h - value) / (1 + np.where(free, _sigmoid(2 * u), 1.0) + share)
            u = u + np.where(np.isfinite(move), move, 0.0)
            if not (np.abs(move) > 4e-16 * (1 + np.abs(u))).any():
                break
        size = np.where(u < 0, np.arcsinh(np.exp(np.minimum(u, 0.0))), u + np.log1p(np.hypot(1, np.exp(-np.abs(u)))))
        return np.where(free, sign * size, self.tied[j] * np.where(free, 0.0, u))

    def time_of(self, sign: np.ndarray, log_h: np.ndarray) -> np.ndarray:
        every = np.arange(self.v_0.size)
        return replace(self, panel=self.panel / 2).at(self.invert(every, sign, log_h)).time

    def held(self, v: np.ndarray) -> np.ndarray:
        return 1 + np.maximum(-self.tied * v, 0.0)

    def in_units(self, log_size: float) -> "UnequalLayers":
        return replace(self, amplitude=self.amplitude - log_size)


class UnequalPoint:
    """See ``curves.Point``; the integrals are taken when they are asked for."""

    def __init__(self, curves: UnequalLayers, v: np.ndarray):
        self.curves, self.v = curves, v
        tied, every = curves.tied, slice(None)
        free, hyperbolic = tied == 0, Hyperbolic(v)
        tanh, log_x = hyperbolic.tanh, curves.log_x(v, every)
        kappa = curves.log_kappa
        plain = np.isfinite(kappa)
        finite = np.where(plain, kappa, 0.0)
        self.log_grow = curves.log_f(v, every)
        self.value = np.where(free, tanh, tied)
        self.log_size = np.where(free, 2 * hyperbolic.log_cosh, 2 * log_x) + self.log_grow
        # chi = kappa cosh^2 / (kappa sinh^2 + 1) and psi = kappa x^2 / (kappa x^2 + 1)
        chi = 2 * hyperbolic.log_cosh + finite - np.logaddexp(2 * log_x + finite, 0.0)
        chi = np.exp(np.where(free, chi, 0.0))
        psi = np.where(plain, _sigmoid(2 * log_x + finite), 1.0)
        steps = np.where(free, tanh * chi, tied * psi)
        bends = np.where(free, chi * (1 + tanh**2) - 2 * steps**2, 2 * psi * (1 - psi))
        self.growth, bend = steps.sum(axis=0), bends.sum(axis=0)
        self.slope = np.where(free, 1 + tanh**2, 2.0) + self.value * self.growth
        rise = np.where(free, hyperbolic.sech_squared * (2 * tanh + self.growth) + tanh * bend, tied * bend)
        self.curvature = 2 * self.value + self.growth + rise / self.slope
        self.side = np.sign(v - curves.v_0)

    @cached_property
    def end(self) -> np.ndarray:
        return np.where(self.side < 0, *self.curves.ends)

    @cached_property
    def _beyond(self) -> np.ndarray:
        every = np.arange(self.v.size)
        return self.curves.beyond(self.v, every, np.where(self.side == 0, 1, self.side))

    @cached_property
    def _left(self) -> np.ndarray:
        """|end - t|, infinite where there is no end."""
        with np.errstate(under="ignore"):
            return np.where(np.isfinite(self.end), self._beyond * np.exp(-self.log_grow), np.inf)

    @cached_property
    def near(self) -> np.ndarray:
        finite = np.isfinite(self.end)
        return np.flatnonzero(finite & (self._left < NEAR * np.where(finite, self.end, 0.0)))

    @cached_property
    def distance(self) -> np.ndarray:
        return self._beyond[self.near]

    @cached_property
    def time(self) -> np.ndarray:
        finite = np.isfinite(self.end)
        far = finite & (2 * self._left < np.where(finite, self.end, 0.0))
        t = np.where(far, self.side * (np.where(far, self.end, 0.0) - np.where(far, self._left, 0.0)), 0.0)
        inside = np.flatnonzero(~far)
        t[inside] = self.curves.between(self.v[inside], inside)
        return t


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return np.exp(-np.logaddexp(0.0, -x))

"""The curves of the difference of powers: rho = w_+^L - w_-^L with w_±(0) = a.

Depth 2: w_± = a e^{±v}, h = 2 sinh 2v, t = v. Depth L >= 3: w_± = a (1 ∓ z)^{-1/(L-2)} on -1 < z < 1, t = a^{2-L} z;
with z = tanh v and p = L/(L-2) both factors are 1 ∓ z = 2 / (1 + e^{±2v}), without cancellation at either end, and rho
= a^L h with h = 2 cosh^p v sinh(p v). Here t is the derivative of the potential sum a^2 q_L(rho / a^L) (depth
2: half of it); nu = -int r dt runs L (L-2) (depth 2: 2) times slower.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbias import exact
from symbias.numeric.curves import FromZero
from symbias.numeric.curves_precise import logarithms
from symbias.numeric.sech import NEAR, Hyperbolic


@dataclass(frozen=True)
class PowerCurves:
    """``a`` (m,) > 0, mpf of ``ctx``; see ``curves_precise.PreciseCurves``."""

    ctx: Any
    depth: int
    a: Any
    relative = True

    @property
    def v_0(self) -> np.ndarray:
        return np.full(len(self.a), self.ctx.zero, dtype=object)

    def to(self, ctx, digits: int) -> "PowerCurves":
        return PowerCurves(ctx, self.depth, exact.to_precise(self.a, ctx))

    def low(self) -> "FloatPowerCurves":
        return FloatPowerCurves(self.depth, logarithms(self.a))

    def weights(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """w_+ and w_-."""
        ctx, depth = self.ctx, self.depth
        up = np.array([ctx.exp(x) for x in v], dtype=object)
        if depth == 2:
            return self.a * up, self.a / up
        power = ctx.one / (depth - 2)
        plus, minus = (np.array([((1 + x * x) / 2) ** power for x in side], dtype=object) for side in (up, 1 / up))
        return self.a * plus, self.a * minus

    def at(self, v):
        """rho, d rho/dv, t and dt/dv."""
        ctx, depth = self.ctx, self.depth
        if depth == 2:
            first = [2 * self.a**2 * np.array([f(2 * x) for x in v], dtype=object) for f in (ctx.sinh, ctx.cosh)]
            return first[0], 2 * first[1], np.array(v, dtype=object), np.full(len(v), ctx.one)
        p, unit = ctx.mpf(depth) / (depth - 2), self.a ** (2 - depth)
        size = 2 * self.a**depth
        cosh = np.array([ctx.cosh(x) for x in v], dtype=object)
        sinh = np.array([ctx.sinh(p * x) for x in v], dtype=object)
        wide = np.array([ctx.cosh((p + 1) * x) for x in v], dtype=object)
        z = np.array([ctx.tanh(x) for x in v], dtype=object)
        return size * cosh**p * sinh, p * size * cosh ** (p - 1) * wide, unit * z, unit / cosh**2

    def time_of(self, rho: np.ndarray) -> np.ndarray:
        """t from rho: the root u = 1 - |z| of u^{-p} - (2 - u)^{-p} = |rho| / a^L, by the secant method in log u."""
        ctx, depth = self.ctx, self.depth
        if depth == 2:
            return np.array([ctx.asinh(r / (2 * a * a)) / 2 for r, a in zip(rho, self.a, strict=True)], dtype=object)
        return np.array(
            [ctx.sign(r) * a ** (2 - depth) * self._z(abs(r) / a**depth) for r, a in zip(rho, self.a, strict=True)]
        )

    def _z(self, size):
        """|z| at |rho| / a^L: by Newton's method on z for small z, where it is convex, else on log u."""
        ctx, p = self.ctx, self.ctx.mpf(self.depth) / (self.depth - 2)
        z = min(size / (2 * p), ctx.mpf("0.5"))
        if size > (ctx.mpf("0.5")) ** -p:
            w = ctx.log(size) / p  # u = e^{-w}
            for _ in range(ctx.prec):
                u = ctx.exp(-w)
                move = (u**-p - (2 - u) ** -p - size) / (p * (u**-p + u * (2 - u) ** (-p - 1)))
                w = w - move
                if abs(move) <= ctx.eps * abs(w) * 4:
                    break
            return 1 - ctx.exp(-w)
        for _ in range(ctx.prec):
            move = (_odd(ctx, z, p) - size) / (p * ((1 - z) ** (-p - 1) + (1 + z) ** (-p - 1)))
            z = z - move
            if abs(move) <= ctx.eps * z * 4:
                break
        return z

    def potential(self, v: np.ndarray):
        """sum_j a_j^2 q_L(rho_j / a_j^L), from t rho minus the integral of rho over t."""
        depth = self.depth
        plus, minus = self.weights(v)
        rho, _, t, _ = self.at(v)
        if depth == 2:
            return (2 * t * rho - plus**2 - minus**2 + 2 * self.a**2).sum()
        return (t * rho - (self.ctx.mpf(depth) / 2 - 1) * (plus**2 + minus**2 - 2 * self.a**2)).sum()


def _odd(ctx, z, p):
    """(1 - z)^{-p} - (1 + z)^{-p} without cancellation."""
    return 2 * ctx.sinh(p * ctx.atanh(z)) * (1 - z * z) ** (-p / 2)


class FloatPowerCurves(FromZero):
    """The same in float64; see ``curves.Curves``."""

    @property
    def power(self) -> float:
        """p, and 2 at depth 2, where h = 2 sinh(p v)."""
        return 2.0 if self.depth == 2 else self.depth / (self.depth - 2)

    @property
    def rate(self) -> float:
        return 2.0 if self.depth == 2 else 2 * self.power

    def at(self, v: np.ndarray) -> "PowerPoint":
        return PowerPoint(self, v)

    def invert(self, j: np.ndarray, sign: np.ndarray, log_h: np.ndarray) -> np.ndarray:
        """Newton's method in log|v|, of which log|h| is an increasing convex function of slope 1 and more."""
        p = self.power
        u = np.where(log_h > 0, np.log(np.maximum(log_h, 1e-300)), log_h)
        for _ in range(100):
            at = PowerPoint(self, np.exp(u))
            with np.errstate(divide="ignore"):  # where v underflows, h = 2 p v
                value = np.where(u < -300, math.log(2 * p) + u, at.log_size + np.log(at.value))
                slope = np.where(u < -300, 1.0, at.v * at.slope / np.where(at.value > 0, at.value, 1.0))
            with np.errstate(invalid="ignore"):  # h = 0 is at u = -inf, where it stays
                move = np.nan_to_num((log_h - value) / slope)
            u = u + move
            if (np.abs(move) <= 4e-16 * (1 + np.abs(u))).all():
                break
        return sign * np.exp(u)

    def time_of(self, sign: np.ndarray, log_h: np.ndarray) -> np.ndarray:
        v = self.invert(np.arange(self.log_a.size), sign, log_h)
        return v if self.depth == 2 else -np.expm1(-2 * v) / (1 + np.exp(-2 * v))


class PowerPoint:
    """See ``curves.Point``."""

    def __init__(self, curves: FloatPowerCurves, v: np.ndarray):
        p, two, at = curves.power, curves.depth == 2, Hyperbolic(v)
        inner, outer = Hyperbolic(p * v), Hyperbolic((p + 1) * v)
        self.v, self.side, self.value = v, np.sign(v), inner.tanh
        self.log_size = math.log(2) + inner.log_cosh + (0.0 if two else p * at.log_cosh)
        self.slope = np.full(v.size, p) if two else p * (1 + at.tanh * inner.tanh)
        self.curvature = p * inner.tanh if two else (p - 1) * at.tanh + (p + 1) * outer.tanh
        grows = 0.0 if two else 2.0
        self.log_grow, self.growth = grows * at.log_cosh, grows * at.tanh
        self.time = v if two else at.tanh
        self.near = np.zeros(0, dtype=int) if two else np.flatnonzero(at.sech_squared < NEAR)
        self.distance = 1 / (1 + np.abs(at.tanh[self.near]))
        self.end = np.full(v.size, np.inf if two else 1.0)

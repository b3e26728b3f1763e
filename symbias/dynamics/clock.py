"""One coordinate of a start in high precision: the time int dz/omega that it takes, to a place or to its blow-up.

In zeta (z = unit sinh zeta, or z = s unit e^{s zeta} where two layers tie and z keeps its sign s) dz/omega =
dzeta / prod sqrt(z^2 + delta_l) over all delta_l but the smallest: analytic in zeta within pi/2 of the real line. To
the blow-up, 1/z is the variable: int_0^{1/X} x^{L-3} dx / prod sqrt(1 + delta_l x^2) once X^2 is above every delta_l.
"""

import math
from typing import Any

import numpy as np

from symbias.numeric.gauss import rule

#: Panels of length 1, singularities pi/2 from the middle: n nodes leave (pi + sqrt(pi^2 + 1))^{-2n} = 10^{-1.61 n}.
_DIGITS_A_NODE = 1.61
#: Part of the time to the blow-up below which the time left has lost 30 digits.
_NEAREST = 1e-30


class Clock:
    """The time of a coordinate with ``z`` at the start, ``delta`` (L - 1), ``unit`` and ``kept`` (0, or its sign)."""

    def __init__(self, ctx, z, delta, unit, kept: int = 0):
        self.ctx, self.unit, self.kept = ctx, unit, int(kept)
        self.delta = sorted(delta)
        self.depth = len(self.delta) + 1
        self.zeta = self.of(z)

    def of(self, z) -> Any:
        """zeta of z."""
        return self.kept * self.ctx.log(abs(z) / self.unit) if self.kept else self.ctx.asinh(z / self.unit)

    def z(self, zeta) -> Any:
        """z of zeta."""
        if self.kept:
            return self.kept * self.unit * self.ctx.exp(self.kept * zeta)
        return self.unit * self.ctx.sinh(zeta)

    def root(self, z) -> Any:
        """dz/dzeta at z."""
        return abs(z) if self.kept else self.ctx.sqrt(z * z + self.unit * self.unit)

    def rho(self, zeta) -> Any:
        """z prod sqrt(z^2 + delta_l)."""
        z = self.z(zeta)
        return z * self.ctx.sqrt(self._product(z, self.delta))

    def passed(self, low, high) -> Any:
        """The time from zeta = low to zeta = high."""
        if self.depth == 2:
            return high - low
        panels = max(1, int(self.ctx.ceil(abs(high - low))))
        step = (high - low) / panels
        return sum(self._gauss(self.slope, low + k * step, low + (k + 1) * step) for k in range(panels))

    def left(self, zeta, side: int) -> Any:
        """The time from zeta until z = side * oo, side = ±1: infinite for L = 2, and where a tie keeps z from there."""
        ctx = self.ctx
        if self.depth == 2 or (self.kept and self.kept != side):
            return ctx.inf
        far = max(abs(self.z(zeta)) if side * self.z(zeta) > 0 else ctx.zero, ctx.sqrt(self.delta[-1]), self.unit)
        near, end = self.passed(zeta, self.of(side * far)) * side, 1 / far
        return near + self._gauss(self._inverse, ctx.zero, end / 2) + self._gauss(self._inverse, end / 2, end)

    def at(self, time) -> Any:
        """zeta when the signed ``time`` has passed; infinite beyond the blow-up, and where it is too near to be told.

        Newton's method, monotone: 1/w is log-concave in zeta, so the logarithm of the time left is concave.
        """
        ctx, zeta, side = self.ctx, self.zeta, 1 if time > 0 else -1
        time = abs(time)
        if self.depth == 2 or not time:
            return zeta + side * time
        total = self.left(zeta, side)
        if total == ctx.inf:
            return self._towards_zero(zeta, side, time)
        rest = total - time
        if not rest > ctx.mpf(_NEAREST) * total:
            return side * ctx.inf
        left = total
        while left > rest:
            left, zeta = left - side * self.passed(zeta, zeta + side), zeta + side
        for _ in range(ctx.prec):
            step = side * left * ctx.log(left / rest) / self.slope(zeta)
            left, zeta = left - side * self.passed(zeta, zeta + step), zeta + step
            if abs(step) < ctx.mpf(10) ** (-ctx.dps // 2 - 2) * (1 + abs(zeta)):
                return zeta
        raise ArithmeticError("Newton's method for the place at a time did not converge")

    def _towards_zero(self, zeta, side, time):
        """A coordinate of kept sign, pushed against it: the time is convex in the distance, Newton ends from above."""
        ctx, behind = self.ctx, self.ctx.zero
        while behind < time:
            behind, zeta = behind + side * self.passed(zeta, zeta + side), zeta + side
        for _ in range(ctx.prec):
            step = side * (time - behind) / self.slope(zeta)
            behind, zeta = behind + side * self.passed(zeta, zeta + step), zeta + step
            if abs(step) < ctx.mpf(10) ** (-ctx.dps // 2 - 2) * (1 + abs(zeta)):
                return zeta
        raise ArithmeticError("Newton's method for the place at a time did not converge")

    def slope(self, zeta):
        """d time / d zeta."""
        return 1 / self.ctx.sqrt(self._product(self.z(zeta), self.delta[1:])) if self.depth > 2 else self.ctx.one

    def _inverse(self, x):
        """d time / d(1/z)."""
        product = self.ctx.one
        for entry in self.delta:
            product *= 1 + entry * x * x
        return x ** (self.depth - 3) / self.ctx.sqrt(product)

    def _product(self, z, deltas):
        product = self.ctx.one
        for entry in deltas:
            product *= z * z + entry
        return product

    def _gauss(self, function, low, high):
        nodes, heights = rule(self.ctx, math.ceil((self.ctx.dps + 5) / _DIGITS_A_NODE))
        middle, half = (low + high) / 2, (high - low) / 2
        return half * sum(h * function(middle + half * x) for x, h in zip(nodes, heights, strict=True))


def clocks(ctx, start) -> list[Clock]:
    """One clock a coordinate of ``start`` (its entries mpf)."""
    columns = zip(start.z, start.delta.T, start.unit, start.kept, strict=True)
    return [Clock(ctx, z, list(delta), unit, kept) for z, delta, unit, kept in columns]


def places(ctx, start, pull) -> np.ndarray:
    """rho_j when (A^T mu)_j is ``pull_j``."""
    return np.array([c.rho(c.at(p)) for c, p in zip(clocks(ctx, start), pull, strict=True)], dtype=object)

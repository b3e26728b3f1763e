"""The curves of Theorem 5's start to any precision; see ``curves`` for the float64 ones."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from symbias import exact
from symbias.errors import BadInput
from symbias.kernels import precise
from symbias.numeric.curves import Curves, EqualLayers
from symbias.precision import context


class PreciseCurves(Protocol):
    """Curves rho(v), t(v) of all coordinates in mpf of ``ctx``, t in a unit common to all.

    ``relative``: every rho_j is wanted to its own digits, however small: it is 0 only where t_j = 0.
    """

    @property
    def relative(self) -> bool: ...

    @property
    def ctx(self) -> Any: ...

    @property
    def depth(self) -> int: ...

    @property
    def v_0(self) -> np.ndarray: ...

    def to(self, ctx, digits: int) -> "PreciseCurves":
        """Return the curves at the precision of ``ctx``, v being wanted to ``digits`` digits."""

    def low(self) -> Curves: ...

    def at(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return rho, d rho/dv, t and dt/dv."""

    def time_of(self, rho: np.ndarray) -> np.ndarray:
        """Return t from rho alone."""


@dataclass(frozen=True)
class PreciseEqualLayers:
    """rho = a^L sinh v cosh^{L-1} v and t = int_0^v sech^{L-2} / W with W = (a / max a)^{L-2}, mpf of ``ctx``."""

    ctx: Any
    depth: int
    a: np.ndarray
    relative = True

    @property
    def v_0(self) -> np.ndarray:
        return np.full(len(self.a), self.ctx.zero, dtype=object)

    @property
    def width(self) -> np.ndarray:
        return (self.a / self.a.max()) ** (self.depth - 2)

    def to(self, ctx, digits: int) -> "PreciseEqualLayers":
        return PreciseEqualLayers(ctx, self.depth, exact.to_precise(self.a, ctx))

    def low(self) -> EqualLayers:
        return EqualLayers(self.depth, logarithms(self.a))

    def at(self, v: np.ndarray):
        ctx, depth = self.ctx, self.depth
        sinh = np.array([ctx.sinh(x) for x in v], dtype=object)
        cosh = np.array([ctx.sqrt(1 + x * x) for x in sinh], dtype=object)
        t = np.array([self._time(*pair) for pair in zip(sinh, cosh, strict=True)], dtype=object)
        grow = cosh ** (depth - 2)
        amplitude = self.a**depth
        omega = self.width * grow
        return amplitude * sinh * cosh * grow, amplitude * grow * (1 + depth * sinh**2), t / self.width, 1 / omega

    def _time(self, sinh, cosh):
        """∫_0^v sech^(L-2) by the recurrence in the power of sech."""
        ctx, power = self.ctx, self.depth - 2
        if power == 0:
            return ctx.asinh(sinh)
        tanh = sinh / cosh
        value, start = (ctx.atan(sinh), 1) if power % 2 else (tanh, 2)
        for i in range(start + 2, power + 1, 2):
            value = (tanh / cosh ** (i - 2) + (i - 2) * value) / (i - 1)
        return value

    def time_of(self, rho: np.ndarray) -> np.ndarray:
        """t by the kernels, from rho."""
        pairs = zip(rho, self.a**self.depth, strict=True)
        times = [precise.h_inverse(self.ctx, self.depth, value / amplitude) for value, amplitude in pairs]
        return np.array(times, dtype=object) / self.width


def logarithms(a: np.ndarray) -> np.ndarray:
    """Return log a_j in float64, a_j of any size; BadInput unless they are positive."""
    ctx = context(30)
    values = exact.to_precise(a, ctx)
    for j, value in enumerate(values):
        if not value > 0:
            raise BadInput(f"a[{j}] = {a[j]}: every a_j = alpha |eta_j| must be positive")
    return np.array([float(ctx.log(value)) for value in values])

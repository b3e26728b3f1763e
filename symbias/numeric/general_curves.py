"""The curves of a network from any real start: rho = z prod_l sqrt(z^2 + delta_l), t = int_{z_0}^z dx / prod_l
sqrt(x^2 + delta_l).

z is the layer of the smallest |eta_l(0)|, delta_l >= 0 the conserved differences of squares of the L-1 others to it.
The parameter is that of the smallest delta: z = sqrt(delta) sinh v, and z = e^v or -e^{-v} where delta = 0 (two layers
tie: z keeps its sign). Then t = int dv / prod sqrt(z(v)^2 + delta_l) over the L-2 others, analytic in v within pi/2 of
the real line.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symbias.numeric.gauss import rule

#: Half an interval is 1/2 and the nearest singularity pi/2 away: n nodes leave (pi + sqrt(pi^2 + 1))^{-2n} = 10^{-1.61
#: n}.
_DIGITS_A_NODE = 1.61


@dataclass(frozen=True)
class Coordinate:
    """One coordinate: z_0, the L-1 differences ``deltas`` in increasing order, and values of t at whole steps from
    v_0.
    """

    ctx: Any
    z_0: Any
    deltas: tuple[Any, ...]
    kept: dict[int, Any] = field(default_factory=dict)

    @property
    def tied(self) -> bool:
        """True when a second layer has the same |eta(0)|: z keeps the sign of z_0, which is not zero."""
        return not self.deltas[0]

    @property
    def v_0(self) -> Any:
        if not self.tied:
            return self.ctx.asinh(self.z_0 / self.ctx.sqrt(self.deltas[0]))
        size = self.ctx.log(abs(self.z_0))
        return size if self.z_0 > 0 else -size

    def z(self, v):
        """z at v."""
        ctx = self.ctx
        if not self.tied:
            return ctx.sqrt(self.deltas[0]) * ctx.sinh(v)
        return ctx.exp(v) if self.z_0 > 0 else -ctx.exp(-v)

    def others(self, z):
        """prod sqrt(z^2 + delta_l) over all layers but the reference and the one of the smallest delta."""
        square, product = z * z, self.ctx.one
        for delta in self.deltas[1:]:
            product = product * (square + delta)
        return self.ctx.sqrt(product)

    def at(self, v):
        """rho, d rho/dv, t, dt/dv at v."""
        ctx = self.ctx
        z = self.z(v)
        square = z * z
        first = ctx.sqrt(square + self.deltas[0])  # dz/dv
        rest = self.others(z)
        rho = z * first * rest
        # d log rho / dz = 1/z + sum z/(z^2 + delta_l); multiplied by rho it has no pole at z = 0
        slope = first * rest + sum(z * rho / (square + delta) for delta in self.deltas)
        return rho, slope * first, self.t(v), 1 / rest

    def t(self, v):
        """t at v: whole steps from v_0, then the part of a step that is left."""
        if len(self.deltas) == 1:
            return v - self.v_0
        away = v - self.v_0
        steps = int(self.ctx.nint(away))
        return self._whole(steps) + self._piece(self.v_0 + steps, v)

    def _whole(self, steps: int):
        """t at v_0 + steps."""
        self.kept.setdefault(0, self.ctx.zero)
        way = 1 if steps > 0 else -1
        have = 0
        while have != steps:
            if have + way not in self.kept:
                self.kept[have + way] = self.kept[have] + self._piece(self.v_0 + have, self.v_0 + have + way)
            have += way
        return self.kept[steps]

    def _piece(self, low, high):
        nodes, weights = rule(self.ctx, math.ceil((self.ctx.dps + 5) / _DIGITS_A_NODE))
        middle, half = (low + high) / 2, (high - low) / 2
        return half * sum(w / self.others(self.z(middle + half * x)) for x, w in zip(nodes, weights, strict=True))

    def range_of_t(self, sign: int):
        """The end of t in the direction ``sign``: finite for L >= 3 unless z is held back by a tie there."""
        towards_zero = self.tied and (self.z_0 > 0) != (sign > 0)
        if len(self.deltas) == 1 or towards_zero:
            return sign * self.ctx.inf
        # 1/prod decays like e^{-(L-2)|v|}: go on until what is left is below the precision.
        v, end = self.v_0, self.ctx.zero
        for step in range(1, 100_000):
            piece = self._whole(sign * step) - end
            end = end + piece
            if abs(piece) <= self.ctx.eps * abs(end):
                return end
        raise ArithmeticError(f"the end of t was not reached from v = {v}")


@dataclass(frozen=True)
class GeneralCurves:
    """All coordinates; see ``mirror.Curves``."""

    coordinates: tuple[Coordinate, ...]

    @property
    def v_0(self) -> list:
        return [c.v_0 for c in self.coordinates]

    def at(self, v):
        columns = zip(*(c.at(x) for c, x in zip(self.coordinates, v, strict=True)), strict=True)
        return tuple(np.array(column, dtype=object) for column in columns)

    def z(self, v) -> np.ndarray:
        """z of every coordinate."""
        return np.array([c.z(x) for c, x in zip(self.coordinates, v, strict=True)], dtype=object)

    def potential(self, v):
        """Q = sum rho t - (z^2 - z_0^2)/2."""
        rho, _, t, _ = self.at(v)
        start = np.array([c.z_0 for c in self.coordinates], dtype=object)
        return (rho * t - (self.z(v) ** 2 - start**2) / 2).sum()

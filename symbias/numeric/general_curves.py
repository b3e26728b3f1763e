"""The curves of a network from any real start, to any precision: rho = z prod_l sqrt(z^2 + delta_l), t = int_{z_0}^z
dx / prod_l sqrt(x^2 + delta_l).

z is the layer of the smallest |eta_l(0)|, delta_l >= 0 the conserved differences of squares of the L-1 others to it.
The parameter is that of the smallest delta: z = sqrt(delta) sinh v, and z = e^v |z_0| or -e^{-v} |z_0| where delta = 0
(two layers tie: z keeps its sign). Then t = int dv / prod sqrt(z(v)^2 + delta_l) over the L-2 others, analytic in v
within pi/2 of the real line; beyond the largest delta it is a smooth function of e^{-|v|}.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from symbias import exact
from symbias.numeric.gauss import rule
from symbias.numeric.layers import UnequalLayers
from symbias.precision import adopt, context

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
    def sign(self) -> int:
        """The sign that a tie keeps, or 0."""
        return (1 if self.z_0 > 0 else -1) if self.tied else 0

    @cached_property
    def unit(self) -> Any:
        return abs(self.z_0) if self.tied else self.ctx.sqrt(self.deltas[0])

    @cached_property
    def v_0(self) -> Any:
        return self.ctx.zero if self.tied else self.ctx.asinh(self.z_0 / self.unit)

    @cached_property
    def knot(self) -> float:
        """|v| beyond which z^2 is above every delta_l."""
        largest = self.deltas[-1]
        return max(0.0, float(self.ctx.log(2 * self.ctx.sqrt(largest) / self.unit))) if largest else 0.0

    def z(self, v):
        """z at v."""
        return self.sign * self.unit * self.ctx.exp(self.sign * v) if self.tied else self.unit * self.ctx.sinh(v)

    def others(self, z):
        """prod sqrt(z^2 + delta_l) over all layers but the reference and the one of the smallest delta."""
        square, product = z * z, self.ctx.one
        for delta in self.deltas[1:]:
            product = product * (square + delta)
        return self.ctx.sqrt(product)

    def at(self, v, clock: "Coordinate | None" = None):
        """rho, d rho/dv, t, dt/dv at v; t from ``clock``, this coordinate in another precision."""
        rho, slope, rest = self._rho(v)
        t = self.t(v) if clock is None else adopt(self.ctx, clock.t(adopt(clock.ctx, v)))
        return rho, slope, t, 1 / rest

    def time_of(self, rho):
        """t at rho: Newton's method in log|z|, of which log|rho| is convex, and the integral."""
        ctx = self.ctx
        if not rho:
            return self.t(ctx.zero)
        least = ctx.sqrt(self.unit**2 if self.tied else self.deltas[0]) * self.others(ctx.zero)
        z = abs(rho) / least if least else self.unit
        for _ in range(ctx.prec):
            square = z * z
            value = z * ctx.sqrt(square + self.deltas[0]) * self.others(z)
            move = ctx.log(abs(rho) / value) / (1 + sum(square / (square + delta) for delta in self.deltas))
            z = z * ctx.exp(move)
            if abs(move) <= 8 * ctx.eps:
                break
        v = self.sign * ctx.log(z / self.unit) if self.tied else ctx.sign(rho) * ctx.asinh(z / self.unit)
        return self.t(v)

    def _rho(self, v):
        """rho, d rho/dv and the product of the other layers at v."""
        ctx = self.ctx
        z = self.z(v)
        square = z * z
        first = ctx.sqrt(square + self.deltas[0])  # dz/dv
        rest = self.others(z)
        rho = z * first * rest
        # d log rho / dz = 1/z + sum z/(z^2 + delta_l); multiplied by rho it has no pole at z = 0
        slope = first * rest + sum(z * rho / (square + delta) for delta in self.deltas)
        return rho, slope * first, rest

    def t(self, v):
        """t at v: near the start by whole steps and the part of a step that is left; far from it from the end."""
        ctx = self.ctx
        if len(self.deltas) == 1 or v == self.v_0:
            return v - self.v_0
        side = 1 if v > self.v_0 else -1
        if self.sign == -side:
            return self._held_back(v)
        if side * v > self.knot + 2:
            return self.range_of_t(side) - side * self._tail(side * v)
        steps = int(ctx.nint(v - self.v_0))
        return self._whole(steps) + self._piece(self.v_0 + steps, v)

    def range_of_t(self, sign: int):
        """The end of t in the direction ``sign``: finite for L >= 3 unless z is held back by a tie there."""
        if len(self.deltas) == 1 or self.sign == -sign:
            return sign * self.ctx.inf
        steps = max(0, math.ceil(self.knot + 2 - float(sign * self.v_0)))
        return self._whole(sign * steps) + sign * self._tail(sign * self.v_0 + steps)

    def _tail(self, u):
        """int dv / prod from |v| = u to infinity, in y = e^{u - |v|}: y^{L-3} times a function of e^{-2u} y^2."""
        ctx, k = self.ctx, len(self.deltas) - 1
        small = ctx.exp(-2 * u)
        shares = [(1 if self.tied else 4) * delta / self.unit**2 * small for delta in self.deltas[1:]]
        one = 0 if self.tied else small
        # singular at y = ±i / sqrt(share): (2/sqrt(share))^2 in size and more for a rule of one node on [0, 1]
        largest = max(float(ctx.log10(s)) for s in (*shares, one) if s) if any((*shares, one)) else -ctx.dps
        count = (ctx.dps + 5) / max(0.6 - largest, 0.6) + k
        nodes, weights = rule(ctx, 1 << math.ceil(math.log2(max(count, 4))))
        total = ctx.zero
        for x, w in zip(nodes, weights, strict=True):
            y = (1 + x) / 2
            square, product = y * y, ctx.one
            first = (1 - one * square) ** 2
            for share in shares:
                product = product * (first + share * square)
            total += w * y ** (k - 1) / ctx.sqrt(product)
        return total / 2 * ((1 if self.tied else 2) / (self.unit * ctx.exp(u))) ** k

    def _held_back(self, v):
        """t on the side where a tie holds z back from 0: linear in v but for a smooth function of z^2.

        Where further layers tie, t grows like a power of 1/z and v never gets far.
        """
        ctx, away = self.ctx, self.sign * v
        edge = -math.ceil(self.knot) - 2
        if not self.deltas[1] or away > edge:
            steps = int(ctx.nint(v))
            return self._whole(steps) + self._piece(self.v_0 + steps, v)
        constant = 1 / self.others(ctx.zero)
        low, high = (self.z(self.sign * u) ** 2 for u in (away, ctx.mpf(edge)))
        nodes, weights = rule(ctx, math.ceil((ctx.dps + 5) / _DIGITS_A_NODE))
        squares = (low + high) / 2 + (high - low) / 2 * nodes
        rest = sum(
            w * (1 / self.others(ctx.sqrt(square)) - constant) / square
            for square, w in zip(squares, weights, strict=True)
        )
        return self._whole(self.sign * edge) + constant * (v - self.sign * edge) - self.sign * rest * (high - low) / 4

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


@dataclass(frozen=True)
class GeneralCurves:
    """All coordinates, at the precision of ``ctx``; see ``minimize_precise.PreciseCurves``."""

    coordinates: tuple[Coordinate, ...]
    clocks: tuple[Coordinate, ...] = ()  # the same with the digits that t is worth, fewer than those of rho
    relative = False  # rho_j passes through 0 on its way: its digits are those of v_j

    @property
    def ctx(self):
        return self.coordinates[0].ctx

    @property
    def depth(self) -> int:
        return len(self.coordinates[0].deltas) + 1

    @property
    def v_0(self) -> np.ndarray:
        return np.array([c.v_0 for c in self.coordinates], dtype=object)

    def to(self, ctx, digits: int) -> "GeneralCurves":
        """Return the same curves at the precision of ``ctx``, v being wanted to ``digits`` digits.

        t is an absolute number of order one, and 1/t' no larger than rho: half of what ``ctx`` has beyond the digits
        for the range of rho and t together is enough for t.
        """
        return GeneralCurves(
            *(
                tuple(
                    Coordinate(made, adopt(made, c.z_0), tuple(adopt(made, delta) for delta in c.deltas))
                    for c in self.coordinates
                )
                for made in (ctx, context(min(ctx.dps, digits + 20 + max(0, ctx.dps - digits) // 2)))
            )
        )

    def low(self) -> UnequalLayers:
        """Return the same curves in float64."""
        ctx, made = self.ctx, self.coordinates
        log_unit = np.array([float(ctx.log(c.unit)) for c in made])
        logs = np.array([[float(ctx.log(d)) if d else -np.inf for d in c.deltas[1:]] for c in made]).T
        logs = logs.reshape(self.depth - 2, len(made))
        halves = np.where(np.isfinite(logs), logs / 2, log_unit).sum(axis=0)
        return UnequalLayers(
            v_0=np.array([float(c.v_0) for c in made]),
            tied=np.array([c.sign for c in made]),
            log_kappa=2 * log_unit - logs,
            amplitude=2 * log_unit + halves,
            log_w=halves,
        )

    def at(self, v):
        """rho, d rho/dv, t, dt/dv."""
        clocks = self.clocks or self.coordinates
        columns = zip(*(c.at(x, clock) for c, x, clock in zip(self.coordinates, v, clocks, strict=True)), strict=True)
        return tuple(np.array(column, dtype=object) for column in columns)

    def time_of(self, rho: np.ndarray) -> np.ndarray:
        """t from rho alone."""
        clocks = self.clocks or self.coordinates
        times = [clock.time_of(adopt(clock.ctx, r)) for clock, r in zip(clocks, rho, strict=True)]
        return exact.to_precise(np.array(times, dtype=object), self.ctx)

    def z(self, v) -> np.ndarray:
        """z of every coordinate."""
        return np.array([c.z(x) for c, x in zip(self.coordinates, v, strict=True)], dtype=object)

    def potential(self, v, digits: int):
        """Q = sum rho t - (z^2 - z_0^2)/2 to ``digits`` digits; near the start, where its terms cancel, to what is
        left of all digits.
        """
        for ctx in (context(min(digits + 20, self.ctx.dps)), self.ctx):
            curves, at = self.to(ctx, digits), exact.to_precise(v, ctx)
            rho, _, t, _ = curves.at(at)
            start = np.array([c.z_0 for c in curves.coordinates], dtype=object)
            terms = np.concatenate([rho * t, (start**2 - curves.z(at) ** 2) / 2])
            total = terms.sum()
            if abs(total) > ctx.mpf(10) ** -10 * np.abs(terms).sum():
                break
        return adopt(self.ctx, total)

"""Real coordinates of a problem, with those that evolve alike merged into one."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from symbias.dynamics.coordinates import CoordinateFlow, Start
from symbias.exact import to_float
from symbias.numeric.max_margin import as_precise

#: Powers of ten between the margin 1 and that of the start beyond which the direction in float64 does not change.
FAR = 100


@dataclass(frozen=True)
class Coordinates:
    """The problem in real coordinates, with equal columns of equal start merged: they evolve alike.

    ``A`` (n, m), ``etas`` (L arrays of m): elements of QQ, or mpf of ``ctx``.
    """

    A: np.ndarray
    etas: tuple[np.ndarray, ...]
    ctx: Any
    groups: list[list[int]] = field(init=False)
    signs: np.ndarray = field(init=False)

    def __post_init__(self):
        groups: dict[tuple, list[int]] = {}
        signs = np.ones(self.A.shape[1], dtype=int)
        column_size, sizes = _largest(self.A), (_largest(self.whole.z, self.whole.unit), _largest(self.whole.delta))
        for j in range(self.A.shape[1]):
            column = [self._key(entry, column_size) for entry in self.A[:, j]]
            lead = next((entry for entry in column if entry), 1)
            signs[j] = -1 if lead < 0 else 1
            z = self._key(signs[j] * self.given.z[j], sizes[0])
            delta = sorted(self._key(entry, sizes[1]) for entry in self.given.delta[:, j])
            kept = int(signs[j] * self.given.kept[j])
            groups.setdefault((*(signs[j] * entry for entry in column), *delta, z, kept), []).append(j)
        object.__setattr__(self, "groups", list(groups.values()))
        object.__setattr__(self, "signs", signs)

    def _key(self, entry, size):
        """Equal numbers have equal keys: rationals as they are, mpf after dropping their guard digits."""
        if not hasattr(entry, "_mpf_"):
            return entry
        ctx = self.ctx
        return ctx.mpf(ctx.nstr(entry, ctx.dps - 15)) if abs(entry) > size * ctx.mpf(10) ** (15 - ctx.dps) else 0

    @cached_property
    def given(self) -> Start:
        """The start of all coordinates, its differences of squares exact where the etas are."""
        return Start.of(self.etas, lambda entry: self.ctx.sqrt(_precise(self.ctx, entry)))

    @cached_property
    def whole(self) -> Start:
        """The start of all coordinates, in mpf."""
        s, ctx = self.given, self.ctx
        return Start(as_precise(ctx, s.z), as_precise(ctx, s.delta), as_precise(ctx, s.unit), s.dead, s.kept)

    @property
    def first(self) -> list[int]:
        return [group[0] for group in self.groups]

    @property
    def multiplicity(self) -> np.ndarray:
        return np.array([len(group) for group in self.groups])

    @property
    def merged(self) -> np.ndarray:
        """One column a group, with the sign of its first coordinate."""
        return self.A[:, self.first]

    @property
    def start(self) -> Start:
        s, j = self.whole, self.first
        return Start(s.z[j], s.delta[:, j], s.unit[j], s.dead[j], s.kept[j])

    @property
    def depth(self) -> int:
        return len(self.etas)

    @property
    def plain(self) -> bool:
        """True when the last layer is zero and the others have equal sizes: the start of Theorem 5."""
        same = all(abs(e) == abs(f) for eta in self.etas[1:-1] for e, f in zip(eta, self.etas[0], strict=True))
        return same and not any(self.etas[-1]) and all(self.etas[0])

    def spread(self, rho) -> np.ndarray:
        """From one entry a group to all coordinates."""
        out = np.array([rho[0] * 0] * self.A.shape[1], dtype=object)
        for value, group in zip(rho, self.groups, strict=True):
            for j in group:
                out[j] = value * int(self.signs[j] * self.signs[group[0]])
        return out

    @cached_property
    def size(self):
        """For L >= 3 a power of two next to the largest unit of the start: the common size s taken out of the flow.

        With z = s z', rho = s^L rho' and mu = s^{2-L} mu' the flow is the same but for the margin 1, which is s^{-L}.
        For L = 2 it is 1.
        """
        units = [u for u, dead in zip(self.start.unit, self.start.dead, strict=True) if not dead]
        if self.depth == 2 or not units:
            return self.ctx.one
        return self.ctx.ldexp(1, self.ctx.frexp(max(units))[1])

    def flow(self) -> CoordinateFlow:
        """The flow of the merged coordinates in float64, without their common size."""
        s, ctx, start = self.size, self.ctx, self.start
        unit = np.where(start.dead, ctx.one, start.unit / s)
        low = Start(to_float(start.z / s), to_float(start.delta / s**2), to_float(unit), start.dead, start.kept)
        # Far below the start the margin 1 is as good as 0; far above, mu is within one^{-(L-2)/L} <= 1e-33 of its limit
        one = min(max(s**-self.depth, ctx.mpf(10) ** -FAR), ctx.mpf(10) ** FAR)
        return CoordinateFlow(to_float(self.merged), low, self.multiplicity, float(one))


def _largest(*arrays):
    return max(abs(entry) for array in arrays for entry in array.flat)


def _precise(ctx, entry):
    return as_precise(ctx, np.array([entry], dtype=object))[0]

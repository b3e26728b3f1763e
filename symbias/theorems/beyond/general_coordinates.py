"""A general start in the coordinates of the decomposition: one curve a coordinate
(``symbias.numeric.general_curves``).
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from symbias.errors import NotConverged
from symbias.exact import to_precise
from symbias.numeric.general_curves import Coordinate, GeneralCurves
from symbias.problem import Problem
from symbias.theorems.spectral import frame


@dataclass(frozen=True)
class Coordinates:
    """The start in the coordinates of the decomposition, with alpha: mpf of ``ctx``.

    A = X S^T (n, m); ``eta``: one (m,) array a block; ``smallest``: the reference layer of every coordinate;
    ``curves``: one a coordinate, None where rho_j stays 0; ``outside``: see ``spectral.Frame``.
    """

    ctx: Any
    decomposition: Any
    A: Any
    eta: tuple[Any, ...]
    smallest: tuple[int, ...]
    curves: tuple[Coordinate | None, ...]
    outside: tuple[Any, ...]

    @cached_property
    def moving(self) -> list[int]:
        return [j for j, curve in enumerate(self.curves) if curve is not None]

    @cached_property
    def moving_curves(self) -> GeneralCurves:
        return GeneralCurves(tuple(self.curves[j] for j in self.moving))  # type: ignore[misc]


@dataclass(frozen=True)
class InFloats:
    """A decomposition that is known in float64 only: of samples of floats that commute to rounding."""

    known: Any

    @property
    def terms(self) -> int:
        return self.known.terms

    def adjoint(self, rho, ctx):
        return to_precise(self.known.adjoint(np.asarray(rho, dtype=float)), ctx)

    def block(self, eta, layer: int, ctx):
        return to_precise(self.known.block(np.asarray(eta, dtype=float), layer), ctx)


def coordinates(problem: Problem, ctx, floats: bool = False) -> Coordinates:
    """Compute the coordinates of ``problem``; two layers tie when their squares differ by rounding in ``ctx``.

    ``floats``: be content with float64 where the data have no decomposition to the precision of ``ctx``.
    """
    try:
        seen = frame(problem, ctx)
    except NotConverged:
        if not floats:
            raise
        low = frame(problem)
        etas = tuple(to_precise(eta, ctx) for eta in low.eta)
        seen = replace(low, decomposition=InFloats(low.decomposition), A=to_precise(low.A, ctx), eta=etas)  # type: ignore[arg-type]
    eta = tuple(problem.start().scale(ctx) * e for e in seen.eta)
    zero = ctx.mpf(10) ** (20 - ctx.dps) * max(np.abs(e).max() for e in eta)
    smallest, curves = [], []
    for j in range(seen.decomposition.terms):
        sizes = [abs(e[j]) if abs(e[j]) > zero else ctx.zero for e in eta]
        least = min(range(len(eta)), key=lambda layer: sizes[layer])  # noqa: B023  used at once
        smallest.append(least)
        curves.append(_curve(ctx, [e[j] for e in eta], sizes, least, zero))
    return Coordinates(ctx, seen.decomposition, seen.A, eta, tuple(smallest), tuple(curves), seen.outside)


def _curve(ctx, values, sizes, least: int, zero) -> Coordinate | None:
    """The curve of one coordinate, or None where two layers are zero."""
    others = [size for layer, size in enumerate(sizes) if layer != least]
    if not min(others):
        return None
    # (b - a)(b + a), so that a near tie keeps its digits
    deltas = sorted(
        (size - sizes[least]) * (size + sizes[least]) if size - sizes[least] > zero else ctx.zero for size in others
    )
    sign = 1
    for layer, value in enumerate(values):
        sign = -sign if layer != least and value < 0 else sign
    z_0 = sign * values[least] if sizes[least] else ctx.zero
    return Coordinate(ctx, z_0, tuple(deltas))


def reach(problem: Problem) -> int:
    """Digits for the range of rho and t between the start and the end."""
    sizes = np.abs(np.concatenate([np.ravel(problem.start().direction(l)) for l in range(problem.network.depth)]))
    logs = problem.start().log_alpha() + np.log(sizes[sizes > 0]) if sizes.any() else np.zeros(1)
    return 40 + int(3 * problem.network.depth * np.abs(logs).max() / np.log(10))

"""The limit direction of a decomposed network, by the shortest way that its coordinates allow.

Real coordinates (diagonal, even data, matrix sensing; a spectrum whose entries lie on one line a frequency): the
reduced flow. Complex ones: for L = 2 the convex margin problem, for L >= 3 the full flow and the margin problem in
the parameters.
"""

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symbias.dynamics.growth import growth
from symbias.dynamics.parameters import limit, require_fixed
from symbias.numeric.group_l1 import group_l1_margin
from symbias.precision import context, public
from symbias.problem import Problem
from symbias.theorems.prediction import Prediction
from symbias.theorems.real_view import RealView, real_parts, real_view
from symbias.theorems.statement import Statement, failures
from symbias.theorems.stationary import stationarity, without_noise
from symbias.verdict import Residual

_GUARD = 40


@dataclass(frozen=True)
class Direction:
    """``beta`` flat and ``rho`` (None where complex), scaled to least margin 1; mpf of ``ctx``. The rest as in
    Growth.
    """

    ctx: Any
    beta: np.ndarray
    rho: np.ndarray | None
    multipliers: np.ndarray
    finite: np.ndarray | None
    blocks: tuple[np.ndarray, ...] | None
    residuals: tuple[tuple[str, Any, str], ...]
    how: str


def direction(problem: Problem, digits: int | None) -> Direction:
    """Return the limit direction to ``digits`` digits (None: float64)."""
    return _clean(_by_kind(problem, working(digits), digits))


def _clean(found: Direction) -> Direction:
    blocks = found.blocks and tuple(without_noise(block, found.ctx) for block in found.blocks)
    return replace(found, beta=without_noise(found.beta, found.ctx), blocks=blocks)


def prediction(
    found: Direction, problem: Problem, statement: Statement, records, digits: int | None, began: float
) -> Prediction:
    """The direction as a prediction of ``statement``, every number rounded once."""
    ctx, shape = found.ctx, problem.network.input_shape
    norm = ctx.sqrt(sum(entry * entry for entry in found.beta))
    tolerance = ctx.mpf(10) ** (5 - (20 if digits is None else digits + 10))

    def given(values):
        if values is None:
            return None
        rounded = public(values, digits or 17)
        return rounded if digits is not None else np.array([float(e) for e in rounded.flat]).reshape(rounded.shape)

    return Prediction(
        statement=statement,
        hypotheses=records,
        residuals=tuple(Residual(name, value, tolerance, scale) for name, value, scale in found.residuals),
        alpha=problem.start().alpha,
        coefficients=given(found.beta).reshape(shape),
        direction=given(found.beta / norm).reshape(shape),
        blocks=None if found.blocks is None else tuple(given(block) for block in found.blocks),
        singular_values=given(found.rho),
        multipliers=given(found.multipliers),
        finite=given(found.finite),
        digits=digits,
        applies=not failures(records),
        notes=problem.note_on_floats(digits) + (found.how,),
        seconds=time.perf_counter() - began,
    )


def in_view(problem: Problem, view: RealView, digits: int | None) -> Direction:
    """The limit direction in real coordinates, by the reduced flow; ``view`` was made with ``working(digits)``."""
    return _clean(_by_view(problem, view, digits))


def working(digits: int | None):
    """The context in which a direction of ``digits`` digits is computed."""
    return context((digits or 20) + _GUARD)


def _by_kind(problem: Problem, ctx, digits) -> Direction:
    view = real_view(problem, ctx)
    if view is not None:
        return _by_view(problem, view, digits)
    fourier = problem.network.decompose()
    if problem.network.depth == 2:
        return _complex_l1(problem, fourier, fourier.apply(problem.data(ctx)[0], ctx), ctx)
    return _by_parameters(problem, fourier, ctx)


def _by_view(problem: Problem, view: RealView, digits) -> Direction:
    ctx = view.ctx
    found = growth(view.A, view.etas, ctx, digits)
    rho, beta = view.lifted(found.rho), view.beta(found.rho)
    X, y = problem.data(ctx)
    rows = y[:, None] * view.decomposition.apply(X, ctx)
    plain = view.phases is None
    return Direction(
        ctx,
        beta,
        rho if plain else None,
        found.multipliers,
        found.finite if plain else None,
        _blocks(problem, view.decomposition, rho, view.layers, ctx),
        _residuals(problem, beta, rows, rho, found.multipliers, ctx),
        found.how,
    )


def _blocks(problem: Problem, decomposition, rho, etas, ctx):
    """Unit blocks U_l eta_l with |eta_l| = |rho|^{1/L}: all layers but the smallest keep their signs or phases."""
    parts = [np.full(len(rho), ctx.zero, dtype=object) for _ in etas]
    for j, entry in enumerate(rho):
        if not entry:
            continue
        sizes = [abs(eta[j]) for eta in etas]
        smallest = min(range(len(etas) - 1, -1, -1), key=sizes.__getitem__)
        if not all(size for layer, size in enumerate(sizes) if layer != smallest):
            return None
        size, others = abs(entry) ** (ctx.one / len(etas)), ctx.one
        for layer, part in enumerate(parts):
            if layer != smallest:
                part[j] = size * etas[layer][j] / sizes[layer]
                others = others * part[j]
        parts[smallest][j] = entry / others
    blocks = []
    for layer, eta in enumerate(parts):
        block = decomposition.block(eta, layer, ctx)
        block = np.array([ctx.re(entry) for entry in block.ravel()], dtype=object)
        blocks.append((block / ctx.sqrt(block @ block)).reshape(problem.network.block_shapes[layer]))
    return tuple(blocks)


def _complex_l1(problem: Problem, fourier, S, ctx) -> Direction:
    """L = 2: the l1 margin of the spectrum, over the frequencies 0..floor(d/2)."""
    d, (_, y) = problem.network.dim, problem.data(ctx)
    columns: list[np.ndarray] = []
    groups: list[list[int]] = []
    weights: list[int] = []
    for k in range(d // 2 + 1):
        weight = 1 if 2 * k % d == 0 else 2
        group = [len(columns)]
        columns.append(weight * y * np.array([ctx.re(entry) for entry in S[:, k]], dtype=object))
        if weight == 2:
            columns.append(-weight * y * np.array([ctx.im(entry) for entry in S[:, k]], dtype=object))
            group.append(len(columns) - 1)
        groups.append(group)
        weights.append(weight)
    margin = group_l1_margin(np.array(columns).T, groups, weights, ctx)
    rho = np.array([ctx.mpc(0)] * d, dtype=object)
    for k, group in enumerate(groups):
        rho[k] = ctx.mpc(*margin.rho[group]) if len(group) == 2 else ctx.mpc(margin.rho[group[0]])
        rho[(d - k) % d] = ctx.conj(rho[k])
    beta = real_parts(fourier.adjoint(rho, ctx), ctx)
    residuals = _residuals(problem, beta, y[:, None] * S, rho, margin.mu, ctx)
    how = "the only solution of the l1 margin of the spectrum, with its dual certificate"
    return Direction(ctx, beta, None, margin.mu, None, None, residuals, how)


def _by_parameters(problem: Problem, fourier, ctx) -> Direction:
    """L >= 3: the full flow names the stationary point."""
    X, y = problem.data(ctx)
    rows = y[:, None] * X
    low = np.array([[float(entry) for entry in row] for row in rows])
    found = limit(problem.network.product, low, rows, problem.start().blocks(), (problem.network.dim,), ctx)
    require_fixed(found)
    beta = problem.network.product.beta(found.blocks)
    rho = fourier.transform(beta, 0, ctx) / ctx.sqrt(ctx.mpf(problem.network.dim) ** (problem.network.depth - 1))
    residuals = _residuals(problem, beta, y[:, None] * fourier.apply(X, ctx), rho, found.multipliers, ctx)
    how = f"the full flow, read at a margin of {found.margin:.0e}, smallest gap {min(found.gaps.values()):.1e}"
    return Direction(ctx, beta, None, found.multipliers, None, None, residuals, how)


def _residuals(problem: Problem, beta, A, rho, mu, ctx):
    """Margins on the data as given, and the stationarity of rho with multipliers from a fit to its own equations."""
    X, y = problem.data(ctx)
    margins = y * (X.reshape(len(y), -1) @ beta)
    listed = [("least margin = 1", abs(min(margins) - 1), "1")]
    stationary = stationarity(A, rho, margins, problem.network.depth, ctx)
    if mu is not None:
        listed.append(
            ("complementary slackness", max(abs(m * (g - 1)) for m, g in zip(mu, margins, strict=True)) / sum(mu), "mu")
        )
    return (*listed, ("stationarity of the l_{2/L} margin", stationary, "largest |rho|^{2/L-1}"))

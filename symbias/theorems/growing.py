"""The limit direction of a decomposed network, by the shortest way that its coordinates allow.

Real coordinates (diagonal, even data, matrix sensing; a spectrum whose entries lie on one line a frequency): the
reduced flow. Complex ones: for L = 2 the convex margin problem, for L >= 3 the full flow and the margin problem in
the parameters.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symbias.dynamics.growth import growth
from symbias.dynamics.parameters import limit, require_fixed
from symbias.numeric.group_l1 import group_l1_margin
from symbias.precision import context
from symbias.problem import Problem
from symbias.theorems.real_view import real_parts, real_view
from symbias.theorems.stationary import stationarity, without_noise

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
    found = _by_kind(problem, context((digits or 20) + _GUARD), digits)
    beta, blocks = without_noise(found.beta, found.ctx), found.blocks
    if blocks is not None:
        blocks = tuple(without_noise(block, found.ctx) for block in blocks)
    return replace(found, beta=beta, blocks=blocks)


def _by_kind(problem: Problem, ctx, digits) -> Direction:
    view = real_view(problem, ctx)
    if view is not None:
        found = growth(view.A, view.etas, ctx, digits)
        rho, beta = view.lifted(found.rho), view.beta(found.rho)
        blocks = _blocks(problem, view.decomposition, rho, view.layers, ctx)
        X, y = problem.data(ctx)
        rows = y[:, None] * view.decomposition.apply(X, ctx)
        residuals = _residuals(problem, beta, rows, rho, found.multipliers, ctx)
        plain = view.phases is None
        return Direction(
            ctx,
            beta,
            rho if plain else None,
            found.multipliers,
            found.finite if plain else None,
            blocks,
            residuals,
            found.how,
        )
    fourier = problem.network.decompose()
    if problem.network.depth == 2:
        return _complex_l1(problem, fourier, fourier.apply(problem.data(ctx)[0], ctx), ctx)
    return _by_parameters(problem, fourier, ctx)


def _blocks(problem: Problem, decomposition, rho, etas, ctx):
    """Unit blocks U_l eta_l with |eta_l| = |rho|^{1/L}: all layers but the smallest keep their signs or phases."""
    depth = problem.network.depth
    if any(not abs(last) < abs(e) for eta in etas[:-1] for e, last in zip(eta, etas[-1], strict=True)):
        return None
    size = np.array([abs(entry) ** (ctx.one / depth) for entry in rho], dtype=object)
    parts = [np.array([s * e / abs(e) for s, e in zip(size, eta, strict=True)], dtype=object) for eta in etas[:-1]]
    product = parts[0] * 0 + 1
    for part in parts:
        product = product * part
    parts.append(np.array([r / p if r else r for r, p in zip(rho, product, strict=True)], dtype=object))
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

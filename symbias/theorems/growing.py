"""The limit direction of a decomposed network, by the shortest way that its coordinates allow.

Real coordinates (diagonal, even data, matrix sensing; a spectrum whose entries lie on one line a frequency): the
reduced flow. Complex ones: for L = 2 the convex margin problem, for L >= 3 the full flow and the margin problem in
the parameters.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symbias import exact
from symbias.decompositions.spectral import Spectral
from symbias.dynamics.growth import growth
from symbias.dynamics.parameters import limit, require_fixed
from symbias.errors import BadInput
from symbias.numeric.group_l1 import group_l1_margin
from symbias.numeric.max_margin import as_precise
from symbias.precision import context
from symbias.problem import Problem

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
    beta, blocks = _without_noise(found.beta, found.ctx), found.blocks
    if blocks is not None:
        blocks = tuple(_without_noise(block, found.ctx) for block in blocks)
    return replace(found, beta=beta, blocks=blocks)


def _without_noise(values, ctx):
    """Entries that are zero up to rounding, made zero."""
    small = ctx.mpf(10) ** (20 - ctx.dps) * max(abs(entry) for entry in values.flat)
    return np.array([entry if abs(entry) > small else ctx.zero for entry in values.flat], dtype=object).reshape(
        values.shape
    )


@dataclass(frozen=True)
class RealView:
    """A problem in real coordinates: ``A`` (n, m) rows y_i S x_i and the ``etas``, elements of QQ, exact numbers or
    mpf.

    Where the spectrum lies on lines e^{i phi_j} R, ``phases`` are the e^{i phi_j}, and rho_j is e^{-i phi_j} times a
    real number. ``layers`` are the eta_l with their own phases.
    """

    ctx: Any
    decomposition: Any
    A: np.ndarray
    etas: list[np.ndarray]
    layers: list[np.ndarray]
    phases: list | None = None

    def lifted(self, rho) -> np.ndarray:
        """rho of the decomposition from real coordinates."""
        if self.phases is None:
            return rho
        return np.array([r * self.ctx.conj(p) for r, p in zip(rho, self.phases, strict=True)], dtype=object)

    def beta(self, rho) -> np.ndarray:
        """S^T rho, flat, from real coordinates."""
        return _real_parts(self.decomposition.adjoint(self.lifted(rho), self.ctx), self.ctx)


def real_view(problem: Problem, ctx) -> RealView | None:
    """The problem in real coordinates, or None when it has none."""
    if problem.network.name != "convolutional":
        return _view(problem, problem.network.real_decomposition(problem.X), ctx)
    even = _even(problem, ctx)
    if even is not None:
        return _view(problem, even, ctx)
    fourier = problem.network.decompose()
    S = fourier.apply(problem.data(ctx)[0], ctx)
    etas = [fourier.transform(problem.start().direction(l, ctx), l, ctx) for l in range(problem.network.depth)]
    lines = _lines(S, ctx)
    if lines is None or not _plain(etas, ctx):
        return None
    return _on_lines(problem, fourier, S, etas, lines, ctx)


def _view(problem: Problem, decomposition, ctx) -> RealView:
    """Coordinates of a real decomposition; a diagonal network keeps its rational numbers."""
    start = problem.start()
    if decomposition.kind == "diagonal":
        etas = [
            start.scale(ctx) * v.to_precise(ctx)
            if isinstance(v, Spectral)
            else start.alpha * exact.to_sympy(np.asarray(v))
            for v in start.directions
        ]
        return RealView(ctx, decomposition, problem.signed(), etas, [as_precise(ctx, eta) for eta in etas])
    X, y = problem.data(ctx)
    A = y[:, None] * decomposition.apply(X, ctx)
    etas = [
        start.scale(ctx) * decomposition.transform(start.direction(l, ctx), l, ctx)
        for l in range(problem.network.depth)
    ]
    etas = _cleaned(etas, ctx)
    return RealView(ctx, decomposition, A, etas, etas)


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


def _even(problem: Problem, ctx):
    """The real decomposition when data and start are even, else None."""
    try:
        made = problem.network.real_decomposition(problem.X)
    except BadInput:
        return None
    zero = ctx.mpf(10) ** (15 - ctx.dps)
    start = problem.start()
    for layer in range(problem.network.depth):
        v = start.direction(layer, ctx)
        if np.abs(v - made.block(made.transform(v, layer, ctx), layer, ctx)).max() > zero * (1 + np.abs(v).max()):
            return None
    return made


def _cleaned(etas, ctx):
    """Entries that are equal, or zero, up to rounding made so: the start of Theorem 5 comes back from its blocks
    rounded.
    """
    zero = ctx.mpf(10) ** (15 - ctx.dps) * max(abs(entry) for eta in etas for entry in eta)
    first = etas[0]
    made = [first]
    for eta in etas[1:]:
        snapped = [
            ctx.zero if abs(e) <= zero else ctx.sign(e) * abs(f) if abs(abs(e) - abs(f)) <= zero else e
            for e, f in zip(eta, first, strict=True)
        ]
        made.append(np.array(snapped, dtype=object))
    return made


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


def _plain(etas, ctx) -> bool:
    """v_L(0) = 0 and equal sizes of the others, none zero."""
    zero = ctx.mpf(10) ** (15 - ctx.dps)
    sizes = [np.array([abs(entry) for entry in eta], dtype=object) for eta in etas]
    same = all(np.abs(part - sizes[0]).max() <= zero * sizes[0].max() for part in sizes[:-1])
    return bool(same and sizes[-1].max() <= zero * sizes[0].max() and sizes[0].min() > zero * sizes[0].max())


def _lines(S, ctx):
    """The phases e^{i phi_j} of the lines through 0 that hold (S x_i)_j for all i, or None."""
    zero = ctx.mpf(10) ** (15 - ctx.dps)
    phases = []
    for column in S.T:
        top = max(column, key=abs)
        phase = top / abs(top) if abs(top) > zero * np.abs(S).max() else ctx.mpc(1)
        if any(abs((entry * ctx.conj(phase)).imag) > zero * abs(top) for entry in column):
            return None
        phases.append(phase)
    return phases


def _on_lines(problem: Problem, fourier, S, etas, phases, ctx) -> RealView:
    """rho_j = e^{-i phi_j} times a real number, by the reduced flow; frequencies j and d - j are equal coordinates."""
    d, (_, y) = problem.network.dim, problem.data(ctx)
    A = np.array(
        [
            [y_i * ctx.re(entry * ctx.conj(p)) for entry, p in zip(row, phases, strict=True)]
            for row, y_i in zip(S, y, strict=True)
        ]
    )
    sizes = np.array([problem.start().scale(ctx) * abs(entry) for entry in etas[0]], dtype=object)
    for k in range(1, (d + 1) // 2):  # conjugate frequencies: equal, not only up to rounding
        lead = next((entry for entry in A[:, k] if abs(entry) > ctx.mpf(10) ** (15 - ctx.dps)), ctx.one)
        other = next((entry for entry in A[:, d - k] if abs(entry) > ctx.mpf(10) ** (15 - ctx.dps)), ctx.one)
        sign = 1 if lead * other > 0 else -1
        A[:, d - k], sizes[d - k] = sign * A[:, k], sizes[k]
        phases[d - k] = sign * ctx.conj(phases[k])
    zeros = np.array([ctx.zero] * d, dtype=object)
    return RealView(ctx, fourier, A, [sizes] * (problem.network.depth - 1) + [zeros], etas, phases)


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
    beta = _real_parts(fourier.adjoint(rho, ctx), ctx)
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


def _real_parts(values, ctx) -> np.ndarray:
    """The real parts of numbers that are real up to rounding."""
    return np.array([ctx.re(entry) for entry in values.ravel()], dtype=object)


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


def stationarity(A, rho, margins, depth: int, ctx):
    """Return how far |rho_j|^{2/L-2} rho_j is from conj((A^T mu)_j), mu_i free on the support vectors, on the support
    of rho.

    The multipliers are fitted by least squares; signs are another condition.
    """
    top = max(abs(entry) for entry in rho)
    J = [j for j, entry in enumerate(rho) if abs(entry) > ctx.mpf(10) ** (20 - ctx.dps) * top]
    I = [i for i, entry in enumerate(margins) if entry < 1 + ctx.mpf(10) ** (20 - ctx.dps)]
    target = [ctx.conj(abs(rho[j]) ** (ctx.mpf(2) / depth - 2) * rho[j]) for j in J]
    B = [[ctx.re(A[i, j]) for i in I] for j in J] + [[ctx.im(A[i, j]) for i in I] for j in J]
    right = [ctx.re(t) for t in target] + [ctx.im(t) for t in target]
    size = max(abs(t) for t in target)
    return least_misfit(ctx, B, right) / size


def least_misfit(ctx, B, right):
    """The largest entry of B mu - right at the least-squares mu, by orthogonalisation (B may have dependent
    columns).
    """
    rest = np.array(right, dtype=object)
    basis: list[np.ndarray] = []
    for column in np.array(B, dtype=object).T:
        size = ctx.sqrt(column @ column)
        for _ in range(2):
            for q in basis:
                column = column - (q @ column) * q
        norm = ctx.sqrt(column @ column)
        if norm > ctx.mpf(10) ** (15 - ctx.dps) * size:
            basis.append(column / norm)
            rest = rest - (basis[-1] @ rest) * basis[-1]
    return max(abs(entry) for entry in rest)

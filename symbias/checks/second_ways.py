"""Limit directions a second way: the quasi-static path, the linear flow of one sample, the network's own blocks, its
layers where they tie.
"""

from dataclasses import replace

import numpy as np

from symbias.checks.tied_layers import by_the_layers, has_ties
from symbias.dynamics.clock import clocks
from symbias.dynamics.coordinates import CoordinateFlow
from symbias.dynamics.growth import alive, separable
from symbias.dynamics.merged import Coordinates
from symbias.dynamics.parameters import ParameterLimit, limit, require_fixed
from symbias.dynamics.quasi_static import follow
from symbias.dynamics.race import restarted
from symbias.errors import NotConverged, Undecided
from symbias.exact import to_float
from symbias.kernels import precise
from symbias.numeric.max_margin import as_precise, l2_margin
from symbias.precision import context
from symbias.problem import Problem
from symbias.theorems.prediction import Prediction
from symbias.theorems.real_view import RealView, in_coordinates, real_view
from symbias.theorems.spectral import decomposition_of
from symbias.verdict import Residual

#: The statements about decomposed networks.
DECOMPOSED = ("theorem_2", "corollary_2", "corollary_3")
#: The path of depth 2 ends like margin^-(1 - kappa): beyond this power of ten for the margin it is called undecided.
_FARTHEST = 3000
#: Margins at which the path leaves the flow, the later one where the margins are still too uneven at the first.
_FIRST = (1e4, 1e8)
#: The flow knows mu to 1e-10; at this relative distance from the blow-up that is 1e-4 of the distance.
_NEAREST = 1e-6
#: The linear flow of one sample is squared for this many parameters at most, and this often.
_SQUARED, _SQUARINGS = 150, 60


def second_way(problem: Problem, prediction: Prediction, digits: int) -> tuple[np.ndarray, list[Residual]]:
    """beta up to a factor, by another way than the prediction, and what else that way shows."""
    if prediction.statement.id in DECOMPOSED and real_view(problem, context(digits + 40)) is not None:
        return by_the_path(problem, digits), []
    if prediction.statement.id == "general_initialization":
        return _from_any_start(problem, prediction, digits)
    if prediction.statement.id == "theorem_1":
        if problem.network.name == "fully_connected":  # Corollary 1 names the direction
            ctx = context(digits + 30)
            return as_precise(ctx, l2_margin(problem.signed(), ctx).rho), []
        found = by_the_network(problem, digits, later=1e6)
    else:
        found = by_the_network(problem, digits)
    if prediction.statement.id in ("theorem_3", "corollary_4") and sum(problem.network.tensor_shape) <= _SQUARED:
        return by_squaring(problem, digits), [equal_growth(problem, found)]
    require_fixed(found)
    return problem.network.product.beta(found.blocks).ravel(), [equal_growth(problem, found)]


def _from_any_start(problem: Problem, prediction: Prediction, digits: int) -> tuple[np.ndarray, list[Residual]]:
    """The network's own blocks; its layers where ties of the start are unstable in floats, or several beta are
    stationary; the path where coordinates share what fewer samples hold, which no flow in floats keeps up.
    """
    if shared(problem, prediction, digits):
        return by_the_path(problem, digits, shares=True), []
    if not has_ties(problem, digits):
        try:
            found = by_the_network(problem, digits)
            require_fixed(found)
            return problem.network.product.beta(found.blocks).ravel(), [equal_growth(problem, found)]
        except NotConverged:  # a degenerate limit, whose equations in the blocks are singular: read it in rho
            return by_the_layers(problem, digits), []
    return by_the_layers(problem, digits), []


def by_squaring(problem: Problem, digits: int) -> np.ndarray:
    """Depth 2, one sample: the linear flow (v_1, v_2)' = y (M v_2, M^T v_1) by squaring I + K / |K|, without singular
    vectors.

    The power 2^k of I + K / |K| tends to the projector on the eigenspace of the largest eigenvalue of K = y [[0, M],
    [M^T, 0]].
    """
    ctx = context(digits + 40)
    X, y = problem.data(ctx)
    network, sizes = problem.network, problem.network.tensor_shape
    K = np.zeros((sum(sizes),) * 2, dtype=object) + ctx.zero
    for (i, j), source in network.places():
        K[i, sizes[0] + j] = K[sizes[0] + j, i] = y[0] * X[0].flat[source]
    P = K / max(sum(abs(entry) for entry in row) for row in K)
    for i in range(len(P)):
        P[i, i] = P[i, i] + 1
    v = np.concatenate([block.ravel(order="F") for block in problem.start().blocks(ctx)])
    last = v * 0
    for _ in range(_SQUARINGS):
        P = P @ P
        P = P / max(abs(entry) for entry in P.flat)
        w = P @ v
        w = w / ctx.sqrt(w @ w)
        if np.abs(w - last).max() < ctx.mpf(10) ** (-digits - 10):
            break
        last = w
    else:
        raise NotConverged(f"2^{_SQUARINGS} steps of the linear flow did not separate its two largest singular values")
    first, second = w[: sizes[0]], w[sizes[0] :]
    shapes = network.block_shapes
    return network.product.beta([first.reshape(shapes[0], order="F"), second.reshape(shapes[1], order="F")]).ravel()


def shared(problem: Problem, prediction: Prediction, digits: int) -> bool:
    """True when more coordinates grow, equal ones counted once, than samples have the least margin."""
    view = _view(problem, context(digits + 40))
    coordinates, live = alive(view.A, view.etas, view.ctx)
    if coordinates is None or prediction.singular_values is None:
        return False
    rho = as_precise(view.ctx, np.array(prediction.singular_values, dtype=object)[live])
    margins = as_precise(view.ctx, coordinates.A) @ rho
    tight = sum(margin < min(margins) + view.ctx.mpf(10) ** (2 - digits) for margin in margins)
    return int(np.count_nonzero(rho[coordinates.first])) > tight


def by_the_path(problem: Problem, digits: int, shares: bool = False) -> np.ndarray:
    """The direction at the end of the quasi-static path, which starts from a state of the reduced flow (float64).

    ``shares``: coordinates that blow up together come to their shares like margin^{-2/L} only.
    """
    log10 = _farness(problem, digits) * (problem.network.depth / 2 if shares else 1)
    ctx = context(int(60 + 2 * log10))
    view = _view(problem, ctx)
    coordinates, live = alive(view.A, view.etas, ctx)
    assert coordinates is not None
    start, flow = coordinates.start, coordinates.flow()
    log10_size = problem.network.depth * np.log10(np.abs(flow.data.unit).max())
    if log10_size > 290:
        raise Undecided(f"the margins of the start are near 10^{log10_size:.0f}, beyond floats: scale it down")
    for first in _FIRST:
        goal = first * max(flow.one, 10.0**log10_size)
        state = next(step.state for step in restarted(flow, 1e-10) if flow.margins(step.state).min() > goal)
        begin = replace(start, z=_z(ctx, coordinates, flow, state))
        try:
            path = follow(as_precise(ctx, coordinates.merged), begin, coordinates.multiplicity, ctx, log10)
            break
        except NotConverged:
            if first == _FIRST[-1]:
                raise
    rho = np.full(len(live), ctx.zero, dtype=object)
    rho[live] = coordinates.spread(path.direction)
    return view.beta(rho)


def _z(ctx, coordinates: Coordinates, flow: CoordinateFlow, state) -> np.ndarray:
    """z of the state: where it is a function of mu, in full precision, so that exact ties stay exact.

    So near the blow-up that the float mu does not tell it any more, z is that of the flow itself.
    """
    start, depth = coordinates.start, coordinates.depth
    mu = as_precise(ctx, flow.dual(state)) * coordinates.size ** (2 - depth)
    pull = as_precise(ctx, coordinates.merged).T @ mu
    if depth == 2:
        return np.array([c.z(c.at(p)) for c, p in zip(clocks(ctx, start), pull, strict=True)], dtype=object)
    integrated = as_precise(ctx, flow.z(state)) * coordinates.size
    if coordinates.plain:
        t, last = start.unit ** (depth - 2) * pull, precise.c(ctx, depth) * (1 - _NEAREST)
        closed = [u * precise.q(ctx, depth, s) if abs(s) < last else None for u, s in zip(start.unit, t, strict=True)]
    else:
        timed = list(zip(clocks(ctx, start), pull, strict=True))
        ends = [(1 - _NEAREST) * clock.left(clock.zeta, 1 if p > 0 else -1) for clock, p in timed]
        closed = [c.z(c.at(p)) if abs(p) < end else None for (c, p), end in zip(timed, ends, strict=True)]
    return np.array([z if q is None else q for q, z in zip(closed, integrated, strict=True)], dtype=object)


def _view(problem: Problem, ctx) -> RealView:
    """The problem in real coordinates, which it has."""
    return real_view(problem, ctx) or in_coordinates(problem, decomposition_of(problem), ctx)


def _farness(problem: Problem, digits: int) -> float:
    """The power of ten of the margin at which the path agrees with its limit to all digits."""
    largest = max(float(np.abs(v).max()) for v in problem.start().blocks())
    if problem.network.depth > 2:
        return digits + 8 + problem.network.depth * max(0.0, np.log10(largest))
    ctx = context(30)
    view = _view(problem, ctx)
    coordinates, _ = alive(view.A, view.etas, ctx)
    assert coordinates is not None
    margin = separable(coordinates)
    assert margin is not None
    pull = to_float(as_precise(ctx, coordinates.merged).T @ as_precise(ctx, margin.mu))
    below = np.abs(pull[coordinates.start.kept * pull >= 0])
    below = below[below < 1 - 1e-9]
    kappa = below.max(initial=0.0)
    units = [unit for unit, pulled in zip(coordinates.start.unit, pull, strict=True) if pulled]
    spread = float(ctx.log10(max(units) / min(units)))  # a loser ahead by it squared, a winner behind
    log10 = (digits + 8 + 4 * spread) / (1 - kappa) + 2 * abs(np.log10(largest))
    if log10 > _FARTHEST:
        raise Undecided(
            f"two vertices of the l1 margin are so near (dual value {kappa:.6f}) that the path would need a margin of "
            f"10^{log10:.0f}; ask for fewer digits"
        )
    return log10


def by_the_network(problem: Problem, digits: int, later: float = 1.0) -> ParameterLimit:
    """The limit of all blocks by the full flow, read from a margin ``later`` times the usual on."""
    ctx = context(digits + 30)
    X, y = problem.data(ctx)
    rows = y[:, None] * X.reshape(len(y), -1)
    network = problem.network
    low = to_float(problem.signed())
    return limit(network.product, low, rows, problem.start().blocks(), network.input_shape, ctx, later)


def equal_growth(problem: Problem, found: ParameterLimit) -> Residual:
    """All blocks grow alike: the squared norms keep their differences, so that scaled they agree like margin^(-2/L)."""
    squares = [float((block**2).sum()) for block in found.reached]
    first = [float((block**2).sum()) for block in problem.start().blocks()]
    scale = found.margin ** (2 / problem.network.depth)
    # Twice what is conserved, and the error of the integration.
    bound = 2 * (max(first) - min(first)) / scale / max(squares) + 1e-6
    return Residual("equal growth of the block norms", (max(squares) - min(squares)) / max(squares), bound, "norm^2")

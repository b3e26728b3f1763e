"""A predicted limit direction, reached a second way, and the conditions that every limit of gradient flow satisfies.

Second way. Real coordinates: the quasi-static path in high precision from a state of the reduced flow to a margin
such as 10^40. Everything else: the full flow of the network's own blocks and the margin problem in its parameters.
Neither uses the linear program, singular vectors or closed form behind the prediction.
"""

import time

import numpy as np

from symbias.checks.flow import digits_agreed
from symbias.dynamics.coordinates import CoordinateFlow, Start
from symbias.dynamics.growth import Coordinates
from symbias.dynamics.parameters import ParameterLimit, limit, require_fixed
from symbias.dynamics.quasi_static import follow
from symbias.dynamics.race import restarted
from symbias.errors import NotConverged, Undecided
from symbias.exact import to_float, to_precise
from symbias.kernels import precise
from symbias.numeric.exact_lp import Infeasible, minimize
from symbias.numeric.max_margin import as_precise, entries, l2_margin
from symbias.numeric.singular import contract
from symbias.precision import context
from symbias.problem import Problem
from symbias.theorems.growing import real_view, stationarity
from symbias.theorems.prediction import Prediction
from symbias.verdict import Outcome, Residual

_DECOMPOSED = ("theorem_2", "corollary_2", "corollary_3")
#: Digits of a float64 prediction, and of one whose choice among several solutions only a float64 flow knows.
_FLOAT_DIGITS, _TILTED_DIGITS = 10, 6
#: The path of depth 2 ends like margin^-(1 - kappa): beyond this power of ten for the margin it is called undecided.
_FARTHEST = 3000
#: The linear flow of one sample is squared for this many parameters at most, and this often.
_SQUARED, _SQUARINGS = 150, 60


def check_direction(problem: Problem, prediction: Prediction, digits: int, progress=None) -> Outcome:
    """Check a prediction of Theorems 1 to 3 or Corollaries 1 to 4.

    Returns
    -------
    Outcome
        "holds", "fails", or "undecided" when the second way is not certain of its own limit. ``digits`` agreed, of
        the direction (of each coordinate; zero ones against the norm), and the residuals of the conditions.
    """
    began = time.perf_counter()
    known = _FLOAT_DIGITS if prediction.digits is None else prediction.digits
    if any("to 8 digits" in note for note in prediction.notes):
        known = _TILTED_DIGITS
    asked = min(digits, known)
    ctx = context(asked + 30)
    beta = to_precise(prediction.coefficients, ctx).ravel()
    tolerance = ctx.mpf(10) ** (1 - asked)
    evidence = list(conditions(problem, prediction, asked))
    note = "" if asked == digits else f"held to {asked} digits, those of the prediction"
    try:
        reference, more = second_way(problem, prediction, asked)
    except (Undecided, NotConverged) as fault:
        failed = not all(e.holds for e in evidence)
        verdict = "fails" if failed else "undecided"
        return Outcome(verdict, 0.0, beta.size, tuple(evidence), str(fault), seconds=time.perf_counter() - began)
    # A coordinate that is exactly zero in the prediction is compared against the norm.
    agreed = digits_agreed(ctx, _unit(ctx, as_precise(ctx, reference)), _unit(ctx, beta))
    evidence.insert(0, Residual("direction, a second way", ctx.mpf(10) ** -agreed, tolerance, "each coordinate"))
    evidence += more
    verdict = "holds" if all(e.holds for e in evidence) else "fails"
    return Outcome(
        verdict, min(agreed, float(ctx.dps)), beta.size, tuple(evidence), note, seconds=time.perf_counter() - began
    )


def _unit(ctx, values):
    return values / ctx.sqrt(values @ values)


def second_way(problem: Problem, prediction: Prediction, digits: int) -> tuple[np.ndarray, list[Residual]]:
    """beta up to a factor, by another way than the prediction, and what else that way shows."""
    if prediction.statement.id in _DECOMPOSED and real_view(problem, context(digits + 40)) is not None:
        return by_the_path(problem, digits), []
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


def by_the_path(problem: Problem, digits: int) -> np.ndarray:
    """The direction at the end of the quasi-static path, which starts from a state of the reduced flow (float64)."""
    log10 = _farness(problem, digits)
    ctx = context(int(60 + 2 * log10))
    view = real_view(problem, ctx)
    assert view is not None
    (A,), _ = entries(ctx, view.A)
    coordinates = Coordinates(A, tuple(entries(ctx, *view.etas)[0]), ctx)
    start = coordinates.start
    low = Start(_floats(start.z), _floats(start.delta), _floats(start.unit), start.dead)
    flow = CoordinateFlow(_floats(coordinates.merged), low, coordinates.multiplicity)
    goal = 1e4 * max(1.0, float(np.abs(low.unit).max()) ** problem.network.depth)
    state = next(step.state for step in restarted(flow, 1e-10) if flow.margins(step.state).min() > goal)
    begin = Start(_z(ctx, coordinates, flow, state), start.delta, start.unit, start.dead)
    path = follow(as_precise(ctx, coordinates.merged), begin, coordinates.multiplicity, ctx, log10)
    return view.beta(coordinates.spread(path.direction))


def _z(ctx, coordinates: Coordinates, flow: CoordinateFlow, state) -> np.ndarray:
    """z of the state: where it is a function of mu, in full precision, so that exact ties stay exact."""
    start, depth = coordinates.start, coordinates.depth
    pull = as_precise(ctx, coordinates.merged).T @ as_precise(ctx, flow.dual(state))
    if depth == 2:
        first = [ctx.asinh(z / u) for z, u in zip(start.z, start.unit, strict=True)]
        return np.array([u * ctx.sinh(f + p) for u, f, p in zip(start.unit, first, pull, strict=True)], dtype=object)
    if coordinates.plain:
        return np.array(
            [u * precise.q(ctx, depth, u ** (depth - 2) * p) for u, p in zip(start.unit, pull, strict=True)],
            dtype=object,
        )
    return as_precise(ctx, flow.z(state))


def _farness(problem: Problem, digits: int) -> float:
    """The power of ten of the margin at which the path agrees with its limit to all digits."""
    largest = max(float(np.abs(v).max()) for v in problem.start().blocks())
    if problem.network.depth > 2:
        return digits + 8 + problem.network.depth * max(0.0, np.log10(largest))
    ctx = context(30)
    view = real_view(problem, ctx)
    assert view is not None
    from symbias.numeric.max_margin import l1_margin

    A = as_precise(ctx, view.A)
    pull = np.abs(_floats(A.T @ as_precise(ctx, l1_margin(view.A, ctx).mu)))
    below = pull[pull < 1 - 1e-9]
    kappa = below.max(initial=0.0)
    log10 = (digits + 8) / (1 - kappa) + 2 * abs(np.log10(largest))
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


def conditions(problem: Problem, prediction: Prediction, digits: int) -> tuple[Residual, ...]:
    """What a limit direction satisfies, from the prediction's numbers and the data alone, in twice the digits.

    Margins; u in the cone of the support vectors (there are mu_i >= 0 that satisfy the stationarity conditions of the
    statement's norm); singular vectors: Lim's equations for the blocks and -u = sum mu_i y_i x_i.
    """
    ctx = context(2 * digits + 40)
    X, y = problem.data(ctx)
    rows = y[:, None] * X.reshape(len(y), -1)
    beta = to_precise(prediction.coefficients, ctx).ravel()
    tolerance = ctx.mpf(10) ** (2 - digits)
    margins = rows @ beta
    listed = [Residual("least margin = 1", abs(min(margins) - 1), tolerance, "1")]
    support = [i for i, margin in enumerate(margins) if abs(margin - 1) <= 10 * tolerance]
    if prediction.statement.id in _DECOMPOSED:
        listed += _stationary(problem, rows, beta, margins, support, ctx, tolerance)
    elif prediction.statement.id == "corollary_1":
        listed.append(
            Residual(
                "beta in the cone of the support vectors",
                cone(ctx, rows[support].T, beta, tolerance),
                tolerance,
                "|beta|",
            )
        )
    if prediction.blocks is not None:
        mu = [ctx.one] if len(y) == 1 else prediction.multipliers
        if mu is not None:
            g = to_precise(np.array(mu), ctx) @ rows
            listed.append(_lim(problem, prediction, g, ctx, tolerance))
    return tuple(listed)


def _stationary(problem, rows, beta, margins, support, ctx, tolerance):
    """rho_j |rho_j|^{2/L-2} = conj((S X^T mu)_j) where rho_j != 0 with mu >= 0; for L = 2 |S X^T mu| <= 1 everywhere
    else.
    """
    network = problem.network
    decomposition = network.decompose(problem.X)
    A = decomposition.apply(rows.reshape(len(rows), *network.input_shape), ctx)
    rho = _spectrum(network, decomposition, beta, ctx)
    top = max(abs(entry) for entry in rho)
    small = 100 * tolerance * top
    rho = np.array([entry if abs(entry) > small else 0 * entry for entry in rho], dtype=object)
    held = np.array([ctx.one if i in support else ctx.mpf(2) for i in range(len(rows))], dtype=object)
    left = stationarity(A, rho, held, network.depth, ctx)
    listed = [Residual("stationarity", left, 100 * tolerance, "largest |rho|^{2/L-1}")]
    J = [j for j, entry in enumerate(rho) if entry]
    target = [ctx.conj(abs(rho[j]) ** (ctx.mpf(2) / network.depth - 2) * rho[j]) for j in J]
    B = [[ctx.re(A[i, j]) for i in support] for j in J] + [[ctx.im(A[i, j]) for i in support] for j in J]
    right = [ctx.re(t) for t in target] + [ctx.im(t) for t in target]
    off = cone(ctx, np.array(B, dtype=object), np.array(right, dtype=object), 100 * tolerance)
    return [*listed, Residual("multipliers at least 0", off, 100 * tolerance, "largest |rho|^{2/L-1}")]


def _spectrum(network, decomposition, beta, ctx):
    """rho of beta = S^T rho, S square with S^H S a multiple of I, or orthonormal rows."""
    seen = decomposition.apply(beta.reshape(network.input_shape), ctx)
    if decomposition.kind != "fourier":
        return seen
    # S = S^T = c F with c^2 = d^{L-1}: rho = S^{-1} beta = conj(S) beta / d^{L-1}, and beta is real.
    return np.array([ctx.conj(entry) for entry in seen], dtype=object) / ctx.mpf(network.dim) ** (network.depth - 1)


def cone(ctx, B, target, tolerance):
    """How far the target is from {B mu: mu >= 0}, relative to its largest entry: the least l1 misfit, by linear
    programming.
    """
    if not B.size:
        return ctx.inf
    size, unit = max(abs(entry) for entry in target), max(abs(entry) for entry in B.flat)
    n, m = B.shape
    eye = np.array([[ctx.mpf(i == k) for k in range(n)] for i in range(n)], dtype=object)
    cost = np.array([ctx.zero] * m + [ctx.one] * (2 * n), dtype=object)
    matrix = np.concatenate([B / unit, eye, -eye], axis=1)
    try:
        best = minimize(cost, matrix, target / size, tolerance=ctx.mpf(10) ** (20 - ctx.dps))
    except Infeasible:
        return ctx.inf
    return sum(best.x[m:])


def _lim(problem, prediction, g, ctx, tolerance) -> Residual:
    """Lim's equations for the dense data tensor M(g) of a small network, by TensorLy; by gradients of a large one."""
    blocks = [to_precise(np.asarray(block), ctx) for block in prediction.blocks]
    network = problem.network
    units = [block / ctx.sqrt((block.ravel() ** 2).sum()) for block in blocks]
    if np.prod(network.tensor_shape) <= 5000:
        tensor = np.zeros(network.tensor_shape, dtype=object) + ctx.zero
        for index, source in network.places():
            tensor[index] = g[source]
        flat = [unit.ravel(order="F") for unit in units]
        parts = [contract(tensor, flat, skip=l) for l in range(len(flat))]
    else:
        flat = [unit.ravel() for unit in units]
        parts = [part.ravel() for part in network.product.gradients(units, g.reshape(network.input_shape))]
    s = parts[0] @ flat[0]
    misfit = max(np.abs(part - s * u).max() for part, u in zip(parts, flat, strict=True))
    return Residual("Lim's equations for M(-u)", misfit / abs(s) if s else ctx.inf, 100 * tolerance, "singular value")


def _floats(values) -> np.ndarray:
    return np.array([float(entry) for entry in np.asarray(values).flat]).reshape(np.shape(values))

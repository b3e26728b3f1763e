"""The conditions that every limit direction satisfies, from a prediction's numbers and the data alone."""

import numpy as np

from symbias.checks.second_ways import DECOMPOSED
from symbias.exact import to_precise
from symbias.numeric.exact_lp import Infeasible, minimize
from symbias.numeric.singular import contract
from symbias.precision import context
from symbias.problem import Problem
from symbias.theorems.prediction import Prediction
from symbias.theorems.stationary import stationarity
from symbias.verdict import Residual


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
    if prediction.statement.id in (*DECOMPOSED, "general_initialization"):
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

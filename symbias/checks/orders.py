"""The order in alpha (or 1/alpha) with which the coefficients tend to their limit, by statement, from the problem
itself.

None: the order is not known (a tie, a degenerate vertex), or there is no error at all.
"""

import numpy as np

from symbias.numeric.minimum_norm import nearest
from symbias.precision import adopt, context
from symbias.problem import Problem
from symbias.theorems import theorem_6, theorem_7
from symbias.theorems.beyond import general_ends, lazy
from symbias.theorems.prediction import Prediction
from symbias.theorems.spectral import frame

_DIGITS = 50


def predicted_order(problem: Problem, claim: Prediction):
    """The order of ``claim``, a limit in alpha, or None."""
    ctx = context(_DIGITS)
    name, small = claim.statement.id, claim.alpha == 0
    if name in ("theorem_5", "corollary_5", "corollary_6", "corollary_7"):
        seen = frame(problem, ctx)
        return _potential(ctx, seen.A, np.abs(seen.eta[0]), claim.singular_values, problem.network.depth, small)
    if name == "difference_of_powers":
        a = np.abs(problem.start().direction(0, ctx))
        return _potential(ctx, problem.data(ctx)[0], a, claim.coefficients, problem.network.depth, small)
    if name == "theorem_6":
        return _one_sample(problem, ctx) if small else lazy.order(problem)
    if name == "theorem_7":
        if not small:
            return lazy.order(problem)
        return None if theorem_7.stays_in_the_row_space(problem) else 1
    if name == "general_initialization":
        return general_ends.order(problem, claim.alpha)
    if name == "linear":
        X, y = problem.data(ctx)
        beyond = nearest(X, 0 * y, problem.start().direction(0, ctx), ctx)
        return 1 if np.abs(beyond).max() > ctx.mpf(10) ** -30 else None
    return lazy.order(problem) if name == "lazy" else None


def _potential(ctx, A, eta, rho, depth: int, small: bool):  # noqa: N803
    """alpha -> oo: 2L. alpha -> 0 at a vertex: L, and 2 - 2 kappa at depth 2, kappa the largest dual value of a
    loser.
    """
    if not small:
        return 2 * depth
    n, m = A.shape
    rho = np.array([adopt(ctx, r) for r in rho.ravel()], dtype=object)
    support = [j for j in range(m) if abs(rho[j]) > ctx.mpf(10) ** -12 * np.abs(rho).max()]
    if len(support) != n or n == m:
        return None
    weights = eta ** (2 - depth)
    right = ctx.matrix([weights[j] * ctx.sign(rho[j]) for j in support])
    try:
        mu = np.array(list(ctx.lu_solve(ctx.matrix(A[:, support].T.tolist()), right)), dtype=object)
    except ZeroDivisionError:
        return None
    losers = [j for j in range(m) if j not in support]
    kappa = max(abs(A[:, j] @ mu) / weights[j] for j in losers)
    zero = ctx.mpf(10) ** -30
    if kappa > 1 - zero or (kappa < zero and depth > 2):
        return None
    return 2 - 2 * kappa if depth == 2 else depth


def _one_sample(problem: Problem, ctx):
    """Theorem 6, alpha -> 0: the first power of alpha in beta, from the leading terms of the blocks.

    Coordinate j grows to alpha^{1 - s_j/s_w}, what decays is alpha^{1 + s_j/s_w}, and what the singular spaces do not
    see stays alpha. beta is bilinear: a term counts if it changes beta at first order, and always at second.
    """
    found = theorem_6.coordinates(problem, ctx)
    y = problem.data(ctx)[1][0]
    winners = theorem_6.winners(found, y)
    if not winners:
        return None
    sign, s_w = (1 if y > 0 else -1), found.s[winners[0]]
    grown = found.plus if sign > 0 else found.minus
    fallen = found.minus if sign > 0 else found.plus
    product, S = problem.network.product, found.decomposition

    def blocks(vector, second):
        return S.block(vector, 0, ctx), second * S.block(vector, 1, ctx)

    top = np.array([grown[j] if j in winners else ctx.zero for j in range(len(grown))], dtype=object)
    leading = blocks(top, sign)
    terms = [(ctx.one, found.rest)]
    for j in range(len(grown)):
        unit = np.array([ctx.mpf(i == j) for i in range(len(grown))], dtype=object)
        if grown[j] and j not in winners:
            terms.append((1 - found.s[j] / s_w, blocks(unit * grown[j], sign)))
        if fallen[j]:
            terms.append((1 + found.s[j] / s_w, blocks(unit * fallen[j], -sign)))
    terms = [(power, change) for power, change in terms if any(np.abs(block).max() for block in change)]
    powers = [2 * power for power, _ in terms]
    for power, (first, second) in terms:
        change = product.beta([first, leading[1]]) + product.beta([leading[0], second])
        size = max(np.abs(first).max() * np.abs(leading[1]).max(), np.abs(leading[0]).max() * np.abs(second).max())
        if np.abs(change).max() > ctx.mpf(10) ** -30 * size:
            powers.append(power)
    return min(powers, default=None)

"""The fields of a prediction against each other: a right beta excuses no wrong direction, rho, block or
multiplier.

direction = beta / |beta|; beta = S^T rho; in classification the product of the block directions is along beta, and the
multipliers mu give beta = sum mu_i y_i x_i (l2), or |rho_j|^{2/L-1} sign(rho_j) proportional to (S X^T (y mu))_j on the
support of rho (l_{2/L}).
"""

import numpy as np

from symbias.exact import to_precise
from symbias.precision import context
from symbias.problem import Problem
from symbias.theorems.prediction import Prediction
from symbias.theorems.spectral import decomposition_of
from symbias.verdict import Residual

#: Statements whose ``singular_values`` are rho with beta = S^T rho.
_SPECTRAL = ("theorem_5", "corollary_5", "corollary_6", "corollary_7", "general_initialization")
_MARGINS = ("theorem_2", "corollary_2", "general_initialization")


def consistency(problem: Problem, prediction: Prediction, digits: int) -> list[Residual]:
    """Return the residuals of the fields that ``prediction`` has, to ``digits`` digits."""
    ctx = context(digits + 30)
    tolerance = ctx.mpf(10) ** (2 - digits)
    beta = to_precise(prediction.coefficients, ctx).ravel()
    top = max(abs(b) for b in beta)
    size = ctx.sqrt(beta @ beta)
    listed = []
    if prediction.direction is not None:
        off = max(abs(to_precise(prediction.direction, ctx).ravel() - beta / size))
        listed.append(Residual("direction = beta / |beta|", off, tolerance, "1"))
    if prediction.singular_values is not None and _has_rho(problem, prediction):
        rho = to_precise(prediction.singular_values, ctx)
        off = max(abs(decomposition_of(problem).adjoint(rho, ctx).ravel() - beta))
        listed.append(Residual("S^T rho = beta", off / top if top else off, tolerance, "largest |beta|"))
    if problem.task == "classification":
        if prediction.blocks is not None:
            blocks = [to_precise(block, ctx) for block in prediction.blocks]
            product = problem.network.product.beta(blocks).ravel()
            off = max(abs(product / ctx.sqrt(product @ product) - beta / size))
            listed.append(Residual("product of the blocks along beta", off, tolerance, "1"))
        if prediction.multipliers is not None and (
            prediction.statement.id == "corollary_1" or _diagonal(problem, prediction)
        ):
            listed.append(_multipliers(problem, prediction, beta, ctx, 100 * tolerance))
    return listed


def _has_rho(problem: Problem, prediction: Prediction) -> bool:
    return prediction.statement.id in _SPECTRAL or _diagonal(problem, prediction)


def _diagonal(problem: Problem, prediction: Prediction) -> bool:
    return prediction.statement.id in _MARGINS and problem.network.name == "diagonal"


def _multipliers(problem: Problem, prediction: Prediction, beta, ctx, tolerance) -> Residual:
    """sum mu_i y_i x_i against the gradient of the norm at beta, up to a positive factor, where beta is not 0."""
    X, y = problem.data(ctx)
    pull = (to_precise(np.array(prediction.multipliers), ctx) * y) @ X.reshape(len(y), -1)
    power = ctx.mpf(2) / (problem.network.depth if prediction.statement.id != "corollary_1" else 1) - 1
    top = max(abs(b) for b in beta)
    support = [j for j, b in enumerate(beta) if abs(b) > tolerance * top]
    target = np.array([ctx.sign(beta[j]) * abs(beta[j]) ** power for j in support], dtype=object)
    given = pull[support]
    scale = (given @ target) / (target @ target)
    off = max(abs(given - scale * target)) / max(abs(target)) / abs(scale) if scale > 0 else ctx.inf
    return Residual("multipliers balance the norm", off, tolerance, "largest gradient")

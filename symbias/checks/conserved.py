"""Theorem 7 without integrating: what the flow of a fully connected network cannot change.

W_l^T W_l - W_{l+1} W_{l+1}^T is conserved, and so is the part of W_1 outside the row space of X. Where no blocks are
given, beta is claimed to be in the row space itself.
"""

import numpy as np

from symbias.checks.nearest_point import outside_rows
from symbias.exact import to_precise
from symbias.precision import context
from symbias.problem import Problem
from symbias.theorems.prediction import Prediction
from symbias.verdict import Residual


def conserved(problem: Problem, prediction: Prediction, digits: int) -> tuple[Residual, ...]:
    """Return the residuals of X beta = y and of what is conserved, from the prediction alone."""
    ctx = context(2 * digits + 40)
    X, y = problem.data(ctx)
    beta = to_precise(prediction.coefficients, ctx)
    tolerance = ctx.mpf(10) ** (2 - digits)
    misfit = max(np.abs(X @ beta - y) / (np.abs(X) @ np.abs(beta) + np.abs(y) + (not any(beta))))
    first = Residual("X beta = y", misfit, tolerance, "|X||beta| + |y|")
    if prediction.blocks is None:
        left = outside_rows(X, beta) / (np.abs(beta).max() or 1)
        return (first, Residual("beta in the row space", left, tolerance, "largest |beta|"))
    start, product = problem.start().blocks(ctx), problem.network.product
    blocks = [to_precise(block, ctx) for block in prediction.blocks]
    size = max(np.abs(block).max() for block in (*start, *blocks))
    pairs = zip(product.invariants(start), product.invariants(blocks), strict=True)
    drift = max(np.abs(after - before).max() for before, after in pairs) / size**2
    moved = max(outside_rows(X, column) for column in (blocks[0] - start[0]).T) / size
    return (
        first,
        Residual("W_l^T W_l - W_{l+1} W_{l+1}^T", drift, tolerance, "largest squared entry"),
        Residual("W_1 outside the row space", moved, tolerance, "largest entry"),
    )

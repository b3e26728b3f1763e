"""The conditions of the point nearest to the start: X z = y, and z - z(0) orthogonal to the kernel of X."""

import numpy as np

from symbias.precision import adopt, context
from symbias.problem import Problem
from symbias.theorems.prediction import Prediction
from symbias.verdict import Residual


def nearest_point(problem: Problem, prediction: Prediction, digits: int) -> tuple[Residual, ...]:
    """Return the residuals of both conditions; the second by elimination, without solving for z."""
    ctx = context(2 * digits + 40)
    X, y = problem.data(ctx)
    (start,) = problem.start().blocks(ctx)
    z = np.array([adopt(ctx, entry) for entry in prediction.coefficients], dtype=object)
    weight = np.abs(X) @ (np.abs(z) + np.abs(start)) + np.abs(y)
    misfit = max(np.abs(X @ z - y) / np.where(weight == 0, 1, weight))
    moved = z - start
    size = max(np.abs(z).max(), np.abs(start).max())
    left = outside_rows(X, moved)
    tolerance = ctx.mpf(10) ** (2 - digits)
    return (
        Residual("X beta = y", misfit, tolerance, "|X|(|beta| + |z(0)|) + |y|"),
        Residual("beta - z(0) in the row space", left / size if size else left, tolerance, "largest entry"),
    )


def outside_rows(X, vector):
    """The largest entry left of the vector when the rows are eliminated from it, largest pivots first."""
    rows, rest = [row / max(abs(entry) for entry in row) for row in X], vector
    for i in range(len(rows)):
        column = max(range(len(rest)), key=lambda j: abs(rows[i][j]))
        pivot = rows[i][column]
        rest = rest - rows[i] * (rest[column] / pivot)
        for k in range(i + 1, len(rows)):
            rows[k] = rows[k] - rows[i] * (rows[k][column] / pivot)
    return np.abs(rest).max()

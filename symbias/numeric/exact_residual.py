"""Small linear systems with relative accuracy in every component, by exact residuals."""

import math

import numpy as np

_HALF = 134217729.0  # 2^27 + 1 splits a float into halves of 26 bits (Dekker)


def solve_exactly(square: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Solve with relative accuracy in every component: exact residuals until nothing of the size of y is left.

    A component below 1e-28 of the largest is 0: y lies on the span of the other columns.
    """
    from scipy.linalg import lu_factor, lu_solve

    factor = lu_factor(square, check_finite=False)
    parts = [lu_solve(factor, y)]
    for _ in range(5):
        parts.append(lu_solve(factor, residual(square, parts, y)))
        solution = np.array([math.fsum(component) for component in zip(*parts, strict=True)])
        if (np.abs(parts[-1]) <= 1e-15 * np.abs(solution)).all():
            break  # every component has its digits
    solution[np.abs(solution) <= 1e-28 * np.abs(solution).max()] = 0.0
    return solution


def residual(square: np.ndarray, parts: list[np.ndarray], y: np.ndarray) -> np.ndarray:
    """Return y - A (x_1 + x_2 + ...), each component correctly rounded: products without error, then one exact sum."""
    terms = [y[:, None]]
    for x in parts:
        product = square * x
        terms += [-product, -product_error(square, x, product)]
    return np.array([math.fsum(row) for row in np.hstack(terms)])


def product_error(a: np.ndarray, b: np.ndarray, product: np.ndarray) -> np.ndarray:
    """Return a b - fl(a b) exactly."""
    a_high, b_high = (x * _HALF - (x * _HALF - x) for x in (a, b))
    a_low, b_low = a - a_high, b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low

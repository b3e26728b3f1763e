"""Coordinates for the dual in which graded problems are well conditioned: a basis of n columns, heaviest first.

A column-pivoted orthogonal elimination of A diag(sqrt g) picks n independent columns B greedily by weight. In the
coordinates A_B^{-1} A a heavy column has exact zeros in the rows of lighter basis columns, so that the Gram matrix
scaled by the weights of B has a moderate condition number whatever the spread of the weights.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lu_factor, lu_solve, solve_triangular

_EPS = np.finfo(float).eps
_EXACT_COLUMNS = 200  # columns solved for in exact arithmetic, about a millisecond each
_RANGE = 600.0  # natural logarithms of scale factors are cut off here: exp stays finite, and meets a zero entry


@dataclass(frozen=True)
class Frame:
    """``matrix`` = A_B^{-1} A (n x m, identity on ``basis``), ``y`` = A_B^{-1} y; ``anchor``: n columns safe to invert."""

    basis: np.ndarray
    anchor: np.ndarray
    matrix: np.ndarray
    y: np.ndarray

    def scaled(self, log_columns: np.ndarray) -> np.ndarray:
        """Return the matrix with entry (b, j) multiplied by exp(log_columns_j - log_columns_b)."""
        log_rows = log_columns[self.basis]
        lowest, highest = log_columns.min(), log_columns.max()
        if highest - lowest < _RANGE:
            middle = (lowest + highest) / 2
            return self.matrix * np.exp(log_columns - middle) * np.exp(middle - log_rows)[:, None]
        return self.matrix * np.exp(np.minimum(log_columns - log_rows[:, None], _RANGE))


def choose(matrix: np.ndarray, y: np.ndarray, log_weight: np.ndarray) -> Frame | int:
    """Return the frame of the heaviest independent columns, or the rank when the columns do not span."""
    n, m = matrix.shape
    rest = np.array(matrix)
    norm = np.linalg.norm(rest, axis=0)
    nothing = 8 * n * _EPS * norm  # the rounding of the eliminations so far: below it a column has nothing left
    directions, upper = np.zeros((n, n)), np.zeros((n, m))
    basis, scores, dropped = np.empty(n, dtype=int), np.empty(n), np.full(m, n)
    for i in range(n):
        alive = np.flatnonzero(norm)
        if alive.size == 0:
            return i
        score = np.log(norm[alive]) + log_weight[alive] / 2
        best = alive[np.argmax(score)]
        basis[i], scores[i] = best, score.max()
        direction = rest[:, best] / norm[best]
        done = directions[:, :i]
        direction -= done @ (done.T @ direction)  # once more: orthogonal to the earlier directions to rounding
        direction /= np.linalg.norm(direction)
        directions[:, i], upper[i] = direction, direction @ rest
        rest -= np.outer(direction, upper[i])
        norm = np.linalg.norm(rest, axis=0)
        used = norm <= nothing
        used[best] = True
        dropped[used & (dropped == n)] = i
        norm[used] = 0.0
        rest[:, used] = 0.0
    made = solve_triangular(upper[:, basis], upper)
    made[:, basis] = np.eye(n)
    # What the elimination took for nothing may outweigh a later, lighter basis column.
    lightest = np.append(np.minimum.accumulate(scores[::-1])[::-1], np.inf)[np.minimum(dropped + 1, n)]
    with np.errstate(divide="ignore"):
        doubtful = np.flatnonzero(np.log(nothing) + log_weight / 2 > lightest + math.log(1e-12))
    doubtful = np.setdiff1d(doubtful, basis)
    right, anchor = solve_exactly(matrix[:, basis], y), basis.copy()
    if 0 < doubtful.size <= _EXACT_COLUMNS:
        for j in doubtful:
            made[:, j] = solve_exactly(matrix[:, basis], matrix[:, j])
        exchange(basis, made, right, doubtful, log_weight)
    return Frame(basis, anchor, made, right)


def exchange(basis: np.ndarray, made: np.ndarray, right: np.ndarray, candidates: np.ndarray, log_weight: np.ndarray):
    """Bring into the basis, in place, the candidates that outweigh a basis column in its own row."""
    for _ in range(basis.size):
        with np.errstate(divide="ignore"):
            size = np.log(np.abs(made[:, candidates])) + (log_weight[candidates] - log_weight[basis][:, None]) / 2
        b, at = np.unravel_index(np.argmax(size), size.shape)
        if size[b, at] <= math.log(2.0):
            return
        j = candidates[at]
        column, row, first = made[:, j].copy(), made[b] / made[b, j], right[b] / made[b, j]
        column[b] = 0.0
        made -= np.outer(column, row)
        right -= column * first
        made[b], right[b], basis[b] = row, first, j


def solve_exactly(square: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Solve with relative accuracy in every component: exact residuals until nothing of the size of y is left.

    A component below 1e-28 of the largest is 0: y lies on the span of the other columns.
    """
    factor = lu_factor(square, check_finite=False)
    parts = [lu_solve(factor, y)]
    for _ in range(4):
        parts.append(lu_solve(factor, residual(square, parts, y)))
    solution = np.array([math.fsum(component) for component in zip(*parts, strict=True)])
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
    """Return a b - fl(a b) exactly (Dekker: halves of 26 bits)."""
    a_high, b_high = (x * 134217729.0 - (x * 134217729.0 - x) for x in (a, b))
    a_low, b_low = a - a_high, b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low

"""Coordinates for the dual in which graded problems are well conditioned: a basis of n columns, heaviest first.

A column-pivoted orthogonal elimination of A diag(sqrt g) picks n independent columns B greedily by weight. In the
coordinates A_B^{-1} A a heavy column has exact zeros in the rows of lighter basis columns, so that the Gram matrix
scaled by the weights of B has a moderate condition number whatever the spread of the weights.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

_EPS = np.finfo(float).eps
_RANGE = 600.0  # natural logarithms of scale factors are clipped here: exp stays finite and its product vanishes


@dataclass(frozen=True)
class Frame:
    """``matrix`` = A_B^{-1} A (n x m, identity on ``basis``), ``y`` = A_B^{-1} y."""

    basis: np.ndarray
    matrix: np.ndarray
    y: np.ndarray

    def scaled(self, log_columns: np.ndarray) -> np.ndarray:
        """Return the matrix with entry (b, j) multiplied by exp(log_columns_j - log_columns_b)."""
        log_rows = log_columns[self.basis]
        lowest, highest = log_columns.min(), log_columns.max()
        if highest - lowest < _RANGE:
            middle = (lowest + highest) / 2
            return self.matrix * np.exp(log_columns - middle) * np.exp(middle - log_rows)[:, None]
        return self.matrix * np.exp(np.clip(log_columns - log_rows[:, None], -_RANGE, _RANGE))


def choose(matrix: np.ndarray, y: np.ndarray, log_weight: np.ndarray) -> Frame | int:
    """Return the frame of the heaviest independent columns, or the rank when the columns do not span."""
    n, m = matrix.shape
    rest = np.array(matrix)
    norm = np.linalg.norm(rest, axis=0)
    nothing = 8 * n * _EPS * norm  # the rounding of the eliminations so far: below it a column has nothing left
    directions, upper, right = np.zeros((n, n)), np.zeros((n, m)), np.zeros(n)
    basis = np.empty(n, dtype=int)
    for i in range(n):
        alive = np.flatnonzero(norm)
        if alive.size == 0:
            return i
        best = alive[np.argmax(np.log(norm[alive]) + log_weight[alive] / 2)]
        basis[i] = best
        direction = rest[:, best] / norm[best]
        done = directions[:, :i]
        direction -= done @ (done.T @ direction)  # once more: orthogonal to the earlier directions to rounding
        direction /= np.linalg.norm(direction)
        directions[:, i], upper[i], right[i] = direction, direction @ rest, direction @ y
        rest -= np.outer(direction, upper[i])
        norm = np.linalg.norm(rest, axis=0)
        used = norm <= nothing
        used[best] = True
        norm[used] = 0.0
        rest[:, used] = 0.0
    right[np.abs(right) <= 4 * np.sqrt(n) * _EPS * np.linalg.norm(y)] = 0.0  # y on the span of the heavier columns
    coordinates = solve_triangular(upper[:, basis], np.column_stack([upper, right]))
    made = coordinates[:, :-1]
    made[:, basis] = np.eye(n)
    return Frame(basis, made, coordinates[:, -1])

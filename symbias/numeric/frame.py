"""Coordinates for the dual in which graded problems are well conditioned: a basis of n columns, heaviest first.

A column-pivoted orthogonal elimination of A diag(sqrt g) picks n independent columns B greedily by weight. In the
coordinates A_B^{-1} A a heavy column has exact zeros in the rows of lighter basis columns, so that the Gram matrix
scaled by the weights of B has a moderate condition number whatever the spread of the weights.
"""

import math
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from symbias.numeric.exact_residual import solve_exactly

_EPS = np.finfo(float).eps
_EXACT_COLUMNS = 200  # columns solved for with exact residuals, about a millisecond each
_EVEN = math.log(1e6)  # spread of weights up to which no column is lost in the rounding of the others
_RANGE = 600.0  # natural logarithms of scale factors are cut off here: exp stays finite, and meets a zero entry


class View(Protocol):
    """The matrix A_B^{-1} A with entry (b, j) multiplied by exp(l_j - l_b); several vectors are rows."""

    def forward(self, right: np.ndarray) -> np.ndarray: ...

    def back(self, left: np.ndarray) -> np.ndarray: ...

    def bound(self, left: np.ndarray) -> np.ndarray:
        """Return a bound of the sums of absolute terms in ``back``."""

    def gram(self) -> np.ndarray: ...


class Transform(Protocol):
    """The scaled matrix as an operator: see ``scaled.Scaled``."""

    def forward(self, right: np.ndarray) -> np.ndarray: ...

    def back(self, left: np.ndarray) -> np.ndarray: ...

    def gram(self, weights: np.ndarray) -> np.ndarray: ...


@dataclass(frozen=True, kw_only=True)
class Frame:
    """``y`` = A_B^{-1} y; ``anchor``: n columns safe to invert, the basis unless columns are equal to rounding."""

    basis: np.ndarray
    anchor: np.ndarray
    y: np.ndarray
    kept: dict = field(default_factory=dict)

    def view(self, log_columns: np.ndarray) -> View:
        raise NotImplementedError

    def dual_view(self, log_w: np.ndarray) -> View:
        """Return the view with the weights of the dual, the same at every step."""
        if "dual" not in self.kept:
            self.kept["dual"] = self.view(log_w)
        return self.kept["dual"]


@dataclass(frozen=True, kw_only=True)
class DenseFrame(Frame):
    """``matrix`` = A_B^{-1} A, the identity on the basis."""

    matrix: np.ndarray

    def view(self, log_columns: np.ndarray) -> "DenseView":
        log_rows = log_columns[self.basis]
        lowest, highest = log_columns.min(), log_columns.max()
        if highest - lowest < _RANGE:
            middle = (lowest + highest) / 2
            return DenseView(self.matrix * np.exp(log_columns - middle) * np.exp(middle - log_rows)[:, None])
        return DenseView(self.matrix * np.exp(np.minimum(log_columns - log_rows[:, None], _RANGE)))


@dataclass(frozen=True)
class DenseView:
    matrix: np.ndarray

    def forward(self, right: np.ndarray) -> np.ndarray:
        return right @ self.matrix.T

    def back(self, left: np.ndarray) -> np.ndarray:
        return left @ self.matrix

    def bound(self, left: np.ndarray) -> np.ndarray:
        return np.abs(left) @ np.abs(self.matrix)

    def gram(self) -> np.ndarray:
        return self.matrix @ self.matrix.T


@dataclass(frozen=True, kw_only=True)
class OperatorFrame(Frame):
    """The frame of an operator too large to transform: A_B^{-1} is applied to its results.

    Fit for weights of the basis that are not graded over more than the digits of a float.
    """

    problem: Transform
    inverse: np.ndarray

    def view(self, log_columns: np.ndarray) -> "OperatorView":
        log_rows = log_columns[self.basis]
        middle = (log_rows.min() + log_rows.max()) / 2
        left = np.exp(np.clip(middle - log_rows, -_RANGE, _RANGE))[:, None] * self.inverse
        return OperatorView(self.problem, left, np.exp(np.clip(log_columns - middle, -_RANGE, _RANGE)))


@dataclass(frozen=True)
class OperatorView:
    problem: Transform
    left: np.ndarray
    factors: np.ndarray

    def forward(self, right: np.ndarray) -> np.ndarray:
        return self.problem.forward(right * self.factors) @ self.left.T

    def back(self, left: np.ndarray) -> np.ndarray:
        return self.problem.back(left @ self.left) * self.factors

    def bound(self, left: np.ndarray) -> np.ndarray:
        # the columns of the scaled problem have entries of at most 2
        return 2 * float(np.abs(left @ self.left).sum()) * self.factors

    def gram(self) -> np.ndarray:
        return self.left @ self.problem.gram(self.factors**2) @ self.left.T


def choose(matrix: np.ndarray, y: np.ndarray, log_weight: np.ndarray) -> DenseFrame | int:
    """Return the frame of the heaviest independent columns, or the rank when the columns do not span."""
    eliminated = eliminate(matrix, log_weight)
    if isinstance(eliminated, int):
        return eliminated
    basis, made, doubtful = eliminated
    right, anchor = solve_exactly(matrix[:, basis], y), basis.copy()
    if 0 < doubtful.size <= _EXACT_COLUMNS:
        for j in doubtful:
            made[:, j] = solve_exactly(matrix[:, basis], matrix[:, j])
        exchange(basis, made, right, doubtful, log_weight)
    return DenseFrame(basis=basis, anchor=anchor, y=right, matrix=made)


def eliminate(matrix: np.ndarray, log_weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | int:
    """Return basis, A_B^{-1} A, and the columns whose zeros in it are in doubt; or the rank if it is below n."""
    even = eliminate_even(matrix, log_weight) if np.ptp(log_weight) < _EVEN else None
    if even is not None:
        return even
    n, m = matrix.shape
    rest = np.array(matrix)
    square = (rest**2).sum(axis=0)
    sure, norm = square.copy(), np.sqrt(square)
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
        rest -= direction[:, None] * upper[i]
        # norms by Pythagoras while that keeps 8 digits, anew when it does not
        square -= upper[i] ** 2
        stale = np.flatnonzero(square < 1e-8 * sure)
        square[stale] = sure[stale] = (rest[:, stale] ** 2).sum(axis=0)
        norm = np.sqrt(square)
        used = norm <= nothing
        used[best] = True
        dropped[used & (dropped == n)] = i
        norm[used] = square[used] = sure[used] = 0.0
        rest[:, used] = 0.0
    from scipy.linalg import solve_triangular

    made = solve_triangular(upper[:, basis], upper)
    made[:, basis] = np.eye(n)
    # What the elimination took for nothing may outweigh a later, lighter basis column.
    lightest = np.append(np.minimum.accumulate(scores[::-1])[::-1], np.inf)[np.minimum(dropped + 1, n)]
    with np.errstate(divide="ignore"):  # log 0 = -inf: a column of zeros is never in doubt
        doubtful = np.flatnonzero(np.log(nothing) + log_weight / 2 > lightest + math.log(1e-12))
    return basis, made, np.setdiff1d(doubtful, basis)


def eliminate_even(matrix: np.ndarray, log_weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """The same by LAPACK's pivoted QR, where it takes no pivot for more than the rounding of a heavier column."""
    from scipy.linalg import qr, solve_triangular

    n = len(matrix)
    scale = np.exp((log_weight - log_weight.max()) / 2)
    triangle, order = qr(matrix * scale, mode="r", pivoting=True, check_finite=False)
    basis = order[:n]
    size = np.sqrt((matrix**2).sum(axis=0))
    if len(basis) < n or not (np.abs(np.diag(triangle)) > 1e-6 * size.max()).all():
        return None
    upper = np.empty(matrix.shape)
    upper[:, order] = triangle[:n] / scale[order]
    left = np.sqrt(np.cumsum(upper[::-1] ** 2, axis=0))[::-1]  # what a column has left at each pivot
    upper[left <= 8 * n * _EPS * size] = 0.0
    made = solve_triangular(upper[:, basis], upper)
    made[:, basis] = np.eye(n)
    return basis, made, np.zeros(0, dtype=int)  # every pivot outweighs what was taken for nothing


def exchange(basis: np.ndarray, made: np.ndarray, right: np.ndarray, candidates: np.ndarray, log_weight: np.ndarray):
    """Bring into the basis, in place, the candidates that outweigh a basis column in its own row."""
    for _ in range(basis.size):
        with np.errstate(divide="ignore"):  # log 0 = -inf
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

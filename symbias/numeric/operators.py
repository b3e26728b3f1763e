"""The matrix A of argmin Q as an operator: dense in blocks of columns, or whatever object can apply itself.

``apply`` takes one vector (m,) or several as rows (k, m), ``adjoint`` (n,) or (k, n): rows times a row-major matrix
read it once. ``gram(w)`` = A diag(w) A^T; ``columns(j)`` are columns of A.
"""

from typing import Any

import numpy as np

from symbias.errors import BadInput

BLOCK = 4096  # columns at a time: a block of 100 rows fits the cache


class Dense:
    """A dense matrix that is never copied as a whole."""

    def __init__(self, matrix: np.ndarray):
        self.matrix, self.shape = matrix, matrix.shape

    def apply(self, right: np.ndarray) -> np.ndarray:
        return right @ self.matrix.T

    def adjoint(self, left: np.ndarray) -> np.ndarray:
        return left @ self.matrix

    def gram(self, weights: np.ndarray) -> np.ndarray:
        n, m = self.shape
        roots, total = np.sqrt(weights), np.zeros((n, n))
        for start in range(0, m, BLOCK):
            block = self.matrix[:, start : start + BLOCK] * roots[start : start + BLOCK]
            total += block @ block.T
        return total

    def columns(self, chosen: np.ndarray) -> np.ndarray:
        return self.matrix[:, chosen]

    def sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the largest absolute entry of each row, and of each column once the rows are divided by theirs."""
        n, m = self.shape
        row, column = np.zeros(n), np.empty(m)
        blocks = [slice(start, start + BLOCK) for start in range(0, m, BLOCK)]
        for block in blocks:
            row = np.maximum(row, np.abs(self.matrix[:, block]).max(axis=1))
        divisor = np.where(row > 0, row, 1.0)[:, None]
        for block in blocks:
            column[block] = np.abs(self.matrix[:, block] / divisor).max(axis=0)
        return row, column


class FromObject:
    """An object with ``shape``, ``apply(rho)``, ``adjoint(nu)`` and ``gram(weights)``, one vector at a time."""

    def __init__(self, given: Any):
        self.given, self.shape = given, tuple(int(size) for size in given.shape)

    def apply(self, right: np.ndarray) -> np.ndarray:
        if right.ndim == 1:
            return np.asarray(self.given.apply(right), dtype=float)
        return np.stack([self.apply(row) for row in right])

    def adjoint(self, left: np.ndarray) -> np.ndarray:
        if left.ndim == 1:
            return np.asarray(self.given.adjoint(left), dtype=float)
        return np.stack([self.adjoint(row) for row in left])

    def gram(self, weights: np.ndarray) -> np.ndarray:
        return np.asarray(self.given.gram(weights), dtype=float)

    def columns(self, chosen: np.ndarray) -> np.ndarray:
        made = np.empty((self.shape[0], len(chosen)))
        for i, j in enumerate(chosen):
            unit = np.zeros(self.shape[1])
            unit[j] = 1.0
            made[:, i] = self.apply(unit)
        return made

    def rows(self):
        """Yield the rows of A, by the adjoint of unit vectors."""
        for unit in np.eye(self.shape[0]):
            yield self.adjoint(unit)

    def sizes(self) -> tuple[np.ndarray, np.ndarray]:
        n, m = self.shape
        row, column = np.zeros(n), np.zeros(m)
        for i, entries in enumerate(self.rows()):
            row[i] = np.abs(entries).max()
            column = np.maximum(column, np.abs(entries) / (row[i] or 1.0))
        if not (np.isfinite(row).all()):
            raise BadInput(f"A has entries that are not finite, in row {int(np.argmin(np.isfinite(row)))}")
        return row, column


def small_matrix(operator: Dense | FromObject, limit: int) -> Dense | FromObject:
    """Return the operator as a dense matrix when it has at most ``limit`` entries."""
    if isinstance(operator, FromObject) and operator.shape[0] * operator.shape[1] <= limit:
        return Dense(np.array(list(operator.rows())))
    return operator

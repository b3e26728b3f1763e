"""Small linear algebra over object arrays of mpf: weighted Gram matrices and Cholesky factors."""

import numpy as np
from mpmath.libmp import from_man_exp, to_fixed

from symbias.errors import NotConverged


def gram(matrix: np.ndarray, weights: np.ndarray, ctx) -> np.ndarray:
    """Return A diag(weights) A^T, every entry with an error of 2^-prec relative to its two diagonal entries.

    The rows of A sqrt(weights), divided by their largest entries, become integers, whose products are exact.
    """
    rows = matrix * np.array([ctx.sqrt(w) for w in weights], dtype=object)
    sizes = np.array([max(abs(entry) for entry in row) or ctx.mpf(1) for row in rows], dtype=object)
    bits = ctx.prec + 10
    whole = np.empty(rows.shape, dtype=object)
    for index, entry in np.ndenumerate(rows):
        whole[index] = to_fixed((entry / sizes[index[0]])._mpf_, bits)
    n = len(rows)
    made = np.empty((n, n), dtype=object)
    for i in range(n):
        products = whole[: i + 1] @ whole[i]
        for j in range(i + 1):
            value = ctx.make_mpf(from_man_exp(int(products[j]), -2 * bits, ctx.prec, "n")) * sizes[i] * sizes[j]
            made[i, j] = made[j, i] = value
    return made


def reduce(rows: np.ndarray, ctx) -> np.ndarray:
    """Return the rows [M | N] reduced to [1 | M^{-1} N] (Gauss-Jordan, partial pivoting)."""
    rows = rows.copy()
    for i in range(len(rows)):
        best = i + max(range(len(rows) - i), key=lambda k: abs(rows[i + k, i]))
        if not rows[best, i]:
            raise NotConverged(f"a matrix of {len(rows)} columns is singular at {ctx.dps} digits")
        rows[[i, best]] = rows[[best, i]]
        rows[i] = rows[i] / rows[i, i]
        for k in range(len(rows)):
            if k != i:
                rows[k] = rows[k] - rows[k, i] * rows[i]
    return rows


class Cholesky:
    """The Cholesky factor of a positive definite matrix; ``solve`` takes one right-hand side or several columns."""

    def __init__(self, matrix: np.ndarray, ctx):
        n = len(matrix)
        self.lower = np.full((n, n), ctx.mpf(0), dtype=object)
        for j in range(n):
            column = matrix[j:, j] - (self.lower[j:, :j] @ self.lower[j, :j] if j else 0)
            if not column[0] > 0:
                raise NotConverged(
                    f"the Gram matrix is singular at {ctx.dps} digits: pivot {j} of {n} vanishes; raise digits"
                )
            self.lower[j:, j] = column / ctx.sqrt(column[0])

    def solve(self, right: np.ndarray) -> np.ndarray:
        """Return the solution for ``right`` of shape (n,) or (n, k)."""
        lower, n = self.lower, len(self.lower)
        x = np.array(right, dtype=object)
        for j in range(n):
            x[j] = (x[j] - (lower[j, :j] @ x[:j] if j else 0)) / lower[j, j]
        for j in range(n - 1, -1, -1):
            x[j] = (x[j] - (lower[j + 1 :, j] @ x[j + 1 :] if j < n - 1 else 0)) / lower[j, j]
        return x

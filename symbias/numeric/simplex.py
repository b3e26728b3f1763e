"""The simplex method with Bland's rule over any field: min c.x subject to A x = b, x >= 0, from a feasible basis.

Over the rationals every decision is exact, so it ends (Bland) and its answer is a proof; over mpf ``sign`` has a tolerance.
"""

from collections.abc import Callable, Sequence
from typing import Any

from symbias.errors import NotConverged

_MAX_PIVOTS = 20_000


def inverse(columns: Sequence[Sequence[Any]], sign: Callable[[Any], int], one: Any) -> list[list[Any]] | None:
    """Return the inverse (as rows) of the square matrix with these columns, or None when it is singular."""
    n = len(columns)
    rows = [[columns[j][i] for j in range(n)] + [one if i == j else one - one for j in range(n)] for i in range(n)]
    for i in range(n):
        best = max(range(i, n), key=lambda k: abs(rows[k][i]))
        if sign(rows[best][i]) == 0:
            return None
        rows[i], rows[best] = rows[best], rows[i]
        pivot = rows[i][i]
        rows[i] = [entry / pivot for entry in rows[i]]
        for k in range(n):
            factor = rows[k][i]
            if k != i and factor:
                rows[k] = [x - factor * y for x, y in zip(rows[k], rows[i], strict=True)]
    return [row[n:] for row in rows]


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), start=0 * a[0])


class Simplex:
    """A basis of the columns with its inverse; ``solve`` pivots until no reduced cost is negative.

    ``values`` are the basic variables, ``nu`` the dual: A_j^T nu <= c_j for every j at the optimum.
    """

    def __init__(self, columns, right, basis, sign, one):
        self.columns, self.right, self.basis, self.sign = columns, right, list(basis), sign
        rows = inverse([columns[j] for j in basis], sign, one)
        if rows is None:
            raise ValueError("the starting basis is singular")
        self.rows = rows
        self.values = [dot(row, right) for row in rows]

    def solve(self, costs: Sequence[Any]) -> "Simplex":
        for _ in range(_MAX_PIVOTS):
            at = [costs[j] for j in self.basis]
            self.nu = [dot(at, [row[i] for row in self.rows]) for i in range(len(at))]
            inside = set(self.basis)
            entering = next(
                (
                    j
                    for j, column in enumerate(self.columns)
                    if j not in inside and self.sign(costs[j] - dot(column, self.nu)) < 0
                ),
                None,
            )
            if entering is None:
                return self
            self.pivot(entering)
        raise NotConverged(f"the simplex method did not end within {_MAX_PIVOTS} pivots")

    def pivot(self, entering: int) -> None:
        direction = [dot(row, self.columns[entering]) for row in self.rows]
        limits = [(self.values[i] / d, self.basis[i], i) for i, d in enumerate(direction) if self.sign(d) > 0]
        if not limits:
            raise NotConverged("the linear program is unbounded")
        least = min(value for value, _, _ in limits)
        leaving = min((j, i) for value, j, i in limits if self.sign(value - least) <= 0)[1]
        pivot = direction[leaving]
        row = [entry / pivot for entry in self.rows[leaving]]
        step = self.values[leaving] / pivot
        for i, d in enumerate(direction):
            if i != leaving and d:
                self.rows[i] = [x - d * y for x, y in zip(self.rows[i], row, strict=True)]
                self.values[i] = self.values[i] - d * step
        self.rows[leaving], self.values[leaving], self.basis[leaving] = row, step, entering

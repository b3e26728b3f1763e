"""The simplex method with Bland's rule, free of fractions: min c.x subject to A x = b, x >= 0, from a feasible basis.

The inverse of the basis is kept as an adjugate over a common denominator, so that over the integers (rational data,
rows cleared of denominators) every division is exact, every decision is exact, and the answer is a proof. Over mpf the
same formulas hold, the denominator is kept at 1, and signs have a tolerance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symbias.errors import NotConverged

_MAX_PIVOTS = 20_000


@dataclass(frozen=True)
class Numbers:
    """The ring of the linear program: the integers, or mpf of a context whose signs have a tolerance."""

    ctx: Any = None
    tolerance: Any = 0  # of quantities of order 1

    def sign(self, value) -> int:
        return 0 if abs(value) <= self.tolerance else (1 if value > 0 else -1)

    def divide(self, a, b) -> Any:
        return a // b if self.ctx is None else a / b

    def ratio(self, a, b) -> Any:
        return Fraction(a, b) if self.ctx is None else a / b


def adjugate(columns: Sequence[Sequence[Any]], numbers: Numbers) -> tuple[list[list[Any]], Any] | None:
    """Return (rows, d) with rows / d the inverse of the matrix with these columns and d > 0; None if it is singular.

    Fraction-free Gauss-Jordan elimination (Bareiss): after each pivot every entry is a minor, the last pivot divides.
    """
    n = len(columns)
    zero, one = columns[0][0] * 0, columns[0][0] * 0 + 1
    rows = [[columns[j][i] for j in range(n)] + [one if i == j else zero for j in range(n)] for i in range(n)]
    last = one
    for i in range(n):
        best = max(range(i, n), key=lambda k: abs(rows[k][i]))
        if numbers.sign(rows[best][i]) == 0:
            return None
        rows[i], rows[best] = rows[best], rows[i]
        row, pivot = rows[i], rows[i][i]
        for k in range(n):
            if k != i:
                factor = rows[k][i]
                rows[k] = [numbers.divide(pivot * x - factor * y, last) for x, y in zip(rows[k], row, strict=True)]
        last = pivot
    if numbers.ctx is not None:
        return [[entry / last for entry in row[n:]] for row in rows], one
    turn = 1 if last > 0 else -1
    return [[turn * entry for entry in row[n:]] for row in rows], turn * last


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), start=0 * a[0])


class Simplex:
    """A basis with the adjugate ``rows`` / ``denominator``; ``solve`` pivots until no reduced cost is negative.

    The basic variables are values / denominator; the dual is nu / denominator, with A_j^T nu <= c_j at the optimum.
    """

    def __init__(self, columns, right, basis, inverse, numbers: Numbers):
        self.columns, self.basis, self.numbers = columns, list(basis), numbers
        self.rows, self.denominator = inverse
        self.values = [dot(row, right) for row in self.rows]

    def solve(self, costs: Sequence[Any]) -> "Simplex":
        for _ in range(_MAX_PIVOTS):
            at = [costs[j] for j in self.basis]
            self.nu = [dot(at, [row[i] for row in self.rows]) for i in range(len(at))]
            inside = set(self.basis)
            entering = next(
                (
                    j
                    for j, column in enumerate(self.columns)
                    if j not in inside and self.numbers.sign(costs[j] * self.denominator - dot(column, self.nu)) < 0
                ),
                None,
            )
            if entering is None:
                return self
            self.pivot(entering)
        raise NotConverged(f"the simplex method did not end within {_MAX_PIVOTS} pivots")

    def pivot(self, entering: int) -> None:
        direction = [dot(row, self.columns[entering]) for row in self.rows]
        up = [i for i, d in enumerate(direction) if self.numbers.sign(d) > 0]
        if not up:
            raise NotConverged("the linear program is unbounded")
        leaving = up[0]
        for i in up[1:]:
            # values_i / direction_i < values_leaving / direction_leaving, ties to the smallest index (Bland)
            order = self.numbers.sign(self.values[i] * direction[leaving] - self.values[leaving] * direction[i])
            if order < 0 or (order == 0 and self.basis[i] < self.basis[leaving]):
                leaving = i
        pivot, row, value = direction[leaving], self.rows[leaving], self.values[leaving]
        for i, d in enumerate(direction):
            if i != leaving:
                self.rows[i] = [
                    self.numbers.divide(pivot * x - d * y, self.denominator)
                    for x, y in zip(self.rows[i], row, strict=True)
                ]
                self.values[i] = self.numbers.divide(pivot * self.values[i] - d * value, self.denominator)
        self.denominator, self.basis[leaving] = pivot, entering
        if self.numbers.ctx is not None:
            self.rows = [[entry / pivot for entry in row] for row in self.rows]
            self.values = [entry / pivot for entry in self.values]
            self.denominator = pivot / pivot

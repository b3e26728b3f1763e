"""The simplex method with Bland's rule, free of fractions: min c.x subject to A x = b, x >= 0.

The inverse of the basis is kept as an adjugate over a common denominator, so that over the integers (rational data,
rows cleared of denominators) every division is exact, every decision is exact, and the answer is a proof. Over mpf the
same formulas hold, the denominator is kept at 1, and signs have a tolerance.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from mpmath.libmp import MPZ
from sympy import QQ

from symbias.errors import BadInput, NotConverged


class Unbounded(BadInput):
    """c.x has no minimum on the feasible set."""


@dataclass(frozen=True)
class Numbers:
    """The ring of the linear program: the integers, or mpf of a context whose signs have a tolerance."""

    ctx: Any = None
    tolerance: Any = 0  # of quantities of order 1

    def sign(self, value) -> int:
        return 0 if abs(value) <= self.tolerance else (1 if value > 0 else -1)

    def ratio(self, a, b) -> Any:
        return QQ(int(a), int(b)) if self.ctx is None else a / b

    def compare(self, a, b, c, d) -> int:
        """The sign of a / b - c / d, for b and d > 0."""
        return self.sign(a * d - c * b) if self.ctx is None else self.sign(a / b - c / d)


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum(x * y for x, y in zip(a, b, strict=True) if x and y)


class Simplex:
    """A basis with the adjugate ``rows`` / ``denominator``; at first the unit vectors, in ``basis`` as -1, -2, ...

    The basic variables are values / denominator; after ``solve`` the dual is nu / denominator, with A_j^T nu <= c_j.
    """

    def __init__(self, columns: Sequence[Sequence[Any]], right: Sequence[Any], numbers: Numbers):
        kind = MPZ if numbers.ctx is None else numbers.ctx.mpf
        self.columns, self.values = [[kind(x) for x in column] for column in columns], [kind(x) for x in right]
        self.rows = [[kind(i == k) for k in range(len(right))] for i in range(len(right))]
        self.numbers, self.denominator = numbers, kind(1)
        self.basis = [-1 - i for i in range(len(right))]

    def start(self, order: Iterable[int]) -> list[int]:
        """Put independent columns, the first in ``order``, in place of the unit vectors; return the places left."""
        left = [i for i, j in enumerate(self.basis) if j < 0]
        inside = set(self.basis)
        for j in order:
            if not left:
                break
            if j not in inside:
                sizes = [abs(dot(self.rows[i], self.columns[j])) for i in left]
                best = max(range(len(left)), key=sizes.__getitem__)
                if self.numbers.sign(sizes[best]):
                    self.pivot(left.pop(best), j, self.direction(j))
        return left

    def solve(self, costs: Sequence[Any], allowed: Iterable[int] | None = None) -> None:
        """Pivot until no column (none of those ``allowed``) has a negative reduced cost, from values >= 0."""
        allowed = range(len(self.columns)) if allowed is None else allowed
        for _ in range(50 * (len(self.columns) + 10)):
            used = [(costs[j], row) for j, row in zip(self.basis, self.rows, strict=True) if j >= 0 and costs[j]]
            self.nu = [sum(cost * row[i] for cost, row in used) for i in range(len(self.rows))]
            inside = set(self.basis)
            entering = next(
                (
                    j
                    for j in allowed
                    if j not in inside
                    and self.numbers.sign(costs[j] * self.denominator - dot(self.columns[j], self.nu)) < 0
                ),
                None,
            )
            if entering is None:
                return
            direction = self.direction(entering)
            self.pivot(self.leaving(direction), entering, direction)
        raise NotConverged("Bland's rule did not end: the tolerance is too small for the precision of the entries")

    def leaving(self, direction: list[Any]) -> int:
        """The place whose value is the first to reach 0 along -direction, ties by the index (Bland)."""
        up = [i for i, d in enumerate(direction) if self.numbers.sign(d) > 0]
        if not up:
            raise Unbounded("the objective has no minimum on the feasible set")
        found = up[0]
        for i in up[1:]:
            order = self.numbers.compare(self.values[i], direction[i], self.values[found], direction[found])
            if order < 0 or (order == 0 and self.basis[i] < self.basis[found]):
                found = i
        return found

    def direction(self, entering: int) -> list[Any]:
        return [dot(row, self.columns[entering]) for row in self.rows]

    def pivot(self, place: int, entering: int, direction: list[Any]) -> None:
        """Put the column ``entering`` in the basis at ``place``: the formulas of Bareiss, whose divisions are exact."""
        if direction[place] < 0:  # the denominator stays positive
            self.turn(place, entering)
        pivot, last = abs(direction[place]), self.denominator
        row, value = self.rows[place], self.values[place]
        whole = self.numbers.ctx is None
        for i, d in enumerate(direction):
            if i == place:
                continue
            if whole:
                self.rows[i] = [(pivot * x - d * y) // last for x, y in zip(self.rows[i], row, strict=True)]
                self.values[i] = (pivot * self.values[i] - d * value) // last
            elif d:
                d = d / pivot
                self.rows[i] = [x - d * y if y else x for x, y in zip(self.rows[i], row, strict=True)]
                self.values[i] = self.values[i] - d * value
        self.basis[place] = entering
        if whole:
            self.denominator = pivot
        else:
            self.rows[place], self.values[place] = [entry / pivot for entry in row], value / pivot

    def turn(self, place: int, column: int) -> None:
        """Put the column that is the negative of the one at ``place`` there instead."""
        self.rows[place], self.values[place] = [-x for x in self.rows[place]], -self.values[place]
        self.basis[place] = column

"""Linear programs solved exactly: min c^T x s.t. M x = b, x >= 0, in any ordered field.

The entries are elements of QQ (``rationals``), or mpf with a ``tolerance`` below which a number counts as zero. HiGHS
guesses a basis in float64; elimination on that basis is exact, and Bland's rule, which cannot cycle, does what is
left. The optimum carries its dual, found from the basis and not from the tableau, so that optimality can be checked
from the data alone.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from sympy import QQ

from symbias.errors import BadInput, NotConverged


class Infeasible(BadInput):
    """No x >= 0 has M x = b."""


class Unbounded(BadInput):
    """c^T x has no minimum on the feasible set."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """``x`` (a vertex), ``dual`` y with M^T y <= c and b^T y = c^T x, ``basis`` (columns), ``unique`` (the only
    minimiser).
    """

    x: np.ndarray
    dual: np.ndarray
    basis: tuple[int, ...]
    unique: bool
    steps: int


def rationals(values: np.ndarray) -> np.ndarray | None:
    """Return the entries as elements of QQ (a float as its exact value), or None when one of them is irrational."""
    out = np.empty(values.shape, dtype=object)
    for index, entry in np.ndenumerate(values):
        if isinstance(entry, (float, np.floating)):
            out[index] = QQ(*float(entry).as_integer_ratio())
        elif isinstance(entry, (int, np.integer)):
            out[index] = QQ(int(entry))
        elif isinstance(entry, sympy.Rational):
            out[index] = QQ(int(entry.p), int(entry.q))
        elif QQ.of_type(entry):
            out[index] = entry
        else:
            return None
    return out


def minimize(c: np.ndarray, M: np.ndarray, b: np.ndarray, *, tolerance: Any = 0) -> Optimum:  # noqa: N803
    """Return a minimiser of c^T x over M x = b, x >= 0, with its dual.

    Parameters
    ----------
    c (m,), M (k, m), b (k,) : object arrays of elements of one field
    tolerance : number
        0 for exact entries; for mpf the size, relative to entries of order one, below which a number counts as zero.

    Raises
    ------
    Infeasible, Unbounded
    """
    table = _Tableau(c, M, b, tolerance)
    table.start(_guess(c, M, b))
    if not table.feasible():
        table = _phase_one(c, M, b, tolerance)
    table.improve()
    basis = tuple(table.basis)
    x = table.vertex()
    unique = table.unique()
    rows = table.rows
    dual = np.array([c[0] * 0] * len(b), dtype=object)
    if rows:
        dual[rows] = solve(M[np.ix_(rows, list(basis))].T, c[list(basis)])
    return Optimum(x, dual, basis, unique, table.steps)


def _phase_one(c, M, b, tolerance) -> "_Tableau":
    """A tableau on a feasible basis, found by minimising the sum of artificial variables."""
    k, m = M.shape
    zero = c[0] * 0
    one = zero + 1
    signs = np.array([-one if entry < 0 else one for entry in b], dtype=object)
    eye = np.array([[one if i == j else zero for j in range(k)] for i in range(k)], dtype=object)
    cost = np.array([zero] * m + [one] * k, dtype=object)
    table = _Tableau(cost, np.concatenate([M * signs[:, None], eye], axis=1), b * signs, tolerance)
    table.start(range(m, m + k))
    table.improve()
    if table.value() > table.tolerance:
        raise Infeasible("no x >= 0 satisfies M x = b")
    made = _Tableau(c, M, b, tolerance)
    made.steps = table.steps
    made.start([j for j in table.basis if j < m])
    return made


class _Tableau:
    """The rows B^{-1} [M | b] of a basis B; ``rows`` are the rows of M that are independent."""

    def __init__(self, c, M, b, tolerance):
        self.c, self.tolerance, self.steps = c, tolerance, 0
        self.T = np.concatenate([M, b[:, None]], axis=1)
        self.basis: list[int] = []
        self.rows: list[int] = []

    def start(self, order) -> None:
        """Make a basis of the columns in ``order``, then of any others, by elimination."""
        order = list(order)
        seen = set(order)
        order += [j for j in range(self.T.shape[1] - 1) if j not in seen]
        free = list(range(len(self.T)))
        for j in order:
            if not free:
                break
            column = [abs(self.T[i, j]) for i in free]
            best = max(range(len(free)), key=column.__getitem__)
            if column[best] > self.tolerance:
                row = free.pop(best)
                self._pivot(row, j)
                self.rows.append(row)
                self.basis.append(j)
        for row in free:
            if abs(self.T[row, -1]) > self.tolerance:
                raise Infeasible("the equations M x = b contradict each other")
        self.T = self.T[self.rows]

    def _pivot(self, row: int, column: int) -> None:
        self.T[row] = self.T[row] / self.T[row, column]
        for i in range(len(self.T)):
            factor = self.T[i, column]
            if i != row and factor:
                self.T[i] = self.T[i] - factor * self.T[row]

    def feasible(self) -> bool:
        return all(entry >= -self.tolerance for entry in self.T[:, -1])

    def reduced(self, c) -> np.ndarray:
        """The reduced costs c - c_B^T B^{-1} M."""
        return c - c[self.basis] @ self.T[:, :-1] if self.basis else c

    def improve(self, c=None, columns=None) -> bool:
        """Pivot by Bland's rule until c is minimal over the allowed columns; True when the value went down."""
        c = self.c if c is None else c
        columns = range(len(c)) if columns is None else columns
        moved = False
        for _ in range(50 * (len(c) + 10)):
            costs = self.reduced(c)
            inside = set(self.basis)
            entering = next((j for j in columns if j not in inside and costs[j] < -self.tolerance), None)
            if entering is None:
                return moved
            ratios = [
                (self.T[i, -1] / self.T[i, entering], self.basis[i], i)
                for i in range(len(self.T))
                if self.T[i, entering] > self.tolerance
            ]
            if not ratios:
                raise Unbounded("the objective has no minimum on the feasible set")
            least = min(ratio for ratio, _, _ in ratios)
            _, _, row = min((b, b, i) for ratio, b, i in ratios if ratio <= least + self.tolerance)
            moved = moved or least > self.tolerance
            self._pivot(row, entering)
            self.basis[row] = entering
            self.steps += 1
        raise NotConverged("Bland's rule did not end: the tolerance is too small for the precision of the entries")

    def value(self):
        return self.c[self.basis] @ self.T[:, -1]

    def vertex(self) -> np.ndarray:
        x = np.array([self.c[0] * 0] * len(self.c), dtype=object)
        for row, j in enumerate(self.basis):
            x[j] = self.T[row, -1]
        return x

    def unique(self) -> bool:
        """True when the optimal face is a point: no column of reduced cost zero can become positive on it."""
        costs = self.reduced(self.c)
        inside = set(self.basis)
        loose = [j for j in range(len(costs)) if j not in inside and costs[j] <= self.tolerance]
        if not loose:
            return True
        extent = np.array([self.c[0] * 0] * len(self.c), dtype=object)
        extent[loose] = -(self.c[0] * 0 + 1)
        kept = self.T.copy(), list(self.basis)
        try:
            return not self.improve(extent, sorted([*loose, *inside]))
        except Unbounded:
            return False
        finally:
            self.T, self.basis = kept


def solve(B: np.ndarray, right: np.ndarray) -> np.ndarray:  # noqa: N803
    """Solve the square system B x = right by elimination with the largest pivot, in the field of the entries."""
    size = len(B)
    T = np.concatenate([B, right[:, None]], axis=1)
    for j in range(size):
        row = max(range(j, size), key=lambda i: abs(T[i, j]))
        if not T[row, j]:
            raise BadInput("the matrix is singular")
        if row != j:
            T[[j, row]] = T[[row, j]]
        T[j] = T[j] / T[j, j]
        for i in range(size):
            factor = T[i, j]
            if i != j and factor:
                T[i] = T[i] - factor * T[j]
    return T[:, -1]


def _guess(c, M, b) -> list[int]:
    """The columns in the order in which HiGHS uses them: the nonzero ones first, then by reduced cost."""
    from scipy.optimize import linprog

    cost, matrix, right = (np.array([float(e) for e in part.flat]).reshape(part.shape) for part in (c, M, b))
    if not all(np.isfinite(part).all() for part in (cost, matrix, right)):
        return []
    found = linprog(cost, A_eq=matrix, b_eq=right, bounds=(0, None), method="highs")
    if found.x is None:
        return []  # a bad guess costs pivots, never the answer
    order = np.lexsort((found.lower.marginals, -found.x))
    return [int(j) for j in order]

"""Linear programs solved exactly: min c^T x s.t. M x = b, x >= 0, over the rationals, or over mpf.

The entries are elements of QQ (``rationals``), or mpf with a ``tolerance`` below which a number counts as zero. HiGHS
guesses a basis in float64; its inverse is exact, and Bland's rule, which cannot cycle, does what is left. The optimum
carries its dual, so that optimality can be checked from the data alone.
"""

from dataclasses import dataclass
from math import gcd, lcm
from typing import Any

import numpy as np
import sympy
from mpmath.libmp import MPZ
from sympy import QQ

from symbias.errors import BadInput
from symbias.numeric.simplex import Numbers, Simplex, Unbounded, dot


class Infeasible(BadInput):
    """No x >= 0 has M x = b."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """``x`` (a vertex), ``dual`` y with M^T y <= c and b^T y = c^T x, ``unique`` (the only minimiser)."""

    x: np.ndarray
    dual: np.ndarray
    unique: bool


def rationals(values: np.ndarray) -> np.ndarray | None:
    """Return the entries as elements of QQ (a float as its exact value), or None when one of them is irrational."""
    made = [_rational(entry) for entry in values.flat]
    return None if None in made else np.array(made, dtype=object).reshape(values.shape)


def _rational(entry):
    if isinstance(entry, (float, np.floating)):
        return QQ(*float(entry).as_integer_ratio())
    if isinstance(entry, (int, np.integer)):
        return QQ(int(entry))
    if isinstance(entry, sympy.Rational):
        return QQ(int(entry.p), int(entry.q))
    return entry if QQ.of_type(entry) else None


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
    order, zero = _guess(c, M, b), c[0] * 0
    if tolerance:
        numbers, unit, scales, rows = Numbers(c[0].context, tolerance), 1, 1 + 0 * c, 1 + 0 * b
    else:
        numbers = Numbers()
        c, M, b, unit, scales, rows = whole(c, M, b)
    table = Simplex(M.T.tolist(), b.tolist(), numbers)
    if any(numbers.sign(table.values[place]) for place in table.start([*order, *range(len(c))])):
        raise Infeasible("the equations M x = b contradict each other")
    _phase_one(table)
    table.solve(c.tolist())
    x = np.array([zero] * len(c), dtype=object)
    for j, value in zip(table.basis, table.values, strict=True):
        if j >= 0:
            x[j] = scales[j] * numbers.ratio(value, table.denominator)
    dual = rows * np.array([numbers.ratio(value, unit * table.denominator) for value in table.nu], dtype=object)
    return Optimum(x, dual, _unique(table, c))


def whole(c, M, b):  # noqa: N803
    """Return (c, M, b) with their denominators cleared: the program over the integers in x / ``scales``, whose dual is
    times ``unit`` / ``rows``.
    """
    M, scales = cleared(M.T)  # noqa: N806
    common = np.array([gcd(*row) or 1 for row in M.T], dtype=object)
    made = cleared((b / common)[None]), cleared((c * scales)[None])
    (right, (size,)), (costs, (unit,)) = made
    one = QQ(1)
    return costs[0], M.T // common[:, None], right[0], unit, one * scales / size, one / common


def cleared(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows of rational numbers times their common denominators: integers, and those denominators."""
    tops, bottoms = (
        np.array([int(getattr(entry, part)) for entry in rows.flat], dtype=object).reshape(rows.shape)
        for part in ("numerator", "denominator")
    )
    common = np.array([lcm(*row) for row in bottoms], dtype=object)
    return tops * (common[:, None] // bottoms), common


def _phase_one(table: Simplex) -> None:
    """Make the values >= 0: add to the negative ones a new variable, as large as they need, and minimise it."""
    low = [i for i, value in enumerate(table.values) if table.numbers.sign(value) < 0]
    if not low:
        return
    columns, m = table.columns, len(table.columns)
    table.columns = [*columns, [-sum(part) for part in zip(*(columns[table.basis[i]] for i in low), strict=True)]]
    table.pivot(min(low, key=table.values.__getitem__), m, table.direction(m))
    table.solve([0] * m + [1])
    table.columns = columns
    if m in table.basis:
        place = table.basis.index(m)
        if table.numbers.sign(table.values[place]) > 0:
            raise Infeasible("no x >= 0 satisfies M x = b")
        table.basis[place] = -1 - place
        table.start(range(m))


def _unique(table: Simplex, c) -> bool:
    """True when the optimal face is a point: no column of reduced cost zero can become positive on it."""
    inside, sign = set(table.basis), table.numbers.sign
    loose = {
        j
        for j, column in enumerate(table.columns)
        if j not in inside and sign(c[j] * table.denominator - dot(column, table.nu)) <= 0
    }
    if not loose:
        return True
    face = sorted(loose.union(j for j in inside if j >= 0))
    try:
        table.solve([-(j in loose) for j in range(len(c))], face)
    except Unbounded:
        return False
    return not any(j in loose and sign(value) > 0 for j, value in zip(table.basis, table.values, strict=True))


def solve(B: np.ndarray, right: np.ndarray) -> np.ndarray:  # noqa: N803
    """Solve the square system B x = right by elimination with the largest pivot, over integers where it is rational."""
    T, size, last, whole = np.concatenate([B, right[:, None]], axis=1), len(B), 1, all(QQ.of_type(e) for e in right)
    if whole:
        T = cleared(T)[0] * MPZ(1)
    for j in range(size):
        row = max(range(j, size), key=lambda i: abs(T[i, j]))
        if not T[row, j]:
            raise BadInput("the matrix is singular")
        if row != j:
            T[[j, row]] = T[[row, j]]
        pivot, factors = T[j, j], T[:, j].copy()
        for i in range(size):
            if i != j and whole:
                T[i, j:] = (pivot * T[i, j:] - factors[i] * T[j, j:]) // last  # exact: Bareiss
            elif i != j and factors[i]:
                T[i, j:] = T[i, j:] - factors[i] / pivot * T[j, j:]
        last = pivot
    if whole:
        return np.array([QQ(int(entry), int(last)) for entry in T[:, -1]], dtype=object)
    return T[:, -1] / np.diag(T)


def product(A: np.ndarray, B: np.ndarray) -> np.ndarray:  # noqa: N803
    """A @ B for two matrices, over integers where the entries are rational, which costs less."""
    if not QQ.of_type(A.flat[0]):
        return A @ B
    (rows, left), (columns, right) = cleared(A), cleared(B.T)
    return rows @ columns.T / (QQ(1) * left[:, None] * right)


def _guess(c, M, b) -> list[int]:
    """The columns in the order in which HiGHS uses them: the nonzero ones first, then by reduced cost."""
    from scipy.optimize import linprog

    cost, matrix, right = (np.array([float(e) for e in part.flat]).reshape(part.shape) for part in (c, M, b))
    if not all(np.isfinite(part).all() for part in (cost, matrix, right)):
        return []
    # powers of two bring the entries to order one, as HiGHS's tolerances assume
    cost, matrix, right = (np.ldexp(part, -np.frexp(np.abs(part).max(initial=0))[1]) for part in (cost, matrix, right))
    found = linprog(cost, A_eq=matrix, b_eq=right, bounds=(0, None), method="highs")
    if found.x is None:
        return []  # a bad guess costs pivots, never the answer
    order = np.lexsort((found.lower.marginals, -found.x))
    return [int(j) for j in order]

"""The fraction-free simplex method: adjugates, Bland's rule on a cycling example, mpf with tolerance."""

from fractions import Fraction

import numpy as np
import pytest
import sympy

from symbias.errors import NotConverged
from symbias.numeric.simplex import Numbers, Simplex, adjugate, dot
from symbias.precision import context

WHOLE = Numbers()


def test_adjugate_of_integers_is_exact():
    rng = np.random.default_rng(1)
    matrix = rng.integers(-9, 10, (5, 5)).tolist()
    rows, denominator = adjugate([list(column) for column in zip(*matrix, strict=True)], WHOLE)
    expected = sympy.Matrix(matrix).inv()
    assert denominator == abs(sympy.Matrix(matrix).det())
    assert all(expected[i, j] == sympy.Rational(rows[i][j], denominator) for i in range(5) for j in range(5))
    assert adjugate([[1, 2], [2, 4]], WHOLE) is None


def beale():
    """Beale's example, which cycles under the largest-coefficient rule; x_5, x_6, x_7 are the slacks."""
    rows = [[25, -6000, -4, 900, 100, 0, 0], [50, -9000, -2, 300, 0, 100, 0], [0, 0, 1, 0, 0, 0, 1]]
    return [list(column) for column in zip(*rows, strict=True)], [0, 0, 1], [-75, 15000, -2, 600, 0, 0, 0]


def test_beale_does_not_cycle():
    columns, right, costs = beale()
    inverse = adjugate([columns[j] for j in (4, 5, 6)], WHOLE)
    found = Simplex(columns, right, (4, 5, 6), inverse, WHOLE).solve(costs)
    value = sum(Fraction(costs[j] * v, found.denominator) for j, v in zip(found.basis, found.values, strict=True))
    assert value == -5  # 100 times the textbook's -1/20
    # certificate: dual feasible, and no gap
    assert all(dot(column, found.nu) <= cost * found.denominator for column, cost in zip(columns, costs, strict=True))
    assert Fraction(dot(right, found.nu), found.denominator) == value


def test_mpf_agrees_with_the_integers():
    columns, right, costs = beale()
    ctx = context(30)
    numbers = Numbers(ctx, ctx.mpf(10) ** -15)
    wide = [[ctx.mpf(x) for x in column] for column in columns]
    inverse = adjugate([wide[j] for j in (4, 5, 6)], numbers)
    found = Simplex(wide, [ctx.mpf(x) for x in right], (4, 5, 6), inverse, numbers).solve([ctx.mpf(x) for x in costs])
    assert abs(sum(costs[j] * v for j, v in zip(found.basis, found.values, strict=True)) + 5) < 1e-25
    assert found.denominator == 1


def test_unbounded_is_refused():
    with pytest.raises(NotConverged, match="unbounded"):
        Simplex([[1], [-1]], [1], [0], adjugate([[1]], WHOLE), WHOLE).solve([-1, -1])


def test_signs_have_the_tolerance_asked_for():
    ctx = context(30)
    numbers = Numbers(ctx, ctx.mpf(10) ** -15)
    assert [numbers.sign(ctx.mpf(x)) for x in ("1e-14", "1e-16", "-1e-14")] == [1, 0, -1]
    assert [WHOLE.sign(x) for x in (3, 0, -2)] == [1, 0, -1]

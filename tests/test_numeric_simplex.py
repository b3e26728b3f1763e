"""The fraction-free simplex method: the inverse, Bland's rule on a cycling example, mpf with tolerance."""

import numpy as np
import sympy
from sympy import QQ

from symbias.numeric.simplex import Numbers, Simplex, dot
from symbias.precision import context

WHOLE = Numbers()


def test_the_inverse_of_a_basis_of_integers_is_exact():
    rng = np.random.default_rng(1)
    matrix = rng.integers(-9, 10, (5, 5)).tolist()
    table = Simplex(list(zip(*matrix, strict=True)), [1, 0, 0, 0, 0], WHOLE)
    assert table.start(range(5)) == []
    expected = sympy.Matrix(matrix).inv()
    assert int(table.denominator) == abs(sympy.Matrix(matrix).det())
    found = {
        j: [sympy.Rational(int(x), int(table.denominator)) for x in row]
        for j, row in zip(table.basis, table.rows, strict=True)
    }
    assert all(found[i] == list(expected.row(i)) for i in range(5))
    assert len(Simplex([[1, 2], [2, 4]], [1, 0], WHOLE).start(range(2))) == 1


def test_the_fewest_unit_vectors_stay_when_rows_depend():
    table = Simplex([[1, 2, 0], [0, 0, 0], [1, 2, 1]], [3, 6, 1], WHOLE)
    left = table.start([1, 0, 2])
    assert len(left) == 1 and table.basis[left[0]] < 0 and table.values[left[0]] == 0
    assert {j for j in table.basis if j >= 0} == {0, 2}


def beale():
    """Beale's example, which cycles under the largest-coefficient rule; x_5, x_6, x_7 are the slacks."""
    rows = [[25, -6000, -4, 900, 100, 0, 0], [50, -9000, -2, 300, 0, 100, 0], [0, 0, 1, 0, 0, 0, 1]]
    return [list(column) for column in zip(*rows, strict=True)], [0, 0, 1], [-75, 15000, -2, 600, 0, 0, 0]


def test_beale_does_not_cycle():
    columns, right, costs = beale()
    found = Simplex(columns, right, WHOLE)
    found.start((4, 5, 6))
    found.solve(costs)
    value = sum(QQ(costs[j] * int(v), int(found.denominator)) for j, v in zip(found.basis, found.values, strict=True))
    assert value == -5  # 100 times the textbook's -1/20
    # certificate: dual feasible, and no gap
    assert all(dot(column, found.nu) <= cost * found.denominator for column, cost in zip(columns, costs, strict=True))
    assert QQ(int(dot(right, found.nu)), int(found.denominator)) == value


def test_mpf_agrees_with_the_integers():
    columns, right, costs = beale()
    ctx = context(30)
    numbers = Numbers(ctx, ctx.mpf(10) ** -15)
    wide = [[ctx.mpf(x) for x in column] for column in columns]
    found = Simplex(wide, [ctx.mpf(x) for x in right], numbers)
    found.start((4, 5, 6))
    found.solve([ctx.mpf(x) for x in costs])
    assert abs(sum(costs[j] * v for j, v in zip(found.basis, found.values, strict=True)) + 5) < 1e-25
    assert found.denominator == 1


def test_signs_have_the_tolerance_asked_for():
    ctx = context(30)
    numbers = Numbers(ctx, ctx.mpf(10) ** -15)
    assert [numbers.sign(ctx.mpf(x)) for x in ("1e-14", "1e-16", "-1e-14")] == [1, 0, -1]
    assert [WHOLE.sign(x) for x in (3, 0, -2)] == [1, 0, -1]
    assert [Numbers(ctx, ctx.mpf(10) ** -15).compare(1, 3, x, 30) for x in (9, 10, 11)] == [1, 0, -1]
    assert [WHOLE.compare(1, 3, x, 30) for x in (9, 10, 11)] == [1, 0, -1]

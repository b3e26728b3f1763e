"""argmin Q to any number of digits: closed equations solved by mpmath, losers, ties, data of any size."""

import mpmath
import numpy as np
import pytest
import sympy

from symbias.errors import BadInput, NotConverged
from symbias.numeric import minimize_precise
from symbias.numeric.curves_precise import PreciseEqualLayers
from symbias.numeric.minimize import argmin_potential
from symbias.precision import context

R = sympy.Rational


def one_sample(ctx, depth, x, y, alpha):
    """rho for one sample and eta = 1, by bisection of the dual in ``ctx``, from the closed forms of h_L."""
    forward = {
        2: lambda t: ctx.sinh(2 * t) / 2,
        3: lambda t: ctx.tan(t) / ctx.cos(t) ** 2,
        4: lambda t: t / (1 - t * t) ** 2,
    }[depth]
    a = ctx.mpf(alpha)

    def rho(tau):
        return [a**depth * forward(ctx.mpf(s) * tau / max(x)) for s in x]

    low, high = ctx.mpf(0), {2: ctx.mpf(50), 3: ctx.pi / 2, 4: ctx.mpf(1)}[depth]
    for _ in range(ctx.prec + 10):
        middle = (low + high) / 2
        value = sum(s * r for s, r in zip(x, rho(middle), strict=True))
        low, high = (middle, high) if value < y else (low, middle)
    return rho(low)


@pytest.mark.parametrize("depth", [2, 3, 4])
@pytest.mark.parametrize("alpha", ["1", "0.01"])
def test_corollary_5_to_25_digits(depth, alpha):
    ctx = context(60)
    expected = one_sample(ctx, depth, (1, 2), 1, alpha)
    found = argmin_potential([[1, 2]], [1], None, depth, digits=25, a=[alpha, alpha])
    for value, reference in zip(found.rho, expected, strict=True):
        assert abs(ctx.convert(value) / reference - 1) < ctx.mpf(10) ** -25
    assert found.digits == 25 and found.note == ""


@pytest.mark.parametrize("depth", [3, 4, 7])
def test_losers_have_their_own_digits(depth):
    # theory.md section 4: the loser of x = (1, 2) is a^L h_L(c_L/2) (1 + O(alpha^(L-2)))
    from symbias.kernels import precise

    ctx = context(80)
    found = argmin_potential([[1, 2]], [1], None, depth, digits=40, a=[R(10) ** -100] * 2)
    expected = ctx.mpf(10) ** (-100 * depth) * precise.h(ctx, depth, precise.c(ctx, depth) / 2)
    assert abs(ctx.convert(found.rho[0]) / expected - 1) < ctx.mpf(10) ** -39


def test_two_numbers_of_digits_agree():
    rng = np.random.default_rng(1)
    A, y = rng.standard_normal((3, 8)), rng.standard_normal(3)
    a = [R(1, 50) * R(k + 2, 3) for k in range(8)]
    coarse, fine = (argmin_potential(A, y, None, 3, digits=digits, a=a).rho for digits in (20, 60))
    with mpmath.workdps(70):
        assert all(abs(p / q - 1) < mpmath.mpf(10) ** -20 for p, q in zip(coarse, fine, strict=True))
        assert any(p != q for p, q in zip(coarse, fine, strict=True))


def test_float64_agrees():
    rng = np.random.default_rng(2)
    A, y, log_a = rng.standard_normal((4, 9)), rng.standard_normal(4), np.log(1e-3) + rng.standard_normal(9)
    with mpmath.workdps(50):
        a = [mpmath.exp(mpmath.mpf(x)) for x in log_a]
    for depth in (2, 3, 6):
        precise = argmin_potential(A, y, None, depth, digits=30, a=a)
        # L |log a| eps = 1e-14 for the losers
        np.testing.assert_allclose(argmin_potential(A, y, log_a, depth).rho, precise.rho.astype(float), rtol=1e-12)


def test_tie_decided_at_1e_30():
    A = [[1 - R(10) ** -30, 1]]
    wide, narrow = (argmin_potential(A, [1], None, 3, digits=20, a=[R(10) ** -n] * 2).rho for n in (10, 100))
    assert abs(wide[0] - mpmath.mpf("0.5")) < 1e-15 and abs(narrow[1] - 1) < 1e-15
    assert 0 < narrow[0] < mpmath.mpf("1e-200")


def test_near_tie_of_depth_2_at_alpha_1e_100():
    found = argmin_potential([["0.999", 1]], [1], None, 2, digits=30, a=[R(10) ** -100] * 2)
    ctx = context(50)
    # rho_j = (a^2/2) sinh(2 s_j nu), which is (a^2/4) exp(2 s_j nu) to 80 digits and more
    nu = [
        ctx.log(4 * ctx.convert(r)) / (2 * ctx.mpf(s)) + ctx.log(10) * 100 / ctx.mpf(s)
        for r, s in zip(found.rho, ("0.999", "1"), strict=True)
    ]
    assert abs(nu[0] / nu[1] - 1) < ctx.mpf(10) ** -29
    assert abs(ctx.mpf("0.999") * ctx.convert(found.rho[0]) + ctx.convert(found.rho[1]) - 1) < ctx.mpf(10) ** -29


def test_zero_column_gives_exact_zero():
    found = argmin_potential([[1, 0, 2]], [1], None, 3, digits=20, a=[1, 1, 1])
    assert found.rho[1] == 0 and found.rho[0] > 0


def test_y_on_a_decimal_column():
    A = np.array([["0.1", "0.7", "-0.3", "1.1"], ["0.9", "0.2", "0.4", "-0.6"]])
    y = ["0.2", "1.8"]  # twice the first column, not so in float64
    found = argmin_potential(A, y, None, 3, digits=30, a=[R(10) ** -6] * 4)
    with mpmath.workdps(40):
        rest = [sum(mpmath.mpf(x) * r for x, r in zip(row[1:], found.rho[1:], strict=True)) for row in A]
        # (0.9, -0.1) is orthogonal to the column: the tiny coordinates balance to their own digits
        assert abs(mpmath.mpf("0.9") * rest[0] - mpmath.mpf("0.1") * rest[1]) < 1e-29 * max(
            abs(r) for r in found.rho[1:]
        )
    assert max(abs(r) for r in found.rho[1:]) < 1e-11


@pytest.mark.parametrize("exponent", [399, -399])
def test_data_beyond_the_range_of_floats(exponent):
    found = argmin_potential([[1, 2]], [R(10) ** exponent], None, 3, digits=20, a=[1, 1])
    # the minimiser for c y and a is c times the one for y and a c^(-1/L)
    unit = argmin_potential([[1, 2]], [1], None, 3, digits=20, a=[R(10) ** (-exponent // 3)] * 2)
    with mpmath.workdps(30):
        for value, reference in zip(found.rho, unit.rho, strict=True):
            assert abs(value / mpmath.mpf(10) ** exponent / reference - 1) < mpmath.mpf(10) ** -19


def test_y_zero():
    found = argmin_potential([[1, 2]], [0], None, 3, digits=20, a=[1, 1])
    assert all(value == 0 for value in found.rho)


def test_the_path_in_high_precision_gives_the_same(monkeypatch):
    A, a = [[3, 1, 2], [1, -1, 1]], [R(1, 10**6), R(1, 10**6), R(2, 10**6)]
    expected = argmin_potential(A, [1, 2], None, 3, digits=30, a=a)

    def lost(*arguments):
        raise NotConverged("no float64 answer")

    monkeypatch.setattr(minimize_precise, "nearby", lost)
    found = argmin_potential(A, [1, 2], None, 3, digits=30, a=a)
    assert list(found.rho) == list(expected.rho)
    assert found.steps > 5


def test_a_wrong_answer_is_refused():
    A, y = np.array([[1.0, 2.0]]), np.array([1.0])
    ctx = context(60)
    curves = PreciseEqualLayers(ctx, 3, np.array([1, 1], dtype=object))
    equations = minimize_precise.Equations(A, y, curves, curves.low(), ctx, 30, 30)
    right = argmin_potential(A, y, None, 3, digits=40, a=[1, 1])
    v = np.array([ctx.asinh(ctx.convert(q)) for q in right.root], dtype=object)
    noise = np.zeros(2, dtype=bool)
    assert minimize_precise.finish(minimize_precise.PreciseStep(equations, v), noise, 25, 1, 0.0).digits == 25
    wrong = v * (1 + ctx.mpf(10) ** -12)
    with pytest.raises(NotConverged, match="change at higher precision"):
        minimize_precise.finish(minimize_precise.PreciseStep(equations, wrong), noise, 25, 1, 0.0)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"a": None}, "a="),
        ({"a": [1, 0]}, r"a\[1\] = 0"),
        ({"a": [1, 1, 1]}, "shape"),
        ({"digits": 0}, "digits"),
        ({"y": [1, 2]}, "shape"),
        ({"A": [[sympy.Symbol("x"), 2]]}, "free symbol x"),
        ({"A": [[1, 2], [2, 4]], "y": [1, 2]}, "rank 1"),
    ],
)
def test_bad_input_is_named(changes, match):
    given = {"A": [[1, 2]], "y": [1], "a": [1, 1], "digits": 20} | changes
    with pytest.raises(BadInput, match=match):
        argmin_potential(given["A"], given["y"], None, 3, digits=given["digits"], a=given["a"])

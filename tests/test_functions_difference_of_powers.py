"""Difference of powers: h, q_L and their numbers, both ends, against the integrated layers."""

import math

import mpmath
import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp
from sympy import Rational as R
from sympy import S, oo

from symbias.errors import BadInput
from symbias.functions import difference_H, difference_h_inverse, difference_potential
from symbias.functions.difference_numbers import H_float, inverse_float
from symbias.functions.difference_of_powers import (
    at_infinity,
    difference_conjugate,
    difference_h,
    difference_H_at_zero,
)
from symbias.lowering import lower

Y = sympy.Symbol("y", real=True)
X = sympy.Symbol("x", positive=True)
L = sympy.Symbol("L", integer=True, positive=True)
DEPTHS = [2, 3, 4, 5, 12, 40]


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_inverse_undoes_h_and_q_is_its_legendre_transform(depth):
    for z in (R(2, 7), R(-9, 10), R(1, 10**20)):
        y = difference_h(depth, z)
        with mpmath.workdps(40):
            assert abs((difference_h_inverse(depth, y) / z - 1).evalf(30, maxn=400)) < 1e-28
        value = difference_H(depth, y).evalf(30)
        expected = (y * z - difference_conjugate(depth, z)).evalf(30, maxn=400)
        assert abs(value / expected - 1) < 1e-27


def test_hypentropy_at_depth_2():
    # Woodworth et al. 2020: q(z) = 2 - sqrt(4 + z^2) + z asinh(z/2)
    assert sympy.expand_func(difference_H(2, Y)) == 2 - sympy.sqrt(4 + Y**2) + Y * sympy.asinh(Y / 2)
    assert sympy.expand_func(difference_h_inverse(2, Y)) == sympy.asinh(Y / 2)
    assert abs((sympy.expand_func(difference_H(5, Y)) - difference_H(5, Y)).subs(Y, 3).evalf(25)) < 1e-23


def test_functions_are_proper_sympy_functions():
    assert difference_h_inverse(3, oo) == 1 and difference_h_inverse(2, -oo) == -oo and difference_H(4, -oo) == oo
    assert difference_h_inverse(L, -Y) == -difference_h_inverse(L, Y) and difference_H(L, -Y) == difference_H(L, Y)
    assert difference_H(L, Y).diff(Y) == difference_h_inverse(L, Y)
    assert difference_H(1, Y) is sympy.nan
    assert difference_H(3, X).series(X, 0, 3).removeO() == X**2 / 12
    assert sympy.limit(difference_H(5, X) / X**2, X, 0) == R(3, 20)
    with pytest.raises(sympy.PoleError, match="at_infinity"):
        difference_H(3, X).series(X, oo, 2)


@pytest.mark.parametrize("depth", DEPTHS)
def test_float64_agrees_with_20_digits_over_the_whole_range(depth):
    y = np.concatenate([[1e-300, 1e-100, 1e-20], np.logspace(-8, 8, 33), [1e100, 1e300]])
    for name, fast in ((difference_h_inverse, inverse_float), (difference_H, H_float)):
        exact = lower(name(depth, Y), Y, digits=20)(y)
        # a few ulp; below 1e-300 the value is not a normal number
        assert all(abs(a - b) <= 2e-15 * b + 1e-300 for a, b in zip(fast(depth, y), exact, strict=True))
        np.testing.assert_array_equal(lower(name(depth, Y), Y)(y), fast(depth, y))
    assert inverse_float(depth, -2.0) == -inverse_float(depth, 2.0) and H_float(depth, 0.0) == 0


@pytest.mark.parametrize("depth", DEPTHS)
def test_both_ends(depth):
    made, left_out = at_infinity(depth, S(10) ** 15)
    error = (difference_H(depth, S(10) ** 15) - made).evalf(20, maxn=400)
    # the term after is smaller by a factor y^(-(L-2)/L) at least; depth 3: 1e-5
    assert abs(error / left_out.evalf(20) - 1) < 1e-4
    x = R(1, 1000)
    (first, a), (second, b) = difference_H_at_zero(S(depth), 2)
    rest = (difference_H(depth, x) - a * x**first).evalf(20, maxn=400)
    assert abs(rest / (b * x**second) - 1) < 1e-5  # relative correction of order x^2


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_the_coefficient_is_that_of_the_integrated_layers(depth):
    a, nu = 0.7, 0.05

    def rates(_, w):
        return [depth * w[0] ** (depth - 1), -depth * w[1] ** (depth - 1)]

    done = solve_ivp(rates, (0, nu), [a, a], rtol=1e-11, atol=1e-12)
    beta = done.y[0, -1] ** depth - done.y[1, -1] ** depth
    z = 4 * nu if depth == 2 else depth * (depth - 2) * a ** (depth - 2) * nu
    assert abs(a**depth * float(difference_h(depth, sympy.nsimplify(z))) - beta) < 1e-9  # the integrator's tolerance


def test_the_potential():
    alpha = sympy.Symbol("alpha", positive=True)
    made = difference_potential([Y], depth=3, alpha=alpha, w=[2])
    assert made == 4 * alpha**2 * difference_H(3, Y / (8 * alpha**3))
    by_digits = difference_potential(["0.5", -2], depth=3, alpha="0.1", w=2, digits=25)
    expected = made.subs(alpha, R(1, 10)).subs(Y, R(1, 2)) + made.subs(alpha, R(1, 10)).subs(Y, -2)
    with mpmath.workdps(40):
        assert abs(by_digits / expected.evalf(35)._to_mpmath(130) - 1) < mpmath.mpf(10) ** -25
    assert math.isclose(difference_potential([0.5, -2.0], depth=3, alpha=0.1, w=2), float(by_digits), rel_tol=1e-14)


def test_bad_input():
    with pytest.raises(BadInput, match="Rational"):
        difference_h(3, sympy.Float("0.5"))
    with pytest.raises(BadInput, match=">= 2"):
        difference_h(1, Y)
    with pytest.raises(BadInput, match="symbias.limit"):
        difference_potential([1.0], depth=3, alpha=0, w=1)
    with pytest.raises(BadInput, match="Rational"):
        at_infinity(3, sympy.Float(2))

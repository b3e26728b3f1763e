"""Lowering: shapes, digits, private precision, and what it refuses."""

import mpmath
import numpy as np
import pytest
import sympy

from symbias.errors import BadInput, NotConverged
from symbias.functions import F, H, h, h_inverse, potential
from symbias.lowering import lower

X, Y = sympy.symbols("x y", real=True)
R = sympy.Rational


def test_float64_arrays_broadcast():
    f = lower(h_inverse(3, X) * Y, [X, Y])
    made = f(np.array([[1.0], [2.0]]), [1.0, 2.0, 3.0])
    assert made.shape == (2, 3) and made.dtype == np.float64
    assert abs(made[0, 1] / 2 - 0.5987667052549519) < 1e-15
    assert isinstance(f(1.0, 1.0), float)


def test_constants_and_several_expressions_keep_their_shapes():
    assert lower(sympy.S(3), X)(np.ones((2, 2))).tolist() == [[3.0, 3.0], [3.0, 3.0]]
    assert lower([X, sympy.S(1), Y], [X, Y])(np.ones(4), 2.0).shape == (3, 4)
    matrix = sympy.hessian(potential([X, Y], depth=3, alpha=1, eta=1), (X, Y))
    assert lower(matrix, [X, Y])(np.zeros(5), np.zeros(5)).shape == (2, 2, 5)
    assert lower(matrix, [X, Y], digits=20)("0", "0").shape == (2, 2)


def test_50_digits_against_mpmath_itself():
    f = lower(h_inverse(2, X) + sympy.pi * sympy.sqrt(X) / 3, X, digits=50)
    with mpmath.workdps(70):
        expected = mpmath.asinh(2 * mpmath.mpf("0.3")) / 2 + mpmath.pi * mpmath.sqrt(mpmath.mpf("0.3")) / 3
        assert abs(f("0.3") / expected - 1) < mpmath.mpf(10) ** -50
        assert abs(f("0.3") / expected - 1 - mpmath.mpf(10) ** -48) > mpmath.mpf(10) ** -50


def test_values_are_rounded_once_to_the_global_class_without_touching_its_precision():
    before = mpmath.mp.prec
    f = lower(H(3, X), X, digits=40)
    value = f(1)
    assert type(value) is mpmath.mpf and mpmath.mp.prec == before
    with mpmath.workdps(5):
        assert f(1) == value
    made = f([["1", "2"], [3, R(1, 3)]])
    assert made.shape == (2, 2) and made.dtype == object and made[0, 0] == value


def test_cancellation_is_met_with_more_precision():
    # sin(x)/x - 1 + x^2/6 = x^4/120 ..., at x = 1e-20: 80 digits cancel
    f = lower(sympy.sin(X) / X - 1 + X**2 / 6, X, digits=20)
    with mpmath.workdps(30):
        assert abs(f("1e-20") * mpmath.mpf(10) ** 80 * 120 - 1) < mpmath.mpf(10) ** -19


def test_a_cancellation_that_never_resolves_is_reported():
    f = lower(sympy.exp(sympy.exp(-X) + X) - sympy.exp(X), X, digits=10)
    with mpmath.workdps(20):
        assert abs(f(30) - 1) < 1e-10  # the limit is 1, after a cancellation of 26 digits
    vanishing = lower(sympy.sqrt(X + 1) * sympy.sqrt(X + 2) - sympy.sqrt(X**2 + 3 * X + 2), X, digits=10)
    with pytest.raises(NotConverged, match="exactly zero"):
        vanishing(R(1, 3))


def test_a_zero_that_is_one_is_returned():
    assert lower([X, H(3, X), X - X], X, digits=20)(0).tolist() == [0, 0, 0]


def test_exact_arguments_of_every_kind():
    f = lower(X**2, X, digits=30)
    assert f("0.1") == f(R(1, 10)) != f(0.1)
    assert f(mpmath.mpf(3)) == 9 == f(np.float64(3)) == f(3)


def test_sympys_integrals_lower():
    # 2F1 with exp_polar in its argument: a NameError in plain lambdify (sympy #18179)
    depth, top = sympy.Symbol("L", positive=True), sympy.Symbol("q", positive=True)
    minus = sympy.exp_polar(sympy.I * sympy.pi)
    # what sympy.integrate((1 + s^2)^(-(L-1)/2), (s, 0, q)) returns, in 14 s
    integral = top * sympy.hyper((R(1, 2), (depth - 1) / 2), (R(3, 2),), top**2 * minus)
    with mpmath.workdps(30):
        assert abs(lower(integral, [depth, top], digits=25)(3, 2) - mpmath.atan(2)) < mpmath.mpf(10) ** -24
    assert abs(lower(integral, [depth, top])(3, [2.0, 0.5])[1] - np.arctan(0.5)) < 1e-16
    with pytest.raises(BadInput, match="principal"):
        lower(sympy.hyper((1, 2), (3,), X * sympy.exp_polar(3 * sympy.I * sympy.pi)), X)


def test_symbols_named_like_functions_do_not_shadow_them():
    sqrt, mpf = sympy.symbols("sqrt mpf", positive=True)
    assert lower(sympy.sqrt(sqrt) + mpf, [sqrt, mpf])(4.0, 1.0) == 3.0
    assert lower(sympy.sqrt(sqrt) + mpf / 3, [sqrt, mpf], digits=20)(4, 3) == 3


def test_the_time_of_general_initialization_lowers():
    time = F(X, R(1, 3), 2, 3)
    expected = time.subs(X, 2).evalf(30)._to_mpmath(110)
    with mpmath.workdps(30):
        assert abs(lower(time, X, digits=25)(2) / expected - 1) < mpmath.mpf(10) ** -25
        assert abs(sympy.lambdify(X, time, "mpmath")(mpmath.mpf(2)) / expected - 1) < mpmath.mpf(10) ** -29
    assert abs(lower(time, X)([2.0, 1.0])[0] / float(expected) - 1) < 1e-15


def test_derivatives_lower():
    f = lower(h_inverse(3, X).diff(X), X)
    # 1/((1+r^2)(1+3r^2)) at y = 2, where r = 1
    assert abs(f(2.0) - 1 / 8) < 1e-16
    assert lower(h(3, X).diff(X), X)(0.0) == 1.0


def test_bad_input():
    with pytest.raises(BadInput, match="Rational"):
        lower(X * sympy.Float("0.5"), X)
    with pytest.raises(BadInput, match="symbol y"):
        lower(X + Y, X)
    with pytest.raises(BadInput, match="digits"):
        lower(X, X, digits=0)
    with pytest.raises(BadInput, match=r"\|t\| < c\(3\) = 1\.5707963"):
        lower(h(3, X), X, digits=10)(2)
    with pytest.raises(BadInput, match="not real"):
        lower(sympy.sqrt(X), X, digits=10)(-1)
    with pytest.raises(BadInput, match="finite"):
        lower(X, X, digits=10)(float("nan"))

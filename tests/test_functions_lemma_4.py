"""The functions of Lemma 4 as SymPy Functions: values, parity, derivatives, numbers, printing, code."""

import mpmath
import numpy as np
import pytest
import sympy
from sympy import Rational, oo, pi

from symbias.errors import BadInput
from symbias.functions import H, c, difference_h_inverse, h, h_inverse, p, q, root
from symbias.functions.doors import depth_at_door, integer_depth

L = sympy.Symbol("L", integer=True, positive=True)
T = sympy.Symbol("t", real=True)
Y = sympy.Symbol("y", real=True)
ALL = (p, q, h, h_inverse, root, H)

# theory.md, section 6: 24 or 25 digits, computed apart from this package.
REFERENCE = [
    (h(4, Rational(1, 2)), "0.8888888888888888888888889"),
    (h(3, Rational(1, 2)), "0.709344506935455690770719"),
    (h(5, Rational(1, 2)), "1.177319616039306504896324"),
    (h_inverse(2, 1), "0.7218177375894051712466384"),
    (h_inverse(3, 1), "0.5987667052549518971485504"),
    (h_inverse(4, 1), "0.5248885986564047938994861"),
    (H(2, 1), "0.412800743214457747144345"),
    (H(3, 1), "0.3659810893165678838201848"),
    (H(4, 1), "0.3347498141075977360628353"),
    (H(5, 1), "0.3116948638689191011978417"),
]


@pytest.mark.parametrize(("folded", "digits"), REFERENCE, ids=lambda x: str(x)[:18])
def test_reference_values_to_25_digits(folded, digits):
    with mpmath.workdps(40):
        value, expected = folded.evalf(30)._to_mpmath(110), mpmath.mpf(digits)
        # half a unit in the last of the digits written
        assert abs(value - expected) <= mpmath.mpf(10) ** -(len(digits.split(".")[1])) / 2 * 1.0001


def test_c_is_exact_for_every_depth():
    expected = {3: pi / 2, 4: 1, 5: pi / 4, 6: Rational(2, 3), 7: 3 * pi / 16, 8: Rational(8, 15)}
    assert c(2) == oo and {depth: c(depth) for depth in expected} == expected
    # Wallis: c_L is the integral of cos^(L-3) over a quarter period.
    x = sympy.Symbol("x")
    assert all(c(depth) == sympy.integrate(sympy.cos(x) ** (depth - 3), (x, 0, pi / 2)) for depth in range(3, 9))
    assert c(101).is_Rational is False and c(100).is_Rational


def test_c_of_a_symbol_is_folded_and_positive():
    assert c(L).func is c and c(L).is_positive is None and c(L).is_extended_positive
    assert c(L).rewrite(sympy.gamma).subs(L, 7) == c(7)
    assert sympy.limit(c(L), L, oo) == 0
    assert sympy.latex(c(L) ** 2) == "c_{L}^{2}"


@pytest.mark.parametrize("f", ALL)
def test_a_number_that_is_no_depth_gives_nan_and_never_raises(f):
    for depth in (1, 0, -3, Rational(5, 2), 2.5):
        assert f(depth, Y) is sympy.nan
    assert f(L, Y).func is f
    assert c(1) is sympy.nan


def test_parity_zero_and_the_ends():
    for f in (q, h, h_inverse, root):
        assert f(L, 0) == 0 and f(L, -Y) == -f(L, Y)
    assert p(L, 0) == 1 and p(L, -T) == p(L, T) and H(L, -Y) == H(L, Y) and H(L, 0) == 0
    assert h_inverse(L, oo) == c(L) and h_inverse(5, -oo) == -pi / 4 and h_inverse(2, oo) == oo
    assert h(3, pi / 2) == oo and q(3, -pi / 2) == -oo and p(3, -pi / 2) == oo and h(2, oo) == oo
    assert h(3, oo) is sympy.nan and H(3, -oo) == oo and root(3, -oo) == -oo


def test_inverse_functions_undo_each_other():
    assert h(L, h_inverse(L, Y)) == Y and h_inverse(L, h(L, T)) == T
    assert q(L, h_inverse(L, Y)) == root(L, Y) and p(L, h_inverse(L, Y)) == sympy.sqrt(1 + root(L, Y) ** 2)
    assert root(L, h(L, T)) == q(L, T)
    # not across depths, not outside the domain, not for an argument that may be complex
    assert h(3, h_inverse(4, Y)).func is h
    assert h_inverse(3, h(3, 2, evaluate=False)).func is h_inverse
    assert h_inverse(3, h(3, sympy.Symbol("u"))).func is h_inverse


def test_derivatives_for_symbolic_depth():
    assert q(L, T).diff(T) == p(L, T) ** (L - 1) and p(L, T).diff(T) == p(L, T) ** (L - 2) * q(L, T)
    assert H(L, Y).diff(Y) == h_inverse(L, Y)
    assert h(L, T).diff(T) == p(L, T) ** (2 * L - 4) * (1 + L * q(L, T) ** 2)
    r = root(L, Y)
    assert sympy.expand(h_inverse(L, Y).diff(Y) * (1 + r**2) ** (L - 2) * (1 + L * r**2)).simplify() == 1
    assert isinstance(h_inverse(L, Y).diff(L), sympy.Subs | sympy.Derivative)


@pytest.mark.parametrize("f", ALL)
@pytest.mark.parametrize("depth", [2, 3, 4, 7])
def test_derivatives_agree_with_differences_of_the_numbers(f, depth):
    x = Rational(2, 5)
    with mpmath.workdps(40):
        # f is only known through its numbers here; central difference with step 1e-12: error 1e-24 times f'''
        step = mpmath.mpf(10) ** -12
        exact = f(depth, Y).diff(Y).subs(Y, x).evalf(30)._to_mpmath(110)
        ahead, behind = (f(depth, x + s * Rational(1, 10**12)).evalf(40)._to_mpmath(140) for s in (1, -1))
        assert abs((ahead - behind) / (2 * step) - exact) < mpmath.mpf(10) ** -21
        assert abs((ahead - behind) / (2 * step) - exact * (1 + mpmath.mpf(10) ** -15)) > mpmath.mpf(10) ** -21


@pytest.mark.parametrize("depth", [2, 3, 4, 6])
def test_elementary_forms_have_the_same_numbers(depth):
    for f in ALL:
        if depth == 6 and f in (h_inverse, root, H):
            continue
        for x in (Rational(1, 3), Rational(-3, 5)):
            unfolded = sympy.expand_func(f(depth, Y))
            assert not unfolded.has(f) or f is H
            assert abs((unfolded.subs(Y, x) - f(depth, x)).evalf(30)) < 1e-28  # both are right to 30 digits
            assert abs((unfolded.subs(Y, x) - 2 * f(depth, x)).evalf(30)) > 0.01


def test_depth_5_has_no_elementary_h_but_keplers_equation():
    t = Rational(1, 4)
    assert sympy.expand_func(h(5, T)) == h(5, T)
    E = 2 * sympy.atan(q(5, t))
    assert abs((E + sympy.sin(E) - 4 * t).evalf(30)) < 1e-29


def test_expand_func_alone_unfolds():
    assert sympy.simplify(h(3, T) + h_inverse(2, Y)) == h(3, T) + h_inverse(2, Y)
    assert sympy.Integral(h_inverse(2, Y), Y).doit().has(sympy.Integral)


def test_evaluation_to_many_digits_and_near_the_end():
    with mpmath.workdps(220):
        t = h_inverse(3, 1).evalf(200)._to_mpmath(700)
        assert abs(mpmath.tan(t) * mpmath.sec(t) ** 2 - 1) < mpmath.mpf(10) ** -198
    # tan(pi/2 - x) sec^2 = 1/x^3 - 1/(15 x) ..., x = 1e-30
    assert abs(h(3, pi / 2 - Rational(1, 10**30)).evalf(30) / 10**90 - 1) < 1e-29
    assert h(4, Rational(1, 2)).evalf(25) == Rational(8, 9).evalf(25)
    assert h_inverse(3, sympy.sqrt(2)).evalf(20) == h_inverse(3, sympy.sqrt(2).evalf(40)).evalf(20)


def test_a_float_argument_evaluates_and_a_complex_one_stays_folded():
    assert abs(h_inverse(3, 0.5) - 0.400899404499962) < 1e-14  # atan of the root of r + r^3 = 1/2
    assert h_inverse(3, Y).subs(Y, 0.5).is_Float
    assert h(3, sympy.I / 2).evalf().func is h
    assert h(L, 0.5).func is h and h_inverse(3, Y).evalf() == h_inverse(3, Y)
    assert h_inverse(3, 1).is_constant() is True and h_inverse(3, Y).is_constant() is False


@pytest.mark.parametrize("f", [p, q, h])
def test_outside_the_domain_evaluation_says_where_it_ends(f):
    with pytest.raises(BadInput, match=r"c\(4\) = 1\.000"):
        f(4, Rational(3, 2)).evalf()
    with pytest.raises(BadInput, match=r"1\.5707963"):
        f(3, -2).evalf()
    assert f(4, Rational(99, 100)).evalf().is_Float


def test_assumptions_follow_the_argument():
    positive = sympy.Symbol("x", positive=True)
    assert h_inverse(L, Y).is_real and h_inverse(L, positive).is_positive and h(L, -positive).is_negative
    assert p(L, T).is_positive and H(L, Y).is_nonnegative and H(L, positive).is_positive
    assert sympy.sqrt(h(L, positive) ** 2) == h(L, positive) and abs(h_inverse(3, positive)) == h_inverse(3, positive)
    assert sympy.conjugate(h(L, T)) == h(L, T) and h_inverse(L, sympy.Symbol("u")).is_real is None


def test_printing():
    assert sympy.latex(h_inverse(3, Y)) == r"h_{3}^{-1}\left(y\right)"
    assert sympy.latex(h_inverse(L, Y) ** 2) == r"\left(h_{L}^{-1}\left(y\right)\right)^{2}"
    assert sympy.latex(root(3, Y)) == r"q_{3}\left(h_{3}^{-1}\left(y\right)\right)"
    assert sympy.pretty(h_inverse(12, Y), use_unicode=True) == "h₁₂⁻¹(y)"
    assert sympy.pretty(h_inverse(3, Y), use_unicode=False) == "h_3^-1(y)"
    assert sympy.pretty(h_inverse(3, Y) ** 2, use_unicode=True) == "         2\n(h₃⁻¹(y)) "
    assert sympy.pretty(h_inverse(L, Y) ** 2, use_unicode=False) == "           2\n(h_L^-1(y)) "
    assert sympy.pretty(h_inverse(L + 1, Y), use_unicode=True) == "h_(L + 1)⁻¹(y)"
    assert sympy.pretty(root(3, Y), use_unicode=False) == "q_3 o h_3^-1(y)"
    assert sympy.pretty(H(3, Y), use_unicode=False) == "H_3(y)"
    assert sympy.pretty(difference_h_inverse(3, Y), use_unicode=False) == "hbar_3^-1(y)"
    assert str(h_inverse(3, Y)) == "h_inverse(3, y)"


def test_plain_lambdify_calls_the_kernels():
    expression = h_inverse(3, Y) + 2 * H(4, Y) + c(L).subs(L, 5)
    x = np.array([0.5, 1.0])
    expected = [float(expression.subs(Y, Rational(v)).evalf(20)) for v in (0.5, 1)]
    # the kernels are within a few ulp
    np.testing.assert_allclose(sympy.lambdify(Y, expression)(x), expected, rtol=1e-14)
    assert abs(sympy.lambdify(Y, expression, "math")(0.5) - expected[0]) < 1e-14
    with mpmath.workdps(40):
        value = sympy.lambdify(Y, expression, "mpmath")(mpmath.mpf(1))
        assert abs(value - expression.subs(Y, 1).evalf(40)._to_mpmath(140)) < mpmath.mpf(10) ** -38


def test_a_symbol_named_like_a_function_does_not_shadow_it():
    shadow = sympy.Symbol("h_inverse")
    assert abs(sympy.lambdify((shadow,), h_inverse(3, shadow))(1.0) - 0.5987667052549519) < 1e-15


def test_the_doors_refuse_a_bad_depth():
    assert depth_at_door(L, "f") == L and integer_depth(3, "f") == 3
    for bad in (1, 0, Rational(5, 2), sympy.Float(3), 2.5, "3", True, None):
        with pytest.raises(BadInput):
            depth_at_door(bad, "f")
    with pytest.raises(BadInput, match="symbol"):
        integer_depth(L, "f")
    assert h_inverse(True, Y) is sympy.nan and h_inverse(Rational(5, 2), Y) is sympy.nan

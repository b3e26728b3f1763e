"""Series at 0, expansions at the other ends, and what SymPy's series and limit make of the functions."""

import pytest
import sympy
from sympy import PoleError, Rational, S, limit, log, oo, pi

import symbias as sb
from symbias.errors import BadInput
from symbias.functions import H, c, ends, h, h_inverse, p, q, root, series

L = sympy.Symbol("L", integer=True, positive=True)
X = sympy.Symbol("x", positive=True)
Y = sympy.Symbol("y")
T = sympy.Symbol("t", real=True)
ODD = (q, h, h_inverse, root)


def test_coefficients_by_hand():
    # (-1)^k C(Lk+L-2, k)/(2k+1)
    assert [series.coefficient(2, k) for k in range(4)] == [1, Rational(-2, 3), Rational(6, 5), Rational(-20, 7)]
    assert sympy.expand(series.coefficient(L, 1) + 2 * (L - 1) / 3) == 0
    k = sympy.Symbol("k", integer=True, nonnegative=True)
    assert series.coefficient(L, k).subs({k: 2, L: 5}) == series.coefficient(5, 2) == Rational(78, 5)


@pytest.mark.parametrize("depth", range(2, 9))
def test_the_radius_is_that_of_the_coefficients(depth):
    squared = series.radius(depth) ** 2
    # the ratio of successive coefficients tends to -1/radius^2, with a correction of order 1/k
    ratio = series.coefficient(depth, 400) / series.coefficient(depth, 399)
    assert abs(ratio * squared + 1) < 0.01 and abs(ratio * squared + 1) > 1e-5


@pytest.mark.parametrize("depth", [2, 3, 5, 8])
def test_hypergeometric_forms_have_the_same_numbers_inside_the_radius(depth):
    y = series.radius(depth) / 3
    for form, f in ((series.hypergeometric, h_inverse), (series.hypergeometric_potential, H)):
        assert abs((form(depth, y) / f(depth, y) - 1).evalf(30)) < 1e-27


@pytest.mark.parametrize("f", [p, q, h, h_inverse, root, H])
@pytest.mark.parametrize("depth", [2, 3, 4, 6, 9])
def test_the_series_at_zero_has_the_error_of_its_next_term(f, depth):
    x = Rational(1, 1000)
    made = sb.expansions.at_zero(f(depth, Y), terms=4)
    error = (made.sum - made.function).subs(Y, x).evalf(20, maxn=400)
    # the term after the next is smaller by about 1e-6 times the square of the depth
    assert abs(error / made.next.subs(Y, x) + 1) < 1e-3
    assert sympy.degree(made.next, Y) == made.order


@pytest.mark.parametrize("depth", [2, 3, 4, 6, 9])
@pytest.mark.parametrize("f", [h_inverse, root, H])
def test_the_expansion_at_infinity_has_the_error_of_its_next_term(f, depth):
    y = S(10) ** (5 * depth)
    made = sb.expansions.at_infinity(f(depth, X), terms=4)
    error = (made.sum - made.function).subs(X, y).evalf(20, maxn=1000)
    # relative size of the term after the next: y^(-2/L) = 1e-10, or its square where a coefficient vanishes
    assert abs(error / made.next.subs(X, y).evalf(20) + 1) < 1e-7
    assert sympy.limit(made.next / X**made.order, X, oo).is_finite


@pytest.mark.parametrize("depth", [3, 4, 5, 6, 9])
@pytest.mark.parametrize("f", [p, q, h])
def test_the_expansion_at_the_end_has_the_error_of_its_next_term(f, depth):
    gap = Rational(1, 10 ** (4 * (depth - 2)))
    made = sb.expansions.at_end(f(depth, T), terms=3)
    error = (made.sum - made.function).subs(T, c(depth) - gap).evalf(20, maxn=1000)
    # D^2 is about 1e-8 between successive terms
    assert abs(error / made.next.subs(T, c(depth) - gap).evalf(20) + 1) < 1e-5


def test_symbolic_depth_gives_the_concrete_expansions():
    for depth in (3, 5):
        for made, folded in (
            (sb.expansions.at_infinity, h_inverse),
            (sb.expansions.at_infinity, H),
            (sb.expansions.at_zero, h),
        ):
            general = made(folded(L, X), 3).sum.subs(L, depth)
            assert sympy.simplify(general - made(folded(depth, X), 3).sum) == 0


def test_theory_expansions_by_hand():
    assert sb.expansions.at_infinity(h_inverse(2, X), 2).sum == log(4 * X) / 2 + 1 / (32 * X**2)
    at_infinity = sb.expansions.at_infinity(H(L, X), 3)
    assert sympy.simplify(at_infinity.next + (L - 1) / (4 * L * (L + 2)) * X ** (-2 / L)) == 0
    assert sb.expansions.at_infinity(H(2, X), 3).sum == X * (log(4 * X) - 1) / 2 + Rational(1, 4) - 1 / (32 * X)


def test_sympy_series():
    assert h_inverse(3, Y).series(Y, 0, 6) == Y - 4 * Y**3 / 3 + 21 * Y**5 / 5 + sympy.O(Y**6)
    assert sympy.expand(H(L, Y).series(Y, 0, 6).removeO() - Y**2 / 2 + (L - 1) * Y**4 / 6) == 0
    composed = h_inverse(3, sympy.sin(Y) + Y**2).series(Y, 0, 5)
    assert composed.removeO() == Y + Y**2 - 3 * Y**3 / 2 - 4 * Y**4  # sin y = y - y^3/6, then y -> y - 4y^3/3
    at_infinity = h_inverse(5, X).series(X, oo, 2).removeO()
    assert sympy.expand(at_infinity - pi / 4 + X ** Rational(-3, 5) / 3 - 2 * X ** Rational(-7, 5) / 175) == (
        8 * X ** Rational(-9, 5) / 1125
    )
    assert h_inverse(4, X).aseries(X, n=1).removeO() == 1 - 1 / (2 * sympy.sqrt(X))
    assert h(4, T).series(T, 1, 0, dir="-").removeO() == 1 / (4 * (1 - T) ** 2)
    around = h_inverse(3, Y).series(Y, 1, 2).removeO()
    assert around.subs(Y, 1) == h_inverse(3, 1)


@pytest.mark.parametrize(
    ("expression", "x", "x0", "side", "expected"),
    [
        (h_inverse(3, Y), Y, oo, "-", pi / 2),
        (h_inverse(L, Y), Y, -oo, "+", -c(L)),
        (h_inverse(L, Y) / Y, Y, 0, "+", 1),
        (H(L, Y) / Y**2, Y, 0, "+", Rational(1, 2)),
        (H(5, X) / X, X, oo, "-", pi / 4),
        ((H(3, X) - pi / 2 * X) / X ** Rational(2, 3), X, oo, "-", Rational(-3, 2)),
        (X ** Rational(7, 5) * (h_inverse(5, X) - pi / 4 + X ** Rational(-3, 5) / 3), X, oo, "-", Rational(2, 175)),
        # a truncated sum would make this oo
        (X * (h_inverse(6, X) - c(6) + X ** Rational(-2, 3) / 4), X, oo, "-", 0),
        (h_inverse(2, X) - log(X) / 2, X, oo, "-", log(2)),
        (h(2, T) * sympy.exp(-2 * T), T, oo, "-", Rational(1, 4)),
        (h(3, T) * (pi / 2 - T) ** 3, T, pi / 2, "-", 1),
        (p(3, T) - q(3, T), T, pi / 2, "-", 0),
        (h_inverse(7, X) - h_inverse(7, X + 1), X, oo, "-", 0),
        (h_inverse(L, Y), L, oo, "-", 0),
    ],
    ids=lambda value: str(value)[:30],
)
def test_limits(expression, x, x0, side, expected):
    assert sympy.expand_log(limit(expression, x, x0, side) - expected, force=True) == 0


def test_what_cannot_be_expanded_says_what_to_call():
    with pytest.raises(PoleError, match="symbias.expansions"):
        h_inverse(L, X).series(X, oo, 3)
    with pytest.raises(PoleError, match="dir='-'"):
        h(5, T).series(T, pi / 4, 2)
    with pytest.raises(PoleError, match="at_end"):
        sb.expansions.at_infinity(h(3, T))
    with pytest.raises(PoleError, match="at_infinity"):
        sb.expansions.at_end(H(3, T))
    with pytest.raises(PoleError, match="expand_func"):
        sb.expansions.at_end(h(2, T))
    with pytest.raises(PoleError, match="parity"):
        sb.expansions.at_infinity(H(3, sympy.Symbol("y", negative=True)))
    with pytest.raises(PoleError, match="not real"):
        sb.expansions.at_infinity(H(3, sympy.Symbol("y", imaginary=True)))
    with pytest.raises(PoleError, match=r"expansions\.at_end"):
        h(L, T).series(T, c(L), 3)
    with pytest.raises(PoleError, match=r"c\(3\) = pi/2, before 2"):
        h(3, T).series(T, 2, 3)
    for door in (sb.expansions.at_zero, sb.expansions.at_infinity):
        with pytest.raises(PoleError, match="evalf"):
            door(h_inverse(3, 2))


def test_bad_input_at_the_doors_of_the_expansions():
    with pytest.raises(BadInput, match="Rational"):
        sb.expansions.at_zero(h(L, T * sympy.Float("0.5")))
    with pytest.raises(BadInput, match="h_inverse"):
        sb.expansions.at_zero(sympy.sin(T))
    with pytest.raises(BadInput, match="depth that is not an integer"):
        sb.expansions.at_zero(h(1, T))
    with pytest.raises(BadInput, match=r"symbias\.potential"):
        sb.expansions.potential_alpha_to_zero([T], depth=3, alpha=1, eta=[1])
    for terms in (0, 1.5, True):
        with pytest.raises(BadInput, match="number of terms"):
            sb.expansions.at_zero(h(3, T), terms)
    with pytest.raises(BadInput, match="integer"):
        series.coefficient(sympy.Float(3), 1)


def test_an_expansion_prints_and_stores():
    made = sb.expansions.at_infinity(H(3, X), terms=2)
    again = type(made).from_dict(made.to_dict())
    assert (again.sum, again.next, again.order) == (made.sum, made.next, made.order)
    assert r"\to \infty" in made.to_latex() and "yun2021" in made.cite()


def test_any_number_of_terms():
    assert len(ends.h_inverse_at_infinity(S(3), 30)) >= 20
    y = series.radius(3) * 3
    # outside the radius the expansion at infinity converges, the series at 0 does not
    far = sb.expansions.at_infinity(h_inverse(3, X), terms=60).sum.subs(X, y)
    near = sb.expansions.at_zero(h_inverse(3, X), terms=60).sum.subs(X, y)
    assert abs((far - h_inverse(3, y)).evalf(20)) < 1e-15 < 1e15 < abs((near - h_inverse(3, y)).evalf(20))

"""The potential: expressions, float64, any digits, both ends of alpha, and bad input."""

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import symbias as sb
from symbias.errors import BadInput
from symbias.functions import H
from symbias.functions.potential_proofs import gradient, hessian_diagonal

L = sympy.Symbol("L", integer=True, positive=True)
ALPHA = sympy.Symbol("alpha", positive=True)
RHO = sympy.symbols("rho_1 rho_2", real=True)
R = sympy.Rational


def reference(rho, depth, alpha, eta, digits=30):
    """The definition, term by term, through SymPy's evaluation."""
    terms = (alpha**2 * e**2 * H(depth, r / (alpha**depth * abs(e) ** depth)) for r, e in zip(rho, eta, strict=True))
    return sum(terms).evalf(digits)


def test_symbolic_in_symbolic_out():
    made = sb.potential(RHO, depth=L, alpha=ALPHA, eta=[2, -3])
    expected = 4 * ALPHA**2 * H(L, RHO[0] / (ALPHA**L * 2**L)) + 9 * ALPHA**2 * H(L, RHO[1] / (ALPHA**L * 3**L))
    assert made == expected
    assert sb.potential(sympy.Matrix(RHO), depth=2, alpha=1, eta=1) == H(2, RHO[0]) + H(2, RHO[1])


def test_theory_values():
    # H_L(1) of theory.md, section 6
    assert abs(sb.potential([1.0], depth=3, alpha=1.0, eta=[1.0]) - 0.3659810893165678838) < 1e-16
    value = sb.potential(["1"], depth=5, alpha=1, eta=1, digits=25)
    with mpmath.workdps(40):
        assert abs(value - mpmath.mpf("0.3116948638689191011978417")) < mpmath.mpf(10) ** -25
        assert abs(value - mpmath.mpf("0.3116948638689191011978427")) > mpmath.mpf(10) ** -25


@settings(max_examples=40, deadline=None)
@given(
    depth=st.integers(2, 9),
    alpha=st.floats(-100, 100).map(lambda x: 10.0**x),
    rho=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=4),
)
def test_float64_agrees_with_30_digits_at_every_alpha(depth, alpha, rho):
    eta = [1.0 + 0.25 * i for i in range(len(rho))]
    exact = sb.potential(rho, depth=depth, alpha=alpha, eta=eta, digits=30)
    if exact > mpmath.mpf(10) ** 305:
        with pytest.raises(BadInput, match="digits"):
            sb.potential(rho, depth=depth, alpha=alpha, eta=eta)
        return
    value = sb.potential(rho, depth=depth, alpha=alpha, eta=eta)
    # powers a^(1-L) cost (L+1) rounding errors, H 4 ulp; below 1e-300 denormals
    assert abs(value - exact) <= 4e-15 * exact + 1e-300


def test_rows_of_an_array_are_vectors():
    rho = np.array([[1.0, -2.0], [0.0, 0.5], [0.0, 0.0]])
    made = sb.potential(rho, depth=3, alpha=0.5, eta=[1.0, 2.0])
    assert made.shape == (3,) and made[2] == 0
    assert made[0] == sb.potential(rho[0], depth=3, alpha=0.5, eta=[1.0, 2.0])


def test_digits_do_not_touch_the_global_precision():
    before = mpmath.mp.prec
    value = sb.potential(["0.1", "-3"], depth=4, alpha="0.01", eta=["1", "2"], digits=60)
    assert mpmath.mp.prec == before and type(value) is mpmath.mpf
    expected = reference([R(1, 10), R(-3)], 4, R(1, 100), [1, 2], 70)
    with mpmath.workdps(70):
        assert abs(value / expected._to_mpmath(240) - 1) < mpmath.mpf(10) ** -59


def test_a_float_means_its_exact_binary_value():
    by_float = sb.potential([0.1], depth=3, alpha=1, eta=1, digits=40)
    by_text = sb.potential(["0.1"], depth=3, alpha=1, eta=1, digits=40)
    by_fraction = sb.potential([R(0.1)], depth=3, alpha=1, eta=1, digits=40)
    assert by_float == by_fraction != by_text


def test_gradient_and_hessian_are_those_of_the_potential():
    eta = (R(3, 2), -2)
    made = sb.potential(RHO, depth=4, alpha=ALPHA, eta=eta)
    point = {RHO[0]: R(1, 3), RHO[1]: -2, ALPHA: R(1, 2)}
    for i, (slope, curve) in enumerate(
        zip(
            gradient(RHO, depth=4, alpha=ALPHA, eta=eta),
            hessian_diagonal(RHO, depth=4, alpha=ALPHA, eta=eta),
            strict=True,
        )
    ):
        assert abs((made.diff(RHO[i]) / slope - 1).subs(point).evalf(25)) < 1e-22
        assert abs((made.diff(RHO[i], 2) / curve - 1).subs(point).evalf(25)) < 1e-22
        assert curve.subs(point).evalf() > 0


@pytest.mark.parametrize("depth", [2, 3, 5])
@pytest.mark.parametrize("towards", ["zero", "infinity"])
def test_both_ends_of_alpha_have_the_predicted_order(depth, towards):
    rho, eta = (R(1, 2), R(-3)), (R(1), R(2))
    expand = getattr(sb.expansions, f"potential_alpha_to_{towards}")
    made = expand(rho, depth=depth, alpha=ALPHA, eta=eta, terms=2)
    scale = (R(1, 10**4), R(1, 10**5)) if towards == "zero" else (R(10**4), R(10**5))
    errors = [(made.sum - made.function).subs(ALPHA, a).evalf(20, maxn=2000) for a in scale]
    observed = sympy.log(errors[1] / errors[0]) / sympy.log(scale[1] / scale[0])
    # corrections are of relative order alpha^2 at worst
    assert abs(observed.evalf() - made.order) < 1e-6
    assert abs(errors[1] / made.next.subs(ALPHA, scale[1]).evalf(20) + 1) < 1e-6


def test_ends_of_theory_by_hand():
    rho = sympy.symbols("r_1 r_2", positive=True)
    eta = sympy.symbols("eta_1 eta_2", positive=True)
    zero = sb.expansions.potential_alpha_to_zero(rho, depth=2, alpha=ALPHA, eta=eta, terms=2)
    expected = sum(
        r * (sympy.log(4 * r / (ALPHA * e) ** 2) - 1) / 2 + (ALPHA * e) ** 2 / 4 for r, e in zip(rho, eta, strict=True)
    )
    assert sympy.expand(zero.sum - expected) == 0 and zero.order == 4
    large = sb.expansions.potential_alpha_to_infinity(rho, depth=3, alpha=ALPHA, eta=eta, terms=1)
    assert sympy.expand(large.sum - sum(r**2 / e**4 for r, e in zip(rho, eta, strict=True)) / (2 * ALPHA**4)) == 0
    assert sympy.expand(large.next + sum(r**4 / e**10 for r, e in zip(rho, eta, strict=True)) / (3 * ALPHA**10)) == 0


def test_a_zero_coordinate_contributes_nothing():
    made = sb.expansions.potential_alpha_to_zero([0, 1], depth=3, alpha=ALPHA, eta=[1, 1], terms=3)
    assert sympy.expand(made.sum - (sympy.pi / (2 * ALPHA) - R(3, 2) + ALPHA**2 / 3)) == 0
    with pytest.raises(BadInput, match="0 for every alpha"):
        sb.expansions.potential_alpha_to_zero([0, 0], depth=3, alpha=ALPHA, eta=1)


def test_text_beside_symbols_is_an_exact_decimal():
    made = sb.potential([RHO[0]], depth=2, alpha="0.5", eta=["1"])
    assert made == sb.potential([RHO[0]], depth=2, alpha=R(1, 2), eta=[1]) and not made.has(sympy.Float)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"rho": [RHO[0] * 0.5]}, "Rational"),
        ({"rho": [RHO[0]], "alpha": 0.5}, "Rational"),
        ({"depth": 1}, ">= 2"),
        ({"depth": 2.5}, "integer"),
        ({"depth": L}, "symbol"),
        ({"depth": "3"}, "integer"),
        ({"rho": [RHO[0], "a b"]}, r"rho\[1\] must be a number"),
        ({"digits": 0}, "digits"),
        ({"alpha": 0}, r"symbias\.limit"),
        ({"alpha": -1}, r"symbias\.limit"),
        ({"rho": [RHO[0]], "alpha": -1, "eta": 1}, r"symbias\.limit"),
        ({"eta": [0.0]}, r"eta\[0\] is 0"),
        ({"rho": [RHO[0]], "eta": [0]}, "eta is 0"),
        ({"eta": [1.0, 2.0]}, "coordinates"),
        ({"rho": [RHO[0]], "eta": [1, 2]}, "coordinates"),
        ({"rho": [float("nan")]}, "finite"),
        ({"rho": ["one"]}, "one"),
        ({"alpha": 1e-160, "depth": 5}, "digits"),
        ({"alpha": "1e-400"}, "digits"),
    ],
)
def test_bad_input(arguments, says):
    call = {"rho": [1.0], "depth": 3, "alpha": 1, "eta": [1.0], **arguments}
    with pytest.raises(BadInput, match=says):
        sb.potential(**call)

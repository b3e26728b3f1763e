"""General initialization: the scalar flow against the integrated layers, its inverse, its potential, Theorem 5."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

from symbias.errors import BadInput
from symbias.functions import F, H, elapsed, general_potential
from symbias.functions.general_initialization import Coordinate, coordinate, potential_of, rho_of
from symbias.functions.position_numbers import position, position_of_rho
from symbias.precision import context

R = sympy.Rational
CTX = context(40)
DELTAS = [(2,), (3, 2), (2, 3), (4, 4), (2, 3, 5), (4, 4, 4), (2, 3, 5, 7), (1, 2, 3, 4, 5, 6)]


def by_quadrature(z, start, deltas):
    """mpmath's tanh-sinh on the defining integral, 20 digits more."""
    ctx = context(60)
    z, start = ctx.mpf(z.numerator) / z.denominator, ctx.mpf(start.numerator) / start.denominator
    points = [start, ctx.zero, z] if start * z < 0 else [start, z]
    return ctx.quad(lambda x: 1 / ctx.sqrt(ctx.fprod(x * x + d for d in deltas)), points)


@pytest.mark.parametrize("deltas", DELTAS, ids=str)
@pytest.mark.parametrize("ends", [(2, Fraction(1, 3)), (2, -1), (-3, Fraction(-1, 7))], ids=str)
def test_the_time_is_the_integral(deltas, ends):
    z, start = map(Fraction, ends)
    value = elapsed.elapsed(
        CTX, CTX.mpf(z.numerator) / z.denominator, CTX.mpf(start.numerator) / start.denominator, deltas
    )
    # z and start are rounded to 40 digits
    assert abs(value / by_quadrature(z, start, deltas) - 1) < CTX.mpf(10) ** -38


def test_a_small_difference_keeps_its_digits():
    start = R(1, 3)
    value = F(start + R(1, 10**40), start, 2, 3).evalf(30)
    rate = 1 / sympy.sqrt((R(1, 9) + 2) * (R(1, 9) + 3))
    assert abs((value * 10**40 / rate - 1).evalf(20)) < 1e-29


def test_elementary_and_elliptic_forms_have_the_same_numbers():
    for deltas in ((2,), (3, 2), (2, 3), (2, 3, 5), (7, 3, 2)):
        folded = F(2, R(-1, 3), *deltas)
        assert abs((sympy.expand_func(folded) - folded).evalf(25)) < 1e-24
        assert abs((sympy.expand_func(folded) - 2 * folded).evalf(25)) > 0.01
    assert F(2, 1, 1, 2, 3, 4).expand(func=True).func is F


def test_derivatives_and_printing():
    z, z0, d = sympy.symbols("z z_0 delta", positive=True)
    assert F(z, z0, d).diff(z) == 1 / sympy.sqrt(z**2 + d) and F(z, z0, d).diff(z0) == -1 / sympy.sqrt(z0**2 + d)
    assert F(z, z, d) == 0 and F(z, 0, d).is_real
    assert sympy.latex(F(z, 0, d)) == r"F_{0; \delta}\left(z\right)"
    assert F(z, 0, d).evalf() == F(z, 0, d)


def test_the_reference_is_the_smallest_layer():
    assert coordinate([2, -1, 3]) == Coordinate(1, 1, -1, (3, 8))
    assert coordinate(["-2", "0.5", "-3"]) == Coordinate(1, 1, R(1, 2), (R(15, 4), R(35, 4)))
    assert coordinate([1, -2, 3]) == Coordinate(0, -1, -1, (3, 8))
    assert coordinate([1, 1, 0]).deltas == (1, 1) and not coordinate([1, 1, 0]).tie
    assert coordinate([1, -1, 2]).tie
    with pytest.raises(BadInput, match="two layers"):
        coordinate([1])
    with pytest.raises(BadInput, match="free symbol"):
        coordinate([sympy.Symbol("a"), 1])


@pytest.mark.parametrize("layers", [[2.0, -1.0, 3.0], [0.5, 0.25, -0.75, 1.0], [1.0, -1.5], [1.0, 2.0, 0.0]], ids=str)
def test_the_position_is_that_of_the_integrated_layers(layers):
    flow = coordinate(layers)

    start = CTX.mpf(float(flow.start))
    deltas = [CTX.mpf(float(delta)) for delta in flow.deltas]
    for time, sign in ((0.05, 1), (0.1, -1)):  # g = 1, g = -1

        def rates(_, eta, sign=sign):
            return [sign * math.prod(np.delete(eta, i)) for i in range(len(eta))]

        done = solve_ivp(rates, (0, time), layers, rtol=1e-11, atol=1e-12)
        assert done.success
        z = position(CTX, CTX.mpf(sign * time), start, deltas)
        rho = z * CTX.sqrt(CTX.fprod(z * z + delta for delta in deltas))
        # the integrator's tolerance
        assert abs(float(rho) - math.prod(done.y[:, -1])) < 1e-9
        assert abs(float(rho) - math.prod(layers)) > 1e-3


def test_position_inverts_the_time():
    for deltas in (*DELTAS, (0, 3), (0, 3, 4)):
        z, start = CTX.mpf(7) / 3, CTX.mpf(1) / 5
        time = elapsed.elapsed(CTX, z, start, deltas)
        # time is rounded to 40 digits; its condition number is below 100 here
        assert abs(position(CTX, time, start, deltas) - z) < CTX.mpf(10) ** -36
        rho = z * CTX.sqrt(CTX.fprod(z * z + d for d in deltas))
        assert abs(position_of_rho(CTX, rho, deltas) - z) < CTX.mpf(10) ** -38


def test_blow_up_and_ties_are_reported():
    with pytest.raises(BadInput, match=r"blows up before, at 1\.5707963"):
        position(CTX, CTX.mpf(100), CTX.zero, [1, 1])
    with pytest.raises(BadInput, match="keeps its sign"):
        elapsed.elapsed(CTX, CTX.mpf(-1), CTX.mpf(1), [0, 1])
    with pytest.raises(BadInput, match="for ever"):
        position(CTX, CTX.mpf(1), CTX.zero, [0, 1])
    with pytest.raises(BadInput, match="smallest"):
        elapsed.elapsed(CTX, CTX.mpf(1), CTX.zero, [-1, 1])


@pytest.mark.parametrize("deltas", [(2,), (2, 3), (2, 3, 5), (2, 3, 5, 7), (0, 3), (0, 3, 4)], ids=str)
def test_the_limit_of_the_time(deltas):
    start = CTX.mpf(1) / 5
    if len(deltas) == 1:
        assert elapsed.limit_time(CTX, start, deltas) == CTX.inf
        return
    far = context(60).quad(
        lambda x: 1 / context(60).sqrt(context(60).fprod(x * x + d for d in deltas)), [start, 1, context(60).inf]
    )
    assert abs(elapsed.limit_time(CTX, start, deltas) / far - 1) < CTX.mpf(10) ** -30  # what the quadrature reaches


@pytest.mark.parametrize("depth", [2, 3, 4, 5, 7])
def test_theorem_5_is_the_special_case(depth):
    a = R(3, 4)
    value = general_potential([2, R(-1, 3)], [[a, 1]] * (depth - 1) + [[0, 0]], digits=25)
    expected = (a**2 * H(depth, 2 / a**depth) + H(depth, R(1, 3))).evalf(35)
    with mpmath.workdps(40):
        assert abs(value / expected._to_mpmath(130) - 1) < mpmath.mpf(10) ** -25


@pytest.mark.parametrize("layers", [[2, -1, 3], [R(1, 2), R(1, 4), R(-3, 4), 1], [1, -2]], ids=str)
def test_the_potential_is_zero_at_the_start_and_its_slope_is_the_time(layers):
    flow = coordinate(layers)
    initial = [[x] for x in layers]
    product = sympy.prod(layers)
    assert general_potential([product], initial) == 0
    nearby = general_potential([product + R(1, 10**15)], initial, digits=20)
    assert 0 < nearby < 1e-29
    z = flow.start + R(1, 2)
    rho = rho_of(z, flow.deltas)
    with mpmath.workdps(60):
        value = general_potential([rho], initial, digits=40)
        assert abs(value - potential_of(z, flow.start, flow.deltas).evalf(50)._to_mpmath(180)) < mpmath.mpf(10) ** -38
        step = mpmath.mpf(10) ** -15
        ahead = general_potential([rho + R(1, 10**15)], initial, digits=45)
        behind = general_potential([rho - R(1, 10**15)], initial, digits=45)
        slope = F(z, flow.start, *flow.deltas).evalf(40)._to_mpmath(150)
        # central difference: error step^2 = 1e-30 times a third derivative of order one
        assert abs((ahead - behind) / (2 * step) - slope) < mpmath.mpf(10) ** -27


def test_bad_input():
    with pytest.raises(BadInput, match="columns"):
        general_potential([1, 2], [[1], [0]])
    with pytest.raises(BadInput, match="keeps its sign"):
        general_potential([-1], [[1], [1], [2]])

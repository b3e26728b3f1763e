"""Minima of separable potentials: against argmin Q's own solver, quadrature, and the end of the curves' range."""

import mpmath
import numpy as np
import pytest

from symbias.errors import NotConverged
from symbias.numeric.gauss import rule
from symbias.numeric.general_curves import Coordinate, GeneralCurves
from symbias.numeric.mirror import follow
from symbias.numeric.powers import PowerCurves
from symbias.precision import context

CTX = context(60)
m = CTX.mpf


def matrix(rows, ctx=CTX):
    return np.array([[ctx.mpf(entry) for entry in row] for row in rows], dtype=object)


A, Y = matrix([[1, 2, -1], [0, 1, 3]]), np.array([m(1), m(2)], dtype=object)


def test_the_rule_integrates_polynomials_of_degree_2n_minus_1_exactly():
    for count in (1, 2, 7, 30):
        nodes, weights = rule(CTX, count)
        for degree in (0, 2 * count - 2, 2 * count - 1):
            exact = 0 if degree % 2 else m(2) / (degree + 1)
            assert abs(weights @ nodes**degree - exact) <= m(10) ** -57
        beyond = weights @ nodes ** (2 * count)  # the control: one degree more is not exact
        assert abs(beyond - m(2) / (2 * count + 1)) > m(10) ** -25


@pytest.mark.parametrize(
    "z_0, deltas", [("-0.5", ("1/3", "2")), ("-0.5", ("0", "1", "2")), ("2", ("0", "0", "1", "3")), ("0", ("1", "1"))]
)
def test_t_is_the_integral_from_the_start(z_0, deltas):
    deltas = tuple(m(mpmath.mpf(1) / 3 if d == "1/3" else d) for d in deltas)
    curve = Coordinate(CTX, m(z_0), deltas)

    def integrand(x):
        product = m(1)
        for delta in deltas:
            product = product * (x * x + delta)
        return 1 / CTX.sqrt(product)

    for away in ("-2.3", "0.4", "3"):
        v = curve.v_0 + m(away)
        z = curve.z(v)
        places = [curve.z_0, z] if curve.z_0 * z > 0 else [curve.z_0, 0, z]
        assert abs(curve.t(v) - CTX.quad(integrand, places)) <= m(10) ** -50
    if z_0 != "2":
        # tan-substitution of mpmath for the infinite end; tanh-sinh reaches about 50 digits
        assert abs(curve.range_of_t(-1) + CTX.quad(integrand, [-CTX.inf, -1, curve.z_0])) <= m(10) ** -45


def test_rho_and_its_slopes_by_differences():
    step = m(10) ** -20
    for curve in (Coordinate(CTX, m(-1), (m(0), m(2))), Coordinate(CTX, m(0), (m(1), m(2), m(2)))):
        v = curve.v_0 + m("0.7")
        rho, d_rho, t, d_t = curve.at(v)
        ahead, behind = curve.at(v + step), curve.at(v - step)
        assert abs((ahead[0] - behind[0]) / (2 * step) - d_rho) <= m(10) ** -35
        assert abs((ahead[2] - behind[2]) / (2 * step) - d_t) <= m(10) ** -35
        # the potential: dQ/drho = t
        curves = GeneralCurves((curve,))
        change = curves.potential([v + step]) - curves.potential([v - step])
        assert abs(change / (ahead[0] - behind[0]) - t) <= m(10) ** -35


@pytest.mark.parametrize("depth", [2, 3, 4, 6])
def test_the_power_curves_and_their_potential_by_differences(depth):
    curves = PowerCurves(CTX, depth, np.array([m("0.5"), m(2)], dtype=object))
    step, v = m(10) ** -20, np.array([m("0.3"), m(-2)], dtype=object)
    rho, d_rho, t, d_t = curves.at(v)
    ahead, behind = curves.at(v + step), curves.at(v - step)
    assert max(abs((ahead[0] - behind[0]) / (2 * step) - d_rho)) <= m(10) ** -33
    assert max(abs((ahead[2] - behind[2]) / (2 * step) - d_t)) <= m(10) ** -33
    change = curves.potential(v + step) - curves.potential(v - step)
    slope = 2 * t if depth == 2 else t
    assert abs(change / (2 * step) - (slope * d_rho).sum()) <= m(10) ** -33
    # far out: w_+ = a e^v at depth 2, a (e^{2v}/2)^{1/(L-2)} beyond, relative error e^{-2v}
    plus, _ = curves.weights(np.array([m(100), m(100)], dtype=object))
    expected = CTX.exp(100) if depth == 2 else (CTX.exp(200) / 2) ** (m(1) / (depth - 2))
    assert abs(plus[0] / curves.a[0] / expected - 1) <= m(10) ** -57


@pytest.mark.parametrize("alpha", ["1e3", "1", "1e-3", "1e-60"])
@pytest.mark.parametrize("depth", [2, 3, 5])
def test_the_conditions_of_the_minimum_at_any_scale(depth, alpha):
    ctx = context(60 + int(3 * depth * abs(float(mpmath.log10(mpmath.mpf(alpha))))))
    rows, y = matrix([[1, 2, -1], [0, 1, 3]], ctx), np.array([ctx.mpf(1), ctx.mpf(2)], dtype=object)
    curves = PowerCurves(ctx, depth, ctx.mpf(alpha) * np.array([ctx.mpf(1), ctx.mpf(2), ctx.mpf(1)], dtype=object))
    point = follow(ctx, rows, y, curves, [ctx.zero] * 3, 40)
    assert max(abs(rows @ point.rho - y)) <= ctx.mpf(10) ** -40
    t = curves.at(point.v)[2]
    # t = A^T nu: the kernel of A is (7, -3, 1)
    assert abs(7 * t[0] - 3 * t[1] + t[2]) <= ctx.mpf(10) ** -38 * max(abs(t))
    assert point.steps <= 60


def test_a_start_that_fits_is_the_answer():
    curve = Coordinate(CTX, m(2), (m(1),))
    curves = GeneralCurves((curve,))
    rho = curves.at(curves.v_0)[0]
    assert follow(CTX, matrix([[3]]), 3 * rho, curves, curves.v_0, 30).steps == 0


def test_a_target_outside_the_range_is_not_reached():
    # one coordinate, tied: rho > 0 for ever
    curves = GeneralCurves((Coordinate(CTX, m(1), (m(0),)),))
    assert (
        abs(follow(CTX, matrix([[1]]), np.array([m("1e-9")]), curves, curves.v_0, 30).rho[0] - m("1e-9")) < m(10) ** -30
    )
    with pytest.raises(NotConverged, match="no solution in the range"):
        follow(CTX, matrix([[1]]), np.array([m(-1)], dtype=object), curves, curves.v_0, 30)


def test_scales_too_far_apart_are_named_and_more_digits_help():
    rows = [[1, 2, 0], [0, 1, 1], [1, 0, 1]]  # invertible: there is a solution, and 20 digits do not hold it

    def solve(digits, y):
        ctx = context(digits)
        curves = PowerCurves(ctx, 3, np.array([ctx.one] * 3, dtype=object))
        target = np.array([ctx.mpf(entry) for entry in y], dtype=object)
        return follow(ctx, matrix(rows, ctx), target, curves, [ctx.zero] * 3, 10).rho

    far = ("1e30", "1e-60", "1e30")
    with pytest.raises(NotConverged, match="too far apart .90 powers of ten. for 20 working digits: ask for more"):
        solve(20, far)
    assert abs(solve(60, far)[0] / m("1e30") - 1) <= 1e-9  # rho = (1e30, 0, 0) but for 1e-60; 10 digits were asked
    assert abs(solve(20, ("3", "2", "2"))[0] - 1) <= 1e-9  # the same scales: rho = (1, 1, 1)

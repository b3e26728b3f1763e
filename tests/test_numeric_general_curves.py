"""The curves of any real start to any precision: against mpmath's quadrature, differences, and optimality
conditions.
"""

import mpmath
import numpy as np
import pytest

from symbias.errors import NotConverged
from symbias.numeric.general_curves import Coordinate, GeneralCurves
from symbias.numeric.linear_precise import reduce
from symbias.numeric.minimize_precise import argmin_precise
from symbias.precision import context

CTX = context(60)
m = CTX.mpf


def matrix(rows, ctx=CTX):
    return np.array([[ctx.mpf(entry) for entry in row] for row in rows], dtype=object)


def integrand(curve):
    def value(x):
        product = m(1)
        for delta in curve.deltas:
            product = product * (x * x + delta)
        return 1 / CTX.sqrt(product)

    return value


STARTS = [
    ("-0.5", ("0.25", "2")),
    ("-0.5", ("0", "1", "2")),
    ("2", ("0", "0", "1", "3")),
    ("0", ("1", "1")),
    ("3", ("1e-3", "1e3", "1e9")),
]


@pytest.mark.parametrize("z_0, deltas", STARTS)
def test_t_is_the_integral_from_the_start(z_0, deltas):
    curve = Coordinate(CTX, m(z_0), tuple(m(d) for d in deltas))
    for away in ("-2.3", "0.4", "3"):
        v = curve.v_0 + m(away)
        z = curve.z(v)
        scales = [s * CTX.sqrt(d) for d in curve.deltas for s in (-1, 1)]
        places = sorted({curve.z_0, z, *(x for x in (m(0), *scales) if (curve.z_0 - x) * (z - x) < 0)})
        expected = CTX.quad(integrand(curve), places) * (1 if z > curve.z_0 else -1)
        assert abs(curve.t(v) / expected - 1) <= m(10) ** -45  # tanh-sinh of mpmath on intervals far from square
    if z_0 not in ("2", "3"):
        # the infinite end by mpmath's substitution; tanh-sinh reaches about 50 digits
        end = CTX.quad(integrand(curve), [-CTX.inf, -1, curve.z_0])
        assert abs(curve.range_of_t(-1) + end) <= m(10) ** -45


@pytest.mark.parametrize("z_0, deltas", STARTS)
@pytest.mark.parametrize("away", ["-40", "-9", "9", "40"])
def test_far_from_the_start_t_agrees_with_plain_steps(z_0, deltas, away):
    # the tail in e^{-|v|}, and the side held back, against the sum of whole steps of the rule
    curve = Coordinate(CTX, m(z_0), tuple(m(d) for d in deltas))
    plain = Coordinate(CTX, m(z_0), tuple(m(d) for d in deltas))
    assert abs(curve.t(curve.v_0 + m(away)) / plain._whole(int(away)) - 1) <= m(10) ** -56


def test_rho_and_its_slopes_by_differences():
    step = m(10) ** -20
    for curve in (Coordinate(CTX, m(-1), (m(0), m(2))), Coordinate(CTX, m(0), (m(1), m(2), m(2)))):
        v = curve.v_0 + m("0.7")
        _, d_rho, t, d_t = curve.at(v)
        ahead, behind = curve.at(v + step), curve.at(v - step)
        assert abs((ahead[0] - behind[0]) / (2 * step) - d_rho) <= m(10) ** -35
        assert abs((ahead[2] - behind[2]) / (2 * step) - d_t) <= m(10) ** -35
        # the potential: dQ/drho = t
        curves = GeneralCurves((curve,))
        change = curves.potential(np.array([v + step]), 60) - curves.potential(np.array([v - step]), 60)
        assert abs(change / (ahead[0] - behind[0]) - t) <= m(10) ** -35


def problem(alpha: str, depth: int, ctx):
    """Two samples of four coordinates: one starts at 0, one between, one tied, one with its smallest layer negative."""
    a, R = ctx.mpf(alpha), ctx.mpf
    deltas = [(1, 2, 5, 5), (R(1) / 3, 1, 1, 7), (0, 4, 6, 8), (2, 2, 3, 9)]
    starts = [0, R(1) / 2, 1, -1]
    curves = GeneralCurves(
        tuple(
            Coordinate(ctx, a * z, tuple(a * a * R(d) for d in sorted(delta[: depth - 1])))
            for z, delta in zip(starts, deltas, strict=True)
        )
    )
    return matrix([[1, 2, -1, 3], [0, 1, 3, -1]], ctx), np.array([ctx.mpf(1), ctx.mpf(2)], dtype=object), curves


@pytest.mark.parametrize("alpha", ["1e20", "1", "1e-3", "1e-40"])
@pytest.mark.parametrize("depth", [2, 3, 5])
def test_the_conditions_of_the_minimum_at_any_scale(depth, alpha):
    ctx = context(100 + 4 * depth * abs(round(float(mpmath.log10(mpmath.mpf(alpha))))))
    A, y, curves = problem(alpha, depth, ctx)
    found = argmin_precise(A, y, curves, 30)
    v = np.array([ctx.make_mpf(entry._mpf_) for entry in found.v], dtype=object)
    rho, _, t, _ = curves.at(v)
    assert max(abs(A @ rho - y)) <= ctx.mpf(10) ** -30 * max(np.abs(A) @ np.abs(rho))
    # t = A^T nu: orthogonal to the null space [-N; 1] of A = B [1 N]
    null = reduce(A, ctx)[:, 2:]
    off = np.abs(t[2:] - null.T @ t[:2]) / (np.abs(t[2:]) + np.abs(null.T) @ np.abs(t[:2]))
    assert max(off) <= ctx.mpf(10) ** -30
    if depth == 5:  # the control: the same point is not the minimum of another start
        other = problem(alpha, 3, ctx)[2].at(v)[2]
        assert max(abs(other[2:] - null.T @ other[:2])) > ctx.mpf(10) ** -3 * max(abs(other))


def test_a_start_that_fits_is_the_answer():
    curves = GeneralCurves((Coordinate(CTX, m(2), (m(1),)),))
    rho = curves.at(curves.v_0)[0]
    found = argmin_precise(matrix([[3]]), 3 * rho, curves, 30)
    assert abs(found.rho[0] / rho[0] - 1) <= m(10) ** -29 and abs(found.v[0] - curves.v_0[0]) <= m(10) ** -30


def test_a_target_outside_the_range_is_not_reached():
    # one coordinate, tied: rho > 0 for ever
    curves = GeneralCurves((Coordinate(CTX, m(1), (m(0),)),))
    found = argmin_precise(matrix([[1]]), np.array([m("1e-9")]), curves, 30)
    assert abs(found.rho[0] / m("1e-9") - 1) < m(10) ** -29
    with pytest.raises(NotConverged):
        argmin_precise(matrix([[1]]), np.array([m(-1)], dtype=object), curves, 30)

"""The conditions of separable potentials: their own roots and integrals, by hand and against quadrature."""

import numpy as np
import pytest

from symbias.checks.mirror import _antiderivative, _increasing, _power_slope
from symbias.numeric.general_curves import Coordinate
from symbias.precision import context

CTX = context(50)
m = CTX.mpf


def test_the_bracketed_root_is_found_at_any_size():
    for size in ("1e-200", "1", "1e200"):
        target = m(size)
        root = _increasing(CTX, lambda x, goal=target: x**3 - goal, m(0), max(m(1), target))
        assert abs(root**3 / target - 1) <= m(10) ** -45
    assert _increasing(CTX, lambda x: x + 5, m(0), m(1)) == 0  # no sign change: the nearer end


@pytest.mark.parametrize("depth", [2, 3, 4, 6])
def test_the_slope_of_powers_inverts_their_curve(depth):
    # w_± = a e^{±v}, or a (1 ∓ z)^{-1/(L-2)}: beta from z by the definition, and back
    a, z = m("0.5"), m("0.3")
    if depth == 2:
        beta, expected = 2 * a**2 * CTX.sinh(2 * z), 2 * z
    else:
        k = m(depth) / (depth - 2)
        beta, expected = a**depth * ((1 - z) ** -k - (1 + z) ** -k), a ** (2 - depth) * z
    assert abs(_power_slope(CTX, depth, beta, a) - expected) <= m(10) ** -44
    assert abs(_power_slope(CTX, depth, -beta, a) + expected) <= m(10) ** -44


@pytest.mark.parametrize("deltas", [("2",), ("1", "2"), ("1", "2", "3"), ("1", "1", "2", "3"), ("0", "2"), ("0",)])
def test_the_integral_is_the_curves_own(deltas):
    # the curves add Gauss rules up; here Carlson's R_F, asinh and tanh-sinh
    curve = Coordinate(CTX, m("0.5"), tuple(m(d) for d in deltas))
    for away in ("-1", "2.5"):
        v = curve.v_0 + m(away)
        assert abs(_antiderivative(CTX, curve, curve.z(v)) - curve.t(v)) <= m(10) ** -40


def test_a_wrong_delta_is_seen():
    curve, other = (Coordinate(CTX, m("0.5"), (m(1), m(d))) for d in ("2", "2.001"))
    v = curve.v_0 + 1
    assert abs(_antiderivative(CTX, other, curve.z(v)) - curve.t(v)) > 1e-6
    assert np.isfinite(float(curve.t(v)))

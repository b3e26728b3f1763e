"""The curves of the difference of powers, in float64 and high precision, and the minima of their potential."""

import mpmath
import numpy as np
import pytest

from symbias.numeric.minimize import argmin_float
from symbias.numeric.minimize_precise import argmin_precise
from symbias.numeric.operators import Dense
from symbias.numeric.powers import PowerCurves
from symbias.precision import context

CTX = context(60)
m = CTX.mpf
EPS = np.finfo(float).eps


def matrix(rows, ctx=CTX):
    return np.array([[ctx.mpf(entry) for entry in row] for row in rows], dtype=object)


@pytest.mark.parametrize("depth", [2, 3, 4, 6])
def test_the_curves_and_their_potential_by_differences(depth):
    curves = PowerCurves(CTX, depth, np.array([m("0.5"), m(2)], dtype=object))
    step, v = m(10) ** -20, np.array([m("0.3"), m(-2)], dtype=object)
    rho, d_rho, t, d_t = curves.at(v)
    plus, minus = curves.weights(v)
    assert max(abs(plus**depth - minus**depth - rho)) <= m(10) ** -55
    ahead, behind = curves.at(v + step), curves.at(v - step)
    assert max(abs((ahead[0] - behind[0]) / (2 * step) - d_rho)) <= m(10) ** -33
    assert max(abs((ahead[2] - behind[2]) / (2 * step) - d_t)) <= m(10) ** -33
    change = curves.potential(v + step) - curves.potential(v - step)
    slope = 2 * t if depth == 2 else t
    assert abs(change / (2 * step) - (slope * d_rho).sum()) <= m(10) ** -33
    assert max(abs(curves.time_of(rho) - t)) <= m(10) ** -57
    # far out: w_+ = a e^v at depth 2, a (e^{2v}/2)^{1/(L-2)} beyond, relative error e^{-2v}
    plus, _ = curves.weights(np.array([m(100), m(100)], dtype=object))
    expected = CTX.exp(100) if depth == 2 else (CTX.exp(200) / 2) ** (m(1) / (depth - 2))
    assert abs(plus[0] / curves.a[0] / expected - 1) <= m(10) ** -57


@pytest.mark.parametrize("depth", [2, 3, 4, 6])
def test_float64_against_high_precision(depth):
    v = np.array([-200.0, -3.0, -1e-8, 1e-250, 0.3, 2.0, 40.0])
    curves = PowerCurves(CTX, depth, np.array([m(a) for a in ("0.5", "1", "2", "3", "1", "1", "1")], dtype=object))
    low = curves.low()
    at, exact = low.at(v), np.array([m(float(x)) for x in v], dtype=object)
    rho, d_rho, t, d_t = curves.at(exact)
    log_rho = np.array([float(CTX.log(abs(r))) for r in rho])
    log_h = at.log_size + np.log(np.abs(at.value))
    # logarithms of size up to 6 * 200, each of a few terms rounded to eps/2
    np.testing.assert_allclose(log_h + low.amplitude, log_rho, atol=4 * EPS * 1200)
    np.testing.assert_allclose(at.slope / at.value, (d_rho / rho).astype(float), rtol=16 * EPS)
    np.testing.assert_allclose(at.time * np.exp(-low.log_w), t.astype(float), rtol=16 * EPS)
    np.testing.assert_allclose(-at.log_grow - low.log_w, [float(CTX.log(x)) for x in d_t], atol=4 * EPS * 1200)
    step = m(10) ** -15
    second = (curves.at(exact + step)[1] - curves.at(exact - step)[1]) / (2 * step) / d_rho
    np.testing.assert_allclose(at.curvature, second.astype(float), atol=16 * EPS)
    for j, distance in zip(at.near, at.distance, strict=True):
        if abs(v[j]) < 60:  # beyond, c - t is lost in 60 digits
            assert abs(distance / float((curves.a[j] ** (2 - depth) - abs(t[j])) / d_t[j]) - 1) <= 16 * EPS
    np.testing.assert_allclose(low.invert(np.arange(7), np.sign(v), log_h), v, rtol=4 * EPS * 1200)
    np.testing.assert_allclose(low.time_of(np.sign(v), log_h), at.time, rtol=4 * EPS * 1200)


@pytest.mark.parametrize("alpha", ["1e3", "1", "1e-3", "1e-60"])
@pytest.mark.parametrize("depth", [2, 3, 5])
def test_the_conditions_of_the_minimum_at_any_scale(depth, alpha):
    ctx = context(60 + int(3 * depth * abs(float(mpmath.log10(mpmath.mpf(alpha))))))
    rows, y = matrix([[1, 2, -1], [0, 1, 3]], ctx), np.array([ctx.mpf(1), ctx.mpf(2)], dtype=object)
    curves = PowerCurves(ctx, depth, ctx.mpf(alpha) * np.array([ctx.mpf(1), ctx.mpf(2), ctx.mpf(1)], dtype=object))
    found = argmin_precise(rows, y, curves, 40)
    rho, _, t, _ = curves.at(np.array([ctx.make_mpf(x._mpf_) for x in found.v], dtype=object))
    assert max(abs(rows @ rho - y)) <= ctx.mpf(10) ** -40
    # t = A^T nu: the kernel of A is (7, -3, 1)
    assert abs(7 * t[0] - 3 * t[1] + t[2]) <= ctx.mpf(10) ** -38 * max(abs(t))
    low = argmin_float(Dense(rows.astype(float)), y.astype(float), curves.low())
    # log rho is a sum of terms of size L log(1/alpha), each rounded to eps/2
    np.testing.assert_allclose(low.rho, found.rho.astype(float), rtol=20 * EPS * depth * 140)


def test_scales_of_y_far_apart_keep_their_digits():
    rows, y = matrix([[1, 2, 0], [0, 1, 1], [1, 0, 1]]), np.array([m("1e30"), m("1e-60"), m("1e30")])
    curves = PowerCurves(CTX, 3, np.array([m(1)] * 3, dtype=object))
    rho = argmin_precise(rows, y, curves, 20).rho
    # by hand: rho_2 + rho_3 = e, rho_1 + 2 rho_2 = rho_1 + rho_3 = Y, so rho_2 = e/3, rho_3 = 2e/3, rho_1 = Y - 2e/3
    expected = np.array([m("1e30"), m("1e-60") / 3, m("2e-60") / 3], dtype=object)
    assert max(abs(rho / expected - 1)) <= m(10) ** -19

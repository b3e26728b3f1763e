"""The curves of any real start in float64: against high precision, Theorem 5's own curves, and the conditions of a
minimum.
"""

import numpy as np
import pytest

from symbias.errors import NotConverged
from symbias.numeric import minimize
from symbias.numeric.curves import EqualLayers
from symbias.numeric.general_curves import Coordinate, GeneralCurves
from symbias.numeric.layers import UnequalLayers
from symbias.numeric.minimize import argmin_float
from symbias.numeric.minimize_precise import argmin_precise
from symbias.numeric.operators import Dense
from symbias.precision import context

CTX = context(60)
m = CTX.mpf
EPS = np.finfo(float).eps
MOVES = (-230.0, -30.0, -2.0, -0.3, 1e-3, 1.0, 4.0, 40.0, 230.0)


def curves_of(eta: np.ndarray, ctx=CTX) -> GeneralCurves:
    """The curves of a start (L, m) of floats: the smallest layer and the differences of squares."""
    made = []
    for column in np.array([[ctx.mpf(float(e)) for e in row] for row in eta], dtype=object).T:
        least = min(range(len(column)), key=lambda layer: abs(column[layer]))
        others = [e for layer, e in enumerate(column) if layer != least]
        sign = -1 if sum(e < 0 for e in others) % 2 else 1
        deltas = sorted((abs(e) - abs(column[least])) * (abs(e) + abs(column[least])) for e in others)
        made.append(Coordinate(ctx, sign * column[least], tuple(deltas)))
    return GeneralCurves(tuple(made))


STARTS = curves_of(
    np.array(
        [
            [0.3, 0.0, 2.0, -1.0, 1e-3, 1.0],
            [1.0, 1.0, 2.0, -1.0, 40.0, -2.0],
            [-2.0, 1.0, 3.0, 5.0, 1e8, 2.5],
            [5.0, -7.0, 4.0, 1.0, 1e-2, -0.9999999],
        ]
    )
)


@pytest.mark.parametrize("move", MOVES)
def test_every_quantity_against_high_precision(move):
    low = STARTS.low()
    v = low.v_0 + move
    at, exact = low.at(v), [m(float(entry)) for entry in v]
    rho, d_rho, t, d_t = STARTS.at(exact)
    # logarithms of size up to 4 * 230, with a rounding or two of eps/2 a layer
    log_rho = np.array([float(CTX.log(abs(r))) for r in rho])
    np.testing.assert_allclose(at.log_size + np.log(np.abs(at.value)) + low.amplitude, log_rho, atol=8 * EPS * 930)
    np.testing.assert_allclose(-at.log_grow - low.log_w, [float(CTX.log(x)) for x in d_t], atol=8 * EPS * 930)
    np.testing.assert_allclose(at.slope / at.value, (d_rho / rho).astype(float), rtol=32 * EPS)
    # v_0 is rounded, |v_0| < 12: an absolute error of 12 eps in t, which is small where the move is
    np.testing.assert_allclose(at.time, t.astype(float) * np.exp(low.log_w), rtol=64 * EPS, atol=12 * EPS)
    step = m(10) ** -15
    ahead, behind = (STARTS.at([x + sign * step for x in exact]) for sign in (1, -1))
    np.testing.assert_allclose(at.curvature, ((ahead[1] - behind[1]) / (2 * step) / d_rho).astype(float), atol=64 * EPS)
    growth = -(ahead[3] - behind[3]) / (2 * step) / d_t
    np.testing.assert_allclose(at.growth, growth.astype(float), atol=64 * EPS)
    # near the end the distance to it is carried
    ends = [c.range_of_t(int(s)) for c, s in zip(STARTS.coordinates, at.side, strict=True)]
    for j, distance in zip(at.near, at.distance, strict=True):
        if abs(move) < 100:  # beyond, the difference of two numbers of 60 digits is lost
            assert abs(distance / float(abs(ends[j] - t[j]) / d_t[j]) - 1) <= 64 * EPS
    assert set(at.near) >= {j for j in range(6) if abs(move) == 40 and abs(ends[j]) != CTX.inf and j != 4}


def test_equal_layers_are_the_curves_of_theorem_5():
    v = np.array([-230.0, -3.0, -0.4, 1e-9, 0.7, 5.0, 30.0])
    for depth in (2, 3, 4, 7):
        zero = np.zeros(v.size)
        ours = UnequalLayers(zero, zero.astype(int), np.zeros((depth - 2, v.size)), zero, zero).at(v)
        other = EqualLayers(depth, zero).at(v)
        for name in ("value", "slope", "curvature", "growth", "time", "side", "end"):
            np.testing.assert_allclose(getattr(ours, name), getattr(other, name), rtol=64 * EPS)
        for name in ("log_size", "log_grow"):
            np.testing.assert_allclose(getattr(ours, name), getattr(other, name), rtol=8 * EPS, atol=8 * EPS)
        assert np.array_equal(ours.near, other.near)
        np.testing.assert_allclose(ours.distance, other.distance, rtol=64 * EPS)


@pytest.mark.parametrize("move", MOVES)
def test_inversion(move):
    low = STARTS.low()
    v = low.v_0 + move
    at = low.at(v)
    found = low.invert(np.arange(v.size), np.sign(at.value), at.log_size + np.log(np.abs(at.value)))
    # log h of size up to 930 is rounded, and v moves by as much over a slope of at least 1
    np.testing.assert_allclose(found, v, atol=8 * EPS * 930)


@pytest.mark.parametrize("alpha", [1e10, 1.0, 1e-3, 1e-40, 1e-60])
@pytest.mark.parametrize("depth", [2, 3, 4, 6])
def test_the_minimum_agrees_with_high_precision(depth, alpha):
    rng = np.random.default_rng(depth)
    A, y, eta = rng.standard_normal((2, 5)), rng.standard_normal(2), alpha * rng.standard_normal((depth, 5))
    eta[-1] *= alpha <= 1  # from 1e10 every rho would have to cancel: not a question for float64
    ctx = context(60 + 4 * depth * abs(round(np.log10(alpha))))
    curves = curves_of(eta, ctx)
    found = argmin_float(Dense(A), y, curves.low())
    precise = argmin_precise(A.astype(object), y.astype(object), curves, 20)
    # log rho is a sum of terms of size L log(1/alpha), each rounded to eps/2; the 2 x 2 system has a condition of ten
    tolerance = 50 * EPS * (1 + depth * abs(np.log(alpha)))
    np.testing.assert_allclose(found.rho, precise.rho.astype(float), rtol=tolerance)
    assert all(residual.holds for residual in found.residuals) and found.note == ""
    assert found.steps <= 20  # 15 at most were needed; 26 with a predictor that takes the start for a target of 0


def test_signs_that_ties_keep_and_coordinates_pushed_against_them():
    # depth 3, two tied coordinates of which one has to shrink; against high precision
    eta = np.array([[1.0, 1.0, 0.5], [1.0, -1.0, 2.0], [2.0, 3.0, 1.0]])
    A, y = np.array([[1.0, 1.0, 1.0]]), np.array([1e-6])
    curves = curves_of(eta)
    found = argmin_float(Dense(A), y, curves.low())
    assert found.rho[0] > 0 > found.rho[1]  # the signs of the start: 1 * 1 * 2 and 1 * -1 * 3
    precise = argmin_precise(A.astype(object), y.astype(object), curves, 20)
    np.testing.assert_allclose(found.rho, precise.rho.astype(float), rtol=1e-13)  # about 100 eps


def test_what_float64_cannot_hold_is_left_to_high_precision():
    # from rho(0) = 1e30 to X beta = 1: A rho = y holds to 1e14, and the answer says so
    curves = curves_of(np.array([[1e10, 2e10], [2e10, 1e10], [3e10, 1e10]]))
    assert "far above |y|" in argmin_float(Dense(np.array([[1.0, -1.0]])), np.array([1.0]), curves.low()).note
    assert minimize.held_by_floats(np.array([[1.0, -1.0]]), np.array([1.0]), curves.low()) is None
    assert minimize.held_by_floats(np.array([[np.inf, -1.0]]), np.array([1.0]), curves.low()) is None
    # rho > 0 for ever: no minimum, and no number
    tied = curves_of(np.array([[1.0], [1.0]])).low()
    with pytest.raises(NotConverged, match="feasibility: .*; stationarity: .*where layers tie") as refused:
        argmin_float(Dense(np.array([[1.0]])), np.array([-1.0]), tied)
    assert [r.name for r in refused.value.residuals] == ["feasibility", "stationarity"]
    assert minimize.held_by_floats(np.array([[1.0]]), np.array([-1.0]), tied) is None


def test_a_wrong_curve_is_refused(monkeypatch):
    # the control: with t off by 1e-6 the minimum is not one of the potential that rho is asked about
    curves = curves_of(np.array([[1.0, 2.0, 0.3], [2.0, 1.0, 1.0], [0.5, 0.1, 4.0]])).low()
    between = UnequalLayers.between

    def wrong(self, v, j):
        return between(self, v, j) * (1 + (1e-6 if self.panel == 2.0 else 0.0) * (j + 1))

    monkeypatch.setattr(UnequalLayers, "between", wrong)
    with pytest.raises(NotConverged, match="stationarity"):
        argmin_float(Dense(np.array([[1.0, 2.0, -1.0]])), np.array([1.0]), curves)

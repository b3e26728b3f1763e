"""t and the distance to the end in v = asinh q, against mpmath quadrature and the closed forms."""

import math

import mpmath
import numpy as np
import pytest

from symbias.numeric import sech

EPS = np.finfo(float).eps
POINTS = np.array([1e-300, 1e-12, 1e-3, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0, 230.0])


def exact_time(depth, v):
    """∫_0^v sech^(L-2) = (1/2) B(sech^2 v, ...) complement, by 2F1 in sinh at 60 digits."""
    with mpmath.workdps(60):
        q = mpmath.sinh(mpmath.mpf(v))
        return q * mpmath.hyp2f1(mpmath.mpf(1) / 2, mpmath.mpf(depth - 1) / 2, mpmath.mpf(3) / 2, -q * q)


@pytest.mark.parametrize("depth", [2, 3, 4, 5, 6, 9, 12])
def test_time(depth):
    values = sech.Hyperbolic(POINTS).time(depth)
    for v, value in zip(POINTS[:-1], values[:-1], strict=True):
        assert abs(value / float(exact_time(depth, v)) - 1) < 8 * EPS  # one rounding a term of the recurrence
    assert (sech.Hyperbolic(-POINTS).time(depth) == -values).all()


@pytest.mark.parametrize("depth", [3, 4, 5, 6, 9, 12])
def test_distance_to_the_end(depth):
    at = sech.Hyperbolic(POINTS)
    v, z = POINTS[at.is_near(depth)], at.sech_squared[at.is_near(depth)]
    assert v.size >= 3
    for point, value in zip(v, sech.scaled_distance(depth, z), strict=True):
        with mpmath.workdps(60):
            z = 1 / mpmath.cosh(mpmath.mpf(point)) ** 2
            half = mpmath.mpf(depth - 2) / 2
            expected = mpmath.hyp2f1(mpmath.mpf(1) / 2, half, half + 1, z) / (2 * half)
            # the same number from the definition where it does not cancel
            if point < 6:
                end = mpmath.beta(half, mpmath.mpf(1) / 2) / 2
                assert abs((end - exact_time(depth, point)) * mpmath.cosh(point) ** (2 * half) / expected - 1) < 1e-20
        assert abs(value / float(expected) - 1) < 8 * EPS


def test_end_of_the_domain():
    # theory.md section 3
    expected = {3: math.pi / 2, 4: 1, 5: math.pi / 4, 6: 2 / 3, 7: 3 * math.pi / 16, 8: 8 / 15}
    assert all(abs(sech.end(depth) / value - 1) < 4 * EPS for depth, value in expected.items())
    assert sech.end(2) == math.inf


def test_log_cosh_and_sech_squared():
    for v in POINTS:
        with mpmath.workdps(60):
            cosh = mpmath.cosh(mpmath.mpf(float(v)))
            log = float(mpmath.log(cosh))
            inverse = float(1 / cosh**2)
        at = sech.Hyperbolic(np.array([v]))
        assert at.log_cosh[0] == pytest.approx(log, rel=4 * EPS, abs=2 * EPS)
        assert at.sech_squared[0] == pytest.approx(inverse, rel=2 * v * EPS + 4 * EPS)
    assert sech.Hyperbolic(np.array([1e4])).sech_squared[0] == 0.0


def test_near_means_a_small_distance():
    for depth in (3, 5, 12):
        near = sech.Hyperbolic(POINTS).is_near(depth)
        assert (np.cosh(POINTS[near & (POINTS < 100)]) ** (2 - depth) < sech.NEAR).all()
    assert not sech.Hyperbolic(POINTS).is_near(2).any()

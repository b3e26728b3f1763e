"""The ulps that float64.py claims, on seeded random samples of every depth large enough to meet rare points."""

import kernels_oracle as oracle
import kernels_wide as wide
import numpy as np
import pytest
from kernels_oracle import mp

from symbias import kernels

DEPTHS = range(2, 33)


def y_sample(depth):
    """Where the functions bend, and a wide range: below 1e-12 and beyond 1e40 they are powers or constants."""
    rng, n = np.random.default_rng([1, depth]), wide.POINTS
    return np.concatenate(
        [10 ** rng.uniform(-4, 2, n // 2), rng.uniform(0.01, 3, n // 4), 10 ** rng.uniform(-12, 40, n // 4)]
    )


def t_sample(depth):
    rng, n = np.random.default_rng([2, depth]), wide.POINTS
    if depth == 2:
        return np.concatenate([rng.uniform(0, 3, n // 2), 10 ** rng.uniform(-6, 2, n // 2)])
    end_on = [1 - 10 ** rng.uniform(-9, 0, n // 4), rng.uniform(0.5, 1, n // 4)]
    return kernels.c(depth) * np.concatenate([rng.uniform(0, 0.8, n // 4), 10 ** rng.uniform(-4, 0, n // 4), *end_on])


def assert_within(bound, errors, x, name):
    at = errors.argmax()
    assert errors[at] <= bound, f"{name} at {x[at]!r} is {errors[at]:.2f} ulp off"


@pytest.mark.parametrize("depth", DEPTHS)
def test_random_y_keep_their_ulps(depth):
    # The claims of float64.py.
    y = y_sample(depth)
    q = wide.root(depth, y, kernels.root(depth, y))
    t = wide.time(depth, q)
    assert_within(4, wide.ulps(kernels.root(depth, y), q), y, f"root({depth})")
    assert_within(4, wide.ulps(kernels.h_inverse(depth, y), t), y, f"h_inverse({depth})")
    slope = (q / y) ** 2 * (1 + q * q) / (1 + depth * q * q)
    assert_within(8, wide.ulps(kernels.h_inverse_prime(depth, y), slope), y, f"h_inverse_prime({depth})")
    # t y - q^2/2 loses at most a factor 3: well within the digits of the oracle.
    assert_within(8, wide.ulps(kernels.H(depth, y), t * y - q * q / 2), y, f"H({depth})")


@pytest.mark.parametrize("depth", DEPTHS)
def test_random_t_keep_their_ulps(depth):
    t = t_sample(depth)
    q = wide.q_from_time(depth, t, kernels.q(depth, t))
    z = q * q
    assert_within(4, wide.ulps(kernels.q(depth, t), q), t, f"q({depth})")
    p = np.sqrt(1 + z) if wide.WIDE else [mp.sqrt(1 + v) for v in z]
    assert_within(4, wide.ulps(kernels.p(depth, t), p), t, f"p({depth})")
    h = q * wide.power(depth, q) if wide.WIDE else [oracle.h_of(depth, v) for v in q]
    growth = ((1 + depth * z) / (1 + z)).astype(np.float64)
    assert_within(4, wide.ulps(kernels.h(depth, t), h) / growth, t, f"h({depth})")


@pytest.mark.parametrize("depth", [2, 3, 6, 15, 32])
def test_the_wide_oracle_agrees_with_60_digits(depth):
    # 0.1 ulp of a float64: see kernels_wide.py. A sum of two float64 holds all 64 bits.
    y, t = y_sample(depth)[:: wide.POINTS // 15], t_sample(depth)[:: wide.POINTS // 15]
    q = wide.root(depth, y, kernels.root(depth, y))
    inside = wide.q_from_time(depth, t, kernels.q(depth, t))
    exact = [oracle.root(depth, v) for v in y]
    for got, wanted in (
        (q, exact),
        (wide.time(depth, q), [oracle.time(depth, v) for v in exact]),
        (inside, [oracle.q_from_time(depth, v, float(s)) for v, s in zip(t, inside, strict=True)]),
    ):
        for g, w in zip(got, wanted, strict=True):
            read = mp.mpf(float(g)) + mp.mpf(float(g - np.longdouble(float(g)))) if wide.WIDE else g
            assert abs(read - w) <= 0.1 * mp.mpf(np.spacing(abs(float(w))))


def test_a_neighbouring_float64_is_seen():
    # Negative control: five units in the last place on one point of the sample.
    y = y_sample(7)
    got = kernels.h_inverse(7, y)
    got[wide.POINTS // 3] += 5 * np.spacing(got[wide.POINTS // 3])
    with pytest.raises(AssertionError, match="ulp off"):
        assert_within(4, wide.ulps(got, wide.time(7, wide.root(7, y, kernels.root(7, y)))), y, "h_inverse(7)")

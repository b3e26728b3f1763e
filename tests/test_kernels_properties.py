"""What must hold between the kernels at every point: oddness, order, inverse pairs, H' = h_inverse."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from symbias import kernels

EPS = np.finfo(float).eps
depths = st.integers(2, 32)
y_values = st.one_of(st.floats(1e-300, 1e300), st.floats(-12, 40).map(lambda e: float(10**e)))
fractions = st.one_of(st.floats(0, 1, exclude_max=True), st.floats(-300, 0).map(lambda e: 0.999 * float(10**e)))
MANY = settings(max_examples=200)


def span(depth):
    """A stand-in for c at depth 2, where h overflows beyond t = 355."""
    return kernels.c(depth) if depth > 2 else 300.0


@MANY
@given(depths, y_values, fractions)
def test_odd_and_even_to_the_last_bit(depth, y, fraction):
    for function in (kernels.root, kernels.h_inverse):
        assert function(depth, -y) == -function(depth, y)
    for function in (kernels.H, kernels.h_inverse_prime):
        assert function(depth, -y) == function(depth, y)
    t = fraction * span(depth)
    assert kernels.q(depth, -t) == -kernels.q(depth, t) and kernels.h(depth, -t) == -kernels.h(depth, t)
    assert kernels.p(depth, -t) == kernels.p(depth, t) >= 1


@MANY
@given(depths, y_values)
def test_order_is_kept(depth, y):
    # q grows by at least the fraction 1/L of a relative change of y: 1e-13/32 is 14 eps, beyond the 8 of two errors.
    more = y * (1 + 1e-13)
    assert kernels.root(depth, y) < kernels.root(depth, more)
    # h_inverse saturates, so it may only not decrease, up to the two errors.
    assert kernels.h_inverse(depth, more) >= kernels.h_inverse(depth, y) * (1 - 8 * EPS)
    assert kernels.h_inverse_prime(depth, 2 * y) <= kernels.h_inverse_prime(depth, y) * (1 + 16 * EPS)


@MANY
@given(depths, y_values)
def test_the_potential_has_h_inverse_as_its_slope(depth, y):
    # Convexity: t(y) <= (H(y2) - H(y)) / (y2 - y) <= t(y2). H is 8 ulp wrong twice, over a step of y/1000.
    if not 1e-150 < y < 1e290:  # H underflows, or overflows at depth 2
        return
    more = y * 1.001
    slope = (kernels.H(depth, more) - kernels.H(depth, y)) / (more - y)
    slack = 1 + 16 * EPS * 2000
    assert kernels.h_inverse(depth, y) / slack <= slope <= kernels.h_inverse(depth, more) * slack


@MANY
@given(depths, st.floats(-8, 8).map(lambda e: float(10**e)))
def test_h_inverse_has_its_derivative(depth, y):
    # Concavity for y > 0; where t has stopped moving in float64 the quotient says nothing.
    more = y * 1.01
    change = kernels.h_inverse(depth, more) - kernels.h_inverse(depth, y)
    error = 8 * EPS * kernels.h_inverse(depth, more) / (more - y)
    slope = change / (more - y)
    assert kernels.h_inverse_prime(depth, more) * (1 - 1e-12) - error <= slope
    assert slope <= kernels.h_inverse_prime(depth, y) * (1 + 1e-12) + error


@MANY
@given(depths, fractions)
def test_h_inverse_undoes_h(depth, fraction):
    # h is 4 ulp (1 + L q^2)/(1 + q^2) wrong, which h_inverse turns into at most 4 of t (dlog t/dlog q <= 1); its own 4
    # ulp come on top, and an ulp can be twice as large on the other side of a power of two.
    t = fraction * span(depth)
    assert abs(kernels.h_inverse(depth, kernels.h(depth, t)) - t) <= 16 * np.spacing(t)


@MANY
@given(depths, fractions)
def test_root_undoes_h_into_q(depth, fraction):
    # The same count: 4 ulp from h, 4 of root, 4 of q.
    t = fraction * span(depth)
    q = kernels.q(depth, t)
    if np.isfinite(kernels.h(depth, t)):
        assert abs(kernels.root(depth, kernels.h(depth, t)) - q) <= 24 * np.spacing(q)


@MANY
@given(st.integers(3, 32), st.floats(0.001, 1.999))
def test_t_and_its_distance_to_the_end_agree(depth, fraction):
    # to_end + t = c within an ulp of c, which moves q by p^(L-1) times that; 4 ulp of each q on top.
    c = kernels.c(depth)
    t = c - fraction * c
    q, other = kernels.q(depth, to_end=fraction * c), kernels.q(depth, t)
    assert abs(q - other) <= 8 * EPS * abs(q) + 2 * EPS * c * kernels.p(depth, t) ** (depth - 1)


def test_the_properties_fail_for_a_neighbouring_depth():
    # Negative controls: each relation, with the depth of one side off by one.
    assert abs(kernels.h_inverse(4, kernels.h(3, 0.5)) - 0.5) > 1e-2
    assert abs(kernels.root(4, kernels.h(3, 0.5)) - kernels.q(3, 0.5)) > 1e-2
    slope = (kernels.H(3, 1.001) - kernels.H(3, 1.0)) / 0.001
    assert slope > kernels.h_inverse(4, 1.001)

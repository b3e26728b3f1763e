"""Gauss-Legendre rules: exact for polynomials of degree 2 n - 1, and for no more."""

import pytest

from symbias.numeric.gauss import rule
from symbias.precision import context


@pytest.mark.parametrize("count, digits", [(1, 60), (2, 60), (7, 60), (30, 60), (64, 20), (100, 400)])
def test_the_rule_integrates_polynomials_of_degree_2n_minus_1_exactly(count, digits):
    ctx = context(digits)
    nodes, weights = rule(ctx, count)
    rounding = ctx.mpf(10) ** (3 - digits)  # count terms of at most 2, each rounded
    for degree in (0, 2 * count - 2, 2 * count - 1):
        exact = 0 if degree % 2 else ctx.mpf(2) / (degree + 1)
        assert abs(weights @ nodes**degree - exact) <= rounding
    # the control: one degree more is wrong by 2^{2n+1} (n!)^4 / ((2n + 1) (2n)!^2), about pi 4^{-n}
    beyond = ctx.mpf(2) / (2 * count + 1) - weights @ nodes ** (2 * count)
    known = ctx.mpf(2) ** (2 * count + 1) * ctx.fac(count) ** 4 / ((2 * count + 1) * ctx.fac(2 * count) ** 2)
    assert known < rounding or abs(beyond / known - 1) <= rounding / known

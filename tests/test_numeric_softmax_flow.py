"""The multipliers of the log-loss flow in high precision, against integrals that mpmath knows."""

import mpmath
import numpy as np
import pytest

from symbias.errors import NotConverged
from symbias.numeric.softmax_flow import SoftmaxFlow
from symbias.precision import context

CTX = context(400)


def flow(A, plus, minus, digits=30, points=30):
    """The flow of integer rows A from the constants P and N."""
    A = np.array([[CTX.mpf(entry) for entry in row] for row in A], dtype=object)
    logs = [
        np.array([CTX.log(c) if c else CTX.ninf for c in map(CTX.mpf, part)], dtype=object) for part in (plus, minus)
    ]
    return SoftmaxFlow(A, A, *logs, CTX, digits, points)


def test_one_sample_grows_at_unit_speed():
    # p = 1: mu = s, and rho = sinh(2 s) / 2 from P = N = 1/4
    found = flow([[1]], ["0.25"], ["0.25"])
    for _ in range(5):
        found.step()
    s = CTX.ldexp(int(found.time), -found.bits)
    assert abs(found.mu()[0] - s) < CTX.mpf(10) ** -29 * s
    assert abs(found.margins()[0] - CTX.sinh(2 * s) / 2) < CTX.mpf(10) ** -25 * found.margins()[0]


@pytest.mark.parametrize("minus", ["0", "0.3"])
def test_a_frozen_multiplier_is_its_integral(minus):
    # One coordinate, rows 1 and 2: p_2 / p_1 = exp(-rho(g)), g = mu_1 + 2 mu_2, so mu_2 = int_0^oo dg / (2 + e^rho).
    found = flow([[1], [2]], ["0.3"], [minus], digits=34, points=34)
    while found.log_weights[1] > -90:  # what is left is below e^-90
        found.step()
    with mpmath.workdps(50):
        P, N = mpmath.mpf("0.3"), mpmath.mpf(minus)
        # beyond g = 3 the integrand is below exp(-0.3 e^6 + 1)
        truth = mpmath.quad(lambda g: 1 / (2 + mpmath.exp(P * mpmath.exp(2 * g) - N * mpmath.exp(-2 * g))), range(5))
        assert abs(found.mu()[1] - truth) < mpmath.mpf(10) ** -33


def test_two_coordinates_of_kept_sign_share_by_the_exponential_integral():
    # rows e_1 and e_2: exp(rho_1) d mu_1 = exp(rho_2) d mu_2, and int exp(P e^{2x}) dx = Ei(P e^{2x}) / 2
    found = flow([[1, 0], [0, 1]], ["0.5", "2"], ["0", "0"], digits=34, points=34)
    while min(found.margins()) < 1e6:
        found.step()
    rho, large = found.margins(), mpmath.mp.clone()
    large.dps = 60
    left, right = (large.ei(large.mpf(r)) - large.ei(large.mpf(p)) for r, p in zip(rho, ("0.5", "2"), strict=True))
    # Ei(rho) is of relative size e^rho: a relative error of 1e-25 says that rho_1 - rho_2 is right to 1e-25.
    assert abs(left / right - 1) < 1e-25
    s = CTX.ldexp(int(found.time), -found.bits)
    assert abs(sum(found.mu()) - s) < CTX.mpf(10) ** -30


def test_points_and_digits_do_not_matter_and_a_wrong_constant_does():
    rows, ends = [[1, 1, 0], [3, 2, 1], [1, 2, -1]], []
    for digits, points, plus in ((24, 20, "0.25"), (30, 37, "0.25"), (30, 37, "0.2500000000000000000001")):
        found = flow(rows, [plus] * 3, ["0.25"] * 3, digits, points)
        while max(found.log_weights[1:]) > -70:
            found.step()
        ends.append(found.mu()[1:])
    assert max(abs(a - b) for a, b in zip(ends[0], ends[1], strict=True)) < 1e-24
    assert max(abs(a - b) for a, b in zip(ends[1], ends[2], strict=True)) > 1e-24


def test_tiny_and_huge_starts_are_ordinary():
    # g = asinh(r / 2 a) / 2 for a margin r: mu_2 = int dr / (2 (2 + e^r) sqrt(r^2 + 4 a^2)), ln 3 / (8 a) for large a.
    for size in ("1e-200", "1e150"):
        found = flow([[1], [2]], [size], [size])
        while found.log_weights[1] > -70:
            found.step()
        with mpmath.workdps(50):
            a = mpmath.mpf(size)
            truth = mpmath.ln(3) / (8 * a)
            if a < 1:
                powers = [mpmath.mpf(10) ** k for k in range(-200, 0, 4)]
                truth = mpmath.quad(
                    lambda r, a=a: 1 / (2 * (2 + mpmath.exp(r)) * mpmath.sqrt(r * r + 4 * a * a)),
                    [0, *powers, 1, 9, 200],
                )
            assert abs(found.mu()[1] / truth - 1) < mpmath.mpf(10) ** -27


def test_margins_beyond_floats_are_refused():
    found = flow([[1], [2]], ["0.25"], ["0.25"], 15, 15)
    with pytest.raises(NotConverged, match="cannot be followed beyond"):
        for _ in range(500):
            found.step()

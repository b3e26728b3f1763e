"""The Taylor method: its order, closed-form trajectories, time reversal, and blow-ups named."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from symbias.errors import BadInput, NotConverged
from symbias.numeric.lemma_4 import integrate_lemma_4
from symbias.numeric.products import Circular, Hadamard
from symbias.numeric.series import OnlineConvolution, OnlineJoin, Overflow, horner, to_ints, to_mpf
from symbias.numeric.taylor import TaylorFlow
from symbias.precision import context

CTX = context(80)


def mpf(values):
    return np.array([CTX.mpf(str(v)) for v in np.ravel(values)], dtype=object).reshape(np.shape(values))


def relative(value, exact):
    return float(abs(CTX.convert(value) - exact) / abs(exact))


def diagonal_flow(depth, alpha, y, digits, task="regression"):
    X = mpf([["1.5", "-0.4", "0.7"], ["0.3", "0.9", "-1.1"]])
    blocks = [mpf([alpha] * 3)] * (depth - 1) + [mpf([0, 0, 0])]
    return TaylorFlow(Hadamard(), X, mpf(y), blocks, digits, task)


@pytest.mark.parametrize("order", [4, 9])
def test_the_local_error_of_order_k_falls_like_h_to_the_k_plus_1(order):
    one = mpf([1])
    flow = TaylorFlow(Hadamard(), one[None], one, [one, one, 0 * one], 40, "drive")
    errors = []
    for power in (6, 7, 8):
        h = Fraction(1, 2**power)
        p = sum(flow.coefficients(order, h)[0])[0]
        errors.append(abs(CTX.convert(p) - CTX.sec(CTX.mpf(1) / 2**power)))
    for coarse, fine in zip(errors, errors[1:], strict=False):
        # sec is even: an even order gains one power (its next term vanishes); h = 2^-6 leaves a relative h^2
        assert abs(CTX.log(coarse / fine, 2) - (order + 1 + (order + 1) % 2)) < 0.01


@pytest.mark.parametrize(("depth", "t"), [(2, "3"), (3, "-1.5"), (4, "0.999"), (5, "0.5"), (6, "0.5")])
def test_lemma_4_is_its_closed_form(depth, t):
    p, q = integrate_lemma_4(depth, t, 50)
    s = CTX.mpf(t)
    if depth == 6:
        sine = 2 * CTX.sin(CTX.asin(3 * s / 2) / 3)
    exact = {
        2: lambda: CTX.sinh(s),
        3: lambda: CTX.tan(s),
        4: lambda: s / CTX.sqrt(1 - s * s),
        5: lambda: CTX.tan(CTX.findroot(lambda E: E + CTX.sin(E) - 4 * s, 1) / 2),  # Kepler's equation
        6: lambda: sine / CTX.sqrt(1 - sine * sine),
    }[depth]()
    assert relative(q, exact) < 1e-49 and relative(p, CTX.sqrt(1 + exact**2)) < 1e-49  # rounded to 50 digits
    assert relative(q, exact * (1 + CTX.mpf(10) ** -45)) > 1e-46


def test_lemma_4_past_its_blow_up_names_the_time():
    with pytest.raises(BadInput, match=r"blow-up .* c_3 = 1\.57079632679"):
        integrate_lemma_4(3, "1.6", 20)
    with pytest.raises(BadInput, match="c_4 = 1.0"):
        integrate_lemma_4(4, "-1.01", 20)


def test_one_sample_depth_two_follows_its_riccati_solution():
    # w_1 = a p, w_2 = a q, E = e^{2 nu}: E' = -(a^2/2)(E - E_+)(E - E_-), E_± = 2y/a^2 ± sqrt(4 y^2/a^4 + 1)
    a, y, t = CTX.mpf("0.3"), CTX.mpf("0.8"), CTX.mpf("4.5")
    flow = TaylorFlow(Hadamard(), mpf([["1"]]), mpf(["0.8"]), [mpf(["0.3"]), mpf([0])], 40)
    flow.advance_to(Fraction(9, 2))
    middle, half = 2 * y / a**2, CTX.sqrt(4 * y**2 / a**4 + 1)
    ratio = (1 - middle - half) / (1 - middle + half) * CTX.exp(-(a**2) * half * t)
    nu = CTX.log((middle + half - ratio * (middle - half)) / (1 - ratio)) / 2
    first, last = (block[0] for block in flow.blocks())
    assert relative(first, a * CTX.cosh(nu)) < 1e-40 and relative(last, a * CTX.sinh(nu)) < 1e-40


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_the_flow_runs_backwards_to_where_it_started(task):
    flow = diagonal_flow(3, "0.5", [1, -1], 30, task)
    start = flow.blocks()
    flow.advance_to(Fraction(2))
    moved = max(abs(v) for v in flow.blocks()[-1])
    flow.advance_to(Fraction(0))
    back = max(abs(a - b) for s, e in zip(start, flow.blocks(), strict=True) for a, b in zip(s, e, strict=True))
    # backwards the flow expands, e^{2 lambda} with lambda < 4: three of the 30 digits
    assert back < 1e-27 < moved


def test_a_flow_that_blows_up_backwards_names_the_time():
    flow = diagonal_flow(3, "0.5", [1, -1], 20)
    flow.advance_to(Fraction(2))
    with pytest.raises(NotConverged, match=r"at time -.*blows up"):
        flow.advance_to(Fraction(-100))


def test_invariants_drift_below_the_digits_and_do_not_under_a_wrong_flow():
    flow = diagonal_flow(4, "0.5", [1, "-0.5"], 30)
    start = flow.blocks()
    for _ in range(10):
        flow.step()
    assert flow.product.drift(start, flow.blocks()) < 1e-30
    wrong = [flow.blocks()[0], *start[1:]]
    assert flow.product.drift(start, wrong) > 1e-6


@pytest.mark.parametrize(("left", "right"), [((7,), (7,)), ((2,), (3,)), ((3,), (7,))])
def test_packed_convolutions_are_the_plain_ones(left, right):
    rng, bits = np.random.default_rng(1), 90
    plain = OnlineJoin(Circular(7), left, right, 6, bits)
    packed = OnlineConvolution(7, left, right, 6, bits, top=bits + 8)
    for k in range(6):
        a, b, g = (to_ints(mpf(rng.normal(size=s)), bits) for s in (left, right, (7,)))
        assert np.array_equal(plain.push(k, a, b), packed.push(k, a, b))
        for ours, theirs in zip(plain.pull(k, g), packed.pull(k, g), strict=True):
            assert np.array_equal(ours, theirs)
    with pytest.raises(Overflow):
        packed.push(5, a << 20, b)


def test_fixed_point_evaluation_is_the_polynomial():
    bits = 200
    series = to_ints(mpf([[1, "0.5"], [2, "-0.25"], ["0.125", 3]]), bits)
    value = to_mpf(CTX, horner(series, (1 << bits) * 3 // 4, bits), bits)
    # halves and quarters are exact in binary; the floors lose at most 2^-199
    assert abs(value[0] - mpmath.mpf("2.5703125")) < 1e-58 and abs(value[1] - mpmath.mpf("2.0")) < 1e-58

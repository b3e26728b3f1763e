"""Checks: a true prediction holds, a wrong one fails, and the evidence is independent of the prediction."""

from dataclasses import replace

import mpmath
import numpy as np
import pytest
import sympy

import symbias as sb
from symbias.checks.flow import digits_agreed
from symbias.checks.optimality import optimality
from symbias.precision import context


def problem(network, X, y, alpha="0.5", eta=1):
    return sb.Regression(network, X, y, sb.Initialization.theorem_5(network, alpha, eta))


DIAGONAL = problem(sb.Diagonal(3, 3), [[1, 2, -1], [0, 1, 1]], [1, 2], eta=[1, 2, "0.5"])
EVEN = problem(sb.Convolutional(4, 2), [[1, 2, 0, 2], [1, -1, 1, -1]], [1, 2], eta=[1, 2, 1])
SENSING = problem(sb.MatrixSensing(2, 2), [[[2, 1], [1, 2]]], [1])


@pytest.mark.parametrize("case", [DIAGONAL, EVEN, SENSING], ids=["diagonal", "convolutional", "matrix_sensing"])
def test_the_integrated_network_ends_where_theorem_5_says_to_30_digits(case):
    prediction = sb.predict(case, digits=30, theorem="theorem_5")
    outcome = sb.check(case, prediction)
    assert outcome.verdict == "holds" and outcome.digits >= 29
    assert outcome.points == prediction.coefficients.size + sum(block.size for block in prediction.blocks)


@pytest.mark.parametrize("case", [DIAGONAL, EVEN], ids=["diagonal", "convolutional"])
def test_one_coefficient_changed_in_the_20th_digit_fails(case):
    prediction = sb.predict(case, digits=30, theorem="theorem_5")
    wrong = prediction.coefficients.copy()
    with mpmath.workdps(40):
        wrong[1] *= 1 + mpmath.mpf(10) ** -20
    outcome = sb.check(case, replace(prediction, coefficients=wrong), digits=30)
    assert outcome.verdict == "fails" and 19.5 < outcome.digits < 20.5
    # not only against the flow: the optimality conditions see it by themselves
    failed = {e.name for e in outcome.evidence if not e.holds}
    assert "feasibility X beta = y" in failed and "full flow against the prediction" in failed
    assert "flow from two stopping places" not in failed


def test_blocks_are_checked_too():
    prediction = sb.predict(DIAGONAL, digits=20)
    blocks = [block.copy() for block in prediction.blocks]
    with mpmath.workdps(30):
        blocks[1][0] *= 1 + mpmath.mpf(10) ** -12
    assert sb.check(DIAGONAL, replace(prediction, blocks=tuple(blocks)), digits=20).verdict == "fails"


def test_a_float64_prediction_is_held_to_its_own_digits():
    outcome = sb.check(DIAGONAL, sb.predict(DIAGONAL), digits=30)
    assert outcome.verdict == "holds" and "held to 10 digits" in outcome.note
    prediction = sb.predict(DIAGONAL)
    wrong = prediction.coefficients * np.array([1, 1 + 1e-8, 1])
    assert sb.check(DIAGONAL, replace(prediction, coefficients=wrong), digits=30).verdict == "fails"


def test_the_limit_of_another_alpha_is_feasible_but_not_stationary():
    other = problem(sb.Diagonal(3, 3), [[1, 2, -1], [0, 1, 1]], [1, 2], alpha="0.4", eta=[1, 2, "0.5"])
    residuals = {r.name: r for r in optimality(DIAGONAL, sb.predict(other, digits=20), 20)}
    assert residuals["feasibility X beta = y"].holds
    assert not residuals["stationarity of Q"].holds


def test_a_vector_that_is_not_even_is_outside_the_range():
    prediction = sb.predict(EVEN, digits=20, theorem="theorem_5")
    wrong = prediction.coefficients.copy()
    with mpmath.workdps(30):
        wrong[1] += mpmath.mpf(10) ** -9
        wrong[3] -= mpmath.mpf(10) ** -9
    residuals = {r.name: r for r in optimality(EVEN, replace(prediction, coefficients=wrong), 20)}
    assert not residuals["beta in the range of S^T"].holds


def test_digits_agreed_counts_the_worst_coordinate_and_zeros_against_the_norm():
    ctx = context(50)
    of = lambda *values: np.array([ctx.mpf(v) for v in values], dtype=object)  # noqa: E731
    assert digits_agreed(ctx, of("1.001", "5"), of("1", "5")) == pytest.approx(3)
    assert digits_agreed(ctx, of("1e-6", "10"), of("0", "10")) == pytest.approx(7)
    assert digits_agreed(ctx, of("2e-9", "5"), of("1e-9", "5")) == pytest.approx(0)


def test_a_coefficient_that_is_exactly_zero_is_judged_against_the_norm():
    ctx = context(50)
    of = lambda *values: np.array([ctx.mpf(v) for v in values], dtype=object)  # noqa: E731
    # the flow leaves rounding where the truth is 0: 40 digits below the norm agree, 5 digits below do not
    assert digits_agreed(ctx, of("0", "1"), of("1e-40", "1")) == pytest.approx(40)
    assert digits_agreed(ctx, of("0", "1"), of("1e-5", "1")) == pytest.approx(5)


@pytest.mark.parametrize("end", [0, sympy.oo, float("inf")])
def test_a_limit_in_alpha_is_referred_to_its_own_check(end):
    with pytest.raises(sb.BadInput, match=r"is the limit alpha -> \w+, .*sb.check_limit"):
        sb.check(DIAGONAL, sb.limit(DIAGONAL, alpha=end))

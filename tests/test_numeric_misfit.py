"""X beta = y, relative to what is added up; and the answers with a row that adds up zeros only."""

import mpmath
import numpy as np
import pytest

import symbias as sb
from symbias.numeric.misfit import misfit, vanishing


def test_it_is_relative_to_the_terms_row_by_row():
    rows, y = np.array([[1.0, 2.0], [100.0, 0.0]]), np.array([5.0, 101.0])
    assert misfit(rows, np.array([1.0, 2.0]), y) == 1 / 201  # the first row fits; the second misses by 1 of 100 + 101


def test_a_row_of_zeros_fits_exactly_and_a_wrong_one_does_not():
    rows = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert misfit(rows, np.array([1.0, 0.0]), np.array([0.0, 1.0])) == 0
    assert misfit(rows, np.array([1.0, 0.0]), np.array([1.0, 1.0])) == 1


def test_in_any_precision():
    one = mpmath.mpf(1)
    rows = np.array([[one, one * 0]], dtype=object)
    assert misfit(rows, np.array([3 * one, one], dtype=object), np.array([one], dtype=object)) == 0.5
    assert misfit(rows, np.array([one * 0, one], dtype=object), np.array([one * 0], dtype=object)) == 0


def test_only_noise_in_a_row_of_target_zero_vanishes():
    rows, noise = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]), np.full(3, 1e-20)
    assert list(vanishing(rows, np.array([1e-21, 2.0, -2.0]), np.zeros(2), noise, 1e-10)) == [True, False, False]
    kept = [
        ([1e-19, 2.0, -2.0], [0.0, 0.0]),  # above its noise: a wrong value, not a rounding
        ([1e-21, 2.0, -2.0], [1e-30, 0.0]),  # the target is small, not 0
        ([0.0, 1e-21, -1e-21], [0.0, 0.0]),  # small, but the row balances: known to its own digits
        ([0.0, 1.0, 1e-21], [0.0, 0.0]),  # the row adds up more than noise, and does not fit
    ]
    for values, y in kept:
        assert not vanishing(rows, np.array(values), np.array(y), noise, 1e-10).any()
    # a coefficient that is itself rounding hides no value
    hidden = np.array([[1.0, 1e-30]])
    assert list(vanishing(hidden, np.array([1e-21, 1.0]), np.zeros(1), noise[:2], 1e-10)) == [True, False]


@pytest.mark.parametrize("digits", [None, 20])
@pytest.mark.parametrize("name", ["diagonal", "difference_of_powers", "linear", "fully_connected"])
def test_a_target_of_zero_where_beta_vanishes(name, digits):
    # X is a permutation, so beta = (1, 0) is the only solution.
    net = {
        "diagonal": sb.Diagonal(2, 3),
        "difference_of_powers": sb.DifferenceOfPowers(2, 2),
        "linear": sb.Linear(2),
        "fully_connected": sb.FullyConnected(2, 2),
    }[name]
    start = {
        "diagonal": [[1, 1], [1, 1], [0, 0]],
        "difference_of_powers": [[1, 1], [1, 1]],
        "linear": [[0, 0]],
        "fully_connected": [[[1, 0], [0, 1]], [0, 0]],
    }[name]
    beta = sb.predict(sb.Regression(net, [[0, 1], [1, 0]], [0, 1], sb.Initialization(1, start)), digits).coefficients
    assert abs(beta[0] - 1) < 1e-14 and abs(beta[1]) < 1e-14


def test_the_ends_and_the_check_too():
    net = sb.Diagonal(2, 3)
    problem = sb.Regression(net, [[0, 1], [1, 0]], [0, 1], sb.Initialization.theorem_5(net, 1, 1))
    for alpha in (0, float("inf")):
        assert np.array_equal(sb.limit(problem, alpha).coefficients, [1, 0])
    assert sb.check(problem, digits=15).verdict == "holds"


def test_a_linear_model_from_a_start_far_larger_than_its_end():
    for alpha in ("1e30", "1e400"):
        assert sb.predict(
            sb.Regression(sb.Linear(1), [[1]], [1], sb.Initialization(alpha, [["0.25"]]))
        ).coefficients == [1]

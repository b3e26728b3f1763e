"""The difference of powers: against the flow, Woodworth et al.'s formulas, Theorem 5 at depth 2, and both ends."""

from dataclasses import replace

import mpmath
import numpy as np
import pytest

import symbias as sb
from symbias.checks import check
from symbias.checks.mirror import difference_of_powers
from symbias.errors import HypothesisFails
from symbias.theorems import limit, predict

MP = mpmath.MPContext()
MP.dps = 60


def problem_of(depth, alpha, w=("1", "-2", "0.5"), other=None):
    net = sb.DifferenceOfPowers(3, depth)
    start = sb.Initialization(alpha, [list(w), list(other or w)])
    return sb.Regression(net, [["1", "2", "-1"], ["0", "1", "3"]], ["1", "2"], start)


@pytest.mark.parametrize("depth", [2, 3, 4, 5, 6])
def test_prediction_agrees_with_the_flow(depth):
    digits = 25 if depth < 5 else 15
    problem = problem_of(depth, "0.8", ("1", "-1.2", "0.9"))  # entries alike: high powers make the flow stiff otherwise
    prediction = predict(problem, digits=digits)
    assert prediction.statement.id == "difference_of_powers"
    outcome = check(problem, prediction, digits=digits)
    assert outcome.verdict == "holds" and outcome.points == 9
    assert {e.name for e in outcome.evidence} >= {"stationarity of Q"}


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_a_point_moved_along_the_solutions_is_not_stationary(depth):
    problem = problem_of(depth, "0.3")
    prediction = predict(problem, digits=30)
    kernel = (7, -3, 1)
    moved = np.array(
        [MP.convert(b) + MP.mpf("1e-15") * k for b, k in zip(prediction.coefficients, kernel, strict=True)]
    )
    right, wrong = (difference_of_powers(problem, p, 30) for p in (prediction, replace(prediction, coefficients=moved)))
    assert all(r.holds for r in right)
    assert [r.holds for r in wrong] == [True, False]


def test_depth_2_is_theorem_5_with_twice_the_scale():
    ours = predict(problem_of(2, "0.05"), digits=30)
    diagonal = sb.Diagonal(3, 2)
    start = sb.Initialization.theorem_5(diagonal, "0.1", ["1", "2", "0.5"])
    five = predict(sb.Regression(diagonal, ours_data()[0], ours_data()[1], start), digits=30, theorem="theorem_5")
    assert (
        max(abs(MP.convert(a) - b) / abs(b) for a, b in zip(ours.coefficients, five.coefficients, strict=True)) <= 1e-29
    )


def ours_data():
    problem = problem_of(2, 1)
    return problem.X, problem.y


def test_the_potential_is_that_of_woodworth_et_al():
    # depth 2: sum a^2 q(beta / a^2), q(z) = 2 - sqrt(4 + z^2) + z asinh(z/2)
    prediction = predict(problem_of(2, "0.7"), digits=30)
    total = MP.mpf(0)
    for beta, w in zip(prediction.coefficients, (1, 2, 0.5), strict=True):
        a2, beta = (MP.mpf("0.7") * w) ** 2, MP.convert(beta)
        z = beta / a2
        total += a2 * (2 - MP.sqrt(4 + z * z) + z * MP.asinh(z / 2))
    assert abs(total / prediction.potential - 1) <= 1e-28
    # depth 4: k = 2, q_4(h(z)) = z h - int_0^z h, with h = (1-z)^-2 - (1+z)^-2 and int h = 1/(1-z) + 1/(1+z) - 2
    prediction = predict(problem_of(4, "0.7"), digits=30)
    total = MP.mpf(0)
    for beta, w in zip(prediction.coefficients, (1, 2, 0.5), strict=True):
        a, beta = MP.mpf("0.7") * w, MP.convert(beta)
        z = MP.findroot(
            lambda z, h=beta / a**4: 4 * z / (1 - z * z) ** 2 - h,
            (-MP.mpf("0.999"), MP.mpf("0.999")),
            solver="anderson",
        )
        total += a**2 * (z * beta / a**4 - 2 / (1 - z * z) + 2)
    assert abs(total / prediction.potential - 1) <= 1e-28


@pytest.mark.parametrize("depth", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("alpha", ["1e-60", "1", "1e20"])
def test_float64_agrees_with_high_precision(depth, alpha):
    plain, precise = predict(problem_of(depth, alpha)), predict(problem_of(depth, alpha), digits=25)
    # log rho is a sum of terms of size L log(1/alpha), up to 6 * 138, each rounded to eps/2
    np.testing.assert_allclose(plain.coefficients, precise.coefficients.astype(float), rtol=4e-13, atol=1e-300)


@pytest.mark.parametrize("depth", [2, 3, 4, 5, 6])
def test_the_large_end_is_the_weighted_l2_minimum(depth):
    # min sum beta^2 / w^{2L-2}: beta = D X^T (X D X^T)^{-1} y
    D = np.diag(np.array([1, 2, 0.5]) ** (2 * depth - 2))
    X, y = np.array([[1, 2, -1], [0, 1, 3.0]]), np.array([1, 2.0])
    expected = D @ X.T @ np.linalg.solve(X @ D @ X.T, y)
    end = limit(problem_of(depth, 1), alpha=float("inf"))
    np.testing.assert_allclose(end.coefficients, expected, rtol=1e-12)  # X D X^T has a condition of up to 1e3
    far = predict(problem_of(depth, "1e4"))
    np.testing.assert_allclose(far.coefficients, expected, rtol=1e-11)  # alpha^{-2L} = 1e-16 at depth 2


@pytest.mark.parametrize("depth", [2, 4, 5, 6])
def test_the_small_end_is_the_weighted_l1_minimum(depth):
    # two coordinates: one sample x = (1, 2), weights w^{2-L} = (2^{2-L}, 1): candidates (1, 0) of cost 2^{2-L}, (0,
    # 1/2) of 1/2
    net = sb.DifferenceOfPowers(2, depth)
    problem = sb.Regression(net, [["1", "2"]], ["1"], sb.Initialization("1e-80", [["2", "1"], ["2", "1"]]))
    # (depth 3 is a tie of the two)
    expected = [0, 0.5] if depth == 2 else [1, 0]
    assert np.abs(limit(problem, alpha=0).coefficients - expected).max() <= 1e-12
    assert np.abs(predict(problem).coefficients - expected).max() <= 1e-15


def test_unequal_blocks_and_zeros_are_refused_with_their_margin():
    with pytest.raises(HypothesisFails, match=r"w̄_\+ = w̄_- \(margin -2\.50e-01\)"):
        predict(problem_of(3, 1, ("1", "2", "1"), ("1", "2", "1.5")), theorem="difference_of_powers")
    with pytest.raises(HypothesisFails, match="lambda"):
        predict(problem_of(3, 1, ("1", "0", "1")), theorem="difference_of_powers")
    diagonal = sb.Regression(sb.Diagonal(2, 2), [[1, 2]], [1], sb.Initialization(1, [[1, 1], [0, 0]]))
    with pytest.raises(HypothesisFails, match="it is diagonal"):
        predict(diagonal, theorem="difference_of_powers")


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_the_value_of_the_potential_is_that_of_the_symbolic_core_and_the_least_along_the_solutions(depth):
    from symbias.functions import difference_potential

    prediction = predict(problem_of(depth, "0.7"), digits=30)
    given = {"depth": depth, "alpha": "0.7", "w": ["1", "-2", "0.5"], "digits": 30}
    value = difference_potential(prediction.coefficients, **given)
    assert abs(MP.convert(value) / prediction.potential - 1) <= 1e-27
    for step in ("1e-3", "-1e-3"):
        moved = [MP.convert(b) + MP.mpf(step) * k for b, k in zip(prediction.coefficients, (7, -3, 1), strict=True)]
        assert difference_potential(moved, **given) > value


@pytest.mark.parametrize("first", ["1e300", "1e-300"])
def test_weights_of_any_size_are_not_zero_beside_each_other(first):
    assert predict(problem_of(3, 1, (first, "-2", "0.5"))).applies
    with pytest.raises(HypothesisFails):
        predict(problem_of(3, 1, ("0", "-2", "0.5")))


def test_a_column_of_any_size_is_fitted_to_all_digits():
    net = sb.DifferenceOfPowers(3, 3)
    start = sb.Initialization(1, [["1", "2", "3"]] * 2)
    beta = predict(sb.Regression(net, [["1", "1e300", "-1"], [0, 1, 1]], [1, 2], start), digits=20).coefficients
    # rounding of 20 digits in three terms of order 1
    assert abs(MP.convert(beta[0]) + MP.mpf("1e300") * MP.convert(beta[1]) - MP.convert(beta[2]) - 1) <= 1e-18

"""The linear model: the nearest point by hand and by the flow, the l2 margin by hand, and the ends of alpha."""

from dataclasses import replace

import mpmath
import numpy as np
import pytest

import symbias as sb
from symbias.checks import check
from symbias.errors import BadInput, HypothesisFails
from symbias.theorems import limit, predict

MP = mpmath.MPContext()
MP.dps = 60


def gap(ours, expected):
    return max(abs(MP.convert(a) - MP.mpf(b)) for a, b in zip(ours, expected, strict=True))


def regression(alpha, v=("1", "1", "2")):
    X = [["1", "2", "0"], ["0", "1", "-1"]]
    return sb.Regression(sb.Linear(3), X, ["1", "2"], sb.Initialization(alpha, [list(v)]))


def test_regression_ends_at_the_nearest_point():
    # x = (1, 2), y = 1, from (1, 1): (1, 1) - (2/5)(1, 2) = (0.6, 0.2)
    problem = sb.Regression(sb.Linear(2), [[1, 2]], [1], sb.Initialization(1, [[1, 1]]))
    prediction = predict(problem)
    assert prediction.statement.id == "linear"
    np.testing.assert_allclose(prediction.coefficients, [0.6, 0.2], rtol=1e-15)
    np.testing.assert_array_equal(prediction.blocks[0], prediction.coefficients)


def test_thirty_digits_agree_with_the_flow_and_a_wrong_point_fails():
    problem = regression("0.3")
    prediction = predict(problem, digits=30)
    outcome = check(problem, prediction, digits=30)
    assert outcome.verdict == "holds" and outcome.points == 6
    # The kernel of X is spanned by (2, -1, -1): a move along it keeps X z = y, and only the row space notices.
    moved = np.array(
        [MP.convert(z) + MP.mpf("1e-20") * k for z, k in zip(prediction.coefficients, (2, -1, -1), strict=True)]
    )
    wrong = check(problem, replace(prediction, coefficients=moved, blocks=(moved,)), digits=30)
    assert wrong.verdict == "fails"
    assert {e.name for e in wrong.evidence if not e.holds} == {
        "full flow against the prediction",
        "beta - z(0) in the row space",
    }


@pytest.mark.parametrize("alpha", ["1e-160", "1", "1e50"])
def test_any_scale_of_the_start(alpha):
    precise, plain = predict(regression(alpha), digits=20), predict(regression(alpha))
    size = max(abs(z) for z in precise.coefficients)
    assert max(abs(a - b) for a, b in zip(plain.coefficients, precise.coefficients, strict=True)) <= 1e-14 * size


def test_the_ends_of_alpha():
    assert (
        gap(limit(regression(1), alpha=0, digits=25).coefficients, [MP.mpf(-1) / 3, MP.mpf(2) / 3, MP.mpf(-4) / 3])
        <= 1e-24
    )
    with pytest.raises(BadInput, match="grows like alpha"):
        limit(regression(1), alpha=float("inf"))
    inside = regression(1, v=("1", "3", "-1"))  # the sum of the rows
    assert (
        gap(limit(inside, alpha=float("inf"), digits=25).coefficients, [MP.mpf(-1) / 3, MP.mpf(2) / 3, MP.mpf(-4) / 3])
        <= 1e-24
    )


def test_classification_ends_at_the_l2_margin():
    # (3, 4) with +1 alone: (3, 4)/25; direction (0.6, 0.8)
    problem = sb.Classification(sb.Linear(2), [["3", "4"]], [1], sb.Initialization(1, [[5, -1]]))
    prediction = predict(problem, digits=20, theorem="linear")
    assert gap(prediction.coefficients, ["0.12", "0.16"]) <= 1e-20
    assert gap(prediction.direction, ["0.6", "0.8"]) <= 1e-20
    # the paper's two points: (1, 2)/sqrt 5 is the margin of the first, and the second is further away
    paper = sb.Classification(sb.Linear(2), [[1, 2], [0, -3]], [1, -1], sb.Initialization(1, [[0, 0]]))
    np.testing.assert_allclose(predict(paper).direction, np.array([1, 2]) / np.sqrt(5), rtol=1e-15)


def test_other_networks_are_refused():
    problem = sb.Regression(sb.Diagonal(2, 2), [[1, 2]], [1], sb.Initialization(1, [[1, 1], [0, 0]]))
    with pytest.raises(HypothesisFails, match="it is diagonal"):
        predict(problem, theorem="linear")

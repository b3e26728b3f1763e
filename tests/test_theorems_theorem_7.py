"""Theorem 7: margins by hand, loss 0 by the flow, the minimum norm with order 1 in alpha, and what checks nothing."""

from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import symbias as sb
from symbias.checks import check
from symbias.checks.conserved import conserved
from symbias.errors import HypothesisFails
from symbias.theorems import limit, predict, theorem_7

MP = mpmath.MPContext()
MP.dps = 60
X, Y = [["1", "2", "0"], ["0", "1", "-1"]], ["1", "2"]
# X^T (X X^T)^{-1} y with X X^T = [[5, 2], [2, 2]]: dual (-1/3, 4/3)
MINIMUM_NORM = [MP.mpf(-1) / 3, MP.mpf(2) / 3, MP.mpf(-4) / 3]


def eighths(shape, seed):
    """Exact random entries."""
    values = np.random.default_rng(seed).integers(-9, 10, size=shape)
    return np.vectorize(lambda v: Fraction(int(v), 8), otypes=[object])(values)


def generic(depth, alpha, width=3):
    net = sb.FullyConnected(3, depth, widths=(width,) * (depth - 1))
    directions = [eighths(shape, 10 * depth + i) for i, shape in enumerate(net.block_shapes)]
    return sb.Regression(net, X, Y, sb.Initialization(alpha, directions))


def identity(depth, alpha, last=("0", "0", "0")):
    net = sb.FullyConnected(3, depth)
    directions = [np.eye(3, dtype=int).tolist()] * (depth - 1) + [list(last)]
    return sb.Regression(net, X, Y, sb.Initialization(alpha, directions))


def gap(ours, expected):
    return max(abs(MP.convert(a) - b) for a, b in zip(ours, expected, strict=True))


def test_the_margins_are_smallest_eigenvalues():
    net = sb.FullyConnected(2, 3)
    # W_1^T W_1 - W_2 W_2^T = diag(9 - 4, 4 - 1); W_2^T W_2 - w w^T = [[4, 0], [0, 1]] - [[1, 1], [1, 1]] ->
    # eigenvalues (3 ± sqrt 13)/2
    start = sb.Initialization(1, [[[3, 0], [0, 2]], [[2, 0], [0, 1]], [1, 1]])
    records = theorem_7.hypotheses(sb.Regression(net, [[1, 2]], [1], start))
    assert [r.margin for r in records[2:]] == pytest.approx([3, (3 - np.sqrt(13)) / 2], rel=1e-14)
    assert [r.holds for r in records[2:]] == [True, False]
    # equality counts for the first condition, not for the last
    level = sb.Initialization(1, [[[1, 0], [0, 1]], [[1, 0], [0, 1]], [1, 0]])
    records = theorem_7.hypotheses(sb.Regression(net, [[1, 2]], [1], level))
    assert [(r.margin, r.holds) for r in records[2:]] == [(0, True), (0, False)]


def test_float_and_exact_directions_have_the_same_margins():
    problem = generic(3, "0.1")
    floats = [np.array(v, dtype=float) for v in problem.start().directions]
    plain = theorem_7.hypotheses(sb.Regression(problem.network, X, Y, sb.Initialization(0.1, floats)))
    # entries are eighths, exact in binary: only eigvalsh's rounding is left
    for a, b in zip(theorem_7.hypotheses(problem), plain, strict=True):
        assert a.holds == b.holds and (a.margin is None or a.margin == pytest.approx(b.margin, abs=1e-13))


@pytest.mark.parametrize("depth", [2, 3])
def test_part_1_reaches_loss_zero_at_a_large_alpha_too(depth):
    last = ("0.5", "0.25", "0")
    for alpha in ("2", "0.1"):
        problem = identity(depth, alpha, last)
        prediction = predict(problem, digits=15, theorem="theorem_7")
        assert prediction.applies and all(h.holds for h in prediction.hypotheses)
        assert {r.name for r in prediction.residuals} >= {"conserved quantities", "X beta = y"}


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_the_error_halves_with_alpha_for_generic_directions(depth):
    # part 1 holds for these directions at depth 2 and fails at 3 and 4; part 2 does not need it
    errors = []
    for alpha in ("0.02", "0.01", "0.005"):
        problem = generic(depth, alpha)
        if depth > 2:
            with pytest.raises(HypothesisFails, match="⪰"):
                predict(problem, theorem="theorem_7")
        prediction = predict(problem, digits=12, theorem="theorem_7", outside=True)
        assert prediction.applies == (depth == 2)
        errors.append(gap(prediction.coefficients, MINIMUM_NORM))
    # order 1: the ratio is 2 up to terms of order alpha, here 0.02 with a constant of order one
    assert all(abs(a / b - 2) < 0.1 for a, b in zip(errors, errors[1:], strict=False))


def test_the_limit_is_the_minimum_norm_and_says_when_part_1_fails():
    end = limit(generic(3, 1), alpha=0, digits=30, theorem="theorem_7")
    assert gap(end.coefficients, MINIMUM_NORM) <= 1e-29
    assert not end.applies and "part 1" in end.notes[0]
    assert limit(generic(3, 1), alpha=0).statement.id == "theorem_7"  # part 2 does not need part 1
    np.testing.assert_allclose(
        limit(identity(2, 1), alpha=0, theorem="theorem_7").coefficients, [-1 / 3, 2 / 3, -4 / 3], rtol=1e-14
    )


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_the_identity_initialization_is_recognised_as_one_that_checks_nothing(depth):
    problem = identity(depth, "0.5")
    assert theorem_7.stays_in_the_row_space(problem)
    prediction = predict(problem, digits=20, theorem="theorem_7")
    assert theorem_7.NOTHING in prediction.notes
    assert gap(prediction.coefficients, MINIMUM_NORM) <= 1e-19
    # and it is true of the flow: the error is 0 at a large alpha
    flow = theorem_7._by_the_flow(problem, 15)
    assert gap(flow["coefficients"], MINIMUM_NORM) <= 1e-14


def test_other_initializations_are_not_taken_for_it():
    assert not theorem_7.stays_in_the_row_space(generic(3, 1))
    assert not theorem_7.stays_in_the_row_space(identity(3, 1, last=("1", "0", "0")))  # e_1 is not in the row space
    assert theorem_7.stays_in_the_row_space(identity(3, 1, last=("1", "3", "-1")))  # the sum of the rows is
    square = sb.Regression(sb.FullyConnected(1, 2), [[2]], [1], sb.Initialization(1, [[[1]], [1]]))
    assert theorem_7.stays_in_the_row_space(square)  # n = d: the data decide beta


def test_one_sample_of_depth_2_takes_the_closed_form():
    net = sb.FullyConnected(2, 2)
    problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization("0.5", [[["2", "1"], ["0", "1"]], ["0.5", "0"]]))
    ours, six = (predict(problem, digits=25, theorem=name) for name in ("theorem_7", "theorem_6"))
    assert list(ours.coefficients) == list(six.coefficients) and "Theorem 6" in ours.notes[-1]
    assert predict(problem).statement.id == "theorem_6"


def test_the_large_alpha_end_with_a_zero_last_layer_is_the_kernel_of_the_first_layers():
    net = sb.FullyConnected(3, 2)
    W = [["1", "2", "0"], ["0", "1", "1"], ["0", "0", "2"]]
    problem = sb.Regression(net, X, Y, sb.Initialization(1, [W, ["0", "0", "0"]]))
    P = np.array(W, dtype=float) @ np.array(W, dtype=float).T
    x, y = np.array(X, dtype=float), np.array(Y, dtype=float)
    expected = P @ x.T @ np.linalg.solve(x @ P @ x.T, y)  # theory.md: P X^T (X P X^T)^{-1} y
    end = limit(problem, alpha=float("inf"), theorem="theorem_7")
    np.testing.assert_allclose(end.coefficients, expected, rtol=1e-13)  # condition about 30


def test_other_networks_and_tasks_are_refused():
    diagonal = sb.Regression(sb.Diagonal(2, 2), [[1, 2]], [1], sb.Initialization(1, [[1, 1], [0, 0]]))
    with pytest.raises(HypothesisFails, match="it is diagonal"):
        predict(diagonal, theorem="theorem_7", outside=True)
    with pytest.raises(HypothesisFails, match="it is diagonal"):
        limit(diagonal, alpha=0, theorem="theorem_7")


def test_the_check_has_conditions_that_do_not_come_from_the_integrator():
    problem = generic(3, "0.2")
    prediction = predict(problem, digits=15, theorem="theorem_7", outside=True)
    outcome = check(problem, prediction, digits=12)
    assert outcome.verdict == "holds" and {"W_1 outside the row space"} <= {e.name for e in outcome.evidence}
    # a wrong first layer that leaves beta alone: W_1 Q, Q^T W_2 for a rotation Q breaks the invariants or W_1's frozen
    # part
    first, second, last = prediction.blocks
    turned = (first[:, ::-1], second[::-1], last)
    names = {r.name: r.holds for r in conserved(problem, replace(prediction, blocks=turned), 12)}
    assert names["X beta = y"] and not names["W_1 outside the row space"]
    assert not names["W_l^T W_l - W_{l+1} W_{l+1}^T"]


def test_the_row_space_itself_is_checked_where_no_blocks_are_given():
    problem = identity(3, "0.5")
    prediction = predict(problem, digits=20, theorem="theorem_7")
    assert check(problem, prediction, digits=20).verdict == "holds"
    moved = np.array(
        [MP.convert(b) + MP.mpf("1e-15") * k for b, k in zip(prediction.coefficients, (2, -1, -1), strict=True)]
    )
    names = {r.name: r.holds for r in conserved(problem, replace(prediction, coefficients=moved), 20)}
    assert names == {"X beta = y": True, "beta in the row space": False}

"""Theorem 3 and Corollary 4: depth 2, one sample, against each other, against SVDs by NumPy and against the flow."""

import mpmath
import numpy as np
import pytest

import symbias as sb
from symbias.errors import HypothesisFails
from symbias.theorems import STATEMENTS

COVERS = ["theorem_3", "corollary_4"]


def short(x, length, y=1, first=None, last=None):
    """A two-layer convolution with the filter length ``length`` on one sample."""
    d = len(x)
    first = [2, 1, 1, 3, 1, 3][:length] if first is None else first
    net = sb.Convolutional(dim=d, depth=2, filters=(length, d))
    return sb.Classification(net, [x], [y], sb.Initialization(1, [first, [0] * d if last is None else last]))


def angle(u, v):
    return np.linalg.norm(u / np.linalg.norm(u) - v / np.linalg.norm(v))


@pytest.mark.parametrize("y", [1, -1])
@pytest.mark.parametrize(("x", "length"), [([1, 2, 3], 1), ([1, 2, 3], 2), ([1, -2, 1, 3], 2), ([1, -1, 1, -2], 2)])
def test_corollary_4_is_theorem_3_to_forty_digits(x, length, y):
    problem = short(x, length, y)
    by_svd = sb.predict(problem, digits=40, theorem="theorem_3")
    closed = sb.predict(problem, digits=40, theorem="corollary_4")
    for name in ("coefficients", "direction"):
        assert max(abs(getattr(by_svd, name) - getattr(closed, name))) < mpmath.mpf(10) ** -39
    for ours, other in zip(by_svd.blocks, closed.blocks, strict=True):
        assert max(abs(ours - other)) < mpmath.mpf(10) ** -39


def test_filter_2_is_the_low_pass_or_high_pass_filter_of_the_paper():
    low, high = short([1, 2, 3], 2), short([1, -2, 1, 3], 2)
    # By hand: x = (1, 2, 3), x<- = (2, 3, 1), x-> = (3, 1, 2), x^T x<- = 11 > 0: beta ∝ (7, 8, 9), margin 14·2 + 22 =
    # 50.
    found = sb.predict(low, theorem="corollary_4")
    assert np.allclose(found.coefficients, np.array([7, 8, 9]) / 50, rtol=1e-15)
    assert "low-pass" in found.notes[0]
    # x = (1, -2, 1, 3): x^T x<- = -2 - 2 + 3 + 3 = 2 > 0 is low-pass too; (1, -2, 1, -1) has -2 - 2 - 1 - 1 = -6.
    found = sb.predict(short([1, -2, 1, -1], 2), theorem="corollary_4")
    assert np.allclose(angle(found.direction, np.array([2 + 3, -4 - 2, 2 + 3, -2 - 2])), 0, atol=1e-15)
    assert "high-pass" in found.notes[0]
    assert "low-pass" in sb.predict(high, theorem="corollary_4").notes[0]


def test_filter_1_is_the_l2_margin():
    found = sb.predict(short([1, 2, 2], 1, y=-1), theorem="corollary_4")
    assert np.allclose(found.direction, -np.array([1, 2, 2]) / 3, rtol=1e-15)


def test_a_tie_is_named_and_the_start_decides():
    # x = (1, 1, -1, ...): x^T x<- = 1 - 1 - 1 + ... ; (1, 1, -1, 1): 1 - 1 - 1 + 1 = 0.
    problem = short([1, 1, -1, 1], 2)
    with pytest.raises(HypothesisFails, match="x\\^T x<- = 0: both singular values"):
        sb.predict(problem, theorem="corollary_4")
    found = sb.predict(problem, digits=30)
    assert found.statement.id == "theorem_3"
    assert "repeated 2 times" in found.notes[0]
    # M M^T = |x|^2 I, so v_1 keeps the direction it started with, (2, 1).
    with mpmath.workdps(35):
        assert abs(found.blocks[0][0] - 2 / mpmath.sqrt(5)) < mpmath.mpf(10) ** -29


def test_a_rank_deficient_sample_is_named():
    for x, sign in (([1, 1, 1], ""), ([1, -1, 1, -1], "-")):
        found = sb.predict(short(x, 2), theorem="corollary_4")
        assert f"x = {sign}x<-: M(x) has rank one" in found.notes
        assert angle(found.direction, np.array(x, dtype=float)) < 1e-15


@pytest.mark.parametrize("length", [3, 4, 5])
def test_longer_filters_are_the_top_singular_vectors_of_numpy(length):
    x = np.array([3, -1, 2, 5, 1])
    found = sb.predict(short(x.tolist(), length))
    M = np.array([[x[(i + j) % 5] for j in range(5)] for i in range(length)], dtype=float)
    left, s, right = np.linalg.svd(M)
    v_1 = np.array([2, 1, 1, 3, 1, 3][:length], dtype=float)
    group = s > s[0] * (1 - 1e-10)
    w = (left.T @ v_1)[: len(s)] * group
    beta = np.zeros(5)
    for i, a in enumerate(left[:, : len(s)] @ w):
        for j, b in enumerate(right.T[:, : len(s)] @ w):
            beta[(i + j) % 5] += a * b
    assert angle(found.direction, beta) < 1e-12


def test_the_margin_uses_subspaces_of_equal_singular_values():
    # x = e_1: M(x) is a permutation matrix, all singular values are 1, one subspace of dimension 3.
    net = sb.Convolutional(dim=3, depth=2)
    start = sb.Initialization(1, [[3, 0, 0], [0, 1, 2]])
    records = STATEMENTS["theorem_3"].hypotheses(sb.Classification(net, [[1, 0, 0]], [1], start))
    # (|v̄_1|^2 - |v̄_2|^2) / 3 = (9 - 5)/3, positive although a single coordinate has 0 - 4 < 0.
    assert abs(records[-1].margin - 4 / 3) < 1e-15
    assert records[-1].holds


def test_a_margin_of_zero_is_refused_and_answered_outside():
    # The diagonal network of the issue: w_1 = (1, 1), w_2 = (1, 0), x = (1, 2): margins 0 and 1.
    net = sb.Diagonal(dim=2, depth=2)
    problem = sb.Classification(net, [[1, 2]], [1], sb.Initialization(1, [[1, 1], [1, 0]]))
    with pytest.raises(HypothesisFails) as caught:
        sb.predict(problem, theorem="theorem_3")
    assert caught.value.hypotheses[-1].margin == 0
    found = sb.predict(problem, theorem="theorem_3", outside=True)
    assert not found.applies
    assert found.direction.tolist() == [0, 1]


def test_outside_the_next_singular_value_takes_over_when_the_start_is_blind_to_the_top():
    net = sb.Diagonal(dim=2, depth=2)
    start = sb.Initialization(1, [[1, 1], [0, -1]])  # eta_1 + eta_2 = (1, 0): coordinate 2, the larger, decays
    problem = sb.Classification(net, [[1, 2]], [1], start)
    assert sb.predict(problem, theorem="theorem_3", outside=True).direction.tolist() == [1, 0]
    blind = sb.Initialization(1, [[1, 1], [-1, -1]])
    with pytest.raises(HypothesisFails, match="the loss does not go to 0"):
        sb.predict(sb.Classification(net, [[1, 2]], [1], blind), theorem="theorem_3", outside=True)


def test_the_blocks_are_where_the_solved_flow_points():
    # Closed solution of the flow (Theorem 6): eta_1 = a cosh(s nu) + b sinh(s nu), eta_2 = a sinh(s nu) + b cosh(s
    # nu), y = 1.
    x, v, z = np.array([1.0, 2, 4, -1]), np.array([1.0, 2, 3]), np.array([0.5, 0.1, -0.2, 0.3])
    problem = short([1, 2, 4, -1], 3, first=[1, 2, 3], last=["0.5", "0.1", "-0.2", "0.3"])
    found = sb.predict(problem, theorem="theorem_3", outside=True)
    M = np.array([[x[(i + j) % 4] for j in range(4)] for i in range(3)])
    left, s, right = np.linalg.svd(M, full_matrices=False)
    a, b, nu = left.T @ v, right @ z, 40.0
    first = left @ (a * np.cosh(s * nu) + b * np.sinh(s * nu))
    second = right.T @ (a * np.sinh(s * nu) + b * np.cosh(s * nu))
    # exp(-(s_1 - s_2) 40) is below 1e-15 here.
    assert (s[0] - s[1]) * 40 > 40
    assert angle(found.blocks[0], first) < 1e-12
    assert angle(found.blocks[1], second) < 1e-12


def test_the_shape_of_the_problem_cannot_be_given_up():
    net = sb.Diagonal(dim=2, depth=3)
    problem = sb.Classification(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, 1, 1))
    with pytest.raises(HypothesisFails, match="two layers"):
        sb.predict(problem, theorem="theorem_3", outside=True)


def test_fully_connected_with_one_sample_points_along_it():
    net = sb.FullyConnected(dim=3, depth=2, widths=(2,))
    start = sb.Initialization(1, [[[1, 2], [3, 4], [5, 7]], [1, 0]])
    found = sb.predict(sb.Classification(net, [[1, 2, 2]], [-1], start), digits=30)
    with mpmath.workdps(35):
        assert max(abs(found.direction + np.array([mpmath.mpf(k) / 3 for k in (1, 2, 2)]))) < mpmath.mpf(10) ** -29

"""Limit directions of all blocks: against the l2 margin, Lim's equations, families and ties."""

import mpmath
import numpy as np
import pytest

import symbias as sb
from symbias.dynamics.parameters import limit, require_fixed
from symbias.errors import HypothesisFails, Undecided
from symbias.precision import context
from symbias.theorems.loss_below_one import balanced, loss_below_one

ROWS = np.array([[1.0, 2.0, 0.0], [0.0, 3.0, -1.0]])


def start(net, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in net.block_shapes]


@pytest.mark.parametrize(("depth", "widths"), [(2, (1,)), (2, (4,)), (3, (2, 3)), (4, (2, 2, 2))])
def test_fully_connected_networks_end_at_the_l2_margin_for_every_width(depth, widths):
    net = sb.FullyConnected(3, depth, widths)
    ctx = context(45)
    found = limit(net.product, ROWS, np.vectorize(ctx.mpf, otypes=[object])(ROWS), start(net, depth), (3,), ctx)
    # By hand: G = [[5, 6], [6, 10]], mu = (4, -1)/14 is not >= 0: x_1 alone, z = (1, 2, 0)/5, margins 1 and 6/5.
    beta = net.coefficients(list(found.blocks))
    assert max(abs(b - ctx.mpf(t)) for b, t in zip(beta, (0.2, 0.4, 0), strict=True)) < ctx.mpf(10) ** -16
    assert abs(beta @ beta - ctx.mpf(1) / 5) < ctx.mpf(10) ** -35
    assert found.multipliers[1] == 0
    require_fixed(found)


def test_a_double_singular_value_leaves_beta_to_the_start():
    net = sb.Diagonal(2, 2)
    ctx = context(30)
    one = np.array([[1.0, 1.0]])
    blocks = [np.array([1.0, 2.0]), np.zeros(2)]
    found = limit(net.product, one, np.vectorize(ctx.mpf, otypes=[object])(one), blocks, (2,), ctx)
    assert found.beta_moves
    with pytest.raises(Undecided, match="theorem_3"):
        require_fixed(found)
    # The flow knows it all the same: shares 1 : 4, and theorem_3 says so to all digits.
    problem = sb.Classification(net, [[1, 1]], [1], sb.Initialization(1, [[1, 2], [0, 0]]))
    with mpmath.workdps(40):
        assert abs(sb.predict(problem, digits=30).coefficients[0] - mpmath.mpf(1) / 5) < mpmath.mpf(10) ** -29


def test_dependent_support_vectors_have_multipliers_that_are_not_negative():
    # (1, 2, 0) is the mean of (0, 3, -1) and (2, 1, 1): all three are on the margin of z = (4, 5, 1)/14.
    net = sb.FullyConnected(3, 2, (2,))
    X = [[1, 2, 0], [0, 3, -1], [2, 1, 1]]
    problem = sb.Classification(net, X, [1, 1, 1], sb.Initialization(1, start(net)))
    found = sb.predict(problem, digits=25, theorem="theorem_1")
    with mpmath.workdps(35):
        assert max(abs(14 * b - t) for b, t in zip(found.coefficients, (4, 5, 1), strict=True)) < mpmath.mpf(10) ** -23
    assert all(mu >= 0 for mu in found.multipliers)


def test_the_blocks_are_one_member_of_a_family_of_the_right_dimension():
    # widths r_l: the directions between the layers are unit vectors, sum (r_l - 1) of freedom.
    net = sb.FullyConnected(2, 3, (3, 2))
    found = sb.predict(
        sb.Classification(net, [[1, 2]], [1], sb.Initialization(1, start(net))), digits=20, theorem="theorem_1"
    )
    assert "family of dimension 3" in found.notes[-1]


def test_loss_below_one_names_what_shows_it():
    net = sb.FullyConnected(2, 2)
    eye = [[1, 0], [0, 1]]
    low = sb.Classification(net, [[1, 2]], [1], sb.Initialization(1, [eye, [1, 1]]))
    assert "at the start" in loss_below_one(low).detail
    assert abs(loss_below_one(low).margin - (1 - np.exp(-3))) < 1e-14
    level = sb.Classification(net, [[1, 2]], [1], sb.Initialization(1, [eye, [0, 0]]))
    assert balanced(level) == 1
    assert "balanced" in loss_below_one(level).detail
    wrong_way = sb.Classification(net, [[1, 2]], [-1], sb.Initialization(1, [[[1, 1], [0, 1]], [2, 2]]))
    assert "integrated flow" in loss_below_one(wrong_way).detail
    dead = sb.Classification(net, [[1, 2]], [1], sb.Initialization(1, [[[0, 0], [0, 0]], [0, 0]]))
    assert not loss_below_one(dead).holds
    with pytest.raises(HypothesisFails):
        sb.predict(dead)


def test_a_start_that_separates_nothing_yet_is_an_ordinary_input():
    net = sb.FullyConnected(3, 3, (2, 2))
    problem = sb.Classification(
        net, [[1, 2, 0], [0, -3, 1], [2, 1, 1]], [1, -1, 1], sb.Initialization(1, start(net, 7))
    )
    assert sb.check(problem, digits=25).verdict == "holds"

"""The lazy regime: the kernel of every network by differences, the orders L and 2L, the output scale, and where it is
false.
"""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

import symbias as sb
from symbias.errors import BadInput, HypothesisFails
from symbias.theorems import limit, predict
from symbias.theorems.beyond import lazy
from symbias.theorems.tangent import tangent

MP = mpmath.MPContext()
MP.dps = 60
OO = float("inf")


def gap(ours, expected):
    return max(abs(MP.convert(a) - MP.convert(b)) for a, b in zip(np.ravel(ours), np.ravel(expected), strict=True))


def start_of(net, seed=0, alpha=1, zero=()):
    rng = np.random.default_rng(seed)
    made = [np.vectorize(Fraction, otypes=[object])(rng.integers(1, 6, size=shape), 4) for shape in net.block_shapes]
    return sb.Initialization(alpha, [0 * v if layer in zero else v for layer, v in enumerate(made)])


NETWORKS = [
    sb.Diagonal(3, 3),
    sb.Convolutional(3, 3, filters=(2, 1, 3)),
    sb.FullyConnected(3, 3, widths=(2, 4)),
    sb.MatrixSensing(2, 3),
    sb.Linear(3),
    sb.DifferenceOfPowers(3, 3),
]


@pytest.mark.parametrize("net", NETWORKS, ids=lambda net: net.name)
def test_the_tangent_kernel_is_that_of_the_networks_own_outputs(net):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((2, *net.input_shape))
    problem = sb.Regression(net, X, [1.0, 2.0], start_of(net))
    blocks = [problem.start().direction(layer) for layer in range(len(net.block_shapes))]

    def outputs(flat):
        parts, at = [], 0
        for block in blocks:
            parts.append(flat[at : at + block.size].reshape(block.shape))
            at += block.size
        return np.array([float(net.forward(x, parts)) for x in X])

    flat = np.concatenate([block.ravel() for block in blocks])
    step = 1e-5
    J = np.array([(outputs(flat + step * e) - outputs(flat - step * e)) / (2 * step) for e in np.eye(len(flat))]).T
    # central differences of cubic functions: step^2 times third derivatives of order one
    np.testing.assert_allclose(tangent(problem).kernel, J @ J.T, rtol=1e-8)


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_fully_connected_with_a_zero_last_layer(depth):
    net = sb.FullyConnected(3, depth)
    problem = sb.Regression(net, [["1", "2", "0"], ["0", "1", "-1"]], ["1", "2"], start_of(net, zero=(depth - 1,)))
    W = np.eye(3)
    for layer in range(depth - 1):
        W = W @ problem.start().direction(layer)
    P, X = W @ W.T, problem.X_float
    expected = P @ X.T @ np.linalg.solve(X @ P @ X.T, problem.y_float)  # theory.md
    np.testing.assert_allclose(
        limit(problem, OO, theorem="lazy").coefficients, expected, rtol=1e-9
    )  # condition of P ~ 1e6


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_the_distance_has_order_2_l_with_a_zero_block_and_order_l_without(depth):
    net, X, Y = sb.Diagonal(3, depth), [["1", "2", "0"]], ["3"]
    odd = [["2", "1", "1"]] + [["1", "2", "3"]] * (depth - 2) + [["0"] * 3]
    # no output because 2 * 1 - 2 * 1 = 0 on x, with beta(v̄) != 0
    plain = [["2", "1", "1"], ["1", "-1", "1"]] + [["1", "1", "1"]] * (depth - 2)
    for directions, order in ((odd, 2 * depth), (plain, depth)):
        errors = []
        for alpha in (200, 400):
            problem = sb.Regression(net, X, Y, sb.Initialization(alpha, directions))
            assert lazy.order(problem) == order
            exact = predict(problem, digits=40, theorem="general_initialization").coefficients
            errors.append(gap(exact, predict(problem, digits=40, theorem="lazy", outside=True).coefficients))
        # the next term is smaller by alpha^{-L} <= 1/40000
        assert abs(float(MP.log(errors[0] / errors[1], 2)) - order) < 1e-3


def test_equal_powers_are_odd_too():
    problem = sb.Regression(sb.DifferenceOfPowers(2, 3), [[1, 2]], [1], sb.Initialization(300, [[1, 2], [1, 2]]))
    assert lazy.order(problem) == 6
    near, end = predict(problem, digits=40), limit(problem, OO, digits=40, theorem="lazy")
    assert 0 < gap(near.coefficients, end.coefficients) < 300.0**-6 * 10
    five = limit(problem, OO, theorem="difference_of_powers")
    np.testing.assert_allclose(five.coefficients, end.coefficients.astype(float), rtol=1e-14)


def test_an_output_scale_is_a_power_of_alpha():
    # scale c in front of f, blocks v̄: c f(Theta) from v̄ is f from c^{1/L} v̄. At depth 2 and c = 100, alpha = 10.
    net = sb.Diagonal(2, 2)
    directions = [[1, 2], [0, 0]]
    ours = predict(sb.Regression(net, [[1, 2]], [1], sb.Initialization(10, directions)), digits=30)
    # the scaled network on x: f = 100 u v, i.e. sqrt(100) u and sqrt(100) v as the blocks of the plain one
    u, v = (np.array([10 * e for e in d], dtype=object) for d in directions)
    scaled = predict(sb.Regression(net, [[1, 2]], [1], sb.Initialization(1, [u, v])), digits=30)
    assert gap(ours.coefficients, scaled.coefficients) <= 1e-29


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_with_an_output_at_the_start_the_claim_is_false_and_refused(depth):
    net = sb.Diagonal(3, depth)
    problem = sb.Regression(net, [["1", "2", "-1"], ["0", "1", "3"]], ["1", "2"], start_of(net, seed=5, alpha="1e4"))
    with pytest.raises(HypothesisFails, match="the claim is false"):
        limit(problem, OO, theorem="lazy")
    true = predict(problem, digits=20, theorem="general_initialization").coefficients
    linear = predict(problem, digits=20, theorem="lazy", outside=True).coefficients
    # the gap stays of the order of beta itself, which grows like alpha^L
    assert gap(true, linear) > 1e-4 * max(abs(b) for b in true)


def test_no_finite_alpha_is_answered_and_the_end_that_does_not_exist_is_named():
    net = sb.Diagonal(3, 3)
    problem = sb.Regression(net, [["1", "2", "0"]], ["3"], start_of(net, zero=(2,)))
    with pytest.raises(HypothesisFails, match="finite alpha"):
        predict(problem, theorem="lazy")
    with pytest.raises(BadInput, match="not 0"):
        limit(problem, 0, theorem="lazy")
    grows = sb.Regression(sb.Diagonal(2, 2), [["1", "1"]], ["3"], sb.Initialization(1, [["1", "1"], ["1", "-1"]]))
    with pytest.raises(BadInput, match="grows like alpha"):
        limit(grows, OO, theorem="lazy")
    dead = sb.Regression(
        sb.Diagonal(2, 3), [["1", "1"]], ["3"], sb.Initialization(1, [["1", "1"], ["0", "0"], ["0", "0"]])
    )
    with pytest.raises(HypothesisFails, match="kernel"):
        limit(dead, OO, theorem="lazy")


def test_the_lazy_limit_answers_where_nothing_else_does():
    # uneven data of a deep convolution: no potential, but a limit alpha -> oo
    net = sb.Convolutional(3, 3)
    problem = sb.Regression(net, [["1", "2", "0"]], ["3"], start_of(net, zero=(2,)))
    end = limit(problem, OO)
    assert end.statement.id == "lazy" and end.applies
    with pytest.raises(HypothesisFails):
        predict(problem)

"""Predicted orders by hand: vertices, dual values, ties, and where there is no error at all."""

import pytest
import sympy

import symbias as sb
from symbias.checks.orders import predicted_order
from symbias.theorems import limit


def order(problem, end, theorem):
    return predicted_order(problem, limit(problem, end, digits=30, theorem=theorem))


def diagonal(x, eta, depth=2, alpha=1):
    net = sb.Diagonal(len(x), depth)
    return sb.Regression(net, [x], [1], sb.Initialization.theorem_5(net, alpha, eta))


def test_depth_2_has_twice_one_minus_the_dual_value_of_the_loser():
    assert abs(order(diagonal(["0.999", "1"], 1), 0, "theorem_5") - sympy.Rational(2, 1000)) < 1e-25
    assert abs(order(diagonal(["1", "4", "2"], 1), 0, "theorem_6") - 1) < 1e-25  # 2 (1 - 2/4)


@pytest.mark.parametrize("depth", [3, 4])
def test_deeper_networks_have_order_l_and_2_l(depth):
    problem = diagonal(["1", "4"], 1, depth)
    assert order(problem, 0, "theorem_5") == depth
    assert order(problem, sympy.oo, "theorem_5") == 2 * depth


def test_a_tie_has_no_predicted_order_and_a_square_system_no_error():
    assert order(diagonal(["1", "1"], 1), 0, "theorem_5") is None
    assert order(diagonal(["2"], 1), 0, "theorem_5") is None
    connected = sb.FullyConnected(2, 2)
    square = sb.Regression(connected, [[1, 0], [0, 1]], [1, 2], sb.Initialization(1, [[[1, 2], [3, 4]], [1, 1]]))
    assert order(square, 0, "theorem_7") is None


def test_parts_that_no_singular_vector_sees_are_of_order_one():
    # fully connected: all singular values equal |x|; what W_1 has orthogonal to x stays, alpha times w_2
    net = sb.FullyConnected(2, 2)
    problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization(1, [[["3", "0"], ["1", "1"]], ["0.5", "0"]]))
    assert order(problem, 0, "theorem_6") == 1

"""Where two statements cover one problem, they give one answer."""

import mpmath
import numpy as np
import pytest
import sympy

import symbias as sb
from symbias.theorems import limit, predict

MP = mpmath.MPContext()
MP.dps = 60


def gap(ours, others):
    """The largest relative difference, against the largest entry."""
    pairs = [(MP.convert(a), MP.convert(b)) for a, b in zip(np.ravel(ours), np.ravel(others), strict=True)]
    return max(abs(a - b) for a, b in pairs) / max(abs(b) for _, b in pairs)


def diagonal(depth, alpha="0.3"):
    net = sb.Diagonal(3, depth)
    start = sb.Initialization.theorem_5(net, alpha, ["1", "2", "0.5"])
    return sb.Regression(net, [["1", "-2", "0.5"]], ["3"], start)


def even_convolution(depth, alpha="0.3"):
    net = sb.Convolutional(4, depth)
    start = sb.Initialization.theorem_5(net, alpha, ["1", "2", "0.5"])
    return sb.Regression(net, [["1", "2", "0", "2"]], ["3"], start)


def sensing(depth, alpha="0.3"):
    net = sb.MatrixSensing(2, depth)
    return sb.Regression(net, [[["1", "3"], ["3", "1"]]], ["2"], sb.Initialization.theorem_5(net, alpha, 1))


PROBLEMS = {
    "diagonal": (diagonal, "corollary_5"),
    "even": (even_convolution, "corollary_6"),
    "sensing": (sensing, "corollary_7"),
}


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("depth", [2, 3])
def test_theorem_5_its_corollary_and_general_initialization_agree_and_theorem_6_at_depth_2(name, depth):
    make, corollary = PROBLEMS[name]
    problem = make(depth)
    names = ["theorem_5", corollary, "general_initialization"] + ["theorem_6"] * (depth == 2)
    first, *others = (predict(problem, digits=25, theorem=each) for each in names)
    for other in others:
        assert gap(other.coefficients, first.coefficients) <= 1e-24
        for ours, theirs in zip(other.blocks, first.blocks, strict=True):
            assert gap(ours, theirs) <= 1e-24
    # the control: another alpha is another point
    assert gap(predict(make(depth, "0.31"), digits=25, theorem="theorem_5").coefficients, first.coefficients) > 1e-6


@pytest.mark.parametrize("depth", [2, 3])
def test_matrix_sensing_is_the_diagonal_network_of_the_eigenvalues(depth):
    # A_1 = [[1, 3], [3, 1]] has eigenvalues 4 and -2 on (1, 1)/sqrt 2 and (1, -1)/sqrt 2
    net = sb.Diagonal(2, depth)
    eigenvalues = sb.Regression(net, [["4", "-2"]], ["2"], sb.Initialization.theorem_5(net, "0.3", 1))
    first, second = predict(eigenvalues, digits=25, theorem="theorem_5").coefficients
    first, second = MP.convert(first), MP.convert(second)
    expected = [(first + second) / 2, (first - second) / 2, (first - second) / 2, (first + second) / 2]
    assert gap(predict(sensing(depth), digits=25, theorem="corollary_7").coefficients, expected) <= 1e-24


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("depth", [2, 3])
def test_the_large_end_of_theorem_5_is_the_lazy_limit(name, depth):
    problem = PROBLEMS[name][0](depth)
    names = ["theorem_5", "lazy"] + ["theorem_6"] * (depth == 2)
    first, *others = (limit(problem, sympy.oo, digits=25, theorem=each).coefficients for each in names)
    assert all(gap(other, first) <= 1e-24 for other in others)


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_small_ends_of_theorems_5_and_6_agree(name):
    problem = PROBLEMS[name][0](2)
    five, six = (limit(problem, 0, digits=25, theorem=each).coefficients for each in ("theorem_5", "theorem_6"))
    assert gap(six, five) <= 1e-24


def test_theorem_7_agrees_with_theorem_6_and_with_the_lazy_limit():
    net = sb.FullyConnected(2, 2)
    start = sb.Initialization("0.3", [[["2", "1"], ["0", "1"]], ["0", "0"]])
    problem = sb.Regression(net, [["1", "2"]], ["3"], start)
    for end, names in ((0, ("theorem_6", "theorem_7")), (sympy.oo, ("theorem_6", "theorem_7", "lazy"))):
        first, *others = (limit(problem, end, digits=25, theorem=each).coefficients for each in names)
        assert all(gap(other, first) <= 1e-24 for other in others)
    assert (
        gap(*(predict(problem, digits=25, theorem=each).coefficients for each in ("theorem_6", "theorem_7"))) <= 1e-24
    )


def test_theorem_3_agrees_with_theorem_2_and_with_the_general_race():
    net = sb.Diagonal(3, 2)
    problem = sb.Classification(
        net, [["1", "-2", "0.5"]], [1], sb.Initialization.theorem_5(net, "0.3", ["1", "2", "0.5"])
    )
    three, general = (predict(problem, digits=20, theorem=each) for each in ("theorem_3", "general_initialization"))
    assert gap(three.direction, general.direction) <= 1e-19
    two = predict(problem, digits=20, theorem="theorem_2")
    assert gap(three.direction, two.direction) <= 1e-19


CLASSIFIED = {
    "diagonal": (
        lambda depth: sb.Diagonal(3, depth),
        [["1", "-2", "0.5"], ["2", "-1", "1"]],
        [["1", "2", "0.5"], ["2", "1.5", "1"], ["1", "3", "2"], ["0.25", "-1", "0.125"]],
    ),
    "even": (
        lambda depth: sb.Convolutional(4, depth),
        [["1", "2", "0", "2"], ["0", "1", "3", "1"]],
        [["3", "1", "2", "1"], ["4", "0.5", "1", "0.5"], ["5", "1", "0", "1"], ["0.5", "0", "0.25", "0"]],
    ),
    "sensing": (
        lambda depth: sb.MatrixSensing(2, depth),
        [[["1", "3"], ["3", "1"]], [["2", "1"], ["1", "2"]]],
        [
            [["2", "0.5"], ["0.5", "2"]],
            [["3", "1"], ["1", "3"]],
            [["2", "1"], ["1", "2"]],
            [["0.5", "0.25"], ["0.25", "0.5"]],
        ],
    ),
}


@pytest.mark.parametrize("name", CLASSIFIED)
@pytest.mark.parametrize("depth", [2, 3, 4])
@pytest.mark.parametrize("samples", [1, 2])
def test_theorem_2_agrees_with_general_initialization_wherever_its_hypothesis_on_lambda_holds(name, depth, samples):
    make, X, layers = CLASSIFIED[name]
    start = sb.Initialization("0.5", [*layers[: depth - 1], layers[3]])  # the last one is the smallest everywhere
    problem = sb.Classification(make(depth), X[:samples], [1, 1][:samples], start)
    two, general = (predict(problem, digits=25, theorem=each) for each in ("theorem_2", "general_initialization"))
    assert gap(general.direction, two.direction) <= 1e-24
    assert gap(general.multipliers, two.multipliers) <= 1e-24
    assert (
        gap(np.concatenate([np.ravel(b) for b in general.blocks]), np.concatenate([np.ravel(b) for b in two.blocks]))
        <= 1e-24
    )
    assert (two.finite is None) == (general.finite is None)
    # the control: the last layer first is another start, outside Theorem 2, and other blocks
    turned = sb.Initialization("0.5", [layers[3], *layers[: depth - 1]])
    outside = sb.Classification(problem.network, problem.X, problem.y, turned)
    assert not any(h.name.startswith("|U_l") and h.holds for h in sb.theorems_for(outside)["theorem_2"].hypotheses)
    other = predict(outside, digits=25, theorem="general_initialization")
    assert gap(other.direction, general.direction) <= 1e-24  # beta is symmetric in the layers


@pytest.mark.parametrize("name", CLASSIFIED)
@pytest.mark.parametrize("depth", [2, 3])
def test_the_start_of_theorem_5_classifies_alike_by_both(name, depth):
    make, X, _ = CLASSIFIED[name]
    net = make(depth)
    problem = sb.Classification(net, X, [1, 1], sb.Initialization.theorem_5(net, "0.3", 1))
    two, general = (predict(problem, digits=25, theorem=each) for each in ("theorem_2", "general_initialization"))
    assert gap(general.direction, two.direction) <= 1e-24

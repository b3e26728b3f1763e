"""The small example on which the report checks each statement of the paper, in the paper's order."""

from collections.abc import Callable
from dataclasses import dataclass

import sympy

from symbias.initialization import Initialization
from symbias.networks import Convolutional, Diagonal, FullyConnected, MatrixSensing
from symbias.problem import Classification, Problem, Regression


@dataclass(frozen=True)
class Example:
    """A statement's id, the example in words, the problem, and the limits in alpha to check (on a problem of their own
    where the check of the first one would integrate for minutes).
    """

    id: str
    setting: str
    problem: Callable[[], Problem]
    limits: tuple[tuple[object, Callable[[], Problem] | None], ...] = ()


BOTH = ((0, None), (sympy.oo, None))


def _short_filter(task, X, y, start):
    return task(Convolutional(3, 2, (2, 3)), X, y, Initialization(1, start))


def _theorem_1() -> Problem:
    return _short_filter(Classification, [[1, 2, 3], [1, 0, 2]], [1, 1], [[2, 1], [0, 0, 0]])


def _corollary_1() -> Problem:
    start = Initialization(1, [[[1, 0], [0, 1]], [[1, 0], [0, 1]], [1, 0]])
    return Classification(FullyConnected(2, 3), [[1, 2], [0, -3]], [1, -1], start)


def _theorem_2() -> Problem:
    network = Diagonal(2, 3)
    return Classification(network, [[1, 2]], [1], Initialization.theorem_5(network, "0.5", [3, 1]))


def _corollary_2() -> Problem:
    return Classification(Diagonal(2, 2), [[1, 2], [0, -3]], [1, -1], Initialization(1, [[1, 1], [0, 0]]))


def _corollary_3() -> Problem:
    start = Initialization(1, [[2, 1, 0], [0, 0, 0]])
    return Classification(Convolutional(3, 2), [[1, 2, 3], [1, 0, 2]], [1, 1], start)


def _theorem_3() -> Problem:
    return _short_filter(Classification, [[1, 2, 3]], [1], [[2, 1], [0, 0, 0]])


def _corollary_4() -> Problem:
    return _short_filter(Classification, [[1, -2, 3]], [1], [[2, 1], [0, 0, 0]])


def _theorem_5() -> Problem:
    network = Diagonal(3, 3)
    return Regression(network, [[1, 2, 0], [0, 1, 3]], [1, 2], Initialization.theorem_5(network, 1, [2, 1, "0.5"]))


def _corollary_5() -> Problem:
    network = Diagonal(2, 4)
    return Regression(network, [[1, 2]], [1], Initialization.theorem_5(network, 1, 1))


def _corollary_6() -> Problem:
    network = Convolutional(4, 3)
    return Regression(network, [[1, 2, 3, 2]], [1], Initialization.theorem_5(network, 1, 1))


def _corollary_7() -> Problem:
    network = MatrixSensing(2, 3)
    return Regression(network, [[[1, 1], [1, 2]]], [1], Initialization.theorem_5(network, 1, 1))


def _theorem_6() -> Problem:
    return _short_filter(Regression, [[1, 2, 3]], [1], [[2, 1], [0, 0, 0]])


def _theorem_7() -> Problem:
    start = Initialization("0.5", [[[3, 0], [0, 3]], [[2, 1], [0, 1]], ["0.5", 0]])
    return Regression(FullyConnected(2, 3), [[1, 2]], [1], start)


def _theorem_7_of_depth_2() -> Problem:
    return Regression(FullyConnected(2, 2), [[1, 2]], [1], Initialization("0.5", [[[2, 1], [0, 1]], ["0.5", 0]]))


EXAMPLES = (
    Example(
        "theorem_1",
        "convolution, d = 3, filters of lengths 2 and 3, two samples (1, 2, 3) and (1, 0, 2), both labels +1",
        _theorem_1,
    ),
    Example(
        "corollary_1", "fully connected, depth 3, samples (1, 2) with label +1, (0, -3) with label -1", _corollary_1
    ),
    Example(
        "theorem_2",
        "diagonal, depth 3, one sample (1, 2), eta = (3, 1), alpha = 1/2: the winner is not the global optimum",
        _theorem_2,
    ),
    Example("corollary_2", "diagonal, depth 2, samples (1, 2) with label +1, (0, -3) with label -1", _corollary_2),
    Example("corollary_3", "full-length convolution, d = 3, depth 2, samples (1, 2, 3) and (1, 0, 2)", _corollary_3),
    Example("theorem_3", "convolution, d = 3, filters of lengths 2 and 3, one sample (1, 2, 3)", _theorem_3),
    Example(
        "corollary_4", "convolution with filter 2, one sample (1, -2, 3): x^T x<- < 0, a high-pass filter", _corollary_4
    ),
    Example("lemma_4", "depths 2 to 6 at 14 places of the domain each, against the integrated system", _corollary_5),
    Example(
        "theorem_5",
        "diagonal, depth 3, two samples (1, 2, 0) and (0, 1, 3), y = (1, 2), weights eta = (2, 1, 1/2), alpha = 1",
        _theorem_5,
        BOTH,
    ),
    Example("corollary_5", "diagonal, depth 4, x = (1, 2), y = 1, alpha = 1", _corollary_5, BOTH),
    Example(
        "corollary_6", "full-length convolution, d = 4, depth 3, x = (1, 2, 3, 2), y = 1, alpha = 1", _corollary_6, BOTH
    ),
    Example("corollary_7", "sensing of depth 3 with the matrix ((1, 1), (1, 2)), y = 1, alpha = 1", _corollary_7, BOTH),
    Example("theorem_6", "convolution, filters of lengths 2 and 3, x = (1, 2, 3), y = 1, alpha = 1", _theorem_6, BOTH),
    Example(
        "theorem_7",
        "fully connected, depth 3, x = (1, 2), y = 1, alpha = 1/2; the limit alpha -> 0 at depth 2, generic directions",
        _theorem_7,
        ((0, _theorem_7_of_depth_2),),
    ),
)

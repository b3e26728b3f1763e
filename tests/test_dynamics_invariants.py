"""Conserved quantities: each check proves what is conserved and refuses what is not."""

import pytest
import sympy

from symbias.dynamics.invariants import balanced_matrices, conserved, matrix_words, squared_coordinates, tied_powers
from symbias.proof import ProofFails
from symbias.verdict import Result


@pytest.mark.parametrize("depth", [2, 3, 4, 6])
@pytest.mark.parametrize("is_real", [True, False])
def test_squared_coordinates_have_conserved_differences(depth, is_real):
    steps = squared_coordinates(depth, is_real)
    assert len(steps) == depth - 1
    for step in steps:
        assert step.fails_when_perturbed()
        assert step.lhs.func is sympy.Derivative
        assert Result.from_dict(step.to_dict()).fails_when_perturbed()


def test_a_sum_of_squares_is_not_conserved():
    a, b, s = sympy.symbols("a b s")
    assert conserved("difference", a**2 - b**2, (a, b), (-s * b, -s * a), "")
    with pytest.raises(ProofFails):
        conserved("sum", a**2 + b**2, (a, b), (-s * b, -s * a), "")
    with pytest.raises(ProofFails):
        conserved("another flow", a**2 - b**2, (a, b), (-s * b, s * a), "")


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_balanced_matrices_are_proved_in_words(depth):
    for shapes, target in [(((3, 2), *((2, 2),) * (depth - 2), (2,)), (3,)), (((3, 3),) * depth, (3, 3))]:
        steps = balanced_matrices(shapes, target)
        assert len(steps) == depth - 1
        assert all(step.fails_when_perturbed() for step in steps)
        assert all(step.lhs.has(sympy.MatrixSymbol) for step in steps)


def test_words_in_another_order_are_not_equal():
    A, B = sympy.MatrixSymbol("A", 2, 2), sympy.MatrixSymbol("B", 2, 2)
    assert matrix_words(sympy.MatAdd((A * B).T, -B.T * A.T), sympy.Integer(0)) == 0
    assert matrix_words(sympy.MatAdd((A * B).T, -A.T * B.T), sympy.Integer(0)) != 0
    # W_l W_l^T in place of W_l^T W_l, for W_1 W_2 with gradient G.
    G = sympy.MatrixSymbol("G", 2, 2)
    dA, dB = G * B.T, A.T * G
    right = sympy.MatAdd(A.T * dA, dA.T * A, -(dB * B.T), -(B * dB.T))
    wrong = sympy.MatAdd(A * dA.T, dA * A.T, -(dB * B.T), -(B * dB.T))
    assert matrix_words(right, sympy.Integer(0)) == 0
    assert matrix_words(wrong, sympy.Integer(0)) != 0


@pytest.mark.parametrize("depth", range(2, 7))
def test_tied_powers(depth):
    (step,) = tied_powers(depth)
    assert step.fails_when_perturbed()

"""Deep matrix sensing."""

import numpy as np
import pytest
import sympy
from network_identities import assert_numeric_identities, assert_polynomial_identities

from symbias.errors import BadInput
from symbias.initialization import Initialization
from symbias.networks import MatrixSensing

CLASSES = [(d, depth) for d in range(1, 6) for depth in (2, 3, 4)]


@pytest.mark.parametrize(("dim", "depth"), CLASSES)
def test_f_is_the_tensor_contracted_and_a_times_beta(dim, depth):
    assert_polynomial_identities(MatrixSensing(dim, depth))
    assert_numeric_identities(MatrixSensing(dim, depth))


def test_a_matrix_of_symbols_is_a_sample():
    A = sympy.Matrix(2, 2, sympy.symbols("a:4"))
    M = MatrixSensing(2, 2).data_tensor(A)
    # M[(i_1 j_1), (i_2 j_2)] = A[i_1, j_2] if j_1 = i_2.
    for i1, j1, i2, j2 in np.ndindex(2, 2, 2, 2):
        assert M[i1 + 2 * j1, i2 + 2 * j2] == (A[i1, j2] if j1 == i2 else 0)


def test_the_decomposition_needs_samples():
    with pytest.raises(BadInput, match=r"decompose\(X\)"):
        MatrixSensing(2, 2).decompose()


def test_theorem_5_directions_are_multiples_of_the_identity():
    init = Initialization.theorem_5(MatrixSensing(2, 3), alpha=1, eta="0.5")
    assert init.direction(1).tolist() == [[0.5, 0], [0, 0.5]]
    assert not init.direction(2).any()
    with pytest.raises(BadInput, match="one number"):
        Initialization.theorem_5(MatrixSensing(2, 3), 1, [1, 2])


def test_the_matrices_stay_balanced():
    assert all(step.fails_when_perturbed() for step in MatrixSensing(3, 3).invariants())
    net = MatrixSensing(2, 2)
    system, (W, V) = net.flow(), net.symbols()
    assert all(system.along(entry).expand() == 0 for entry in (W.T @ W - V @ V.T).flat)

"""Commuting symmetric matrices in their common eigenbasis."""

import numpy as np
import pytest
import sympy
from decomposition_operators import assert_operators_match_matrices

from symbias.decompositions.commuting import commuting, prove_commuting
from symbias.errors import BadInput, NotConverged, NotDecomposable
from symbias.networks import MatrixSensing
from symbias.precision import context
from symbias.proof import ProofFails

ROTATION = sympy.Matrix([[3, -4, 0], [4, 3, 0], [0, 0, 5]]) / 5


def rotated(*spectra):
    """Rational symmetric matrices with these eigenvalues and common eigenvectors (3, 4, 0)/5, (-4, 3, 0)/5, e_3."""
    samples = [ROTATION * sympy.diag(*values) * ROTATION.T for values in spectra]
    return np.array([A.tolist() for A in samples], dtype=object)


def test_rational_eigenvectors_are_found_and_proved():
    D = commuting(rotated([1, 2, 3], [1, 1, -1]), 3)
    assert D.is_exact
    assert D.U[0].shape == (9, 3)
    assert sorted(D.exact(rotated([1, 2, 3])[0])) == [1, 2, 3]
    assert all(step.fails_when_perturbed() for step in D.prove())
    assert_operators_match_matrices(D, flatten=2)


def test_repeated_eigenvalues_are_separated_by_the_other_samples():
    # Every sample alone, and the first combination tried (A_1 + 2 A_2), has a double eigenvalue.
    X = rotated([1, 1, 0], [0, 1, 1], [0, 0, 0])
    D = commuting(X, 2)
    assert D.is_exact
    back = D.adjoint(D.apply(X))
    assert np.abs(back - X.astype(float)).max() < 1e-14  # products of 3 x 3 matrices
    X = rotated([2, 0, 5], [0, 1, 7])
    assert np.abs(commuting(X, 2).adjoint(commuting(X, 2).apply(X)) - X.astype(float)).max() < 1e-14


def test_the_proof_fails_for_wrong_projectors_or_a_sample_outside_their_span():
    D = commuting(rotated([1, 2, 3]), 3)
    samples = [sympy.ImmutableMatrix(A.tolist()) for A in D.X]
    first, second, third = D.projectors
    assert prove_commuting((first, second, third), samples)
    with pytest.raises(ProofFails, match="orthonormal"):
        prove_commuting((2 * first, second, third), samples)
    with pytest.raises(ProofFails, match="diagonal in the basis"):
        prove_commuting((first, second, third), [sympy.ImmutableMatrix(3, 3, lambda i, j: i + j)])
    # Orthonormal as vectors, but not idempotent: coordinates do not multiply.
    e = sympy.eye(2)
    swapped = (sympy.Matrix([[1, 1], [1, -1]]) / 2).as_immutable()
    other = (sympy.Matrix([[1, -1], [-1, -1]]) / 2).as_immutable()
    with pytest.raises(ProofFails, match="multiply"):
        prove_commuting((swapped, other), [swapped])
    assert e.shape == (2, 2)


def test_irrational_eigenvectors_are_numeric_in_any_precision():
    X = np.array([[[0, 1], [1, 1]], [[1, 1], [1, 2]]], dtype=object)  # eigenvalues (1 ± sqrt 5)/2, and 1 more
    D = commuting(X, 3)
    assert not D.is_exact
    with pytest.raises(BadInput, match="numeric operators"):
        _ = D.U
    ctx = context(40)
    eigenvalues = D.apply(X, ctx)
    golden = (1 + ctx.sqrt(5)) / 2
    wanted = [[1 - golden, golden], [2 - golden, 1 + golden]]
    # 40 digits, a few ulp lost in the eigenvectors.
    assert max(abs(z) for z in (eigenvalues - np.array(wanted, dtype=object)).flat) < ctx.mpf(10) ** -38
    assert np.abs(D.apply(X) - np.array(wanted, dtype=float)).max() < 1e-14


@pytest.mark.parametrize("dim", [1, 2, 5, 20])
def test_floats_that_commute_up_to_rounding_are_diagonalised(dim):
    rng = np.random.default_rng(dim)
    Q = np.linalg.qr(rng.normal(size=(dim, dim)))[0]
    spectra = rng.normal(size=(4, dim))
    spectra[:, 0] = spectra[:, -1]  # a double joint eigenvalue
    X = np.array([Q @ np.diag(values) @ Q.T for values in spectra])
    D = commuting(X, 3)
    # Backward error of a symmetric eigenproblem of size d.
    assert np.abs(D.adjoint(D.apply(X)) - X).max() < 64 * dim * np.finfo(float).eps
    assert np.abs(np.sort(D.apply(X)) - np.sort(spectra)).max() < 64 * dim * np.finfo(float).eps * 4
    if dim > 1:
        with pytest.raises(NotConverged, match="give exact samples"):
            D.apply(X, context(40))


def test_f_is_the_diagonal_network_on_the_eigenvalues():
    D, net = commuting(rotated([1, -2, 3]), 3), MatrixSensing(3, 3)
    etas = np.random.default_rng(0).normal(size=(3, 3))
    blocks = [D.block(eta, layer) for layer, eta in enumerate(etas)]
    f = net.forward(D.X[0].astype(float), blocks)
    assert abs(f - (D.apply(D.X[0]) * np.prod(etas, axis=0)).sum()) < 1e-13  # products of 3 x 3 matrices
    beta = net.coefficients(blocks)
    assert np.abs(D.adjoint(np.prod(etas, axis=0)) - beta).max() < 1e-13


def test_the_pair_that_does_not_commute_and_an_entry_are_named():
    X = np.array([[[1, 0], [0, 1]], [[0, 1], [1, 1]], [[1, 0], [0, 2]]])
    for given in (X, X.astype(float)):
        with pytest.raises(NotDecomposable, match=r"X\[1\] and X\[2\] do not commute.*entry 1.*at \(0, 1\)") as caught:
            commuting(given, 2)
        assert caught.value.entry == (0, 1)
    irrational = X.astype(object)
    irrational[0, 0, 0] = irrational[0, 1, 1] = sympy.sqrt(2)
    with pytest.raises(NotDecomposable, match=r"X\[1\] and X\[2\]"):
        commuting(irrational, 2)
    assert commuting(irrational[:2], 2).terms == 2


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[[1, 2], [3, 4]]], r"X\[0\] is not symmetric.*entry -1 at \(0, 1\)"),
        ([[[1.0, 2.0], [2.1, 4.0]]], r"X\[0\] is not symmetric.*at \(0, 1\)"),
        ([[[1, 2, 3], [2, 1, 3]]], "must be square"),
        ([[1, 2], [2, 1]], "stack of matrices"),
    ],
)
def test_samples_that_are_not_symmetric_matrices_are_refused(X, message):
    with pytest.raises(BadInput, match=message):
        commuting(X, 2)

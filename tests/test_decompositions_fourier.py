"""The Fourier decomposition of the full-length convolution, proved in the cyclotomic field."""

import time
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import sympy
from decomposition_operators import assert_operators_match_matrices, complex_matrix

from symbias.decompositions.fourier import fourier, prove_fourier
from symbias.networks import Convolutional
from symbias.proof import CHECKS, ProofFails


@pytest.mark.parametrize("depth", [2, 3, 4])
@pytest.mark.parametrize("dim", [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15])
def test_assumption_1_is_proved_for_every_dim(dim, depth):
    assert all(step.fails_when_perturbed() for step in fourier(dim, depth).prove())


@pytest.mark.parametrize(("dim", "depth"), [(64, 3), (64, 4), (100, 4)])
def test_large_classes_are_proved_in_under_a_second(dim, depth):
    began = time.perf_counter()
    fourier(dim, depth).prove()
    assert time.perf_counter() - began < 1


@pytest.mark.parametrize("dim", [2, 3, 5, 12])
def test_the_proof_fails_for_one_changed_exponent_or_scale(dim):
    S, U = fourier(dim, 3).roots
    for row, column in [(0, 0), (dim - 1, 1), (1, dim - 1)]:
        changed = S.exponents.copy()
        changed[row, column, 0] += 1
        with pytest.raises(ProofFails):
            prove_fourier(replace(S, exponents=changed), U, 3)
        changed = U.exponents.copy()
        changed[row, column, 0] += 1
        with pytest.raises(ProofFails):
            prove_fourier(S, replace(U, exponents=changed), 3)
    with pytest.raises(ProofFails, match="full column rank"):
        prove_fourier(replace(S, row=(*S.row[:-1], 2 * S.row[-1])), U, 3)
    with pytest.raises(ProofFails, match="orthonormal"):
        prove_fourier(S, replace(U, column=(2 * U.column[0], *U.column[1:])), 3)
    # The inverse transform in S: still unitary, and a wrong tensor (from d = 3 on; F is real for d = 2).
    if dim > 2:
        with pytest.raises(ProofFails, match="add up to M"):
            prove_fourier(replace(S, exponents=-S.exponents), U, 3)


def test_the_rebuilding_step_alone_fails_for_a_wrong_table_a_wrong_depth_and_a_wrong_claim():
    step = fourier(5, 3).prove()[-1]
    S, U = step.given["S"], step.given["U"]
    changed = U.exponents.copy()
    changed[2, 3, 0] += 1
    assert replace_given(step, U=replace(U, exponents=changed)) != 0
    assert replace_given(step, S=replace(S, exponents=S.exponents + 1)) != 0
    assert replace_given(step, depth=5) != 0
    assert step.remainder(sympy.ImmutableMatrix(step.rhs[1:] + step.rhs[:1])) != 0


def replace_given(step, **changed):
    return CHECKS[step.check](step.lhs, step.rhs, **{**step.given, **changed})


@pytest.mark.parametrize(("dim", "depth"), [(1, 2), (2, 3), (3, 2), (4, 3), (5, 2)])
def test_the_terms_rebuild_the_tensor_entry_by_entry_on_numbers(dim, depth):
    # The same claim without the cyclotomic field and without its shortcut: all d^L entries, in floats.
    D, x = fourier(dim, depth), np.random.default_rng(dim).normal(size=dim)
    U, values = complex_matrix(D.U[0]), complex_matrix(D.S) @ x
    M = Convolutional(dim, depth).data_tensor(x)
    for index in product(range(dim), repeat=depth):
        entry = sum(values[k] * np.prod([U[j, k] for j in index]) for k in range(dim))
        assert abs(entry - M[index]) < 1e-13  # sums of d terms of order d^(L/2) eps


def test_the_matrices_are_the_dft_as_the_paper_normalises_it():
    D = fourier(4, 3)
    F = np.exp(-2j * np.pi * np.outer(range(4), range(4)) / 4) / 2
    assert np.abs(complex_matrix(D.S) - 4 * F).max() < 1e-14
    assert np.abs(complex_matrix(D.U[2]) - F.conj()).max() < 1e-14


@pytest.mark.parametrize(("dim", "depth"), [(1, 2), (2, 2), (3, 3), (5, 4), (8, 3)])
def test_the_operators_are_the_matrices(dim, depth):
    assert_operators_match_matrices(fourier(dim, depth))


@pytest.mark.parametrize("depth", [2, 3])
def test_beta_is_s_transposed_times_the_product_of_the_coordinates(depth):
    net, D = Convolutional(6, depth), fourier(6, depth)
    blocks = np.random.default_rng(1).normal(size=(depth, 6))
    rho = np.prod([D.transform(v, layer) for layer, v in enumerate(blocks)], axis=0)
    beta = D.adjoint(rho)
    assert np.abs(beta - net.coefficients(list(blocks))).max() < 1e-13  # FFTs of 6 numbers
    assert np.abs(beta.imag).max() < 1e-13

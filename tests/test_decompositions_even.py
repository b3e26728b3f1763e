"""The real decomposition for even data."""

import time
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import sympy
from decomposition_operators import assert_operators_match_matrices, complex_matrix

from symbias.decompositions.even import even, prove_even, require_even, spectrum_to_coordinates
from symbias.errors import BadInput, NotDecomposable
from symbias.networks import Convolutional
from symbias.proof import ProofFails

CLASSES = [(d, depth) for d in (1, 2, 3, 4, 5, 6, 7, 8, 9, 12) for depth in (2, 3, 4)]


@pytest.mark.parametrize(("dim", "depth"), CLASSES)
def test_the_decomposition_is_proved_for_all_even_x(dim, depth):
    assert all(step.fails_when_perturbed() for step in even(dim, depth).prove())


def test_a_large_class_is_proved_in_under_a_second():
    began = time.perf_counter()
    even(64, 4).prove()
    assert time.perf_counter() - began < 1


@pytest.mark.parametrize("dim", [2, 3, 4, 7])
def test_the_proof_fails_for_a_changed_exponent_or_without_the_multiplicities(dim):
    S, U = even(dim, 3).roots
    changed = S.exponents.copy()
    changed[0, 0] += np.array([1, -1])  # cos(2 pi / d) in place of 1
    with pytest.raises(ProofFails):
        prove_even(replace(S, exponents=changed), U, 3)
    changed = U.exponents.copy()
    changed[0, 0] += np.array([1, -1])
    with pytest.raises(ProofFails):
        prove_even(S, replace(U, exponents=changed), 3)
    if dim > 2:  # for d = 2 all multiplicities are 1
        flat = tuple(sympy.sqrt(dim) for _ in S.row)
        with pytest.raises(ProofFails):
            prove_even(replace(S, row=flat), U, 3)


@pytest.mark.parametrize(("dim", "depth"), [(1, 2), (2, 3), (3, 2), (4, 3), (5, 3), (6, 2)])
def test_the_terms_rebuild_the_projected_tensor_entry_by_entry_on_numbers(dim, depth):
    D, rng = even(dim, depth), np.random.default_rng(dim)
    mirror = -np.arange(dim) % dim
    x = rng.normal(size=dim)
    x = x + x[mirror]
    P = (np.eye(dim) + np.eye(dim)[mirror]) / 2
    M = Convolutional(dim, depth).data_tensor(x)
    for mode in range(depth):
        M = np.moveaxis(np.tensordot(P, M, axes=(1, mode)), 0, mode)
    U, values = complex_matrix(D.U[0]).real, complex_matrix(D.S).real @ x
    for index in product(range(dim), repeat=depth):
        entry = sum(values[k] * np.prod([U[j, k] for j in index]) for k in range(D.terms))
        assert abs(entry - M[index]) < 1e-13  # sums of d terms of order d^(L/2) eps


@pytest.mark.parametrize(("dim", "depth"), [(1, 2), (2, 2), (3, 3), (5, 4), (8, 3)])
def test_the_operators_are_the_matrices(dim, depth):
    assert_operators_match_matrices(even(dim, depth))


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize("depth", [2, 3, 4])
def test_beta_and_the_spectrum_are_those_of_theory(dim, depth):
    # beta = S^T rho, eta_k = sqrt(mult_k) (F v)_k and rho_k = mult_k^(L/2) (F z)_k / d^((L-1)/2) for even blocks.
    net, D = Convolutional(dim, depth), even(dim, depth)
    mirror = -np.arange(dim) % dim
    blocks = np.random.default_rng(2).normal(size=(depth, dim))
    blocks = blocks + blocks[:, mirror]
    etas = [D.transform(v, layer) for layer, v in enumerate(blocks)]
    rho, z = np.prod(etas, axis=0), net.coefficients(list(blocks))
    half, mult = slice(0, D.terms), D.multiplicity
    scale = np.abs(z).max() + np.abs(blocks).max()
    # FFTs and products of at most four factors.
    assert np.abs(D.adjoint(rho) - z).max() < 1e-13 * scale
    assert np.abs(etas[0] - np.sqrt(mult) * np.fft.fft(blocks[0])[half] / np.sqrt(dim)).max() < 1e-13 * scale
    wanted = mult ** (depth / 2) * np.fft.fft(z)[half] / np.sqrt(dim) / dim ** ((depth - 1) / 2)
    assert np.abs(rho - wanted).max() < 1e-13 * scale


def test_re_f_alone_is_not_orthonormal():
    # The tempting wrong choice: m = d columns of Re F have rank floor(d/2) + 1.
    F = np.exp(-2j * np.pi * np.outer(range(5), range(5)) / 5) / np.sqrt(5)
    assert np.linalg.matrix_rank(F.real) == 3
    assert even(5, 3).terms == 3


def test_the_mirror_image_is_compared_exactly_and_the_entry_named():
    require_even(np.array([[1, 2, 3, 3, 2], [0, 1, 2, 2, 1]]))
    require_even(np.array([[sympy.sqrt(2), 7, 7]], dtype=object))
    with pytest.raises(NotDecomposable, match="row 1 is not even: its entries 2 and 3") as caught:
        require_even(np.array([[1, 2, 3, 3, 2], [0, 1, 2, np.nextafter(2, 3), 1]]))
    assert caught.value.entry == (1, 2)
    assert caught.value.identity == "x_i = x_{d-i}"


def test_a_spectrum_of_all_frequencies_becomes_coordinates():
    eta = np.array([1, 2, 3, 3, 2], dtype=object)
    assert spectrum_to_coordinates(eta, 5).tolist() == [1, 2 * sympy.sqrt(2), 3 * sympy.sqrt(2)]
    assert spectrum_to_coordinates(np.array([1.0, 2.0, 5.0, 2.0]), 4).tolist() == [1, 2 * np.sqrt(2), 5]
    assert spectrum_to_coordinates(np.array(2.0), 5).tolist() == [2, 2, 2]
    with pytest.raises(BadInput, match=r"eta\[1\] = 2 and eta\[4\] = 4"):
        spectrum_to_coordinates(np.array([1, 2, 3, 3, 4], dtype=object), 5)

"""Singular value decompositions at depth 2."""

import numpy as np
import pytest
import sympy

from symbias.decompositions.base import numbers
from symbias.decompositions.svd import FullyConnectedSVD, MatrixSVD
from symbias.errors import BadInput
from symbias.networks import Convolutional, Diagonal, FullyConnected
from symbias.precision import context


def test_the_spectrum_of_a_full_convolution_is_the_modulus_of_the_dft_in_pairs():
    x = np.random.default_rng(5).normal(size=5)
    D = Convolutional(5, 2).singular_decomposition(x)
    # M(x) has the singular values |sqrt(d) F x|, conjugate frequencies twice; FFT and SVD of size 5.
    assert np.abs(D.singular_values() - np.sort(np.abs(np.fft.fft(x)))[::-1]).max() < 1e-14
    for ctx in (None, context(50)):
        assert sorted(map(len, D.groups(ctx))) == [1, 2, 2]
        assert [j for group in D.groups(ctx) for j in group] == list(range(5))


def test_high_precision_rebuilds_the_matrix_and_inverts_block():
    ctx = context(50)
    net = Convolutional(4, 2, (2, 4))
    x = np.array(sympy.sympify("[1/3, 2, sqrt(2), 5/7]"), dtype=object)
    D = net.singular_decomposition(x)
    left, s, right = D.factors(ctx)
    M = numbers(net.data_tensor(x).tolist(), ctx)
    assert max(abs(z) for z in ((left * s) @ right.T - M).flat) < ctx.mpf(10) ** -47  # 50 digits, a few ulp lost
    eta = np.array([ctx.mpf(1) / 3, ctx.mpf(-2)], dtype=object)
    for layer in (0, 1):
        back = D.transform(D.block(eta, layer, ctx), layer, ctx)
        assert max(abs(z) for z in back - eta) < ctx.mpf(10) ** -47  # 50 digits, a few ulp lost


def test_the_closed_form_for_the_fully_connected_network_is_the_svd_of_its_tensor():
    net, x = FullyConnected(3, 2, (2,)), np.array([1.0, -2.0, 2.0])
    closed, dense = net.singular_decomposition(x), MatrixSVD(net.data_tensor(x), net.block_shapes)
    assert isinstance(closed, FullyConnectedSVD)
    assert closed.groups() == dense.groups() == ((0, 1),)
    assert np.abs(closed.singular_values() - 3).max() == 0
    assert np.abs(dense.singular_values() - 3).max() < 1e-14
    rng = np.random.default_rng(0)
    for layer, shape in enumerate(net.block_shapes):
        v = rng.normal(size=shape)
        # Singular vectors rotate within a group: compare projectors.
        projected = [D.block(D.transform(v, layer), layer) for D in (closed, dense)]
        assert np.abs(projected[0] - projected[1]).max() < 1e-14
    W, w = (rng.normal(size=shape) for shape in net.block_shapes)
    assert abs(3 * closed.transform(W, 0) @ closed.transform(w, 1) - net.forward(x, [W, w])) < 1e-13
    ctx = context(30)
    assert closed.singular_values(ctx)[0] == 3
    assert closed.block(np.array([ctx.mpf(3), ctx.mpf(0)], dtype=object), 0, ctx)[1, 0] == -2


def test_a_rank_deficient_sample_keeps_its_nonzero_singular_values_only():
    # x = x←: a filter of length 2 sees a matrix of rank 1.
    D = Convolutional(3, 2, (2, 3)).singular_decomposition(np.ones(3))
    assert D.terms == 1
    assert abs(D.singular_values()[0] - np.sqrt(6)) < 1e-14
    assert Convolutional(3, 2, (2, 3)).singular_decomposition([1, 1, 1]).singular_values(context(40)).shape == (1,)
    assert Diagonal(3, 2).singular_decomposition([5, 0, 0]).terms == 1


def test_zero_samples_and_other_depths_are_refused():
    with pytest.raises(BadInput, match="no singular vectors"):
        Convolutional(3, 2).singular_decomposition(np.zeros(3)).singular_values()
    with pytest.raises(BadInput, match="no singular vectors"):
        FullyConnected(3, 2).singular_decomposition(np.zeros(3)).singular_values()
    with pytest.raises(BadInput, match="at depth 2 only"):
        Convolutional(3, 3).singular_decomposition(np.ones(3))
    with pytest.raises(BadInput, match="at depth 2 only"):
        FullyConnected(3, 3).singular_decomposition(np.ones(3))


def test_tiny_and_huge_samples_have_the_same_singular_vectors():
    for scale in (1e-150, 1e150):
        D = FullyConnected(3, 2).singular_decomposition(scale * np.array([1.0, 2.0, 2.0]))
        assert abs(D.singular_values()[0] / scale - 3) < 1e-15
        assert Convolutional(3, 2).singular_decomposition(scale * np.array([1.0, 2.0, 2.0])).terms == 3

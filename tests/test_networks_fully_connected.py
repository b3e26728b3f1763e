"""The fully connected network."""

import numpy as np
import pytest
import sympy
from network_identities import assert_numeric_identities, assert_polynomial_identities

from symbias.errors import BadInput, NotDecomposable
from symbias.initialization import Initialization
from symbias.networks import FullyConnected

CLASSES = [(d, depth) for d in range(1, 6) for depth in (2, 3, 4)]


@pytest.mark.parametrize(("dim", "depth"), CLASSES)
def test_f_is_the_tensor_contracted_and_x_times_beta(dim, depth):
    assert_polynomial_identities(FullyConnected(dim, depth))
    assert_numeric_identities(FullyConnected(dim, depth))


@pytest.mark.parametrize(
    "net", [FullyConnected(3, 2, (2,)), FullyConnected(3, 3, (4, 2)), FullyConnected(2, 4, (3, 1, 2))]
)
def test_the_identities_hold_for_any_widths(net):
    assert_polynomial_identities(net)
    assert_numeric_identities(net)


def test_a_wide_network_is_computed_without_its_tensor():
    # The dense tensor would have 50^7 entries.
    net, rng = FullyConnected(50, 4), np.random.default_rng(0)
    blocks = [rng.normal(size=shape) for shape in net.block_shapes]
    X = rng.normal(size=(2, 50))
    # Chains of three matrix products in another order: dim eps a product, on the scale of the chain.
    scale = np.prod([np.linalg.norm(block) for block in blocks]) * np.linalg.norm(X)
    assert np.abs(net.forward(X, blocks) - X @ net.coefficients(blocks)).max() <= 50 * np.finfo(float).eps * scale


def test_the_sparse_tensor_has_the_entries_of_the_table():
    x = sympy.symbols("x:2")
    M = FullyConnected(2, 3).data_tensor(x)
    # M[(i_1 j_1), (i_2 j_2), i_3] = x_{i_1} if j_1 = i_2 and j_2 = i_3; (i j) is entry i + 2 j.
    for i1, j1, i2, j2, i3 in np.ndindex(2, 2, 2, 2, 2):
        wanted = x[i1] if j1 == i2 and j2 == i3 else 0
        assert M[i1 + 2 * j1, i2 + 2 * j2, i3] == wanted


def test_the_dense_tensor_of_dimension_4_has_256_entries():
    assert np.count_nonzero(FullyConnected(4, 4).data_tensor(np.ones(4))) == 4**4


@pytest.mark.parametrize(
    ("widths", "message"), [((2,), "a list of 2"), ((2, 0), r"widths\[1\]"), ((2.5, 1), r"widths\[0\]")]
)
def test_bad_widths_are_refused(widths, message):
    with pytest.raises(BadInput, match=message):
        FullyConnected(3, 3, widths)


def test_beyond_depth_2_the_ranks_of_the_flattenings_refuse_a_decomposition():
    with pytest.raises(NotDecomposable, match="block 1 and block 2 have ranks 3 and 9") as caught:
        FullyConnected(3, 3).decompose([[1, 2, 3]])
    assert caught.value.entry == (1, 2)
    # The ranks in the message are those of the tensor.
    M = FullyConnected(3, 3, (2, 4)).data_tensor(np.array([1.0, 2.0, 3.0]))
    ranks = [np.linalg.matrix_rank(np.moveaxis(M, mode, 0).reshape(M.shape[mode], -1)) for mode in range(3)]
    assert ranks == [2, 8, 4]
    with pytest.raises(NotDecomposable, match="ranks 2 and 8"):
        FullyConnected(3, 3, (2, 4)).decompose()
    with pytest.raises(NotDecomposable, match="all widths 1"):
        FullyConnected(3, 3, (1, 1)).decompose()


def test_at_depth_2_one_sample_is_decomposed_by_its_svd_and_two_are_not():
    assert FullyConnected(3, 2).decompose([[1, 2, 2]]).singular_values().tolist() == [3, 3, 3]
    with pytest.raises(NotDecomposable, match="2 samples"):
        FullyConnected(3, 2).decompose([[1, 2, 2], [0, 1, 0]])
    with pytest.raises(NotDecomposable, match="no sample"):
        FullyConnected(3, 2).decompose()


def test_theorem_5_directions_are_refused():
    with pytest.raises(BadInput, match="give the directions themselves"):
        Initialization.theorem_5(FullyConnected(3, 2), 1, 1)


def test_the_matrices_stay_balanced():
    steps = FullyConnected(8, 4).invariants()
    assert len(steps) == 3
    assert all(step.fails_when_perturbed() for step in steps)
    # The same entry by entry, on the written-out flow of a small network.
    net = FullyConnected(2, 3)
    system, (W, V, w) = net.flow(), net.symbols()
    first, second = W.T @ W - V @ V.T, V.T @ V - np.outer(w, w)
    assert all(system.along(entry).expand() == 0 for entry in [*first.flat, *second.flat])
    assert system.along((W @ W.T - V @ V.T)[0, 1]).expand() != 0

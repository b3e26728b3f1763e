"""The convolutional network."""

from itertools import product

import numpy as np
import pytest
from network_identities import assert_numeric_identities, assert_polynomial_identities

from symbias.errors import BadInput, NotDecomposable
from symbias.initialization import Initialization
from symbias.networks import Convolutional

CLASSES = [(d, depth) for d in range(1, 6) for depth in (2, 3, 4)]


@pytest.mark.parametrize(("dim", "depth"), CLASSES)
def test_f_is_the_tensor_contracted_and_x_times_beta_for_all_filter_lengths(dim, depth):
    for short in product(range(1, dim + 1), repeat=depth - 1):
        net = Convolutional(dim, depth, (*short, dim))
        assert_polynomial_identities(net)
    assert_numeric_identities(net)


def test_the_star_by_hand():
    # (x ⋆ w)_i = x_i w_1 + x_{i+1} w_2, d = 3, and then the inner product with (1, 10, 100).
    net = Convolutional(dim=3, depth=2, filters=(2, 3))
    assert net.forward([1, 2, 3], [[1, 1], [1, 10, 100]]) == 3 + 50 + 400


def test_the_tensor_of_a_short_filter_is_a_part_of_the_full_one():
    x = np.arange(4.0)
    full = Convolutional(4, 3).data_tensor(x)
    assert np.array_equal(Convolutional(4, 3, (2, 3, 4)).data_tensor(x), full[:2, :3, :])


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ((5, 4), "filter 1 has length 5, above dim = 4"),
        ((4, 2), "the last filter has length 2"),
        ((2, 2, 4), "a list of 2 whole numbers"),
        ((0, 4), r"filters\[0\]"),
        ((2.0, 4), r"filters\[0\]"),
        (4, "a list of 2"),
    ],
)
def test_bad_filters_are_refused(filters, message):
    with pytest.raises(BadInput, match=message):
        Convolutional(4, 2, filters)


def test_a_short_filter_is_not_decomposable_and_the_identity_is_named():
    with pytest.raises(NotDecomposable, match=r"filter 2 has length 3 < dim = 4.*U_2\^H U_2 = I_m fails") as caught:
        Convolutional(4, 3, (4, 3, 4)).decompose()
    assert caught.value.entry == (3, 3)
    with pytest.raises(NotDecomposable):
        Convolutional(4, 2, (2, 4)).decompose()
    with pytest.raises(NotDecomposable):
        Convolutional(4, 2, (2, 4)).decompose([[1, 2, 3, 2]], symmetry="even")
    with pytest.raises(NotDecomposable):
        Convolutional(4, 2, (2, 4)).decompose([[1, 2, 3, 4], [0, 1, 0, 0]])


def test_a_short_filter_at_depth_2_with_one_sample_has_the_singular_values_of_corollary_4():
    # Squared singular values |x|^2 ± x^T x← for filters of length 2.
    x = np.array([1.0, 2.0, -1.0, 3.0, 0.5])
    D = Convolutional(5, 2, (2, 5)).decompose(x)
    inner = x @ np.roll(x, -1)
    wanted = np.sort([x @ x + inner, x @ x - inner])[::-1]
    # Two products of five terms and an SVD: a few ulp.
    assert np.allclose(D.singular_values() ** 2, wanted, rtol=1e-14, atol=0)


def test_a_row_that_is_not_even_is_named():
    X = [[1, 2, 3, 2], [1, 2, 3, 4]]
    with pytest.raises(NotDecomposable, match="row 1 is not even: its entries 1 and 3") as caught:
        Convolutional(4, 3).decompose(X, symmetry="even")
    assert caught.value.entry == (1, 1)
    assert Convolutional(4, 3).decompose(X[:1], symmetry="even").terms == 3
    with pytest.raises(BadInput, match="symmetry='odd'"):
        Convolutional(4, 3).decompose(symmetry="odd")


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 5, 8])
def test_theorem_5_directions_are_even_with_the_spectrum_asked_for(dim):
    spectrum = [2 + min(k, dim - k) for k in range(dim)]
    init = Initialization.theorem_5(Convolutional(dim, 3), alpha=1, eta=spectrum)
    v = init.direction(0)
    # The FFT of at most 8 numbers: a few ulp.
    assert np.allclose(np.fft.fft(v) / np.sqrt(dim), spectrum, rtol=1e-14, atol=1e-14)
    assert not init.direction(2).any()
    half = dim // 2 + 1
    multiplicity = [1 if 2 * k % dim == 0 else 2 for k in range(half)]
    coordinates = [np.sqrt(mult) * value for mult, value in zip(multiplicity, spectrum, strict=False)]
    again = Initialization.theorem_5(Convolutional(dim, 3), alpha=1, eta=coordinates).direction(0)
    assert np.allclose(again, v, rtol=0, atol=1e-14 * np.abs(v).max())  # the same sum, rounded twice
    if dim >= 3:
        with pytest.raises(BadInput, match="eta is not even"):
            Initialization.theorem_5(Convolutional(dim, 3), 1, [*spectrum[:-1], 9])
    with pytest.raises(BadInput, match="give one number"):
        Initialization.theorem_5(Convolutional(dim, 3), 1, [1] * (dim + 1))


def test_norm_differences_are_conserved_for_short_filters():
    steps = Convolutional(4, 3, (2, 3, 4)).invariants()
    assert len(steps) == 2
    assert all(step.fails_when_perturbed() for step in steps)


def test_the_squared_spectra_of_full_filters_are_conserved():
    assert all(step.fails_when_perturbed() for step in Convolutional(6, 3).invariants())
    # By hand, without the Fourier transform: the autocorrelations of the blocks have conserved differences.
    net = Convolutional(4, 3)
    system, (first, _, last) = net.flow(), net.symbols()
    for shift in range(3):
        difference = (first * np.roll(first, shift)).sum() - (last * np.roll(last, shift)).sum()
        assert system.along(difference).expand() == 0
    assert system.along((first * np.roll(first, 1)).sum()).expand() != 0


def test_a_flow_too_large_to_write_out_is_refused():
    with pytest.raises(BadInput, match="more than 100000 terms"):
        Convolutional(20, 4, (19, 20, 20, 20)).invariants()

"""Blocks multiply as the networks' definitions say, and the gradients are those of that product."""

import itertools

import numpy as np
import pytest

from symbias.numeric.products import Circular, Hadamard, MatrixProduct
from symbias.numeric.tied_product import DifferenceOfPowers

RNG = np.random.default_rng(5)
CHAINS = {
    "hadamard": (Hadamard(), [(4,)] * 3),
    "linear": (Hadamard(), [(4,)]),
    "circular": (Circular(5), [(5,)] * 3),
    "short filters": (Circular(5), [(2,), (3,), (5,)]),
    "first filter of one entry": (Circular(4), [(1,), (4,)]),
    "large circular": (Circular(130), [(130,), (7,), (130,)]),
    "fully connected": (MatrixProduct(), [(4, 3), (3, 2), (2,)]),
    "matrix sensing": (MatrixProduct(), [(3, 3)] * 3),
    "difference of powers": (DifferenceOfPowers(3), [(4,), (4,)]),
}


def integers(shapes):
    return [RNG.integers(-9, 10, shape) for shape in shapes]


def test_circular_product_sums_over_indices_modulo_dim():
    w1, w2, w3 = integers([(2,), (3,), (5,)])
    expected = np.zeros(5, dtype=int)
    for i, j, k in itertools.product(range(2), range(3), range(5)):
        expected[(i + j + k) % 5] += w1[i] * w2[j] * w3[k]
    assert np.array_equal(Circular(5).beta([w1, w2, w3]), expected)
    assert not np.array_equal(
        Circular(6).beta([w1, w2, np.append(w3, 0)])[:5], expected
    )  # another modulus, another product


def test_other_products_are_their_definitions():
    a, b, c = integers([(3, 2), (2, 2), (2,)])
    assert np.array_equal(MatrixProduct().beta([a, b, c]), a @ b @ c)
    u, v = integers([(4,), (4,)])
    assert np.array_equal(Hadamard().beta([u, v, u]), u * v * u)
    assert np.array_equal(DifferenceOfPowers(3).beta([u, v]), u**3 - v**3)


@pytest.mark.parametrize("name", CHAINS)
def test_gradients_are_the_exact_derivative_of_the_multilinear_product(name):
    product, shapes = CHAINS[name]
    blocks = integers(shapes)
    g = RNG.integers(-9, 10, product.beta(blocks).shape)
    gradients = product.gradients(blocks, g)
    for at, block in enumerate(blocks):
        assert gradients[at].shape == block.shape
        index = tuple(RNG.integers(0, n) for n in block.shape)

        def value(step, at=at, index=index):
            moved = [b.copy() for b in blocks]
            moved[at][index] += step
            return np.sum(g * product.beta(moved))

        if isinstance(product, DifferenceOfPowers):  # a cubic: the exact derivative from five points
            exact = (8 * (value(1) - value(-1)) - (value(2) - value(-2))) / 12
        else:  # linear in each block: a difference is the derivative
            exact = value(1) - value(0)
        # integers, except through the FFT, whose error is about eps |g| |v|^2 d ~ 1e-16 * 1e3 * 1e2 * 1e2
        assert abs(gradients[at][index] - exact) <= (1e-7 if name == "large circular" else 0)


@pytest.mark.parametrize("name", CHAINS)
def test_object_arrays_give_the_same_as_integers_and_the_jacobian_collects_the_gradients(name):
    product, shapes = CHAINS[name]
    blocks = integers(shapes)
    beta = product.beta([b.astype(object) for b in blocks])
    assert np.allclose(beta.astype(float), product.beta([b.astype(float) for b in blocks]), rtol=1e-12, atol=1e-7)
    if name != "large circular":
        g = RNG.integers(-9, 10, beta.shape)
        flat = np.concatenate([part.ravel() for part in product.gradients(blocks, g)])
        assert np.array_equal(product.jacobian(blocks).T @ g.ravel(), flat)


def test_the_untied_chain_has_the_coefficients_and_velocity_of_the_difference_of_powers():
    product, X = DifferenceOfPowers(3), RNG.integers(-5, 6, (2, 4))
    blocks, r = integers([(4,), (4,)]), RNG.integers(-5, 6, 2)
    chain, data, copies = product.untied(X, blocks)
    assert np.array_equal(data @ chain.beta(copies), X @ product.beta(blocks))
    fast = chain.gradients(copies, data.T @ r)
    slow = product.tied([product.speed * part for part in fast])
    for ours, theirs in zip(slow, product.gradients(blocks, X.T @ r), strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("name", CHAINS)
def test_invariants_are_orthogonal_to_every_gradient(name):
    product, shapes = CHAINS[name]
    blocks = [np.abs(block) + 1.0 for block in integers(shapes)]
    velocity = product.gradients(blocks, RNG.normal(size=product.beta(blocks).shape))
    step = 1e-6 * min(np.linalg.norm(b) for b in blocks) / max(np.linalg.norm(v) for v in velocity)

    def moved(sign, fields):
        return product.invariants([b + sign * step * v for b, v in zip(blocks, fields, strict=True)])

    def rate(fields):
        return max((np.max(np.abs(p - m)) for p, m in zip(moved(1, fields), moved(-1, fields), strict=True)), default=0)

    # a central difference of a quadratic leaves rounding, eps |v|^2 d; along a gradient nothing else remains
    size = max((np.max(np.abs(q)) for q in product.invariants(blocks)), default=1)
    assert rate(velocity) <= 1e-12 * max(size, sum(np.sum(b**2) for b in blocks))
    if len(blocks) > 1:  # negative control: along another direction they change
        assert rate([velocity[0], *(0 * v for v in velocity[1:])]) > 1e-9 * size

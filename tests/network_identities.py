"""f(x; Theta) = M(x) o (v_1, .., v_L) = <x, beta(Theta)>: exactly, as polynomials, and on random numbers."""

import numpy as np
import sympy

from symbias.networks import Network


def ring_blocks(net: Network):
    """A sample and blocks whose entries are the generators of one polynomial ring over the integers."""
    sizes = [int(np.prod(shape)) for shape in (net.input_shape, *net.block_shapes)]
    generators = iter(sympy.ring(sympy.symbols(f"z:{sum(sizes)}"), sympy.ZZ)[1:])
    parts = []
    for shape in (net.input_shape, *net.block_shapes):
        part = np.empty(shape, dtype=object)
        for index in np.ndindex(shape):
            part[index] = next(generators)
        parts.append(part)
    return parts[0], parts[1:]


def contracted(tensor: np.ndarray, blocks):
    """M o (v_1, .., v_L), one mode after the other, only where M is not zero."""
    flat = [block.ravel(order="F") for block in blocks]
    total = 0
    for index in zip(*tensor.nonzero(), strict=True):
        term = tensor[index]
        for v, i in zip(flat, index, strict=True):
            term = term * v[i]
        total = total + term
    return total


def assert_polynomial_identities(net: Network):
    """The three ways to f agree as polynomials, and a changed coefficient does not."""
    x, blocks = ring_blocks(net)
    f = net.forward(x, blocks)
    beta = net.coefficients(blocks)
    assert f - (x * beta).sum() == 0
    assert f - contracted(net.data_tensor(x), blocks) == 0
    wrong = beta.copy()
    wrong.flat[-1] = wrong.flat[-1] + 1
    assert f - (x * wrong).sum() != 0


def assert_numeric_identities(net: Network, seed: int = 0):
    """The same on random numbers, for a batch of samples."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3, *net.input_shape))
    blocks = [rng.normal(size=shape) for shape in net.block_shapes]
    outputs = net.forward(X, blocks)
    beta = net.coefficients(blocks)
    scale = np.abs(X).max() * np.prod([np.abs(b).sum() for b in blocks])
    # Sums of at most k_1 .. k_L products of L + 1 factors, each rounded: a few eps times the sum of moduli.
    tolerance = 64 * np.finfo(float).eps * scale
    for x, f in zip(X, outputs, strict=True):
        assert abs(f - (x * beta).sum()) <= tolerance
        assert abs(f - net.forward(x, blocks)) <= tolerance
        assert abs(f - contracted(net.data_tensor(x), blocks)) <= tolerance

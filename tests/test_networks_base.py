"""What all networks share: shapes, doors, symbols, records."""

import mpmath
import numpy as np
import pytest
import sympy

from symbias.errors import BadInput
from symbias.networks import (
    NETWORKS,
    Convolutional,
    Diagonal,
    FullyConnected,
    MatrixSensing,
    Network,
    network_named,
)
from symbias.verdict import Result

ALL = [kind(dim=3) if kind.name == "linear" else kind(dim=3, depth=2) for kind in NETWORKS.values()]


@pytest.mark.parametrize("net", ALL, ids=lambda net: net.name)
def test_every_network_is_registered_reads_back_and_equals_itself(net):
    assert network_named(net.name) is type(net)
    assert Result.from_dict(net.to_dict()) == net
    assert net != Diagonal(dim=7, depth=5)
    assert net.name in NETWORKS
    assert net.to_latex().startswith("f(x")
    assert repr(net).startswith(type(net).__name__)


@pytest.mark.parametrize("net", ALL, ids=lambda net: net.name)
def test_symbols_have_the_shapes_of_the_blocks_and_are_real_and_distinct(net):
    blocks = net.symbols()
    assert tuple(block.shape for block in blocks) == net.block_shapes
    names = [entry for block in blocks for entry in block.flat]
    assert len(set(names)) == len(names)
    assert all(name.is_real for name in names)
    net.as_blocks(blocks)


@pytest.mark.parametrize("kind", NETWORKS.values(), ids=lambda kind: kind.name)
@pytest.mark.parametrize("dim", [0, -1, 2.0, "3", True, None])
def test_a_dim_that_is_not_a_positive_whole_number_is_refused(kind, dim):
    with pytest.raises(BadInput, match="dim"):
        kind(dim=dim) if kind.name == "linear" else kind(dim=dim, depth=2)


@pytest.mark.parametrize("kind", [k for k in NETWORKS.values() if k.name != "linear"], ids=lambda kind: kind.name)
@pytest.mark.parametrize("depth", [1, 0, 2.5, "two"])
def test_depth_1_and_other_bad_depths_are_refused_naming_linear(kind, depth):
    with pytest.raises(BadInput, match="Linear"):
        kind(dim=2, depth=depth)


def test_a_sympy_or_numpy_integer_is_a_whole_number():
    assert Diagonal(sympy.Integer(2), np.int64(3)) == Diagonal(2, 3)


def test_an_unknown_name_lists_the_networks():
    with pytest.raises(BadInput, match="no network is called 'transformer'.*diagonal, convolutional"):
        network_named("transformer")


def test_blocks_that_do_not_fit_are_named():
    net = Diagonal(dim=2, depth=3)
    with pytest.raises(BadInput, match="2 blocks for a network of 3"):
        net.coefficients([[1, 2], [3, 4]])
    with pytest.raises(BadInput, match=r"block 2 has shape \(3,\).*\(2,\)"):
        net.forward([1, 2], [[1, 2], [1, 2, 3], [1, 2]])
    with pytest.raises(BadInput, match="block 1 is not a rectangular array"):
        net.coefficients([[[1, 2], [3]], [1, 2], [1, 2]])
    with pytest.raises(BadInput, match="block 3 must hold real numbers"):
        net.coefficients([[1, 2], [1, 2], ["a", "b"]])
    with pytest.raises(BadInput, match="block 3 must hold real numbers"):
        net.coefficients([[1, 2], [1, 2], [1j, 2]])
    with pytest.raises(BadInput, match="blocks must be a list"):
        net.coefficients(3)


def test_samples_that_do_not_fit_are_named():
    net = Diagonal(dim=2, depth=2)
    with pytest.raises(BadInput, match=r"x has shape \(3,\)"):
        net.forward([1, 2, 3], [[1, 2], [1, 2]])
    with pytest.raises(BadInput, match=r"x has shape \(3,\)"):
        net.data_tensor([1, 2, 3])


def test_a_sympy_float_is_refused_by_the_data_tensor_and_its_rational_is_offered():
    with pytest.raises(BadInput, match="Rational"):
        Diagonal(dim=2, depth=2).data_tensor([sympy.Float("0.1"), sympy.Symbol("x")])


def test_the_kind_of_the_sample_decides_the_kind_of_the_tensor():
    net = Diagonal(dim=2, depth=3)
    assert isinstance(net.data_tensor(sympy.Matrix([1, 2])), sympy.ImmutableSparseNDimArray)
    assert net.data_tensor(sympy.symbols("x y"))[1, 1, 1] == sympy.Symbol("y")
    assert net.data_tensor(np.array([1.0, 2.0])).dtype == np.float64
    precise = net.data_tensor(np.array([mpmath.mpf(1) / 3, mpmath.mpf(2)], dtype=object))
    assert precise.dtype == object
    assert precise[0, 0, 0] == mpmath.mpf(1) / 3
    assert precise[0, 1, 0] == 0


def test_whole_numbers_stay_exact_beyond_64_bits():
    net = Diagonal(dim=1, depth=3)
    assert net.coefficients([[10**9], [10**9], [10**9]])[0] == 10**27
    assert net.coefficients([np.array([10**9])] * 3)[0] == 10**27


@pytest.mark.parametrize("net", ALL, ids=lambda net: net.name)
def test_the_flow_is_minus_the_gradient_of_the_loss(net):
    # The rates, residuals put in, are the derivatives of the loss itself, as polynomials (regression) or as they stand.
    for task, loss in (
        ("regression", lambda f, y: (f - y) ** 2 / 2),
        ("classification", lambda f, y: sympy.exp(-y * f)),
    ):
        system = net.flow(task, samples=2)
        X = [np.array(x).reshape(net.input_shape) for x in _samples(net)]
        y = sympy.symbols("y_1:3", real=True)
        total = sum(loss(net.forward(x, net.symbols()), target) for x, target in zip(X, y, strict=True))
        values = dict(zip(system.residuals, system.values, strict=True))
        for parameter, rate in zip(system.parameters, system.rates, strict=True):
            claim = rate.xreplace(values) + total.diff(parameter)
            assert sympy.expand(claim) == 0
            assert sympy.expand(claim + parameter) != 0


def _samples(net: Network):
    size = int(np.prod(net.input_shape))
    return [sympy.symbols(f"x_{i}_1:{size + 1}", real=True) for i in (1, 2)]


@pytest.mark.parametrize(
    "network, X",
    [
        (Convolutional(2, 2), [[sympy.Float("0.5"), 1]]),
        (MatrixSensing(1, 2), [[[sympy.Float("0.5")]]]),
        (FullyConnected(2, 2), [[sympy.Float("0.5"), 1]]),
    ],
)
def test_decompose_refuses_a_sympy_float_and_offers_the_rational(network, X):
    with pytest.raises(BadInput, match=r"Rational\('1/2'\)"):
        network.decompose(X)

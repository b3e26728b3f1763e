"""The nonlinear tensor network equals ReLU, leaky and smooth networks written out directly, and states no implicit
bias.
"""

import numpy as np
import pytest

import symbias as sb
from symbias.errors import BadInput, NoStatement
from symbias.networks import Network, TensorNetwork
from symbias.verdict import Result

RNG = np.random.default_rng(11)
PHI = {
    "relu": lambda h: np.where(h > 0, h, 0.0),
    "leaky_relu": lambda h: np.where(h > 0, h, 0.01 * h),
    "tanh": np.tanh,
    "identity": lambda h: h,
}


def blocks_of(net):
    return [RNG.standard_normal(shape) for shape in net.block_shapes]


def fully_connected(x, blocks, phi):
    hidden = x
    for W in blocks[:-1]:
        hidden = phi(hidden @ W)
    return hidden @ blocks[-1]


def convolutional(x, blocks, phi):
    hidden, d = x, len(x)
    for w in blocks[:-1]:
        hidden = phi(np.array([sum(hidden[(i + j) % d] * w[j] for j in range(len(w))) for i in range(d)]))
    return hidden @ blocks[-1]


def diagonal(x, blocks, phi):
    hidden = x
    for w in blocks[:-1]:
        hidden = phi(hidden * w)
    return hidden @ blocks[-1]


DIRECT = [
    (sb.FullyConnected(3, 3, widths=(4, 2)), fully_connected),
    (sb.FullyConnected(3, 2), fully_connected),
    (sb.Convolutional(5, 3, filters=(3, 2, 5)), convolutional),
    (sb.Convolutional(4, 2), convolutional),
    (sb.Diagonal(4, 4), diagonal),
]


@pytest.mark.parametrize("phi", PHI)
@pytest.mark.parametrize("net, direct", DIRECT, ids=lambda value: getattr(value, "name", ""))
def test_it_equals_the_network_written_out(net, direct, phi):
    tensor, differs = TensorNetwork(net, phi), False
    for _ in range(8):
        x, blocks = RNG.standard_normal(net.dim), blocks_of(net)
        expected = direct(x, blocks, PHI[phi])
        assert tensor.forward(x, blocks) == pytest.approx(expected, rel=1e-12, abs=1e-13)
        if phi == "identity":
            assert net.forward(x, blocks) == pytest.approx(expected, rel=1e-12, abs=1e-13)
        differs |= abs(tensor.forward(x, blocks) - net.forward(x, blocks)) > 1e-6
    assert differs == (phi != "identity")  # it is not the linear one


def test_an_activation_a_layer_and_a_batch():
    net = sb.Convolutional(5, 3)
    tensor = TensorNetwork(net, ["relu", np.sin])
    X, (u, v, w) = RNG.standard_normal((4, 5)), blocks_of(net)
    roll = [np.arange(5) + i for i in range(5)]

    def star(a, b):
        return np.array([sum(a[roll[i] % 5] * b) for i in range(5)])

    expected = [np.sin(star(np.maximum(star(x, u), 0), v)) @ w for x in X]
    np.testing.assert_allclose(tensor.forward(X, [u, v, w]), expected, rtol=1e-12)


def test_a_smooth_activation_with_phi_of_zero_not_zero_needs_a_full_tensor():
    net = sb.Convolutional(4, 2)  # M(x) has no fixed zeros
    x, blocks = RNG.standard_normal(4), blocks_of(net)
    expected = convolutional(x, blocks, lambda h: np.log1p(np.exp(h)))
    assert TensorNetwork(net, "softplus").forward(x, blocks) == pytest.approx(expected, rel=1e-12)
    for sparse in (sb.Diagonal(3, 3), sb.FullyConnected(2, 3)):
        with pytest.raises(BadInput, match=r"phi\(0\)"):
            TensorNetwork(sparse, "softplus")


def test_any_linear_map_to_tensors():
    data = RNG.standard_normal((2, 3, 4, 5))  # k = (2, 3, 4), d = 5
    net = TensorNetwork(data, "relu")
    x, (u, v, w) = RNG.standard_normal(5), [RNG.standard_normal(k) for k in (2, 3, 4)]
    M = np.einsum("abcd,d->abc", data, x)
    hidden = np.maximum(np.einsum("abc,a->bc", M, u), 0)
    expected = np.maximum(np.einsum("bc,b->c", hidden, v), 0) @ w
    assert net.forward(x, [u, v, w]) == pytest.approx(expected, rel=1e-12)
    assert (net.dim, net.depth, net.block_shapes) == (5, 3, ((2,), (3,), (4,)))


def test_asking_it_for_a_statement_explains_why_there_is_none():
    net = TensorNetwork(sb.FullyConnected(2, 2), "relu")
    assert isinstance(net, Network)
    problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization(1, [[[1, 0], [0, 1]], [1, 1]]))
    asked = [
        lambda: sb.predict(problem),
        lambda: sb.limit(problem, 0),
        lambda: sb.derive(net),
        lambda: net.coefficients([[[1, 0], [0, 1]], [1, 1]]),
        lambda: net.decompose([[1, 2]]),
        lambda: net.flow(),
    ]
    for ask in asked:
        with pytest.raises(NoStatement, match="linear tensor networks.*relu.*FullyConnected"):
            ask()
    survey = sb.theorems_for(problem)
    assert survey.chosen is None and "linear tensor network" in repr(survey)


LINEAR = [
    sb.Diagonal(3, 3),
    sb.Convolutional(3, 3),
    sb.Convolutional(4, 3, filters=(2, 3, 4)),
    sb.FullyConnected(2, 3, widths=(3, 2)),
    sb.FullyConnected(3, 2, widths=(2,)),
]


@pytest.mark.parametrize("net", LINEAR, ids=repr)
def test_with_identities_only_it_names_the_linear_network_to_use_instead(net):
    array = np.stack([net.data_tensor(x) for x in np.eye(net.dim)], axis=-1)
    for data in (net, array):
        tensor = TensorNetwork(data, "identity")
        assert repr(tensor.linear_network()) == repr(net)
        with pytest.raises(NoStatement) as caught:
            tensor.decompose()
        assert repr(net) in str(caught.value) and "outside" not in str(caught.value)
    blocks = [RNG.standard_normal(shape) for shape in net.block_shapes]
    x = RNG.standard_normal(net.dim)
    assert TensorNetwork(net, "identity").forward(x, blocks) == pytest.approx(net.forward(x, blocks), rel=1e-12)


def test_a_tensor_of_no_class_names_none():
    array = np.zeros((2, 2, 2))
    array[0, 0, 0] = array[1, 1, 1] = 1
    assert repr(TensorNetwork(array, "identity").linear_network()) == repr(sb.Diagonal(2, 2))
    array[0, 1, 0] = 1e-12
    other = TensorNetwork(array, "identity")
    assert other.linear_network() is None
    with pytest.raises(NoStatement, match="no linear network of symbias"):
        other.flow()


def test_bad_input():
    with pytest.raises(BadInput, match="'swish'"):
        TensorNetwork(sb.Diagonal(2, 2), "swish")
    with pytest.raises(BadInput, match="2 activations for depth 2"):
        TensorNetwork(sb.Diagonal(2, 2), ["relu", "relu"])
    with pytest.raises(BadInput, match="linear network"):
        TensorNetwork(np.zeros((2, 2)))
    with pytest.raises(BadInput, match="dim and depth"):
        TensorNetwork(sb.Diagonal(2, 2), dim=3, depth=2)


def test_the_record_survives_json():
    net = TensorNetwork(sb.Convolutional(3, 3, filters=(2, 1, 3)), ("relu", "tanh"))
    again = Result.from_dict(net.to_dict())
    x, blocks = RNG.standard_normal(3), blocks_of(net)
    assert repr(again) == repr(net) and again.forward(x, blocks) == net.forward(x, blocks)

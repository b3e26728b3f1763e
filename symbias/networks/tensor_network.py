"""The general (nonlinear) tensor network: H_1 = phi_1(M(x) o v_1), H_l = phi_l(H_{l-1} o v_l), f = H_{L-1} o v_L."""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, NoReturn

import numpy as np

from symbias.errors import BadInput, NoStatement
from symbias.networks.base import Network
from symbias.networks.convolutional import Convolutional
from symbias.networks.diagonal import Diagonal
from symbias.networks.doors import entries
from symbias.networks.fully_connected import FullyConnected

ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "identity": lambda h: h,
    "relu": lambda h: np.maximum(h, 0),
    "leaky_relu": lambda h: np.maximum(h, h / 100),
    "tanh": np.tanh,
    "softplus": lambda h: np.logaddexp(0.0, h),
}


@dataclass(frozen=True, eq=False, repr=False, init=False)
class TensorNetwork(Network):
    """f(x; Theta) by contracting the data tensor M(x) with one block after the other, an activation after each but the
    last.

    M is linear in x, of shape k_1 x .. x k_L, and A o v contracts the first mode of A. ReLU fully-connected,
    convolutional and diagonal networks are instances: give the linear network as ``data``.

    Parameters
    ----------
    data : Network, or array of shape (k_1, .., k_L, d)
        Where M comes from: that network's data tensor, or M(x) = data @ x.
    activations : one, or a list of L - 1
        phi_1, .., phi_{L-1}: names ("identity", "relu", "leaky_relu" with slope 1/100, "tanh", "softplus") or
        functions of arrays.
    dim, depth : ints, optional
        As in a stored record; they are those of ``data``.

    Raises
    ------
    BadInput
        An unknown activation, the wrong number of them, or one with phi(0) != 0 for a network whose M(x) has zeros at
        fixed places: these would become phi(0), and the result would not be that network with the activation on its
        units.
    NoStatement
        From everything that asks for an implicit bias: the theorems need the linear network.

    Source
    ------
    arXiv:2010.02501v3, section 3.

    Examples
    --------
    >>> import symbias as sb
    >>> net = sb.networks.TensorNetwork(sb.FullyConnected(dim=2, depth=2), "relu")
    >>> float(net.forward([1.0, 1.0], [[[1.0, -1.0], [1.0, -2.0]], [3.0, 5.0]]))
    6.0
    """

    data: Any
    activations: tuple[Any, ...]

    def __init__(self, data, activations="relu", *, dim=None, depth=None, seconds: float = 0.0):
        tensor = None if isinstance(data, Network) else entries(data, "data")
        if isinstance(data, TensorNetwork) or (tensor is not None and tensor.ndim < 3):
            raise BadInput("data must be a linear network, or an array of shape (k_1, .., k_L, d) with L >= 2")
        own = (data.dim, data.depth) if tensor is None else (tensor.shape[-1], tensor.ndim - 1)
        if (dim, depth) not in ((None, None), own):
            raise BadInput(f"dim and depth are those of data, {own}, not {(dim, depth)}")
        given = tuple(activations) if isinstance(activations, (list, tuple)) else (activations,) * (own[1] - 1)
        if len(given) != own[1] - 1:
            raise BadInput(f"{len(given)} activations for depth {own[1]}: give one, or one for each layer but the last")
        made = {"data": data if tensor is None else tensor, "activations": given, "dim": own[0], "depth": own[1]}
        # The name is the instance's: the class is no architecture, so it is not in the registry.
        for field, value in (made | {"seconds": seconds, "name": "tensor"}).items():
            object.__setattr__(self, field, value)
        self.functions()
        if tensor is None:
            self._require_zero_at_zero(data)

    def _require_zero_at_zero(self, network: Network) -> None:
        """phi(0) = 0 wherever M(x) is zero for every x."""
        full = sum(1 for _ in network.places()) == prod(network.tensor_shape)
        for layer, phi in enumerate(self.functions(), start=1):
            at_zero = float(phi(np.zeros(1))[0])
            if at_zero and not full:
                raise BadInput(
                    f"activation {layer} has phi(0) = {at_zero}, and M(x) of the {network.name} network has zeros "
                    "at fixed places, "
                    "which would become phi(0): use an activation with phi(0) = 0, or the array of M as data"
                )

    def functions(self) -> list[Callable]:
        """The activations as functions."""
        unknown = [a for a in self.activations if not callable(a) and a not in ACTIVATIONS]
        if unknown:
            raise BadInput(
                f"no activation is called {unknown[0]!r}: there are {', '.join(ACTIVATIONS)}, or give a function"
            )
        return [a if callable(a) else ACTIVATIONS[a] for a in self.activations]

    @property
    def is_linear(self) -> bool:
        """True when every activation is the identity."""
        return all(a == "identity" for a in self.activations)

    def linear_network(self) -> Network | None:
        """The linear network with this data tensor, whatever the activations; None when it is not one of symbias's."""
        if isinstance(self.data, Network):
            return self.data
        *sizes, d = self.data.shape
        candidates: list[Network] = []
        if set(sizes) == {d}:
            candidates.append(Diagonal(d, self.depth))
        if sizes[-1] == d and max(sizes) <= d:
            candidates.append(Convolutional(d, self.depth, filters=tuple(sizes)))
        widths = _widths(sizes, d)
        if widths is not None:
            candidates.append(FullyConnected(d, self.depth, widths=widths))
        own, unit = np.asarray(self.data, dtype=float), np.eye(d)
        for network in candidates:
            made = np.stack([np.asarray(network.data_tensor(x), dtype=float) for x in unit], axis=-1)
            if np.array_equal(made, own):
                return network
        return None

    @property
    def input_shape(self) -> tuple[int, ...]:
        return self.data.input_shape if isinstance(self.data, Network) else (self.dim,)

    @property
    def block_shapes(self) -> tuple[tuple[int, ...], ...]:
        if isinstance(self.data, Network):
            return self.data.block_shapes
        return tuple((k,) for k in self.data.shape[:-1])

    def data_tensor(self, x):
        if isinstance(self.data, Network):
            return self.data.data_tensor(x)
        return self.data @ self._sample(x)

    def forward(self, x, blocks):
        values, shapes = self._samples(x), self.as_blocks(blocks)
        if values.shape != self.input_shape:
            return np.array([self.forward(sample, blocks) for sample in values])
        hidden = np.asarray(self.data_tensor(values))
        # vec(W) is by columns
        *first, last = (block.ravel(order="F") for block in shapes)
        for v, phi in zip(first, self.functions(), strict=True):
            hidden = phi(np.tensordot(v, hidden, axes=(0, 0)))
        return last @ hidden

    def places(self):
        if isinstance(self.data, Network):
            return self.data.places()
        raise BadInput("M(x) was given as an array: its entries are not single entries of x")

    @property
    def product(self):
        self._explain()

    def coefficients(self, blocks):
        self._explain()

    def decompose(self, X=None, symmetry=None):
        self._explain()

    def singular_decomposition(self, x):
        self._explain()

    def symbols(self):
        self._explain()

    def flow(self, task="regression", samples=1):
        self._explain()

    def _explain(self) -> NoReturn:
        """Say why there is no implicit-bias statement."""
        if self.is_linear:
            network = self.linear_network()
            if network is None:
                raise NoStatement(
                    "all activations are the identity, but M(x), given as an array, is that of no linear network of "
                    "symbias, and the statements are about those: this one has forward and data_tensor only; use "
                    "Diagonal, Convolutional or FullyConnected"
                )
            raise NoStatement(
                f"all activations are the identity, so this is a linear tensor network, {network!r}: ask with that "
                "network in place of the TensorNetwork"
            )
        names = ", ".join(a if isinstance(a, str) else getattr(a, "__name__", repr(a)) for a in self.activations)
        instead = f"use {self.data!r} itself" if isinstance(self.data, Network) else "use one of the linear networks"
        raise NoStatement(
            f"the statements are about linear tensor networks, f(x) = x^T beta(Theta): a TensorNetwork with "
            f"activations {names} is outside them, it has forward and data_tensor only; for the linear one {instead}"
        )

    def __repr__(self) -> str:
        shown = repr(self.data) if isinstance(self.data, Network) else f"array of shape {self.data.shape}"
        return f"TensorNetwork({shown}, activations={self.activations!r})"


def _widths(sizes: list[int], dim: int) -> tuple[int, ...] | None:
    """The widths of the fully connected network with k_l = width_{l-1} width_l and k_L the last width, if they fit."""
    widths, last = [], dim
    for k in sizes[:-1]:
        if k % last:
            return None
        last = k // last
        widths.append(last)
    return tuple(widths) if last == sizes[-1] else None

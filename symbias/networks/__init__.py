"""The networks, each under its registry name."""

from symbias.errors import BadInput
from symbias.networks.base import Network
from symbias.networks.convolutional import Convolutional
from symbias.networks.diagonal import Diagonal
from symbias.networks.difference_of_powers import DifferenceOfPowers
from symbias.networks.fully_connected import FullyConnected
from symbias.networks.linear import Linear
from symbias.networks.matrix_sensing import MatrixSensing
from symbias.networks.tensor_network import TensorNetwork

NETWORKS: dict[str, type[Network]] = {
    kind.name: kind for kind in (Diagonal, Convolutional, FullyConnected, MatrixSensing, Linear, DifferenceOfPowers)
}


def network_named(name: str) -> type[Network]:
    """Return the class of the network of that name.

    Raises
    ------
    BadInput
        An unknown name; the message lists those there are.
    """
    if name not in NETWORKS:
        raise BadInput(f"no network is called {name!r}: there are {', '.join(NETWORKS)}")
    return NETWORKS[name]


__all__ = [
    "NETWORKS",
    "Convolutional",
    "Diagonal",
    "DifferenceOfPowers",
    "FullyConnected",
    "Linear",
    "MatrixSensing",
    "Network",
    "TensorNetwork",
    "network_named",
]

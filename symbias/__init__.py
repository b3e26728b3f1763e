"""symbias: from a linear network, its data and its initialization, say exactly where gradient flow ends."""

from symbias.lowering import lower  # noqa: F401
from symbias.networks import (  # noqa: F401
    Convolutional,
    Diagonal,
    DifferenceOfPowers,
    FullyConnected,
    Linear,
    MatrixSensing,
)
from symbias.functions import potential  # noqa: F401
from symbias.initialization import Initialization  # noqa: F401
from symbias.problem import Classification, Regression  # noqa: F401

__version__ = "0.1.0"

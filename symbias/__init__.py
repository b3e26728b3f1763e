"""symbias: from a linear network, its data and its initialization, say exactly where gradient flow ends.

>>> import symbias as sb
>>> net = sb.Diagonal(dim=2, depth=2)
>>> problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha="0.01", eta=1))
>>> [str(z) for z in sb.predict(problem, digits=18).coefficients]
['0.00352911265823201659', '0.498235443670883992']
"""

from symbias import kernels
from symbias.checks import check
from symbias.derive import derive
from symbias.functions import potential
from symbias.initialization import Initialization
from symbias.lowering import lower
from symbias.networks import (
    Convolutional,
    Diagonal,
    DifferenceOfPowers,
    FullyConnected,
    Linear,
    MatrixSensing,
)
from symbias.problem import Classification, Regression
from symbias.theorems import limit, predict

__version__ = "0.1.0"

__all__ = [
    "Classification",
    "Convolutional",
    "Diagonal",
    "DifferenceOfPowers",
    "FullyConnected",
    "Initialization",
    "Linear",
    "MatrixSensing",
    "Regression",
    "check",
    "derive",
    "kernels",
    "limit",
    "lower",
    "potential",
    "predict",
]

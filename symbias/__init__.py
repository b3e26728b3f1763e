"""symbias: from a linear network, its data and its initialization, say exactly where gradient flow ends."""

from symbias import kernels, plots
from symbias.checks import check
from symbias.checks.limits import check_limit
from symbias.derive import derive
from symbias.errors import (
    BadInput,
    HypothesisFails,
    NoStatement,
    NotConverged,
    NotDecomposable,
    SymbiasError,
    Undecided,
)
from symbias.functions import expansions, potential
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
from symbias.simulate import simulate
from symbias.sweep import Grid, sweep
from symbias.theorems import limit, predict
from symbias.theorems.survey import theorems_for
from symbias.trajectory import load

__version__ = "0.1.0"

__all__ = [
    "BadInput",
    "Classification",
    "Convolutional",
    "Diagonal",
    "DifferenceOfPowers",
    "FullyConnected",
    "Grid",
    "HypothesisFails",
    "Initialization",
    "Linear",
    "MatrixSensing",
    "NoStatement",
    "NotConverged",
    "NotDecomposable",
    "Regression",
    "SymbiasError",
    "Undecided",
    "check",
    "check_limit",
    "derive",
    "expansions",
    "kernels",
    "limit",
    "load",
    "lower",
    "plots",
    "potential",
    "predict",
    "simulate",
    "sweep",
    "theorems_for",
]

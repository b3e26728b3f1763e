"""Real data: predictions at several scales, both ends of alpha, and a check against the integrated flow."""

import time
from dataclasses import dataclass

import numpy as np
import sympy

from symbias.checks import check
from symbias.data import load_diabetes
from symbias.initialization import Initialization
from symbias.networks import Convolutional, Diagonal
from symbias.networks.base import Network
from symbias.problem import Regression
from symbias.report.record import DataCase
from symbias.theorems import limit, predict

ALPHAS = ("0.01", "0.1", "1")
#: The scale at which every network is checked against its own integrated flow.
CHECKED_AT = "1"
_MIRRORED = (
    "rows mirrored to (x_1, .., x_10, x_9, .., x_2), d = 18, so that they are even; the first ten coefficients (the "
    "rest mirror them):"
)


@dataclass(frozen=True)
class Case:
    """One network on the data: what it is called, the network, its samples and the names of its coefficients."""

    title: str
    network: Network
    X: np.ndarray
    y: np.ndarray
    names: tuple[str, ...]
    note: str = ""

    def problem(self, alpha: str) -> Regression:
        return Regression(self.network, self.X, self.y, Initialization.theorem_5(self.network, alpha, 1))


def mirrored(X: np.ndarray) -> np.ndarray:
    """The rows (x_1, .., x_m, x_{m-1}, .., x_2): even vectors of length 2m - 2."""
    return np.concatenate([X, X[:, -2:0:-1]], axis=1)


def cases() -> list[Case]:
    """The diagonal network of depths 3 and 2, and the full-length convolution on the mirrored rows."""
    patients = load_diabetes()
    X, y, names = patients.X, patients.y, patients.columns
    even = mirrored(X)
    return [
        Case("Corollary 5, diagonal network of depth 3", Diagonal(X.shape[1], 3), X, y, names),
        Case("Corollary 5, diagonal network of depth 2", Diagonal(X.shape[1], 2), X, y, names),
        Case(
            "Corollary 6, full-length convolution of depth 2",
            Convolutional(even.shape[1], 2),
            even,
            y,
            names,
            _MIRRORED,
        ),
    ]


def run(case: Case, digits: int) -> DataCase:
    """Predict one network at every scale and both ends, and check it at one scale."""
    began = time.perf_counter()
    first = case.problem(CHECKED_AT)
    found = [limit(first, 0), *(predict(case.problem(alpha)) for alpha in ALPHAS), limit(first, sympy.oo)]
    heads = ("alpha -> 0", *(f"alpha = {alpha}" for alpha in ALPHAS), "alpha -> oo")
    values = np.stack([prediction.coefficients[: len(case.names)] for prediction in found], axis=1)
    outcome = check(first, digits=digits)
    return DataCase(case.title, case.names, heads, values, outcome, case.note, seconds=time.perf_counter() - began)

"""The main job: predictions for real data, checked against the integrated networks, with both ends of alpha."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

import numpy as np
import sympy

from symbias.checks import check
from symbias.data import load_diabetes
from symbias.initialization import Initialization
from symbias.networks import Convolutional, Diagonal
from symbias.networks.base import Network
from symbias.problem import Regression
from symbias.progress import Progress
from symbias.theorems import limit, predict

ALPHAS = ("1", "0.1", "0.01")
#: The scale and the digits at which every network is checked against its own integrated flow.
CHECKED_AT, DIGITS = "1", 30


@dataclass(frozen=True)
class Case:
    """One network on the data: what it is called, the network, its samples and the names of its coefficients."""

    title: str
    network: Network
    X: np.ndarray
    y: np.ndarray
    names: tuple[str, ...]

    def problem(self, alpha: str) -> Regression:
        return Regression(self.network, self.X, self.y, Initialization.theorem_5(self.network, alpha, 1))


def mirrored(X: np.ndarray) -> np.ndarray:
    """The rows (x_1, .., x_m, x_{m-1}, .., x_2): even vectors of length 2m - 2."""
    return np.concatenate([X, X[:, -2:0:-1]], axis=1)


def cases() -> list[Case]:
    """The diagonal network of depths 2 and 3, and the full-length convolution on the mirrored rows."""
    patients = load_diabetes()
    X, y, names = patients.X, patients.y, patients.columns
    even = mirrored(X)
    return [
        Case("Corollary 5, diagonal network of depth 2", Diagonal(X.shape[1], 2), X, y, names),
        Case("Corollary 5, diagonal network of depth 3", Diagonal(X.shape[1], 3), X, y, names),
        Case("Corollary 6, full-length convolution of depth 2", Convolutional(even.shape[1], 2), even, y, names),
    ]


def main_job(out: TextIO) -> int:
    """Write the whole job to ``out`` and return the exit status: 0 when every check holds, 1 when one fails."""
    began = time.perf_counter()
    patients = load_diabetes()
    every = cases()
    print(f"symbias on real data:\n  {patients.origin}\n", file=out)
    print(_derivation(), file=out)
    worst = 0
    with Progress("predicting and checking", total=len(every) * (len(ALPHAS) + 3)) as bar:
        for number, case in enumerate(every):
            worst = max(worst, _case(case, out, bar, number * (len(ALPHAS) + 3)))
    print(f"done in {time.perf_counter() - began:.0f} s", file=out)
    return worst


def _derivation() -> str:
    """The derivation in short, for the diagonal network."""
    return "\n".join(
        [
            "Why (symbias derive NETWORK shows every step with its proof):",
            "  M(x) = sum_j (S x)_j u_1j (x) .. (x) u_Lj, so eta_l = U_l^T v_l obeys",
            "  d eta_l/dt = -(S X^T r) prod_{k != l} eta_k;",
            "  from eta_l = a (l < L), eta_L = 0 it is eta_l = a p(s), eta_L = a q(s) with",
            "  p' = p^(L-2) q, q' = p^(L-1), p^2 - q^2 = 1, s = a^(L-2) (S X^T nu)_j;",
            "  so rho_j = a_j^L h_L(a_j^(L-2) (S X^T nu)_j), grad Q(rho) = S X^T nu, and",
            "  beta = S^T rho is the minimiser of Q among the beta with X beta = y.",
            "",
        ]
    )


def _case(case: Case, out: TextIO, bar: Progress, done: int) -> int:
    """One network: its predictions as a table, then its check."""
    columns = []
    for number, alpha in enumerate(ALPHAS):
        bar.update(done + number)
        columns.append((f"alpha = {alpha}", predict(case.problem(alpha)).coefficients))
    bar.update(done + len(ALPHAS))
    first = case.problem(CHECKED_AT)
    ends = [("alpha -> 0", limit(first, 0).coefficients), ("alpha -> oo", limit(first, sympy.oo).coefficients)]
    print(case.title, file=out)
    if case.network.dim != len(case.names):
        print("  rows mirrored to (x_1, .., x_10, x_9, .., x_2), d = 18, so that they are even;", file=out)
        print("  the first ten coefficients (the rest mirror them):", file=out)
    print(table(case.names, [ends[0], *reversed(columns), ends[1]]), file=out)
    bar.update(done + len(ALPHAS) + 1)
    outcome = check(first, digits=DIGITS)
    print(f"  checked at alpha = {CHECKED_AT} against the integrated flow of all parameters:", file=out)
    print("  " + str(outcome).replace("\n", "\n  ") + "\n", file=out)
    return {"holds": 0, "fails": 1, "undecided": 3}[outcome.verdict]


def table(names: Sequence[str], columns) -> str:
    """Coefficients side by side, one row a name."""
    width = max(map(len, names))
    lines = ["  " + " " * width + "".join(f"{head:>13}" for head, _ in columns)]
    for row, name in enumerate(names):
        lines.append(f"  {name:<{width}}" + "".join(f"{_cell(values[row]):>13}" for _, values in columns))
    return "\n".join(lines)


def _cell(value: float) -> str:
    return "0" if value == 0 else f"{value:.5g}"

"""argmin Q against scipy and, at depth 2, cvxpy with Clarabel; growth in d, n, depth, digits, alpha.

The problem of the peers is n = 50 samples of d = 500 Gaussian coordinates, eta = exp(normal/2), with Q divided by its
size, so that what they see is of order 1 too; the error is the largest of rho against 20 digits of our own, relative to
the largest coordinate. A peer above 1e-10 is marked wrong.
"""

import time

import numpy as np
import scipy.optimize

from symbias import kernels
from symbias.exact import to_sympy
from symbias.numeric.minimize import argmin_potential

SAMPLES, DIM = 50, 500
RIGHT = 1e-10
PATIENCE = 40.0  # seconds after which a peer is stopped


class Stopped(Exception):
    """The peer has used its time."""


def problem(n: int, d: int, seed: int = 0):
    """A, y and log eta."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng.standard_normal(n), 0.5 * rng.standard_normal(d)


def reference(A, y, log_eta, alpha, depth) -> np.ndarray:  # noqa: N803
    a = to_sympy(np.exp(np.log(alpha) + log_eta))
    return argmin_potential(A, y, None, depth, digits=20, a=a).rho.astype(float)


def timed(call) -> tuple[float, object]:
    began = time.perf_counter()
    made = call()
    return time.perf_counter() - began, made


def best_of(call, repeats: int = 3) -> tuple[float, object]:
    """The quickest of a few runs: the others measure the rest of the machine."""
    return min((timed(call) for _ in range(repeats)), key=lambda pair: pair[0])


def scipy_peer(A, y, a, depth: int, method: str) -> np.ndarray:  # noqa: N803
    """What a user would write: Q divided by its size, its slope, A rho = y, from least squares."""
    scale = float(np.sum(a**2)) or 1.0
    began = time.perf_counter()

    def potential(rho):
        if time.perf_counter() - began > PATIENCE:
            raise Stopped
        return float(np.sum(a**2 * kernels.H(depth, rho / a**depth))) / scale

    def slope(rho):
        return a ** (2 - depth) * kernels.h_inverse(depth, rho / a**depth) / scale

    start = np.linalg.lstsq(A, y, rcond=None)[0]
    if method == "SLSQP":
        rules = {"constraints": [{"type": "eq", "fun": lambda rho: A @ rho - y, "jac": lambda rho: A}]}
        options = {"ftol": 1e-16, "maxiter": 1000}
    else:

        def curvature(rho):
            return np.diag(a ** (2 - 2 * depth) * kernels.h_inverse_prime(depth, rho / a**depth)) / scale

        rules = {"constraints": [scipy.optimize.LinearConstraint(A, y, y)], "hess": curvature}
        options = {"gtol": 1e-14, "xtol": 1e-15, "maxiter": 1000}
    return scipy.optimize.minimize(potential, start, jac=slope, method=method, options=options, **rules).x


def cvxpy_peer(A, y, a) -> np.ndarray:  # noqa: N803
    """Depth 2 by its dual, in exponential cones: maximise y nu - sum (a^2/4) (cosh 2 A^T nu - 1)."""
    import cvxpy

    nu = cvxpy.Variable(len(y))
    t = 2 * (A.T @ nu)
    value = y @ nu - cvxpy.sum(cvxpy.multiply(a**2 / 8, cvxpy.exp(t) + cvxpy.exp(-t)))
    cvxpy.Problem(cvxpy.Maximize(value)).solve(solver="CLARABEL")
    return a**2 * np.sinh(2 * (A.T @ nu.value)) / 2


def against(depth: int, alpha: float) -> list[dict]:
    """Our time and each peer's on one problem."""
    A, y, log_eta = problem(SAMPLES, DIM)  # noqa: N806
    a = np.exp(np.log(alpha) + log_eta)
    wanted = reference(A, y, log_eta, alpha, depth)
    size = np.abs(wanted).max()
    ours, found = best_of(lambda: argmin_potential(A, y, np.log(alpha) + log_eta, depth))
    peers = {name: lambda name=name: scipy_peer(A, y, a, depth, name) for name in ("SLSQP", "trust-constr")}
    if depth == 2 and importable("cvxpy"):
        peers["cvxpy, Clarabel"] = lambda: cvxpy_peer(A, y, a)
    rows = []
    for name, call in peers.items():
        began, error = time.perf_counter(), np.inf
        note = f"stopped after {PATIENCE:.0f} s"
        try:
            error = float(np.abs(call() - wanted).max() / size)
            note = "" if error <= RIGHT else "wrong"
        except Stopped:
            pass
        spent = time.perf_counter() - began
        rows.append(
            {
                "name": f"n={SAMPLES} d={DIM} depth {depth} alpha {alpha:g}",
                "ours_seconds": ours,
                "peer": name,
                "peer_seconds": spent,
                "ratio": spent / ours,
                "our_error": float(np.abs(found.rho - wanted).max() / size),
                "peer_error": error,
                "note": f"{note} ({found.steps} Gram matrices of ours)".strip(),
            }
        )
    return rows


def importable(name: str) -> bool:
    from importlib.util import find_spec

    return find_spec(name) is not None


def growth(name: str, call, note: str = "") -> dict:
    """A row without a peer: seconds, and the worse of the two residuals that were recomputed."""
    spent, found = timed(call)
    return {
        "name": name,
        "ours_seconds": spent,
        "peer": None,
        "peer_seconds": None,
        "ratio": None,
        "our_error": float(max(residual.value for residual in found.residuals[:2])),
        "peer_error": None,
        "note": f"{found.steps} Gram matrices {note}".strip(),
    }


def gram_seconds(A) -> float:  # noqa: N803
    from symbias.numeric.operators import Dense

    return best_of(lambda: Dense(A).gram(np.ones(A.shape[1])))[0]


def growths() -> list[dict]:
    rows = []
    for n, d in ((10, 1_000), (10, 10_000), (10, 100_000), (10, 1_000_000), (20, 10_000), (40, 10_000), (80, 10_000)):
        A, y, log_eta = problem(n, d)  # noqa: N806
        one = gram_seconds(A)
        call = lambda A=A, y=y, e=log_eta: argmin_potential(A, y, np.log(0.01) + e, 3)  # noqa: E731, N803
        rows.append(growth(f"n={n} d={d} depth 3 alpha 0.01", call, f"(one takes {one:.2g} s)"))
    A, y, log_eta = problem(SAMPLES, DIM)  # noqa: N806
    for depth in (2, 3, 4, 6, 8, 12):
        for alpha in (1e100, 1.0, 1e-3, 1e-10, 1e-100):
            call = lambda k=depth, s=alpha: argmin_potential(A, y, np.log(s) + log_eta, k)  # noqa: E731
            rows.append(growth(f"n={SAMPLES} d={DIM} depth {depth} alpha {alpha:g}", call))
    A, y, log_eta = problem(5, 20)  # noqa: N806
    a = to_sympy(np.exp(np.log(0.01) + log_eta))
    for digits in (15, 50, 200, 1000):
        call = lambda k=digits: argmin_potential(A, y, None, 3, digits=k, a=a)  # noqa: E731
        rows.append(growth(f"n=5 d=20 depth 3 alpha 0.01, {digits} digits", call))
    return rows


def rows() -> list[dict]:
    """The table: peers first, then growth."""
    made = []
    for depth in (2, 3):
        for alpha in (1.0, 0.1, 0.001):
            made += against(depth, alpha)
    return made + growths()

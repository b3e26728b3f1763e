"""Theorem 6: the closed form against SciPy's integration of the two blocks, and its root against mpmath's findroot."""

import time
import warnings

import mpmath
import numpy as np

import symbias as sb
from symbias.theorems import predict

GOAL = 1e-10


def timed(call):
    began = time.perf_counter()
    found = call()
    return time.perf_counter() - began, found


def row(name, ours, our_error, peer="", peer_seconds=None, peer_error=None, note="") -> dict:
    ratio = None if peer_seconds is None else peer_seconds / ours
    wrong = peer_error is not None and not peer_error <= GOAL
    note = ("WRONG: " + note).removesuffix(": ") if wrong else note
    return {
        "name": name,
        "ours_seconds": ours,
        "peer": peer,
        "peer_seconds": peer_seconds,
        "ratio": ratio,
        "our_error": our_error,
        "peer_error": peer_error,
        "note": note,
    }


def convolution(d: int, k: int, alpha: str) -> sb.Regression:
    rng = np.random.default_rng(3)
    net = sb.Convolutional(d, 2, filters=(k, d))
    start = sb.Initialization(alpha, [rng.uniform(1, 2, k), np.zeros(d)])
    return sb.Regression(net, rng.normal(size=(1, d)), [1.0], start)


def integrated(problem: sb.Regression):
    """What a user would write: LSODA on both blocks with the Jacobian left to it, until the residual is below 1e-12."""
    from scipy.integrate import solve_ivp

    d, (k, _) = problem.network.dim, [shape[0] for shape in problem.network.block_shapes]
    x, y, alpha = problem.X_float[0], problem.y_float[0], problem.start().scale()
    M = x[(np.arange(k)[:, None] + np.arange(d)) % d]

    def rhs(t, v):
        r = v[:k] @ M @ v[k:] - y
        return -r * np.concatenate([M @ v[k:], M.T @ v[:k]])

    def settled(t, v):
        return abs(v[:k] @ M @ v[k:] - y) - 1e-12

    settled.terminal = True
    start = np.concatenate(problem.start().blocks())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LSODA's complaints are the peer's result, judged by its error
        end = solve_ivp(rhs, (0, 1e4), start, method="LSODA", rtol=1e-12, atol=1e-14 * alpha, events=settled).y[:, -1]
    return problem.network.coefficients([end[:k], end[k:]])


def error(values, reference) -> float:
    reference = np.array([float(b) for b in reference])
    return float(np.abs(values - reference).max() / np.abs(reference).max())


def rows() -> list[dict]:
    made = []
    predict(convolution(4, 2, "1"))  # imports
    for alpha in ("1", "0.001", "1e-06", "1e-160"):
        problem = convolution(20, 7, alpha)
        reference = predict(problem, digits=30).coefficients
        ours, found = timed(lambda p=problem: predict(p).coefficients)
        theirs, other = timed(lambda p=problem: integrated(p))
        name = f"convolution d = 20, filter 7, alpha = {alpha}"
        made.append(row(name, ours, error(found, reference), "LSODA", theirs, error(other, reference)))
    for alpha in ("0.1", "0.001", "1e-30"):
        made.append(root(alpha))
    for d in (10, 100, 1000):
        seconds, found = timed(lambda n=d: predict(convolution(n, n // 2, "0.001")))
        residual = max(float(r.value) for r in found.residuals)
        made.append(row(f"growth: float64, d = {d}, filter d/2", seconds, residual))
    for digits in (30, 100, 300):
        seconds, _ = timed(lambda n=digits: predict(convolution(8, 5, "0.001"), digits=n))
        made.append(row(f"growth: {digits} digits, d = 8, filter 5", seconds, 10.0**-digits))
    return made


def root(alpha: str) -> dict:
    """g(nu) = y / alpha^2 alone: bracketed in logarithms, against findroot from 1."""
    from symbias.numeric.theorem_6_root import solve

    s = np.array([1.0, 2.0])
    target = 1 / float(alpha) ** 2
    ours, found = timed(lambda: solve(None, s, np.ones(2), np.ones(2), 0.0, 1.0, float(mpmath.log(mpmath.mpf(alpha)))))

    def g(nu):
        return mpmath.sinh(2 * nu) / 2 + mpmath.sinh(4 * nu) - target

    def peer():
        try:
            return float(mpmath.findroot(g, 1, maxsteps=50))
        except ValueError:
            return np.nan

    with mpmath.workdps(400):  # enough to judge both
        exact = mpmath.findroot(
            lambda nu: mpmath.log((mpmath.sinh(2 * nu) / 2 + mpmath.sinh(4 * nu)) / target), found.nu
        )
        exact = float(exact)
    theirs, other = timed(peer)
    note = "" if np.isfinite(other) else "does not converge"
    gap = abs(other / exact - 1) if np.isfinite(other) else np.inf
    return row(f"root of g, alpha = {alpha}", ours, abs(found.nu / exact - 1), "findroot", theirs, gap, note)

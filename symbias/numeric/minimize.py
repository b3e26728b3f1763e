"""argmin Q: the minimum of the potential over the rho that interpolate, at any alpha."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbias import exact, kernels
from symbias.errors import BadInput
from symbias.numeric import sech
from symbias.numeric.frame import choose
from symbias.numeric.path import Linearise, Local, Scaled, begin, dual, follow
from symbias.verdict import Residual, Result, require

TOLERANCE = 1e-12  # of feasibility and stationarity in float64: rounding is about eps times (L log alpha + n)


@dataclass(frozen=True, eq=False)
class Minimum(Result):
    r"""The minimiser of Q under A rho = y, with its dual.

    ``rho`` (m,); ``root`` (m,): the signed q_j with rho_j = a_j^L q_j (1 + q_j^2)^{(L-1)/2}; ``log_rho`` (m,):
    log|rho_j|, finite where rho_j itself underflows; ``nu`` (n,) and ``log_unit``: the dual, scaled by the largest a
    so that h_L^{-1}(rho_j/a_j^L) = exp(log_unit) (a_j/max a)^{L-2} (A^T nu)_j (log_unit = 0 unless nu would leave the
    range of floats); ``steps``: Gram matrices formed; ``note``: what float64 could not decide, empty when nothing.
    """

    rho: np.ndarray
    root: np.ndarray
    log_rho: np.ndarray
    nu: np.ndarray
    residuals: tuple[Residual, ...]
    log_unit: float = 0.0
    steps: int = 0
    note: str = ""
    digits: int | None = None

    def __post_init__(self):
        require(self.residuals, "argmin Q")

    def to_latex(self) -> str:
        return r" \\ ".join(residual.to_latex() for residual in self.residuals)


def argmin_potential(
    A: Any,  # noqa: N803
    y: np.ndarray,
    log_a: np.ndarray | None,
    depth: int,
    *,
    digits: int | None = None,
    a: np.ndarray | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Minimum:
    r"""Return the minimiser of sum_j a_j^2 H_L(rho_j / a_j^L) over A rho = y, with a_j = alpha |eta_j|.

    Parameters
    ----------
    A : array (n, m) of full row rank, n <= m
        X S^T: float64, or exact numbers (SymPy, int, Fraction, mpf) when ``digits`` is given.
    y : array (n,)
    log_a : float array (m,), or None when ``a`` is given
        log a_j, so that alpha = 1e-100 or 1e100 need not fit in a_j^L.
    depth : int, L >= 2
    digits : int, optional
        Correct decimal digits, relative, of every coordinate however small. Then ``a`` (m,) holds the exact a_j.
    progress : callable, optional
        Called with the number of Gram matrices so far and the distance in log alpha still to go.

    Returns
    -------
    Minimum

    Raises
    ------
    BadInput
        Wrong shapes, entries that are not finite, dependent rows of A (the rank is named), depth below 2.
    NotConverged
        Feasibility or stationarity misses 1e-12 (or 10^-digits): with both figures. ``digits=`` is the remedy.

    Accuracy
    --------
    Float64: both residuals at most 1e-12, recomputed from rho. Near ties of dependent columns at L >= 3 cannot be decided
    in float64 and are named in ``note``.

    Source
    ------
    arXiv:2010.02501v3, Theorem 5.

    Examples
    --------
    >>> import numpy as np
    >>> found = argmin_potential(np.array([[1.0, 2.0]]), np.array([1.0]), np.zeros(2), 3)
    >>> found.rho.round(12).tolist()
    [0.180873365157, 0.409563317422]
    """
    began = time.perf_counter()
    if digits is not None:
        from symbias.numeric.minimize_precise import argmin_precise

        return argmin_precise(A, y, log_a, depth, digits, a, progress)
    matrix, y, log_a = checked(A, y, log_a, depth)
    if not y.any():
        return at_zero(matrix, began)
    problem, columns, rows, size = rescale(matrix, y, log_a, depth)
    frame = choose(problem.matrix, problem.y, problem.amplitude + problem.log_w)
    if isinstance(frame, int):
        raise dependent(matrix, y, frame)
    v, s, last = begin(problem, frame)
    local, steps = follow(Linearise(problem, frame), v, s, last, depth, progress)
    return finish(local, last, steps, matrix, y, log_a, columns, rows, size, began)


def finish(local: Local, last, steps, matrix, y, log_a, columns, rows, size, began) -> Minimum:
    """Take the last corrector as a linear step in rho, and recompute the residuals from the outcome."""
    problem, frame, depth = local.problem, local.frame, local.problem.depth
    v = local.v + local.corrector
    rho = (local.r + local.r_v * local.corrector) * columns * size
    with np.errstate(divide="ignore", under="ignore"):  # log 0 = -inf, and what is too small becomes 0
        log_rho = problem.log_size(v, last) + np.log(np.abs(np.tanh(v))) + np.log(columns * size)
        root = np.sinh(v) if last == 0 else v * np.exp(depth * last)
    answer = dual(problem, frame, v)
    anchor = frame.anchor
    mu = np.linalg.solve(problem.matrix[:, anchor].T, answer.t[anchor] / np.exp(problem.log_w[anchor]))
    nu = mu / rows
    k = depth - 2
    # log W of the scaled problem has its maximum at 0, and columns in place of 1
    nu = nu * np.exp(float((problem.log_w - k * (log_a - log_a.max()) + np.log(columns)).max()))
    log_unit = depth * last
    if last == 0.0:
        t = kernel_time(depth, np.sign(v), log_rho - depth * log_a)
    else:
        t = np.sign(v) * np.exp(log_rho - depth * log_a - log_unit)
    columns_in_frame = frame.scaled(problem.log_w)
    mine = t[frame.basis] @ columns_in_frame
    scale = np.abs(t) + np.abs(t[frame.basis]) @ np.abs(columns_in_frame)
    missed = np.abs(matrix @ rho - y)
    row_scale = np.abs(y) + np.abs(matrix).max(axis=1) * np.abs(rho).max()
    residuals = (
        Residual("feasibility", largest_ratio(missed, row_scale), TOLERANCE, "|y_i| + max|A_i| max|rho|"),
        Residual("stationarity", largest_ratio(np.abs(t - mine), scale), TOLERANCE, "|t| + |W A^T| |nu| in the basis of the heaviest columns"),
        Residual("distance to the end", float((np.abs(answer.phi) / (1 + np.abs(v))).max()), TOLERANCE, "1 + |asinh q|"),
    )
    note = ""
    if answer.rounding.max() * depth > 1e-11:
        note = f"near tie: rho is uncertain to {answer.rounding.max() * depth:.1e} relative in float64; digits= decides"
    elif local.spread > 1e6:
        note = "heavy columns are dependent to rounding: float64 cannot hold how they share; digits= decides"
    return Minimum(
        rho=rho, root=root, log_rho=log_rho, nu=nu, residuals=residuals, log_unit=log_unit, steps=steps, note=note,
        seconds=time.perf_counter() - began,
    )


def largest_ratio(error: np.ndarray, scale: np.ndarray) -> float:
    """Return the largest error_i / scale_i, 0/0 counting as 0."""
    return float(np.max(error / np.where(scale > 0, scale, 1.0)))


def kernel_time(depth: int, sign: np.ndarray, log_h: np.ndarray) -> np.ndarray:
    """Return h_L^{-1} of ±exp(log_h) by the kernels; beyond the range of floats by the leading term at infinity."""
    with np.errstate(under="ignore"):
        t = kernels.h_inverse(depth, sign * np.exp(np.minimum(log_h, 700.0)))
    if depth == 2:
        return np.where(log_h > 700.0, sign * (np.log(4) + np.maximum(log_h, 0.0)) / 2, t)
    return np.where(log_h > 700.0, sign * sech.end(depth), t)


def checked(A, y, log_a, depth):  # noqa: N803
    """Return float arrays of matching shapes, or raise BadInput."""
    if isinstance(depth, bool) or not isinstance(depth, (int, np.integer)) or depth < 2:
        raise BadInput(f"the depth must be an integer >= 2, not {depth!r}")
    matrix = exact.to_float(exact.array(A, "A", ndim=2))
    y = exact.to_float(exact.array(y, "y", ndim=1))
    if log_a is None:
        raise BadInput("log_a is missing: give the logarithms of a_j = alpha |eta_j| (a= goes with digits=)")
    log_a = exact.to_float(exact.array(log_a, "log_a", ndim=1))
    n, m = matrix.shape
    if y.shape != (n,) or log_a.shape != (m,):
        raise BadInput(f"A of shape {(n, m)} needs y of shape {(n,)} and log_a of shape {(m,)}, not {y.shape} and {log_a.shape}")
    return matrix, y, log_a


def dependent(matrix, y, rank: int) -> BadInput:
    """Return the error for rows of A that are dependent, with the residual of y against the range of A."""
    answer = np.linalg.lstsq(matrix, y, rcond=None)[0]
    missed = np.linalg.norm(matrix @ answer - y) / np.linalg.norm(y)
    state = "y is not in its range: no rho interpolates" if missed > 1e-10 else "drop the dependent rows"
    return BadInput(f"A has rank {rank}, but {matrix.shape[0]} rows; y misses its range by {missed:.1e} relative: {state}")


def at_zero(matrix, began) -> Minimum:
    """The answer for y = 0."""
    n, m = matrix.shape
    residuals = (Residual("feasibility", 0.0, TOLERANCE, "exact"), Residual("stationarity", 0.0, TOLERANCE, "exact"))
    return Minimum(
        rho=np.zeros(m), root=np.zeros(m), log_rho=np.full(m, -np.inf), nu=np.zeros(n), residuals=residuals,
        seconds=time.perf_counter() - began,
    )


def rescale(matrix, y, log_a, depth):
    """Divide rows, columns and y by powers of two near their sizes: rho_j = size columns_j (scaled rho)_j."""
    rows = power_of_two(np.abs(matrix).max(axis=1))
    scaled = matrix / rows[:, None]
    largest = power_of_two(np.abs(scaled).max(axis=0))
    size = float(power_of_two(np.abs(y / rows).max()))
    amplitude = depth * log_a + np.log(largest) - np.log(size)
    log_w = (depth - 2) * log_a + np.log(largest)
    return Scaled(scaled / largest, y / rows / size, depth, amplitude, log_w - log_w.max()), 1 / largest, rows, size


def power_of_two(sizes: np.ndarray) -> np.ndarray:
    """Return the powers of two nearest to the sizes, and 1 for a size of 0."""
    return np.where(sizes > 0, np.exp2(np.round(np.log2(np.where(sizes > 0, sizes, 1.0)))), 1.0)

"""argmin Q: the minimum of the potential over the rho that interpolate, at any alpha."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbias import kernels
from symbias.numeric import sech
from symbias.numeric.minimize_input import checked, dependent
from symbias.numeric.path import follow
from symbias.numeric.path_float import Linearise, Local, begin, dual
from symbias.numeric.scaled import rescale
from symbias.numeric.sech import Hyperbolic
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
    Float64: both residuals at most 1e-12, recomputed from rho (stationarity: 10 eps L log(max a / min a) if that is
    more). Against 25 digits on 850 hostile random problems, the largest error of an answer without a note was 6e-15
    of max |rho|, the median 5e-17. Near ties of dependent columns at L >= 3 cannot be decided in float64, nor tiny
    coordinates where heavy columns are dependent to rounding: ``note`` says so.

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
    operator, y, log_a = checked(A, y, log_a, depth)
    if not y.any():
        return at_zero(operator, began)
    problem = rescale(operator, y, log_a, depth)
    frame = problem.frame(problem.amplitude + problem.log_w)
    if isinstance(frame, int):
        raise dependent(operator, y, frame)
    v, s, last = begin(problem, frame)
    local, steps = follow(Linearise(problem, frame), v, s, last, depth, progress)
    return finish(local, last, steps, y, log_a, began)


def finish(local: Local, last: float, steps: int, y: np.ndarray, log_a: np.ndarray, began: float) -> Minimum:
    """Take the last corrector as a linear step in rho, and recompute the residuals from the outcome."""
    problem, frame, depth = local.problem, local.frame, local.depth
    operator, scale = problem.operator, problem.columns * problem.size
    v, r = local.settle()
    at = Hyperbolic(v)
    rho = r * scale
    log_unit = depth * (last - problem.center)
    with np.errstate(divide="ignore", under="ignore"):  # log 0 = -inf, and what is too small becomes 0
        log_h = depth * at.log_cosh + np.log(np.abs(at.tanh))
        log_rho = problem.amplitude + depth * last + log_h + np.log(scale)
        # from rho itself wherever it is in the range of floats; common factors alpha^L are never formed
        log_h = np.where(np.abs(r) > 1e-300, np.log(np.abs(r)) - problem.amplitude - depth * last, log_h)
        root = np.sinh(v) if log_unit == 0.0 else v * np.exp(log_unit)
        t = kernel_time(depth, np.sign(v), log_h) if log_unit == 0.0 else np.sign(v) * np.exp(log_h)
    columns = frame.dual_view(problem.log_w)
    answer = dual(problem, frame, at)
    # log h is a sum of about ten terms of the size of L log(a / max a), each rounded to eps/2
    tolerance = max(TOLERANCE, 10 * np.finfo(float).eps * depth * float(np.ptp(log_a)))
    missed = np.abs(operator.apply(rho) - y)
    residuals = (
        Residual(
            "feasibility",
            largest_ratio(missed / problem.rows, np.abs(y / problem.rows) + np.abs(rho / problem.columns).max()),
            TOLERANCE,
            "|y_i| + max_j |A_ij| max |rho|, to a factor 2",
        ),
        Residual(
            "stationarity",
            largest_ratio(np.abs(t - columns.back(t[frame.basis])), np.abs(t) + columns.bound(t[frame.basis])),
            tolerance,
            "|t| + |A^T| |nu| in the basis of the heaviest columns",
        ),
        Residual(
            "distance to the end", float((np.abs(answer.phi) / (1 + np.abs(v))).max()), TOLERANCE, "1 + |asinh q|"
        ),
    )
    uncertain = float(answer.rounding.max()) * depth
    note = ""
    short = float((missed / problem.rows).max() / np.abs(y / problem.rows).max())
    if uncertain > 1e-10:
        note = f"near tie: rho is uncertain to {uncertain:.1e} relative in float64; digits= decides"
    elif local.spread > 1e6 or not np.array_equal(frame.basis, frame.anchor):
        note = "heavy columns are dependent to rounding: float64 cannot hold how they share; digits= decides"
    elif short > TOLERANCE:
        note = f"|A| |rho| is far above |y|: A rho = y holds to {short:.1e} of |y| in float64; digits= gives more"
    # T_j = W_j (scaled A^T mu)_j, with log W = (L-2) log(a / max a) + log columns + a constant
    anchor = frame.anchor
    mu = np.linalg.solve(problem.some(anchor).T, answer.t[anchor] / np.exp(problem.log_w[anchor]))
    constant = problem.log_w + np.log(problem.columns) - (depth - 2) * (log_a - problem.center)
    return Minimum(
        rho=rho,
        root=root,
        log_rho=log_rho,
        nu=mu / problem.rows * np.exp(constant[0]),
        residuals=residuals,
        log_unit=log_unit,
        steps=steps,
        note=note,
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


def at_zero(operator, began: float) -> Minimum:
    """The answer for y = 0."""
    n, m = operator.shape
    residuals = tuple(Residual(name, 0.0, TOLERANCE, "exact") for name in ("feasibility", "stationarity"))
    return Minimum(
        rho=np.zeros(m),
        root=np.zeros(m),
        log_rho=np.full(m, -np.inf),
        nu=np.zeros(n),
        residuals=residuals,
        seconds=time.perf_counter() - began,
    )

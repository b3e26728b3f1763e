"""argmin Q: the minimum of the potential over the rho that interpolate, at any alpha."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbias.errors import NotConverged
from symbias.numeric.curves import Curves, EqualLayers
from symbias.numeric.minimize_input import checked, dependent
from symbias.numeric.operators import Dense
from symbias.numeric.path import follow
from symbias.numeric.path_float import TOLERANCE, Linearise, Local, begin, dual
from symbias.numeric.scaled import OutOfRange, rescale
from symbias.verdict import Residual, Result, require


@dataclass(frozen=True, eq=False)
class Minimum(Result):
    r"""The minimiser of Q under A rho = y, with its dual.

    ``rho`` (m,); ``v`` (m,): the parameters of the curves (``numeric.curves``); ``root`` (m,) = sinh v: at Theorem 5's
    start the signed q_j with rho_j = a_j^L q_j (1 + q_j^2)^{(L-1)/2}; ``log_rho`` (m,): log|rho_j|, finite where rho_j
    itself underflows; ``nu`` (n,) and ``log_unit``: the dual, scaled by the largest a so that h_L^{-1}(rho_j/a_j^L) =
    exp(log_unit) (a_j/max a)^{L-2} (A^T nu)_j (log_unit = 0 unless nu would leave the range of floats); ``steps``: Gram
    matrices formed; ``note``: what float64 could not decide, empty when nothing.
    """

    rho: np.ndarray
    v: np.ndarray
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
        from symbias.numeric.minimize_precise import argmin_equal_layers

        return argmin_equal_layers(A, y, depth, digits, a, progress)
    operator, y, log_a = checked(A, y, log_a, depth)
    if not y.any():
        return at_zero(operator, began)
    return argmin_float(operator, y, EqualLayers(depth, log_a), progress)


def argmin_float(operator, y: np.ndarray, curves: Curves, progress=None) -> Minimum:
    """Return the minimiser of the potential of any curves over A rho = y, in float64; see ``argmin_potential``."""
    began = time.perf_counter()
    problem = rescale(operator, y, curves)
    frame = problem.frame(problem.log_weight(curves.at(curves.v_0), problem.center))
    if isinstance(frame, int):
        raise dependent(operator, y, frame)
    v, s, last = begin(problem, frame)
    local, steps = follow(Linearise(problem, frame), v, s, last, progress)
    return finish(local, last, steps, y, began)


def held_by_floats(A: np.ndarray, y: np.ndarray, curves: Curves) -> Minimum | None:  # noqa: N803
    """Return the minimum in float64, or None where float64 cannot hold all its digits: then ``argmin_precise`` can."""
    if not (np.isfinite(A).all() and np.isfinite(y).all() and y.any()):
        return None
    try:
        found = argmin_float(Dense(A), y, curves)
    except (NotConverged, OutOfRange):
        return None
    return None if found.note else found


def finish(local: Local, last: float, steps: int, y: np.ndarray, began: float) -> Minimum:
    """Take the last corrector as a linear step in rho, and recompute the residuals from the outcome."""
    problem, frame, depth = local.problem, local.frame, local.depth
    operator, curves, scale = problem.operator, problem.curves, problem.columns * problem.size
    v, r = local.settle()
    at = curves.at(v)
    rho = r * scale
    log_unit = depth * (last - problem.center)
    with np.errstate(divide="ignore", under="ignore"):  # log 0 = -inf, and what is too small becomes 0
        log_h = at.log_size + np.log(np.abs(at.value))
        log_rho = problem.amplitude + depth * last + log_h + np.log(scale)
        # from rho itself wherever it is in the range of floats; common factors alpha^L are never formed
        log_h = np.where(np.abs(r) > 1e-300, np.log(np.abs(r)) - problem.amplitude - depth * last, log_h)
        sign = np.sign(at.value)
        t = curves.time_of(sign, log_h) if log_unit == 0.0 else sign * np.exp(log_h)
        v = v * np.exp(log_unit)
    with np.errstate(over="ignore"):  # infinite beyond v = 710
        root = np.sinh(v)
    columns = frame.dual_view(problem.log_w)
    answer = dual(problem, frame, at)
    # log h is a sum of about ten terms of the size of the logarithms of its scales, each rounded to eps/2
    spread = float(np.ptp(curves.amplitude))
    tolerance = max(TOLERANCE, 10 * np.finfo(float).eps * spread)
    missed = np.abs(operator.apply(rho) - y)
    # where the start is not 0, t is the difference of two integrals: rho holds it to the rounding of rho
    hold, b = (
        np.where(curves.at(curves.v_0).value == 0, 0.0, np.abs(at.value / at.slope) * np.exp(-at.log_grow)),
        frame.basis,
    )
    residuals = (
        Residual(
            "feasibility",
            largest_ratio(missed / problem.rows, np.abs(y / problem.rows) + np.abs(rho / problem.columns).max()),
            TOLERANCE,
            "|y_i| + max_j |A_ij| max |rho|, to a factor 2",
        ),
        Residual(
            "stationarity",
            largest_ratio(
                np.abs(t - columns.back(t[frame.basis])), np.abs(t) + hold + columns.bound((np.abs(t) + hold)[b])
            ),
            tolerance,
            "|t| + |A^T| |nu| in the basis of the heaviest columns, and what rho holds of t",
        ),
        Residual(
            "distance to the end", float((np.abs(answer.phi) / (1 + np.abs(at.v))).max()), TOLERANCE, "1 + |asinh q|"
        ),
    )
    uncertain = float(answer.rounding.max()) * depth
    note = ""
    short = float((missed / problem.rows).max() / (np.abs(y / problem.rows).max() or 1.0))
    if uncertain > 1e-10:
        note = f"near tie: rho is uncertain to {uncertain:.1e} relative in float64; digits= decides"
    elif local.spread > 1e6 or not np.array_equal(frame.basis, frame.anchor):
        note = "heavy columns are dependent to rounding: float64 cannot hold how they share; digits= decides"
    elif short > TOLERANCE:
        note = f"|A| |rho| is far above |y|: A rho = y holds to {short:.1e} of |y| in float64; digits= gives more"
    # T_j = W_j (scaled A^T mu)_j, with log W = log_w of the curves + log columns + a constant
    anchor = frame.anchor
    mu = np.linalg.solve(problem.some(anchor).T, answer.t[anchor] / np.exp(problem.log_w[anchor]))
    constant = problem.log_w + np.log(problem.columns) - curves.log_w + curves.log_w.max()
    return Minimum(
        rho=rho,
        v=v,
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


def at_zero(operator, began: float) -> Minimum:
    """The answer for y = 0."""
    n, m = operator.shape
    residuals = tuple(Residual(name, 0.0, TOLERANCE, "exact") for name in ("feasibility", "stationarity"))
    return Minimum(
        rho=np.zeros(m),
        v=np.zeros(m),
        root=np.zeros(m),
        log_rho=np.full(m, -np.inf),
        nu=np.zeros(n),
        residuals=residuals,
        seconds=time.perf_counter() - began,
    )

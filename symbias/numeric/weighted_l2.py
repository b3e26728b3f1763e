"""min sum_j w_j rho_j^2 subject to A rho = y: the limit of argmin Q as alpha goes to infinity."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from sympy.polys.matrices import DomainMatrix

from symbias import exact
from symbias.errors import BadInput, NotConverged
from symbias.precision import context, public
from symbias.verdict import Residual, Result, require


@dataclass(frozen=True, eq=False)
class Interpolant(Result):
    """A minimiser of a convex function over A rho = y: ``rho`` (m,), the dual ``nu`` (n,), the residuals.

    ``unique``: whether it is the only minimiser (None: not decided); ``free`` the coordinates that are not the same in
    all minimisers; ``exact`` the same rho as exact SymPy numbers where they are known.
    """

    rho: np.ndarray
    nu: np.ndarray
    residuals: tuple[Residual, ...]
    unique: bool | None = True
    free: tuple[int, ...] = ()
    exact: np.ndarray | None = None
    steps: int = 0
    note: str = ""
    digits: int | None = None

    def __post_init__(self):
        require(self.residuals, "the minimum norm problem")

    def to_latex(self) -> str:
        return r" \\ ".join(residual.to_latex() for residual in self.residuals)


def weighted_l2(A: Any, y: Any, weights: Any, digits: int | None = None) -> Interpolant:  # noqa: N803
    r"""Return the minimiser of sum_j w_j rho_j^2 over A rho = y, rho = D A^T (A D A^T)^{-1} y with D = diag(1/w).

    Parameters
    ----------
    A : array (n, m) of full row rank;  y : array (n,);  weights : array (m,), positive
        Float64, or exact numbers (text, int, Fraction, SymPy).
    digits : int, optional
        Correct decimal digits of the result; float64 without.

    Returns
    -------
    Interpolant
        ``exact`` is filled when A, y and the weights are all exact; stationarity is 2 w_j rho_j = (A^T nu)_j.

    Raises
    ------
    BadInput
        Shapes, entries that are not finite, a weight that is not positive, dependent rows of A.
    NotConverged
        A residual above 1e-12 (or 10^-digits).

    Source
    ------
    arXiv:2010.02501v3, Theorem 5 with alpha to infinity.

    Examples
    --------
    >>> weighted_l2([[1, 2]], [1], [1, 1]).exact.tolist()
    [1/5, 2/5]
    """
    began = time.perf_counter()
    matrix, y, weights = door(A, y, weights)
    if not all(w > 0 for w in weights):
        j = next(j for j, w in enumerate(weights) if not w > 0)
        raise BadInput(f"weights[{j}] = {weights[j]}: every weight must be positive")
    if digits is not None:
        return precise_l2(matrix, y, weights, digits, began)
    if all(values.dtype == object for values in (matrix, y, weights)):
        return exact_l2(matrix, y, weights, began)
    return float_l2(exact.to_float(matrix), exact.to_float(y), exact.to_float(weights), began)


def door(A, y, weights, name: str = "weights"):  # noqa: N803
    """Return A, y and the weights as arrays of exact numbers or float64, of matching shapes."""
    matrix, y, weights = exact.array(A, "A", ndim=2), exact.array(y, "y", ndim=1), exact.array(weights, name, ndim=1)
    n, m = matrix.shape
    if y.shape != (n,) or weights.shape != (m,):
        raise BadInput(
            f"A of shape {(n, m)} needs y of shape {(n,)} and {name} of shape {(m,)}, not {y.shape} and {weights.shape}"
        )
    return matrix, y, weights


def float_l2(matrix: np.ndarray, y: np.ndarray, weights: np.ndarray, began: float) -> Interpolant:
    """Solve as argmin Q of depth 2 where it is quadratic: sum rho_j^2 / (2 a_j^2) with a_j = 1/sqrt(w_j), far out."""
    from symbias.numeric.minimize import argmin_potential

    far = 2000.0 - np.log(weights) / 2  # h = rho/a^2 stays below e^-2000: quadratic to all digits
    found = argmin_potential(matrix, y, far, 2)
    # log_unit - 2 log max a takes the dual of depth 2 to that of the quadratic
    nu = 2 * found.nu * np.exp(found.log_unit + 4000.0) if y.any() else found.nu
    return Interpolant(
        rho=found.rho,
        nu=nu,
        residuals=found.residuals,
        steps=found.steps,
        note=found.note,
        seconds=time.perf_counter() - began,
    )


def exact_l2(matrix: np.ndarray, y: np.ndarray, weights: np.ndarray, began: float) -> Interpolant:
    """Solve in the field of the data."""
    n, m = matrix.shape
    domain, entries = sympy.construct_domain([*matrix.ravel(), *y, *weights], field=True, extension=True)
    A = DomainMatrix([entries[i * m : (i + 1) * m] for i in range(n)], (n, m), domain)  # noqa: N806
    right = DomainMatrix([[value] for value in entries[n * m : n * m + n]], (n, 1), domain)
    inverse = DomainMatrix.diag([domain.one / w for w in entries[n * m + n :]], domain)
    rank = A.rank()
    if rank < n:
        raise BadInput(f"A has rank {rank} but {n} rows: drop the dependent rows")
    nu = (A * inverse * A.transpose()).lu_solve(right)
    rho = inverse * A.transpose() * nu
    off = (A * rho - right).to_Matrix()
    values = np.array(list(rho.to_Matrix()), dtype=object)
    zero = 0.0 if off.is_zero_matrix else float("inf")
    residuals = (Residual("feasibility", zero, 0.0, "exact"), Residual("stationarity", 0.0, 0.0, "by construction"))
    return Interpolant(
        rho=exact.to_float(values),
        nu=np.array([float(2 * value) for value in nu.to_Matrix()]),
        residuals=residuals,
        exact=values,
        seconds=time.perf_counter() - began,
    )


def precise_l2(matrix: np.ndarray, y: np.ndarray, weights: np.ndarray, digits: int, began: float) -> Interpolant:
    """Solve at two precisions; the residuals are those at the higher one, and the difference of the two."""
    from symbias.numeric.linear_precise import Cholesky, gram

    low = context(30)
    span = [float(low.log10(w)) for w in exact.to_precise(weights, low)]
    spread = int(2 * (max(span) - min(span)))
    found = []
    for extra in (30, 60):
        ctx = context(digits + spread + extra)
        a, right, w = (exact.to_precise(values, ctx) for values in (matrix, y, weights))
        try:
            nu = Cholesky(gram(a, 1 / w, ctx), ctx).solve(right)
        except NotConverged:
            raise BadInput(f"the rows of A are dependent to {ctx.dps} digits: drop the dependent rows") from None
        found.append((a.T @ nu) / w)
    rho = found[1]
    scale = max(abs(value) for value in right) or ctx.mpf(1)
    change = max((abs(p - q) / abs(q) for p, q in zip(*found, strict=True) if abs(q) > 0), default=ctx.mpf(0))
    tolerance = public(ctx.mpf(10) ** -digits, 5)
    residuals = (
        Residual("feasibility", public(max(abs(x) for x in a @ rho - right) / scale, 5), tolerance, "max |y|"),
        Residual("change at higher precision", public(change, 5), tolerance, "|rho_j|"),
    )
    return Interpolant(
        rho=public(rho, digits),
        nu=public(2 * nu, digits),
        residuals=residuals,
        digits=digits,
        seconds=time.perf_counter() - began,
    )

"""Both ends in alpha of a general start: weighted l1 as alpha -> 0, no limit in general as alpha -> oo.

alpha -> 0: see ``general_zero``. alpha -> oo: rho = alpha^L ρ̂ with A ρ̂ = alpha^{-L} y, so that ρ̂ tends to the minimum
of the potential of η̄ over A ρ̂ = 0, and beta grows like alpha^L unless that minimum is 0. It is 0 exactly if the dual
values τ_j = F̄_j(0) of ρ̂ = 0 lie in the range of A^T (beta(v̄) = 0 is τ = 0; so does every τ where A leaves one
solution). Then the next order decides, and

    beta -> S^T argmin { sum_j rho_j^2 / prod_l δ̄_lj : A rho = y },

with an error of order alpha^{-2L}, because t - τ is odd in rho.
"""

import time
from typing import Any

import numpy as np
import sympy

from symbias.errors import BadInput
from symbias.numeric.alpha_zero import null_space
from symbias.numeric.linear_precise import Cholesky, gram
from symbias.numeric.misfit import misfit
from symbias.precision import public
from symbias.problem import Problem
from symbias.theorems.beyond import general_zero
from symbias.theorems.beyond.general_coordinates import Coordinates
from symbias.theorems.prediction import Prediction
from symbias.verdict import Residual

_FLOAT_DIGITS = 20


def limit(problem: Problem, alpha, digits: int | None = None) -> Prediction:
    """Return the limit of the end of gradient flow as alpha -> 0, or as alpha -> oo where there is one.

    Parameters
    ----------
    problem : Regression
    alpha : 0 or oo
    digits : int, optional
        Correct decimal digits; float64 when None.

    Raises
    ------
    BadInput
        Another alpha; alpha -> oo where the coefficients grow like alpha^L, or where tied layers keep signs.
    HypothesisFails
    NotConverged
        A near tie of the l1 problem that the digits do not decide.

    Accuracy
    --------
    All digits asked. Depth 2 with rational data: ties are decided in exact arithmetic; else a tie must be equal to
    rounding in more than twice the digits.

    Source
    ------
    Beyond arXiv:2010.02501v3; derivations/general_initialization_ends.py.
    """
    from symbias.theorems.beyond.general_initialization import THEOREM

    began = time.perf_counter()
    if problem.task != "regression":
        raise BadInput("limits in alpha are about regression: the direction of a classification depends on alpha")
    records = THEOREM.require(problem)
    end = sympy.sympify(alpha)
    if end not in (0, sympy.oo):
        raise BadInput(f"a limit in alpha is at 0 or oo, not at {alpha}: for a given alpha call sb.predict")
    asked = digits or _FLOAT_DIGITS
    found, rho, residuals = (_zero if end == 0 else _infinity)(problem, asked)
    ctx = found.ctx
    beta = found.decomposition.adjoint(rho, ctx).ravel()
    X, y = problem.data(ctx)
    rows, tolerance = X.reshape(problem.samples, -1), ctx.mpf(10) ** (1 - asked)
    beta = np.array([b if abs(b) > ctx.mpf(10) ** (15 - ctx.dps) * max(np.abs(beta)) else 0 * b for b in beta])

    def rounded(values):
        return values.astype(float) if digits is None else public(values, digits)

    return Prediction(
        statement=THEOREM.statement,
        hypotheses=records,
        residuals=(*residuals, Residual("X beta = y", misfit(rows, beta, y), tolerance, "|X||beta| + |y|")),
        alpha=end,
        coefficients=rounded(beta).reshape(problem.network.input_shape),
        singular_values=rounded(rho),
        digits=digits,
        notes=problem.note_on_floats(digits),
        seconds=time.perf_counter() - began,
    )


def order(problem: Problem, end):
    """The order in alpha or 1/alpha of the distance of beta to its limit, or None."""
    if end == 0:
        return general_zero.order(problem)
    found = general_zero.unscaled(problem, _FLOAT_DIGITS)
    free = found.moving and null_space(found.A[:, found.moving], found.ctx).shape[1]
    return 2 * problem.network.depth if free else None


def _zero(problem: Problem, digits: int) -> tuple[Coordinates, Any, tuple[Residual, ...]]:
    """rho as alpha -> 0, with the duality gap and the dual's feasibility."""
    solved = general_zero.limit(problem, digits)
    found, tolerance = solved.found, solved.found.ctx.mpf(10) ** (1 - digits)
    dual = found.A.T @ solved.nu
    cost = {(side.j, side.sign): side.cost for side in solved.sides}
    price = sum(cost[j, 1 if rho > 0 else -1] * abs(rho) for j, rho in enumerate(solved.rho) if rho)
    gap = abs(price - problem.data(found.ctx)[1] @ solved.nu) / (price or 1)
    over = max((side.sign * dual[side.j] / side.cost - 1 for side in solved.sides), default=found.ctx.zero)
    residuals = (
        Residual("duality gap", gap, tolerance, "sum c |rho|"),
        Residual("dual within the costs", max(over, found.ctx.zero), tolerance, "c"),
    )
    return found, solved.rho, residuals + ((solved.tie,) if solved.tie else ())


def _infinity(problem: Problem, digits: int) -> tuple[Coordinates, Any, tuple[Residual, ...]]:
    """rho as alpha -> oo where it is finite."""
    found = general_zero.unscaled(problem, digits)
    ctx, moving, depth = found.ctx, found.moving, problem.network.depth
    curves = [curve for curve in found.curves if curve is not None]
    A, y = found.A[:, moving], problem.data(ctx)[1]
    if not moving:
        return found, np.full(found.decomposition.terms, ctx.zero, dtype=object), ()
    kernel = null_space(A, ctx)
    tied = [j for j, curve in zip(moving, curves, strict=True) if curve.tied]
    if kernel.shape[1] and tied:
        raise BadInput(
            f"no limit alpha -> oo is known from this start: layers tie in coordinate {tied[0]}, whose sign is kept, "
            f"and beta grows like alpha^{depth} wherever X S^T rho = 0 has a solution with the signs kept; "
            "let one layer be strictly the smallest, e.g. v̄_L = 0, or call sb.predict at a given alpha"
        )
    if kernel.shape[1]:
        tau = np.array([curve.t(ctx.zero) for curve in curves], dtype=object)
        size = np.abs(tau).max()
        if (np.abs(kernel.T @ tau) > ctx.mpf(10) ** (25 - ctx.dps) * size * (1 + np.abs(kernel).max())).any():
            raise BadInput(
                f"beta has no limit alpha -> oo from this start: it grows like alpha^{depth}, beta = alpha^{depth} S^T "
                "argmin {Q(rho) at alpha = 1: X S^T rho = 0} + O(1), and that minimum is not 0; a start with "
                "beta(v̄) = 0, e.g. v̄_L = 0, has a limit, and sb.predict answers at a given alpha"
            )
    # where A leaves one solution the weights do not matter, and a tie has none
    spread = np.array([ctx.fprod(curve.deltas) if kernel.shape[1] else ctx.one for curve in curves], dtype=object)
    seen = [i for i, row in enumerate(A) if any(row)]
    rho = np.full(found.decomposition.terms, ctx.zero, dtype=object)
    if seen:
        nu = Cholesky(gram(A[seen], spread, ctx), ctx).solve(y[seen])
        rho[moving] = spread * (A[seen].T @ nu)
    return found, rho, ()

"""Both ends of Theorem 5 in alpha: a weighted l1 minimum (alpha -> 0) and a weighted l2 minimum (alpha -> oo)."""

import time

import numpy as np
import sympy

from symbias import exact
from symbias.errors import BadInput
from symbias.numeric.misfit import misfit
from symbias.precision import context, public
from symbias.problem import Problem
from symbias.theorems.prediction import Prediction
from symbias.theorems.spectral import decomposition_of, exact_frame
from symbias.theorems.statement import Theorem
from symbias.verdict import Residual


def limit(theorem: Theorem, problem: Problem, alpha, digits: int | None = None) -> Prediction:
    """Return the limit of Theorem 5's limit points as alpha -> 0 or alpha -> oo.

    alpha -> 0: the minimum of sum |rho_j| |η̄_j|^{2-L} (depth 2: of the unweighted l1 norm); ties are broken by the
    next order. alpha -> oo: the minimum of sum rho_j^2 / η̄_j^{2L-2}.

    Parameters
    ----------
    theorem : Theorem 5, or an instance of it
    problem : Regression
    alpha : 0 or oo (``sympy.oo``, ``float("inf")``)
    digits : int, optional

    Raises
    ------
    BadInput, HypothesisFails, NotConverged

    Source
    ------
    arXiv:2010.02501v3, Theorem 5; the orders in derivations/theorem_5.py.
    """
    from symbias.numeric.alpha_zero import alpha_zero_limit
    from symbias.numeric.weighted_l2 import weighted_l2

    began = time.perf_counter()
    records = theorem.require(problem)
    end = sympy.sympify(alpha)
    if end not in (0, sympy.oo):
        raise BadInput(f"a limit in alpha is at 0 or oo, not at {alpha}: for a given alpha call sb.predict")
    ctx = None if digits is None else context(digits + 60)
    decomposition, depth = decomposition_of(problem), problem.network.depth
    A, eta = exact_frame(problem, decomposition, ctx)
    more = None if digits is None else digits + 10
    if end == 0:
        found = alpha_zero_limit(A, problem.y, np.abs(eta), depth, digits=more)
    else:
        found = weighted_l2(A, problem.y, np.abs(eta) ** (2 - 2 * depth), digits=more)
    rho = found.rho if ctx is None else exact.to_precise(found.rho, ctx)
    beta = decomposition.adjoint(rho, ctx).ravel()
    X, y = problem.data(ctx)
    X = X.reshape(problem.samples, -1)
    tolerance = 1e-12 if ctx is None or digits is None else ctx.mpf(10) ** (1 - digits)
    residuals = (*found.residuals, Residual("X beta = y", misfit(X, beta, y), tolerance, "|X||beta| + |y|"))
    rounded = (lambda v: v) if digits is None else (lambda v: public(v, digits))
    return Prediction(
        statement=theorem.statement,
        hypotheses=records,
        residuals=residuals,
        alpha=end,
        coefficients=rounded(beta).reshape(problem.network.input_shape),
        singular_values=rounded(rho),
        digits=digits,
        notes=problem.note_on_floats(digits) + tuple(n for n in (found.note,) if n),
        seconds=time.perf_counter() - began,
    )

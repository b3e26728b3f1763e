"""The plain linear model f(x) = x^T z (depth 1): the nearest interpolating point, and the l2 max margin.

Regression: z' = -X^T r stays in z(0) + range X^T, so it ends at the solution of X z = y nearest to z(0) = alpha v̄,
z(0) + X^T (X X^T)^{-1} (y - X z(0)). Classification: z converges in direction to argmin |z| s.t. y_i x_i^T z >= 1.
"""

import time
from typing import Any

import numpy as np
import sympy

from symbias.errors import BadInput
from symbias.numeric.max_margin import l2_margin
from symbias.numeric.minimum_norm import nearest
from symbias.numeric.misfit import misfit
from symbias.precision import adopt, context, public
from symbias.problem import Problem
from symbias.theorems.prediction import Prediction
from symbias.theorems.statement import Hypothesis, Statement, Theorem
from symbias.verdict import Residual

STATEMENT = Statement(
    id="linear",
    title="Linear model",
    text="regression ends at the interpolating point nearest to the start, classification at the l2 max margin",
    assumptions=("linear network (depth 1)", "regression: n <= d, X of full row rank; classification: separable data"),
    formula=r"z(\infty) = \arg\min_{X z = y} \|z - z(0)\|_2, \;"
    r"\frac{z}{\|z\|} \to \arg\min_{y_i x_i^{\top} z \ge 1} \|z\|_2",
    sources=("soudry2018", "yun2021"),
    place="Soudry et al. (2018), Theorem 3; derivations/linear.py",
)


def hypotheses(problem: Problem) -> tuple[Hypothesis, ...]:
    """The network must be ``Linear``: the start is free, and rank or separability were checked with the data."""
    right = problem.network.name == "linear"
    detail = "" if right else f"it is {problem.network.name}"
    return (Hypothesis("linear network", right, None, detail, "use sb.Linear for the model x^T z"),)


def predict(problem: Problem, digits: int | None = None, outside: bool = False) -> Prediction:
    """Return the end of gradient flow on the linear model: a point (regression) or a direction (classification).

    Parameters
    ----------
    problem : Regression or Classification with the Linear network
    digits : int, optional
        Correct decimal digits; float64 when None.
    outside : bool
        There is no closed form outside the hypotheses, so this changes nothing.

    Raises
    ------
    HypothesisFails, NotConverged

    Source
    ------
    Soudry et al. (2018); derivations/linear.py.

    Examples
    --------
    >>> import symbias as sb
    >>> problem = sb.Regression(sb.Linear(dim=2), [[1, 2]], [1], sb.Initialization(1, [[1, 1]]))
    >>> [str(z) for z in sb.predict(problem, digits=15).coefficients]
    ['0.6', '0.2']
    """
    began = time.perf_counter()
    records = THEOREM.require(problem)
    found = _margin(problem, digits) if problem.task == "classification" else _nearest(problem, digits)
    return Prediction(
        statement=STATEMENT,
        hypotheses=records,
        alpha=problem.start().alpha,
        digits=digits,
        notes=problem.note_on_floats(digits),
        seconds=time.perf_counter() - began,
        **found,
    )


def _nearest(problem: Problem, digits: int | None) -> dict[str, Any]:
    """The interpolating point nearest to alpha v̄."""
    reach = 40 + int(2 * abs(problem.start().log_alpha()) / np.log(10))
    ctx: Any = None if digits is None else context(2 * digits + reach)
    X, y = problem.data(ctx)
    (start,) = problem.start().blocks(ctx)
    with np.errstate(invalid="ignore", over="ignore"):  # a start beyond float64 shows in the residual
        z = nearest(X, y, start, ctx)
        residual = _misfit(X, y, z, digits, ctx)
        if digits is None and not residual.holds:
            # The end is far smaller than the start, whose digits cancel: in float64 only its rounding is left.
            precise = context(40 + reach)
            (far,) = problem.start().blocks(precise)
            z = nearest(*problem.data(precise), far, ctx=precise).astype(float)
            residual = _misfit(X, y, z, digits, ctx)
    rounded = z if digits is None else public(z, digits)
    return {"coefficients": rounded, "blocks": (rounded,), "residuals": (residual,)}


def _misfit(X, y, z, digits, ctx) -> Residual:
    """X z = y, relative to what was added up."""
    tolerance = 1e-12 if digits is None else ctx.mpf(10) ** (1 - digits)
    return Residual("X beta = y", misfit(X, z, y), tolerance, "|X||beta| + |y|")


def _margin(problem: Problem, digits: int | None) -> dict[str, Any]:
    """The l2 max-margin solution, scaled to margin 1, and its direction."""
    ctx = context(30 if digits is None else digits + 30)
    X, y = problem.X, problem.y
    found = l2_margin(np.array([row * label for row, label in zip(X, y, strict=True)]), ctx)
    beta = np.array([_in(ctx, entry) for entry in found.rho], dtype=object)
    direction = beta / ctx.sqrt(beta @ beta)
    rounded = (lambda v: v.astype(float)) if digits is None else (lambda v: public(v, digits))
    return {"coefficients": rounded(beta), "direction": rounded(direction), "residuals": found.residuals}


def _in(ctx, value):
    """A rational number or an mpf in the context."""
    if hasattr(value, "numerator") and hasattr(value, "denominator"):
        return ctx.mpf(int(value.numerator)) / int(value.denominator)
    return adopt(ctx, value)


def limit(problem: Problem, alpha, digits: int | None = None) -> Prediction:
    """Return the limit alpha -> 0, X^T (X X^T)^{-1} y; alpha -> oo has one only for a start in the row space of X.

    Raises
    ------
    BadInput
        alpha -> oo and a start with a part outside the row space: beta grows with it.
    HypothesisFails, NotConverged
    """
    began = time.perf_counter()
    records = THEOREM.require(problem)
    end = sympy.sympify(alpha)
    if end not in (0, sympy.oo) or problem.task != "regression":
        raise BadInput(f"a limit in alpha is one of regression at 0 or oo, not of {problem.task} at {alpha}")
    ctx: Any = None if digits is None else context(2 * digits + 40)
    X, y = problem.data(ctx)
    if end == sympy.oo:
        v = problem.start().direction(0, ctx)
        beyond = np.abs(nearest(X, 0 * y, v, ctx)).max()
        if beyond > np.abs(v).max() * (1e-12 if ctx is None else ctx.mpf(10) ** (20 - ctx.dps)):
            raise BadInput(
                "no limit alpha -> oo: the part of v̄ outside the row space of X stays in beta and grows like alpha"
            )
    z = nearest(X, y, 0 * X[0], ctx)
    return Prediction(
        statement=STATEMENT,
        hypotheses=records,
        residuals=(_misfit(X, y, z, digits, ctx),),
        alpha=end,
        coefficients=z if digits is None else public(z, digits),
        digits=digits,
        notes=problem.note_on_floats(digits),
        seconds=time.perf_counter() - began,
    )


THEOREM = Theorem(STATEMENT, hypotheses, predict, limit)

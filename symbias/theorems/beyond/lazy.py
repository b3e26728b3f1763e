"""The lazy regime (Chizat et al. 2019): for a start with no output, alpha -> oo gives the model linearised at the
start.

If f(Theta(0); x_i) = 0 for every i, then as alpha -> oo the blocks move by O(alpha^{1-L}) only and beta(oo) - beta(0)
tends to J J^T X^T K^{-1} y, with J = d beta / d Theta at the directions v̄ and K = X J J^T X^T. The error is
O(alpha^{-L}), and O(alpha^{-2L}) where beta is odd in y (one block zero at the start, or one layer in every coordinate
of the decomposition, or w_+ = w_-). An output scale c in place of alpha is the same with c = alpha^L. Where some
f(Theta(0); x_i) != 0 the residual at the start grows like alpha^L, the blocks move as far as they are long, and the
claim is false.
"""

import time
from typing import Any

import numpy as np
import sympy

from symbias.errors import BadInput, HypothesisFails, NotDecomposable
from symbias.networks import DifferenceOfPowers
from symbias.numeric.misfit import misfit
from symbias.precision import context, public
from symbias.problem import Problem
from symbias.theorems.prediction import Prediction
from symbias.theorems.spectral import exactly_given, frame
from symbias.theorems.statement import Hypothesis, Statement, Theorem
from symbias.theorems.tangent import Tangent, beyond_floats, rounding, solve, tangent
from symbias.verdict import Residual

STATEMENT = Statement(
    id="lazy",
    title="Lazy regime",
    text="from a start with no output, alpha (or the output scale) -> oo gives the limit of the model linearised there",
    assumptions=(
        "regression, X of full row rank",
        "f(Theta(0); x_i) = 0 for every i",
        "K positive definite",
        "alpha -> oo",
    ),
    formula=r"\beta(\infty) - \beta(0) \to J J^{\top} X^{\top} (X J J^{\top} X^{\top})^{-1} y,"
    r" \; J = \frac{d \beta}{d \Theta}\Big|_{\Theta(0)}",
    sources=("chizat2019",),
    place="Chizat, Oyallon, Bach (2019), Theorem 2.4; derivations/lazy.py",
)

#: The hypothesis that no finite alpha meets: ``predict`` is about this alpha, the statement about the limit.
AT_INFINITY = "alpha = oo"
_CHECK_DIGITS = 50


def hypotheses(problem: Problem) -> tuple[Hypothesis, ...]:
    """Check that the start has no output and that the tangent kernel is positive definite."""
    regression = problem.task == "regression"
    first = Hypothesis(
        "regression", regression, None, "" if regression else f"the task is {problem.task}", "use sb.Regression"
    )
    if not regression:
        return (first,)
    small = sum(v.size for v in _blocks(problem)) < 2_000
    ctx = context(_CHECK_DIGITS) if small and exactly_given(problem) or beyond_floats(problem) else None
    found = tangent(problem, ctx)
    zero = rounding(problem, ctx) * np.abs(problem.data(ctx)[0]).reshape(problem.samples, -1).sum(axis=1)
    largest = max(np.abs(found.outputs))
    empty = bool((np.abs(found.outputs) <= zero).all())
    smallest = _smallest(ctx, found.kernel)
    regular = solve(ctx, found.kernel, problem.data(ctx)[1]) is not None
    there = empty and regular
    return (
        first,
        Hypothesis(
            "f(Theta(0); x_i) = 0",
            empty,
            0.0 if empty else -float(largest),
            "" if empty else "the residual at the start grows like alpha^L, and the claim is false",
            "take v̄_L = 0 (w_+ = w_- for the difference of powers)",
        ),
        Hypothesis(
            "tangent kernel positive definite",
            regular,
            float(smallest),
            remedy="give the other blocks nonzero directions",
        ),
        Hypothesis(
            AT_INFINITY,
            False,
            None,
            f"at a finite alpha the network ends O(alpha^-{order(problem)}) away" if there else "alpha is finite",
            "call sb.limit(problem, alpha=oo), or ask with outside=True for the linearised model itself"
            if there
            else "ask with outside=True for the linearised model itself",
        ),
    )


def _blocks(problem: Problem) -> list[Any]:
    return [problem.start().direction(layer) for layer in range(len(problem.start().directions))]


def _smallest(ctx, K):
    """The smallest eigenvalue of the kernel."""
    return np.linalg.eigvalsh(K)[0] if ctx is None else min(ctx.eigsy(ctx.matrix(K.tolist()), eigvals_only=True))


def order(problem: Problem) -> int:
    """The order in 1/alpha of the distance to the linearised model: L, or 2L where beta is odd in y."""
    depth, blocks = problem.network.depth, _blocks(problem)
    if isinstance(problem.network, DifferenceOfPowers):
        odd = bool((blocks[0] == blocks[1]).all())
    else:
        odd = any(not block.any() for block in blocks) or _each_coordinate_zero(problem)
    return 2 * depth if odd else depth


def _each_coordinate_zero(problem: Problem) -> bool:
    """Whether some layer is zero in every coordinate of a real decomposition: flipping it there flips beta."""
    try:
        seen = frame(problem)
    except (NotDecomposable, BadInput):  # matrix sensing asks for symmetric samples that commute
        return False
    top = max(np.abs(eta).max() for eta in seen.eta)
    zero = 256 * np.finfo(float).eps * top
    return max(seen.outside) <= zero and bool((np.min(np.abs(seen.eta), axis=0) <= zero).all())


def predict(problem: Problem, digits: int | None = None, outside: bool = False) -> Prediction:
    """Return the end of gradient flow on the model linearised at Theta(0): not that of the network, hence ``outside``.

    Parameters
    ----------
    problem : Regression
    digits : int, optional
        Correct decimal digits; float64 when None.
    outside : bool
        Must be True: the statement is about alpha -> oo (``sb.limit``), and every finite alpha is outside it.

    Returns
    -------
    Prediction
        ``coefficients`` beta(0) + J J^T X^T K^{-1} (y - X beta(0)), with ``applies`` False.

    Raises
    ------
    HypothesisFails
    """
    began = time.perf_counter()
    records = THEOREM.require(problem, outside)
    if len(records) == 1:
        THEOREM.require(problem)  # the task cannot be given up
    _require_floats(problem, digits)
    ctx: Any = None if digits is None else context(2 * digits + 40 + _span(problem))
    alpha, depth = problem.start().scale(ctx), problem.network.depth
    found = tangent(problem, ctx)
    left = problem.data(ctx)[1] - alpha**depth * found.outputs
    beta = alpha**depth * found.beta + _response(problem, found, left, ctx)
    note = f"the limit of the model linearised at the start; the network's own is O(alpha^-{order(problem)}) away"
    return _made(problem, records, beta, problem.start().alpha, digits, ctx, (note,), began)


def limit(problem: Problem, alpha, digits: int | None = None) -> Prediction:
    """Return the limit alpha -> oo of the end of gradient flow on the network.

    Raises
    ------
    BadInput
        alpha -> 0 (the statement says nothing of it), or beta(v̄) != 0: then beta(oo) - alpha^L beta(v̄) has a limit,
        beta has none.
    HypothesisFails
    """
    began = time.perf_counter()
    records = tuple(h for h in THEOREM.hypotheses(problem) if h.name != AT_INFINITY)
    failed = [h for h in records if not h.holds]
    if failed:
        listed = "; ".join(str(h).removeprefix("NO  ") for h in failed)
        raise HypothesisFails(f"{STATEMENT.title} does not apply: {listed}", records)
    if sympy.sympify(alpha) != sympy.oo:
        raise BadInput(f"{STATEMENT.title} is a statement about alpha -> oo, not {alpha}")
    _require_floats(problem, digits)
    ctx: Any = None if digits is None else context(2 * digits + 40)
    found = tangent(problem, ctx)
    if np.abs(found.beta).max() > rounding(problem, ctx):
        raise BadInput(
            "beta has no limit alpha -> oo: the outputs at the start are zero, but beta(v̄) is not, so beta(0) grows "
            "like alpha^L; beta(oo) - beta(0) has one: sb.predict(problem, theorem='lazy', outside=True)"
        )
    beta = _response(problem, found, problem.data(ctx)[1], ctx)
    return _made(problem, records, beta, sympy.oo, digits, ctx, (), began)


def _require_floats(problem: Problem, digits: int | None) -> None:
    if digits is None and beyond_floats(problem):
        raise BadInput("the tangent kernel of these directions leaves the range of float64: ask for digits, e.g. 15")


def _response(problem: Problem, found: Tangent, left, ctx) -> np.ndarray:
    """J J^T X^T K^{-1} left."""
    dual = solve(ctx, found.kernel, left)
    if dual is None:
        raise HypothesisFails("the tangent kernel at the start is singular: the linearised model cannot fit every y")
    return (dual @ found.features).reshape(problem.network.input_shape)


def _span(problem: Problem) -> int:
    return int(2 * problem.network.depth * abs(problem.start().log_alpha()) / np.log(10))


def _made(problem, records, beta, alpha, digits, ctx, notes, began) -> Prediction:
    X, y = problem.data(ctx)
    rows, flat = X.reshape(len(y), -1), beta.ravel()
    tolerance = 1e-11 if digits is None else ctx.mpf(10) ** (1 - digits)
    return Prediction(
        statement=STATEMENT,
        hypotheses=records,
        residuals=(Residual("X beta = y", misfit(rows, flat, y), tolerance, "|X||beta| + |y|"),),
        alpha=alpha,
        coefficients=beta if digits is None else public(beta, digits),
        digits=digits,
        applies=alpha == sympy.oo,
        notes=(*problem.note_on_floats(digits), *notes),
        seconds=time.perf_counter() - began,
    )


THEOREM = Theorem(STATEMENT, hypotheses, predict, limit)

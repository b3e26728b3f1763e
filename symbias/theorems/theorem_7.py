"""Theorem 7: the fully connected network of any depth, W_l(0) = alpha W̄_l, w_L(0) = alpha w̄_L.

(1) If W̄_l^T W̄_l ⪰ W̄_{l+1} W̄_{l+1}^T for l <= L-2 and W̄_{L-1}^T W̄_{L-1} - w̄_L w̄_L^T ⪰ lambda I, the loss goes
to 0. (2) For any directions for which it does, alpha -> 0 gives beta -> X^T (X X^T)^{-1} y.
"""

import time
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import sympy

from symbias.errors import BadInput
from symbias.numeric.minimum_norm import nearest
from symbias.numeric.misfit import misfit
from symbias.numeric.taylor_flow import flow_limit
from symbias.precision import context, public
from symbias.problem import Problem
from symbias.theorems import theorem_6
from symbias.theorems.prediction import Prediction
from symbias.theorems.spectral import exactly_given
from symbias.theorems.statement import Hypothesis, Statement, Theorem
from symbias.theorems.tangent import linearised
from symbias.verdict import Residual

STATEMENT = Statement(
    id="theorem_7",
    title="Theorem 7",
    text="the fully connected network reaches loss 0, and as alpha -> 0 its coefficients tend to the minimum l2 norm",
    assumptions=(
        "regression, n <= d, X of full row rank, fully connected network",
        "W̄_l^T W̄_l ⪰ W̄_{l+1} W̄_{l+1}^T for l <= L-2",
        "W̄_{L-1}^T W̄_{L-1} - w̄_L w̄_L^T ⪰ lambda I, lambda > 0",
    ),
    formula=r"\lim_{\alpha \to 0} \beta(\infty) = X^{\top} (X X^{\top})^{-1} y",
    place="section 5.3, proof in appendix H",
)

#: Digits of the eigenvalues when all inputs are exact; what counts as zero then and for floats, relative to the
#: largest.
_CHECK_DIGITS, _EXACT_ZERO, _FLOAT_ZERO = 50, 1e-40, 64 * np.finfo(float).eps
#: Entries up to which exact inputs are checked in 50 digits; beyond, in float64.
_CHECK_ENTRIES = 2_000
#: Digits of the flow behind a float64 prediction.
_FLOAT_FLOW = 17
NOTHING = (
    "beta stays in the row space of X at every alpha, so this initialization checks nothing of the limit alpha -> 0"
)


def hypotheses(problem: Problem) -> tuple[Hypothesis, ...]:
    """Check part 1's conditions; each margin is the smallest eigenvalue of the difference of the two sides."""
    regression, name = problem.task == "regression", problem.network.name
    first = (
        Hypothesis(
            "regression", regression, None, "" if regression else f"the task is {problem.task}", "use sb.Regression"
        ),
        Hypothesis(
            "fully connected network",
            name == "fully_connected",
            None,
            "" if name == "fully_connected" else f"it is {name}",
            "use sb.FullyConnected",
        ),
    )
    if not all(h.holds for h in first):
        return first
    size = sum(np.prod(shape) for shape in problem.network.block_shapes)
    ctx = context(_CHECK_DIGITS) if size <= _CHECK_ENTRIES and exactly_given(problem) else None
    blocks = [problem.start().direction(layer, ctx) for layer in range(problem.network.depth)]
    zero = (_FLOAT_ZERO if ctx is None else _EXACT_ZERO) * max(np.abs(block).max() for block in blocks) ** 2
    records = []
    for layer, (left, right) in enumerate(pairwise(blocks), start=1):
        smallest = _smallest_eigenvalue(ctx, left.T @ left - _outer(right))
        margin = 0.0 if abs(smallest) <= zero else float(smallest)
        title = part_1(len(blocks))[layer - 1]
        holds = margin >= 0 if layer < len(blocks) - 1 else margin > 0
        records.append(Hypothesis(title, holds, margin, remedy=f"scale direction {layer} up, or the later ones down"))
    return (*first, *records)


def part_1(depth: int) -> tuple[str, ...]:
    """The names of part 1's conditions, which part 2 does not need."""
    first = tuple(f"W̄_{layer}^T W̄_{layer} ⪰ W̄_{layer + 1} W̄_{layer + 1}^T" for layer in range(1, depth - 1))
    return (*first, f"W̄_{depth - 1}^T W̄_{depth - 1} - w̄_{depth} w̄_{depth}^T ⪰ lambda I, lambda > 0")


def _outer(block):
    return block @ block.T if block.ndim == 2 else np.multiply.outer(block, block)


def _smallest_eigenvalue(ctx, matrix):
    if ctx is None:
        return np.linalg.eigvalsh(matrix)[0]
    return min(ctx.eigsy(ctx.matrix(matrix.tolist()), eigvals_only=True))


def predict(problem: Problem, digits: int | None = None, outside: bool = False) -> Prediction:
    """Return the limit of gradient flow on a fully connected network.

    A closed form where there is one: Theorem 6 (depth 2, one sample), and the minimum norm for initializations that
    never leave the row space of X (W̄_l = I, w̄_L = 0). Otherwise the flow itself, in high precision; Theorem 7 then
    says only that it ends on the global minima.

    Parameters
    ----------
    problem : Regression with a FullyConnected network
    digits : int, optional
        Correct decimal digits; float64 when None.
    outside : bool
        Follow the flow although part 1's conditions fail (``applies`` False).

    Raises
    ------
    HypothesisFails
    NotConverged
        The flow stalls.

    Source
    ------
    arXiv:2010.02501v3, Theorem 7; derivations/theorem_7.py.
    """
    began = time.perf_counter()
    records = THEOREM.require(problem, outside)
    if len(records) < 3:
        THEOREM.require(problem)  # the margins can be given up, the network cannot
    applies = all(h.holds for h in records)
    if problem.network.depth == 2 and problem.samples == 1:
        closed = theorem_6.predict(problem, digits, outside=True)
        notes = ("closed form of Theorem 6",)
        return replace(
            closed,
            statement=STATEMENT,
            hypotheses=records,
            applies=applies,
            notes=problem.note_on_floats(digits) + notes,
        )
    found = _in_the_row_space(problem, digits) if stays_in_the_row_space(problem) else _by_the_flow(problem, digits)
    return Prediction(
        statement=STATEMENT,
        hypotheses=records,
        alpha=problem.start().alpha,
        digits=digits,
        applies=applies,
        seconds=time.perf_counter() - began,
        **found,
    )


def _in_the_row_space(problem: Problem, digits) -> dict[str, Any]:
    """beta in closed form, where the initialization never leaves the row space."""
    end = limit(problem, 0, digits)
    return {"coefficients": end.coefficients, "residuals": end.residuals, "notes": (NOTHING,)}


def _by_the_flow(problem: Problem, digits) -> dict[str, Any]:
    """beta and the blocks by the flow in high precision, with its conserved quantities watched."""
    start, product, asked = problem.start(), problem.network.product, digits or _FLOAT_FLOW
    ctx = context(asked + 30 + int(2 * problem.network.depth * abs(start.log_alpha()) / np.log(10)))
    X, y = problem.data(ctx)
    flow = flow_limit(product, X, y, start.blocks(ctx), asked)
    missed = misfit(X, flow.beta, y)
    tolerance = ctx.mpf(10) ** (1 - asked)
    rounded = (lambda v: v) if digits else (lambda v: v.astype(float))
    return {
        "coefficients": rounded(flow.beta),
        "blocks": tuple(rounded(block) for block in flow.blocks),
        "residuals": (
            Residual("flow from two stopping places", 10.0**-flow.agreement, 10.0**-asked, "each number"),
            Residual("conserved quantities", flow.drift, tolerance, "largest squared entry"),
            Residual("X beta = y", missed, tolerance, "|X||beta| + |y|"),
        ),
        "notes": problem.note_on_floats(digits)
        + ("at this alpha there is no closed form: the coefficients are those of the flow, integrated",),
    }


def limit(problem: Problem, alpha, digits: int | None = None) -> Prediction:
    """Return the limit alpha -> 0, X^T (X X^T)^{-1} y, or alpha -> oo, that of the model linearised at the start.

    Part 2 needs a loss that goes to 0, not part 1's conditions; where these fail the prediction has ``applies`` False
    and says so: ``sb.check_limit`` watches the loss.

    Raises
    ------
    BadInput, HypothesisFails, NotConverged

    Source
    ------
    arXiv:2010.02501v3, Theorem 7.
    """
    began = time.perf_counter()
    end = sympy.sympify(alpha)
    if end not in (0, sympy.oo):
        raise BadInput(f"a limit in alpha is at 0 or oo, not at {alpha}: for a given alpha call sb.predict")
    records = THEOREM.hypotheses(problem)
    if not all(h.holds for h in records[:2]):
        THEOREM.require(problem)
    ctx: Any = None if digits is None else context(2 * digits + 40)
    X, y = problem.data(ctx)
    beta = linearised(problem, ctx) if end == sympy.oo else nearest(X, y, 0 * X[0], ctx)
    missed = misfit(X, beta, y)
    tolerance = 1e-12 if digits is None else ctx.mpf(10) ** (1 - digits)
    applies = all(h.holds for h in records)
    notes = [] if applies else ["part 1's conditions fail: the limit holds if the loss goes to 0 all the same"]
    if end == 0 and stays_in_the_row_space(problem):
        notes.append(NOTHING)
    return Prediction(
        statement=STATEMENT,
        hypotheses=records,
        residuals=(Residual("X beta = y", missed, tolerance, "|X||beta| + |y|"),),
        alpha=end,
        coefficients=beta if digits is None else public(beta, digits),
        digits=digits,
        applies=applies,
        notes=(*problem.note_on_floats(digits), *notes),
        seconds=time.perf_counter() - began,
    )


def stays_in_the_row_space(problem: Problem) -> bool:
    """True when beta(t) stays in the row space of X for every alpha, whatever the flow does.

    It does when there are subspaces V_1 = range X^T, V_2, .., V_L with W̄_l V_{l+1} in V_l, W̄_l^T V_l in V_{l+1} and
    w̄_L in V_L: the flow keeps them. The smallest candidates are built up; V_1 must not grow.
    """
    blocks = [problem.start().direction(layer) for layer in range(problem.network.depth)]
    blocks = [block / (np.abs(block).max() or 1) for block in blocks]
    *matrices, last = blocks
    spaces = [_span(problem.X_float.T)] + [np.zeros((block.shape[1], 0)) for block in matrices]
    spaces[-1] = _span(last[:, None])
    while True:
        sizes = [space.shape[1] for space in spaces]
        for layer, W in enumerate(matrices):
            spaces[layer + 1] = _span(np.hstack([spaces[layer + 1], W.T @ spaces[layer]]))
        for layer, W in reversed(list(enumerate(matrices))):
            spaces[layer] = _span(np.hstack([spaces[layer], W @ spaces[layer + 1]]))
        if spaces[0].shape[1] > problem.samples:
            return False
        if sizes == [space.shape[1] for space in spaces]:
            return True


def _span(columns: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the span of the columns; directions below 1e-12 of the largest are rounding."""
    if not columns.size:
        return columns
    left, singular, _ = np.linalg.svd(columns, full_matrices=False)
    return left[:, singular > 1e-12 * max(singular[0], 1e-300)] if singular[0] else columns[:, :0]


THEOREM = Theorem(STATEMENT, hypotheses, predict, limit)

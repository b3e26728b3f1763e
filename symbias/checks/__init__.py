"""Checks: a prediction against the integrated network and against the conditions that define its limit."""

import time

import numpy as np
import sympy

from symbias.checks import mirror
from symbias.checks.classification import check_direction
from symbias.checks.conserved import conserved
from symbias.checks.consistency import consistency
from symbias.checks.flow import digits_agreed, network_limit
from symbias.checks.nearest_point import nearest_point
from symbias.checks.one_sample import one_sample
from symbias.checks.optimality import optimality
from symbias.errors import BadInput
from symbias.exact import to_precise
from symbias.precision import context, valid_digits
from symbias.problem import Problem, require_problem
from symbias.theorems import predict
from symbias.theorems.prediction import Prediction
from symbias.verdict import Outcome, Residual

#: The digits a float64 prediction is held to: its residuals are within 1e-12 and a coefficient may be a small
#: difference.
FLOAT_DIGITS = 10

#: What else is asked of a prediction, by statement: conditions that define the limit, without any flow.
CONDITIONS = {name: optimality for name in ("theorem_5", "corollary_5", "corollary_6", "corollary_7")}
CONDITIONS |= {"theorem_6": one_sample, "linear": nearest_point, "theorem_7": conserved}
CONDITIONS |= {"difference_of_powers": mirror.difference_of_powers, "general_initialization": mirror.general}


def check(problem: Problem, prediction: Prediction | None = None, digits: int = 30, progress=None) -> Outcome:
    """Check a prediction against the full gradient flow of the network's own parameters, and against its own
    conditions.

    The flow is integrated in high precision until its residual is below 10^(-digits/2); the rest of the way is that of
    the flow linearised there. This is done from two stopping places, whose agreement says what the flow itself is
    worth.

    Parameters
    ----------
    problem : Regression or Classification
        For classification the limit *direction* is reached a second way (``symbias.checks.classification``).
    prediction : Prediction, optional
        What to check; ``sb.predict(problem, digits)`` when None. A float64 prediction is held to 10 digits.
    digits : int
        Decimal digits asked of every coefficient and of every entry of the blocks.
    progress : Progress, optional
        Where to report on a long integration.

    Returns
    -------
    Outcome
        ``verdict`` "holds", "fails", or "undecided" when the flow itself did not reach the digits; ``digits`` agreed
        over ``points`` numbers; ``evidence``, the residuals.

    Raises
    ------
    BadInput
        No initialization, a ``prediction`` that is none, or one of a limit in alpha (see ``sb.check_limit``).
    HypothesisFails, NotConverged

    Accuracy
    --------
    "holds" means that all ``digits`` agree, of numbers reached in two ways; the flow's own error is in the evidence,
    "undecided" when it is too large.

    Source
    ------
    The flow of arXiv:2010.02501v3, section 2, and the conditions of the statement that is checked.

    Examples
    --------
    >>> import symbias as sb
    >>> net = sb.Diagonal(dim=2, depth=2)
    >>> problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha=1, eta=1))
    >>> sb.check(problem, digits=20).verdict
    'holds'
    """
    began = time.perf_counter()
    require_problem(problem)
    valid_digits(digits)
    if digits is None:
        raise BadInput("a check needs a number of digits, e.g. digits=30")
    if prediction is None:
        prediction = predict(problem, digits=digits)
    if not isinstance(prediction, Prediction):
        raise BadInput(f"what to check must be a Prediction, as sb.predict returns it, not {prediction!r}")
    if prediction.alpha in (0, sympy.oo, float("inf")):
        raise BadInput(
            f"the prediction is the limit alpha -> {prediction.alpha}, which no flow of this alpha reaches: "
            "check it by sb.check_limit(problem, alpha=...)"
        )
    shape = problem.network.input_shape
    if not isinstance(prediction.coefficients, np.ndarray) or prediction.coefficients.shape != shape:
        raise BadInput(f"the coefficients of the prediction to check must be an array of shape {shape}")
    if problem.task == "classification":
        return check_direction(problem, prediction, digits, progress)
    asked = min(digits, FLOAT_DIGITS if prediction.digits is None else prediction.digits)
    flow = network_limit(problem, asked + 5, progress)
    ctx = context(asked + 40)
    agreed = digits_agreed(ctx, to_precise(prediction.coefficients, ctx), to_precise(flow.beta, ctx))
    points = prediction.coefficients.size
    if prediction.blocks is not None:
        for ours, reference in zip(prediction.blocks, flow.blocks, strict=True):
            agreed = min(agreed, digits_agreed(ctx, to_precise(ours, ctx), to_precise(reference, ctx)))
            points += ours.size
    tolerance = ctx.mpf(10) ** (1 - asked)
    conditions = CONDITIONS.get(prediction.statement.id)
    evidence = (
        Residual("full flow against the prediction", ctx.mpf(10) ** -agreed, tolerance, "each number"),
        Residual("flow from two stopping places", ctx.mpf(10) ** -flow.agreement, tolerance, "each number"),
        *consistency(problem, prediction, asked),
        *(conditions(problem, prediction, asked) if conditions else ()),
    )
    if not evidence[1].holds:
        verdict = "undecided"
    else:
        verdict = "holds" if all(e.holds for e in evidence) else "fails"
    note = "" if asked == digits else f"held to {asked} digits, those of the prediction"
    return Outcome(verdict, min(agreed, flow.agreement), points, evidence, note, seconds=time.perf_counter() - began)


__all__ = ["CONDITIONS", "FLOAT_DIGITS", "check"]

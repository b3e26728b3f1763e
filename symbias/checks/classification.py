"""A predicted limit direction, reached a second way, and the conditions that every limit of gradient flow satisfies.

Second way. Real coordinates: the quasi-static path in high precision from a state of the reduced flow to a margin
such as 10^40. Everything else: the full flow of the network's own blocks and the margin problem in its parameters.
Neither uses the linear program, singular vectors or closed form behind the prediction.
"""

import time

from symbias.checks.consistency import consistency
from symbias.checks.direction_conditions import conditions
from symbias.checks.flow import digits_agreed
from symbias.checks.second_ways import second_way
from symbias.errors import NotConverged, Undecided
from symbias.exact import to_precise
from symbias.numeric.max_margin import as_precise
from symbias.precision import context
from symbias.problem import Problem
from symbias.theorems.prediction import Prediction
from symbias.verdict import Outcome, Residual

#: Digits of a float64 prediction, and those to which the second way, begun by a float64 flow, chooses among solutions.
_FLOAT_DIGITS, _TILTED_DIGITS = 10, 6


def check_direction(problem: Problem, prediction: Prediction, digits: int, progress=None) -> Outcome:
    """Check a prediction of Theorems 1 to 3 or Corollaries 1 to 4.

    Returns
    -------
    Outcome
        "holds", "fails", or "undecided" when the second way is not certain of its own limit. ``digits`` agreed, of
        the direction (of each coordinate; zero ones against the norm), and the residuals of the conditions.
    """
    began = time.perf_counter()
    known, whose = _FLOAT_DIGITS if prediction.digits is None else prediction.digits, "those of the prediction"
    if any("the other samples decide" in note for note in prediction.notes) and known > _TILTED_DIGITS:
        known, whose = _TILTED_DIGITS, "those of the second way, which begins with a flow in float64"
    asked = min(digits, known)
    ctx = context(asked + 30)
    beta = to_precise(prediction.coefficients, ctx).ravel()
    tolerance = ctx.mpf(10) ** (1 - asked)
    evidence = [*consistency(problem, prediction, asked), *conditions(problem, prediction, asked)]
    note = "" if asked == digits else f"held to {asked} digits, {whose}"
    try:
        reference, more = second_way(problem, prediction, asked)
    except (Undecided, NotConverged) as fault:
        failed = not all(e.holds for e in evidence)
        verdict = "fails" if failed else "undecided"
        return Outcome(verdict, 0.0, beta.size, tuple(evidence), str(fault), seconds=time.perf_counter() - began)
    # A coordinate that is exactly zero in the prediction is compared against the norm.
    agreed = digits_agreed(ctx, _unit(ctx, as_precise(ctx, reference)), _unit(ctx, beta))
    evidence.insert(0, Residual("direction, a second way", ctx.mpf(10) ** -agreed, tolerance, "each coordinate"))
    evidence += more
    verdict = "holds" if all(e.holds for e in evidence) else "fails"
    return Outcome(
        verdict, min(agreed, float(ctx.dps)), beta.size, tuple(evidence), note, seconds=time.perf_counter() - began
    )


def _unit(ctx, values):
    return values / ctx.sqrt(values @ values)

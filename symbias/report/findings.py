"""Checking one statement of the paper on its example."""

import time
from dataclasses import replace

from symbias.checks import check
from symbias.checks.lemma_4 import check_lemma_4
from symbias.checks.limits import check_limit
from symbias.errors import NotConverged
from symbias.report.examples import Example
from symbias.report.record import Finding, worst
from symbias.theorems import STATEMENTS, predict
from symbias.verdict import Outcome

_DEPTHS = range(2, 7)


def examine(example: Example, digits: int, depths=_DEPTHS) -> Finding:
    """Predict and check a statement on its example; what cannot be decided on the spot is undecided, with the reason.

    ``depths`` are those at which Lemma 4 is checked.
    """
    began = time.perf_counter()
    problem, statement = example.problem(), STATEMENTS[example.id].statement
    made = Finding(statement, example.setting, "undecided")
    try:
        made = replace(made, hypotheses=STATEMENTS[example.id].hypotheses(problem))
        if example.id == "lemma_4":
            made = replace(made, outcome=_lemma_4(digits, depths))
        else:
            made = replace(made, prediction=predict(problem, digits, theorem=example.id))
            made = replace(made, outcome=check(problem, made.prediction, digits))
            made = replace(made, limits=tuple(_limits(example, problem, digits)))
        notes = [part.note for part in (made.outcome, *made.limits) if part is not None and part.note]
        verdict = worst([made.outcome.verdict, *(found.verdict for found in made.limits)])  # type: ignore[union-attr]
        made = replace(made, verdict=verdict, note="; ".join(notes))
    except NotConverged as fault:
        made = replace(made, note=str(fault))
    return replace(made, seconds=time.perf_counter() - began)


def _limits(example: Example, problem, digits: int):
    for end, other in example.limits:
        yield check_limit(problem if other is None else other(), alpha=end, digits=digits, theorem=example.id)


def _lemma_4(digits: int, depths) -> Outcome:
    """The outcomes of all depths as one."""
    found = {depth: check_lemma_4(depth, digits) for depth in depths}
    evidence = tuple(
        replace(e, name=f"depth {depth}: {e.name}") for depth, each in found.items() for e in each.evidence
    )
    verdict = worst(each.verdict for each in found.values())
    agreed = min(each.digits for each in found.values())
    return Outcome(verdict, agreed, sum(each.points for each in found.values()), evidence)

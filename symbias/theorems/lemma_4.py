"""Lemma 4: the system p' = p^{L-2} q, q' = p^{L-1}, p(0) = 1, q(0) = 0 and its function h_L = p^{L-1} q.

It says nothing of a problem by itself: it is what Theorem 5 and its corollaries are made of. The functions are in
``symbias.functions``, its proof in ``symbias.functions.lemma_4_proofs``, its numbers against the integrated system in
``symbias.checks.lemma_4``.
"""

from symbias.derivation import Section
from symbias.errors import BadInput
from symbias.functions import c
from symbias.functions.closed_form_proofs import closed_form_steps
from symbias.functions.lemma_4_proofs import lemma_4_steps
from symbias.theorems.statement import Hypothesis, Statement, Theorem

STATEMENT = Statement(
    id="lemma_4",
    title="Lemma 4",
    text="p is even, q and h_L = p^{L-1} q are odd, and h_L increases from (-c_L, c_L) onto the reals",
    assumptions=("an integer depth L >= 2",),
    formula=r"p' = p^{L-2} q, \; q' = p^{L-1}, \; p(0) = 1, \; q(0) = 0, \quad h_L = p^{L-1} q",
    place="section 5.1, proof in appendix F",
)


def hypotheses(problem) -> tuple[Hypothesis, ...]:
    """A network of at least two layers."""
    depth = problem.network.depth
    return (Hypothesis("depth >= 2", depth >= 2, float(depth - 2), remedy="use a network of two layers or more"),)


def predict(problem, digits=None, outside=False):
    """Lemma 4 predicts no limit of a network.

    Raises
    ------
    BadInput
        Always; names the statements that use it.
    """
    raise BadInput("Lemma 4 is about the functions p, q and h_L, not about a network: ask for theorem_5")


def section(depth: int) -> Section:
    """The functions of Lemma 4 at one depth, derived."""
    return Section(
        "The functions of Lemma 4",
        f"p' = p^(L-2) q, q' = p^(L-1), p(0) = 1, q(0) = 0, h_L = p^(L-1) q, at L = {depth}; c_L = {c(depth)}.",
        (*lemma_4_steps(depth), *closed_form_steps(depth)),
    )


THEOREM = Theorem(STATEMENT, hypotheses, predict)

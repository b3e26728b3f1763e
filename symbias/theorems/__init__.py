"""The statements of the paper, by name, and which one answers a problem."""

from dataclasses import replace

from symbias.errors import BadInput, NoStatement, NotConverged
from symbias.precision import valid_digits
from symbias.problem import Problem, require_problem
from symbias.theorems import (
    corollaries,
    corollary_1,
    corollary_4,
    lemma_4,
    theorem_1,
    theorem_2,
    theorem_3,
    theorem_5,
    theorem_6,
    theorem_7,
)
from symbias.theorems.beyond import difference_of_powers, general_initialization, lazy, linear
from symbias.theorems.prediction import Prediction
from symbias.theorems.statement import Hypothesis, Statement, Theorem, failures

STATEMENTS: dict[str, Theorem] = {
    theorem.id: theorem
    for theorem in (
        lemma_4.THEOREM,
        theorem_3.THEOREM,
        corollary_4.THEOREM,
        theorem_2.THEOREM,
        corollaries.COROLLARY_2,
        corollaries.COROLLARY_3,
        corollary_1.THEOREM,
        theorem_1.THEOREM,
        theorem_6.THEOREM,
        theorem_5.THEOREM,
        corollaries.COROLLARY_5,
        corollaries.COROLLARY_6,
        corollaries.COROLLARY_7,
        theorem_7.THEOREM,
        lazy.THEOREM,
        general_initialization.THEOREM,
        difference_of_powers.THEOREM,
        linear.THEOREM,
    )
}

#: The order in which ``predict`` looks for a statement that applies.
ORDER = {
    "regression": (
        "theorem_6",
        "theorem_5",
        "general_initialization",
        "difference_of_powers",
        "linear",
        "theorem_7",
        "lazy",
    ),
    "classification": (
        "theorem_3",
        "corollary_4",
        "theorem_2",
        "general_initialization",
        "corollary_1",
        "theorem_1",
        "linear",
    ),
}


def statement(name: str) -> Theorem:
    """The statement called ``name``, or BadInput with the names there are."""
    if name not in STATEMENTS:
        raise BadInput(f"no statement is called {name!r}; there are {', '.join(STATEMENTS)}")
    return STATEMENTS[name]


def choose(problem: Problem) -> Theorem:
    """The first statement in ``ORDER`` whose hypotheses hold; the HypothesisFails of the nearest one when none does, or
    the NotConverged of one whose hypotheses could not be decided.

    Nearest is one about such a network and data of which fewest hypotheses fail; when there are several
    general_initialization, which asks for least of a start, then the earlier in ``ORDER``.
    """
    missed, undecided = [], None
    for name in ORDER[problem.task]:
        theorem = STATEMENTS[name]
        try:
            failed = failures(theorem.hypotheses(problem))
        except NotConverged as error:  # whether it applies is not known; a later one may do
            undecided = undecided or error
            continue
        if not failed:
            return theorem
        shape = any(h.margin is None for h in failed)  # the network or the data are not those of the statement
        missed.append(((shape, len(failed), name != "general_initialization"), theorem))
    if undecided is not None:
        raise undecided
    if not missed:
        raise NoStatement(f"no statement of symbias covers {problem.task} with the {problem.network.name} network")
    nearest = min(missed, key=lambda pair: pair[0])[1]
    nearest.require(problem)
    raise NoStatement("no statement applies")


def choose_limit(problem: Problem) -> Theorem:
    """The first statement in ``ORDER`` that has limits in alpha and applies, but for what a limit does not need.

    That alpha is finite counts for nothing here, nor do part 1's conditions of Theorem 7, whose part 2 is the limit.
    """
    spared = (lazy.AT_INFINITY, *theorem_7.part_1(problem.network.depth))
    for theorem in (STATEMENTS[name] for name in ORDER[problem.task]):
        failed = [h for h in failures(theorem.hypotheses(problem)) if h.name not in spared]
        if theorem.limit is not None and not failed:
            return theorem
    return choose(problem)


def predict(
    problem: Problem, digits: int | None = None, *, theorem: str | None = None, outside: bool = False
) -> Prediction:
    """Return where gradient flow ends, by the first statement that applies or the one named.

    Parameters
    ----------
    problem : Regression or Classification, with an initialization
    digits : int, optional
        Correct decimal digits of the numbers returned (mpmath.mpf in object arrays); float64 when None.
    theorem : str, optional
        A statement by name, e.g. "theorem_5", "corollary_6".
    outside : bool
        Accept a closed form although a hypothesis fails; the prediction then has ``applies`` False.

    Returns
    -------
    Prediction
        ``coefficients`` and what else the statement gives; every one of its ``residuals`` holds.

    Raises
    ------
    HypothesisFails
        No statement applies; says which hypothesis fails and by how much.
    NotConverged
        A residual missed its tolerance.

    Accuracy
    --------
    Every prediction carries residuals computed another way than the number itself: within 1e-12 in float64 (or what the
    statement's own docstring says), within 10^(1-digits) otherwise.

    Source
    ------
    arXiv:2010.02501v3, the statement named in ``prediction.statement``; beyond the paper, its ``place``.

    Examples
    --------
    >>> import symbias as sb
    >>> net = sb.Diagonal(dim=2, depth=4)
    >>> problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha=1, eta=1))
    >>> import mpmath  # shows an mpf to mpmath's own precision, nstr to as many digits as it is told
    >>> [mpmath.nstr(z, 18) for z in sb.predict(problem, digits=18).coefficients]
    ['0.173613752137595645', '0.413193123931202177']
    """
    require_problem(problem)
    valid_digits(digits)
    if theorem is not None:
        return statement(theorem).predict(problem, digits, outside)
    prediction = choose(problem).predict(problem, digits, outside)
    said = f"the first statement that applies of {', '.join(ORDER[problem.task])}"
    return replace(prediction, notes=(*prediction.notes, said))


def limit(problem: Problem, alpha, digits: int | None = None, *, theorem: str | None = None) -> Prediction:
    """Return the limit of the predicted end of gradient flow as alpha -> 0 or alpha -> oo.

    Parameters
    ----------
    problem : Regression
        The alpha of its initialization plays no role.
    alpha : 0, sympy.oo or float("inf")
    digits, theorem : as for :func:`predict`

    Returns
    -------
    Prediction
        With ``alpha`` 0 or oo.

    Raises
    ------
    BadInput
        Another alpha (call ``sb.predict``), or a statement without a limit in alpha.
    HypothesisFails, NotConverged

    Accuracy
    --------
    As for :func:`predict`. The l1 limits of exact data are decided in exact arithmetic.

    Source
    ------
    arXiv:2010.02501v3, Theorems 5 and 7 and Corollaries 5 to 7; derivations/general_initialization_ends.py;
    ``prediction.statement`` says which.

    Examples
    --------
    >>> import symbias as sb
    >>> net = sb.Diagonal(dim=2, depth=3)
    >>> problem = sb.Regression(net, [[2, "2.5"]], [1], sb.Initialization.theorem_5(net, alpha=1, eta=[2, 1]))
    >>> sb.limit(problem, alpha=0).coefficients
    array([0.5, 0. ])
    """
    require_problem(problem)
    valid_digits(digits)
    chosen = choose_limit(problem) if theorem is None else statement(theorem)
    if chosen.limit is None:
        raise BadInput(f"{chosen.statement.title} states no limit in alpha")
    return chosen.limit(problem, alpha, digits)


__all__ = [
    "ORDER",
    "STATEMENTS",
    "Hypothesis",
    "Prediction",
    "Statement",
    "Theorem",
    "choose",
    "limit",
    "predict",
    "statement",
]

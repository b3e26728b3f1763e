"""Limit checks: a claimed limit against a sequence in high precision, with the order of convergence that was predicted.

On points eps_k = q^k eps_0 the values v_k = v_0 + c eps_k^p + .. give, without the claim, an extrapolated limit and an
order p, each with an error read off its own table. The verdict compares them with the claim in units of these errors,
and is undecided while the way left to the end is longer than the way seen.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import sympy

from symbias.checks.flow import network_limit
from symbias.checks.judge import GUARD, NOTHING, judge
from symbias.checks.limit_record import LimitCheck, in_context
from symbias.checks.orders import predicted_order
from symbias.errors import BadInput, HypothesisFails
from symbias.precision import adopt, context
from symbias.problem import Problem, require_problem
from symbias.theorems import STATEMENTS, limit, predict, statement, theorem_7
from symbias.theorems.prediction import Prediction
from symbias.theorems.tangent import tangent

#: Points and ratio of the sequence: closed forms reach eight decades, flows six octaves.
_CLOSED, _FLOW = (9, 10), (7, 2)


def check_limit(
    problem: Problem,
    *,
    alpha=None,
    t=None,
    digits: int = 30,
    theorem: str | None = None,
    claim: Prediction | None = None,
    order=None,
    points: int | None = None,
    progress=None,
) -> LimitCheck:
    """Check the limit alpha -> 0 or oo of the ends of gradient flow, or the limit t -> oo of the flow itself.

    Parameters
    ----------
    problem : Regression
        The sequence starts at its alpha and goes towards the end in decades (in octaves where every value is a flow).
    alpha : 0 or oo
        Of which limit; or give ``t``.
    t : oo
        The coefficients along the full flow, at equal steps of time, against the predicted end: errors go like
        e^{-lambda t}, with lambda the least eigenvalue of the tangent kernel at the end, and the order is in e^{-t}.
    digits : int
        Digits of the values, on top of those in which the errors are resolved (of a flow: at least those).
    theorem : str, optional
        The statement whose limit is claimed; the first that applies when None.
    claim : Prediction, optional
        The limit to check; ``sb.limit(problem, alpha)`` (t: ``sb.predict``) when None.
    order : number, optional
        The order to check; the statement's own when None.
    points : int, optional
        How many values.
    progress : Progress, optional

    Returns
    -------
    LimitCheck

    Raises
    ------
    BadInput, HypothesisFails, NotConverged

    Accuracy
    --------
    The extrapolated limit and the order carry their own errors; the claim must lie within four of them, and "undecided"
    is said where the sequence is too short to tell.

    Source
    ------
    The limits of arXiv:2010.02501v3, Theorems 5 and 7; the orders are derived in derivations/expansions.py and
    derivations/general_initialization_ends.py.

    Examples
    --------
    >>> import symbias as sb
    >>> net = sb.Diagonal(dim=2, depth=3)
    >>> problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha=1, eta=1))
    >>> found = sb.check_limit(problem, alpha=0)
    >>> found.verdict, found.predicted_order, round(float(found.order), 6)
    ('holds', 3, 3.0)
    """
    require_problem(problem)
    if (alpha is None) == (t is None):
        raise BadInput("give the end to check: alpha=0, alpha=oo or t=oo")
    if t is not None:
        return _in_time(problem, t, digits, theorem, claim, order, points or 8, progress)
    end = sympy.sympify(alpha)
    if end not in (0, sympy.oo):
        raise BadInput(f"a limit in alpha is at 0 or oo, not at {alpha}")
    given = claim
    claim = claim or limit(problem, end, digits=digits, theorem=theorem)
    own = predicted_order(problem, claim)
    expected = own if order is None else order
    closed = _closed(problem, claim)
    count, ratio = _CLOSED if closed else _FLOW
    count = points or count
    # 1/alpha^order (or alpha^order) at the last point: the digits in which its error begins
    depth = problem.network.depth
    decades = (count - 1) * float(np.log10(ratio)) + abs(problem.start().log_alpha()) / np.log(10)
    needed = GUARD + int(np.ceil(float(own or 2 * depth) * decades))
    asked = digits + needed if closed else max(digits, needed)  # every value of a flow costs: no digits on top
    if given is None:
        claim = limit(problem, end, digits=asked, theorem=claim.statement.id)
    step = sympy.Rational(1, ratio) if end == 0 else sympy.Integer(ratio)

    def value(number, accuracy: int):
        start = replace(problem.start(), alpha=number)
        return _end(replace(problem, initialization=start), claim, accuracy, progress)

    found = check_sequence(
        value,
        claim.coefficients,
        expected,
        start=problem.start().alpha,
        ratio=step,
        points=count,
        digits=asked,
        claimed_digits=15 if claim.digits is None else claim.digits,
    )
    if found.note == NOTHING and claim.statement.id == "theorem_7" and theorem_7.stays_in_the_row_space(problem):
        return replace(found, note=theorem_7.NOTHING)
    return found


def _closed(problem: Problem, claim: Prediction) -> bool:
    """True when the values come from closed forms or minima, False when each is a flow."""
    if claim.statement.id == "theorem_7":
        return problem.network.depth == 2 and problem.samples == 1
    if claim.statement.id != "lazy":
        return True
    try:
        return predict(problem).statement.id != "theorem_7"
    except HypothesisFails:
        return False


def _end(problem: Problem, claim: Prediction, digits: int, progress):
    """The end of the network's flow at the problem's own alpha."""
    name = claim.statement.id
    if name == "theorem_7" or name not in STATEMENTS:
        return predict(problem, digits, theorem="theorem_7", outside=True).coefficients
    if name != "lazy":
        return statement(name).predict(problem, digits, True).coefficients
    try:
        return predict(problem, digits).coefficients
    except HypothesisFails:
        return network_limit(problem, digits, progress).beta


def _in_time(problem, t, digits, theorem, claim, order, points, progress) -> LimitCheck:
    """beta(t) at equal steps over the second half of the time the flow takes to ``digits`` / 2 digits."""
    from symbias.simulate import simulate

    if sympy.sympify(t) != sympy.oo:
        raise BadInput(f"a limit in time is at oo, not at {t}")
    claim = claim or predict(problem, digits=digits + GUARD, theorem=theorem)
    flow = network_limit(problem, digits, progress)
    ctx = context(digits + 20)
    blocks = [
        np.array([adopt(ctx, b) for b in block.ravel()], dtype=object).reshape(block.shape) for block in flow.blocks
    ]
    ended = replace(problem, initialization=replace(problem.start(), alpha=1, directions=blocks))
    K = tangent(ended, ctx).kernel
    slowest = min(ctx.eigsy(ctx.matrix(K.tolist()), eigvals_only=True))
    last = float(flow.time)
    times = [last * (0.5 + 0.5 * k / (points - 1)) for k in range(points)]
    path = simulate(problem, digits=digits + GUARD, times=times)
    values = [path.coefficients[k + 1] for k in range(points)]
    logs = [-ctx.mpf(moment) for moment in times]
    expected = slowest if order is None else order
    return judge(ctx, times, logs, values, claim.coefficients, expected, -digits - 5, -(claim.digits or 15))


def check_sequence(
    function: Callable,
    limit: Any,
    order=None,
    *,
    start,
    ratio,
    end=None,
    points: int = 9,
    digits: int = 40,
    claimed_digits: int | None = None,
) -> LimitCheck:
    """Check that function(x, digits) tends to ``limit`` along x = start ratio^k, or x = end + (start - end) ratio^k.

    Parameters
    ----------
    function : callable (exact number, digits) -> number or array, correct to that many digits
    limit : number or array, the claim (SymPy numbers are evaluated)
    order : number, optional
        p with errors like |x - end|^p (x -> oo: like x^{-p}); positive.
    start, ratio : exact numbers; ratio > 1 goes to oo, ratio < 1 to ``end`` (0 when None)
    points : int
    digits : int
        Must resolve the last error.
    claimed_digits : int, optional
        Correct digits of ``limit``; as many as the values have when None.

    Examples
    --------
    >>> import sympy, symbias as sb
    >>> from symbias.checks.limits import check_sequence
    >>> from symbias.functions import h_inverse
    >>> y = sympy.Symbol("y", real=True)
    >>> f = lambda x, digits: sb.lower(h_inverse(3, y), y, digits=digits)(x)
    >>> check_sequence(f, sympy.pi / 2, sympy.Rational(1, 3), start=10, ratio=10, points=12).verdict
    'holds'
    """
    began = time.perf_counter()
    ctx = context(digits + GUARD)
    start, ratio = sympy.sympify(start), sympy.sympify(ratio)
    away = start if end is None else start - sympy.sympify(end)
    numbers = [(0 if end is None else sympy.sympify(end)) + away * ratio**k for k in range(points)]
    values = [np.atleast_1d(np.asarray(function(x, digits), dtype=object)) for x in numbers]
    direction = 1 if ratio < 1 else -1
    logs = [direction * in_context(ctx, sympy.log(abs(away) * ratio**k)) for k in range(points)]
    claimed = np.atleast_1d(np.asarray(limit, dtype=object))
    found = judge(ctx, numbers, logs, values, claimed, order, -digits, -(claimed_digits or digits))
    return replace(found, seconds=time.perf_counter() - began)

"""Limit checks: a claimed limit against a sequence in high precision, with the order of convergence that was predicted.

On points eps_k = q^k eps_0 the values v_k = v_0 + c eps_k^p + .. give, without the claim, an extrapolated limit and an
order p, each with an error read off its own table. The verdict compares them with the claim in units of these errors,
and is undecided while the way left to the end is longer than the way seen.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy

from symbias.checks.flow import network_limit
from symbias.checks.orders import predicted_order
from symbias.errors import BadInput, HypothesisFails
from symbias.numeric.extrapolate import extrapolate
from symbias.precision import adopt, context, public
from symbias.problem import Problem
from symbias.theorems import STATEMENTS, limit, predict, statement, theorem_7
from symbias.theorems.prediction import Prediction
from symbias.theorems.tangent import tangent
from symbias.verdict import Result, short

#: How many of its own error estimates a limit or an order may be away from the claim.
_TIMES = 4
#: Points and ratio of the sequence: closed forms reach eight decades, flows six octaves.
_CLOSED, _FLOW = (9, 10), (7, 2)
#: Digits beyond those in which the last error is resolved.
_GUARD = 10
_NOTHING = "every value is the limit itself, at every point: this sequence checks nothing"


@dataclass(frozen=True, eq=False)
class LimitCheck(Result):
    """What a limit check found.

    points : the parameter (alpha, t, ..) at each step; values : the coefficients there; errors : their largest
    distance to ``limit``
    limit : the claim; extrapolated, extrapolation_error : the limit of the values themselves, and how far it may be off
    order, order_error : of convergence, observed without the claim; predicted_order : the claim, None when there is
    none
    orders : the order seen between each three neighbours; verdict : "holds", "fails" or "undecided"; digits : to which
    the extrapolated limit and the claim agree
    """

    verdict: str
    points: Any
    values: Any
    errors: Any
    limit: Any
    extrapolated: Any
    extrapolation_error: Any
    order: Any
    order_error: Any
    predicted_order: Any
    orders: Any
    digits: float
    note: str = ""

    def __str__(self) -> str:
        lines = [f"{self.verdict}: {self.note}" if self.note else self.verdict]
        lines += [f"  at {short(p)}: error {short(e)}" for p, e in zip(self.points, self.errors, strict=True)]
        if self.order is not None:
            claim = "none claimed" if self.predicted_order is None else f"predicted {short(self.predicted_order)}"
            lines.append(f"  order {short(self.order)} +- {short(self.order_error)} ({claim})")
            lines.append(
                f"  extrapolated limit and claim: {self.digits:.1f} digits (+- {short(self.extrapolation_error)})"
            )
        return "\n".join(lines)

    __repr__ = __str__

    def columns(self) -> dict[str, list]:
        """One row a point: where, the values there, and their distance to the limit."""
        values = self.values.reshape(len(self.points), -1)
        named = {f"value_{j + 1}": list(values[:, j]) for j in range(values.shape[1])}
        return {"point": list(self.points), "error": list(self.errors), **named}

    def to_latex(self) -> str:
        return rf"\text{{{self.verdict}}} &: {self.digits:.1f} \text{{ digits, order }} {self.order}"


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
        Digits of the values, on top of those in which the errors are resolved.
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

    Examples
    --------
    >>> import symbias as sb
    >>> net = sb.Diagonal(dim=2, depth=3)
    >>> problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha=1, eta=1))
    >>> found = sb.check_limit(problem, alpha=0)
    >>> found.verdict, found.predicted_order, round(float(found.order), 6)
    ('holds', 3, 3.0)
    """
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
    asked = digits + _GUARD + int(np.ceil(float(own or 2 * depth) * decades)) if closed else digits
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
    if found.note == _NOTHING and claim.statement.id == "theorem_7" and theorem_7.stays_in_the_row_space(problem):
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
    claim = claim or predict(problem, digits=digits + _GUARD, theorem=theorem)
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
    path = simulate(problem, digits=digits + _GUARD, times=times)
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
    ctx = context(digits + _GUARD)
    start, ratio = sympy.sympify(start), sympy.sympify(ratio)
    away = start if end is None else start - sympy.sympify(end)
    numbers = [(0 if end is None else sympy.sympify(end)) + away * ratio**k for k in range(points)]
    values = [np.atleast_1d(np.asarray(function(x, digits), dtype=object)) for x in numbers]
    direction = 1 if ratio < 1 else -1
    logs = [direction * _in(ctx, sympy.log(abs(away) * ratio**k)) for k in range(points)]
    claimed = np.atleast_1d(np.asarray(limit, dtype=object))
    found = judge(ctx, numbers, logs, values, claimed, order, -digits, -(claimed_digits or digits))
    return replace(found, seconds=time.perf_counter() - began)


def judge(
    ctx, points: Sequence, logs: Sequence, values: Sequence, claimed, predicted, noise=None, own=None
) -> LimitCheck:
    """Compare a sequence with the claimed limit and order.

    Parameters
    ----------
    ctx : mpmath context
    points : the parameter, for the record; logs : log eps at each, evenly spaced and decreasing
    values : arrays; claimed : array; predicted : order in eps, or None
    noise, own : power of ten of the relative rounding of the values, and of the claim
    """
    rows = np.array([[_in(ctx, entry) for entry in value.ravel()] for value in values], dtype=object)
    target = np.array([_in(ctx, entry) for entry in np.asarray(claimed, dtype=object).ravel()], dtype=object)
    size = max(np.abs(rows).max(), np.abs(target).max()) or ctx.one
    rounding = size * ctx.mpf(10) ** (_GUARD - ctx.dps if noise is None else noise)
    slack = rounding if own is None else size * ctx.mpf(10) ** own
    errors = [np.abs(row - target).max() for row in rows]
    record = {
        "points": tuple(points),
        "values": rows,
        "errors": np.array(errors, dtype=object),
        "limit": target,
        "predicted_order": predicted,
    }
    steps = [np.abs(b - a).max() for a, b in zip(rows, rows[1:], strict=False)]
    if max(steps) <= rounding:
        right = errors[-1] <= 4 * max(rounding, slack)
        nothing = {
            "extrapolated": rows[-1],
            "extrapolation_error": rounding,
            "order": None,
            "order_error": None,
            "orders": (),
        }
        note = _NOTHING if right else "the values do not move, and they are not the limit"
        verdict = "undecided" if right else "fails"
        return _public(
            ctx, LimitCheck(verdict=verdict, digits=_digits(ctx, errors[-1], size), note=note, **record, **nothing)
        )
    lead = int(np.argmax(np.abs(rows[-1] - rows[-2])))
    orders = _orders(ctx, rows[:, lead], logs[0] - logs[1], rounding)
    ends = [extrapolate(list(column), rounding) for column in rows.T]
    extrapolated = np.array([value for value, _ in ends], dtype=object)
    off = np.array([error for _, error in ends], dtype=object)
    order, order_error = _extrapolated_order(ctx, orders)
    verdict, note = _settled(ctx, rows[:, lead], orders, logs[0] - logs[1])
    if not verdict:
        verdict, note = _verdict(ctx, rows, extrapolated, off, target, order, order_error, predicted, slack)
    away = np.abs(extrapolated - target).max()
    found = LimitCheck(
        verdict=verdict,
        extrapolated=extrapolated,
        extrapolation_error=off.max(),
        order=order,
        order_error=order_error,
        orders=tuple(orders),
        digits=_digits(ctx, max(away, off.max()), size),
        note=note,
        **record,
    )
    return _public(ctx, found)


def _orders(ctx, column, step, rounding) -> list:
    """log(|v_{k+1} - v_k| / |v_{k+2} - v_{k+1}|) / log(1/q): the order between three neighbours, no claim needed."""
    moves = [abs(b - a) for a, b in zip(column, column[1:], strict=False)]
    pairs = zip(moves, moves[1:], strict=False)
    return [ctx.log(a / b) / step for a, b in pairs if a > rounding and b > 1000 * rounding]


def _extrapolated_order(ctx, orders) -> tuple[Any, Any]:
    """The limit of the orders with its error; (None, None) from fewer than three."""
    if len(orders) < 3:
        return (None, None)
    return extrapolate(orders, ctx.mpf(10) ** (-ctx.dps // 3))


def _settled(ctx, column, orders, step) -> tuple[str, str]:
    """Undecided, with the reason, unless the sequence shows a power of eps and most of the way to its end."""
    if len(orders) < 3:
        return (
            "undecided",
            "too few values are above their rounding to see an order: ask for more digits or start earlier",
        )
    later = orders[len(orders) // 2 :]
    if later[-1] <= 0 or _TIMES * (max(later) - min(later)) > later[-1]:
        return "undecided", "the order still changes from step to step: start closer to the end, or take more points"
    moves = [abs(b - a) for a, b in zip(column, column[1:], strict=False)]
    # the geometric series of the steps still to come, at the order last seen
    if moves[len(orders)] / ctx.expm1(later[-1] * step) > abs(column[len(orders) + 1] - column[0]):
        return "undecided", "the way left to the limit is longer than the way seen: the end is not in sight"
    return "", ""


def _verdict(ctx, rows, extrapolated, off, target, order, order_error, predicted, slack) -> tuple[str, str]:
    """What a settled sequence says of the limit and of the order."""
    last = np.abs(rows[-1] - rows[-2])
    if (off > np.maximum(last, 4 * slack)).any():
        return "undecided", "the extrapolation does not settle: its error is larger than the last step"
    apart = np.abs(extrapolated - target)
    if (apart > _TIMES * off + 4 * slack).any():
        return "fails", "the values tend to another limit"
    if predicted is None:
        return "holds", "no order was predicted: only the limit is checked"
    claim = _in(ctx, sympy.sympify(predicted))
    # A predicted order given as a float is off by its own rounding.
    own = abs(claim) * (np.finfo(float).eps if isinstance(predicted, float) else ctx.mpf(10) ** -40)
    if abs(order - claim) > _TIMES * order_error + own:
        return "fails", "the values tend to the limit with another order"
    if 2 * _TIMES * order_error > claim:
        return "undecided", "the order is seen too roughly to tell it from twice or half of it"
    return "holds", ""


def _digits(ctx, error, size) -> float:
    return float(-ctx.log10(error / size)) if error else float(ctx.dps)


def _in(ctx, value):
    """Any number in the context."""
    if isinstance(value, (int, np.integer)):
        return ctx.mpf(int(value))
    if isinstance(value, sympy.Basic):
        return adopt(ctx, sympy.N(value, ctx.dps + 5)._to_mpmath(ctx.prec + 10))
    return adopt(ctx, value)


def _public(ctx, found: LimitCheck) -> LimitCheck:
    """Round the record to global-class numbers once."""

    def rounded(value):
        if value is None or isinstance(value, (str, int, float)):
            return value
        if isinstance(value, np.ndarray):
            return public(value, ctx.dps)
        if isinstance(value, tuple):
            return tuple(rounded(entry) for entry in value)
        return public(_in(ctx, value), ctx.dps)

    names = (
        "points",
        "values",
        "errors",
        "limit",
        "extrapolated",
        "extrapolation_error",
        "order",
        "order_error",
        "orders",
    )
    made = {name: rounded(getattr(found, name)) for name in names}
    return replace(found, **made, predicted_order=_plain(found.predicted_order))


def _plain(order):
    """An order as an int where it is one, else a global-class mpf or what was given."""
    if order is None or isinstance(order, (int, float)):
        return order
    if isinstance(order, sympy.Basic):
        return int(order) if order.is_Integer else public(adopt(context(30), sympy.N(order, 30)._to_mpmath(120)), 25)
    return int(order) if order == int(order) else public(order, 25)

"""A sequence against a claimed limit and order: holds, fails or undecided, in units of errors that the sequence itself
shows.

On points eps_k = q^k eps_0 the values v_k = v_0 + c eps_k^p + .. give, without the claim, an extrapolated limit and an
order p, each with an error read off its own table. The verdict is undecided while the way left to the end is longer
than the way seen.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy

from symbias.checks.limit_record import LimitCheck, in_context, rounded_record
from symbias.numeric.extrapolate import extrapolate

#: How many of its own error estimates a limit or an order may be away from the claim.
_TIMES = 4
#: Digits beyond those in which the last error is resolved.
GUARD = 10
NOTHING = "every value is the limit itself, at every point: this sequence checks nothing"


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
    rows = np.array([[in_context(ctx, entry) for entry in value.ravel()] for value in values], dtype=object)
    target = np.array([in_context(ctx, entry) for entry in np.asarray(claimed, dtype=object).ravel()], dtype=object)
    size = max(np.abs(rows).max(), np.abs(target).max()) or ctx.one
    rounding = size * ctx.mpf(10) ** (GUARD - ctx.dps if noise is None else noise)
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
        note = NOTHING if right else "the values do not move, and they are not the limit"
        verdict = "undecided" if right else "fails"
        return rounded_record(
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
    return rounded_record(ctx, found)


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
    claim = in_context(ctx, sympy.sympify(predicted))
    # A predicted order given as a float is off by its own rounding.
    own = abs(claim) * (np.finfo(float).eps if isinstance(predicted, float) else ctx.mpf(10) ** -40)
    if abs(order - claim) > _TIMES * order_error + own:
        return "fails", "the values tend to the limit with another order"
    if 2 * _TIMES * order_error > claim:
        return "undecided", "the order is seen too roughly to tell it from twice or half of it"
    return "holds", ""


def _digits(ctx, error, size) -> float:
    return float(-ctx.log10(error / size)) if error else float(ctx.dps)

"""What a limit check found, as a record that prints and survives JSON."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy

from symbias.precision import adopt, context, public
from symbias.verdict import Result, short


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


def rounded_record(ctx, found: LimitCheck) -> LimitCheck:
    """Round the record to global-class numbers once."""

    def rounded(value):
        if value is None or isinstance(value, (str, int, float)):
            return value
        if isinstance(value, np.ndarray):
            return public(value, ctx.dps)
        if isinstance(value, tuple):
            return tuple(rounded(entry) for entry in value)
        return public(in_context(ctx, value), ctx.dps)

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


def in_context(ctx, value):
    """Any number in the context."""
    if isinstance(value, (int, np.integer)):
        return ctx.mpf(int(value))
    if isinstance(value, sympy.Basic):
        return adopt(ctx, sympy.N(value, ctx.dps + 5)._to_mpmath(ctx.prec + 10))
    return adopt(ctx, value)

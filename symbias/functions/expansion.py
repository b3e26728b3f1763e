"""The record of an expansion: the terms kept, the first term left out, and its order."""

from dataclasses import dataclass

import sympy

from symbias.errors import BadInput
from symbias.functions.series import Terms
from symbias.verdict import Result


@dataclass(frozen=True, eq=False)
class Expansion(Result):
    """``function = sum + next + ...`` as ``variable`` goes to ``goal``.

    ``next`` is the first term left out and not zero; it is of order ``order`` in ``gauge`` (variable, goal -
    variable, ...), which is what a check of the limit compares its observed order with.
    """

    function: sympy.Expr
    sum: sympy.Expr
    next: sympy.Expr
    order: sympy.Expr
    gauge: sympy.Expr
    variable: sympy.Expr
    goal: sympy.Expr

    def to_latex(self) -> str:
        limit = rf"\quad {sympy.latex(self.variable)} \to {sympy.latex(self.goal)}"
        gauge = sympy.latex(self.gauge) if self.gauge.is_Symbol else rf"\left({sympy.latex(self.gauge)}\right)"
        rest = rf"O\!\left({gauge}^{{{sympy.latex(self.order)}}}\right)"
        return f"{sympy.latex(self.function)} &= {sympy.latex(self.sum)} + {rest}, {limit}"


def check_terms(terms, door: str) -> None:
    if isinstance(terms, bool) or not isinstance(terms, int) or terms < 1:
        raise BadInput(f"{door} needs a number of terms >= 1, not {terms!r}")


def expansion(function, head, powers: Terms, terms: int, gauge, variable, goal) -> Expansion:
    inside = terms - (head != 0)
    order, left_out = powers[inside]
    total = sum((term for _, term in powers[:inside]), head)
    return Expansion(function, total, left_out, sympy.expand(order), gauge, variable, goal)

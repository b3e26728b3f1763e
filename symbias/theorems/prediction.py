"""A prediction: where gradient flow ends according to one statement, with the hypotheses and residuals that admit
it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from symbias import exact
from symbias.theorems.statement import Hypothesis, Statement
from symbias.verdict import Residual, Result, require, short


@dataclass(frozen=True, eq=False)
class Prediction(Result):
    """Where gradient flow ends. A field that the statement does not give is None.

    coefficients : array; beta at the limit (classification: scaled to margin 1)
    blocks : tuple of arrays; the parameters v_l at the limit
    direction : array; the unit vector that beta converges to (classification)
    potential : number; the value of Q at the limit
    singular_values : array; rho at the limit, beta = S^T rho (Theorems 3 and 6: rho in the coordinates of the SVD)
    multipliers : array; mu_i >= 0 of the margin problem (classification), positive on the support vectors
    finite : array; what the coordinates of rho tend to as the loss goes to 0, infinite for those that grow
    statement, hypotheses, residuals; applies : False when a closed form was asked for outside its hypotheses
    alpha : the scale, or 0 or oo for a limit; digits : correct decimal digits, None for float64
    """

    statement: Statement
    hypotheses: tuple[Hypothesis, ...]
    residuals: tuple[Residual, ...]
    alpha: Any
    coefficients: Any = None
    blocks: Any = None
    direction: Any = None
    potential: Any = None
    singular_values: Any = None
    multipliers: Any = None
    finite: Any = None
    digits: int | None = None
    applies: bool = True
    notes: tuple[str, ...] = ()

    def __post_init__(self):
        require(self.residuals, self.statement.title)

    @property
    def source(self) -> tuple[str, ...]:
        return self.statement.source

    def columns(self) -> dict[str, list[Any]]:
        """One row a coefficient (of matrices: row by row), with the direction where there is one."""
        given = {name: getattr(self, name) for name in ("coefficients", "direction")}
        return {name: list(value.ravel()) for name, value in given.items() if value is not None}

    def to_latex(self) -> str:
        value = self.coefficients if self.coefficients is not None else self.direction
        rows = sympy.latex(sympy.Matrix(_shown(value, self.digits)))
        limit = rf"\lim_{{\alpha \to {sympy.latex(self.alpha)}}} " if self.alpha in (0, sympy.oo) else ""
        return rf"\text{{{self.statement.title}}} &: {limit}\beta(\infty) = {rows}"

    def __repr__(self) -> str:
        lines = [
            self.statement.title
            + ("" if self.applies else " (outside its hypotheses)")
            + f", alpha = {exact.shown(self.alpha)}"
        ]
        for name in ("coefficients", "direction"):
            value = getattr(self, name)
            if value is not None:
                shown = _shown(value, self.digits)
                lines += [f"  {name}"] + [f"    {entry}" for entry in shown[:12]]
                lines += [f"    ... {len(shown) - 12} more"] * (len(shown) > 12)
        if self.potential is not None:
            lines.append(f"  potential  {short(self.potential)}")
        if self.multipliers is not None:
            support = [i for i, mu in enumerate(self.multipliers) if mu > 0]
            lines.append(f"  support vectors  {', '.join(f'x[{i}]' for i in support)}")
        lines += [f"  {residual}" for residual in self.residuals]
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)


def _shown(value: np.ndarray, digits: int | None) -> list[str]:
    """The entries as text, each with its own digits."""
    from mpmath.libmp import to_str

    flat = value.ravel()
    if digits is None:
        return [repr(float(entry)) for entry in flat]
    return [to_str(entry._mpf_, digits) for entry in flat]

"""What the report records: one finding a statement, one case a network on the real data."""

from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np

from symbias.checks.limits import LimitCheck
from symbias.theorems.prediction import Prediction
from symbias.theorems.statement import Hypothesis, Statement
from symbias.verdict import Outcome, Result, short

#: Worst first: the verdict of several is the first of these that any has.
VERDICTS = ("fails", "undecided", "holds")


def worst(verdicts) -> str:
    """The verdict of several taken together; undecided when there is none."""
    seen = list(verdicts)
    return next((verdict for verdict in VERDICTS if verdict in seen), "undecided")


@dataclass(frozen=True, eq=False)
class Finding(Result):
    """One statement on one example: its hypotheses, what it predicts, and what the checks say.

    ``verdict`` is the worst of ``outcome`` and ``limits``; "undecided", with the reason in ``note``, where a check
    could not be made.
    """

    statement: Statement
    setting: str
    verdict: str
    hypotheses: tuple[Hypothesis, ...] = ()
    prediction: Prediction | None = None
    outcome: Outcome | None = None
    limits: tuple[LimitCheck, ...] = ()
    note: str = ""

    @property
    def digits(self) -> str:
        """The digits agreed, rounded down; a dash where no check was made."""
        return "-" if self.outcome is None else str(int(self.outcome.digits))

    @property
    def orders(self) -> str:
        """The observed orders of the limits, each with the predicted one."""
        return "; ".join(order_line(found) for found in self.limits if found.order is not None) or "-"

    def to_latex(self) -> str:
        return self.statement.to_latex()


@dataclass(frozen=True, eq=False)
class DataCase(Result):
    """One network on the real data: coefficients by name (rows) and scale (columns), and the check at one scale."""

    title: str
    names: tuple[str, ...]
    heads: tuple[str, ...]
    values: Any
    outcome: Outcome
    note: str = ""

    def to_latex(self) -> str:
        return rf"\text{{{self.title}}} &: {self.outcome.digits:.1f} \text{{ digits}}"


@dataclass(frozen=True, eq=False)
class Report(Result):
    """The whole paper, checked. ``missing``: the titles of what an interrupt left out."""

    digits: int
    quick: bool
    findings: tuple[Finding, ...]
    data: tuple[DataCase, ...]
    missing: tuple[str, ...] = ()
    interrupted: bool = False
    version: str = ""

    @property
    def verdict(self) -> str:
        """The worst verdict of all that was reached."""
        return worst([*(f.verdict for f in self.findings), *(c.outcome.verdict for c in self.data)])

    def columns(self) -> dict[str, list]:
        """One row a statement."""
        return {
            "statement": [f.statement.id for f in self.findings],
            "verdict": [f.verdict for f in self.findings],
            "digits": [None if f.outcome is None else f.outcome.digits for f in self.findings],
            "orders": [f.orders for f in self.findings],
            "seconds": [f.seconds for f in self.findings],
        }

    def to_latex(self) -> str:
        return r" \\ ".join(finding.to_latex() for finding in self.findings)

    def __repr__(self) -> str:
        from symbias.report.text import summary

        return summary(self)


def order_line(found: LimitCheck) -> str:
    """An observed order with its error and the predicted one."""
    seen = f"{mpmath.nstr(mpmath.mpf(found.order), 5)}"
    return seen if found.predicted_order is None else f"{seen} ({mpmath.nstr(mpmath.mpf(found.predicted_order), 5)})"


def margin(hypothesis: Hypothesis) -> str:
    """The margin in three digits, zero without a sign; nothing where there is none."""
    return "" if hypothesis.margin is None else short(hypothesis.margin + 0)


def entries(values: Any, digits: int | None) -> list[str]:
    """The entries of an array as text, each to ``digits`` digits (float64: to 17)."""
    flat = np.asarray(values, dtype=object).ravel()
    return [repr(float(v)) if digits is None else mpmath.nstr(mpmath.mpmathify(v), digits) for v in flat]

"""What a statement of the paper is: its number, its words, its assumptions, and how a hypothesis is reported."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbias.errors import HypothesisFails
from symbias.verdict import Result, short


@dataclass(frozen=True, eq=False)
class Statement(Result):
    """The declarative record of one statement: ``id`` is the name of its module."""

    id: str
    title: str
    text: str
    assumptions: tuple[str, ...]
    formula: str
    sources: tuple[str, ...] = ("yun2021",)
    place: str = ""

    @property
    def source(self) -> tuple[str, ...]:
        return self.sources

    def to_latex(self) -> str:
        return rf"\text{{{self.title}}} &: {self.formula}"

    def __repr__(self) -> str:
        return f"{self.title}: {self.text}"


@dataclass(frozen=True, eq=False)
class Hypothesis(Result):
    """One hypothesis, checked: ``margin`` is how far inside (positive) or outside (negative) it lies; 0 is on the
    edge.
    """

    name: str
    holds: bool
    margin: Any
    detail: str = ""
    remedy: str = ""

    def __post_init__(self):
        for name in ("holds", "margin"):  # a NumPy scalar would print, and read back, as something else
            if isinstance(getattr(self, name), np.generic):
                object.__setattr__(self, name, getattr(self, name).item())

    def __str__(self) -> str:
        mark = "yes" if self.holds else "NO "
        margin = "" if self.margin is None else f" (margin {short(self.margin)})"
        tail = f": {self.detail}" if self.detail else ""
        return f"{mark} {self.name}{margin}{tail}" + (f"; {self.remedy}" if self.remedy and not self.holds else "")

    def to_latex(self) -> str:
        return rf"\text{{{self.name}}} &: \text{{{'holds' if self.holds else 'fails'}}}"


def failures(hypotheses) -> list[Hypothesis]:
    """The hypotheses that do not hold."""
    return [h for h in hypotheses if not h.holds]


@dataclass(frozen=True)
class Theorem:
    """A statement with what can be done with it: check its hypotheses, predict, take a limit in alpha, derive."""

    statement: Statement
    hypotheses: Callable[..., tuple[Hypothesis, ...]]
    predict: Callable[..., Any]
    limit: Callable[..., Any] | None = None
    derive: Callable[..., Any] | None = None

    @property
    def id(self) -> str:
        return self.statement.id

    def require(self, problem, outside: bool = False) -> tuple[Hypothesis, ...]:
        """The hypotheses of the statement for ``problem``; raise HypothesisFails unless they hold (or ``outside``)."""
        records = self.hypotheses(problem)
        failed = failures(records)
        if failed and not outside:
            listed = "; ".join(f"{h}".removeprefix("NO ") for h in failed)
            raise HypothesisFails(f"{self.statement.title} does not apply: {listed}", records)
        return records

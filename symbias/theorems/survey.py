"""Which statements answer a problem: all of them, each with the hypotheses that fail, by how much, and what would
help.
"""

import textwrap
from dataclasses import dataclass

from symbias import formulas, theorems
from symbias.errors import NoStatement, SymbiasError
from symbias.problem import Problem, require_problem
from symbias.theorems.statement import Hypothesis, Statement, failures
from symbias.verdict import Result, short

_COLUMNS = 80
_TITLE = 24


@dataclass(frozen=True, eq=False)
class Entry(Result):
    """One statement for one problem: ``chosen`` when ``predict`` answers with it."""

    statement: Statement
    hypotheses: tuple[Hypothesis, ...]
    chosen: bool = False

    @property
    def applies(self) -> bool:
        """True when every hypothesis holds."""
        return not failures(self.hypotheses)

    @property
    def margin(self):
        """The smallest margin of the inequalities that hold strictly (those of equalities are 0); None without any."""
        margins = [h.margin for h in self.hypotheses if h.margin is not None and h.margin > 0]
        return min(margins, default=None)

    def reasons(self) -> list[str]:
        """What fails, by how much, and the remedy; the smallest margin where nothing does."""
        if self.applies:
            return [] if self.margin is None else [f"smallest margin {short(self.margin)}"]
        return [str(h).removeprefix("NO").strip() for h in failures(self.hypotheses)]

    def to_latex(self) -> str:
        return rf"\text{{{self.statement.title}}} &: \text{{{'applies' if self.applies else 'does not apply'}}}"


@dataclass(frozen=True, eq=False)
class Survey(Result):
    """All statements for one problem, in the order in which ``predict`` tries them, then the others.

    Attributes
    ----------
    entries : tuple of Entry
    order : tuple of str
        The statements that ``predict`` tries, first to last.
    """

    entries: tuple[Entry, ...]
    order: tuple[str, ...]

    @property
    def applying(self) -> tuple[str, ...]:
        """The ids of the statements that apply."""
        return tuple(e.statement.id for e in self.entries if e.applies)

    @property
    def chosen(self) -> str | None:
        """The id of the statement that ``predict`` answers with, None when there is none."""
        return next((e.statement.id for e in self.entries if e.chosen), None)

    def __getitem__(self, identity: str) -> Entry:
        return next(e for e in self.entries if e.statement.id == identity)

    def __len__(self) -> int:
        return len(self.entries)

    def columns(self) -> dict[str, list]:
        """One row a statement."""
        return {
            "statement": [entry.statement.id for entry in self.entries],
            "applies": [entry.applies for entry in self.entries],
            "chosen": [entry.chosen for entry in self.entries],
            "reasons": ["; ".join(entry.reasons()) for entry in self.entries],
        }

    def to_text(self, columns: int = _COLUMNS) -> str:
        """Return the table as text of at most ``columns`` columns."""
        lines = [f"{'statement':{_TITLE}}applies"]
        for entry in self.entries:
            mark = "yes" if entry.applies else "no"
            tail = ["predict answers with this one"] if entry.chosen else []
            first, *rest = [*tail, *entry.reasons()] or [""]
            lines += _wrapped(f"{entry.statement.title:{_TITLE}}{mark:5}{first}".rstrip(), columns)
            for reason in rest:
                lines += _wrapped(" " * (_TITLE + 5) + reason, columns)
        lines += textwrap.wrap(f"predict tries, in this order: {', '.join(self.order)}", columns)
        return "\n".join(lines)

    def to_latex(self) -> str:
        return r" \\ ".join(entry.to_latex() for entry in self.entries)

    def _repr_html_(self) -> str:
        rows = []
        for entry in self.entries:
            name = formulas.html(entry.statement.title)
            name = f"<b>{name}</b>" if entry.chosen else name
            why = "<br>".join(formulas.html(reason) for reason in entry.reasons())
            rows.append(f"<tr><td>{name}</td><td>{'yes' if entry.applies else 'no'}</td><td>{why}</td></tr>")
        head = "<tr><th>statement</th><th>applies</th><th>what fails, by how much, and what helps</th></tr>"
        order = formulas.html(", ".join(self.order))
        return f"<table>{head}{''.join(rows)}</table><p>predict tries, in this order: {order}</p>"

    def __repr__(self) -> str:
        return self.to_text()


def _wrapped(text: str, columns: int) -> list[str]:
    """The text with the continuation of its last column indented under it."""
    indent = " " * (_TITLE + 5)
    return textwrap.wrap(text, columns, subsequent_indent=indent, drop_whitespace=True, break_on_hyphens=False) or [""]


def theorems_for(problem: Problem) -> Survey:
    """Return every statement for ``problem``: whether it applies, which hypothesis fails and by how much, and what
    would help.

    Parameters
    ----------
    problem : Regression or Classification, with an initialization

    Returns
    -------
    Survey
        Prints as a table in terminal and notebook; ``survey["theorem_5"].hypotheses`` are the records with their
        margins.

    Raises
    ------
    BadInput
        The problem has no initialization.

    Source
    ------
    arXiv:2010.02501v3; each statement's record has its place.

    Examples
    --------
    >>> import symbias as sb
    >>> net = sb.Diagonal(dim=2, depth=3)
    >>> problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha=1, eta=1))
    >>> sb.theorems_for(problem).chosen
    'theorem_5'
    """
    require_problem(problem)
    problem.start()
    order = theorems.ORDER[problem.task]
    rest = [identity for identity in theorems.STATEMENTS if identity not in order]
    entries: list[Entry] = []
    for identity in (*order, *rest):
        theorem = theorems.STATEMENTS[identity]
        try:
            records = theorem.hypotheses(problem)
        except SymbiasError as error:
            name = "linear tensor network" if isinstance(error, NoStatement) else "the hypotheses can be checked"
            records = (Hypothesis(name, False, None, str(error)),)
        chosen = identity in order and not failures(records) and not any(e.chosen for e in entries)
        entries.append(Entry(theorem.statement, records, chosen))
    return Survey(tuple(entries), order)

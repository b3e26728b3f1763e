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
_TASKS = {"regression": "use sb.Regression", "classification": "use sb.Classification"}


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
        """What fails, by how much, and the remedy; the smallest margin where nothing does.

        A statement about the other task says only that.
        """
        if self.applies:
            return [] if self.margin is None else [f"smallest margin {short(self.margin)}"]
        other = next((h.name for h in failures(self.hypotheses) if h.name in _TASKS), None)
        if other is not None:
            return [f"about {other}: {_TASKS[other]}"]
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

    @property
    def refusal(self) -> str | None:
        """The reason that no statement is about this network at all, None where there is none."""
        reasons = {tuple(entry.reasons()) for entry in self.entries if not entry.applies}
        return reasons.pop()[0] if len(reasons) == 1 and not self.applying else None

    def _closing(self) -> list[str]:
        """What is said below the table."""
        if self.refusal is not None:
            return [self.refusal]
        tried = f"predict tries, in this order: {', '.join(self.order)}"
        return [tried] if self.chosen else [tried, "none applies: sb.simulate follows the flow itself to its end"]

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
            first, *rest = [*tail, *self._reasons(entry)] or [""]
            lines += _wrapped(f"{entry.statement.title:{_TITLE}}{mark:5}{first}".rstrip(), columns)
            for reason in rest:
                lines += _wrapped(" " * (_TITLE + 5) + reason, columns)
        for sentence in self._closing():
            lines += textwrap.wrap(sentence, columns)
        return "\n".join(lines)

    def _reasons(self, entry: Entry) -> list[str]:
        """The reasons in the entry's row: none where one sentence serves all rows."""
        return entry.reasons() if self.refusal is None else []

    def to_latex(self) -> str:
        return r" \\ ".join(entry.to_latex() for entry in self.entries)

    def _repr_html_(self) -> str:
        rows = []
        for entry in self.entries:
            name = formulas.html(entry.statement.title)
            name = f"<b>{name}</b>" if entry.chosen else name
            why = "<br>".join(formulas.html(reason) for reason in self._reasons(entry))
            rows.append(f"<tr><td>{name}</td><td>{'yes' if entry.applies else 'no'}</td><td>{why}</td></tr>")
        head = "<tr><th>statement</th><th>applies</th><th>what fails, by how much, and what helps</th></tr>"
        closing = "".join(f"<p>{formulas.html(sentence)}</p>" for sentence in self._closing())
        return f"<table>{head}{''.join(rows)}</table>{closing}"

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
    refused = _refused(problem)
    for identity in (*order, *rest):
        theorem = theorems.STATEMENTS[identity]
        try:
            records = theorem.hypotheses(problem) if refused is None else (refused,)
        except SymbiasError as error:
            records = (Hypothesis("the data suit the statement", False, None, str(error)),)
        chosen = identity in order and not failures(records) and not any(e.chosen for e in entries)
        entries.append(Entry(theorem.statement, records, chosen))
    return Survey(tuple(entries), order)


def _refused(problem: Problem) -> Hypothesis | None:
    """A network that no statement is about, with the reason it gives itself."""
    try:
        _ = problem.network.product
    except NoStatement as error:
        return Hypothesis("a network of the statements", False, None, str(error))
    return None

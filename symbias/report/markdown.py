"""The report as Markdown, with $$ .. $$ formulas and pictures beside it."""

from collections.abc import Iterable

from symbias.report.figures import Drawn
from symbias.report.introduction import origin
from symbias.report.record import DataCase, Finding, Report, entries, margin, order_line
from symbias.report.text import cell
from symbias.verdict import short


def page(report: Report, drawn: list[Drawn]) -> str:
    """Return the whole document."""
    lines = [
        "# Implicit bias in training linear neural networks: every statement, checked",
        "",
        f"arXiv:2010.02501v3, each statement predicted and checked to {report.digits} digits on an example by symbias "
        f"{report.version}, in {report.seconds:.0f} seconds.",
    ]
    if report.interrupted:
        lines += ["", f"The run was interrupted before: {', '.join(report.missing)}."]
    rows = [(f.statement.title, f.verdict, f.digits, f.orders, f"{f.seconds:.1f} s") for f in report.findings]
    lines += ["", *_table(("statement", "verdict", "digits", "order: observed (predicted)", "time"), rows)]
    for finding in report.findings:
        lines += _finding(finding)
    if report.data:
        lines += ["", "## Real data", "", origin()]
    for case in report.data:
        lines += _case(case)
    if drawn:
        lines += ["", "## Figures"]
    for figure in drawn:
        lines += ["", f"![{figure.name}](figures/{figure.name}.png)", "", _plain(figure.caption)]
    lines += ["", "## To cite", "", "```bibtex", report.cite(), "```", ""]
    return "\n".join(lines)


def _finding(f: Finding) -> list[str]:
    statement = f.statement
    lines = ["", f"## {statement.title}", "", f"{_plain(statement.text)} ({statement.place}).", ""]
    lines += [f"$${statement.formula}$$", "", *(f"- {_plain(a)}" for a in statement.assumptions)]
    lines += ["", f"**Example.** {_plain(f.setting)}."]
    if f.hypotheses:
        rows = [(h.name, "yes" if h.holds else "no", margin(h)) for h in f.hypotheses]
        lines += ["", *_table(("hypothesis", "holds", "margin"), rows)]
    if f.prediction is not None:
        value = f.prediction.coefficients if f.prediction.direction is None else f.prediction.direction
        lines += ["", "**Prediction** " + ("(coefficients)" if f.prediction.direction is None else "(direction)"), ""]
        lines += [f"    {entry}" for entry in entries(value, f.prediction.digits)]
    lines += ["", f"**Check: {f.verdict}**, {f.digits} digits, {f.seconds:.2f} seconds."]
    if f.outcome is not None:
        rows = [(e.name, short(e.value), short(e.tolerance)) for e in f.outcome.evidence]
        lines += ["", *_table(("residual", "value", "tolerance"), rows)]
    for found in f.limits:
        end = "0" if found.points[-1] < found.points[0] else r"\infty"
        seen = "" if found.order is None else f", order {order_line(found)}"
        lines += ["", rf"Limit $\alpha \to {end}$: {found.verdict}{seen}."]
    return lines + (["", f"{_plain(f.note)}."] if f.note else [])


def _case(case: DataCase) -> list[str]:
    rows = [(name, *map(cell, row)) for name, row in zip(case.names, case.values, strict=True)]
    checked = f"Check at alpha = 1: {case.outcome.verdict}, {int(case.outcome.digits)} digits."
    note = ["", _plain(case.note)] if case.note else []
    return ["", f"### {case.title}", *note, "", *_table(("coefficient", *case.heads), rows), "", checked]


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    heads = tuple(heads)
    lines = [heads, ("---",) * len(heads), *rows]
    return ["| " + " | ".join(_plain(each) for each in line) + " |" for line in lines]


def _plain(text: str) -> str:
    """Text in which Markdown sees no emphasis, tag or column."""
    for mark in "\\|*_<>":
        text = text.replace(mark, "\\" + mark)
    return text

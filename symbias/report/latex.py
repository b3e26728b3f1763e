"""The report as a LaTeX document that compiles as it is, with its pictures beside it."""

from collections.abc import Iterable

from symbias import formulas
from symbias.formulas import escape
from symbias.report.figures import Drawn
from symbias.report.introduction import origin
from symbias.report.record import DataCase, Finding, Report, entries, margin, order_line
from symbias.report.text import cell
from symbias.verdict import short

_TITLE = "Implicit bias in training linear neural networks: every statement, checked"


def page(report: Report, drawn: list[Drawn]) -> str:
    """Return the whole document."""
    lines = [formulas.PREAMBLE, r"\usepackage{graphicx,longtable}", r"\setlength{\parindent}{0pt}"]
    lines += [rf"\title{{{_TITLE}}}", rf"\author{{symbias {report.version}}}", r"\date{}", r"\begin{document}"]
    lines += [r"\maketitle", f"arXiv:2010.02501v3, each statement predicted and checked to {report.digits} digits."]
    if report.interrupted:
        lines.append(escape(f"The run was interrupted before: {', '.join(report.missing)}."))
    rows = [(f.statement.title, f.verdict, f.digits, f.orders, f"{f.seconds:.1f} s") for f in report.findings]
    lines += _table("lllll", ("statement", "verdict", "digits", "order: observed (predicted)", "time"), rows)
    for finding in report.findings:
        lines += _finding(finding)
    if report.data:
        lines += [r"\section*{Real data}", escape(origin())]
    for case in report.data:
        lines += _case(case)
    for figure in drawn:
        lines += [r"\begin{figure}[!ht]\centering", rf"\includegraphics[width=\linewidth]{{figures/{figure.name}.png}}"]
        lines += [rf"\par\small {escape(figure.caption)}", r"\end{figure}"]
    lines += [r"\section*{To cite}", r"\begin{verbatim}", report.cite(), r"\end{verbatim}", r"\end{document}", ""]
    return "\n".join(lines)


def _finding(f: Finding) -> list[str]:
    statement = f.statement
    lines = [rf"\section*{{{escape(statement.title)}}}", escape(f"{statement.text} ({statement.place}).")]
    lines += [formulas.display(statement.formula), r"\begin{itemize}"]
    lines += [rf"\item {escape(assumption)}" for assumption in statement.assumptions]
    lines += [r"\end{itemize}", rf"\paragraph{{Example.}} {escape(f.setting)}."]
    if f.hypotheses:
        rows = [(h.name, "yes" if h.holds else "no", margin(h)) for h in f.hypotheses]
        lines += _table("p{0.6\\linewidth}ll", ("hypothesis", "holds", "margin"), rows)
    if f.prediction is not None:
        value = f.prediction.coefficients if f.prediction.direction is None else f.prediction.direction
        name = "coefficients" if f.prediction.direction is None else "direction"
        lines += [rf"\paragraph{{Prediction ({name}).}}", r"\begin{verbatim}", *entries(value, f.prediction.digits)]
        lines += [r"\end{verbatim}"]
    lines.append(rf"\paragraph{{Check: {f.verdict}.}} {f.digits} digits, {f.seconds:.2f} seconds.")
    if f.outcome is not None:
        rows = [(e.name, short(e.value), short(e.tolerance)) for e in f.outcome.evidence]
        lines += _table("p{0.6\\linewidth}ll", ("residual", "value", "tolerance"), rows)
    for found in f.limits:
        end = "0" if found.points[-1] < found.points[0] else r"\infty"
        seen = "" if found.order is None else f", order {order_line(found)}"
        lines.append(rf"Limit $\alpha \to {end}$: {found.verdict}{seen}.\par")
    return lines + ([f"{escape(f.note)}."] if f.note else [])


def _case(case: DataCase) -> list[str]:
    rows = [(name, *map(cell, row)) for name, row in zip(case.names, case.values, strict=True)]
    lines = [rf"\subsection*{{{escape(case.title)}}}", escape(case.note)]
    lines += _table("l" + "r" * len(case.heads), ("coefficient", *case.heads), rows)
    return [*lines, f"Check at alpha = 1: {case.outcome.verdict}, {int(case.outcome.digits)} digits."]


def _table(columns: str, heads: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    lines = [" & ".join(escape(each) for each in row) + r" \\" for row in (heads, *rows)]
    return [rf"\begin{{longtable}}{{{columns}}}", lines[0] + r" \hline", *lines[1:], r"\end{longtable}"]

"""The summary of a report for a terminal, in 80 columns."""

import textwrap

from symbias.report.introduction import DERIVATION, origin
from symbias.report.record import DataCase, Report


def summary(report: Report) -> str:
    """A line a statement, then the real data."""
    lines = [f"The paper, statement by statement, to {report.digits} digits", ""]
    lines.append(f"{'statement':13}{'verdict':11}{'digits':8}{'order: observed (predicted)':40}{'s':>6}")
    for f in report.findings:
        lines.append(f"{f.statement.title:13}{f.verdict:11}{f.digits:8}{f.orders:40}{f.seconds:>6.1f}")
        if f.verdict != "holds":
            lines += textwrap.wrap(f.note or "no check was made", 80, initial_indent="  ", subsequent_indent="  ")
    if report.data:
        lines += ["", *textwrap.wrap(origin(), 80), *(f"  {line}" for line in DERIVATION)]
    for case in report.data:
        lines += ["", *case_lines(case)]
    if report.missing:
        lines += ["", *textwrap.wrap(f"interrupted before: {', '.join(report.missing)}", 80)]
    return "\n".join([*lines, ""])


def case_lines(case: DataCase) -> list[str]:
    """One network on the real data: its table and its check."""
    lines = [case.title]
    if case.note:
        lines += textwrap.wrap(case.note, 80, initial_indent="  ", subsequent_indent="  ")
    width = max(map(len, case.names))
    lines.append("  " + " " * width + "".join(f"{head:>13}" for head in case.heads))
    for name, row in zip(case.names, case.values, strict=True):
        lines.append(f"  {name:<{width}}" + "".join(f"{cell(value):>13}" for value in row))
    lines.append("  checked at alpha = 1 against the integrated flow of all parameters:")
    return lines + [f"  {line}" for line in str(case.outcome).splitlines()]


def cell(value: float) -> str:
    """A number of a table."""
    return "0" if value == 0 else f"{value:.5g}"

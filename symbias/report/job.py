"""The report on the whole paper: run it, write it, print its summary; Ctrl-C keeps what is done."""

import json
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from symbias import __version__
from symbias.errors import BadInput
from symbias.precision import valid_digits
from symbias.progress import Progress
from symbias.report import html, latex, markdown, real_data
from symbias.report.examples import EXAMPLES
from symbias.report.figures import FIGURES, Drawn, draw
from symbias.report.findings import examine
from symbias.report.record import DataCase, Finding, Report
from symbias.report.text import summary
from symbias.theorems import STATEMENTS

#: With --quick: the digits at most, the depths of Lemma 4, and how many of the networks on real data.
_QUICK_DIGITS, _QUICK_DEPTHS, _QUICK_CASES = 15, (2, 3), 1


def run(folder: Path, *, digits: int = 30, quick: bool = False, as_json: bool = False) -> int:
    """Write report.html, .md, .tex, .json and figures/ into ``folder``, print the summary, return the exit status.

    0: every check holds; 1: one fails; 3: one is undecided; 130: interrupted (what was done is written).
    """
    _folders(folder)  # before minutes of work, not after
    made, drawn = compute(digits, quick)
    write(folder, made, drawn)
    print(json.dumps(made.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) if as_json else summary(made))
    if not as_json:
        print(f"written to {folder}: report.html, report.md, report.tex, report.json ({made.seconds:.0f} s)")
        if not can_draw():
            print("without figures, which need matplotlib: pip install 'symbias[plot]'")
    sys.stdout.flush()
    return 130 if made.interrupted else {"holds": 0, "fails": 1, "undecided": 3}[made.verdict]


def compute(digits: int = 30, quick: bool = False) -> tuple[Report, list[Drawn]]:
    """All statements, the real data and the figures; an interrupt (KeyboardInterrupt) ends it early."""
    valid_digits(digits)
    began = time.perf_counter()
    asked = min(digits, _QUICK_DIGITS) if quick else digits
    results: list[Any] = []
    tasks = _tasks(asked, quick)
    interrupted = False
    try:
        with Progress("report", total=len(tasks)) as bar:
            for number, (title, task) in enumerate(tasks):
                bar.update(f"{number / len(tasks):4.0%}  {title}")
                results.append(task())
    except KeyboardInterrupt:
        interrupted = True
    report = Report(
        digits=asked,
        quick=quick,
        findings=tuple(r for r in results if isinstance(r, Finding)),
        data=tuple(r for r in results if isinstance(r, DataCase)),
        missing=tuple(title for title, _ in tasks[len(results) :]),
        interrupted=interrupted,
        version=__version__,
        seconds=time.perf_counter() - began,
    )
    return report, [r for r in results if isinstance(r, Drawn)]


def _tasks(digits: int, quick: bool) -> list[tuple[str, Callable[[], Any]]]:
    """What there is to do, each with its title, the statements first."""
    depths = {"depths": _QUICK_DEPTHS} if quick else {}
    cases = real_data.cases()
    return [
        *((STATEMENTS[e.id].statement.title, lambda e=e: examine(e, digits, **depths)) for e in EXAMPLES),
        *((c.title, lambda c=c: real_data.run(c, digits)) for c in cases[: _QUICK_CASES if quick else None]),
        *((f"figure {f.name}", lambda f=f: draw(f, quick)) for f in (FIGURES if can_draw() else ())),
    ]


def can_draw() -> bool:
    """True where matplotlib (the extra ``plot``) is installed."""
    return find_spec("matplotlib") is not None


def _folders(folder: Path) -> None:
    try:
        (folder / "figures").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"cannot write the report into {folder}: {error.strerror}") from None


def write(folder: Path, report: Report, drawn: list[Drawn]) -> None:
    """Write the files of the report."""
    _folders(folder)
    try:
        for figure in drawn:
            (folder / "figures" / f"{figure.name}.png").write_bytes(figure.png)
        record = json.dumps(report.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)
        pages = {"html": html.page, "md": markdown.page, "tex": latex.page}
        for ending, text in {"json": record, **{e: page(report, drawn) for e, page in pages.items()}}.items():
            (folder / f"report.{ending}").write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"cannot write the report into {folder}: {error.strerror}") from None

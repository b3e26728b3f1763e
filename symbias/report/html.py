"""The report as one page of HTML that stands alone: formulas drawn as SVG, pictures embedded, nothing to load."""

import base64
import re
from collections.abc import Iterable

from symbias import formulas
from symbias.formulas import html as text
from symbias.report.figures import Drawn
from symbias.report.introduction import origin
from symbias.report.record import DataCase, Finding, Report, entries, margin, order_line
from symbias.report.text import cell
from symbias.verdict import short

#: Letters beyond which the text of a cell may wrap.
_WIDE = 20
_STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 62rem; margin: 0 auto;
  padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.2; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 0.3rem; border-top: 1px solid #ccc; padding-top: 1rem; }
h3 { font-size: 1rem; margin: 1rem 0 0.2rem; }
p, ul { margin: 0.4rem 0; }
svg, img { max-width: 100%; height: auto; }
.formula { margin: 0.7rem 0; } .formula svg { vertical-align: middle; margin-right: 0.8rem; }
.numbers, td.number, code { font: 0.85rem/1.5 ui-monospace, monospace; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 0.4rem 0; font-size: 0.9rem; overflow-wrap: normal; }
th, td { text-align: left; vertical-align: top; padding: 0.15rem 0.7rem 0.15rem 0; border-bottom: 1px solid #e2e2e2; }
td, th { white-space: nowrap; }
td.wrap { white-space: normal; min-width: 9rem; }
.holds { color: #00613f; } .fails { color: #a32c00; font-weight: bold; }
.undecided { color: #6b4a00; font-weight: bold; }
figure { margin: 1.2rem 0; } figcaption { font-size: 0.9rem; color: #333; }
a { color: #00538a; }
@media (max-width: 40rem) { table { font-size: 0.8rem; } th, td { padding-right: 0.45rem; } }
@media print { body { max-width: none; font-size: 10pt; padding: 0; } .scroll { overflow: visible; }
  figure, table, .formula { break-inside: avoid; } h2, h3 { break-after: avoid; } a { color: inherit; } }
"""


def page(report: Report, drawn: list[Drawn]) -> str:
    """Return the whole page."""
    body = [
        "<h1>Implicit bias in training linear neural networks: every statement, checked</h1>",
        f"<p>{_what(report)}</p>",
        _overview(report),
        *(_finding(finding) for finding in report.findings),
        *(
            ["<h2>Real data</h2>", f"<p>{text(origin())}</p>", *(_case(case) for case in report.data)]
            if report.data
            else []
        ),
        *(["<h2>Figures</h2>", *(_figure(figure) for figure in drawn)] if drawn else []),
        f"<h2>To cite</h2><pre class='numbers' style='white-space: pre-wrap'>{text(report.cite())}</pre>",
    ]
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        # an icon of its own, or the browser would ask the server for one
        f'<link rel="icon" href="data:,"><title>symbias: the paper, checked</title><style>{_STYLE}</style>'
    )
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(body) + "\n</body></html>\n"


def _what(report: Report) -> str:
    """What the page is and how far it got."""
    parts = [
        "The statements of “A Unifying View on Implicit Bias in Training Linear Neural Networks” (Yun, Krishnan, "
        "Mobahi, ICLR 2021, arXiv:2010.02501v3), each predicted and checked on an example, to "
        f"{report.digits} digits, by symbias {report.version}, in {report.seconds:.0f} seconds."
    ]
    if report.interrupted:
        parts.append(f"The run was interrupted before: {', '.join(report.missing)}.")
    return text(" ".join(parts))


def _overview(report: Report) -> str:
    rows = [
        (
            f'<a href="#{f.statement.id}">{text(f.statement.title)}</a>',
            _verdict(f.verdict),
            f.digits,
            text(f.orders),
            f"{f.seconds:.1f} s",
        )
        for f in report.findings
    ]
    return _table(("statement", "verdict", "digits", "order: observed (predicted)", "time"), rows)


def _finding(f: Finding) -> str:
    parts = [
        f'<h2 id="{f.statement.id}">{text(f.statement.title)}</h2>',
        f"<p>{text(f.statement.text)} ({text(f.statement.place)}).</p>",
        formula(f.statement.formula),
        "<h3>Assumptions</h3><ul>" + "".join(f"<li>{text(a)}</li>" for a in f.statement.assumptions) + "</ul>",
        f"<h3>Example</h3><p>{text(f.setting)}.</p>",
    ]
    if f.hypotheses:
        rows = [(text(h.name), "yes" if h.holds else "no", margin(h), text(h.detail)) for h in f.hypotheses]
        parts.append("<h3>Hypotheses</h3>" + _table(("hypothesis", "holds", "margin", ""), rows))
    if f.prediction is not None:
        parts.append("<h3>Prediction</h3>" + _prediction(f.prediction))
    parts.append(f"<h3>Check: {_verdict(f.verdict)}</h3>")
    if f.outcome is not None:
        parts.append(
            f"<p>{f.digits} digits agreed over {f.outcome.points} numbers.</p>" + _evidence(f.outcome.evidence)
        )
    for found in f.limits:
        parts.append(_limit(found))
    if f.note:
        parts.append(f"<p>{text(f.note)}.</p>")
    parts.append(f"<p>{f.seconds:.2f} seconds.</p>")
    return "\n".join(parts)


def _prediction(prediction) -> str:
    lines = []
    for name, symbol in (("coefficients", "β"), ("direction", "β/|β|")):
        value = getattr(prediction, name)
        if value is not None and (name == "direction" or prediction.direction is None):
            lines.append(f"{symbol} → ({', '.join(entries(value, prediction.digits))})")
    if prediction.potential is not None:
        lines.append(f"Q = {entries(prediction.potential, prediction.digits)[0]}")
    notes = "".join(f"<p>{text(note)}.</p>" for note in prediction.notes)
    return f'<p class="numbers">{"<br>".join(map(text, lines))}</p>{notes}'


def _evidence(evidence) -> str:
    rows = [(text(e.name), short(e.value), short(e.tolerance), text(e.scale)) for e in evidence]
    return _table(("residual", "value", "tolerance", "relative to"), rows)


def _limit(found) -> str:
    end = "α → 0" if found.points[-1] < found.points[0] else "α → ∞"
    seen = "" if found.order is None else f", order {text(order_line(found))}, {found.digits:.1f} digits of the limit"
    rows = [(short(p), short(e)) for p, e in zip(found.points, found.errors, strict=True)]
    return f"<p>Limit {end}: {_verdict(found.verdict)}{seen}.</p>" + _table(("α", "error"), rows)


def _case(case: DataCase) -> str:
    rows = [(text(name), *(cell(value) for value in row)) for name, row in zip(case.names, case.values, strict=True)]
    note = f"<p>{text(case.note)}</p>" if case.note else ""
    return (
        f"<h3>{text(case.title)}</h3>{note}"
        + _table(("coefficient", *map(text, case.heads)), rows)
        + f"<p>Check at alpha = 1: {_verdict(case.outcome.verdict)}, {int(case.outcome.digits)} digits over "
        f"{case.outcome.points} numbers.</p>" + _evidence(case.outcome.evidence)
    )


def _figure(figure: Drawn) -> str:
    data = base64.b64encode(figure.svg).decode()
    caption = text(figure.caption)
    picture = f'<img src="data:image/svg+xml;base64,{data}" alt="{caption}">'
    return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"


def formula(latex: str) -> str:
    """A formula as a block that wraps between its phrases, with its LaTeX for those who cannot see it."""
    drawn = " ".join(formulas.svg(phrase) for phrase in formulas.phrases(latex))
    return f'<div class="formula" role="img" aria-label="{text(latex)}">{drawn}</div>'


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table that scrolls by itself where the page is narrow; the cells are HTML."""
    head = "".join(f"<th>{each}</th>" for each in heads)

    def made(content: str) -> str:
        seen = re.sub("<[^>]*>", "", content)
        wraps = len(seen) > _WIDE and " " in seen
        return f'<td class="wrap">{content}</td>' if wraps else f"<td>{content}</td>"

    body = "".join("<tr>" + "".join(map(made, row)) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><tr>{head}</tr>{body}</table></div>'


def _verdict(verdict: str) -> str:
    return f'<span class="{verdict}">{verdict}</span>'

"""Formulas as SVG, drawn by ziamath while the pages are built: no formula is fetched from anywhere when they are read.

Also: docstrings are plain text with mathematics in it, so their asterisks, bars and underscores are no markup.
"""

import re
from functools import cache

import ziamath

#: Commands that ziamath passes through as letters, and what it does understand.
REPLACED = {r"\operatorname": r"\mathrm", r"\bmod": r"\;\mathrm{mod}\;", r"\tfrac": r"\frac", r"\Big|": "|"}


@cache
def svg(formula: str, inline: bool) -> tuple[str, float]:
    """Return the formula as SVG, on the line of the text (``inline``) or displayed, and how far below the line it
    goes.
    """
    for command, understood in REPLACED.items():
        formula = formula.replace(command, understood)
    if not inline and ("&" in formula or r"\\" in formula) and r"\begin" not in formula:
        formula = rf"\begin{{aligned}}{formula}\end{{aligned}}"
    drawn = ziamath.Latex(formula, size=17, inline=inline)
    return drawn.svg(), drawn.getyofst()


def visit_inline(self, node):
    picture, below = svg(node.astext(), True)
    self.body.append(f'<span class="math" style="display:inline-block; vertical-align:{below:.1f}px">{picture}</span>')
    raise_skip()


def visit_displayed(self, node):
    self.body.append(f'<div class="math" style="overflow-x:auto; margin:1em 0">{svg(node.astext(), False)[0]}</div>')
    raise_skip()


def raise_skip():
    from docutils.nodes import SkipNode

    raise SkipNode


_KEPT = re.compile(r"(``.+?``|:\w+:`.+?`)")


def plain(line: str) -> str:
    """The line of a docstring with every character of mathematics escaped, but for ``code`` and :role:`references`."""
    parts = _KEPT.split(line)
    return "".join(part if k % 2 else re.sub(r"([*|`\\])|(_)(?=\W|$)", r"\\\1\2", part) for k, part in enumerate(parts))


def escape(app, what, name, obj, options, lines):
    """Escape the prose of a docstring; doctests, literal blocks and directives stay as they are."""
    literal = directive = False
    for number, line in enumerate(lines):
        text = line.strip()
        if not text:
            continue
        indented = line.startswith("    ")
        directive = text.startswith(".. ") or (directive and indented)
        literal = text.startswith((">>>", "...")) or (literal and bool(lines[number - 1].strip()))
        if not (literal or directive):
            lines[number] = plain(line)


def setup(app):
    app.add_html_math_renderer("svg", (visit_inline, None), (visit_displayed, None))
    app.config.html_math_renderer = "svg"
    app.connect("autodoc-process-docstring", escape, priority=400)  # before napoleon
    return {"parallel_read_safe": True, "parallel_write_safe": True}

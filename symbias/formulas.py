"""Formulas on a page: escaping, display in LaTeX, and SVG that needs no network."""

import html as _html
import re
from functools import lru_cache

PREAMBLE = "\n".join(
    [
        r"\documentclass{article}",
        r"\usepackage[utf8]{inputenc}",
        r"\usepackage{amsmath,amssymb}",
        r"\usepackage[margin=2.5cm]{geometry}",
        r"\allowdisplaybreaks",
    ]
)

_SPECIAL = {c: rf"\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\^{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
}
_UNICODE = {
    "v̄": r"$\bar v$",
    "w̄": r"$\bar w$",
    "η̄": r"$\bar\eta$",
    "W̄": r"$\bar W$",
    "η": r"$\eta$",
    "⋆": r"$\star$",
    "⊗": r"$\otimes$",
    "⪰": r"$\succeq$",
    "∝": r"$\propto$",
    "·": r"$\cdot$",
    "->": r"$\to$",
    "<=": r"$\le$",
    ">=": r"$\ge$",
}


def escape(text: str) -> str:
    """Return plain text as LaTeX text."""
    pieces, i = [], 0
    while i < len(text):
        for mark, latex in _UNICODE.items():
            if text.startswith(mark, i):
                pieces.append(latex)
                i += len(mark)
                break
        else:
            pieces.append(_SPECIAL.get(text[i], text[i]))
            i += 1
    return "".join(pieces)


def display(formula: str) -> str:
    """Return an aligned display."""
    return "\\begin{align*}\n" + formula + "\n\\end{align*}"


def html(text: str) -> str:
    """Return plain text as HTML text."""
    return _html.escape(text)


def phrases(formula: str) -> list[str]:
    """The parts of a formula between its outermost wide spaces, where a narrow page may break it."""
    parts, depth = [""], 0
    for token in re.findall(r"\\[A-Za-z]+|\\.|.", formula, re.DOTALL):
        depth += {"{": 1, r"\left": 1, "}": -1, r"\right": -1}.get(token, 0)
        if depth == 0 and token in (r"\;", r"\quad"):
            parts.append("")
        else:
            parts[-1] += token
    return [part.strip() for part in parts if part.strip()]


def undrawn(formula: str) -> list[str]:
    """What ziamath would print instead of drawing: commands it does not know, and stray alignment marks."""
    from ziamath.tex import tex2mml

    shown = _html.unescape(re.sub(r"<[^>]*>", " ", tex2mml(_aligned(formula))))
    return re.findall(r"\\[A-Za-z]+|&", shown)


def _aligned(formula: str) -> str:
    return rf"\begin{{aligned}}{formula}\end{{aligned}}"


@lru_cache(maxsize=512)  # a formula takes ziamath a tenth of a second
def svg(formula: str) -> str:
    """Return the formula as SVG, or as LaTeX in a <code> element where ziamath (the extra ``plot``) is not installed or
    does not know a command of it.
    """
    try:
        import ziamath
    except ImportError:
        return f"<code>{html(formula)}</code>"
    if undrawn(formula):
        return f"<code>{html(formula)}</code>"
    return ziamath.Latex(_aligned(formula), size=20).svg()

"""Formulas on a page: escaping, display in LaTeX, and SVG that needs no network."""

import html as _html
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


@lru_cache(maxsize=512)  # a formula takes ziamath a tenth of a second
def svg(formula: str) -> str:
    """Return the formula as SVG, or, where ziamath (the extra ``plot``) is not installed, as LaTeX in a <code>
    element.
    """
    try:
        import ziamath
    except ImportError:
        return f"<code>{html(formula)}</code>"
    return ziamath.Latex(rf"\begin{{aligned}}{formula}\end{{aligned}}").svg()

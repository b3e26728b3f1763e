"""A derivation: sections of proved steps that print in a terminal, a notebook, Markdown and LaTeX, and prove
themselves again.
"""

import textwrap
from dataclasses import dataclass

import sympy

from symbias import formulas
from symbias.proof import ProofFails, Step, vanishes
from symbias.verdict import Result


@dataclass(frozen=True, eq=False)
class Section(Result):
    """Steps under one heading: ``title``, a sentence of ``text``, the formulas it states and the ``steps`` that prove
    them.

    ``formulas`` are LaTeX; ``plain`` are the same for a terminal.
    """

    title: str
    text: str
    steps: tuple[Step, ...] = ()
    formulas: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()

    def to_latex(self) -> str:
        return r" \\ ".join([*self.formulas, *(step.to_latex() for step in self.steps)])


@dataclass(frozen=True, eq=False)
class Derivation(Result):
    """Everything from the data tensor to the statement, each step with the check that proved it.

    Attributes
    ----------
    title : str
    sections : tuple of Section

    Examples
    --------
    >>> import symbias as sb
    >>> derivation = sb.derive(sb.Diagonal(dim=2, depth=3))
    >>> derivation.verify() == len(derivation.steps)
    True
    """

    title: str
    sections: tuple[Section, ...]
    sources: tuple[str, ...] = ("yun2021",)

    @property
    def source(self) -> tuple[str, ...]:
        return self.sources

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps, in order."""
        return tuple(step for section in self.sections for step in section.steps)

    def verify(self) -> int:
        """Prove every step again and return how many there are; ProofFails names the first that does not hold."""
        for step in self.steps:
            left = step.remainder()
            if not vanishes(left):
                raise ProofFails(f"{step.title}: {step.check} leaves {left}", left)
        return len(self.steps)

    def to_latex(self) -> str:
        """Return a LaTeX document that compiles as it is."""
        lines = [formulas.PREAMBLE, rf"\title{{{formulas.escape(self.title)}}}", r"\author{symbias}", r"\date{}"]
        lines += [r"\begin{document}", r"\maketitle"]
        for section in self.sections:
            lines += [rf"\section{{{formulas.escape(section.title)}}}", formulas.escape(section.text)]
            lines += [formulas.display(formula) for formula in section.formulas]
            for step in section.steps:
                lines += [rf"\paragraph{{{formulas.escape(step.title)}.}} {formulas.escape(step.why)}."]
                lines += [formulas.display(step.to_latex()), rf"\emph{{Proved by {formulas.escape(_proof(step))}.}}"]
        return "\n".join([*lines, r"\end{document}", ""])

    def to_markdown(self) -> str:
        """Return Markdown with $$ .. $$ formulas."""
        lines = [f"# {self.title}"]
        for section in self.sections:
            lines += ["", f"## {section.title}", "", section.text]
            lines += [f"\n$$\\begin{{aligned}}{formula}\\end{{aligned}}$$" for formula in section.formulas]
            for step in section.steps:
                lines += [
                    "",
                    f"**{step.title}.** {step.why}.",
                    "",
                    f"$$\\begin{{aligned}}{step.to_latex()}\\end{{aligned}}$$",
                ]
                lines += ["", f"*Proved by {_proof(step)}.*"]
        return "\n".join(lines) + "\n"

    def to_text(self, columns: int = 80) -> str:
        """Return plain text of at most ``columns`` columns."""
        lines = [*textwrap.wrap(self.title, columns), "=" * min(len(self.title), columns)]
        for number, section in enumerate(self.sections, start=1):
            lines += ["", *textwrap.wrap(f"{number}. {section.title}", columns), ""]
            lines += textwrap.wrap(section.text, columns)
            lines += [row for formula in section.plain for row in _indented(formula, columns)]
            for step in section.steps:
                lines += ["", *textwrap.wrap(f"* {step.title}: {step.why}", columns, subsequent_indent="  ")]
                lines += _claim(step, columns - 4)
                lines += textwrap.wrap(
                    f"proved by {_proof(step)}", columns, initial_indent="    ", subsequent_indent="    "
                )
        return "\n".join(lines) + "\n"

    def _repr_latex_(self) -> str:
        return "\n\n".join(f"$$\\begin{{aligned}}{section.to_latex()}\\end{{aligned}}$$" for section in self.sections)

    def _repr_html_(self) -> str:
        parts = [f"<h2>{formulas.html(self.title)}</h2>"]
        for section in self.sections:
            parts += [f"<h3>{formulas.html(section.title)}</h3><p>{formulas.html(section.text)}</p>"]
            parts += [f"<p>{formulas.svg(formula)}</p>" for formula in section.formulas]
            for step in section.steps:
                parts += [
                    f"<p><b>{formulas.html(step.title)}.</b> {formulas.html(step.why)}.</p>",
                    f"<p>{formulas.svg(step.to_latex())}</p>",
                ]
                parts += [f"<p><i>Proved by {formulas.html(_proof(step))}.</i></p>"]
        return "\n".join(parts)

    def __repr__(self) -> str:
        return self.to_text()


def _proof(step: Step) -> str:
    """How a step was proved, in words."""
    cited = f", citing {', '.join(step.cites)}" if step.cites else ""
    return f"{step.check.replace('_', ' ')}{cited}"


def _indented(formula: str, columns: int) -> list[str]:
    return textwrap.wrap(formula, columns, initial_indent="    ", subsequent_indent="      ", break_on_hyphens=False)


def _claim(step: Step, columns: int) -> list[str]:
    """The claim in two-dimensional text where it fits, in one line of code, wrapped, where it does not."""
    shown = sympy.pretty(
        sympy.Eq(step.lhs, step.rhs, evaluate=False), use_unicode=True, num_columns=10_000, wrap_line=False
    )
    rows = shown.splitlines()
    if max(map(len, rows)) > columns:
        rows = textwrap.wrap(f"{step.lhs} = {step.rhs}", columns, break_long_words=True)
    return [f"    {row}".rstrip() for row in rows]

"""One page a statement, written before Sphinx reads the sources: formula, hypotheses, example, derivation."""

import contextlib
import io
from pathlib import Path

from examples import EXAMPLES
from svg_math import plain

from symbias.sources import ENTRIES
from symbias.theorems import STATEMENTS

TASKS = {
    "Where gradient flow ends, regression": [
        "theorem_5", "corollary_5", "corollary_6", "corollary_7", "theorem_6", "theorem_7",
    ],
    "The direction it takes, classification": [
        "theorem_1", "corollary_1", "theorem_2", "corollary_2", "corollary_3", "theorem_3", "corollary_4",
    ],
}  # fmt: skip


def output(code: str) -> str:
    """What the example prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "<example>", "exec"), {"__name__": "example"})
    return printed.getvalue()


def indented(text: str) -> str:
    return "".join(f"   {line}\n" if line.strip() else "\n" for line in text.strip("\n").splitlines())


def page(identity: str) -> str:
    """The page of one statement."""
    statement = STATEMENTS[identity].statement
    assumptions = "".join(f"* ``{assumption}``\n" for assumption in statement.assumptions)
    sources = "".join(f".. code-block:: bibtex\n\n{indented(ENTRIES[key])}\n" for key in statement.sources)
    code = EXAMPLES[identity]
    return (
        f"{statement.title}\n{'=' * len(statement.title)}\n\n"
        f"{plain(statement.text[0].upper() + statement.text[1:])}.\n\n"
        f".. math:: {statement.formula}\n\n"
        f"Hypotheses\n----------\n\n{assumptions}\n"
        f"Each is checked before a number is returned; ``sb.theorems_for(problem)`` shows its margin.\n\n"
        f"Example\n-------\n\n.. code-block:: python\n\n{indented(code)}\n"
        f".. code-block:: text\n\n{indented(output(code))}\n"
        f"Derivation\n----------\n\n"
        f":doc:`/derivations/{identity}` derives it with the library and asserts each step.\n\n"
        f"Source\n------\n\n{plain(statement.place[0].upper() + statement.place[1:])}.\n\n{sources}"
    )


def index() -> str:
    """The list of the statements, in the paper's order, and those beyond the paper."""
    named = {identity for group in TASKS.values() for identity in group}
    groups = {**TASKS, "Behind them, and beyond the paper": [name for name in STATEMENTS if name not in named]}
    text = "The statements\n==============\n\nOne page each: formula, hypotheses, example, derivation.\n\n"
    for title, group in groups.items():
        entries = "".join(f"   {name}\n" for name in group if name in STATEMENTS)
        text += f"{title}\n{'-' * len(title)}\n\n.. toctree::\n   :maxdepth: 1\n\n{entries}\n"
    return text


def write(app):
    folder = Path(app.srcdir) / "statements"
    folder.mkdir(exist_ok=True)
    pages = {"index": index(), **{identity: page(identity) for identity in STATEMENTS}}
    for name, text in pages.items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app):
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}

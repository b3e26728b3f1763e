"""The documentation says what happens: its examples run, every statement has its page, every public object its
docstring.

The pages themselves are built, with warnings as errors, by ``dev.py docs``.
"""

import ast
import doctest
import inspect
import re
import sys
from pathlib import Path

import pytest

import symbias as sb
from symbias.theorems import STATEMENTS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.rst"))

sys.path.insert(0, str(DOCS / "_ext"))
from examples import EXAMPLES  # noqa: E402  (it lives beside the pages)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_of_a_page_print_what_they_say(page):
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, _ = doctest.testfile(str(page), module_relative=False, optionflags=flags, encoding="utf-8")
    assert failed == 0


def test_there_are_examples_and_a_broken_one_is_seen(tmp_path):
    assert sum(page.read_text(encoding="utf-8").count(">>> ") for page in PAGES) > 30
    broken = tmp_path / "page.rst"
    broken.write_text(">>> 1 + 1\n3\n")
    assert doctest.testfile(str(broken), module_relative=False, report=False, verbose=False).failed == 1


@pytest.mark.parametrize("identity", STATEMENTS)
def test_a_statement_has_an_example_that_prints_and_a_derivation(identity, capsys):
    exec(compile(EXAMPLES[identity], identity, "exec"), {"__name__": "example"})
    assert capsys.readouterr().out.strip()
    assert (ROOT / "derivations" / f"{identity}.py").exists()


def test_no_example_is_of_a_statement_that_is_gone():
    assert set(EXAMPLES) == set(STATEMENTS)


def test_a_derivation_begins_with_a_page_title():
    for script in (ROOT / "derivations").glob("*.py"):
        title, line = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))).splitlines()[:2]
        assert title and set(line) == {"="} and len(line) >= len(title), script.name


def test_every_page_is_in_the_contents_and_asks_nothing_of_the_network():
    contents = (DOCS / "index.rst").read_text(encoding="utf-8")
    for page in PAGES:
        assert page.stem == "index" or re.search(rf"^   {page.stem}$", contents, re.MULTILINE), page.name
    configured = (DOCS / "conf.py").read_text(encoding="utf-8")
    assert "intersphinx" not in configured and "mathjax" not in configured.lower()


def test_every_public_name_is_in_the_api():
    pages = (DOCS / "api.rst").read_text(encoding="utf-8")
    modules = {name for name in sb.__all__ if inspect.ismodule(getattr(sb, name))}
    missing = [name for name in sb.__all__ if f"symbias.{name}\n" not in pages and name not in modules]
    assert not missing
    assert all(f"symbias.{name}" in pages for name in modules)


# Docstrings: the mathematics first, then the sections that apply

SECTIONS = re.compile(r"^ *(\w+)\n *-{4,}$", re.MULTILINE)


def sections(docstring: str) -> set[str]:
    return set(SECTIONS.findall(docstring))


#: What gives numbers, and so says how accurate they are.
NUMERIC = {"predict", "limit", "check", "check_limit", "simulate", "lower", "potential", "sweep"}


def wanted(obj) -> set[str]:
    """The sections that apply to a function or class: what it takes, gives and refuses, and an example."""
    if inspect.isclass(obj) and issubclass(obj, BaseException):
        return set()
    parameters = [p for p in inspect.signature(obj).parameters if p not in ("self", "cls", "seconds")]
    found = ({"Parameters"} if parameters else set()) | {"Raises", "Examples"}
    found |= set() if inspect.isclass(obj) else {"Returns"}
    found |= {"Accuracy"} if obj.__name__ in NUMERIC else set()
    return found | (set() if obj.__name__ in ("load", "Grid", "incomplete") else {"Source"})


def lacking(obj) -> list[str]:
    """What the docstring of an object still needs."""
    text = inspect.getdoc(obj) or ""
    if not text.split("\n", 1)[0].strip() or text.startswith(f"{obj.__name__}("):  # what dataclass writes by itself
        return ["a first line"]
    return sorted(wanted(obj) - sections(text))


OBJECTS = [name for name in sb.__all__ if callable(getattr(sb, name))]


@pytest.mark.parametrize("name", OBJECTS)
def test_a_public_docstring_has_the_sections_that_apply(name):
    assert lacking(getattr(sb, name)) == []


def test_a_docstring_without_a_section_is_seen():
    def incomplete(x):
        """Return x.

        Parameters
        ----------
        x : number
        """

    class Bare(Exception):
        pass

    assert lacking(incomplete) == ["Examples", "Raises", "Returns"] and lacking(lambda x: x) == ["a first line"]
    Bare.__doc__ = None
    assert lacking(Bare) in (["a first line"], [])  # inherited from Exception

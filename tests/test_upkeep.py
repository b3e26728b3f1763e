"""What keeps the repository true: what is packaged, what is named, what the changelog and the citation say.

Building a wheel and an sdist needs the index; the command is in CONTRIBUTING.md. Here is what such a build depends on.
"""

import ast
import configparser
import re
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

import symbias as sb
from symbias.networks import NETWORKS

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "symbias"

#: Called by SymPy, IPython or Sphinx by their names, never by ours.
HOOKS = re.compile(
    r"_eval\w*|_latex|_pretty|_sympystr|_numpycode|_pythoncode|_mpmathcode|_repr_\w+_|__\w+__|setup|fdiff|eval"
)
#: Named in no other place of the package: they are for the reader of a result, or to find a tuple of Theorem 1 by hand.
FOR_THE_READER = {"applying", "to_markdown", "errors", "table", "is_linear", "power_iteration"}


def config() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return parser


def unpackaged(files: list[str], patterns: dict[str, list[str]]) -> list[str]:
    """The files, as package/name, that no pattern of package_data takes along."""
    return [
        file
        for file in files
        if not any(
            fnmatch(file, f"{package.replace('.', '/')}/{pattern}")
            for package, of in patterns.items()
            for pattern in of
        )
    ]


def test_every_file_of_the_package_is_in_the_wheel():
    patterns = {
        package: [pattern.strip() for pattern in of.split(",")]
        for package, of in config()["options.package_data"].items()
    }
    files = [
        path.relative_to(ROOT).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    ]
    assert files and unpackaged(files, patterns) == []
    assert unpackaged(["symbias/data/new.txt", "symbias/report/page.css"], patterns) == [
        "symbias/data/new.txt",
        "symbias/report/page.css",
    ]


def test_every_folder_with_modules_is_a_package():
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert all((folder / "__init__.py").exists() for folder in folders)


def test_the_command_exists():
    module, function = config()["options.entry_points"]["console_scripts"].split("=")[1].strip().split(":")
    assert any(
        isinstance(node, ast.FunctionDef) and node.name == function
        for node in ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")).body
    )


def defined(source: str) -> list[str]:
    """The functions and classes a module defines."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    return [node.name for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]


def unused(sources: dict[str, str], elsewhere: str) -> list[str]:
    """What is defined and named nowhere else in the package, nor ``elsewhere``."""
    words = Counter(word for text in [*sources.values(), elsewhere] for word in re.findall(r"\w+", text))
    return sorted(
        f"{path}: {name}"
        for path, source in sources.items()
        for name in defined(source)
        if words[name] == 1 and not HOOKS.fullmatch(name)
    )


def test_nothing_is_defined_that_nothing_names():
    sources = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    pages = [
        *(ROOT / "docs").glob("*.rst"),
        *(ROOT / "derivations").glob("*.py"),
        ROOT / "README.md",
        ROOT / "setup.cfg",
    ]
    elsewhere = "\n".join(page.read_text(encoding="utf-8") for page in pages) + " ".join(FOR_THE_READER)
    assert unused(sources, elsewhere) == []


def test_an_unused_function_is_seen():
    source = "def used(): pass\ndef _eval_nseries(): pass\ndef lost(): used()"
    assert unused({"a.py": source}, "") == ["a.py: lost"] and unused({"a.py": source}, "lost") == []


def test_the_version_is_the_same_everywhere():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", changelog, re.MULTILINE)[1] == sb.__version__
    assert f"version: {sb.__version__}\n" in citation


def test_the_changelog_names_every_network_and_what_is_new_at_the_top():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").lower().split()
    changelog = " ".join(changelog)
    missing = [name for name in NETWORKS if name.replace("_", " ") not in changelog]
    assert not missing and "sb.sweep" in changelog


def test_what_ci_runs_is_what_the_readme_says():
    runs = re.findall(r"^python3 (dev\.py \w+)", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert runs and all(f"python3 {run}" in contributing for run in runs)


def test_the_report_needs_no_matplotlib(monkeypatch):
    """A wheel without extras writes the report without figures (found by installing one in an empty environment)."""
    from symbias.report import job

    assert any(title.startswith("figure") for title, _ in job._tasks(15, True))
    monkeypatch.setattr(job, "find_spec", lambda name: None)
    assert not any(title.startswith("figure") for title, _ in job._tasks(15, True))

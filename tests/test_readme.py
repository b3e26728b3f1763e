"""What the README shows is what happens."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from symbias.cli import main
from symbias.networks import NETWORKS
from symbias.theorems import STATEMENTS

README = Path(__file__).parent.parent / "README.md"
TEXT = README.read_text(encoding="utf-8")
CONSOLE = re.findall(r"^\$ symbias (.*)$", TEXT, re.MULTILINE)


def test_the_python_examples_print_what_they_say():
    code = re.sub(r"^```.*$", "", TEXT, flags=re.MULTILINE)  # a fence would count as expected output
    examples = doctest.DocTestParser().get_doctest(code, {}, "README.md", str(README), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(examples)
    assert runner.tries >= 8 and runner.failures == 0


@pytest.mark.parametrize("line", CONSOLE)
def test_the_console_examples_run(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text("a,b,target\n1,2,1\n")
    assert main(shlex.split(line)) == 0
    assert capsys.readouterr().out


def test_there_are_console_examples():
    assert len(CONSOLE) == 3


def test_every_statement_and_network_is_in_the_tables():
    for name, theorem in STATEMENTS.items():
        row = next((line for line in TEXT.splitlines() if line.startswith(f"| {theorem.statement.title} |")), "")
        where = re.findall(r"`([^`]+\.py)`", row)
        assert len(where) == 2, name
        for path in where:
            assert (README.parent / path).is_file(), path
    for network in NETWORKS.values():
        assert f"`{network.__name__}`" in TEXT

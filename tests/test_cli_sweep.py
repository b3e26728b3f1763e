"""``symbias sweep``: what it writes and prints, and its exit statuses."""

import argparse

import pytest

from symbias.cli import main
from symbias.cli_sweep import add_parser
from symbias.errors import BadInput
from symbias.sweep import Sweep

CSV = "a,b,target\n1,2,1\n"


def run(*arguments: str) -> int:
    parser = argparse.ArgumentParser(prog="symbias")
    add_parser(parser.add_subparsers())
    options = parser.parse_args(["sweep", *arguments])
    return options.run(options)


@pytest.fixture
def arguments(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text(CSV)
    return ["data.csv", "--network", "diagonal", "--alpha", "0.01,1", "--workers", "1", "--out", "results.jsonl"]


def test_it_writes_every_point_and_resumes(arguments, tmp_path, capsys):
    assert run(*arguments, "--depth", "2", "--seeds", "2") == 0
    assert capsys.readouterr().out == "sweep of 4 points in results.jsonl: 4 finished\n"
    before = (tmp_path / "results.jsonl").read_bytes()
    assert run(*arguments, "--depth", "2", "--seeds", "2") == 0
    assert (tmp_path / "results.jsonl").read_bytes() == before
    # theory.md, section 2: depth 2 ends at z_j = alpha^2 sinh(2 x_j nu) / 2, so z lies on x^T z = y
    assert all(
        abs(z[0] + 2 * z[1] - 1) < 1e-12 for z in (row["coefficients"] for row in Sweep(tmp_path / "results.jsonl"))
    )


def test_a_point_that_fails_is_printed_and_is_the_exit_status(arguments, capsys):
    assert run(*arguments, "--depth", "1") == 1
    printed = capsys.readouterr().out.splitlines()
    assert "2 of them errors" in printed[0] and "depth 1" in printed[1] and "BadInput" in printed[1]


@pytest.mark.parametrize(
    ("extra", "says"),
    [
        (["--depth", "two"], "--depth must be whole numbers"),
        (["--depth", "2", "--workers", "0"], "--workers must be at least 1"),
        (["--depth", "2", "--task", "ranking"], "task must be"),
        (["--depth", "2", "--seeds", "0"], "seeds is empty"),
        (["--depth", "2", "--alpha", "0"], "must be positive"),
    ],
)
def test_bad_arguments_are_one_clear_error(arguments, extra, says):
    with pytest.raises(BadInput, match=says):
        run(*arguments, *extra)


def test_the_command_line_has_it(arguments, capsys):
    assert main(["sweep", *arguments, "--depth", "2"]) == 0
    assert capsys.readouterr().out.startswith("sweep of 2 points")
    assert main(["sweep", *arguments, "--depth", "two"]) == 2 and "whole numbers" in capsys.readouterr().err

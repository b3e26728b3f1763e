"""The command line: what it prints, its exit statuses, and one clear line for bad input."""

import io
import json

import numpy as np
import pytest

import symbias as sb
from symbias.cli import main
from symbias.report import real_data
from symbias.verdict import Result

CSV = "a,b,target\n1,2,1\n"


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(CSV)
    return str(path)


def run(capsys, *arguments):
    status = main(list(arguments))
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def problem_arguments(data, network="diagonal", depth="3", alpha="0.01"):
    return (data, "--network", network, "--depth", depth, "--alpha", alpha)


def test_predict_prints_the_digits_asked_for(capsys, data):
    status, out, err = run(capsys, "predict", *problem_arguments(data), "--digits", "17")
    # theory.md, section 6
    assert status == 0 and "1.9503862868058967e-6" in out and err == ""


def test_predict_as_json_reads_back(capsys, data):
    status, out, _ = run(capsys, "predict", *problem_arguments(data), "--json")
    assert status == 0
    prediction = Result.from_dict(json.loads(out))
    assert prediction.coefficients[0] == pytest.approx(1.9503862868058967e-6, rel=1e-14)


def test_predict_takes_eta_from_a_file(capsys, data, tmp_path):
    eta = tmp_path / "eta.txt"
    eta.write_text("2, 1\n")
    _, out, _ = run(capsys, "predict", *problem_arguments(data), "--eta", str(eta), "--json")
    net = sb.Diagonal(2, 3)
    wanted = sb.predict(sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, "0.01", [2, 1])))
    assert np.array_equal(Result.from_dict(json.loads(out)).coefficients, wanted.coefficients)


def test_check_says_to_how_many_digits(capsys, data):
    status, out, _ = run(capsys, "check", *problem_arguments(data, alpha="1"), "--digits", "20")
    assert status == 0 and out.startswith("holds")


def test_derive_fits_80_columns_and_ends_with_the_statement(capsys):
    status, out, _ = run(capsys, "derive", "convolutional", "--dim", "4", "--depth", "3")
    assert status == 0 and max(map(len, out.splitlines())) <= 80
    assert "Corollary 6" in out and "proved by" in out


def test_derive_writes_latex(capsys, tmp_path):
    path = tmp_path / "out.tex"
    status, out, _ = run(capsys, "derive", "diagonal", "--dim", "2", "--depth", "3", "--latex", str(path))
    assert status == 0 and r"\begin{document}" in path.read_text() and str(path) in out


@pytest.mark.parametrize(
    "arguments, words, status",
    [
        (("derive", "transformer", "--dim", "2", "--depth", "2"), ["transformer", "diagonal, convolutional"], 2),
        (("derive", "diagonal", "--dim", "2", "--depth", "1"), ["depth", "Linear"], 2),
        (("predict", "DATA", "--network", "diagonal", "--depth", "2", "--alpha", "0"), ["alpha", "sb.limit"], 2),
        (("predict", "DATA", "--network", "diagonal", "--depth", "2", "--alpha", "x"), ["alpha", "'x'"], 2),
        (("predict", "NONE", "--network", "diagonal", "--depth", "2", "--alpha", "1"), ["NONE"], 2),
        (
            ("predict", "DATA", "--network", "diagonal", "--depth", "2", "--alpha", "1", "--target", "z"),
            ["z", "a, b"],
            2,
        ),
        (("predict", "DATA", "--network", "diagonal", "--depth", "2", "--alpha", "1", "--eta", "NONE"), ["NONE"], 2),
        (
            ("predict", "DATA", "--network", "diagonal", "--depth", "2", "--alpha", "1", "--digits", "0"),
            ["digits", "0"],
            2,
        ),
    ],
)
def test_bad_input_is_one_line_with_its_exit_status(capsys, data, arguments, words, status):
    got, out, err = run(capsys, *(data if a == "DATA" else a for a in arguments))
    assert got == status and out == "" and err.startswith("symbias: ") and err.count("\n") == 1
    for word in words:
        assert word in err


def test_a_hypothesis_that_fails_has_its_own_exit_status(capsys, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("a,b,c,target\n1,2,3,1\n1,5,4,2\n")
    status, _, err = run(capsys, "predict", *problem_arguments(str(path), network="convolutional"))
    assert status == 5 and "not even" in err and "row 0" in err


def test_help_fits_80_columns(capsys):
    for arguments in (["--help"], ["predict", "--help"], ["check", "--help"], ["derive", "--help"]):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        out = capsys.readouterr().out
        assert caught.value.code == 0 and max(map(len, out.splitlines())) <= 80


def test_mirrored_rows_are_even():
    rows = real_data.mirrored(np.arange(10)[None])
    assert rows.shape == (1, 18) and all(rows[0, i] == rows[0, -i] for i in range(1, 18))


def test_the_main_job_reports_every_network_and_a_failed_check(monkeypatch):
    # one small network in place of the three, and then a check that fails
    small = sb.Diagonal(2, 2)
    case = real_data.Case("small", small, np.array([[1.0, 2.0]]), np.array([1.0]), ("a", "b"))
    monkeypatch.setattr(real_data, "cases", lambda: [case])
    out = io.StringIO()
    assert real_data.main_job(out) == 0
    text = out.getvalue()
    assert "alpha -> 0" in text and "0.0035291" in text and "holds:" in text
    assert max(map(len, text.splitlines())) <= 80
    monkeypatch.setattr(real_data, "DIGITS", 30)
    monkeypatch.setattr(real_data, "check", lambda problem, digits: sb.check(problem, _wrong(problem), digits))
    assert real_data.main_job(io.StringIO()) == 1


def _wrong(problem):
    from dataclasses import replace

    prediction = sb.predict(problem, digits=30)
    return replace(prediction, coefficients=prediction.coefficients[::-1].copy())

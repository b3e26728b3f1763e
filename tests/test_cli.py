"""The command line: what it prints, its exit statuses, and one clear line for bad input."""

import json
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import symbias as sb
from symbias import cli_problem, serial
from symbias.cli import main
from symbias.trajectory import load
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
    commands = ("derive", "predict", "check", "theorems", "limit", "simulate", "report")
    for arguments in (["--help"], *([name, "--help"] for name in commands)):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        out = capsys.readouterr().out
        assert caught.value.code == 0 and max(map(len, out.splitlines())) <= 80


SCHEMA = json.loads((files("symbias.data") / "schema.json").read_text(encoding="utf-8"))
PATH = ("--network", "diagonal", "--depth", "2", "--alpha", "1", "--json")
JSON_COMMANDS = [
    ("predict", "DATA", "--network", "diagonal", "--depth", "3", "--alpha", "1", "--digits", "20"),
    ("predict", "LABELS", "--classify", "--network", "diagonal", "--depth", "3", "--alpha", "1"),
    ("check", "DATA", "--network", "diagonal", "--depth", "3", "--alpha", "1", "--digits", "15"),
    ("theorems", "DATA", "--network", "diagonal", "--depth", "3", "--alpha", "1"),
    ("limit", "DATA", "--network", "diagonal", "--depth", "3", "--to", "oo"),
    ("limit", "DATA", "--network", "diagonal", "--depth", "3", "--to", "0", "--check", "--digits", "12"),
    ("simulate", "DATA", "--network", "diagonal", "--depth", "2", "--alpha", "1", "--until", "0.1"),
    ("derive", "diagonal", "--dim", "1", "--depth", "2"),
    ("predict", "DATA", "--network", "diagonal", "--depth", "3", "--alpha", "0"),
]


@pytest.fixture
def labels(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("a,b,label\n1,2,1\n0,-3,-1\n")
    return str(path)


@pytest.mark.parametrize("arguments", JSON_COMMANDS, ids=lambda given: " ".join(given[:6]))
def test_every_command_prints_json_of_its_schema(capsys, data, labels, arguments):
    names = {"DATA": data, "LABELS": labels}
    _, out, _ = run(capsys, *(names.get(a, a) for a in arguments), "--json")
    record = strict_json(out)
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(record, SCHEMA)
    # The negative controls: neither another type, nor a field more, nor one less.
    for broken in (record | {"type": "Anything"}, record | {"more": 1}, dict(list(record.items())[:-1])):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, SCHEMA)
    if record["type"] != "Error":
        assert strict_json(json.dumps(Result.from_dict(record).to_dict(), allow_nan=False)) == record


def strict_json(text):
    """JSON as other readers take it: NaN and Infinity are refused."""

    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_an_infinite_number_is_json_and_comes_back():
    record = strict_json(json.dumps(serial.encode(np.array([np.inf, -np.inf, 1.0])), allow_nan=False))
    jsonschema.validate(record, SCHEMA | {"oneOf": [{"$ref": "#/$defs/array"}]})
    assert serial.decode(record, Result).tolist() == [np.inf, -np.inf, 1.0]


def test_the_exit_statuses(capsys, data, labels):
    """theory.md: (1, 2) with eta 1 tends to (0, 1/2) as alpha goes to 0; two digits on one point each are undecided."""
    diagonal = ("--network", "diagonal", "--depth", "3")
    status, out, _ = run(capsys, "limit", data, *diagonal, "--to", "0", "--json")
    assert status == 0 and Result.from_dict(json.loads(out)).coefficients.tolist() == [0, 0.5]
    status, out, _ = run(capsys, "limit", data, *diagonal, "--to", "0", "--check")
    assert status == 0 and out.startswith("holds") and "predicted 3" in out
    status, out, _ = run(capsys, "theorems", data, *diagonal, "--alpha", "1")
    assert status == 0 and "Theorem 5               yes" in out and max(map(len, out.splitlines())) <= 80
    status, out, _ = run(capsys, "predict", labels, "--classify", *diagonal, "--alpha", "1")
    assert status == 0 and "support vectors  x[0]" in out


def test_a_failing_and_an_undecided_check_end_with_1_and_3(capsys, data, monkeypatch):
    made = sb.check(_small())
    for verdict, status in (("fails", 1), ("undecided", 3)):
        monkeypatch.setattr(sb, "check", lambda *_, verdict=verdict, **__: replace(made, verdict=verdict))
        assert run(capsys, "check", *problem_arguments(data, alpha="1"))[0] == status


def _small():
    net = sb.Diagonal(2, 2)
    return sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, 1, 1))


def test_the_directions_of_a_fully_connected_network_come_from_a_file(capsys, data, tmp_path):
    path = tmp_path / "directions.json"
    path.write_text("[[[1, 0], [0, 1]], [1, 0]]")
    arguments = ("--network", "fully_connected", "--depth", "2", "--alpha", "0.5", "--directions", str(path))
    # Theorem 7 asks for lambda > 0 and has 0 here: refused, unless asked for.
    assert run(capsys, "predict", data, *arguments)[0] == 5
    arguments += ("--theorem", "theorem_7", "--outside")
    status, out, _ = run(capsys, "predict", data, *arguments, "--digits", "20")
    # theory.md, section 6: the paper's experiment
    assert status == 0 and "0.42360679774997896964" in out and "0.28819660112501051518" in out
    path.write_text("[[0.1], [0.1, 0]]")
    directions = cli_problem._directions(str(path))
    assert str(directions[0][0]) == "1/10"  # a decimal, not its nearest float


def test_short_filters_and_widths_reach_the_network(capsys, data, tmp_path):
    path = tmp_path / "directions.json"
    path.write_text("[[2, 0], [1, 0]]")
    arguments = (data, "--network", "convolutional", "--depth", "2", "--alpha", "1", "--directions", str(path))
    status, out, _ = run(capsys, "predict", *arguments, "--filters", "2,2", "--theorem", "theorem_6")
    assert status == 0 and out.startswith("Theorem 6")
    path.write_text("[[[1, 0, 0], [0, 1, 0]], [0, 0, 0]]")
    arguments = (data, "--network", "fully_connected", "--depth", "2", "--alpha", "1", "--directions", str(path))
    assert run(capsys, "predict", *arguments, "--widths", "3")[0] == 0


def test_matrices_come_as_rows_of_their_entries(capsys, tmp_path):
    path = tmp_path / "matrices.csv"
    path.write_text("a11,a12,a21,a22,target\n1,1,1,2,1\n")
    arguments = ("--network", "matrix_sensing", "--depth", "3", "--alpha", "1", "--theorem", "corollary_7")
    status, out, _ = run(capsys, "predict", str(path), *arguments)
    assert status == 0 and out.startswith("Corollary 7")


def test_simulate_shows_its_way_and_saves_it(capsys, data, tmp_path):
    path = tmp_path / "path.json"
    arguments = ("--network", "diagonal", "--depth", "3", "--alpha", "1", "--save", str(path))
    status, out, _ = run(capsys, "simulate", data, *arguments)
    # Corollary 5's limit, theory.md
    assert status == 0 and "0.180873" in out and len(out.splitlines()) <= 14
    assert load(path).coefficients[-1, 0] == pytest.approx(0.180873365156731503, rel=1e-7)  # tolerance 1e-8 of the run


def test_simulate_descends_with_a_step(capsys, data):
    arguments = ("--network", "diagonal", "--depth", "2", "--alpha", "1", "--flow", "descent")
    status, out, _ = run(capsys, "simulate", data, *arguments, "--step", "0.01", "--iterations", "50")
    assert status == 0 and "descent flow" in out


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("--network", "diagonal", "--depth", "2", "--filters", "2,2"), ["--filters", "convolutional", "diagonal"]),
        (("--network", "diagonal", "--depth", "2", "--widths", "2"), ["--widths", "fully_connected"]),
        (("--network", "diagonal"), ["--depth", "diagonal"]),
        (("--network", "linear", "--depth", "3"), ["--depth 3", "linear"]),
        (("--network", "fully_connected", "--depth", "2"), ["--directions", "fully_connected"]),
        (("--network", "diagonal", "--depth", "2", "--directions", "NONE"), ["NONE"]),
        (("--network", "diagonal", "--depth", "2", "--directions", "BAD"), ["BAD", "JSON"]),
        (("--network", "diagonal", "--depth", "2", "--directions", "OBJECT"), ["OBJECT", "list"]),
        (("--network", "diagonal", "--depth", "2", "--directions", "OBJECT", "--eta", "BAD"), ["--eta", "not both"]),
        (("--network", "matrix_sensing", "--depth", "2"), ["2 columns", "square"]),
        (("--network", "diagonal", "--depth", "2", "--theorem", "theorem_9"), ["theorem_9", "theorem_5"]),
        (("--network", "diagonal", "--depth", "2", "--classify"), ["y[0] = 7"]),
    ],
)
def test_bad_arguments_are_one_line(capsys, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text("a,b,target\n1,2,7\n")
    Path("BAD").write_text("[1, ")
    Path("OBJECT").write_text("{}")
    status, out, err = run(capsys, "predict", "d.csv", "--alpha", "1", *arguments)
    assert status == 2 and out == "" and err.count("\n") == 1 and err.startswith("symbias: ")
    for word in words:
        assert word in err


def test_an_output_file_that_cannot_be_written_is_one_line(capsys, tmp_path):
    arguments = ("derive", "diagonal", "--dim", "1", "--depth", "2", "--latex", str(tmp_path / "no" / "out.tex"))
    status, out, err = run(capsys, *arguments)
    assert status == 2 and out == "" and "cannot write" in err and err.count("\n") == 1


def test_a_reader_that_stops_early_is_no_error(data):
    program = f"import sys; from symbias.cli import main; sys.exit(main(['simulate', {data!r}, *{PATH!r}]))"
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    child.stdout.close()
    assert child.wait() == 0 and child.stderr.read() == ""
    child.stderr.close()

"""Bad input at every public entry: each is tried and gets one clear sentence of symbias's own.

The table in docs/bad_inputs.rst is what happens here: ``python tests/test_reliability_bad_inputs.py`` writes it.
"""

from pathlib import Path

import numpy as np
import pytest
import sympy

import symbias as sb

PAGE = Path(__file__).parents[1] / "docs" / "bad_inputs.rst"
NET = sb.Diagonal(dim=2, depth=3)
CONV = sb.Convolutional(dim=3, depth=3, filters=[2, 2, 3])
START = sb.Initialization.theorem_5(NET, alpha=1, eta=1)
PROBLEM = sb.Regression(NET, [[1, 2]], [1], START)
NO_START = sb.Regression(NET, [[1, 2]], [1])
X = sympy.Symbol("x")
NAMES = {"sb": sb, "np": np, "sympy": sympy, "net": NET, "conv": CONV, "problem": PROBLEM, "no_start": NO_START, "x": X}

#: What is tried, as it would be typed (net: Diagonal(2, 3); problem: a regression on it; no_start: without a start).
TRIED = """
sb.Diagonal(dim=0, depth=2)
sb.Diagonal(dim=2.5, depth=2)
sb.Diagonal(dim=2, depth=1)
sb.Diagonal(dim=True, depth=2)
sb.Convolutional(dim=3, depth=2, filters=[2])
sb.Convolutional(dim=3, depth=2, filters=[4, 3])
sb.FullyConnected(dim=2, depth=3, widths=[2])
sb.FullyConnected(dim=2, depth=3, widths=[2, 0])
sb.MatrixSensing(dim="two", depth=2)
sb.DifferenceOfPowers(dim=2, depth=-1)
sb.Linear(dim=2, depth=2)
net.data_tensor([1, 2, 3])
net.data_tensor(sympy.Matrix([0.5, 1]))
net.forward([1, 2], [[1, 1]])
net.coefficients("abc")
net.decompose(symmetry="odd")
conv.decompose()
net.flow(task="ranking")
net.singular_decomposition([1, 2])
sb.Initialization(alpha=0, directions=[[1, 1]])
sb.Initialization(alpha="-1", directions=[[1, 1]])
sb.Initialization(alpha=float("nan"), directions=[[1, 1]])
sb.Initialization(alpha="1e-999999999", directions=[[1, 1]])
sb.Initialization(alpha=sympy.Symbol("a"), directions=[[1, 1]])
sb.Initialization(alpha=1, directions=[])
sb.Initialization(alpha=1, directions=[[1, float("inf")]])
sb.Initialization.theorem_5(net, alpha=1, eta=[1, 0])
sb.Initialization.theorem_5(net, alpha=1, eta=[1, 2, 3])
sb.Initialization.theorem_5(sb.FullyConnected(2, 2), alpha=1)
sb.Regression("diagonal", [[1, 2]], [1])
sb.Regression(net, [[1, 2]], [1, 2])
sb.Regression(net, [[1, 2, 3]], [1])
sb.Regression(net, [[1, 2], [2, 4]], [1, 2])
sb.Regression(net, [[1, 2], [3, 4], [5, 6]], [1, 2, 3])
sb.Regression(net, [[1, float("nan")]], [1])
sb.Regression(net, [], [])
sb.Regression(net, [[1, 2], [3]], [1, 2])
sb.Regression(net, [[1, 2j]], [1])
sb.Regression(net, [["one", 2]], [1])
sb.Regression(net, [[1, 2]], [None])
sb.Regression(net, [[1, x]], [1])
sb.Regression(net, [[1, sympy.Float(0.1) * sympy.sqrt(2)]], [1])
sb.Regression(net, [[1, 2]], [1], sb.Initialization(1, [[1, 1]]))
sb.Regression(net, [[1, 2]], [1], "0.01")
sb.Classification(net, [[1, 2], [1, 2]], [1, -1])
sb.Classification(net, [[1, 2], [-1, -2]], [1, 1])
sb.Classification(net, [[1, 2]], [2])
sb.Classification(net, [[0, 0]], [1])
sb.predict(no_start)
sb.predict("problem")
sb.predict(problem, digits=0)
sb.predict(problem, digits=2.5)
sb.predict(problem, theorem="theorem_99")
sb.predict(problem, theorem="theorem_3")
sb.limit(problem, alpha=1)
sb.limit(problem, alpha=0, theorem="theorem_3")
sb.limit(None, alpha=0)
sb.check(problem, digits=0)
sb.check(no_start)
sb.check(problem, prediction=3)
sb.check(None)
sb.check_limit(problem)
sb.check_limit(problem, alpha=2)
sb.check_limit(problem, alpha=0, t=sympy.oo)
sb.theorems_for(no_start)
sb.theorems_for(3)
sb.derive("diagonal")
sb.potential([1, 2], depth=1, alpha=1, eta=1)
sb.potential([1, 2], depth=3, alpha=0, eta=1)
sb.potential([1, 2], depth=3, alpha=1, eta=[0, 1])
sb.potential([sympy.Float(0.1), 1], depth=3, alpha=1, eta=1)
sb.lower(sympy.Float(0.1) * x, [x])
sb.lower(x + sympy.Symbol("y"), [x])
sb.lower(x, [x], digits=-3)
sb.kernels.h_inverse(1, 0.5)
sb.kernels.q(2.5, 0.1)
sb.kernels.c(0)
sb.simulate("problem")
sb.simulate(problem, flow="half")
sb.simulate(no_start)
sb.load("no/such/file.json")
sb.Grid({}, ["diagonal"], [2], [1])
sb.Grid({"one": ([[1, 2]], [1])}, ["ring"], [2], [1])
sb.Grid({"one": ([[1, 2]], [1])}, ["diagonal"], [2], [0])
sb.sweep(3, "results.jsonl")
sb.sweep(sb.Grid({"one": ([[1, 2]], [1])}, ["diagonal"], [2], [1]), "results.jsonl", work="guess")
sb.plots.trajectories(3)
sb.plots.angle({"a": 3})
sb.plots.rate([1])
sb.plots.potential(3)
sb.plots.tensor(sb.Convolutional(7, 2), range(7))
sb.expansions.potential_alpha_to_zero([0.5], depth=3, alpha=1, eta=[1], terms=2)
""".strip().splitlines()

#: Public names that take nothing a reader could get wrong.
NOT_TRIED = {
    "Undecided",
    "BadInput",
    "HypothesisFails",
    "NoStatement",
    "NotConverged",
    "NotDecomposable",
    "SymbiasError",
}


def answer(typed: str) -> sb.SymbiasError:
    """The error of symbias that the typed line ends with; any other error is a failure of the test."""
    try:
        eval(typed, dict(NAMES))
    except sb.SymbiasError as error:
        return error
    raise AssertionError(f"{typed} was accepted")


@pytest.mark.parametrize("typed", TRIED)
def test_bad_input_gets_one_clear_sentence(typed):
    error = answer(typed)
    text = str(error)
    assert isinstance(error, (sb.BadInput, sb.HypothesisFails)), type(error)
    assert 15 < len(text) < 600 and "\n" not in text and "Traceback" not in text


@pytest.mark.parametrize(
    "record", ['"text"', "[1]", "{}", '{"type": "Trajectory"}', '{"type": "Residual", "size": 1}', "{"]
)
def test_a_damaged_record_is_refused(tmp_path, record):
    (tmp_path / "path.json").write_text(record)
    with pytest.raises(sb.BadInput):
        sb.load(tmp_path / "path.json")


def test_good_input_is_accepted_by_the_same_test():
    with pytest.raises(AssertionError, match="was accepted"):
        answer("sb.predict(problem)")
    with pytest.raises(AttributeError):
        answer("sb.predict.missing")


def test_every_public_entry_is_tried():
    tried = "\n".join(TRIED)
    missing = [name for name in sb.__all__ if name not in NOT_TRIED and f"sb.{name}" not in tried]
    assert not missing and len(TRIED) >= 30


def page() -> str:
    rows = "".join(
        f"   * - ``{typed}``\n     - :code:`{type(error).__name__}`\n     - ``{error}``\n"
        for typed, error in ((typed, answer(typed)) for typed in TRIED)
    )
    return (
        "Bad inputs, and what each gets\n==============================\n\n"
        "Tried by ``tests/test_reliability_bad_inputs.py``, which wrote this table. Here ``net`` is\n"
        "``sb.Diagonal(dim=2, depth=3)``, ``conv`` a convolution with filters of length 2, 2, 3, ``problem`` a\n"
        "regression on ``net``, and ``no_start`` the same without an initialization.\n\n"
        ".. list-table::\n   :header-rows: 1\n   :widths: 40 12 48\n\n   * - typed\n     - error\n     - message\n"
        + rows
    )


def test_the_table_in_the_documentation_is_what_happens():
    assert PAGE.read_text(encoding="utf-8") == page(), "run python tests/test_reliability_bad_inputs.py"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

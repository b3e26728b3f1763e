"""Records: nothing unverified is held, everything reads back, and says whom to cite."""

from dataclasses import dataclass

import numpy as np
import pytest
import sympy

from symbias import serial
from symbias.errors import BadInput, NotConverged
from symbias.precision import context, public
from symbias.proof import CHECKS, ProofFails, Step, check, vanishes
from symbias.verdict import Outcome, Residual, Result, Solution


def test_a_residual_of_nan_never_holds():
    assert not Residual("r", float("nan"), 1.0).holds
    assert Residual("r", 1e-13, 1e-12).holds and not Residual("r", 1e-11, 1e-12).holds


def test_a_solution_that_misses_its_tolerance_is_raised_with_its_figures():
    with pytest.raises(NotConverged, match="1.00e-03") as caught:
        Solution(1.0, (Residual("feasibility", 1e-3, 1e-12),))
    assert caught.value.residuals[0].value == 1e-3


def test_a_check_without_points_or_with_failing_evidence_cannot_hold():
    good, bad = Residual("r", 0.0, 1e-12), Residual("r", 1.0, 1e-12)
    with pytest.raises(BadInput):
        Outcome("holds", 12.0, 0, (good,))
    with pytest.raises(BadInput):
        Outcome("holds", 12.0, 3, (bad,))
    with pytest.raises(BadInput):
        Outcome("perhaps", 12.0, 3, (good,))
    assert Outcome("fails", 0.0, 3, (bad,)).verdict == "fails"


def test_records_read_back_to_the_last_bit():
    tiny = public(context(50).mpf("1e-4000") / 3, 40)
    outcome = Outcome("holds", 31.5, 4, (Residual("r", tiny, 1e-30, "scale"),), "note", seconds=0.25)
    again = Result.from_dict(outcome.to_dict())
    assert again.evidence[0].value == tiny and again.note == "note" and again.seconds == 0.25
    assert repr(again) == repr(outcome)


def test_the_record_of_another_class_is_refused():
    with pytest.raises(BadInput, match="Residual"):
        Residual.from_dict({"type": "Outcome"})


@pytest.mark.parametrize("text", ["__import__('os').system('true')", "Symbol.__class__", "open('x')", "(lambda: 1)()"])
def test_a_record_runs_nothing(text):
    with pytest.raises(BadInput):
        serial.decode({"sympy": text}, Result)


@pytest.mark.parametrize(
    "value", [sympy.sqrt(2) / 3, sympy.ImmutableMatrix([[1, sympy.Symbol("x", real=True)]]), sympy.oo, -sympy.pi]
)
def test_expressions_read_back(value):
    assert serial.decode(serial.encode(value), Result) == value


def test_what_has_no_form_in_json_is_named():
    with pytest.raises(BadInput, match="set"):
        serial.encode({1, 2})


def test_cite_gives_the_source_and_symbias():
    text = Residual("r", 0.0, 1.0).cite()
    assert "yun2021" in text and "@software{symbias" in text


def test_arrays_of_floats_stay_floats():
    again = serial.decode(serial.encode(np.array([[0.1, 2.0]])), Result)
    assert again.dtype == np.float64 and again.shape == (1, 2) and again[0, 0] == 0.1


def test_every_result_shows_itself_in_a_notebook():
    @dataclass(frozen=True, eq=False)
    class Silent(Result):
        pass

    assert Residual("r", 2e-31, 1.0)._repr_latex_().startswith("$$")
    with pytest.raises(NotImplementedError, match="Silent"):
        Silent().to_latex()
    del Result.kinds["Silent"]


def test_a_false_step_is_not_made():
    x = sympy.Symbol("x")
    step = Step("square", (x + 1) ** 2, x**2 + 2 * x + 1, "expand", "polynomial_identity")
    assert step.fails_when_perturbed()
    with pytest.raises(ProofFails, match="square"):
        Step("square", (x + 1) ** 2, x**2 + x + 1, "expand", "polynomial_identity")


def test_simplifying_to_zero_is_not_zero():
    x = sympy.Symbol("x")
    assert not vanishes(sympy.sin(x) ** 2 + sympy.cos(x) ** 2 - 1) and vanishes(sympy.Integer(0))


def test_two_checks_of_one_name_are_refused():
    def polynomial_identity(lhs, rhs):
        return lhs - rhs

    with pytest.raises(ValueError, match="polynomial_identity"):
        check(polynomial_identity)
    assert CHECKS["polynomial_identity"] is not polynomial_identity

"""What other libraries hand in and get back: array protocols, frames, dictionaries, lowered callables on any shape."""

import sys
import types
from dataclasses import replace

import mpmath
import numpy as np
import pytest
import sympy

import symbias as sb
from symbias.functions import h_inverse
from symbias.verdict import Result

NET = sb.Diagonal(2, 2)
START = sb.Initialization.theorem_5(NET, 1, 1)


class Protocol:
    """What torch, jax and pandas have in common: __array__, with or without its newer arguments."""

    def __init__(self, values, dtype=None):
        self.values = np.asarray(values, dtype=dtype)

    def __array__(self, dtype=None, copy=None):
        return self.values


class DLPack:
    """An array that speaks the DLPack protocol alone."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class NeedsGradient:
    """A torch tensor that requires its gradient refuses to become an array."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")


@pytest.mark.parametrize(
    "X, y",
    [
        ([[1, 2]], [1]),
        (((1, 2),), (1,)),
        (np.array([[1, 2]]), np.array([1])),
        (Protocol([[1, 2]], np.float32), Protocol([1], np.int64)),
        (Protocol([[1, 2]], np.float16), [1.0]),
        (DLPack([[1.0, 2.0]]), DLPack([1.0])),
        (sympy.Matrix([[1, 2]]), sympy.Matrix([1])),
        (sympy.ImmutableMatrix([[1, 2]]), sympy.Array([1])),
        ([Protocol([1, 2])], [sympy.Integer(1)]),
        (memoryview(np.array([[1.0, 2.0]])), ["1"]),
    ],
)
def test_every_kind_of_array_states_the_same_problem(X, y):
    problem = sb.Regression(NET, X, y, START)
    # Corollary 5, L = 2, alpha = 1: theory.md, section 6
    assert sb.predict(problem).coefficients[0] == pytest.approx(0.189480406593109406, rel=1e-14)


def test_classification_takes_them_too():
    problem = sb.Classification(NET, Protocol([[1, 2], [0, -3]], np.float32), sympy.Matrix([1, -1]), START)
    assert sb.predict(problem).coefficients.tolist() == [0, 0.5]


@pytest.mark.parametrize(
    "X, words",
    [
        (NeedsGradient(), ["X cannot be read", "detach"]),
        (np.ma.array([[1.0, 2.0]], mask=[[False, True]]), ["X[0, 1]", "masked"]),
        (Protocol([["a", 2]], object), ["X[0, 0]", "'a'"]),
        (Protocol([[1, 2j]]), ["X[0, 0]", "real"]),
        (Protocol([[True, False]]), ["X[0, 0]", "True"]),
        (Protocol([[1.0, np.nan]]), ["X[0, 1]", "finite"]),
        (Protocol([1.0, 2.0]), ["X must be a matrix"]),
    ],
)
def test_what_is_no_matrix_of_real_numbers_is_refused(X, words):
    with pytest.raises(sb.BadInput) as caught:
        sb.Regression(NET, X, [1], START)
    assert all(word in str(caught.value) for word in words)


def test_a_float32_means_its_own_value_not_the_decimal_it_was_typed_as():
    problem = sb.Regression(NET, Protocol([[0.1, 1]], np.float32), [1], START)
    assert problem.X[0, 0] == float(np.float32(0.1)) != 0.1


@pytest.fixture
def pandas(monkeypatch):
    """Pandas as far as to_frame needs it, so that the test does not depend on it."""
    stand_in = types.ModuleType("pandas")
    stand_in.DataFrame = dict
    monkeypatch.setitem(sys.modules, "pandas", stand_in)


def results():
    problem = sb.Regression(NET, [[1, 2]], [1], START)
    prediction = sb.predict(problem, digits=20, theorem="theorem_5")
    return {
        "prediction": prediction,
        "outcome": sb.check(problem, prediction, digits=15),
        "limit check": sb.check_limit(problem, alpha=0, digits=10, theorem="theorem_5"),
        "survey": sb.theorems_for(problem),
        "hypothesis": prediction.hypotheses[0],
    }


def test_results_become_frames_and_dictionaries_and_come_back(pandas):
    found = results()
    frames = {name: result.to_frame() for name, result in found.items()}
    for name, frame in frames.items():
        lengths = {len(column) for column in frame.values()}
        assert len(lengths) == 1 and lengths != {0}, name
        record = found[name].to_dict()
        assert Result.from_dict(record).to_dict() == record, name
    assert mpmath.nstr(frames["prediction"]["coefficients"][0], 18) == "0.189480406593109406"
    assert frames["survey"]["statement"][0] == "theorem_6" and frames["survey"]["chosen"].count(True) == 1
    assert all(frames["outcome"]["holds"]) and len(frames["limit check"]["point"]) == 9
    assert frames["hypothesis"]["name"] == ["regression"]


def test_a_direction_has_its_column(pandas):
    prediction = sb.predict(sb.Classification(NET, [[1, 2]], [1], START))
    assert prediction.to_frame() == {"coefficients": [0, 0.5], "direction": [0, 1]}
    nothing = replace(prediction, coefficients=None)
    assert list(nothing.to_frame()) == ["direction"]


def test_without_pandas_the_error_names_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(sb.BadInput, match=r"pip install pandas, or \.columns\(\)"):
        results()["prediction"].to_frame()


@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (2, 1, 4)])
def test_lowered_callables_keep_the_shape(shape):
    y = sympy.Symbol("y", real=True)
    f = sb.lower(h_inverse(3, y), y)
    values = np.linspace(-2, 2, int(np.prod(shape))).reshape(shape)
    found = f(values)
    assert np.shape(found) == shape
    one = [float(h_inverse(3, sympy.Rational(v)).evalf(20)) for v in values.ravel()]
    assert np.allclose(np.ravel(found), one, rtol=1e-14, atol=0)  # SymPy to 20 digits, float64 to a few ulp

"""The doors for numbers: exact in, exact out, one clear error for what is no number."""

from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy

from symbias import exact
from symbias.errors import BadInput
from symbias.precision import context


@pytest.mark.parametrize(
    "value, wanted",
    [
        ("0.1", sympy.Rational(1, 10)),
        ("1e-3", sympy.Rational(1, 1000)),
        ("2/3", sympy.Rational(2, 3)),
        (7, sympy.Integer(7)),
        (np.int64(-2), sympy.Integer(-2)),
        (Fraction(1, 3), sympy.Rational(1, 3)),
        (Decimal("0.25"), sympy.Rational(1, 4)),
        (0.5, sympy.Rational(1, 2)),
        (0.1, sympy.Rational(3602879701896397, 36028797018963968)),
        (mpmath.mpf("-0.75"), sympy.Rational(-3, 4)),
        (sympy.sqrt(2), sympy.sqrt(2)),
        (sympy.Float("0.5"), sympy.Rational(1, 2)),
    ],
)
def test_a_number_is_its_exact_value(value, wanted):
    assert exact.number(value, "x") == wanted


@pytest.mark.parametrize(
    "value, word",
    [
        ("one", "'one'"),
        ("1/0", "'1/0'"),
        (float("nan"), "finite"),
        (Decimal("Infinity"), "finite"),
        (mpmath.inf, "finite"),
        (1j, "real number"),
        (True, "real number"),
        (None, "real number"),
        (sympy.I, "real number"),
        (sympy.oo, "real number"),
        (sympy.sqrt(2) * sympy.Float(0.5), "Float"),
        (sympy.Symbol("a"), "sb.derive"),
        ([1], "real number"),
    ],
)
def test_what_is_no_number_is_named(value, word):
    with pytest.raises(BadInput, match="alpha") as caught:
        exact.number(value, "alpha")
    assert word in str(caught.value)


def test_float_arrays_stay_float64_and_are_frozen():
    given = np.array([[1.0, 2.0]])
    made = exact.array(given, "X", ndim=2)
    assert made.dtype == np.float64 and not made.flags.writeable
    given[0, 0] = 5.0
    assert made[0, 0] == 1.0


@pytest.mark.parametrize("value", [[["1", 2]], np.array([[1, 2]]), sympy.Matrix([[1, 2]]), ((1, "2"),)])
def test_other_arrays_become_exact(value):
    assert exact.array(value, "X", ndim=2).tolist() == [[sympy.Integer(1), sympy.Integer(2)]]


@pytest.mark.parametrize(
    "value, ndim, word",
    [
        ([[1, 2], [3]], 2, "rectangular"),
        ([1, 2], 2, "matrix"),
        ([], 1, "empty"),
        ([[1, "x"]], 2, "X[0, 1]"),
        (np.array([1.0, np.nan]), 1, "X[1]"),
    ],
)
def test_bad_arrays_are_named(value, ndim, word):
    with pytest.raises(BadInput) as caught:
        exact.array(value, "X", ndim=ndim)
    assert word in str(caught.value)


def test_rounding_to_a_context_is_to_its_last_digit():
    ctx = context(50)
    third = exact.to_precise(exact.array(["1/3", sympy.sqrt(2)], "x"), ctx)
    # a unit in the last of 50 digits
    assert abs(3 * third[0] - 1) < ctx.mpf(10) ** -49 and abs(third[1] ** 2 - 2) < 4 * ctx.mpf(10) ** -50


def test_floats_that_are_not_what_was_typed():
    assert exact.inexact_floats(np.array([0.5, 0.1, 0.1])) == ["0.1"]
    assert exact.inexact_floats(exact.array(["0.1"], "x")) == []


def test_symbolic_doors_refuse_floats_and_offer_the_rational():
    with pytest.raises(BadInput, match=r"Rational\('1/2'\)"):
        exact.forbid_floats(sympy.Symbol("a") * 0.5, "potential")
    exact.forbid_floats(sympy.Symbol("a") / 2, "potential")


def test_long_numbers_are_shown_short():
    assert exact.shown(sympy.Rational(1, 100)) == "1/100"
    assert exact.shown(sympy.Rational(1, 10**100)) == "1.00000e-100"

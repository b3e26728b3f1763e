"""The doors for numbers: text, integers, fractions, floats, mpmath and SymPy numbers in, exact values out.

An array of floats stays a float64 array: a float *means* its exact binary value, so nothing is lost. Text, ``int``,
``Fraction``, ``Decimal`` and SymPy numbers become exact SymPy numbers in an object array.
"""

import re
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import sympy

from symbias.errors import BadInput
from symbias.precision import adopt


def number(value, name: str) -> sympy.Expr:
    """Return ``value`` as an exact SymPy number; a float becomes its exact binary value, text an exact decimal."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or value is None or isinstance(value, complex):
        raise BadInput(f"{name} must be a real number, not {value!r}")
    if isinstance(value, sympy.Float):
        value = mpmath.mp.make_mpf(value._mpf_)
    if isinstance(value, sympy.Basic):
        return _exact_expression(value, name)
    if isinstance(value, str):
        return _parse(value, name)
    if isinstance(value, int):
        return sympy.Integer(value)
    if isinstance(value, (float, Fraction, Decimal)):
        if value != value or value in (float("inf"), float("-inf")):
            raise BadInput(f"{name} must be finite, not {value!r}")
        ratio = Fraction(value)
        return sympy.Rational(ratio.numerator, ratio.denominator)
    if hasattr(value, "_mpf_"):
        if not mpmath.isfinite(value):
            raise BadInput(f"{name} must be finite, not {value!r}")
        sign, mantissa, exponent, _ = value._mpf_
        return sympy.Integer((-1) ** sign * int(mantissa)) * sympy.Integer(2) ** exponent
    raise BadInput(f"{name} must be a real number, not {value!r} ({type(value).__name__})")


def _exact_expression(value: sympy.Basic, name: str) -> sympy.Expr:
    if value.free_symbols:
        symbol = sorted(map(str, value.free_symbols))[0]
        raise BadInput(f"{name} holds the free symbol {symbol}: numbers only here; for symbols call sb.derive")
    if value.has(sympy.Float):
        raise BadInput(f"{name} = {value} holds a Float inside an expression: write the Float as a Rational")
    if not isinstance(value, sympy.Expr) or value.is_finite is False or value.is_real is not True:
        raise BadInput(f"{name} must be a finite real number, not {value}")
    return value


def _parse(text: str, name: str) -> sympy.Rational:
    # The integers behind 1e-999999999 fill the memory: refuse before they are made.
    exponent = re.search(r"[eE][+-]?([\d_]+)\s*$", text)
    if exponent and len(exponent[1].replace("_", "").lstrip("0")) > 4:
        raise BadInput(f"{name} = {text.strip()} is out of range: its exponent of ten may have four digits at most")
    try:
        ratio = Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        raise BadInput(f"{name} must be a number, not the text {text!r}") from None
    return sympy.Rational(ratio.numerator, ratio.denominator)


def array(value, name: str, ndim: int | None = None) -> np.ndarray:
    """Return ``value`` as a read-only array: float64 as it is, everything else as an object array of exact numbers.

    Lists, SymPy matrices, and whatever speaks an array protocol: NumPy, pandas, torch, jax.

    Raises
    ------
    BadInput
        Not finite (the first index is named), not numbers, ragged, empty, or not ``ndim``-dimensional.
    """
    if isinstance(value, sympy.MatrixBase):
        # One row or column counts as a vector where a vector is asked for.
        flat = ndim == 1 and 1 in value.shape
        value = np.array(value.tolist(), dtype=object)
        value = value.ravel() if flat else value
    try:
        given = value if isinstance(value, np.ndarray) else _as_array(value)
    except ValueError as error:
        raise BadInput(f"{name} is not a rectangular array of numbers: {error}") from None
    except (
        RuntimeError,
        TypeError,
        BufferError,
    ) as error:  # torch: on a GPU, or with a gradient
        raise BadInput(f"{name} cannot be read as an array: {error}") from None
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        place = [int(i) for i in np.argwhere(np.ma.getmaskarray(given))[0]]
        raise BadInput(f"{name}{place} is masked: every entry must be a number")
    if ndim is not None and given.ndim != ndim:
        kind = {0: "a number", 1: "a vector", 2: "a matrix (one row a sample)", 3: "a stack of matrices"}[ndim]
        raise BadInput(f"{name} must be {kind}, but its shape is {given.shape}")
    if given.size == 0:
        raise BadInput(f"{name} is empty: its shape is {given.shape}")
    if given.dtype.kind == "f" and given.dtype.itemsize <= 8:
        made = given.astype(np.float64)
        if not np.isfinite(made).all():
            at = tuple(int(i) for i in np.argwhere(~np.isfinite(made))[0])
            raise BadInput(f"{name}{list(at)} is {made[at]}: every entry must be finite")
    else:
        made = np.empty(given.shape, dtype=object)
        for index, entry in np.ndenumerate(given):
            made[index] = number(entry, f"{name}{list(index)}" if index else name)
    made.setflags(write=False)
    return made


def _as_array(value) -> np.ndarray:
    """An array of any dtype by the array protocols; text and exact numbers are kept as objects."""
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    given = np.asarray(value, dtype=object)
    if given.size and all(type(entry) is float or isinstance(entry, np.floating) for entry in given.flat):
        return given.astype(np.float64)
    if any(isinstance(entry, (list, tuple, np.ndarray)) for entry in given.flat):
        raise ValueError("its rows have different lengths")
    return given


def to_float(values: np.ndarray) -> np.ndarray:
    """Round exact numbers to float64, each correctly to within one ulp."""
    if values.dtype == np.float64:
        return values
    out = np.empty(values.shape)
    for index, entry in np.ndenumerate(values):
        out[index] = float(entry)
    return out


def to_precise(values: np.ndarray, ctx) -> np.ndarray:
    """Round exact numbers to the precision of the mpmath context ``ctx``: an object array of its mpf."""
    out = np.empty(values.shape, dtype=object)
    for index, entry in np.ndenumerate(values):
        out[index] = precise(entry, ctx)
    return out


def precise(value, ctx):
    """Round one exact number to the mpmath context ``ctx``."""
    if isinstance(value, sympy.Rational):
        return ctx.mpf(int(value.p)) / int(value.q)
    if isinstance(value, sympy.Expr):
        return adopt(ctx, value.evalf(ctx.dps + 5))
    return adopt(ctx, value)


def to_sympy(values: np.ndarray) -> np.ndarray:
    """Return the same numbers as exact SymPy numbers in an object array (a float as its exact binary value)."""
    if values.dtype != np.float64:
        return values
    out = np.empty(values.shape, dtype=object)
    for index, entry in np.ndenumerate(values):
        out[index] = number(float(entry), "entry")
    return out


def inexact_floats(values: np.ndarray) -> list[str]:
    """The floats whose shortest decimal is not their exact value: what was typed is not what is computed with."""
    if values.dtype != np.float64:
        return []
    seen = []
    for entry in values.ravel():
        shown = repr(float(entry))
        if Fraction(shown) != Fraction(float(entry)) and shown not in seen:
            seen.append(shown)
    return seen


def shown(value) -> str:
    """An exact number as text, in scientific notation where it would fill the line."""
    text = str(value)
    return text if len(text) <= 24 else str(sympy.sympify(value).evalf(6))


def forbid_floats(expression, door: str) -> None:
    """Raise at a symbolic door that was given a Float: symbolic code is exact."""
    floats = sorted(map(str, sympy.sympify(expression).atoms(sympy.Float)))
    if floats:
        rational = sympy.Rational(floats[0])
        remedy = f"write Rational({str(rational)!r})"
        raise BadInput(f"{door} was given the Float {floats[0]}: symbolic code is exact; {remedy}")

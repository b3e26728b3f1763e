"""Lowering: from an exact expression to a function of numbers. The one place where ``sympy.lambdify`` is called."""

import builtins
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import sympy

from symbias import exact
from symbias.errors import BadInput, NotConverged
from symbias.precision import context, public

_GUARD = 15  # digits the first of the two evaluations that must agree carries beyond the digits asked
_RAISES = 4  # how often the precision is doubled before the cancellation is reported


def lower(expr, args, digits: int | None = None) -> Callable[..., Any]:
    """Return ``expr`` as a function of numbers.

    Parameters
    ----------
    expr : SymPy expression, or a list, tuple or matrix of them
        May hold the Functions of ``symbias.functions``; no Float.
    args : symbol, or a list of symbols
        The arguments of the callable, in order.
    digits : integer, optional
        None: a NumPy callable in float64. Else a callable whose values have that many correct decimal digits.

    Returns
    -------
    A callable of numbers or arrays of any shapes, which broadcast. For one expression its values have the broadcast
    shape (a scalar for scalars); for several, the shape of ``expr`` comes first. With ``digits`` they are mpmath.mpf
    of the global class, rounded once, in an object array; mpmath's global precision is not touched.

    Raises
    ------
    BadInput
        A Float in expr (write the Rational); a symbol of expr that is not among args.
    NotConverged
        With digits: the callable met a cancellation that the highest precision tried did not resolve.

    Accuracy
    --------
    With digits: computed at two precisions that must agree to the digits asked, and beyond them if they do not.
    Float64: as accurate as the formula; the Functions themselves are within a few ulp.

    Source
    ------
    No statement of the paper; the kernels behind the Functions are ``symbias.kernels``.

    Examples
    --------
    >>> import mpmath, sympy, symbias as sb
    >>> from symbias.functions import h_inverse
    >>> y = sympy.Symbol("y", real=True)
    >>> mpmath.nstr(sb.lower(h_inverse(3, y), y, digits=20)(1), 20)
    '0.59876670525495189715'
    """
    entries, shape = _flat(expr)
    symbols = list(args) if isinstance(args, (list, tuple, sympy.Tuple)) else [args]
    for entry in entries:
        exact.forbid_floats(entry, "lower")
    missing = sorted(map(str, set().union(*(entry.free_symbols for entry in entries)) - set(symbols)))
    if missing:
        raise BadInput(f"the expression holds the symbol {missing[0]}, which is not among the arguments {symbols}")
    entries = [_principal(entry) for entry in entries]
    return (
        _numpy_callable(entries, shape, symbols)
        if digits is None
        else _precise_callable(entries, shape, symbols, digits)
    )


def _flat(expr) -> tuple[list[sympy.Expr], tuple[int, ...]]:
    if isinstance(expr, sympy.MatrixBase):
        return list(expr), expr.shape
    if isinstance(expr, (list, tuple, sympy.Tuple)):
        return [sympy.sympify(entry) for entry in expr], (len(expr),)
    return [sympy.sympify(expr)], ()


def _principal(entry: sympy.Expr) -> sympy.Expr:
    """SymPy's integrals hold exp_polar, which NumPy and mpmath lack (sympy #18179); exp on the principal sheet."""

    def plain(exponent):
        if abs(sympy.im(exponent)) > sympy.pi:
            raise BadInput(f"the expression holds exp_polar({exponent}), which is not on the principal branch")
        return sympy.exp(exponent)

    return sympy.unpolarify(entry).replace(sympy.exp_polar, plain)


def _numpy_callable(entries, shape, symbols):
    function = sympy.lambdify(symbols, entries, "numpy", cse=True, dummify=True)
    if any(name not in function.__globals__ and not hasattr(builtins, name) for name in function.__code__.co_names):
        # A function that NumPy does not have (hyper, elliptic_f): by mpmath, point by point, rounded to float64.
        precise = _precise_callable(entries, shape, symbols, 17)

        def by_mpmath(*values):
            made = np.array(precise(*values), dtype=np.float64)
            return made if made.ndim else float(made)

        return by_mpmath

    def callable_(*values):
        values = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in values))
        out = [np.broadcast_to(entry, values[0].shape if values else ()) for entry in function(*values)]
        made = np.array(out, dtype=np.float64).reshape(shape + out[0].shape)
        return made if made.ndim else float(made)

    return callable_


def _precise_callable(entries, shape, symbols, digits):
    context(digits)  # a bad number of digits is reported here, not at the first call
    written = [entry for entry in entries if entry != 0]
    kept: dict = {}  # one callable a context, that is a precision and thread

    def evaluate(point, size):
        ctx = context(size)
        if ctx not in kept:
            kept[ctx] = _in_context(written, symbols, ctx)
        return kept[ctx](point)

    def at_point(point):
        """The values at one point: raised until two precisions agree to the digits asked."""
        size = 2 * (digits + _GUARD)
        low = evaluate(point, digits + _GUARD)
        for raised in range(_RAISES):
            high = evaluate(point, size)
            # Two zeros may be two cancellations: a zero is believed at the highest precision only.
            last = raised == _RAISES - 1
            if all(_agree(a, b, digits) and (b != 0 or last) for a, b in zip(low, high, strict=True)):
                values = iter(high)
                return [public(next(values), digits) if entry != 0 else mpmath.mpf(0) for entry in entries]
            low, size = high, 2 * size
        raise NotConverged(
            f"the expression cancels to nothing at {[str(v) for v in point]}: its value is below the rounding of "
            f"{size // 2} digits, so its own digits are unknown (is it exactly zero there?)"
        )

    def callable_(*values):
        arrays = np.broadcast_arrays(*(_objects(value) for value in values)) if values else [np.empty((), dtype=object)]
        out = np.empty((len(entries), *arrays[0].shape), dtype=object)
        for index in np.ndindex(*arrays[0].shape):
            out[(slice(None), *index)] = at_point([array[index] for array in arrays[: len(symbols)]])
        made = out.reshape(shape + arrays[0].shape)
        return made if made.ndim else made[()]

    return callable_


def _objects(value) -> np.ndarray:
    made = np.asarray(value, dtype=object)
    out = np.empty(made.shape, dtype=object)
    for index, entry in np.ndenumerate(made):
        out[index] = exact.number(entry, "an argument of the lowered expression")
    return out


def _in_context(entries, symbols, ctx):
    """The mpmath callable whose every name (mpf, pi, sqrt, ...) is that of ``ctx``."""
    names = {name: getattr(ctx, name) for name in dir(ctx) if not name.startswith("_")}
    names.update(_kernels(ctx))
    made = sympy.lambdify(symbols, entries, [names, "mpmath"], cse=True, dummify=True)
    return lambda values: [_real(ctx, value) for value in made(*(exact.precise(value, ctx) for value in values))]


def _real(ctx, value):
    made = +ctx.convert(value)
    if not hasattr(made, "_mpf_"):
        raise BadInput(f"the expression is not real there: {made}")
    return made


def _kernels(ctx) -> dict[str, Callable[..., Any]]:
    """The precise kernels under the names that printed code calls (``symbias.functions.targets``)."""
    from symbias.functions import difference_numbers
    from symbias.functions.elapsed import elapsed
    from symbias.functions.position_numbers import position
    from symbias.kernels import precise

    def bound(function):
        def called(depth, argument):
            value = function(ctx, int(depth), argument)
            if ctx.isnan(value) and not ctx.isnan(argument):
                end = ctx.nstr(precise.c(ctx, int(depth)), 10)
                name = function.__name__
                raise BadInput(
                    f"{name}({depth}, t) takes |t| < c({depth}) = {end} only, not t = {ctx.nstr(argument, 10)}"
                )
            return value

        return called

    made = {name: getattr(precise, name) for name in ("p", "q", "h", "h_inverse", "root", "H")}
    made |= {name: getattr(difference_numbers, name) for name in ("difference_h_inverse", "difference_H")}
    lowered = {f"symbias_mpmath_{name}": bound(function) for name, function in made.items()}
    return lowered | {
        "symbias_mpmath_c": lambda depth: precise.c(ctx, int(depth)),
        "symbias_mpmath_F": lambda z, start, *deltas: elapsed(ctx, z, start, deltas),
        "symbias_mpmath_Z": lambda t, start, *deltas: position(ctx, t, start, deltas),
    }


def _agree(a, b, digits) -> bool:
    """True when a and b differ by less than a hundredth of the last digit asked."""
    return bool(abs(a - b) <= abs(b) * a.context.mpf(10) ** (-digits - 2))

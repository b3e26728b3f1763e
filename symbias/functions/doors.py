"""The doors of the functions: what a depth may be, checked once where a user comes in."""

from decimal import Decimal

import sympy

from symbias import exact
from symbias.errors import BadInput


def depth_at_door(depth, door: str, least: int = 2) -> sympy.Expr:
    """Return the depth as an exact SymPy object: an integer >= ``least``, or an expression in symbols.

    Raises
    ------
    BadInput
        A float, text, a number that is not an integer, or an integer below ``least``.
    """
    if depth is None or isinstance(depth, (bool, str)):
        raise BadInput(f"{door} needs an integer depth >= {least}, or a symbol, not {depth!r}")
    made = sympy.sympify(depth)
    if made.is_number and made.is_Integer is not True:
        raise BadInput(f"{door} needs an integer depth >= {least}, not {depth!r} (a {type(depth).__name__})")
    exact.forbid_floats(made, f"the depth of {door}")
    if (made - least).is_negative:
        raise BadInput(f"{door} needs a depth >= {least}, not {depth!r}")
    return made


def exact_at_door(value, name: str, door: str) -> sympy.Expr:
    """Return an expression or a number as exact SymPy: text and decimals are what they say, a float is refused."""
    made = exact.number(value, name) if isinstance(value, (str, Decimal)) else sympy.sympify(value)
    exact.forbid_floats(made, door)
    return made


def integer_depth(depth, door: str, least: int = 2) -> int:
    """Return a concrete depth as an int; a symbol is refused, for what has no form with the depth free."""
    made = depth_at_door(depth, door, least)
    if not made.is_Integer:
        raise BadInput(f"{door} needs a number for the depth, such as depth=3; {made} is a symbol")
    return int(made)

r"""Expansions with any number of terms: the functions of Lemma 4 at 0, at infinity and at the end of the domain, and
the potential of Theorem 5 at both ends of alpha.

Where SymPy's ``.series`` needs a number for the depth, these take a symbol too: the exponents depend on it, so what
is asked for is a number of terms, not an order. A symbolic depth stands for a depth >= 3 in what follows c(depth) or
a power of alpha.
"""

import sympy
from sympy import PoleError, S

from symbias.errors import BadInput
from symbias.exact import forbid_floats
from symbias.functions.base import DepthFunction, OnInterval
from symbias.functions.doors import depth_at_door
from symbias.functions.ends import leading
from symbias.functions.expansion import Expansion, check_terms, expansion
from symbias.functions.lemma_4 import c
from symbias.functions.local_series import AT_END, AT_INFINITY, AT_ZERO, infinity_head
from symbias.functions.potential_ends import potential_alpha_to_infinity, potential_alpha_to_zero

__all__ = ["Expansion", "at_end", "at_infinity", "at_zero", "potential_alpha_to_infinity", "potential_alpha_to_zero"]


def at_zero(function, terms: int = 3) -> Expansion:
    r"""The power series at 0 of p, q, h, h_inverse, root or H, symbolic depth too.

    Parameters
    ----------
    function : one of the functions of Lemma 4, folded, such as ``h_inverse(L, y)``
    terms : integer >= 1
        Number of terms of the sum, none of them zero.

    Returns
    -------
    Expansion
        For h_inverse and H it converges for |y| below ``series.radius(depth)``.

    Raises
    ------
    BadInput
        Not one of the functions; a Float; terms < 1.
    PoleError
        For a number in the place of x: call ``.evalf()``.

    Source
    ------
    ``derivations/series.py``.

    Examples
    --------
    >>> import sympy, symbias as sb
    >>> from symbias.functions import h_inverse
    >>> sb.expansions.at_zero(h_inverse(3, sympy.Symbol("y")), terms=3).sum
    21*y**5/5 - 4*y**3/3 + y
    """
    name, depth, x = _folded(function, AT_ZERO, "at_zero", terms)
    powers = [(e, a * x**e) for e, a in leading(AT_ZERO[name], depth, terms + 1)]
    return expansion(function, S.Zero, powers, terms, gauge=x, variable=x, goal=S.Zero)


def at_infinity(function, terms: int = 3) -> Expansion:
    r"""The expansion of h_inverse, root or H as y -> oo, symbolic depth (>= 3) too.

    .. math:: h_L^{-1}(y) = c_L - \frac{y^{-(L-2)/L}}{L-2} + \ldots, \qquad
              H_L(y) = c_L y - \frac{L}{2(L-2)} y^{2/L} + \frac{L-1}{2L} - \ldots

    and for depth 2 log(4y)/2 and y (log(4y) - 1)/2 in the place of c_L and c_L y.

    Parameters
    ----------
    function : ``h_inverse(depth, y)``, ``root(depth, y)`` or ``H(depth, y)``, folded, y positive
    terms : integer >= 1
        Number of terms of the sum, none of them zero; a logarithm with its constant counts as one.

    Returns
    -------
    Expansion
        It converges for y above ``series.radius(depth)``.

    Raises
    ------
    BadInput
        Not one of the functions; a Float; terms < 1.
    PoleError
        For p, q, h, which end at c(depth): call ``at_end``. For a negative y: h_inverse and root are odd, H is even.

    Source
    ------
    ``derivations/expansions.py``.

    Examples
    --------
    >>> import sympy, symbias as sb
    >>> from symbias.functions import H
    >>> y = sympy.Symbol("y", positive=True)
    >>> sb.expansions.at_infinity(H(3, y), terms=3).sum
    -3*y**(2/3)/2 + pi*y/2 + 1/3
    >>> sb.expansions.at_infinity(H(3, y), terms=3).order
    -2/3
    """
    if isinstance(function, OnInterval):
        raise PoleError(
            f"{function} is not defined at infinity: its domain ends at c(depth), so call expansions.at_end"
        )
    name, depth, y = _folded(function, AT_INFINITY, "at_infinity", terms)
    if y.is_extended_real is False:
        raise PoleError(f"{y} is not real, so it does not go to oo: the functions are real functions of a real y")
    if y.is_negative:
        raise PoleError(f"{y} is negative, so it does not go to oo: expand at {-y} and use the parity of {name}")
    head = infinity_head(name, depth, y)
    powers = [(e, a * y**e) for e, a in leading(AT_INFINITY[name], depth, terms + 1)]
    return expansion(function, head, powers, terms, gauge=y, variable=y, goal=S.Infinity)


def at_end(function, terms: int = 3) -> Expansion:
    r"""The expansion of p, q or h as t -> c(depth) from inside, symbolic depth (>= 3) too.

    With :math:`D = ((L-2)(c_L - t))^{1/(L-2)}`: :math:`h_L = D^{-L} - \frac{L-1}{2L(L+2)} D^{4-L} + \ldots`

    Parameters
    ----------
    function : ``p(depth, t)``, ``q(depth, t)`` or ``h(depth, t)``, folded
    terms : integer >= 1
        Number of terms of the sum, none of them zero.

    Returns
    -------
    Expansion
        ``order`` is the exponent of c(depth) - t.

    Raises
    ------
    BadInput
        Not one of the functions; a Float; terms < 1.
    PoleError
        Depth 2, whose domain has no end (``sympy.expand_func`` gives cosh t, sinh t, sinh(2t)/2); h_inverse, root and H
        (call ``at_infinity``).

    Source
    ------
    ``derivations/expansions.py``.

    Examples
    --------
    >>> import sympy, symbias as sb
    >>> from symbias.functions import h
    >>> sb.expansions.at_end(h(4, sympy.Symbol("t")), terms=2).sum
    -1/16 + 1/(4*(1 - t)**2)
    """
    if isinstance(function, DepthFunction) and not isinstance(function, OnInterval):
        raise PoleError(f"{function} is defined for every argument: call expansions.at_infinity")
    name, depth, t = _folded(function, AT_END, "at_end", terms)
    if depth == 2:
        raise PoleError(f"the domain of {function} has no end (c(2) = oo): sympy.expand_func gives its elementary form")
    distance = c(depth) - t
    powers = []
    for e, a in leading(AT_END[name], depth, terms + 1):
        exponent = sympy.cancel(e / (depth - 2))
        powers.append((exponent, a * (depth - 2) ** exponent * distance**exponent))
    return expansion(function, S.Zero, powers, terms, gauge=distance, variable=t, goal=c(depth))


def _folded(function, table, door: str, terms) -> tuple[str, sympy.Expr, sympy.Expr]:
    names = ", ".join(f"{name}(depth, x)" for name in table)
    if function is S.NaN:
        raise BadInput(f"{door} was given nan, which is what {names} are at a depth that is not an integer >= 2")
    if not isinstance(function, DepthFunction):
        raise BadInput(f"{door} expands one of {names}, not {function}")
    forbid_floats(function, door)
    check_terms(terms, door)
    if function.args[1].is_number:
        raise PoleError(f"{function.args[1]} is a number and goes nowhere: .evalf() gives the value of {function}")
    return type(function).__name__, depth_at_door(function.args[0], door), function.args[1]

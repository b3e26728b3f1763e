r"""Expansions with any number of terms: the functions of Lemma 4 at 0, at infinity and at the end of the domain, and the
potential of Theorem 5 at both ends of alpha.

Where SymPy's ``.series`` needs a number for the depth, these take a symbol too: the exponents depend on it, so what is asked
for is a number of terms, not an order. A symbolic depth stands for a depth >= 3 in what follows c(depth) or a power of alpha.
"""

from dataclasses import dataclass
from typing import Any

import sympy
from sympy import PoleError, S, log

from symbias.errors import BadInput
from symbias.exact import forbid_floats
from symbias.functions.base import DepthFunction, OnInterval
from symbias.functions.doors import depth_at_door
from symbias.functions.ends import leading
from symbias.functions.lemma_4 import c
from symbias.functions.local_series import AT_END, AT_INFINITY, AT_ZERO, infinity_head
from symbias.functions.potential import potential, symbolic_coordinates
from symbias.functions.series import H_at_zero, Terms
from symbias.verdict import Result

Scaled = list[tuple[Any, sympy.Expr]]  # (exponent of the small quantity, term), the terms that follow each other


@dataclass(frozen=True, eq=False)
class Expansion(Result):
    """``function = sum + next + ...`` as ``variable`` goes to ``goal``.

    ``next`` is the first term left out and not zero; it is of order ``order`` in ``gauge`` (variable, goal - variable, ...),
    which is what a check of the limit compares its observed order with.
    """

    function: sympy.Expr
    sum: sympy.Expr
    next: sympy.Expr
    order: sympy.Expr
    gauge: sympy.Expr
    variable: sympy.Expr
    goal: sympy.Expr

    def to_latex(self) -> str:
        limit = rf"\quad {sympy.latex(self.variable)} \to {sympy.latex(self.goal)}"
        gauge = sympy.latex(self.gauge) if self.gauge.is_Symbol else rf"\left({sympy.latex(self.gauge)}\right)"
        rest = rf"O\!\left({gauge}^{{{sympy.latex(self.order)}}}\right)"
        return f"{sympy.latex(self.function)} &= {sympy.latex(self.sum)} + {rest}, {limit}"


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
    return _expansion(function, S.Zero, powers, terms, gauge=x, variable=x, goal=S.Zero)


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
    if y.is_negative:
        raise PoleError(f"{y} is negative, so it does not go to oo: expand at {-y} and use the parity of {name}")
    head = infinity_head(name, depth, y)
    powers = [(e, a * y**e) for e, a in leading(AT_INFINITY[name], depth, terms + 1)]
    return _expansion(function, head, powers, terms, gauge=y, variable=y, goal=S.Infinity)


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
    return _expansion(function, S.Zero, powers, terms, gauge=distance, variable=t, goal=c(depth))


def potential_alpha_to_zero(rho, *, depth, alpha, eta, terms: int = 2) -> Expansion:
    r"""The potential of Theorem 5 as alpha -> 0, with a_j = alpha |eta_j|.

    .. math:: Q = c_L \sum_j |\rho_j| a_j^{2-L} - \frac{L}{2(L-2)} \sum_j |\rho_j|^{2/L}
                  + \frac{L-1}{2L} \sum_j a_j^2 - \ldots \qquad (L \ge 3)

    a weighted l1 norm corrected by an l_{2/L} quasi-norm; for depth 2
    :math:`\frac12 \sum_j |\rho_j| (\log(4|\rho_j|/a_j^2) - 1) + \frac14 \sum_j a_j^2 - \ldots`

    Parameters
    ----------
    rho : vector of SymPy expressions or exact numbers
        Entries that are exactly 0 contribute nothing; a symbol is taken to be nonzero.
    depth : integer >= 2, or a symbol (>= 3)
    alpha : positive symbol
    eta : vector, no entry zero, or one number
    terms : integer >= 1
        Number of orders in alpha of the sum.

    Returns
    -------
    Expansion
        ``order`` is the exponent of alpha in the first order left out.

    Raises
    ------
    BadInput
        As ``potential``; terms < 1; rho = 0, where the potential is 0.

    Source
    ------
    ``derivations/expansions.py``.

    Examples
    --------
    >>> import sympy, symbias as sb
    >>> rho, alpha = sympy.symbols("rho alpha", positive=True)
    >>> made = sb.expansions.potential_alpha_to_zero([rho], depth=4, alpha=alpha, eta=[1], terms=2)
    >>> made.sum, made.next, made.order
    (-sqrt(rho) + rho/alpha**2, 3*alpha**2/8, 2)
    """
    rho, depth, alpha, eta = symbolic_coordinates(rho, depth, alpha, eta, "potential_alpha_to_zero")
    _count(terms, "potential_alpha_to_zero")
    tail = leading(AT_INFINITY["H"], depth, terms)
    orders: Scaled = [(2 - depth, S.Zero)] + [(sympy.expand(2 - depth * e), S.Zero) for e, _ in tail]
    for r, e in zip(rho, eta, strict=True):
        if r.is_zero:
            continue
        size = abs(r)
        head = (
            size * (log(4 * size / (alpha * e) ** 2) - 1) / 2
            if depth == 2
            else c(depth) * size * _power(alpha, e, 2 - depth)
        )
        added = [head] + [w * size**k * _power(alpha, e, 2 - depth * k) for k, w in tail]
        orders = [(k, old + new) for (k, old), new in zip(orders, added, strict=True)]
    if orders[0][1] == 0:
        raise BadInput("rho is 0, where the potential is 0 for every alpha: there is nothing to expand")
    function = potential(rho, depth=depth, alpha=alpha, eta=eta)
    return _expansion(function, S.Zero, orders, terms, gauge=alpha, variable=alpha, goal=S.Zero)


def potential_alpha_to_infinity(rho, *, depth, alpha, eta, terms: int = 1) -> Expansion:
    r"""The potential of Theorem 5 as alpha -> oo.

    .. math:: Q = \frac{\alpha^{2-2L}}{2} \sum_j \frac{\rho_j^2}{|\eta_j|^{2L-2}}
                  - \frac{L-1}{6} \alpha^{2-4L} \sum_j \frac{\rho_j^4}{|\eta_j|^{4L-2}} + \ldots

    a weighted l2 norm squared.

    Parameters
    ----------
    rho, depth, alpha, eta, terms
        As in ``potential_alpha_to_zero``; a symbolic depth stands for any depth >= 2 here.

    Returns
    -------
    Expansion
        ``order`` is the exponent of alpha in the first order left out; it converges for alpha^L above
        max |rho_j| / (|eta_j|^L radius).

    Raises
    ------
    BadInput
        As ``potential``; terms < 1.

    Source
    ------
    ``derivations/series.py``, ``derivations/expansions.py``.

    Examples
    --------
    >>> import sympy, symbias as sb
    >>> rho, alpha = sympy.symbols("rho alpha", positive=True)
    >>> made = sb.expansions.potential_alpha_to_infinity([rho], depth=3, alpha=alpha, eta=[2])
    >>> made.sum, made.order
    (rho**2/(32*alpha**4), -10)
    """
    rho, depth, alpha, eta = symbolic_coordinates(rho, depth, alpha, eta, "potential_alpha_to_infinity")
    _count(terms, "potential_alpha_to_infinity")
    orders: Scaled = []
    for k, w in H_at_zero(depth, terms + 1):
        total = sum((w * r**k * _power(alpha, e, 2 - depth * k) for r, e in zip(rho, eta, strict=True)), S.Zero)
        orders.append((sympy.expand(2 - depth * k), total))
    function = potential(rho, depth=depth, alpha=alpha, eta=eta)
    return _expansion(function, S.Zero, orders, terms, gauge=alpha, variable=alpha, goal=S.Infinity)


def _power(alpha, eta, exponent):
    """a^exponent for a = alpha |eta|."""
    exponent = sympy.expand(exponent)
    return alpha**exponent * abs(eta) ** exponent


def _folded(function, table, door: str, terms) -> tuple[str, sympy.Expr, sympy.Expr]:
    names = ", ".join(f"{name}(depth, x)" for name in table)
    if not isinstance(function, DepthFunction):
        raise BadInput(f"{door} expands one of {names}, not {function}")
    forbid_floats(function, door)
    _count(terms, door)
    return type(function).__name__, depth_at_door(function.args[0], door), function.args[1]


def _count(terms, door: str) -> None:
    if isinstance(terms, bool) or not isinstance(terms, int) or terms < 1:
        raise BadInput(f"{door} needs a number of terms >= 1, not {terms!r}")


def _expansion(function, head, powers: Terms, terms: int, gauge, variable, goal) -> Expansion:
    inside = terms - (head != 0)
    order, left_out = powers[inside]
    total = sum((term for _, term in powers[:inside]), head)
    return Expansion(function, total, left_out, sympy.expand(order), gauge, variable, goal)

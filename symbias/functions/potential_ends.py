r"""The potential of Theorem 5 at both ends of alpha, any number of orders."""

from typing import Any

import sympy
from sympy import S, log

from symbias.errors import BadInput
from symbias.functions.ends import leading
from symbias.functions.expansion import Expansion, check_terms, expansion
from symbias.functions.lemma_4 import c
from symbias.functions.local_series import AT_INFINITY
from symbias.functions.potential import potential, symbolic_coordinates
from symbias.functions.series import H_at_zero

Scaled = list[tuple[Any, sympy.Expr]]  # (exponent of alpha, the terms of that order)


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
    rho, depth, alpha, eta = _at_door(rho, depth, alpha, eta, terms, "potential_alpha_to_zero")
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
    return expansion(function, S.Zero, orders, terms, gauge=alpha, variable=alpha, goal=S.Zero)


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
    rho, depth, alpha, eta = _at_door(rho, depth, alpha, eta, terms, "potential_alpha_to_infinity")
    orders: Scaled = []
    for k, w in H_at_zero(depth, terms + 1):
        total = sum((w * r**k * _power(alpha, e, 2 - depth * k) for r, e in zip(rho, eta, strict=True)), S.Zero)
        orders.append((sympy.expand(2 - depth * k), total))
    function = potential(rho, depth=depth, alpha=alpha, eta=eta)
    return expansion(function, S.Zero, orders, terms, gauge=alpha, variable=alpha, goal=S.Infinity)


def _at_door(rho, depth, alpha, eta, terms, door: str):
    check_terms(terms, door)
    made = symbolic_coordinates(rho, depth, alpha, eta, door)
    if made[2].is_number:
        raise BadInput(
            f"{door} needs a symbol for alpha, not {alpha}: a number goes nowhere; symbias.potential takes it"
        )
    return made


def _power(alpha, eta, exponent):
    """a^exponent for a = alpha |eta|."""
    exponent = sympy.expand(exponent)
    return alpha**exponent * abs(eta) ** exponent

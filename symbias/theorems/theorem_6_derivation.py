"""Theorem 6, derived: the flow is linear in nu, its solution, g and its monotonicity, and the rates of the end alpha
-> 0.
"""

import sympy

from symbias.derivation import Section
from symbias.networks.base import Network
from symbias.proof import Step, check

_nu = sympy.Symbol("nu", real=True)
_s = sympy.Symbol("s", positive=True)
_first, _second = sympy.symbols("etabar_1 etabar_2", real=True)


@check
def in_exponentials(lhs, rhs):
    """lhs - rhs as a polynomial in e^{s nu}, its inverse and the coefficients; entrywise for tuples."""
    if isinstance(lhs, sympy.Tuple):
        return tuple(in_exponentials(a, b) for a, b in zip(lhs, rhs, strict=True))
    return sympy.expand((lhs - rhs).rewrite(sympy.exp))


def solution() -> tuple[sympy.Expr, sympy.Expr]:
    """eta_1 and eta_2 of one singular direction at nu, without alpha."""
    cosh, sinh = sympy.cosh(_s * _nu), sympy.sinh(_s * _nu)
    return _first * cosh + _second * sinh, _first * sinh + _second * cosh


def g() -> sympy.Expr:
    """The term of one singular direction in g(nu)."""
    cosh, sinh = sympy.cosh(2 * _s * _nu), sympy.sinh(2 * _s * _nu)
    return _s * ((_first**2 + _second**2) / 2 * sinh + _first * _second * cosh)


def steps() -> tuple[Step, ...]:
    """The steps of the proof, for one singular direction; the directions do not meet except through nu.

    Source
    ------
    arXiv:2010.02501v3, proof of Theorem 6; the exponential form and the rates: derivations/theorem_6.py.
    """
    one, two = solution()
    plus, minus = (_first + _second) ** 2, (_first - _second) ** 2
    return (
        Step(
            "Start",
            sympy.Tuple(one.subs(_nu, 0), two.subs(_nu, 0)),
            sympy.Tuple(_first, _second),
            "cosh 0 = 1 and sinh 0 = 0",
            "polynomial_identity",
        ),
        Step(
            "The flow in nu = -int r dt is linear: eta_1' = s eta_2, eta_2' = s eta_1",
            sympy.Tuple(one.diff(_nu), two.diff(_nu)),
            sympy.Tuple(_s * two, _s * one),
            "v_1' = -r M(x) v_2 in time, and M(x) U_2 = U_1 diag(s); what U_l does not see has no derivative",
            "in_exponentials",
        ),
        Step(
            "The output is alpha^2 g(nu)",
            _s * one * two,
            g(),
            "f = v_1^T M(x) v_2 = sum_j s_j eta_1j eta_2j, by the addition theorems",
            "in_exponentials",
        ),
        Step(
            "g in exponentials, with P = (eta_1 + eta_2)^2 and N = (eta_1 - eta_2)^2",
            g(),
            _s / 4 * (plus * sympy.exp(2 * _s * _nu) - minus * sympy.exp(-2 * _s * _nu)),
            "eta_1 + eta_2 grows like e^{s nu} and eta_1 - eta_2 decays like e^{-s nu}",
            "in_exponentials",
        ),
        Step(
            "g increases: g' = s^2 (eta_1^2 + eta_2^2) >= 0",
            g().diff(_nu),
            _s**2 * (one**2 + two**2),
            "a sum of squares, zero only where both blocks are orthogonal to the singular direction",
            "in_exponentials",
        ),
        Step(
            "Conserved: eta_1^2 - eta_2^2",
            one**2 - two**2,
            _first**2 - _second**2,
            "cosh^2 - sinh^2 = 1",
            "in_exponentials",
        ),
        Step(
            "The hypothesis makes P and N positive",
            plus * minus,
            (_first**2 - _second**2) ** 2,
            "P N = (eta_1^2 - eta_2^2)^2 >= lambda^2 > 0, so g runs from -oo to oo and g(nu) = y/alpha^2 has one root. "
            "It is enough that some P (y > 0) or some N (y < 0) is not zero",
            "polynomial_identity",
        ),
    )


def small_alpha() -> tuple[Step, ...]:
    """The end alpha -> 0 for y > 0: nu from the leading exponential, and the powers of alpha of the other
    directions.
    """
    alpha, y, top, P = sympy.symbols("alpha y s_1 P", positive=True)
    log_alpha = sympy.log(alpha)
    leading = sympy.log(4 * y / (top * P)) / (2 * top) - log_alpha / top
    power = sympy.expand(log_alpha + _s * leading)
    return (
        Step(
            "nu for small alpha: (s_1/4) P e^{2 s_1 nu} = y / alpha^2",
            sympy.expand(2 * top * leading),
            sympy.expand(sympy.log(4 * y / (top * P)) - 2 * log_alpha),
            "the largest s_j with P_j != 0 carries the output; all other terms of g are smaller by a power of alpha",
            "polynomial_identity",
        ),
        Step(
            "A direction of singular value s ends at alpha e^{s nu}, a multiple of alpha^{1 - s/s_1}",
            power.coeff(log_alpha),
            1 - _s / top,
            "so rho_j is of order alpha^{2 (1 - s_j/s_1)}, and what the U_l do not see of order alpha",
            "polynomial_identity",
        ),
    )


def derive(network: Network, one_sample: bool = False) -> list[Section]:
    """The sections for a network of depth 2, none for others."""
    if network.depth != 2 or network.name == "difference_of_powers":
        return []
    text = (
        "Depth 2 and one sample: M(x) = U_1 diag(s) U_2^T is a matrix, and each pair of singular vectors moves on its "
        "own. "
        "The steps are for one pair."
    )
    rates = "The singular value s_1 wins; a direction of singular value s < s_1 dies out with a power of alpha."
    return [Section("Theorem 6", text, steps()), Section("Theorem 6 for small alpha", rates, small_alpha())]

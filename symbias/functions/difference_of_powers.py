r"""Difference of powers, f = x.(w_+^L - w_-^L) from w_+ = w_- = alpha w: its h, its q_L and both ends, for every depth.

.. math:: h(z) = (1-z)^{-k} - (1+z)^{-k}, \quad k = \tfrac{L}{L-2}, \quad -1 < z < 1 \quad (L \ge 3), \qquad
          h(z) = 2 \sinh z \quad (L = 2)

and the limit of the flow minimises :math:`\sum_j a_j^2 q_L(\beta_j / a_j^L)`, a_j = alpha |w_j|, q_L the integral of
the inverse of h. Here q_L is called ``difference_H`` because q is taken. Source: Woodworth et al. 2020;
``derivations/difference_of_powers.py``.
"""

import math

import numpy as np
import sympy
from sympy import S, asinh, sinh, sqrt

from symbias import exact
from symbias.functions import difference_numbers, truncated
from symbias.functions.base import DepthFunction, EvenPotential
from symbias.functions.doors import depth_at_door, integer_depth
from symbias.functions.potential import any_symbolic, numeric_coordinates, symbolic_coordinates
from symbias.functions.series import Terms
from symbias.precision import context, public, valid_digits


def power_of(depth):
    """k = L/(L-2)."""
    return depth / (depth - 2)


def difference_h(depth, z):
    r"""h(z), whose inverse is the gradient of the potential of a difference of powers.

    Parameters
    ----------
    depth : integer >= 2, or a symbol (>= 3)
    z : expression; -1 < z < 1 for depth >= 3

    Returns
    -------
    The expression.

    Examples
    --------
    >>> import sympy
    >>> from symbias.functions.difference_of_powers import difference_h
    >>> difference_h(4, sympy.Rational(1, 2))
    32/9
    """
    depth, z = depth_at_door(depth, "difference_h"), sympy.sympify(z)
    exact.forbid_floats(z, "difference_h")
    if depth == 2:
        return 2 * sinh(z)
    k = power_of(depth)
    return (1 - z) ** -k - (1 + z) ** -k


def difference_conjugate(depth, z):
    r"""The convex conjugate of ``difference_H``: the integral of h from 0 to z,
    :math:`\frac{1}{k-1} ((1-z)^{1-k} + (1+z)^{1-k} - 2)`; depth 2: 2 (cosh z - 1)."""
    depth, z = depth_at_door(depth, "difference_conjugate"), sympy.sympify(z)
    if depth == 2:
        return 2 * (sympy.cosh(z) - 1)
    k = power_of(depth)
    return ((1 - z) ** (1 - k) + (1 + z) ** (1 - k) - 2) * (depth - 2) / 2


class _Difference(DepthFunction):
    def _precise(self):
        return getattr(difference_numbers, type(self).__name__)

    def _eval_nseries(self, x, n, logx, cdir=0):
        if self.args[1].limit(x, 0).is_infinite:
            raise sympy.PoleError(f"{self} has two scales at infinity: call difference_of_powers.at_infinity(depth, y)")
        return super()._eval_nseries(x, n, logx, cdir)


class difference_h_inverse(_Difference):
    r"""The inverse of h: ``difference_h_inverse(depth, y)``, odd and increasing, onto (-1, 1) (depth 2: onto R).

    Parameters
    ----------
    depth : integer >= 2, or a symbol
    y : real

    Returns
    -------
    Folded, or 0 at 0, 1 (depth 2: oo) at oo. ``expand_func``: asinh(y/2) at depth 2.

    Accuracy
    --------
    ``.evalf(n)`` is correct to n digits for every y.

    Source
    ------
    Woodworth et al. 2020; ``derivations/difference_of_powers.py``.

    Examples
    --------
    >>> import sympy
    >>> from symbias.functions.difference_of_powers import difference_h_inverse
    >>> difference_h_inverse(4, sympy.Rational(32, 9)).evalf(20)
    0.50000000000000000000
    """

    name_latex = r"\bar h_{L}^{-1}"
    name_pretty = "h̄L⁻¹"

    @classmethod
    def special(cls, depth, argument):
        if argument in (S.Infinity, S.NegativeInfinity):
            end = S.Infinity if depth == 2 else S.One
            return end if argument is S.Infinity else -end
        return None

    def _slope(self):
        depth, y = self.args
        if depth == 2:
            return 1 / sqrt(4 + y**2)
        k = power_of(depth)
        return 1 / (k * ((1 - self) ** (-k - 1) + (1 + self) ** (-k - 1)))

    def _eval_expand_func(self, **hints):
        return asinh(self.args[1] / 2) if self.args[0] == 2 else self


class difference_H(_Difference, EvenPotential):
    r"""q_L of the difference of powers: ``difference_H(depth, y)``, the integral of the inverse of h; even, convex.

    .. math:: q_L(y) = y z - \frac{L-2}{2} \left((1-z)^{-2/(L-2)} + (1+z)^{-2/(L-2)} - 2\right), \qquad h(z) = y;

    depth 2: :math:`q_2(y) = 2 - \sqrt{4+y^2} + y\, \mathrm{asinh}(y/2)` (the hypentropy).

    Parameters
    ----------
    depth : integer >= 2, or a symbol
    y : real

    Returns
    -------
    Folded, or 0 at 0 and oo at both ends. ``expand_func``: the formula above.

    Accuracy
    --------
    ``.evalf(n)`` is correct to n digits for every y.

    Source
    ------
    Woodworth et al. 2020; ``derivations/difference_of_powers.py``.

    Examples
    --------
    >>> import sympy
    >>> from symbias.functions.difference_of_powers import difference_H
    >>> sympy.expand_func(difference_H(2, sympy.Symbol("y")))
    y*asinh(y/2) - sqrt(y**2 + 4) + 2
    """

    name_latex = r"\bar q_{L}"
    name_pretty = "q̄L"

    def _slope(self):
        return difference_h_inverse(*self.args)

    def _eval_expand_func(self, **hints):
        depth, y = self.args
        if depth == 2:
            return 2 - sqrt(4 + y**2) + y * asinh(y / 2)
        z = difference_h_inverse(depth, y)
        return y * z - difference_conjugate(depth, z)


def difference_potential(beta, *, depth, alpha, w, digits=None):
    r"""The potential of a difference of powers: :math:`\sum_j a_j^2 q_L(\beta_j/a_j^L)`, a_j = alpha |w_j|.

    Parameters
    ----------
    beta : vector (or one number)
        The linear coefficients, w_+^L - w_-^L.
    depth : integer >= 2, or a symbol when beta is symbolic
    alpha : positive number or symbol
    w : vector, no entry zero, or one number
        The common initial direction of w_+ and w_-.
    digits : integer, optional

    Returns
    -------
    As ``symbias.potential``: an expression for SymPy input, else float, or mpmath.mpf with ``digits``.

    Raises
    ------
    BadInput
        As ``symbias.potential``.

    Source
    ------
    Woodworth et al. 2020; ``derivations/difference_of_powers.py``.

    Examples
    --------
    >>> import sympy
    >>> from symbias.functions.difference_of_powers import difference_potential
    >>> beta = sympy.Symbol("beta", real=True)
    >>> difference_potential([beta], depth=3, alpha=1, w=[2])
    4*difference_H(3, beta/8)
    """
    valid_digits(digits)
    if digits is None and any_symbolic(beta, alpha, w):
        beta, depth, alpha, w = symbolic_coordinates(beta, depth, alpha, w, "difference_potential")
        terms = (
            alpha**2 * v**2 * difference_H(depth, b / (alpha**depth * abs(v) ** depth))
            for b, v in zip(beta, w, strict=True)
        )
        return sum(terms, S.Zero)
    depth = integer_depth(depth, "difference_potential")
    beta, alpha, w = numeric_coordinates(beta, alpha, w)
    ctx = context((digits or 16) + 10)
    scale = np.broadcast_to(exact.to_precise(alpha, ctx)[()] * abs(exact.to_precise(w, ctx)), beta.shape)
    total = ctx.zero
    for b, a in zip(exact.to_precise(beta, ctx), scale, strict=True):
        total += a**2 * difference_numbers.difference_H(ctx, depth, b / a**depth)
    return float(total) if digits is None else public(total, digits)


def difference_h_inverse_at_zero(depth, count: int) -> Terms:
    """The power series at 0, by Lagrange inversion of h(z) = sum 2 C(k+2j, 2j+1) z^(2j+1) (depth 2: of 2 sinh z)."""
    field, ell = truncated.field_of(depth), truncated.element(depth)
    if depth == 2:
        odd = [field(1) / math.factorial(2 * j + 1) for j in range(count)]
        first = field(2)
    else:
        k = ell / (ell - field(2))
        odd = [truncated.choose(k + field(2 * j), 2 * j + 1) / k for j in range(count)]
        first = 2 * k
    made = []
    for j in range(count):
        # z = y/first A: [y^n] z = [z^(n-1)] (z/h)^n / n.
        n = 2 * j + 1
        made.append((S(n), truncated.back(truncated.power(odd, field(-n))[j] / n / first**n, depth)))
    return made


def difference_H_at_zero(depth, count: int) -> Terms:
    return [(e + 1, a / (e + 1)) for e, a in difference_h_inverse_at_zero(depth, count)]


def at_infinity(depth, y):
    r"""q_L as y -> oo: (sum, next term); the l1 norm, an l_{2/L} quasi-norm and a constant, or at depth 2 a logarithm.

    .. math:: q_L(y) = y - \tfrac L2 y^{2/L} + (L-2)(1 - 2^{-L/(L-2)}) - 2^{-L/(L-2)} y^{-(L-2)/L} + \ldots, \quad
              q_2(y) = y (\log y - 1) + 2 - 1/y + \ldots

    Examples
    --------
    >>> import sympy
    >>> from symbias.functions.difference_of_powers import at_infinity
    >>> at_infinity(4, sympy.Symbol("y", positive=True))
    (-2*sqrt(y) + y + 3/2, -1/(4*sqrt(y)))
    """
    depth, y = depth_at_door(depth, "at_infinity"), sympy.sympify(y)
    exact.forbid_floats(y, "at_infinity")
    if depth == 2:
        return y * (sympy.log(y) - 1) + 2, -1 / y
    b = S(2) ** -power_of(depth)
    return y - depth * y ** (2 / depth) / 2 + (depth - 2) * (1 - b), -b * y ** ((2 - depth) / depth)

r"""The power series at 0 of the functions of Lemma 4, for every depth.

.. math:: h_L^{-1}(y) = \sum_{k\ge0} (-1)^k \binom{Lk+L-2}{k} \frac{y^{2k+1}}{2k+1},
          \qquad |y| < \sqrt{(L-1)^{L-1}/L^L},

by Lagrange inversion of y = q (1+q^2)^((L-1)/2) under t(q); H_L is its integral. The functions of t have no such closed
form for their coefficients; a recurrence gives them.
"""

from functools import lru_cache

import sympy
from sympy import Rational, S, binomial, hyper, sqrt

from symbias.functions import truncated
from symbias.functions.doors import depth_at_door, integer_depth
from symbias.functions.truncated import choose

Terms = list[tuple[sympy.Expr, sympy.Expr]]  # (exponent, coefficient), exponents increasing


def coefficient(depth, k):
    r"""The coefficient :math:`(-1)^k \binom{Lk+L-2}{k}/(2k+1)` of y^(2k+1) in h_inverse(depth, y).

    Parameters
    ----------
    depth, k : integers or symbols

    Returns
    -------
    An exact number; a polynomial in the depth for a concrete k; a binomial for a symbolic k.

    Raises
    ------
    BadInput
        A Float, a depth below 2.

    Source
    ------
    ``derivations/series.py`` (Lagrange inversion).

    Examples
    --------
    >>> from symbias.functions.series import coefficient
    >>> [coefficient(3, k) for k in range(4)]
    [1, -4/3, 21/5, -120/7]
    """
    depth, k = depth_at_door(depth, "coefficient"), sympy.sympify(k)
    top = depth * k + depth - 2
    count = sympy.factor(choose(top, int(k))) if k.is_Integer else binomial(top, k)
    return (-1) ** k * count / (2 * k + 1)


def radius(depth):
    r"""The radius of convergence :math:`\sqrt{(L-1)^{L-1}/L^L}` of the series of h_inverse and H at 0.

    Examples
    --------
    >>> from symbias.functions.series import radius
    >>> radius(2), radius(3)
    (1/2, 2*sqrt(3)/9)
    """
    depth = depth_at_door(depth, "radius")
    return sqrt((depth - 1) ** (depth - 1) / depth**depth)


def hypergeometric(depth, y):
    r"""h_inverse(depth, y) as a generalised hypergeometric function, for a concrete depth.

    .. math:: h_L^{-1}(y) = y\; {}_{L}F_{L-1}\!\left(\tfrac12, \tfrac{L-1}{L}, \tfrac{L+1}{L}, \ldots,
              \tfrac{2L-2}{L};\; \tfrac32, \tfrac{L}{L-1}, \ldots, \tfrac{2L-3}{L-1};\;
              -\tfrac{L^L}{(L-1)^{L-1}} y^2\right)

    Examples
    --------
    >>> import sympy
    >>> from symbias.functions.series import hypergeometric
    >>> hypergeometric(2, sympy.Symbol("y"))
    y*hyper((1/2, 1/2), (3/2,), -4*y**2)
    """
    above, below, argument = _parameters(integer_depth(depth, "hypergeometric"), y)
    return y * hyper((Rational(1, 2), *above), (Rational(3, 2), *below), argument)


def hypergeometric_potential(depth, y):
    """H(depth, y) as a generalised hypergeometric function: the integral of ``hypergeometric``."""
    above, below, argument = _parameters(integer_depth(depth, "hypergeometric_potential"), y)
    return y**2 / 2 * hyper((Rational(1, 2), S.One, *above), (Rational(3, 2), S(2), *below), argument)


def _parameters(depth: int, y):
    """(Lk+L-2)!/(k! ((L-1)k+L-2)!), constants aside, is prod ((L-1+j)/L)_k / prod ((L-1+i)/(L-1))_k scale^k / k!.

    scale = L^L/(L-1)^(L-1), j < L, i < L-1. The parameters 1 above (j = 1) and below (i = 0) cancel.
    """
    above = [Rational(depth - 1 + j, depth) for j in range(depth) if j != 1]
    below = [Rational(depth - 1 + i, depth - 1) for i in range(1, depth - 1)]
    return above, below, -Rational(depth**depth, (depth - 1) ** (depth - 1)) * y**2


def h_inverse_at_zero(depth, count: int) -> Terms:
    return [(S(2 * k + 1), coefficient(depth, k)) for k in range(count)]


def H_at_zero(depth, count: int) -> Terms:
    return [(S(2 * k + 2), coefficient(depth, k) / (2 * k + 2)) for k in range(count)]


def root_at_zero(depth, count: int) -> Terms:
    """q(y) = sum C(-(L-1)(2k+1)/2, k)/(2k+1) y^(2k+1), by Lagrange inversion of y = q (1+q^2)^((L-1)/2)."""
    depth = sympy.sympify(depth)
    return [(S(2 * k + 1), sympy.factor(choose(-(depth - 1) * (2 * k + 1) / 2, k) / (2 * k + 1))) for k in range(count)]


def p_at_zero(depth, count: int) -> Terms:
    return [(S(2 * k), a) for k, a in enumerate(_taylor(depth, count)[0])]


def q_at_zero(depth, count: int) -> Terms:
    return [(S(2 * k + 1), a) for k, a in enumerate(_taylor(depth, count)[1])]


def h_at_zero(depth, count: int) -> Terms:
    return [(S(2 * k + 1), a) for k, a in enumerate(_taylor(depth, count)[2])]


@lru_cache(maxsize=256)
def _taylor(depth, count: int):
    """Coefficients of p (t^2j), q and h (t^(2j+1)), j < count, from the equations of Lemma 4 themselves.

    With w = p^(L-2): q' = w p, p' = w q, and w' p = (L-2) p' w; h = w p q.
    """
    ell, field = truncated.element(depth), truncated.field_of(depth)
    zero = field.zero
    p, q, w = ([field.one] for _ in range(3))
    for j in range(1, count):
        p.append(sum((w[i] * q[j - 1 - i] for i in range(j)), zero) / (2 * j))
        w.append(sum(((i * (ell - 2) - (j - i)) * p[i] * w[j - i] for i in range(1, j + 1)), zero) / j)
        q.append(sum((w[i] * p[j - i] for i in range(j + 1)), zero) / (2 * j + 1))
    h = truncated.multiply(truncated.multiply(w, p), q)
    return tuple([truncated.back(a, depth) for a in series] for series in (p, q, h))

"""Truncated power series with exact coefficients, lists ``[a_0, a_1, ...]``: in Q(L), or in Q for a concrete depth.

One code serves both. (The zero of SymPy's field plus an int is that int: constants come from ``field_of(depth)``, lest
a division of ints give a float.)
"""

import sympy
from sympy import QQ
from sympy.polys.fields import FracElement, field

_FIELD, _L = field("L", QQ)


def field_of(depth):
    """Q(L) for a symbolic depth, Q for a number."""
    return QQ if sympy.sympify(depth).is_Integer else _FIELD


def element(depth):
    """The depth as an element of its field."""
    return QQ(int(depth)) if sympy.sympify(depth).is_Integer else _L


def back(value, depth):
    """The SymPy expression of a field element, factored, with the depth in the place of L."""
    if not isinstance(value, FracElement):
        return QQ.to_sympy(QQ(value))
    return sympy.factor(value.as_expr()).subs(sympy.Symbol("L"), depth)


def one_like(value):
    """The one of the ring that the value is in: a field, or SymPy's expressions."""
    return _FIELD.one if isinstance(value, FracElement) else sympy.S.One if isinstance(value, sympy.Basic) else QQ.one


def choose(top, k: int):
    """C(top, k) for a top in a field or in SymPy: top (top-1) ... (top-k+1) / k!."""
    value = one_like(top)
    for i in range(k):
        value = value * (top - i) / (i + 1)
    return value


def multiply(a, b):
    zero = a[0] * 0
    return [sum((a[i] * b[j - i] for i in range(j + 1)), zero) for j in range(len(a))]


def power(a, exponent):
    """a^exponent for a series with constant term 1 and any exponent of the field: f = a^e solves f' a = e a' f."""
    made, zero = [a[0]], a[0] * 0
    for j in range(1, len(a)):
        total = sum(((i * exponent - (j - i)) * a[i] * made[j - i] for i in range(1, j + 1) if a[i]), zero)
        made.append(total / j)
    return made


def binomial(exponent, count: int):
    """(1 + s)^exponent."""
    return [choose(exponent, j) for j in range(count)]


def shift(a):
    """s a(s)."""
    return [a[0] * 0, *a[:-1]]

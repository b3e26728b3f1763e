"""Truncated power series with exact coefficients in the field Q(L): lists ``[a_0, a_1, ...]`` of one fixed length.

A concrete depth is the constant L = depth of the same field, so that one code serves both. (The zero of SymPy's field
plus an int is that int: constants are made with FIELD(...), lest a division of ints give a float.)
"""

import sympy
from sympy import QQ
from sympy.polys.fields import FracElement, field

FIELD, _L = field("L", QQ)


def element(depth):
    """The depth as an element of Q(L): L itself for a symbol, a constant for a number."""
    return FIELD(int(depth)) if sympy.sympify(depth).is_Integer else _L


def back(value, depth):
    """The SymPy expression of a field element, factored, with the depth in the place of L."""
    return sympy.factor(value.as_expr()).subs(sympy.Symbol("L"), depth)


def choose(top, k: int):
    """C(top, k) for a top in the field or in SymPy: top (top-1) ... (top-k+1) / k!."""
    value = FIELD.one if isinstance(top, FracElement) else sympy.S.One
    for i in range(k):
        value = value * (top - i) / (i + 1)
    return value


def multiply(a, b):
    return [sum((a[i] * b[j - i] for i in range(j + 1)), FIELD.zero) for j in range(len(a))]


def power(a, exponent):
    """a^exponent for a series with constant term 1 and any exponent of the field: f = a^e solves f' a = e a' f."""
    made = [FIELD.one]
    for j in range(1, len(a)):
        total = sum(((i * exponent - (j - i)) * a[i] * made[j - i] for i in range(1, j + 1)), FIELD.zero)
        made.append(total / j)
    return made


def binomial(exponent, count: int):
    """(1 + s)^exponent."""
    return [choose(exponent, j) for j in range(count)]


def shift(a):
    """s a(s)."""
    return [FIELD.zero, *a[:-1]]

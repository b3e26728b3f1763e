r"""The other ends, term by term: y -> oo for h_inverse, root and H; t -> c_L for p, q and h. Depth L >= 3 unless said.

With x = 1/q and w = y^(-1/L), the equation y = q (1+q^2)^((L-1)/2) reads x = w (1+x^2)^((L-1)/(2L)), and Lagrange
inversion gives every coefficient in closed form; the sums converge exactly where the series at 0 do not. With
S(x) = 2F1((L-1)/2, (L-2)/2; L/2; -x^2) the distance to the end is c_L - t = x^(L-2) S/(L-2), and the functions of t are
series in D = ((L-2)(c_L - t))^(1/(L-2)).
"""

from functools import lru_cache

import sympy
from sympy import S

from symbias.functions import truncated
from symbias.functions.series import Terms
from symbias.functions.truncated import choose


def h_inverse_at_infinity(depth, count: int) -> Terms:
    """(exponent of y, coefficient) of h_inverse - c(depth); depth 2: of h_inverse - log(4y)/2. Zeros left out."""
    first = 1 if depth == 2 else 0
    terms = []
    for m in _without_one(count, first):
        size = depth - 2 + 2 * m
        terms.append((-size / depth, -choose((depth - 1) * (m - 1) / depth, m) / size))
    return _nonzero(terms)


def H_at_infinity(depth, count: int) -> Terms:
    """The same for H - c(depth) y; for depth 2 of H - y (log(4y) - 1)/2. The constant is (L-1)/(2L)."""
    if depth == 2:
        terms = [(S.Zero, S(1) / 4)]
    else:
        terms = [(S(2) / depth, -depth / (2 * (depth - 2))), (S.Zero, (depth - 1) / (2 * depth))]
    for m in _without_one(count, 2):
        top = (depth - 1) * (m - 1) / depth
        exponent = (2 - 2 * m) / depth
        terms.append((exponent, -choose(top, m) / ((depth - 2 + 2 * m) * exponent)))
    return _nonzero(terms)


def root_at_infinity(depth, count: int) -> Terms:
    """The same for root (any depth >= 2): C((L-1)(2m-1)/(2L), m)/(1-2m) y^((1-2m)/L)."""
    return _nonzero(
        [
            ((1 - 2 * m) / depth, choose((depth - 1) * (2 * m - 1) / (2 * depth), m) / (1 - 2 * m))
            for m in map(S, range(count))
        ]
    )


def h_at_end(depth, count: int) -> Terms:
    """(exponent of D, coefficient) of h: the coefficient of D^(2m-L) is [x^2m] S^(-(2m-2)/(L-2)); m = 1 vanishes."""
    return _nonzero([(2 * m - depth, _power(depth, (0, 2 * m - 2), (0, 0), m)) for m in range(count)])


def q_at_end(depth, count: int) -> Terms:
    """(exponent of D, coefficient) of q: [x^2m] (1+x^2)^(-(L-1)/2) S^(-(L-3+2m)/(L-2)) at D^(2m-1)."""
    return _nonzero([(S(2 * m - 1), _power(depth, (1, 2 * m - 3), (1, -1), m)) for m in range(count)])


def p_at_end(depth, count: int) -> Terms:
    """(exponent of D, coefficient) of p: [x^2m] (1+x^2)^(-(L-2)/2) S^(-(L-3+2m)/(L-2)) at D^(2m-1)."""
    return _nonzero([(S(2 * m - 1), _power(depth, (1, 2 * m - 3), (1, -2), m)) for m in range(count)])


def leading(table, depth, count: int) -> Terms:
    """The first ``count`` terms of a table that are not zero (at some depths a coefficient in between is)."""
    asked = count
    while len(table(depth, asked)) < count:
        asked += 2
    return table(depth, asked)[:count]


def _without_one(count: int, first: int):
    """m = first, first + 1, ..., without m = 1, whose coefficient C(0, 1) is 0 for every depth; ``count`` of them."""
    return [S(m) for m in range(first, first + count + 1) if m != 1][:count]


def _nonzero(terms: Terms) -> Terms:
    return [(exponent, sympy.factor(coefficient)) for exponent, coefficient in terms if coefficient != 0]


@lru_cache(maxsize=1024)
def _power(depth, size, twice, m: int):
    """[x^2m] of (1+x^2)^(-twice/2) S^(-size/(L-2)); size and twice are pairs (a, b) that stand for a L + b."""
    ell, constant = truncated.element(depth), truncated.field_of(depth)
    size, twice = (a * ell + constant(b) for a, b in (size, twice))
    s = [a * (ell - 2) / (ell - 2 + 2 * j) for j, a in enumerate(truncated.binomial((1 - ell) / 2, m + 1))]
    product = truncated.multiply(truncated.power(s, -size / (ell - 2)), truncated.binomial(-twice / 2, m + 1))
    return truncated.back(product[m], depth)

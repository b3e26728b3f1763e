"""t(q) = int_0^q (1 + u^2)^(-(L-1)/2) du in float64 blocks, and its limit c_L."""

from fractions import Fraction
from functools import lru_cache

import numpy as np

from symbias.kernels import precise
from symbias.precision import context


@lru_cache(maxsize=64)
def _cosine_sum(depth: int):
    """(a, b, j, x0, coefficients of R): t = a theta + g (b C^j + R(s^2 - x0)), s = sin(theta) = q/p, C = 1 - s^2.

    g = s for even L, s C^(1/2) for odd L; a = 0 for even L, b = 0 below depth 6. The recurrence
    n I_n = sin cos^(n-1) + (n-1) I_{n-2}, I_n = int_0^theta cos^n, n = L - 3, makes (t - a theta)/g a positive
    polynomial in C. Summed as it stands it takes up the rounding of 1 + q^2, several ulp of a small t, so it is
    expanded about s^2 = x0. C^j falls from 1 much as the sum does; taken out, it leaves R near 0 where t is small.
    j near L/6 and x0 keep a running error bound of this evaluation within 6 % of its least over j and x0 at most depths
    to 32 (33 % at 8, 22 % at 11). For even L it is reached at s = 1, where R = c is small beside its coefficients:
    hence x0 beyond the middle there.
    """
    factor = Fraction(1)
    rest: list[Fraction] = []
    for n in range(depth - 3, 0, -2):
        rest.append(factor / n)
        factor *= Fraction(n - 1, n)
    value_at_0 = sum(rest, Fraction(0)) if depth >= 6 else Fraction(0)
    j, x0 = (depth + 2) // 6, Fraction(1, 2) if depth % 2 else Fraction(9, 16)
    if value_at_0:
        rest[-1 - j] -= value_at_0
    centred = [Fraction(0)] * len(rest)
    for term in rest:
        # centred <- centred * C + term, with C = 1 - x0 - x
        shifted = [Fraction(0), *centred[:-1]]
        centred = [(1 - x0) * low - high for low, high in zip(centred, shifted, strict=True)]
        centred[0] += term
    terms = [float(term) for term in reversed(centred)]
    # The last coefficient takes up the rounding of the others at C = 0, so that t tends to c.
    at_end = 0.0
    for coefficient in terms:
        at_end = at_end * float(1 - x0) + coefficient
    terms[-1] += float(rest[-1] - Fraction(at_end))
    return float(factor), float(value_at_0), j, float(x0), terms


def time(depth: int, q):
    """t(q) for finite q."""
    if depth == 2:
        return np.arcsinh(q)
    if depth == 3:
        return np.arctan(q)
    angle, value_at_0, j, x0, terms = _cosine_sum(depth)
    odd = depth % 2
    z = q * q
    square = z + 1.0
    x = z / square
    x -= x0
    total = np.full_like(q, terms[0])
    for term in terms[1:]:
        total *= x
        total += term
    if not odd:
        np.sqrt(square, out=square)
    np.divide(q, square, out=square)
    total *= square
    if value_at_0:
        np.log1p(z, out=z)
        z *= -(j + (1.0 if odd else 0.5))
        np.exp(z, out=z)
        z *= value_at_0
        z *= q
        total += z
    if odd:
        theta = np.arctan(q, out=x)
        theta *= angle
        total += theta
    return total


@lru_cache(maxsize=64)
def end(depth: int):
    """c_L as an unevaluated sum of two float64, the nearest and the rest; (inf, 0) at depth 2."""
    ctx = context(48)
    exact = precise.c(ctx, depth)
    nearest = float(exact)
    return nearest, float(exact - nearest) if depth > 2 else 0.0

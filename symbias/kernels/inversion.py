"""From y to q and t in float64 blocks: the root of q (1 + q^2)^((L-1)/2) = y, and t(q) = int_0^q (1 + u^2)^(-(L-1)/2) du.

Everything is odd: signs, zeros included, pass through the formulas.
"""

from fractions import Fraction
from functools import lru_cache

import numpy as np

from symbias.kernels import precise
from symbias.precision import context

_CELLS = 32  # cells of the start table an octave of y: the start is right to 1/64
_SHIFT = 52 - 5  # drops all of the mantissa but the bits that number the 32 cells
_TINY = -31  # below 2^-31, q = y to less than an ulp: (L-1)/2 y^2 < 2^-58 up to L = 32
_HUGE = 2.0**1000


@lru_cache(maxsize=64)
def _start(depth: int):
    """q/y and log(q/y) at the middle of each cell of y; the first cell, y <= 2^-31, has q/y = 1 exactly."""
    bits = (np.arange((1023 + _TINY) * _CELLS, 2047 * _CELLS) << _SHIFT) + (1 << (_SHIFT - 1))
    log_y = np.log(bits.view(np.float64))
    # Newton on log q + (L-1)/2 log(1 + q^2) = log y, convex in log q: from the right it decreases to the root.
    log_q = np.minimum(log_y, log_y / depth)
    for _ in range(8):
        z = np.exp(2 * log_q)
        log_q -= (log_q + (depth - 1) / 2 * np.log1p(z) - log_y) * (1 + z) / (1 + depth * z)
    log_ratio = log_q - log_y
    log_ratio[0] = 0.0
    return np.exp(log_ratio), log_ratio


def _growth(depth: int, z, residual):
    """g such that q <- q (1 + g) is a third-order step towards h(q) = y; z = q^2, residual = log y - log h(q). Overwrites both.

    With A = dlog q/dlog y = (1+z)/(1+Lz):  g = A r (1 + (A - 2(L-1)z/(1+Lz)^2) r/2).
    """
    slope = z * depth
    slope += 1.0
    z /= slope
    z *= 1.0 - depth
    np.divide(z, slope, out=slope)
    slope *= 2.0
    z += 1.0
    slope += z
    slope *= residual
    slope *= 0.5
    slope += 1.0
    z *= residual
    z *= slope
    return z


def _log_root(depth: int, y):
    """q to a few ulp up to q = 1; beyond, its relative error is eps log(y)/L, which t(q) does not feel."""
    if depth == 3:
        return _cubic_root(y)
    ratio, log_ratio = _start(depth)
    cell = y.view(np.uint64) << 1  # drops the sign
    cell >>= _SHIFT + 1
    cell = cell.view(np.int64)
    cell -= (1023 + _TINY) * _CELLS
    power = (1.0 - depth) / 2
    factor = ratio.take(cell, mode="clip")  # q/y
    z = factor * y
    z *= z
    residual = np.log1p(z)
    residual *= power
    residual -= log_ratio.take(cell, mode="clip")
    growth = _growth(depth, z, residual)
    growth *= factor
    factor += growth
    q = factor * y
    np.multiply(q, q, out=z)
    np.log1p(z, out=residual)
    residual *= power
    residual -= np.log(factor, out=factor)
    growth = _growth(depth, z, residual)
    growth *= q
    q += growth
    return q


def _cubic_root(y):
    """q^3 + q = y by q = (2/sqrt 3) sinh(asinh(3 sqrt(3) y/2)/3), then a Newton step, which leaves the error of its last division."""
    q = y * (1.5 * 3**0.5)
    np.arcsinh(q, out=q)
    q *= 1 / 3
    np.sinh(q, out=q)
    q *= 2 / 3**0.5
    z = q * q
    q *= z
    q *= 2.0
    q += y
    z *= 3.0
    z += 1.0
    q /= z
    return q


def root(depth: int, y):
    """q: the logarithmic steps, then for q > 1 one Newton step with the power itself."""
    if depth == 2:
        q = y / np.sqrt(0.5 + np.hypot(0.5, y))
    elif depth == 3:
        # Beyond 2^1000 the cube would overflow, and q = y^(1/3) to all digits.
        q = np.where(np.abs(y) > _HUGE, np.cbrt(y), _cubic_root(y))
    else:
        q = _log_root(depth, y)
        z = q * q
        miss = y / q / np.power(1.0 + z, (depth - 1) / 2) - 1.0
        np.add(q, q * miss * (1.0 + z) / (1.0 + depth * z), out=q, where=z > 1.0)
    _keep_tiny(q, y, np.abs(y))
    np.copyto(q, y, where=np.isinf(y))
    return q


def _keep_tiny(out, y, size):
    """Where |y| < 2^-31 the value is y; this also keeps the sign of zero and the last bit of a subnormal."""
    if not size.min() >= 2.0**-500:
        np.copyto(out, y, where=size < 2.0**_TINY)


@lru_cache(maxsize=64)
def _cosine_sum(depth: int):
    """(a, b, j, coefficients of R): t = a theta + g (b C^j + R(s^2 - 1/2)), s = sin(theta) = q/p, C = 1 - s^2 = 1/p^2,
    with g = s and a = 0 for even L, g = s C^(1/2) for odd L. (For depth < 6, b = 0.)

    n I_n = sin cos^(n-1) + (n-1) I_{n-2}, I_n = int_0^theta cos^n, n = L - 3, makes t - a theta a positive polynomial in C.
    Summed as it stands it takes up the rounding of 1 + q^2, several ulp of a small t, so it is expanded about s^2 = 1/2. C^j
    with j near L/5 falls from 1 as the sum does; taken out, it leaves R near 0 where t is small and rounding counts.
    """
    factor, rest = Fraction(1), []
    for n in range(depth - 3, 0, -2):
        rest.append(factor / n)
        factor *= Fraction(n - 1, n)
    value_at_0 = sum(rest) if depth >= 6 else Fraction(0)
    j = depth // 5
    if value_at_0:
        rest[-1 - j] -= value_at_0
    centred = [Fraction(0)] * len(rest)
    for term in rest:
        # centred <- centred * C + term, with C = 1/2 - x
        centred = [low / 2 - high for low, high in zip(centred, [Fraction(0), *centred[:-1]], strict=True)]
        centred[0] += term
    terms = [float(term) for term in reversed(centred)]
    # The last coefficient takes up the rounding of the others at C = 0, so that t tends to c.
    at_end = terms[0]
    for term in terms[1:]:
        at_end = at_end * 0.5 + term
    terms[-1] += float(rest[-1] - Fraction(at_end))
    return float(factor), float(value_at_0), j, terms


def time(depth: int, q):
    """t(q) for finite q."""
    if depth == 2:
        return np.arcsinh(q)
    if depth == 3:
        return np.arctan(q)
    angle, value_at_0, j, terms = _cosine_sum(depth)
    odd = depth % 2
    z = q * q
    square = z + 1.0
    x = z / square
    x -= 0.5
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


def h_inverse(depth: int, y):
    """t(q(y)), never beyond the float64 nearest to c."""
    size = np.abs(y)
    # c - t is near (1/k) y^(-k/L), k = L - 2: below 2^40 it is more than the rounding of t, beyond 2^200 less than 2^-66 c.
    large = not size.max() < 2.0**40
    if depth == 2:
        return np.arcsinh(root(2, y)) if large else 0.5 * np.arcsinh(2.0 * y)
    t = time(depth, _log_root(depth, np.clip(y, -(2.0**200), 2.0**200) if large else y))
    _keep_tiny(t, y, size)
    if large:
        last = end(depth)[0]
        np.clip(t, -last, last, out=t)
    return t

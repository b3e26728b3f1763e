"""From y to q in float64 blocks: q is the root of q (1 + q^2)^((L-1)/2) = y.

Everything is odd: signs, zeros included, pass through the formulas.
"""

from functools import lru_cache

import numpy as np

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
    """g such that q <- q (1 + g) is a third-order step towards h(q) = y, from z = q^2 and residual = log y - log h(q).

    Overwrites both: every temporary counts.
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
    """q to a few ulp up to q = 1; beyond, its relative error is eps log(y)/L, for root to correct."""
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


def cubic_root(y):
    """q^3 + q = y by q = (2/sqrt 3) sinh(asinh(3 sqrt(3) y/2)/3), then a Newton step (2 q^3 + y)/(3 q^2 + 1)."""
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
        q = cubic_root(y)
        z = q * q
        q -= (q - y + q * z) / (3.0 * z + 1.0)  # q - y is exact where q^3 is small
        # Beyond 2^1000 the cube would overflow, and q = y^(1/3) to all digits.
        q = np.where(np.abs(y) > _HUGE, np.cbrt(y), q)
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

"""h_L^{-1} in float64 blocks, from depth 4 on by a table: a Taylor polynomial in each of 32 cells an octave of y.

The distance from y to the middle Y of its cell is exact and at most Y/65: all errors but the roundings of t(Y) and of
the last sum shrink by that factor. h_L^{-1} is singular only on the imaginary axis (q^2 = -1/L), no nearer to Y than 0,
so the k-th term is below 65^-k. The middles are chosen so that their q are float64; t(Y) comes from integers over
2^160.
"""

import math
from functools import lru_cache

import numpy as np

from symbias.kernels.inversion import cubic_root, root
from symbias.kernels.times import end
from symbias.precision import context

_CELLS = 32  # an octave
_SHIFT = 52 - 5  # drops all of the mantissa but the bits that number the cells
_TINY = -31  # below 2^-31, t = y to less than an ulp: (L-1)/2 y^2 < 2^-58 up to L = 32
_ORDER = 8  # the next term is below 2^-58 t: 65^-9 times a coefficient below 2^-4
_ONE = 1 << 160

_fixed = np.frompyfunc(lambda x: int(math.ldexp(x, 160)), 1, 1)
_isqrt = np.frompyfunc(math.isqrt, 1, 1)


def h_inverse(depth: int, y):
    """t(q(y)), never beyond the float64 nearest to c."""
    if depth == 2:
        # The first form has one rounding less, but 2 y may overflow.
        return 0.5 * np.arcsinh(2.0 * y) if np.abs(y).max() < 2.0**1000 else np.arcsinh(root(2, y))
    if depth == 3:
        return np.arctan(cubic_root(y.clip(-(2.0**200), 2.0**200)))
    middles, rows = _table(depth)
    d = np.abs(y)
    np.minimum(d, 2.0 ** _top(depth), out=d)
    cell = d.view(np.int64) >> _SHIFT
    cell -= (1023 + _TINY) * _CELLS - 1
    term = middles.take(cell, mode="clip")
    d -= term
    t = rows[0].take(cell, mode="clip")
    for row in rows[1:]:
        t *= d
        t += row.take(cell, mode="clip", out=term)
    np.minimum(t, end(depth)[0], out=t)
    return np.copysign(t, y, out=t)


def _top(depth: int) -> int:
    """The octave at which c - t, near y^(-k/L)/k with k = L - 2, is below 2^-58 c."""
    return math.ceil(58 * depth / (depth - 2))


@lru_cache(maxsize=64)
def _table(depth: int):
    """The middles Y of the cells, and the Taylor coefficients of t at Y, highest first; t = y in the first cell."""
    bits = np.arange((1023 + _TINY) * _CELLS, (1023 + _top(depth)) * _CELLS + 1) << _SHIFT
    q = root(depth, (bits + (1 << (_SHIFT - 1))).view(np.float64))
    y, t = _exactly(depth, q)
    middles = (y / _ONE).astype(np.float64)
    slopes = _taylor(depth, q, middles)
    missed = (y - _fixed(middles)) / _ONE * slopes[0]
    values = ((t - _fixed(missed)) / _ONE).astype(np.float64)
    rows = [np.insert(row, 0, first) for row, first in zip([values, *slopes], np.eye(_ORDER + 1)[1], strict=True)]
    return np.insert(middles, 0, 0.0), rows[::-1]


def _exactly(depth: int, q):
    """h(q) = q p^(L-1) and t(q) over 2^160; n I_n = sin cos^(n-1) + (n-1) I_{n-2} up to n = L - 3, t = I_{L-3}."""
    ctx = context(48)
    angle = np.frompyfunc(lambda x: int(ctx.ldexp(ctx.atan(x), 160)), 1, 1)
    x = _fixed(q)
    p2 = _ONE + x * x // _ONE
    p, cos2 = _isqrt(p2 * _ONE), _ONE * _ONE // p2
    t, power, first = (angle(q), x * cos2 // _ONE, 2) if depth % 2 else (0 * x, x * _ONE // p, 1)
    for n in range(first, depth - 2, 2):
        t = (power + (n - 1) * t) // n
        power = power * cos2 // _ONE
    y = x if depth % 2 else x * p // _ONE
    for _ in range((depth - 1) // 2):
        y = y * p2 // _ONE
    return y, t


def _taylor(depth: int, q, y):
    """The derivatives of t at h(q) = y over k!, k = 1, 2, ...

    In x = y/Y - 1, z = q^2 and w = (1 + x) z' obey (1 + L z) w = 2 z (1 + z), and 2 Y (1 + x) t' = z'.
    """
    z, t = [q * q], [np.zeros_like(q)]
    w: list[np.ndarray] = []
    for k in range(_ORDER):
        square = sum(z[i] * z[k - i] for i in range(k + 1))
        carried = depth * sum(z[i] * w[k - i] for i in range(1, k + 1))
        w.append((2.0 * (z[k] + square) - carried) / (1.0 + depth * z[0]))
        z.append((w[k] - k * z[k]) / (k + 1))
        t.append(z[k + 1] / (2.0 * y) - k / (k + 1) * t[k])
    return [t[k] / y**k for k in range(1, _ORDER + 1)]

"""Gauss-Legendre quadrature to the precision of a context."""

import math
from typing import Any

import numpy as np
from mpmath.libmp import MPZ, from_man_exp, to_fixed

_FIRST = 14  # digits of SciPy's nodes


def rule(ctx, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights on [-1, 1], by Newton's iteration on the Legendre polynomial; kept on the context."""
    kept: dict[int, Any] = ctx.__dict__.setdefault("symbias_gauss_legendre", {})
    if count not in kept:
        from scipy.special import roots_legendre  # eigenvalues of a band: count^2 operations, and NumPy's count^3

        starts = roots_legendre(count)[0]
        pairs = [_node(ctx, count, float(start)) for start in starts[count // 2 :]]
        mirrored = [(-x, w) for x, w in pairs[::-1] if x]
        nodes, weights = zip(*(mirrored + pairs), strict=True)
        kept[count] = np.array(nodes, dtype=object), np.array(weights, dtype=object)
    return kept[count]


def _node(ctx, count: int, start: float):
    """The root of P_n near ``start``, and its weight 2 / ((1 - x^2) P_n'(x)^2).

    The digits double with every step and so does the precision. The weight is taken at the root by one Newton step of
    its own: d/dx (1 - x^2) P'^2 = 2 x P'^2 - 2 n (n + 1) P P'.
    """
    digits, x = _FIRST, ctx.mpf(start if abs(start) > 1e-12 else 0.0)
    while True:
        last = 2 * digits > ctx.dps + 5
        bits = ctx.prec + 20 if last else math.ceil(3.33 * 2 * digits) + 40
        # P is known to 2^-bits, and its slope near the ends is 1/(1 - x^2) times larger
        bits += 2 * math.ceil(math.log2(count + 1)) + 10
        value, before = (
            ctx.make_mpf(from_man_exp(part, -bits)) for part in _legendre(to_fixed(x._mpf_, bits), count, bits)
        )
        inside = 1 - x * x
        slope = count * (before - x * value) / inside
        move = -value / slope
        if last:
            square = (inside + 2 * x * move) * slope * slope - 2 * count * (count + 1) * value * slope * move
            return x + move, 2 / square
        x, digits = x + move, 2 * digits


def _legendre(x, count: int, bits: int):
    """P_n(x) and P_{n-1}(x), x and they in units of 2^-bits."""
    before, value = MPZ(1) << bits, MPZ(x)
    for k in range(2, count + 1):
        before, value = value, ((2 * k - 1) * (x * value >> bits) - (k - 1) * before) // k
    return value, before

"""Gauss-Legendre quadrature on intervals of length one at most, to the precision of a context."""

from typing import Any

import numpy as np


def rule(ctx, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights on [-1, 1], by Newton's iteration on the Legendre polynomial; kept on the context."""
    kept: dict[int, Any] = ctx.__dict__.setdefault("symbias_gauss_legendre", {})
    if count not in kept:
        starts = np.polynomial.legendre.leggauss(count)[0]
        pairs = [_node(ctx, count, start) for start in starts[count // 2 :]]
        mirrored = [(-x, w) for x, w in pairs[::-1] if x]
        nodes, weights = zip(*(mirrored + pairs), strict=True)
        kept[count] = np.array(nodes, dtype=object), np.array(weights, dtype=object)
    return kept[count]


def _node(ctx, count, start):
    """The root of P_n near ``start``, and its weight 2 / ((1 - x^2) P_n'(x)^2)."""
    x = ctx.mpf(float(start)) if abs(start) > 1e-12 else ctx.zero
    digits = 14
    while True:
        value, before = _legendre(ctx, count, x)
        slope = count * (x * value - before) / (x * x - 1)
        if digits > ctx.dps or not x:
            return x, 2 / ((1 - x * x) * slope * slope)
        x, digits = x - value / slope, 2 * digits


def _legendre(ctx, count, x):
    """P_n(x) and P_{n-1}(x)."""
    before, value = ctx.one, x
    for k in range(2, count + 1):
        before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k
    return value, before

"""From y to q and t at any precision, and the end of the domain."""

import math
from fractions import Fraction

from symbias.kernels.precise_steps import exp_of, half_power, log_of, refine
from symbias.precision import adopt


def end(ctx, depth: int):
    if depth == 2:
        return ctx.inf
    # c_L = ((L-4)/(L-3)) c_{L-2}, from c_3 = pi/2 and c_4 = 1.
    ratio = math.prod((Fraction(n - 1, n) for n in range(depth - 3, 1, -2)), start=Fraction(1))
    return ctx.mpf(ratio.numerator) / ratio.denominator * (ctx.pi / 2 if depth % 2 else 1)


def time(ctx, depth: int, q):
    """t(q): the integrals I_n = int_0^theta cos^n, n I_n = sin cos^(n-1) + (n-1) I_{n-2}, up to n = L - 3."""
    if not ctx.isfinite(q):
        return q if depth == 2 or ctx.isnan(q) else ctx.sign(q) * end(ctx, depth)
    if depth == 2:
        return ctx.asinh(q)
    cos2 = 1 / (1 + q * q)
    if depth % 2:
        time, power, first = ctx.atan(q), q * cos2, 2
    else:
        time, power, first = ctx.zero, q * ctx.sqrt(cos2), 1
    for n in range(first, depth - 2, 2):
        time = (power + (n - 1) * time) / n
        power *= cos2
    return time


def find_root(ctx, depth: int, y):
    """q by third-order steps on log h = log y, from a float64 start, at a precision that triples."""
    if y == 0 or not ctx.isfinite(y):
        return y

    def step(at, value):
        z = value * value
        slope = 1 + depth * z
        miss = adopt(at, y) / (value * half_power(at, 1 + z, depth - 1)) - 1
        bend = miss * (depth - 1) * z * (3 + depth * z) / (2 * slope * slope)
        return value * (1 + miss * (1 + z) / slope * (1 - bend)), miss

    return refine(ctx, ctx.sign(y) * exp_of(ctx, _log_start(depth, log_of(ctx, y))), step)


def _log_start(depth: int, target: float) -> float:
    """Newton in float64 on log q + (L-1)/2 log(1 + q^2) = log |y|: convex, from the right it decreases to the root."""
    log_q = min(target, target / depth)
    for _ in range(60):
        small = math.exp(-2 * abs(log_q)) if abs(log_q) < 350 else 0.0
        log_p2 = max(2 * log_q, 0.0) + math.log1p(small)
        excess = log_q + (depth - 1) / 2 * log_p2 - target
        log_q -= excess / (1 + (depth - 1) * (1 if log_q > 0 else small) / (1 + small))
        if excess < 1e-11 * (1 + abs(target)):
            break
    return log_q

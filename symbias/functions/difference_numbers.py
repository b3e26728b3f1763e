r"""Numbers for the difference of powers: h, its inverse and H, float64 arrays and mpmath.

With k = L/(L-2) and z = tanh s: h = 2 cosh(s)^k sinh(k s), and the integral of h is G = 2 (cosh(s)^(k-1) cosh((k-1)
s) - 1)/(k-1); neither cancels at either end. log h is convex and increasing in log s, so Newton from asinh(y/2)/k,
which is on the right, decreases to the root.
"""

import numpy as np

from symbias.errors import NotConverged
from symbias.precision import adopt, context

_GUARD = 10


def difference_h_inverse(ctx, depth: int, y):
    """z in (-1, 1) with (1-z)^(-k) - (1+z)^(-k) = y; depth 2: asinh(y/2)."""
    fine = context(ctx.dps + _GUARD)
    y = adopt(fine, y)
    if depth == 2:
        return adopt(ctx, fine.asinh(y / 2))
    return adopt(ctx, fine.sign(y) * fine.tanh(_rapidity(fine, depth, abs(y))))


def difference_H(ctx, depth: int, y):
    """y z - G(z), the integral of the inverse from 0 to y."""
    fine = context(ctx.dps + _GUARD)
    y = abs(adopt(fine, y))
    if depth == 2:
        return adopt(ctx, y * fine.asinh(y / 2) - 4 * fine.sinh(fine.asinh(y / 2) / 2) ** 2)
    s, k = _rapidity(fine, depth, y), fine.mpf(depth) / (depth - 2)
    grown = (k - 1) * _log_cosh(fine, s) + _log_cosh(fine, (k - 1) * s)
    return adopt(ctx, y * fine.tanh(s) - 2 * fine.expm1(grown) / (k - 1))


def _rapidity(ctx, depth: int, y):
    if y == 0:
        return y
    k = ctx.mpf(depth) / (depth - 2)
    s, target = ctx.asinh(y / 2) / k, ctx.log(y / 2)
    for _ in range(200):
        miss = k * _log_cosh(ctx, s) + ctx.log(ctx.sinh(k * s)) - target
        step = miss / (s * k * (ctx.tanh(s) + 1 / ctx.tanh(k * s)))
        s *= ctx.exp(-step)
        if abs(step) < ctx.mpf(10) ** (-(ctx.dps * 2) // 3):  # the next step would be below the precision
            return s
    raise NotConverged(f"Newton for the difference of powers at y = {ctx.nstr(y, 8)} did not converge")


def _log_cosh(ctx, s):
    return ctx.log1p(2 * ctx.sinh(s / 2) ** 2) if abs(s) < 1 else ctx.log(ctx.cosh(s))


def inverse_float(depth: int, y):
    """``difference_h_inverse`` for float64 arrays; 1 - z keeps its digits in ``rapidity_float``."""
    y = np.asarray(y, dtype=np.float64)
    return np.arcsinh(y / 2) if depth == 2 else np.sign(y) * np.tanh(rapidity_float(depth, np.abs(y)))


def rapidity_float(depth: int, y):
    """s = artanh z >= 0 for float64 y >= 0, so that 1 - z = 2/(exp(2s) + 1) near the end."""
    k = depth / (depth - 2)
    size = np.maximum(y, np.finfo(float).tiny)
    s, target = np.arcsinh(size / 2) / k, np.log(size / 2)
    for _ in range(60):
        log_sinh = np.where(k * s < 1, np.log(np.sinh(np.minimum(k * s, 1))), k * s + np.log(-np.expm1(-2 * k * s) / 2))
        miss = k * (s + np.log1p(np.exp(-2 * s)) - np.log(2)) + log_sinh - target
        step = miss / (s * k * (np.tanh(s) + 1 / np.tanh(k * s)))
        s = s * np.exp(-step)
        if np.all(np.abs(step) < 1e-9):  # quadratic convergence: the error left is below 1e-17
            return np.where(y == 0, 0.0, s)
    raise NotConverged("Newton for the difference of powers did not converge in float64")


def H_float(depth: int, y):
    """``difference_H`` for float64 arrays."""
    y = np.abs(np.asarray(y, dtype=np.float64))
    if depth == 2:
        return y * np.arcsinh(y / 2) - 4 * np.sinh(np.arcsinh(y / 2) / 2) ** 2
    s, k = rapidity_float(depth, y), depth / (depth - 2)
    grown = (k - 1) * np.log1p(2 * np.sinh(s / 2) ** 2) + np.log1p(2 * np.sinh((k - 1) * s / 2) ** 2)
    return y * np.tanh(s) - 2 * np.expm1(grown) / (k - 1)

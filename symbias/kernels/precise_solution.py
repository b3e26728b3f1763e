"""From t to q at any precision, for depths >= 3: on t itself in the middle of the domain, on T = c - t near its end."""

import math

from symbias.kernels.precise_inversion import end, time
from symbias.kernels.precise_steps import exp_of, half_power, log_of, refine, wider
from symbias.precision import adopt


def q_from_time(ctx, depth: int, t):
    """q(t). c - t is formed with as many bits again as t has, for t counts as exact."""
    fine = wider(ctx, 2 * _bits(t))
    t = adopt(fine, t)
    size = abs(t)
    if 2 * size <= end(ctx, depth):
        return _q_inside(ctx, depth, adopt(ctx, t))
    return ctx.sign(t) * _q_near_end(ctx, depth, adopt(ctx, end(fine, depth) - size))


def q_from_end(ctx, depth: int, to_end):
    """q(c - to_end)."""
    fine = wider(ctx, 2 * _bits(to_end))
    to_end, limit = adopt(fine, to_end), end(fine, depth)
    t = limit - to_end
    if 2 * abs(t) <= limit:
        return _q_inside(ctx, depth, adopt(ctx, t))
    return ctx.sign(t) * _q_near_end(ctx, depth, adopt(ctx, to_end if t > 0 else 2 * limit - to_end))


def _bits(x) -> int:
    return x._mpf_[3] if hasattr(x, "_mpf_") else 64


def _q_inside(ctx, depth: int, t):
    """Taylor steps of q(t): all its coefficients are positive, so from q = t the steps never go beyond the root."""
    if t == 0:
        return t

    def step(at, value):
        miss = adopt(at, t) - time(at, depth, value)
        return _taylor(at, depth, value, miss), miss / adopt(at, t)

    return refine(ctx, t, step, 3 * depth.bit_length())


def _q_near_end(ctx, depth: int, to_end):
    """Taylor steps again, for T(q) = to_end."""
    if not 0 < to_end < ctx.inf:
        return ctx.inf if to_end == 0 else ctx.nan

    def step(at, value):
        miss = _tail(at, depth, value) - adopt(at, to_end)
        return _taylor(at, depth, value, miss), miss / adopt(at, to_end)

    return refine(ctx, exp_of(ctx, _log_start(depth, log_of(ctx, to_end))), step, 3 * depth.bit_length())


def _taylor(ctx, depth: int, q, change):
    """q(t + change) to second order: q' = p^(L-1), q'' = (L-1) q p^(2L-4)."""
    p2 = 1 + q * q
    bend = change * (depth - 1) * q * half_power(ctx, p2, depth - 3) / 2
    return q + change * half_power(ctx, p2, depth - 1) * (1 + bend)


def _log_start(depth: int, target: float) -> float:
    """log q with log T(q) = target, in float64.

    With k = L - 2 and x = q/p, T = S/(p^k (1 + x)) < q^(-k)/k. log T is concave in log q: Newton from there decreases.
    """
    k = depth - 2
    log_q = -(math.log(k) + target) / k
    for _ in range(60):
        log_p = max(log_q, 0.0) + math.log1p(math.exp(-2 * abs(log_q))) / 2
        x = math.exp(log_q - log_p)
        s = _tail_sum(k, (1 - x) / (1 + x), 1.0, 1e-17)
        excess = math.log(s / (1 + x)) - (k * log_p + target)
        log_q += excess * s / (x * (1 + x))
        if abs(excess) < 1e-11 * (1 + abs(target)):
            break
    return log_q


def _tail(ctx, depth: int, q):
    """T(q) = c - t(q) for q > 0, to full relative precision: the difference, or where that loses too much the sum S."""
    k = depth - 2
    lost = k * (ctx.mag(1 + q * q) + 1) // 2 + 2 * k.bit_length()
    if lost < ctx.prec:
        fine = wider(ctx, lost)
        return adopt(ctx, end(fine, depth) - time(fine, depth, adopt(fine, q)))
    p2 = 1 + q * q
    e = q + ctx.sqrt(p2)
    return _tail_sum(k, 1 / (e * e), ctx.one, ctx.eps) / (half_power(ctx, p2, k - 1) * e)


def _tail_sum(k: int, r, one, eps):
    """S(r) = (2/k) (1 + (k-2)/(k+2) r + (k-2)(k-4)/((k+2)(k+4)) r^2 + ...), derived in solution.py."""
    total = term = one
    j = 2
    while abs(term) > eps:
        term *= r * (k - j) / (k + j)
        total += term
        j += 2
    return 2 * total / k

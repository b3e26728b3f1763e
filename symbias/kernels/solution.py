"""From t to q in float64 blocks, for depths >= 3: a power series inside the domain, the tail integral near its end.

T(q) = c_L - t(q) = int_q^oo (1 + u^2)^(-(L-1)/2) du. With x = q/p and a = (L-2)/2 it is int_x^1 (1 - u^2)^(a-1) du, and
integrating (1-u)^(a-1) by parts again and again gives, with e = p + q and r = (1-x)/(1+x) = e^(-2),

    T = S(r) / (p^(L-3) e),   S(r) = (1/a) (1 + (a-1)/(a+1) r + (a-1)(a-2)/((a+1)(a+2)) r^2 + ...):

positive terms that end by themselves for even L; for odd L the terms beyond r^a alternate and are small.
"""

from functools import lru_cache

import numpy as np

from symbias.kernels.times import end
from symbias.precision import context

_INSIDE = 0.75  # of c: the series at 0 converges like 0.57^n there; nearer to 0 the tail integral loses up to 2 bits


@lru_cache(maxsize=64)
def _series(depth: int):
    """Coefficients of q(t) = t sum_n a_n t^(2n), highest first, all positive; q' = (1 + q^2)^m, m = (L-1)/2.

    With w = t^2, P = 1 + q^2 = sum P_n w^n and q' = P^m = sum d_n w^n: P (P^m)' = m P' P^m, and (2n+1) a_n = d_n.
    """
    ctx = context(32)  # the sums for d_n cancel at small m
    m, limit = ctx.mpf(depth - 1) / 2, (_INSIDE * end(depth)[0]) ** 2
    a, d, square = [ctx.one], [ctx.one], [ctx.one]
    while a[-1] * limit ** (len(a) - 1) > 2.0**-56:
        n = len(a)
        square.append(sum(a[i] * a[n - 1 - i] for i in range(n)))
        d.append(sum((m * i - (n - i)) * square[i] * d[n - i] for i in range(1, n + 1)) / n)
        a.append(d[n] / (2 * n + 1))
    return [float(term) for term in reversed(a)]


@lru_cache(maxsize=64)
def _tail_sum(depth: int):
    """Coefficients of S(r), highest first."""
    a = (depth - 2) / 2
    terms = [1 / a]
    while abs(terms[-1]) > 2.0**-60 and len(terms) < 400:
        j = len(terms)
        terms.append(terms[-1] * (a - j) / (a + j))
    return terms[::-1]


def _horner(coefficients, x):
    total = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        total *= x
        total += coefficient
    return total


@lru_cache(maxsize=64)
def _start_grid(depth: int):
    """log T, ascending to the middle of the domain from 2^-1075, and log q there."""
    log_q = np.linspace(750.0 / (depth - 2) + 1.0, -np.log(depth) / 2 - 1.5, 2000)
    log_p = np.logaddexp(0.0, 2 * log_q) / 2
    log_e = np.logaddexp(log_q, log_p)
    return np.log(_horner(_tail_sum(depth), np.exp(-2 * log_e))) - (depth - 3) * log_p - log_e, log_q


def _tail_parts(depth: int, q):
    """p, e and S with T(q) = S/(p^(L-3) e). r = 1 - 2q/e is finer than e^(-2) where r is near 1."""
    p = np.hypot(1.0, q)
    e = p + q
    return p, e, _horner(_tail_sum(depth), 1.0 - 2.0 * q / e)


def _q_near_end(depth: int, to_end):
    """q with T(q) = to_end, for 0 <= to_end <= 0.25 c: two third-order steps, dq/dt = p^(L-1) = S p^2/(T e)."""
    if depth == 3:
        return 1.0 / np.tan(to_end)
    q = np.exp(np.interp(np.log(to_end), *_start_grid(depth)))
    power = (depth - 3) / 2
    for _ in range(2):
        p, e, s = _tail_parts(depth, q)
        # to_end p^(L-3): the rounding of 1 + q^2 would grow by (L-3)/2, harmless only where T falls as fast.
        half = p**power
        scaled = np.where(q < 1.0, to_end * np.exp(power * np.log1p(q * q)), to_end * half * half)
        s *= (1.0 - scaled * e / s) / e
        q += s * p * p * (1.0 + s * q * ((depth - 1) / 2))
    return np.where(to_end == 0.0, np.inf, q)


def _h_near_end(depth: int, to_end):
    """h = q p^(L-1) = q p^2 S/(to_end e): to_end carries the high power of p."""
    q = _q_near_end(depth, to_end)
    p, e, s = _tail_parts(depth, q)
    return np.where(to_end == 0.0, np.inf, q * p * p * s / (to_end * e))


def _q_inside(depth: int, t):
    """q(t) for |t| <= 0.75 c."""
    return t * _horner(_series(depth), t * t)


def _h_inside(depth: int, t):
    """h = q (1 + z)^m: where z = q^2 is small the rounding of 1 + z would grow by m more than an error of q does."""
    q = _q_inside(depth, t)
    z, m = q * q, (depth - 1) / 2
    return q * np.where(z < 1.0, np.exp(m * np.log1p(z)), (1.0 + z) ** m)


def q_from_time(depth: int, t):
    """q(t); infinite at the float64 c(depth) where that is not below c, nan beyond."""
    return _joined(depth, t, _q_inside, _q_near_end)


def h_from_time(depth: int, t):
    """h(t), with the same ends."""
    return _joined(depth, t, _h_inside, _h_near_end)


def _joined(depth: int, t, inside, near_end):
    nearest, rest = end(depth)
    limit = _INSIDE * nearest
    value = inside(depth, np.clip(t, -limit, limit))
    outside = ~(np.abs(t) <= limit)
    if outside.any():
        size = np.abs(t[outside])
        left = (nearest - size) + rest  # the difference is exact
        left[size == nearest] = max(rest, 0.0)
        left[size > nearest] = np.nan
        value[outside] = np.copysign(near_end(depth, left), t[outside])
    return value


def q_from_end(depth: int, to_end):
    """q(c - to_end) for 0 <= to_end <= 2c, negative beyond c; nan outside."""
    nearest, rest = end(depth)
    if depth == 3:
        return np.where((to_end >= 0.0) & (to_end <= 2 * nearest), 1.0 / np.tan(np.abs(to_end)), np.nan)
    limit = _INSIDE * nearest
    t = nearest - to_end
    q = _q_inside(depth, np.clip(t, -limit, limit))
    q += ((nearest - t - to_end) + rest) * (1.0 + q * q) ** ((depth - 1) / 2)  # what t has lost
    near, far = to_end < nearest - limit, to_end > nearest + limit
    q[near] = _q_near_end(depth, _not_below_0(to_end[near]))
    other = (2 * nearest - to_end[far]) + 2 * rest
    other[to_end[far] == 2 * nearest] = max(2 * rest, 0.0)
    q[far] = -_q_near_end(depth, _not_below_0(other))
    return q


def _not_below_0(x):
    return np.where(x < 0.0, np.nan, x + 0.0)  # + 0.0 turns -0 into 0

"""Lemma 4 in the 64-bit mantissas of np.longdouble, vectorised, written without symbias: for samples by the thousand.

An operation rounds to 2^-11 ulp of a float64; chains of a hundred stay below 0.1. Where np.longdouble has no more than
a float64 (or its last bits are unreliable), the same functions run point by point on the 60 digits of kernels_oracle.
"""

import kernels_oracle as oracle
import numpy as np
from kernels_oracle import mp

WIDE = np.finfo(np.longdouble).nmant == 63
POINTS = 20_000 if WIDE else 30


def wide(x):
    """A number of mpmath, rounded to 64 bits."""
    high = float(x)
    return np.longdouble(high) + np.longdouble(float(x - high))


def ulps(got, wanted):
    """|got - wanted| in units of the last place of the float64 nearest to ``wanted``."""
    if not WIDE:
        return np.array([oracle.ulps(g, w) for g, w in zip(got, wanted, strict=True)])
    return (np.abs(got - wanted) / np.spacing(np.abs(wanted.astype(np.float64)))).astype(np.float64)


def power(depth, q):
    """(1 + q^2)^((L-1)/2), without the rounding of 1 + q^2 where q is small."""
    m = np.longdouble(depth - 1) / 2
    return np.exp(m * np.log1p(np.minimum(q * q, 1))) * np.where(q > 1, (1 + q * q) / 2, 1) ** m


def root(depth, y, start):
    """The positive roots, from starts right to half the digits."""
    if not WIDE:
        return np.array([oracle.root(depth, v) for v in y])
    q = np.longdouble(start)
    for _ in range(2):
        q += q * (y / q / power(depth, q) - 1) * (1 + q * q) / (1 + depth * q * q)
    return q


def time(depth, q):
    """n I_n = sin cos^(n-1) + (n-1) I_{n-2}, I_n = int_0^theta cos^n: all terms positive."""
    if not WIDE:
        return np.array([oracle.time(depth, v) for v in q])
    if depth == 2:
        return np.arcsinh(q)
    cos2 = 1 / (1 + q * q)
    t, term, first = (np.arctan(q), q * cos2, 2) if depth % 2 else (0 * q, q * np.sqrt(cos2), 1)
    for n in range(first, depth - 2, 2):
        t = (term + (n - 1) * t) / n
        term = term * cos2
    return t


def to_end(depth, q):
    """c - t(q), by the 2F1 of the integral from q to infinity at (1-x)/(1+x) = e^-2, x = q/p, e = p + q."""
    p = np.sqrt(1 + q * q)
    total = term = 0 * q + 1
    for j in range(2, 200, 2):
        term = term * (depth - 2 - j) / (depth - 2 + j) / (p + q) ** 2
        total = total + term
    return total * 2 / (depth - 2) / (p ** (depth - 3) * (p + q))


def q_from_time(depth, t, start):
    """q at positive t, by second-order steps on t below c/2, on c - t beyond."""
    if not WIDE:
        return np.array([oracle.q_from_time(depth, v, s) for v, s in zip(t, start, strict=True)])
    if depth == 2:
        return np.sinh(np.longdouble(t))
    end, q = oracle.end(depth), np.longdouble(start)
    left = (float(end) - t) + wide(end - mp.mpf(float(end)))  # the first difference is exact where it is used
    beyond = t > float(end) / 2
    for _ in range(2):
        miss = np.where(beyond, to_end(depth, np.maximum(q, 0.05)) - left, t - time(depth, q)) * power(depth, q)
        q += miss * (1 + (depth - 1) * q / (1 + q * q) * miss / 2)
    return q

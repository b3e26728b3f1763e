"""Lemma 4 at 60 digits and more, written without symbias: bracketed roots, multiple angles, a hypergeometric series.

The kernels use neither: they refine with third-order steps and sum a recurrence in powers of the cosine.
"""

import math

import mpmath
import numpy as np

mp = mpmath.MPContext()
mp.dps = 60


def time(depth, q):
    """t(q) = int_0^theta cos^(L-3): by the multiple angles of cos^(L-3); near 0, where that cancels, by 2F1."""
    if abs(q) < 0.05:
        return q * mp.hyp2f1(0.5, mp.mpf(depth - 1) / 2, 1.5, -q * q)
    if depth == 2:
        return mp.sign(q) * mp.log(abs(q) + mp.sqrt(1 + q * q))
    n, theta = depth - 3, mp.atan(q)
    angles = ((mp.binomial(n, k), n - 2 * k) for k in range(n + 1))
    return mp.fsum(b * (mp.sin(m * theta) / m if m else theta) for b, m in angles) / mp.mpf(2) ** n


def end(depth):
    return mp.sqrt(mp.pi) * mp.gamma(mp.mpf(depth - 2) / 2) / (2 * mp.gamma(mp.mpf(depth - 1) / 2))


def _bracketed(function, low, high):
    """The root of an increasing function, by the Anderson-Bjoerck rule inside a bracket."""
    if function(high) == 0:
        return high
    return mp.findroot(function, (low, high), solver="anderson", tol=mp.mpf(10) ** (-2 * mp.dps + 20), maxsteps=400)


def root(depth, y):
    """q by a bracketed root in log q."""
    y = mp.mpf(y)
    if y == 0:
        return y
    m, target = mp.mpf(depth - 1) / 2, mp.log(abs(y))
    high = min(target, target / depth)
    log_q = _bracketed(lambda v: v + m * mp.log1p(mp.exp(2 * v)) - target, high - m * mp.log(2) - 1, high)
    return mp.sign(y) * mp.exp(log_q)


def q_from_time(depth, t, start):
    """q(t), the one root of an increasing function, by Newton steps from ``start`` that end by themselves."""
    t = mp.mpf(t)
    if t == 0 or depth == 2:
        return mp.sinh(t)
    return _newton(depth, lambda q: time(depth, q) - t, start)


def q_from_end(depth, to_end, start):
    to_end = mp.mpf(to_end)
    return _newton(depth, lambda q: to_end - (end(depth) - time(depth, q)), start)


def _newton(depth, miss, start):
    q = mp.mpf(start)
    for _ in range(20):
        change = miss(q) * mp.power(1 + q * q, mp.mpf(depth - 1) / 2)
        q -= change
        if abs(change) <= abs(q) * mp.mpf(10) ** (-mp.dps // 3):  # the next step would be twice as far down
            return q
    raise AssertionError(f"start {start} is not near a root")


def h_of(depth, q):
    return q * mp.power(1 + q * q, mp.mpf(depth - 1) / 2)


def growth(depth, q):
    """(1 + L q^2)/(1 + q^2) = dlog h/dlog q."""
    return (1 + depth * q * q) / (1 + q * q)


def ulps(got, want) -> float:
    """|got - want| in units of the last place of the float64 nearest to ``want``."""
    got, nearest = float(got), float(want)
    if not np.isfinite(nearest) or not np.isfinite(got):
        return 0.0 if got == nearest else np.inf
    return float(abs(mp.mpf(got) - want) / mp.mpf(math.ulp(nearest)))

"""The functions of Lemma 4 at any precision: ``fn(ctx, depth, x)`` is right to the digits of the mpmath context ``ctx``.

With L = depth, q is the root of q (1 + q^2)^((L-1)/2) = y and t = int_0^q (1 + u^2)^(-(L-1)/2) du; everything else follows
from q. The integral is elementary for every L: with cos(theta) = 1/p it is int_0^theta cos^(L-3), a recurrence of
positive terms (the finite sum that Euler's form of 2F1 gives at even L), so no hypergeometric series is summed.

Each value is computed with guard digits in a private context and rounded once.
"""

import math
from fractions import Fraction

from mpmath.libmp import dps_to_prec, prec_to_dps

from symbias.errors import BadInput
from symbias.precision import adopt, context

_GUARD = 12  # decimal digits: the longest chain (depth 32, recurrence after root) loses less than 3
_FLOAT_BITS = 40  # bits one may trust in a start found in float64, logarithms of large numbers included


def check_depth(depth) -> int:
    """Return the depth as an int; raise BadInput unless it is an integer of at least 2."""
    if isinstance(depth, bool) or not hasattr(depth, "__index__") or depth.__index__() < 2:
        raise BadInput(f"the depth must be an integer of at least 2, not {depth!r}")
    return depth.__index__()


def c(ctx, depth):
    """The end of the domain, c_L = int_0^oo (1 + u^2)^(-(L-1)/2) du: infinite for L = 2, pi/2 for L = 3, 1 for L = 4."""
    depth = check_depth(depth)
    return adopt(ctx, _end(_wide(ctx), depth))


def root(ctx, depth, y):
    """The real root q of q (1 + q^2)^((L-1)/2) = y, so q = q_L(h_L^{-1}(y))."""
    depth, wide = check_depth(depth), _wide(ctx)
    return adopt(ctx, _root(wide, depth, adopt(wide, y)))


def h_inverse(ctx, depth, y):
    """The inverse of h_L: t with h_L(t) = y; c_L at +oo."""
    depth, wide = check_depth(depth), _wide(ctx)
    return adopt(ctx, _time(wide, depth, _root(wide, depth, adopt(wide, y))))


def H(ctx, depth, y):
    """The integral of h_L^{-1} from 0 to y: H = t y - q^2/2, which loses at most a factor 3."""
    depth, wide = check_depth(depth), _wide(ctx)
    y = adopt(wide, y)
    if not wide.isfinite(y):
        return adopt(ctx, abs(y))
    q = _root(wide, depth, y)
    return adopt(ctx, _time(wide, depth, q) * y - q * q / 2)


def h_inverse_prime(ctx, depth, y):
    """The derivative of h_L^{-1}: 1 / ((1 + q^2)^(L-2) (1 + L q^2)) at q = root(y)."""
    depth, wide = check_depth(depth), _wide(ctx)
    z = _root(wide, depth, adopt(wide, y)) ** 2
    return adopt(ctx, 1 / ((1 + z) ** (depth - 2) * (1 + depth * z)))


def q(ctx, depth, t=None, *, to_end=None):
    """q_L(t), or q_L(c_L - to_end): to_end in (0, 2 c_L) holds what t loses near the end. Outside the domain: nan."""
    depth, wide = check_depth(depth), _wide(ctx)
    return adopt(ctx, _q(wide, depth, t, to_end))


def p(ctx, depth, t):
    """p_L(t) = sqrt(1 + q_L(t)^2)."""
    depth, wide = check_depth(depth), _wide(ctx)
    return adopt(ctx, wide.sqrt(1 + _q(wide, depth, t, None) ** 2))


def h(ctx, depth, t):
    """h_L(t) = p^(L-1) q."""
    depth, wide = check_depth(depth), _wide(ctx)
    value = _q(wide, depth, t, None)
    return adopt(ctx, value * _half_power(wide, 1 + value * value, depth - 1))


def _wide(ctx, bits: int = 0):
    """A context with guard digits and room for ``bits`` more. Steps of 16 digits, so that few contexts are made."""
    digits = ctx.dps + _GUARD + prec_to_dps(bits + 4)
    return context(-(-digits // 16) * 16)


def _half_power(ctx, base, twice):
    """base^(twice/2) for an integer ``twice``."""
    power = base ** (twice // 2)
    return power * ctx.sqrt(base) if twice % 2 else power


def _end(ctx, depth: int):
    if depth == 2:
        return ctx.inf
    # c_L = ((L-4)/(L-3)) c_{L-2}, from c_3 = pi/2 and c_4 = 1.
    ratio = math.prod((Fraction(n - 1, n) for n in range(depth - 3, 1, -2)), start=Fraction(1))
    return ctx.mpf(ratio.numerator) / ratio.denominator * (ctx.pi / 2 if depth % 2 else 1)


def _time(ctx, depth: int, q):
    """t(q): the integrals I_n = int_0^theta cos^n, n I_n = sin cos^(n-1) + (n-1) I_{n-2}, up to n = L - 3."""
    if not ctx.isfinite(q):
        return q if depth == 2 or ctx.isnan(q) else ctx.sign(q) * _end(ctx, depth)
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


def _root(ctx, depth: int, y):
    """Third-order steps on log h = log y, at a precision that triples."""
    if y == 0 or not ctx.isfinite(y):
        return y
    value, bits = _root_start(ctx, depth, y), _FLOAT_BITS
    while bits < ctx.prec:
        at = _ladder(ctx, 3 * bits)
        target, value = adopt(at, y), adopt(at, value)
        z = value * value
        slope = 1 + depth * z
        rho = target / (value * _half_power(at, 1 + z, depth - 1)) - 1
        step = 1 - rho * (depth - 1) * z * (3 + depth * z) / (2 * slope * slope)
        value *= 1 + rho * (1 + z) / slope * step
        bits = min(at.prec, -3 * at.mag(rho) - 4) if rho else at.prec
    return adopt(ctx, value)


def _ladder(ctx, bits: int):
    """The precision of a step: fixed rungs (48, 144, 432, ... digits) below ``ctx``, so that their contexts are shared."""
    rung = 48
    while dps_to_prec(rung) < bits:
        rung *= 3
    return context(rung) if rung < ctx.dps else ctx


def _root_start(ctx, depth: int, y):
    """Newton in float64 on log q + (L-1)/2 log(1 + q^2) = log |y|: convex, from the right, so it decreases to the root."""
    target = _log(ctx, y)
    log_q = min(target, target / depth)
    for _ in range(60):
        excess = log_q + (depth - 1) / 2 * _log1p_exp(2 * log_q) - target
        slope = 1 + (depth - 1) / (1 + math.exp(-2 * log_q)) if log_q > -350 else 1
        log_q -= excess / slope
        if excess < 1e-11 * (1 + abs(target)):
            break
    return ctx.sign(y) * _exp(ctx, log_q)


def _log(ctx, y) -> float:
    mantissa, exponent = ctx.frexp(abs(y))
    return math.log(float(mantissa)) + exponent * math.log(2)


def _exp(ctx, x: float):
    exponent = math.floor(x / math.log(2))
    return ctx.ldexp(ctx.mpf(math.exp(x - exponent * math.log(2))), exponent)


def _log1p_exp(x: float) -> float:
    return x + math.log1p(math.exp(-x)) if x > 0 else math.log1p(math.exp(max(x, -700)))


def _q(ctx, depth: int, t, to_end):
    if (t is None) == (to_end is None):
        raise BadInput("q takes either t or to_end (the distance to the end of the domain), exactly one of them")
    if depth == 2:
        if to_end is not None:
            raise BadInput("to_end has no meaning at depth 2: the domain has no end; pass t")
        return ctx.sinh(adopt(ctx, t))
    end = _end(ctx, depth)
    if to_end is None:
        t = adopt(ctx, t) if not hasattr(t, "_mpf_") else t
        return _q_of_time(ctx, depth, end, t)
    to_end = adopt(ctx, to_end)
    if to_end > end:
        return -_q_near_end(ctx, depth, 2 * end - to_end)
    return _q_near_end(ctx, depth, to_end)


def _q_of_time(ctx, depth: int, end, t):
    size = adopt(ctx, abs(t))
    if 2 * size > end or not ctx.isfinite(size):
        # The exact t (all of its bits) is subtracted from an end that holds as many bits again.
        fine = _wide(ctx, 2 * t._mpf_[1].bit_length())
        to_end = adopt(ctx, _end(fine, depth) - abs(adopt(fine, t)))
        return ctx.sign(size and adopt(ctx, t)) * _q_near_end(ctx, depth, to_end)
    value, bits = size, 0
    while bits < ctx.prec and size:
        # Truncated Taylor steps of q(t), whose coefficients are positive: from the left, never beyond the root.
        at = _ladder(ctx, max(3 * bits, 150))
        value = adopt(at, value)
        value, miss = _taylor_step(at, depth, value, adopt(at, size) - _time(at, depth, value))
        bits = min(at.prec, -3 * at.mag(miss / size) - 3 * depth.bit_length()) if miss else at.prec
    return ctx.sign(adopt(ctx, t)) * value


def _taylor_step(ctx, depth: int, q, miss):
    """q(t + miss) to second order: q' = p^(L-1), q'' = (L-1) q p^(2L-4)."""
    pp = 1 + q * q
    change = miss * _half_power(ctx, pp, depth - 1)
    curvature = (depth - 1) * q * _half_power(ctx, pp, depth - 3) if depth > 2 else 0
    return q + change * (1 + miss * curvature / 2), miss


def _q_near_end(ctx, depth: int, to_end):
    if not 0 < to_end:
        return ctx.inf if to_end == 0 else ctx.nan
    low = context(16)
    k, target = depth - 2, _log(low, to_end)
    # T(q) < q^(-k)/k, and log T is concave in log q: Newton from this start decreases to the root.
    log_q = -(math.log(k) + target) / k
    for _ in range(60):
        start = _exp(low, log_q)
        tail = _tail(low, depth, start)
        excess = _log(low, tail) - target
        log_q += excess * float(tail / start * _half_power(low, 1 + start * start, depth - 1))
        if abs(excess) < 1e-11 * (1 + abs(target)):
            break
    value, bits = adopt(ctx, _exp(low, log_q)), 0
    while bits < ctx.prec:
        at = _ladder(ctx, max(3 * bits, 100))
        value = adopt(at, value)
        value, miss = _taylor_step(at, depth, value, _tail(at, depth, value) - adopt(at, to_end))
        bits = min(at.prec, -3 * at.mag(miss / to_end) - 3 * depth.bit_length()) if miss else at.prec
    return value


def _tail(ctx, depth: int, q):
    """T(q) = c_L - t(q) for q > 0, to full relative precision."""
    k = depth - 2
    lost = k * (ctx.mag(1 + q * q) + 1) // 2 + 2 * k.bit_length()
    if lost < ctx.prec:
        fine = _wide(ctx, lost)
        return adopt(ctx, _end(fine, depth) - _time(fine, depth, adopt(fine, q)))
    # cos(theta) s^k/k 2F1(1, (k+1)/2; k/2 + 1; s^2) with s = 1/p: about k/2 terms, since s^k is below the precision.
    square = 1 / (1 + q * q)
    term = total = ctx.one
    n = 0
    while abs(term) > ctx.eps:
        term *= square * (k + 1 + 2 * n) / (k + 2 + 2 * n)
        total += term
        n += 1
    return total * q * _half_power(ctx, square, k + 1) / k

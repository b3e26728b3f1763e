"""What the precise kernels share: guard digits, logarithms of numbers beyond float64, steps at a growing precision."""

import math

from mpmath.libmp import dps_to_prec, prec_to_dps

from symbias.errors import NotConverged
from symbias.precision import adopt, context

_GUARD = 12  # decimal digits: the longest chain (depth 32, recurrence after root) loses less than 3
_FIRST_RUNG = 48  # digits; the next are 3 times as many, so that a few shared contexts serve every precision
_FLOAT_BITS = 40  # bits of a start found in float64


def wider(ctx, bits: int = 0):
    """A context with guard digits and room for ``bits`` more; in steps of 16 digits, so that few are made."""
    digits = ctx.dps + _GUARD + prec_to_dps(bits + 4)
    return context(-(-digits // 16) * 16)


def half_power(ctx, base, twice: int):
    """base^(twice/2)."""
    power = base ** (twice // 2)
    return power * ctx.sqrt(base) if twice % 2 else power


def log_of(ctx, x) -> float:
    """log |x|, also where x is beyond the range of float64."""
    mantissa, exponent = ctx.frexp(abs(x))
    return math.log(float(mantissa)) + exponent * math.log(2)


def exp_of(ctx, x: float):
    """exp(x), to float64 accuracy."""
    exponent = math.floor(x / math.log(2))
    return ctx.ldexp(ctx.mpf(math.exp(x - exponent * math.log(2))), exponent)


def refine(ctx, start, step, lost: int = 4):
    """Repeat the third-order ``step(context, value) -> (value, relative miss before it)`` up to ``ctx``'s precision.

    A step from a relative miss m leaves 2^lost m^3, which is how the precision of the next one is chosen.
    """
    value, bits = start, _FLOAT_BITS
    for _ in range(100):
        at = _rung(ctx, 3 * bits)
        value, miss = step(at, adopt(at, value))
        bits = min(at.prec, -3 * at.mag(miss) - lost) if miss else at.prec
        if bits >= ctx.prec:
            return value
    raise NotConverged(f"a kernel's iteration stopped at a relative error of {ctx.nstr(miss, 3)}: report this input")


def _rung(ctx, bits: int):
    digits = _FIRST_RUNG
    while dps_to_prec(digits) < bits:
        digits *= 3
    return context(digits) if digits < ctx.dps else ctx

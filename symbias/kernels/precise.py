"""The functions of Lemma 4 at any precision: ``fn(ctx, depth, x)`` to the digits of the mpmath context ``ctx``.

L = depth; q solves q (1 + q^2)^((L-1)/2) = y and t = int_0^q (1 + u^2)^(-(L-1)/2) du; the rest follows from q. The
integral is elementary for every L: with cos(theta) = 1/p it is int_0^theta cos^(L-3), a recurrence of positive terms
(for even L the finite sum that Euler's form of 2F1 gives), so no hypergeometric series is summed.

``x`` is an mpf of any context, an int or a float and counts as exact. Each value is computed with guard digits in a
private context and rounded once: it is the mpf of ``ctx`` nearest to the true value, but for a tie to a few 1e-12 ulp.

>>> from symbias.precision import context
>>> ctx = context(40)
>>> h_inverse(ctx, 3, 2) * 4 / ctx.pi
mpf('1.0')
>>> print(q(ctx, 4, to_end=ctx.mpf(10) ** -50))
7071067811865475244008443.621048490392848
"""

from symbias.errors import BadInput
from symbias.kernels.depth import check_depth
from symbias.kernels.precise_inversion import end, find_root, time
from symbias.kernels.precise_solution import q_from_end, q_from_time
from symbias.kernels.precise_steps import half_power, wider
from symbias.precision import adopt


def c(ctx, depth):
    """The end of the domain, c_L = int_0^oo (1 + u^2)^(-(L-1)/2) du: inf for L = 2, pi/2 for 3, 1 for 4."""
    return adopt(ctx, end(wider(ctx), check_depth(depth)))


def root(ctx, depth, y):
    """The real root q of q (1 + q^2)^((L-1)/2) = y, so q = q_L(h_L^{-1}(y))."""
    depth, wide = check_depth(depth), wider(ctx)
    return adopt(ctx, find_root(wide, depth, adopt(wide, y)))


def h_inverse(ctx, depth, y):
    """The inverse of h_L: t with h_L(t) = y; c_L at +oo."""
    depth, wide = check_depth(depth), wider(ctx)
    return adopt(ctx, time(wide, depth, find_root(wide, depth, adopt(wide, y))))


def H(ctx, depth, y):
    """The integral of h_L^{-1} from 0 to y: H = t y - q^2/2, which loses at most a factor 3."""
    depth, wide = check_depth(depth), wider(ctx)
    y = adopt(wide, y)
    if not wide.isfinite(y):
        return adopt(ctx, abs(y))
    q = find_root(wide, depth, y)
    return adopt(ctx, time(wide, depth, q) * y - q * q / 2)


def h_inverse_prime(ctx, depth, y):
    """The derivative of h_L^{-1}: 1 / ((1 + q^2)^(L-2) (1 + L q^2)) at q = root(y)."""
    depth, wide = check_depth(depth), wider(ctx)
    z = find_root(wide, depth, adopt(wide, y)) ** 2
    return adopt(ctx, 1 / ((1 + z) ** (depth - 2) * (1 + depth * z)))


def q(ctx, depth, t=None, *, to_end=None):
    """q_L(t), or q_L(c_L - to_end): to_end in (0, 2 c_L) holds what t loses near the end. Outside the domain: nan."""
    return adopt(ctx, _q(ctx, check_depth(depth), t, to_end))


def p(ctx, depth, t):
    """p_L(t) = sqrt(1 + q_L(t)^2)."""
    value = _q(ctx, check_depth(depth), t)
    return adopt(ctx, value.context.sqrt(1 + value * value))


def h(ctx, depth, t):
    """h_L(t) = p^(L-1) q."""
    value = _q(ctx, check_depth(depth), t)
    return adopt(ctx, value * half_power(value.context, 1 + value * value, depth - 1))


def _q(ctx, depth: int, t, to_end=None):
    """q in the wider context, from exactly one of t and to_end."""
    if (t is None) == (to_end is None):
        raise BadInput("q takes either t or to_end (the distance to the end of the domain), exactly one of them")
    if depth == 2 and to_end is not None:
        raise BadInput("to_end has no meaning at depth 2: the domain has no end; pass t")
    wide = wider(ctx)
    if depth == 2:
        return wide.sinh(adopt(wide, t))
    return q_from_time(wide, depth, t) if to_end is None else q_from_end(wide, depth, to_end)

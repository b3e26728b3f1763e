r"""Numbers for the scalar flow of general initialization: z at a time, z at a coefficient, and the potential.

Newton on the time F from the closed form of z (``scalar_flow``) where there is one, else from bisection. F itself is
computed another way (Carlson's integrals, quadrature), so every position is checked before it is returned.
"""

from symbias.errors import BadInput, NotConverged
from symbias.functions import scalar_flow
from symbias.functions.elapsed import elapsed, from_zero, has_closed_form, limit_time
from symbias.precision import adopt, context

_GUARD = 15
_DIGITS_A_BIT = 0.302


def position(ctx, time, start, deltas):
    """z with F(z) = time. BadInput beyond the blow-up, NotConverged where F does not confirm the closed form."""
    tie = min(deltas) == 0
    if time == 0:
        return start
    if tie and start == 0:
        raise BadInput("two layers start at 0: the coordinate stays there for ever")
    base, closed = ctx.dps + _GUARD, has_closed_form(deltas)
    # The time is exact: with its own digits on top it differs from the blow-up by more than rounding.
    own = int(_DIGITS_A_BIT * ctx.convert(time)._mpf_[3])
    wide = context(base + own + _spread(ctx, deltas)) if closed else context(base)
    time, start, deltas = adopt(wide, time), adopt(wide, start), [adopt(wide, delta) for delta in deltas]
    end = limit_time(wide, start, deltas) if time > 0 else -limit_time(wide, -start, deltas)
    if abs(time) >= abs(end):
        raise BadInput(
            f"F(z) = {wide.nstr(time, 10)} has no solution: the flow of this coordinate blows up before, at "
            f"{wide.nstr(end, 10)}"
        )
    if closed:
        guess = _by_closed_form(wide, time, start, sorted(deltas, reverse=True))
    else:
        guess = _bracketed(context(20), time, start, deltas, tie)
    # A relative error of F moves z by time * speed: near the blow-up, and where z crosses 0, that costs digits.
    bits = wide.mag(time * _speed(wide, guess, deltas) / guess) if guess else wide.prec
    fine = context(base + max(0, int(_DIGITS_A_BIT * bits) + 1))
    z, time, deltas = adopt(fine, guess), adopt(fine, time), [adopt(fine, delta) for delta in deltas]
    for _ in range(60):
        step = (elapsed(fine, z, adopt(fine, start), deltas) - time) * _speed(fine, z, deltas)
        z -= step
        if abs(step) <= abs(z) * fine.mpf(10) ** (-((ctx.dps + _GUARD) * 3) // 4):
            # Newton is quadratic: this step left an error far below the digits of ctx.
            return adopt(ctx, z)
    raise NotConverged(
        f"Newton for z with F(z) = {fine.nstr(time, 10)} did not converge; the last step was {fine.nstr(step, 3)}"
    )


def _speed(ctx, z, deltas):
    return ctx.sqrt(ctx.fprod(z**2 + delta for delta in deltas))


def _spread(ctx, deltas) -> int:
    """The digits that the closed form loses to m near 1 (deltas far apart) and to deltas that nearly agree."""
    sizes = sorted(delta for delta in deltas if delta != 0) or [ctx.one]
    least, most = sizes[0], sizes[-1]
    return int(_DIGITS_A_BIT * (ctx.mag(most / least) + (max(0, -ctx.mag(1 - least / most)) if most != least else 0)))


def _by_closed_form(ctx, time, start, deltas):
    """z by ``scalar_flow``; the deltas decrease."""
    fn = scalar_flow.numeric(ctx)
    if deltas[-1] != 0:
        return scalar_flow.from_zero(fn, time + from_zero(ctx, start, deltas), deltas)
    if start < 0:
        return -_by_closed_form(ctx, -time, -start, deltas)
    if len(deltas) == 1:
        return start * ctx.exp(time)
    return scalar_flow.to_end(fn, limit_time(ctx, start, deltas) - time, deltas[:-1])


def _bracketed(ctx, time, start, deltas, tie):
    """z to some 8 digits, before the blow-up, by bisection in v outwards from the start in doubling steps."""
    time, start, deltas = adopt(ctx, time), adopt(ctx, start), [adopt(ctx, delta) for delta in deltas]
    scale = abs(start) if tie else ctx.sqrt(min(deltas))

    def z_of(v):
        return ctx.sign(start) * ctx.exp(v) if tie else scale * ctx.sinh(v)

    def moved(v):
        return abs(elapsed(ctx, z_of(v), start, deltas))

    first = ctx.log(abs(start)) if tie else ctx.asinh(start / scale)
    sense = ctx.sign(time) * (ctx.sign(start) if tie else 1)
    low, high, before = first, first + sense, ctx.zero
    while (here := moved(high)) < abs(time):
        if here == before:
            raise NotConverged(f"F(z) = {ctx.nstr(time, 10)} is so near the blow-up that bisection does not reach it")
        low, high, before = high, first + 2 * (high - first), here
    while abs(high - low) > ctx.mpf(10) ** -8:
        middle = (low + high) / 2
        low, high = (low, middle) if moved(middle) >= abs(time) else (middle, high)
    return z_of((low + high) / 2)


def position_of_rho(ctx, rho, deltas):
    """z with z prod sqrt(z^2 + delta_l) = rho: increasing and odd, solved in log z."""
    fine = context(ctx.dps + _GUARD)
    rho, deltas = adopt(fine, rho), [adopt(fine, delta) for delta in deltas]
    if rho == 0:
        return adopt(ctx, rho)
    target, depth = fine.log(abs(rho)), len(deltas) + 1
    u = target / depth  # above the root: every factor is at least z; log rho is increasing and convex in u
    for _ in range(200):
        square = fine.exp(2 * u)
        miss = u + sum(fine.log(square + delta) for delta in deltas) / 2 - target
        step = miss / (1 + sum(square / (square + delta) for delta in deltas))
        u -= step
        if abs(step) < fine.mpf(10) ** (-(fine.dps * 3) // 4) * (1 + abs(u)):
            return adopt(ctx, fine.sign(rho) * fine.exp(u))
    raise NotConverged(f"Newton for z at rho = {fine.nstr(rho, 10)} did not converge")


def coordinate_potential(ctx, rho, start, deltas):
    """Q(rho) = rho F(z) - (z^2 - z0^2)/2, the integral of F d rho from rho(0): >= 0, and 0 at rho(0) alone."""
    # Near rho(0) both terms are linear in z - z0 and Q is quadratic: twice the digits cover the cancellation.
    fine = context(2 * ctx.dps + _GUARD)
    rho, start, deltas = adopt(fine, rho), adopt(fine, start), [adopt(fine, delta) for delta in deltas]
    z = position_of_rho(fine, rho, deltas)
    return adopt(ctx, rho * elapsed(fine, z, start, deltas) - (z - start) * (z + start) / 2)

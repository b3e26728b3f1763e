r"""Numbers for the scalar flow of general initialization: F, its inverse, and the potential, in an mpmath context.

.. math:: F(z) = \int_{z_0}^z \frac{dx}{\prod_l \sqrt{x^2+\delta_l}}

With w = 1/z^2 and z > 0 the integral from 0 is asinh(z/sqrt d) for one delta, Carlson's
R_F(w, w + 1/d_1, w + 1/d_2)/sqrt(d_1 d_2) for two, R_F(w + 1/d_1, w + 1/d_2, w + 1/d_3)/sqrt(d_1 d_2 d_3) for three.
Beyond that, and where some delta is 0, Gauss quadrature in v, x = sqrt(min delta) sinh v or +-e^v: the integrand is
analytic within pi/2 of the real line, so unit intervals converge geometrically.
"""

from symbias.errors import BadInput, NotConverged
from symbias.precision import adopt, context

_GUARD = 15


def elapsed(ctx, z, start, deltas):
    """F(z) to the digits of ``ctx``, differences of nearby points included.

    Raises BadInput where a delta is 0 and the interval touches z = 0 (F is infinite there: the flow never gets
    across), and NotConverged where two quadratures disagree.
    """
    if z == start:
        return ctx.zero
    if any(delta < 0 for delta in deltas):
        raise BadInput("a delta is negative: the reference layer must be the one with the smallest |eta_l(0)|")
    tie = min(deltas) == 0
    if tie and z * start <= 0:
        raise BadInput(
            "two layers tie at the minimum, so z keeps its sign: "
            f"it cannot go from {ctx.nstr(start, 8)} to {ctx.nstr(z, 8)}"
        )
    lost = 0
    if z * start > 0:  # the difference of two nearby integrals from 0
        lost = max(0, -ctx.mag((z - start) / (abs(z) + abs(start))))
    fine = context(ctx.dps + _GUARD + int(0.302 * lost) + 1)
    z, start, deltas = adopt(fine, z), adopt(fine, start), [adopt(fine, delta) for delta in deltas]
    if tie or len(deltas) > 3:
        return adopt(ctx, _quadrature(fine, z, start, deltas))
    return adopt(ctx, _from_zero(fine, z, deltas) - _from_zero(fine, start, deltas))


def limit_time(ctx, start, deltas):
    """F(+oo), the length of time the flow can take upwards: infinite at depth 2."""
    if len(deltas) == 1:
        return ctx.inf
    if any(delta == 0 for delta in deltas) or len(deltas) > 3:
        # Beyond v_end the integrand of the remaining len(deltas) - 1 factors is below the precision.
        fine = context(ctx.dps + _GUARD)
        far = fine.mpf(10) ** (-(-(ctx.dps + 5) // (len(deltas) - 1))) * (1 + abs(start) + max(deltas))
        tail = far ** (1 - len(deltas)) / (len(deltas) - 1)
        return adopt(ctx, elapsed(fine, far, start, deltas) + tail)
    wide = context(ctx.dps + _GUARD)
    at_end = _carlson(wide, wide.zero, [adopt(wide, delta) for delta in deltas])
    return adopt(ctx, at_end - _from_zero(wide, adopt(wide, start), [adopt(wide, d) for d in deltas]))


def _from_zero(ctx, z, deltas):
    if z == 0:
        return ctx.zero
    if len(deltas) == 1:
        return ctx.asinh(z / ctx.sqrt(deltas[0]))
    return ctx.sign(z) * _carlson(ctx, 1 / z**2, deltas)


def _carlson(ctx, w, deltas):
    arguments = [w + 1 / delta for delta in deltas] + [w] * (3 - len(deltas))
    return ctx.elliprf(*arguments) / ctx.sqrt(ctx.fprod(deltas))


def _quadrature(ctx, z, start, deltas):
    deltas = sorted(deltas)
    least, others = deltas[0], deltas[1:]
    if least == 0:
        side = ctx.sign(z)
        ends = ctx.log(abs(start)), ctx.log(abs(z))

        def x_of(v):
            return ctx.exp(v)

    else:
        side, size = ctx.one, ctx.sqrt(least)
        ends = ctx.asinh(start / size), ctx.asinh(z / size)

        def x_of(v):
            return size * ctx.sinh(v)

    def rate(v):
        square = x_of(v) ** 2
        return 1 / ctx.sqrt(ctx.fprod(square + delta for delta in others))

    pieces = int(ctx.ceil(abs(ends[1] - ends[0]))) or 1
    points = [ends[0] + (ends[1] - ends[0]) * i / pieces for i in range(pieces + 1)]
    value, error = ctx.quad(rate, points, method="gauss-legendre", error=True)
    if not abs(error) <= abs(value) * ctx.mpf(10) ** (_GUARD // 2 - ctx.dps):
        raise NotConverged(f"the quadrature of F missed {ctx.dps - _GUARD} digits: its error is {ctx.nstr(error, 3)}")
    return side * value


def position(ctx, time, start, deltas):
    """z with F(z) = time: the position of the coordinate. BadInput beyond the blow-up, NotConverged if Newton stalls.

    Newton on F in v = asinh(z/scale), bracketed: F increases, and dF/dv is known in closed form.
    """
    fine = context(ctx.dps + _GUARD)
    time, start, deltas = adopt(fine, time), adopt(fine, start), [adopt(fine, delta) for delta in deltas]
    if time == 0:
        return adopt(ctx, start)
    tie = min(deltas) == 0
    if tie and start == 0:
        raise BadInput("two layers start at 0: the coordinate stays there for ever")
    z = _bracketed(context(20), time, start, deltas, tie)
    z = adopt(fine, z)
    for _ in range(60):
        miss = elapsed(fine, z, start, deltas) - time
        step = miss * fine.sqrt(fine.fprod(z**2 + delta for delta in deltas))
        z -= step
        if abs(step) <= abs(z) * fine.mpf(10) ** (-(fine.dps * 3) // 4):
            # Newton is quadratic: this step left an error far below the digits of ctx.
            return adopt(ctx, z)
    raise NotConverged(
        f"Newton for z with F(z) = {fine.nstr(time, 10)} did not converge; the last step was {fine.nstr(step, 3)}"
    )


def _bracketed(ctx, time, start, deltas, tie):
    """z to some 12 digits by bisection in v, outwards from the start in doubling steps."""
    time, start, deltas = adopt(ctx, time), adopt(ctx, start), [adopt(ctx, delta) for delta in deltas]
    scale = abs(start) if tie else ctx.sqrt(min(deltas))
    up = time > 0

    def z_of(v):
        return ctx.sign(start) * ctx.exp(v) if tie else scale * ctx.sinh(v)

    def reached(v):
        moved = elapsed(ctx, z_of(v), start, deltas)
        return moved >= time if up else moved <= time

    first = ctx.log(abs(start)) if tie else ctx.asinh(start / scale)
    sense = (1 if up else -1) * (ctx.sign(start) if tie else 1)
    low, step = first, ctx.one
    while not reached(first + sense * step):
        low, step = first + sense * step, 2 * step
        if step > 2**14:
            raise BadInput(
                f"F(z) = {ctx.nstr(time, 10)} has no solution: the flow of this coordinate blows up before, at "
                f"{ctx.nstr(elapsed(ctx, z_of(first + sense * 64), start, deltas), 10)}"
            )
    high = first + sense * step
    while abs(high - low) > ctx.mpf(10) ** -8:
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return z_of((low + high) / 2)


def position_of_rho(ctx, rho, deltas):
    """z with z prod sqrt(z^2 + delta_l) = rho: increasing and odd, solved in log z."""
    fine = context(ctx.dps + _GUARD)
    rho, deltas = adopt(fine, rho), [adopt(fine, delta) for delta in deltas]
    if rho == 0:
        return adopt(ctx, rho)
    target, depth = fine.log(abs(rho)), len(deltas) + 1
    u = (
        target / depth
    )  # the root is below this, because every factor is at least z; log rho is increasing and convex in u
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

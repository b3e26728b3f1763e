r"""Numbers for the scalar flow of general initialization: its time F and the end of it, in an mpmath context.

.. math:: F(z) = \int_{z_0}^z \frac{dx}{\prod_l \sqrt{x^2+\delta_l}}

With w = 1/z^2 and z > 0 the integral from 0 is asinh(z/sqrt d) for one delta, Carlson's
R_F(w, w + 1/d_1, w + 1/d_2)/sqrt(d_1 d_2) for two, R_F(w + 1/d_1, w + 1/d_2, w + 1/d_3)/sqrt(d_1 d_2 d_3) for three;
with a delta 0 among at most three it is elementary (``scalar_flow``), and where all are a^2 it is a^(2-L) t(z/a), t of
Lemma 4. Beyond that, Gauss quadrature in v, x = sqrt(min delta) sinh v or +-e^v: the integrand is analytic within pi/2
of the real line, so unit intervals converge geometrically.
"""

from symbias.errors import BadInput, NotConverged
from symbias.functions import scalar_flow
from symbias.kernels.precise_inversion import time as lemma_4_time
from symbias.precision import adopt, context

_GUARD = 15


def elapsed(ctx, z, start, deltas):
    """F(z) to the digits of ``ctx``, differences of nearby points included.

    Raises BadInput where a delta is 0 and the interval touches z = 0 (F is infinite there: the flow never gets
    across), and NotConverged where two quadratures disagree.
    """
    if z == start:
        return ctx.zero
    tie = _tie(deltas)
    if tie and z * start <= 0:
        raise BadInput(
            "two layers tie at the minimum, so z keeps its sign: "
            f"it cannot go from {ctx.nstr(start, 8)} to {ctx.nstr(z, 8)}"
        )
    if not has_closed_form(deltas):
        fine = context(ctx.dps + _GUARD)
        return adopt(ctx, _quadrature(fine, adopt(fine, z), adopt(fine, start), [adopt(fine, d) for d in deltas]))
    if tie:
        return ctx.sign(start) * _difference(ctx, _up_to_a_constant, abs(z), abs(start), deltas)
    return _difference(ctx, from_zero, z, start, deltas)


def limit_time(ctx, start, deltas):
    """F(+oo), the length of time the flow can take upwards: infinite at depth 2, and from z < 0 if some delta is 0."""
    tie = _tie(deltas)
    if len(deltas) == 1 or (tie and start <= 0):
        return ctx.inf
    if has_closed_form(deltas):
        return _difference(ctx, _up_to_a_constant if tie else from_zero, ctx.inf, start, deltas)
    # Beyond ``far`` the integrand is its leading power to the precision.
    fine = context(ctx.dps + _GUARD)
    start, deltas = adopt(fine, start), [adopt(fine, delta) for delta in deltas]
    far = fine.mpf(10) ** (-(-(ctx.dps + 5) // (len(deltas) - 1))) * (1 + abs(start) + max(deltas))
    tail = far ** (1 - len(deltas)) / (len(deltas) - 1)
    return adopt(ctx, elapsed(fine, far, start, deltas) + tail)


def _tie(deltas) -> bool:
    least = min(deltas)
    if least < 0:
        raise BadInput("a delta is negative: the reference layer must be the one with the smallest |eta_l(0)|")
    return least == 0


def _difference(ctx, integral, z, start, deltas):
    """integral(z) - integral(start), z != start, computed again with as many digits more as the difference cancels."""
    spare = _GUARD
    while True:
        fine = context(ctx.dps + spare)
        exact = [adopt(fine, delta) for delta in deltas]
        upper, lower = (integral(fine, adopt(fine, end), exact) for end in (z, start))
        bits = max(fine.mag(upper), fine.mag(lower)) - fine.mag(upper - lower) if upper != lower else fine.prec
        lost = int(0.302 * bits) + 1
        if spare - lost >= _GUARD - 2:
            return adopt(ctx, upper - lower)
        spare = lost + _GUARD


def has_closed_form(deltas) -> bool:
    """To depth 4, and for equal deltas that are not 0 at any depth."""
    return len(deltas) <= 3 or (deltas[0] != 0 and all(delta == deltas[0] for delta in deltas))


def from_zero(ctx, z, deltas):
    """The integral from 0 to z where there is a closed form, no delta 0."""
    if z == 0:
        return ctx.zero
    if all(delta == deltas[0] for delta in deltas):
        size, depth = ctx.sqrt(deltas[0]), len(deltas) + 1
        return size ** (2 - depth) * lemma_4_time(ctx, depth, z / size)
    w = 1 / z**2
    arguments = [w + 1 / delta for delta in deltas] + [w] * (3 - len(deltas))
    return ctx.sign(z) * ctx.elliprf(*arguments) / ctx.sqrt(ctx.fprod(deltas))


def _up_to_a_constant(ctx, z, deltas):
    """An integral to z > 0 for at most three deltas, one 0."""
    others = sorted(deltas, reverse=True)[:-1]
    return -scalar_flow.time_to_end(scalar_flow.numeric(ctx), z, others) if others else ctx.log(z)


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

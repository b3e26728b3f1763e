r"""The time F of the scalar flow of general initialization, as a SymPy Function; its inverse is ``flow_position.Z``."""

from collections.abc import Sequence

import sympy
from mpmath.libmp import prec_to_dps
from sympy import Expr, S, atan, elliptic_f, log, sqrt
from sympy.core.function import ArgumentIndexError

from symbias.functions import explicit, scalar_flow
from symbias.functions.base import real_numbers
from symbias.functions.blow_up import c
from symbias.functions.elapsed import elapsed, limit_time
from symbias.functions.flow_function import FlowFunction
from symbias.precision import context


class F(FlowFunction):
    r"""The time of the scalar flow of one coordinate: ``F(z, z0, delta_1, ..., delta_(L-1))``, increasing in z.

    .. math:: F = \int_{z_0}^z \frac{dx}{\prod_l \sqrt{x^2 + \delta_l}}

    ``F(oo, z0, ...)`` is the time of the blow-up.

    Parameters
    ----------
    z, z0 : real
        Of the same sign, neither 0, if some delta is 0; z may be oo or -oo.
    delta : real, >= 0
        One for each layer but the reference; their number is the depth less one.

    Returns
    -------
    Folded, or 0 at z = z0, or t at z = Z(t, z0, ...). ``expand_func``: asinh (depth 2), Legendre's incomplete elliptic
    integrals (depth 3 and 4), the complete one in the blow-up time of depth 3; elementary where all deltas agree, and
    to depth 4 where one is 0.

    Accuracy
    --------
    ``.evalf(n)``: n digits; Carlson's R_F for depth 3 and 4, Gauss quadrature at two degrees that agree beyond.

    Source
    ------
    Not in the paper: ``derivations/general_initialization.py``.

    Examples
    --------
    >>> import sympy
    >>> from symbias.functions.general_initialization import F
    >>> z, a = sympy.symbols("z a", positive=True)
    >>> sympy.expand_func(F(z, 0, a**2)), F(z, 0, a**2, 1).diff(z)
    (asinh(z/a), 1/(sqrt(a**2 + z**2)*sqrt(z**2 + 1)))
    """

    letter = "F"

    @classmethod
    def eval(cls, z, start, *deltas):
        from symbias.functions.flow_position import Z

        if not deltas:
            return S.NaN  # a single layer has no other
        if z == start:
            return S.Zero
        return z.args[0] if isinstance(z, Z) and z.args[1:] == (start, *deltas) else None

    def fdiff(self, argindex=1):
        z, start, *deltas = self.args
        if argindex > 2:
            raise ArgumentIndexError(self, argindex)
        at = z if argindex == 1 else start
        return (-1) ** (argindex - 1) / sympy.Mul(*(sqrt(at**2 + delta) for delta in deltas))

    def _eval_evalf(self, prec):
        z, start, *deltas = self.args
        if z in (S.Infinity, S.NegativeInfinity):
            return self._end(prec)
        low = context(15)
        sizes = real_numbers(low, (abs(z) + abs(start), z - start, *deltas))
        if sizes is None:
            return None
        # Nearby ends: their difference must keep its own digits.
        ctx = context(prec_to_dps(prec + max(0, low.mag(sizes[0]) - low.mag(sizes[1]))) + 5)
        z, start, *deltas = real_numbers(ctx, self.args)
        return Expr._from_mpmath(elapsed(ctx, z, start, deltas), prec)

    def _end(self, prec):
        ctx, sign = context(prec_to_dps(prec) + 5), 1 if self.args[0] is S.Infinity else -1
        values = real_numbers(ctx, self.args[1:])
        return values and sign * Expr._from_mpmath(limit_time(ctx, sign * values[0], values[1:]), prec)

    def _eval_expand_func(self, **hints):
        z, start, *deltas = self.args
        if decreasing(deltas)[-1].is_zero and not (z * start).is_extended_positive:
            return self
        upper, lower = closed_form(z, deltas), closed_form(start, deltas)
        return self if upper is None or lower is None else upper - lower


def closed_form(z, deltas: Sequence):
    r"""An integral of 1/prod sqrt(x^2 + delta_l) in functions that SymPy has, or None where it knows none.

    With no delta 0 it is the integral from 0: asinh(z/sqrt d) at depth 2; at depth 3 Legendre's F(phi | m)/k with
    k^2 = d_1, m = 1 - d_2/d_1, tan(phi)^2 = z^2/d_2; at depth 4 with k^2 = d_2 (d_1 - d_3), m = d_1 (d_2 - d_3)/k^2,
    tan(phi)^2 = z^2 (d_1/d_3 - 1)/(d_1 + z^2); where all are a^2, a^(2-L) t(z/a), the time of Lemma 4. With a delta 0,
    z of a known sign, depth 2, 3 or 4: log z, or minus the time to the blow-up.
    """
    deltas, z, depth = decreasing(deltas), sympy.sympify(z), len(deltas) + 1
    if z is S.NegativeInfinity:
        known = closed_form(-z, deltas)
        return None if known is None else -known
    if deltas[-1].is_zero:
        return _of_a_tie(z, deltas[:-1])
    if all(delta == deltas[0] for delta in deltas):
        size = sqrt(deltas[0])
        return (c(depth) if z is S.Infinity else explicit.time(depth, z / size)) * size ** (2 - depth)
    if len(deltas) == 2:
        first, second = deltas
        return elliptic_f(atan(z / sqrt(second)), 1 - second / first) / sqrt(first)
    if len(deltas) == 3:
        first, second, third = deltas
        square = second * (first - third)
        tangent = sqrt(first / third - 1) if z is S.Infinity else z * sqrt((first - third) / (third * (first + z**2)))
        return elliptic_f(atan(tangent), first * (second - third) / square) / sqrt(square)
    return None


def _of_a_tie(z, others):
    if len(others) > 2 or not (z.is_extended_positive or z.is_negative):
        return None
    if z.is_negative:
        return -_of_a_tie(-z, others)
    return -scalar_flow.time_to_end(scalar_flow.symbolic(), z, others) if others else log(z)


def decreasing(deltas: Sequence) -> list[Expr]:
    """The deltas in decreasing order if they are numbers; symbols, which should decrease, as given, and 0 last."""
    made = sorted(map(sympy.sympify, deltas), key=lambda delta: delta.is_zero is True)
    return sorted(made, reverse=True) if all(delta.is_number for delta in made) else made

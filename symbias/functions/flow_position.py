r"""The position Z of the scalar flow of general initialization, as a SymPy Function: the inverse of ``flow_time.F``."""

from collections.abc import Sequence

import sympy
from mpmath.libmp import prec_to_dps
from sympy import Expr, S, sqrt
from sympy.core.function import ArgumentIndexError

from symbias.errors import NotConverged
from symbias.functions import scalar_flow
from symbias.functions.base import real_numbers
from symbias.functions.flow_function import FlowFunction
from symbias.functions.flow_time import F, closed_form, decreasing
from symbias.functions.position_numbers import position
from symbias.precision import context

_RAISES = 5  # how often the digits of the arguments are doubled


class Z(FlowFunction):
    r"""The position of the scalar flow of one coordinate: ``Z(t, z0, delta_1, ..., delta_(L-1))``, increasing in t.

    .. math:: \frac{dZ}{dt} = \prod_l \sqrt{Z^2 + \delta_l}, \qquad Z(0) = z_0

    Parameters
    ----------
    t : real
        Before the blow-up, F(oo, z0, ...), and after F(-oo, z0, ...).
    z0 : real
    delta : real, >= 0
        One for each layer but the reference; their number is the depth less one. Symbols in decreasing order.

    Returns
    -------
    Folded, or z0 at t = 0, or z at t = F(z, z0, ...). ``expand_func``: sinh (depth 2), Jacobi's elliptic functions
    (depth 3 and 4), Lemma 4's q where all deltas agree, elementary to depth 4 where one is 0 (z0 of a known sign).

    Raises
    ------
    BadInput
        On evaluation at a t beyond the blow-up, which is given.

    Accuracy
    --------
    ``.evalf(n)``: n digits, confirmed by the time F, which is computed another way (Carlson's integrals).

    Source
    ------
    Not in the paper: ``derivations/general_initialization.py``.

    Examples
    --------
    >>> import sympy
    >>> from symbias.functions import Z
    >>> t, a = sympy.symbols("t a", positive=True)
    >>> sympy.expand_func(Z(t, 0, a**2)), sympy.expand_func(Z(t, 0, 4, 1))
    (a*sinh(t), sn(2*t, 3/4)/cn(2*t, 3/4))
    >>> Z(1, 0, 1, 1).evalf(20)  # tan 1
    1.5574077246549022305
    """

    letter = "z"

    @classmethod
    def eval(cls, t, start, *deltas):
        if not deltas:
            return S.NaN  # a single layer has no other
        if t.is_zero:
            return start
        return t.args[0] if isinstance(t, F) and t.args[1:] == (start, *deltas) else None

    def fdiff(self, argindex=1):
        _, start, *deltas = self.args
        if argindex > 2:
            raise ArgumentIndexError(self, argindex)
        here = sympy.Mul(*(sqrt(self**2 + delta) for delta in deltas))
        return here if argindex == 1 else here / sympy.Mul(*(sqrt(start**2 + delta) for delta in deltas))

    def _eval_evalf(self, prec):
        if real_numbers(context(15), self.args) is None:
            return None
        # Near the blow-up the arguments need more digits than the value: until two precisions agree.
        digits = prec_to_dps(prec) + 10
        value = self._rounded(digits)
        for _ in range(_RAISES):
            digits, coarse = 2 * digits, value
            value = self._rounded(digits)
            if abs(value - coarse) <= abs(value) * value.context.mpf(2) ** (-prec - 4):
                return Expr._from_mpmath(value, prec)
        raise NotConverged(f"{self} is so near its blow-up that {digits} digits of its arguments do not decide it")

    def _rounded(self, digits):
        ctx = context(digits)
        t, start, *deltas = real_numbers(ctx, self.args)
        return position(ctx, t, start, deltas)

    def _eval_expand_func(self, **hints):
        known = position_form(*self.args[:2], self.args[2:])
        return self if known is None else known


def position_form(t, start, deltas: Sequence):
    """Z in closed form (``scalar_flow``), or None where none is known: depth 5 on with deltas that differ."""
    fn, deltas, start = scalar_flow.symbolic(), decreasing(deltas), sympy.sympify(start)
    since = closed_form(start, deltas)
    if since is None:
        return None
    if not deltas[-1].is_zero:
        return scalar_flow.from_zero(fn, t + since, deltas)
    sign = 1 if start.is_positive else -1
    if len(deltas) == 1:
        return start * sympy.exp(sign * t)
    return sign * scalar_flow.to_end(fn, -sign * (since + t), deltas[:-1])

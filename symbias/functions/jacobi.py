r"""Jacobi's elliptic functions sn, cn, dn, which SymPy lacks, as functions of u and the parameter m (not the modulus).

With the amplitude phi of u = F(phi | m) (SymPy's ``elliptic_f``): sn = sin phi, cn = cos phi,
dn = sqrt(1 - m sin^2 phi), so that

.. math:: \mathrm{sn}^2 + \mathrm{cn}^2 = 1, \quad \mathrm{dn}^2 + m\, \mathrm{sn}^2 = 1, \quad
          \mathrm{sn}' = \mathrm{cn}\,\mathrm{dn}, \quad \mathrm{cn}' = -\mathrm{sn}\,\mathrm{dn}, \quad
          \mathrm{dn}' = -m\, \mathrm{sn}\,\mathrm{cn}.
"""

from typing import ClassVar

import sympy
from mpmath.libmp import prec_to_dps
from sympy import Expr, Function, S, elliptic_f
from sympy.core.function import ArgumentIndexError

from symbias.functions.base import real_numbers
from symbias.precision import context


class JacobiFunction(Function):
    """``f(u, m)``, u real, 0 <= m <= 1: elementary at u = 0, m = 0 and m = 1, and at u = F(phi | m); else folded."""

    nargs = 2
    odd: ClassVar[bool] = False

    @classmethod
    def eval(cls, u, m):
        if u.is_zero:
            return cls.of_amplitude(S.Zero, m)
        if m.is_zero:
            return cls.of_amplitude(u, m)
        if m == 1:
            return cls.hyperbolic(u)
        if isinstance(u, elliptic_f) and u.args[1] == m:
            return cls.of_amplitude(u.args[0], m)
        if u.could_extract_minus_sign():
            return -cls(-u, m) if cls.odd else cls(-u, m)
        return None

    def fdiff(self, argindex=1):
        if argindex != 1:
            raise ArgumentIndexError(self, argindex)
        return self._slope()

    def _eval_is_real(self):
        u, m = self.args
        return True if u.is_real and m.is_real else None

    def _eval_evalf(self, prec):
        ctx = context(prec_to_dps(prec) + 10)
        values = real_numbers(ctx, self.args)
        if values is None:
            return None
        return Expr._from_mpmath(ctx.ellipfun(type(self).__name__, values[0], m=values[1]), prec)

    def _mpmathcode(self, printer):
        u, m = map(printer._print, self.args)
        return f"{printer._module_format('mpmath.ellipfun')}({type(self).__name__!r}, {u}, m={m})"

    def _latex(self, printer, exp=None):
        u, m = map(printer._print, self.args)
        shown = rf"\operatorname{{{type(self).__name__}}}"
        return (shown if exp is None else rf"{shown}^{{{exp}}}") + rf"\left({u}\middle| {m}\right)"


class sn(JacobiFunction):
    """Jacobi's sn(u | m), the sine of the amplitude.

    Examples
    --------
    >>> import sympy
    >>> from symbias.functions.jacobi import sn
    >>> u, m = sympy.symbols("u m", real=True)
    >>> sn(u, m).diff(u), sn(u, 1), sn(sympy.elliptic_f(u, m), m)
    (cn(u, m)*dn(u, m), tanh(u), sin(u))
    """

    odd = True

    @staticmethod
    def of_amplitude(phi, m):
        return sympy.sin(phi)

    @staticmethod
    def hyperbolic(u):
        return sympy.tanh(u)

    def _slope(self):
        return cn(*self.args) * dn(*self.args)


class cn(JacobiFunction):
    """Jacobi's cn(u | m), the cosine of the amplitude."""

    @staticmethod
    def of_amplitude(phi, m):
        return sympy.cos(phi)

    @staticmethod
    def hyperbolic(u):
        return sympy.sech(u)

    def _slope(self):
        return -sn(*self.args) * dn(*self.args)


class dn(JacobiFunction):
    """Jacobi's dn(u | m), sqrt(1 - m sin^2) of the amplitude."""

    @staticmethod
    def of_amplitude(phi, m):
        return sympy.sqrt(1 - m * sympy.sin(phi) ** 2)

    @staticmethod
    def hyperbolic(u):
        return sympy.sech(u)

    def _slope(self):
        return -self.args[1] * sn(*self.args) * cn(*self.args)

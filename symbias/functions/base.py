"""What the functions of Lemma 4 have in common as SymPy Functions: domain, parity, numbers, printing, code."""

from typing import ClassVar

import sympy
from mpmath.libmp import prec_to_dps
from sympy import Expr, Function, S
from sympy.core.function import ArgumentIndexError
from sympy.printing.pretty.pretty_symbology import pretty_symbol
from sympy.printing.pretty.stringpict import prettyForm

from symbias.errors import BadInput
from symbias.precision import adopt, context

#: What the names in Unicode become where there is only ASCII; U+0304 is the bar over the letter before it.
_IN_ASCII = {"⁻¹": "^-1", "∘": " o ", "\u0304": "bar"}


def valid_depth(depth) -> bool:
    """False only for a number that is no depth (not an integer, or below 2); limits pass through 1/L and the like."""
    return isinstance(depth, Expr) and (not depth.is_number or bool(depth.is_Integer and depth >= 2))


def real_numbers(ctx, expressions):
    """The expressions to the precision of ``ctx``, or None unless all are finite real numbers."""
    if not all(e.is_number for e in expressions):
        return None
    values = [e._to_mpmath(ctx.prec + 10, allow_ints=False) for e in expressions]
    if not all(hasattr(value, "_mpf_") and ctx.isfinite(value) for value in values):
        return None
    return [adopt(ctx, value) for value in values]


class DepthFunction(Function):
    """A function of Lemma 4: ``f(depth, argument)``, depth an integer >= 2, argument real.

    ``eval`` never raises and refuses nothing, because SymPy substitutes freely inside limits and assumptions: a bad
    depth gives nan, what has no simpler form stays folded. The doors (``symbias.potential`` and the like) are strict.
    """

    nargs = 2
    odd: ClassVar[bool] = True
    #: The value at 0.
    at_zero: ClassVar[Expr] = S.Zero
    #: The name in LaTeX and in Unicode; L stands for the depth (a subscript in Unicode).
    name_latex: ClassVar[str]
    name_pretty: ClassVar[str]

    @classmethod
    def eval(cls, depth, argument):
        if depth is S.Infinity and not issubclass(cls, OnInterval) and not argument.is_infinite:
            return S.Zero  # the limit of large depth; the domain of p, q and h shrinks to a point
        if not valid_depth(depth) or argument is S.NaN or argument is S.ComplexInfinity:
            return S.NaN
        if argument.is_zero:
            return cls.at_zero
        if argument.is_Float and depth.is_Integer:
            return cls(depth, argument, evaluate=False)._number(argument._prec)
        known = cls.special(depth, argument)
        if known is not None:
            return known
        if argument.could_extract_minus_sign():
            return -cls(depth, -argument) if cls.odd else cls(depth, -argument)
        return None

    @classmethod
    def special(cls, depth, argument):
        """Return a simpler form for an argument that has one: the end of the domain, the inverse function."""
        return None

    def fdiff(self, argindex=2):
        if argindex != 2:
            raise ArgumentIndexError(self, argindex)
        return self._slope()

    def _slope(self):
        """The derivative in the second argument."""
        raise NotImplementedError

    def _eval_is_real(self):
        return self.args[1].is_real

    def _eval_is_extended_real(self):
        return self.args[1].is_extended_real

    def _eval_is_extended_positive(self):
        return self.args[1].is_extended_positive if self.odd else None

    def _eval_is_extended_negative(self):
        return self.args[1].is_extended_negative if self.odd else None

    def _eval_is_zero(self):
        return self.args[1].is_zero if self.odd else None

    def _eval_conjugate(self):
        return self.func(self.args[0], self.args[1].conjugate())

    # Numbers -----------------------------------------------------------------------------------------------------

    def _eval_evalf(self, prec):
        depth, argument = self.args
        if not (depth.is_Integer and argument.is_number):
            return None
        value = self._number(prec)
        if value is None and argument.is_extended_real:
            end = self._end(prec_to_dps(prec) + 5)
            raise BadInput(
                f"{self} is outside its domain: depth {depth} takes |t| < c({depth}) = {end} only; "
                "beyond it the flow of Lemma 4 has already blown up"
            )
        return value

    def _number(self, prec):
        """The value to ``prec`` bits, or None where the argument is not real or lies outside the domain."""
        depth, argument = self.args
        ctx = context(prec_to_dps(prec) + 5)
        point = self._argument_number(ctx.prec + 10)
        if point is None:
            return None
        value = self._precise()(ctx, int(depth), ctx.make_mpf(point._mpf_))
        return Expr._from_mpmath(value, prec)

    def _precise(self):
        """The kernel ``fn(ctx, depth, x)`` behind the function."""
        from symbias.kernels import precise

        return getattr(precise, type(self).__name__)

    def _argument_number(self, prec):
        """The real argument to ``prec`` bits, as a raw mpf."""
        value = self.args[1]._to_mpmath(prec, allow_ints=False)
        return value if hasattr(value, "_mpf_") else None

    # Expansions --------------------------------------------------------------------------------------------------

    def _eval_nseries(self, x, n, logx, cdir=0):
        from symbias.functions.local_series import nseries

        return nseries(self, x, n, logx, cdir)

    def _eval_as_leading_term(self, x, logx, cdir):
        from symbias.functions.local_series import leading_term

        return leading_term(self, x, logx, cdir)

    # Printing ----------------------------------------------------------------------------------------------------

    def _latex(self, printer, exp=None):
        depth, argument = (printer._print(a) for a in self.args)
        shown = self.name_latex.replace("L", depth) + rf"\left({argument}\right)"
        return shown if exp is None else rf"\left({shown}\right)^{{{exp}}}"

    def _pretty(self, printer):
        depth, argument = self.args
        name, subscript = self.name_pretty, f"_({depth})"
        if depth.is_Integer or depth.is_Symbol:
            subscript = pretty_symbol(f"x_{depth}")[1:] if printer._use_unicode else f"_{depth}"
        if not printer._use_unicode:
            for sign, ascii_sign in _IN_ASCII.items():
                name = name.replace(sign, ascii_sign)
        head = prettyForm(name.replace("L", subscript))
        inner = prettyForm(*printer._print_seq((argument,)).parens())
        return prettyForm(*head.right(inner), binding=prettyForm.POW)  # bracketed when it is raised to a power

    def _numpycode(self, printer):
        return self._code(printer, "symbias.functions.targets.symbias_")

    def _pythoncode(self, printer):
        return self._code(printer, "symbias.functions.targets.symbias_")

    def _mpmathcode(self, printer):
        return self._code(printer, "symbias.functions.targets.symbias_mpmath_")

    def _code(self, printer, prefix):
        called = printer._module_format(prefix + type(self).__name__)
        return f"{called}({', '.join(printer._print(a) for a in self.args)})"


class OnInterval(DepthFunction):
    """p, q and h: functions of t in (-c(depth), c(depth)), infinite at the ends."""

    @classmethod
    def special(cls, depth, argument):
        from symbias.functions.lemma_4 import c

        end = c(depth)
        if argument == end:
            return S.Infinity
        if argument == -end:
            return -S.Infinity if cls.odd else S.Infinity
        if argument.is_extended_real and argument.is_infinite:
            return S.NaN
        return None

    def _eval_rewrite_as_tractable(self, depth, t, limitvar=None, **hints):
        # Depth 2 grows like an exponential: limits compare exponentials, not hyperbolic functions.
        return sympy.expand_func(self).rewrite(sympy.exp) if depth == 2 else None

    def _end(self, digits):
        from symbias.functions.lemma_4 import c

        return sympy.N(c(self.args[0]), digits)

    def _argument_number(self, prec):
        """t to as many bits as the value needs: near an end of the domain the relative error grows like c/(c - |t|)."""
        depth, t = int(self.args[0]), self.args[1]
        asked = prec
        for _ in range(8):
            point = t._to_mpmath(asked, allow_ints=False)
            if not hasattr(point, "_mpf_"):
                return None
            ctx = context(prec_to_dps(asked) + 20)
            size = abs(adopt(ctx, point))
            if depth == 2:
                lost = max(ctx.mag(size), 0) + 2
            else:
                end = adopt(ctx, self._end(ctx.dps + 5)._to_mpmath(ctx.prec))
                gap = end - size
                if gap < -end * ctx.mpf(2) ** (5 - asked):
                    return None
                lost = ctx.mag(end / gap) + 3 + depth.bit_length() if gap > 0 else asked
            if lost <= asked - prec or t.has(sympy.Float):
                return point if depth == 2 or gap > 0 else None
            asked = prec + lost if lost < asked else 2 * asked
        return None


class EvenPotential(DepthFunction):
    """H and its like, integrals from 0 of an odd increasing function: even, convex, 0 at 0 alone, oo at both ends."""

    odd = False

    @classmethod
    def special(cls, depth, argument):
        return S.Infinity if argument in (S.Infinity, S.NegativeInfinity) else None

    def _eval_is_extended_nonnegative(self):
        return self.args[1].is_extended_real

    def _eval_is_extended_positive(self):
        y = self.args[1]
        return True if y.is_extended_real and y.is_zero is False else None

    def _eval_is_zero(self):
        return self.args[1].is_zero if self.args[1].is_extended_real else None

r"""The functions of Lemma 4, for every depth L >= 2, as SymPy Functions ``f(depth, argument)``.

.. math:: p' = p^{L-2} q, \quad q' = p^{L-1}, \quad p(0) = 1, \quad q(0) = 0, \qquad h_L = p^{L-1} q.

One conserved quantity, :math:`p^2 - q^2 = 1`, gives everything else: :math:`t(q) = \int_0^q (1+u^2)^{-(L-1)/2} du`, the
blow-up time :math:`c_L = t(\infty)`, and :math:`h_L = q (1+q^2)^{(L-1)/2}`, strictly increasing from
:math:`(-c_L, c_L)` onto the real line. They stay folded until ``sympy.expand_func`` is called; they differentiate for a
symbolic depth, evaluate to any number of digits (``.evalf(40)``), and lower to NumPy and mpmath.

Source: arXiv:2010.02501v3, Lemma 4; ``derivations/lemma_4.py``.
"""

import sympy
from sympy import Function, S, gamma, pi, sqrt
from sympy.core.function import ArgumentIndexError

from symbias.functions import explicit
from symbias.functions.base import DepthFunction, OnInterval, valid_depth


class c(Function):
    r"""The end of the domain of h_L, where the flow of Lemma 4 blows up: ``c(depth)``.

    .. math:: c_L = \int_0^\infty (1+u^2)^{-(L-1)/2} du
                  = \frac{\sqrt\pi\, \Gamma((L-2)/2)}{2\, \Gamma((L-1)/2)} \quad (L \ge 3), \qquad c_2 = \infty.

    Parameters
    ----------
    depth : integer >= 2, or a symbol
        L. A number that is not a depth gives nan.

    Returns
    -------
    An exact number for a concrete depth (a rational for even depth >= 4, a rational multiple of pi for odd depth); folded
    for a symbol, where ``.rewrite(sympy.gamma)`` gives the Gamma functions.

    Source
    ------
    arXiv:2010.02501v3, Lemma 4; ``derivations/lemma_4.py``.

    Examples
    --------
    >>> from symbias.functions import c
    >>> c(2), c(3), c(4), c(5), c(6)
    (oo, pi/2, 1, pi/4, 2/3)
    """

    nargs = 1

    @classmethod
    def eval(cls, depth):
        if depth is S.Infinity:
            return S.Zero
        if not valid_depth(depth):
            return S.NaN
        if depth == 2:
            return S.Infinity
        return by_gamma(depth) if depth.is_Integer else None

    def _eval_is_extended_real(self):
        return True

    def _eval_is_extended_positive(self):
        return True

    def _eval_is_finite(self):
        return (self.args[0] - 2).is_positive

    def _eval_rewrite_as_gamma(self, depth, **hints):
        return by_gamma(depth)

    def _latex(self, printer, exp=None):
        shown = rf"c_{{{printer._print(self.args[0])}}}"
        return shown if exp is None else rf"{shown}^{{{exp}}}"

    def _numpycode(self, printer):
        return f"{printer._module_format('symbias.functions.targets.symbias_c')}({printer._print(self.args[0])})"

    _pythoncode = _numpycode

    def _mpmathcode(self, printer):
        return f"{printer._module_format('symbias.functions.targets.symbias_mpmath_c')}({printer._print(self.args[0])})"


def by_gamma(depth):
    """sqrt(pi) Gamma((L-2)/2) / (2 Gamma((L-1)/2))."""
    return sqrt(pi) * gamma((depth - 2) / S(2)) / (2 * gamma((depth - 1) / S(2)))


class p(OnInterval):
    r"""The growing layer of Lemma 4: ``p(depth, t)``, even, :math:`p = \sqrt{1 + q^2} \ge 1`.

    Parameters
    ----------
    depth : integer >= 2, or a symbol (L)
    t : real, -c(depth) < t < c(depth)

    Returns
    -------
    Folded, or 1 at t = 0 and oo at the ends. ``expand_func``: cosh t, sec t, 1/sqrt(1-t^2) for depths 2, 3, 4, and 6.

    Raises
    ------
    BadInput
        On evaluation (``.evalf``) at a t outside the domain; the message gives c(depth).

    Accuracy
    --------
    ``.evalf(n)`` is correct to n digits, t near an end of the domain included (for an exact t).

    Source
    ------
    arXiv:2010.02501v3, Lemma 4; ``derivations/lemma_4.py``.

    Examples
    --------
    >>> import sympy
    >>> from symbias.functions import p
    >>> t = sympy.Symbol("t", real=True)
    >>> sympy.expand_func(p(3, t)), p(3, -t), p(5, t).diff(t)
    (sec(t), p(3, t), p(5, t)**3*q(5, t))
    """

    odd = False
    at_zero = S.One
    name_latex = r"p_{L}"

    @classmethod
    def special(cls, depth, argument):
        if isinstance(argument, h_inverse) and argument.args[0] == depth:
            return sqrt(1 + root(depth, argument.args[1]) ** 2)
        return super().special(depth, argument)

    def fdiff(self, argindex=2):
        if argindex != 2:
            raise ArgumentIndexError(self, argindex)
        depth, t = self.args
        return p(depth, t) ** (depth - 2) * q(depth, t)

    def _eval_is_extended_positive(self):
        return self.args[1].is_extended_real

    def _eval_is_zero(self):
        return False if self.args[1].is_extended_real else None

    def _eval_expand_func(self, **hints):
        return explicit.unfold(self, explicit.p)


class q(OnInterval):
    r"""The layer of Lemma 4 that starts at zero: ``q(depth, t)``, odd, increasing from (-c_L, c_L) onto the real line.

    It is the inverse of :math:`t(q) = \int_0^q (1+u^2)^{-(L-1)/2} du`.

    Parameters
    ----------
    depth : integer >= 2, or a symbol (L)
    t : real, -c(depth) < t < c(depth)

    Returns
    -------
    Folded, or 0 at t = 0 and oo, -oo at the ends. ``expand_func``: sinh t, tan t, t/sqrt(1-t^2) for depths 2, 3, 4, and 6
    (s/sqrt(1-s^2) with s = 2 sin(asin(3t/2)/3)).

    Raises
    ------
    BadInput
        On evaluation (``.evalf``) at a t outside the domain; the message gives c(depth).

    Accuracy
    --------
    ``.evalf(n)`` is correct to n digits, t near an end of the domain included (for an exact t).

    Source
    ------
    arXiv:2010.02501v3, Lemma 4; ``derivations/lemma_4.py``.

    Examples
    --------
    >>> import sympy
    >>> from symbias.functions import q
    >>> t = sympy.Symbol("t", real=True)
    >>> sympy.expand_func(q(4, t)), q(4, -t), q(5, t).diff(t)
    (t/sqrt(1 - t**2), -q(4, t), p(5, t)**4)
    """

    name_latex = r"q_{L}"

    @classmethod
    def special(cls, depth, argument):
        if isinstance(argument, h_inverse) and argument.args[0] == depth:
            return root(depth, argument.args[1])
        return super().special(depth, argument)

    def fdiff(self, argindex=2):
        if argindex != 2:
            raise ArgumentIndexError(self, argindex)
        depth, t = self.args
        return p(depth, t) ** (depth - 1)

    def _eval_expand_func(self, **hints):
        return explicit.unfold(self, explicit.q)


class h(OnInterval):
    r"""The function of Lemma 4: ``h(depth, t)``, :math:`h_L = p^{L-1} q`, odd, increasing onto the real line.

    Parameters
    ----------
    depth : integer >= 2, or a symbol (L)
    t : real, -c(depth) < t < c(depth)

    Returns
    -------
    Folded, or 0 at t = 0, oo and -oo at the ends, y at t = h_inverse(depth, y). ``expand_func``: sinh(2t)/2,
    tan t sec^2 t, t/(1-t^2)^2 for depths 2, 3, 4, and s/(1-s^2)^3, s = 2 sin(asin(3t/2)/3), for depth 6.

    Raises
    ------
    BadInput
        On evaluation (``.evalf``) at a t outside the domain; the message gives c(depth).

    Accuracy
    --------
    ``.evalf(n)`` is correct to n digits, t near an end of the domain included (for an exact t).

    Source
    ------
    arXiv:2010.02501v3, Lemma 4; ``derivations/lemma_4.py``.

    Examples
    --------
    >>> import sympy
    >>> from symbias.functions import h, h_inverse
    >>> sympy.expand_func(h(4, sympy.Rational(1, 2)))
    8/9
    >>> h(3, sympy.Rational(1, 2)).evalf(25)
    0.7093445069354556907707190
    >>> h(5, h_inverse(5, sympy.Symbol("y")))
    y
    """

    name_latex = r"h_{L}"

    @classmethod
    def special(cls, depth, argument):
        if isinstance(argument, h_inverse) and argument.args[0] == depth:
            return argument.args[1]
        return super().special(depth, argument)

    def fdiff(self, argindex=2):
        if argindex != 2:
            raise ArgumentIndexError(self, argindex)
        depth, t = self.args
        return p(depth, t) ** (2 * depth - 4) * (1 + depth * q(depth, t) ** 2)

    def _eval_expand_func(self, **hints):
        return explicit.unfold(self, explicit.h)


class h_inverse(DepthFunction):
    r"""The inverse of h_L: ``h_inverse(depth, y)``, odd, increasing from the real line onto (-c_L, c_L).

    .. math:: \frac{d}{dy} h_L^{-1}(y) = \frac{1}{(1+r^2)^{L-2} (1 + L r^2)}, \qquad r = \mathrm{root}(L, y).

    Parameters
    ----------
    depth : integer >= 2, or a symbol (L)
    y : real

    Returns
    -------
    Folded, or 0 at 0, c(depth) at oo, t at y = h(depth, t) for real t. ``expand_func``: explicit for depths 2, 3, 4.
    ``.rewrite(sympy.hyper)``: the generalised hypergeometric function, |y| below the radius of its series.

    Accuracy
    --------
    ``.evalf(n)`` is correct to n digits for every y.

    Source
    ------
    arXiv:2010.02501v3, Lemma 4 and Theorem 5; ``derivations/lemma_4.py``, ``derivations/series.py``.

    Examples
    --------
    >>> from symbias.functions import h_inverse
    >>> import sympy
    >>> sympy.expand_func(h_inverse(2, sympy.Symbol("y")))
    asinh(2*y)/2
    >>> h_inverse(3, 1).evalf(25)
    0.5987667052549518971485504
    """

    name_latex = r"h_{L}^{-1}"

    @classmethod
    def special(cls, depth, argument):
        if argument is S.Infinity:
            return c(depth)
        if argument is S.NegativeInfinity:
            return -c(depth)
        return _undone(argument, depth)

    def fdiff(self, argindex=2):
        if argindex != 2:
            raise ArgumentIndexError(self, argindex)
        depth, y = self.args
        r = root(depth, y)
        return 1 / ((1 + r**2) ** (depth - 2) * (1 + depth * r**2))

    def _eval_expand_func(self, **hints):
        return explicit.unfold(self, explicit.h_inverse)


def _undone(argument, depth):
    """t where the argument is h(depth, t) with t real and, if it is a number, inside the domain; else None."""
    if not isinstance(argument, h) or argument.args[0] != depth:
        return None
    t = argument.args[1]
    inside = t.is_extended_real and (not t.is_number or (abs(t) < c(depth)) == True)  # noqa: E712 (a SymPy relation)
    return t if inside else None


class root(DepthFunction):
    r"""q at h_L^{-1}(y): ``root(depth, y)``, the odd function whose square is the positive root z of
    :math:`z (1+z)^{L-1} = y^2`.

    The derivatives of h_inverse are rational in it, which is why they lower without cancellation.

    Parameters
    ----------
    depth : integer >= 2, or a symbol (L)
    y : real

    Returns
    -------
    Folded, or 0 at 0, oo at oo, q(depth, t) at y = h(depth, t). ``expand_func``: explicit for depths 2, 3, 4.

    Accuracy
    --------
    ``.evalf(n)`` is correct to n digits for every y.

    Source
    ------
    ``derivations/lemma_4.py``.

    Examples
    --------
    >>> from symbias.functions import root
    >>> import sympy
    >>> r = root(5, sympy.Symbol("y", real=True))
    >>> r.diff(r.args[1])
    1/((root(5, y)**2 + 1)*(5*root(5, y)**2 + 1))
    """

    name_latex = r"q_{L} \circ h_{L}^{-1}"

    @classmethod
    def special(cls, depth, argument):
        if argument is S.Infinity or argument is S.NegativeInfinity:
            return argument
        t = _undone(argument, depth)
        return None if t is None else q(depth, t)

    def fdiff(self, argindex=2):
        if argindex != 2:
            raise ArgumentIndexError(self, argindex)
        depth, y = self.args
        r = root(depth, y)
        return (1 + r**2) ** ((3 - depth) / S(2)) / (1 + depth * r**2)

    def _eval_expand_func(self, **hints):
        return explicit.unfold(self, explicit.root)

    def _latex(self, printer, exp=None):
        depth, y = (printer._print(a) for a in self.args)
        shown = rf"q_{{{depth}}}\left(h_{{{depth}}}^{{-1}}\left({y}\right)\right)"
        return shown if exp is None else rf"\left({shown}\right)^{{{exp}}}"


class H(DepthFunction):
    r"""The potential of one coordinate: ``H(depth, y)``, :math:`H_L(y) = \int_0^y h_L^{-1}`, even, convex, >= 0.

    .. math:: H_L(y) = y\, h_L^{-1}(y) - \tfrac12 q^2, \qquad q = \mathrm{root}(L, y),

    and its convex conjugate is :math:`H_L^*(t) = q_L(t)^2 / 2`.

    Parameters
    ----------
    depth : integer >= 2, or a symbol (L)
    y : real

    Returns
    -------
    Folded, or 0 at 0 and oo at both ends. ``expand_func``: y h_inverse - root^2/2, unfolded further for depths 2, 3, 4.

    Accuracy
    --------
    ``.evalf(n)`` is correct to n digits for every y, small y included.

    Source
    ------
    arXiv:2010.02501v3, Theorem 5; ``derivations/lemma_4.py``.

    Examples
    --------
    >>> from symbias.functions import H
    >>> import sympy
    >>> y = sympy.Symbol("y", real=True)
    >>> H(7, y).diff(y), H(7, -y)
    (h_inverse(7, y), H(7, y))
    >>> H(2, 1).evalf(25)
    0.4128007432144577471443450
    """

    odd = False
    name_latex = r"H_{L}"

    @classmethod
    def special(cls, depth, argument):
        return S.Infinity if argument in (S.Infinity, S.NegativeInfinity) else None

    def fdiff(self, argindex=2):
        if argindex != 2:
            raise ArgumentIndexError(self, argindex)
        return h_inverse(*self.args)

    def _eval_is_extended_nonnegative(self):
        return self.args[1].is_extended_real

    def _eval_is_extended_positive(self):
        y = self.args[1]
        return True if y.is_extended_real and y.is_zero is False else None

    def _eval_is_zero(self):
        return self.args[1].is_zero if self.args[1].is_extended_real else None

    def _eval_expand_func(self, **hints):
        depth, y = self.args
        unfolded = y * h_inverse(depth, y) - root(depth, y) ** 2 / 2
        return sympy.expand_func(unfolded) if hints.get("deep", True) else unfolded

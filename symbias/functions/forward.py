"""The layers p and q of Lemma 4 and h = p^(L-1) q, as functions of t in (-c_L, c_L)."""

from sympy import S, sqrt

from symbias.functions import explicit
from symbias.functions.base import OnInterval


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
    name_pretty = "pL"

    @classmethod
    def special(cls, depth, argument):
        from symbias.functions.inverse import root

        y = _h_inverse_of(argument, depth)
        if y is not None:
            return sqrt(1 + root(depth, y) ** 2)
        return super().special(depth, argument)

    def _slope(self):
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
    Folded, or 0 at t = 0 and oo, -oo at the ends. ``expand_func``: sinh t, tan t, t/sqrt(1-t^2) for depths 2, 3, 4,
    and 6 (s/sqrt(1-s^2) with s = 2 sin(asin(3t/2)/3)).

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
    name_pretty = "qL"

    @classmethod
    def special(cls, depth, argument):
        from symbias.functions.inverse import root

        y = _h_inverse_of(argument, depth)
        if y is not None:
            return root(depth, y)
        return super().special(depth, argument)

    def _slope(self):
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
    name_pretty = "hL"

    @classmethod
    def special(cls, depth, argument):
        y = _h_inverse_of(argument, depth)
        return super().special(depth, argument) if y is None else y

    def _slope(self):
        depth, t = self.args
        return p(depth, t) ** (2 * depth - 4) * (1 + depth * q(depth, t) ** 2)

    def _eval_expand_func(self, **hints):
        return explicit.unfold(self, explicit.h)


def _h_inverse_of(argument, depth):
    """y where the argument is h_inverse(depth, y), else None."""
    from symbias.functions.inverse import h_inverse

    return argument.args[1] if isinstance(argument, h_inverse) and argument.args[0] == depth else None

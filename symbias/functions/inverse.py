"""The inverse of h_L, the root q at it, and their potential H_L, as functions of y on the whole real line."""

import sympy
from sympy import S

from symbias.functions import explicit
from symbias.functions.base import DepthFunction, EvenPotential
from symbias.functions.blow_up import c
from symbias.functions.forward import h, q


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
    name_pretty = "hL⁻¹"

    @classmethod
    def special(cls, depth, argument):
        if argument is S.Infinity:
            return c(depth)
        if argument is S.NegativeInfinity:
            return -c(depth)
        return _undone(argument, depth)

    def _slope(self):
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
    name_pretty = "qL∘hL⁻¹"

    @classmethod
    def special(cls, depth, argument):
        if argument is S.Infinity or argument is S.NegativeInfinity:
            return argument
        t = _undone(argument, depth)
        return None if t is None else q(depth, t)

    def _slope(self):
        depth, y = self.args
        r = root(depth, y)
        return (1 + r**2) ** ((3 - depth) / S(2)) / (1 + depth * r**2)

    def _eval_expand_func(self, **hints):
        return explicit.unfold(self, explicit.root)

    def _latex(self, printer, exp=None):
        depth, y = (printer._print(a) for a in self.args)
        shown = rf"q_{{{depth}}}\left(h_{{{depth}}}^{{-1}}\left({y}\right)\right)"
        return shown if exp is None else rf"\left({shown}\right)^{{{exp}}}"


class H(EvenPotential):
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

    name_latex = r"H_{L}"
    name_pretty = "HL"

    def _slope(self):
        return h_inverse(*self.args)

    def _eval_expand_func(self, **hints):
        depth, y = self.args
        unfolded = y * h_inverse(depth, y) - root(depth, y) ** 2 / 2
        return sympy.expand_func(unfolded) if hints.get("deep", True) else unfolded

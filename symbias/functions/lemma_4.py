r"""The functions of Lemma 4, for every depth L >= 2, as SymPy Functions ``f(depth, argument)``.

.. math:: p' = p^{L-2} q, \quad q' = p^{L-1}, \quad p(0) = 1, \quad q(0) = 0, \qquad h_L = p^{L-1} q.

One conserved quantity, :math:`p^2 - q^2 = 1`, gives everything else: :math:`t(q) = \int_0^q (1+u^2)^{-(L-1)/2} du`, the
blow-up time :math:`c_L = t(\infty)`, and :math:`h_L = q (1+q^2)^{(L-1)/2}`, strictly increasing from
:math:`(-c_L, c_L)` onto the real line. They stay folded until ``sympy.expand_func`` is called; they differentiate for a
symbolic depth, evaluate to any number of digits (``.evalf(40)``), and lower to NumPy and mpmath.

Source: arXiv:2010.02501v3, Lemma 4; ``derivations/lemma_4.py``.
"""

from symbias.functions.blow_up import by_gamma, c
from symbias.functions.forward import h, p, q
from symbias.functions.inverse import H, h_inverse, root

__all__ = ["H", "by_gamma", "c", "h", "h_inverse", "p", "q", "root"]

"""c_L, the end of the domain of h_L: the blow-up time of the flow of Lemma 4."""

from sympy import Function, S, gamma, pi, sqrt

from symbias.functions.base import valid_depth


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
    An exact number for a concrete depth (a rational for even depth >= 4, a rational multiple of pi for odd depth);
    folded for a symbol, where ``.rewrite(sympy.gamma)`` gives the Gamma functions.

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

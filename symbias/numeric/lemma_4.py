"""Lemma 4's system p' = p^{L-2} q, q' = p^{L-1}, p(0) = 1, q(0) = 0 by Taylor series, independently of its closed
forms.

It is the flow of a diagonal network with one coordinate, blocks 1, ..., 1, 0 and a constant residual -1.
"""

from fractions import Fraction

import numpy as np

from symbias import exact
from symbias.errors import BadInput
from symbias.kernels import precise
from symbias.numeric.products import Hadamard
from symbias.numeric.taylor import TaylorFlow
from symbias.precision import context, public


def integrate_lemma_4(depth: int, t, digits: int) -> tuple:
    """Integrate p and q from 0 to t.

    Parameters
    ----------
    depth : int >= 2
        L.
    t : exact number or float, |t| < c_L
    digits : int
        Correct decimal digits of p and q.

    Returns
    -------
    (p, q) : mpf

    Raises
    ------
    BadInput
        |t| >= c_L, where the solution has blown up (c_L is named).

    Source
    ------
    arXiv:2010.02501v3, Lemma 4.

    Examples
    --------
    >>> import mpmath
    >>> p, q = integrate_lemma_4(4, "1/2", 20)  # q = t / sqrt(1 - t^2)
    >>> print(mpmath.nstr(q, 20))
    0.57735026918962576451
    """
    precise.check_depth(depth)
    given = exact.number(t, "t")
    ctx = context(digits + 30)
    time, end = exact.precise(given, ctx), precise.c(ctx, depth)
    if abs(time) >= end:
        raise BadInput(
            f"t = {given} is at or past the blow-up of Lemma 4's system at c_{depth} = {ctx.nstr(end, 12)}: "
            "ask for |t| < c_L"
        )
    # An early error moves the blow-up: it grows by the factor 1/(c_L - t).
    lost = 0 if end == ctx.inf else int(max(0, -ctx.log10(1 - abs(time) / end))) + 1
    ctx = context(digits + lost + 30)
    one = np.array([ctx.one], dtype=object)
    flow = TaylorFlow(Hadamard(), one[None], one, [one] * (depth - 1) + [0 * one], digits + lost + 3, "drive")
    flow.advance_to(
        Fraction(exact.precise(given, ctx)) if not given.is_Rational else Fraction(int(given.p), int(given.q))
    )
    blocks = flow.blocks()
    return public(blocks[0][0], digits), public(blocks[-1][0], digits)

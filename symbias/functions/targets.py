"""What printed code calls: each function of Lemma 4 under a name that no symbol of a formula has.

``sympy.lambdify`` of an expression that holds ``h_inverse(3, y)`` prints ``symbias_h_inverse(3, y)`` for NumPy and
``symbias_mpmath_h_inverse(3, y)`` for mpmath, and imports it from here.
"""

import mpmath

from symbias import kernels
from symbias.functions import difference_numbers
from symbias.functions.elapsed import elapsed
from symbias.functions.position_numbers import position
from symbias.kernels import precise
from symbias.precision import adopt, context

symbias_p = kernels.p
symbias_q = kernels.q
symbias_h = kernels.h
symbias_h_inverse = kernels.h_inverse
symbias_root = kernels.root
symbias_H = kernels.H
symbias_c = kernels.c
symbias_difference_h_inverse = difference_numbers.inverse_float
symbias_difference_H = difference_numbers.H_float


def _at_global_precision(function):
    """The precise kernel, computed in a private context and rounded to the precision mpmath is set to."""

    def rounded(depth, *arguments):
        ctx = context(mpmath.mp.dps + 5)
        return +mpmath.mp.make_mpf(function(ctx, int(depth), *(adopt(ctx, a) for a in arguments))._mpf_)

    return rounded


symbias_mpmath_p = _at_global_precision(precise.p)
symbias_mpmath_q = _at_global_precision(precise.q)
symbias_mpmath_h = _at_global_precision(precise.h)
symbias_mpmath_h_inverse = _at_global_precision(precise.h_inverse)
symbias_mpmath_root = _at_global_precision(precise.root)
symbias_mpmath_H = _at_global_precision(precise.H)
symbias_mpmath_difference_h_inverse = _at_global_precision(difference_numbers.difference_h_inverse)
symbias_mpmath_difference_H = _at_global_precision(difference_numbers.difference_H)
symbias_mpmath_c = _at_global_precision(precise.c)


def _of_the_scalar_flow(function):
    """F or its inverse Z, computed in a private context and rounded to the precision mpmath is set to."""

    def rounded(at, start, *deltas):
        ctx = context(mpmath.mp.dps + 5)
        at, start, *deltas = (adopt(ctx, value) for value in (at, start, *deltas))
        return +mpmath.mp.make_mpf(function(ctx, at, start, deltas)._mpf_)

    return rounded


symbias_mpmath_F = _of_the_scalar_flow(elapsed)
symbias_mpmath_Z = _of_the_scalar_flow(position)

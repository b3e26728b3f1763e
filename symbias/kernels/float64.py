"""The functions of Lemma 4 for float64 arrays: depth first, any shape, vectorised in blocks.

With L = depth, p' = p^(L-2) q, q' = p^(L-1), p(0) = 1, q(0) = 0 on (-c, c) and h = p^(L-1) q. As p^2 - q^2 = 1,
everything is a function of q = root(y), which solves q (1 + q^2)^((L-1)/2) = y = h(t), where
t = h_inverse(y) = int_0^q (1 + u^2)^(-(L-1)/2) du.

Parameters of all of them: ``depth``, an integer of at least 2 (else BadInput); ``y`` or ``t``, a number, list or array
of any real dtype, taken as float64. Returns float64 of the same shape, a NumPy scalar for a scalar. No floating-point
warning leaves these functions: t outside (-c, c) gives nan, t = +-c(depth) an infinity unless the float64 c(depth)
lies below c_L, signed zeros keep their sign, y = +-inf goes to the limit.

Accuracy: depths 2 to 32, |y| from 1e-300 to 1e300 and t to the end of the domain. The aims are 4 ulp for p, q,
h_inverse and root, 8 for H and h_inverse', 4 (1 + L q^2)/(1 + q^2) for h, an error of q grown by h; the tests hold them
against mpmath at 60 digits and, on samples of 20,000, against 64-bit mantissas. The worst found in half a million fresh
points a depth (60,000 for to_end): h_inverse 1.5 (depth 3: 3.0), q 3.3 (from to_end 3.0), p 2.9, root 2.2, H 7.3,
h_inverse' 7.2 and h 3.4.

Source: arXiv:2010.02501v3, Lemma 4; the closed forms in q follow from p^2 - q^2 = 1.
"""

import numpy as np

from symbias.errors import BadInput
from symbias.kernels import inverse_table, inversion, solution, times
from symbias.kernels.blocks import blockwise
from symbias.kernels.depth import check_depth


def c(depth):
    """The end of the domain, c_L = int_0^oo (1 + u^2)^(-(L-1)/2) du: inf at depth 2, pi/2 at 3, 1 at 4.

    Examples
    --------
    >>> c(4), c(2)
    (np.float64(1.0), np.float64(inf))
    """
    return np.float64(times.end(check_depth(depth))[0])


def root(depth, y):
    """The real root q of q (1 + q^2)^((L-1)/2) = y: q_L at h_L^{-1}(y).

    Examples
    --------
    >>> root(3, [2.0, -10.0])  # q^3 + q
    array([ 1., -2.])
    """
    depth = check_depth(depth)
    return blockwise(lambda y: inversion.root(depth, y), y)


def h_inverse(depth, y):
    """The inverse of h_L, never beyond c(depth); near it, carry root(y), for t loses its distance to the end.

    Examples
    --------
    >>> h_inverse(3, 2.0) * 4 / np.pi  # arctan 1
    np.float64(1.0)
    """
    depth = check_depth(depth)
    return blockwise(lambda y: inverse_table.h_inverse(depth, y), y)


def H(depth, y):
    """int_0^y h_L^{-1} = t y - q^2/2: an error of q cancels to first order, since q = y dt/dq.

    Examples
    --------
    >>> H(4, 1e-9)  # y^2/2 - ...
    np.float64(5e-19)
    """
    depth = check_depth(depth)

    def block(y):
        q = inversion.root(depth, y)
        value = times.time(depth, q) * y - 0.5 * q * q
        return np.where(np.isinf(y), np.inf, value)

    return blockwise(block, y)


def h_inverse_prime(depth, y):
    """The derivative of h_L^{-1}, 1/((1 + q^2)^(L-2) (1 + L q^2)) = (q/y)^2 (1 + q^2)/(1 + L q^2) at q = root(y).

    Examples
    --------
    >>> h_inverse_prime(3, 2.0)  # q = 1: 1/(2 * 4)
    np.float64(0.125)
    """
    depth = check_depth(depth)

    def block(y):
        q = inversion.root(depth, y)
        z = q * q
        value = (q / y) ** 2 / (1.0 + (depth - 1) / (1.0 + 1.0 / z))
        value[y == 0] = 1.0
        value[np.isinf(y)] = 0.0
        return value

    return blockwise(block, y)


def q(depth, t=None, *, to_end=None):
    """q_L(t), or q_L(c_L - to_end) for to_end in (0, 2 c_L): near the end t no longer holds its distance to c_L.

    Raises
    ------
    BadInput
        Neither or both of t and to_end, or to_end at depth 2, where the domain has no end.

    Examples
    --------
    >>> q(4, 0.6)  # t/sqrt(1 - t^2)
    np.float64(0.75)
    >>> q(3, to_end=2.0**-80) / 2.0**80  # cot
    np.float64(1.0)
    """
    depth = check_depth(depth)
    if (t is None) == (to_end is None):
        raise BadInput("q takes either t or to_end (the distance to the end of the domain), exactly one of them")
    if to_end is None:
        return blockwise(np.sinh if depth == 2 else lambda t: solution.q_from_time(depth, t), t)
    if depth == 2:
        raise BadInput("to_end has no meaning at depth 2: the domain has no end; pass t")
    return blockwise(lambda left: solution.q_from_end(depth, left), to_end)


def p(depth, t):
    """p_L(t) = sqrt(1 + q_L(t)^2).

    Examples
    --------
    >>> p(4, 0.6)
    np.float64(1.25)
    """
    depth = check_depth(depth)
    return blockwise(np.cosh if depth == 2 else lambda t: np.sqrt(1.0 + solution.q_from_time(depth, t) ** 2), t)


def h(depth, t):
    """h_L(t) = p^(L-1) q.

    Examples
    --------
    >>> h(4, [0.0, 0.5]) * 9  # t/(1 - t^2)^2
    array([0., 8.])
    """
    depth = check_depth(depth)
    return blockwise((lambda t: np.sinh(t) * np.cosh(t)) if depth == 2 else lambda t: solution.h_from_time(depth, t), t)

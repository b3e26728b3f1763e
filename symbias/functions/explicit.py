r"""Elementary forms of the functions of Lemma 4, for the depths that have one.

========== ======================= ============================ ==============================================
depth      q                       h                            h_inverse
========== ======================= ============================ ==============================================
2          sinh t                  sinh(2t)/2                   asinh(2y)/2
3          tan t                   tan t sec^2 t                atan r, r = (2/sqrt 3) sinh(asinh(3 sqrt 3 y/2)/3)
4          t/sqrt(1-t^2)           t/(1-t^2)^2                  y X^2, X the root of y^2 X^4 + X = 1 in (0, 1]
6          s/sqrt(1-s^2)           s/(1-s^2)^3                  (none by real radicals)
========== ======================= ============================ ==============================================

with s = 2 sin(asin(3t/2)/3), that is 3s - s^3 = 3t. Each is proved in ``symbias.functions.closed_form_proofs``.
"""

import sympy
from sympy import S, asin, asinh, atan, cosh, sec, sin, sinh, sqrt, tan

from symbias.functions.doors import integer_depth


def unfold(folded, table):
    """The elementary form of ``folded`` from ``table(depth, argument)``, or itself where there is none."""
    depth, argument = folded.args
    known = table(depth, argument)
    return folded if known is None else known


def angle_6(t):
    """s = 2 sin(asin(3t/2)/3), the sine of arctan q_6(t): 3s - s^3 = 3t."""
    return 2 * sin(asin(3 * t / 2) / 3)


def p(depth, t):
    if depth == 2:
        return cosh(t)
    if depth == 3:
        return sec(t)
    if depth == 4:
        return 1 / sqrt(1 - t**2)
    if depth == 6:
        return 1 / sqrt(1 - angle_6(t) ** 2)
    return None


def q(depth, t):
    if depth == 2:
        return sinh(t)
    if depth == 3:
        return tan(t)
    if depth == 4:
        return t / sqrt(1 - t**2)
    if depth == 6:
        return angle_6(t) / sqrt(1 - angle_6(t) ** 2)
    return None


def h(depth, t):
    if depth == 2:
        return sinh(2 * t) / 2
    if depth == 3:
        return tan(t) * sec(t) ** 2
    if depth == 4:
        return t / (1 - t**2) ** 2
    if depth == 6:
        return angle_6(t) / (1 - angle_6(t) ** 2) ** 3
    return None


def cubic_root(y):
    """The real r with r + r^3 = y (depth 3, without Cardano's cancelling radicals)."""
    return 2 / sqrt(3) * sinh(asinh(3 * sqrt(3) * y / 2) / 3)


def quartic_root(y):
    """The X in (0, 1] with y^2 X^4 + X = 1 (depth 4), by Ferrari: the resolvent is the cubic u + u^3 = 1/(8|y|)."""
    size = sqrt(y**2)
    m = 2 * size * cubic_root(1 / (8 * size))  # m^3 + 4 y^2 m = y^2
    return (sqrt(2 * size / sqrt(m) - m) - sqrt(m)) / (2 * size)


def root(depth, y):
    if depth == 2:
        return sinh(asinh(2 * y) / 2)
    if depth == 3:
        return cubic_root(y)
    if depth == 4:
        return y * quartic_root(y) ** sympy.Rational(3, 2)
    return None


def h_inverse(depth, y):
    if depth == 2:
        return asinh(2 * y) / S(2)
    if depth == 3:
        return atan(cubic_root(y))
    if depth == 4:
        return y * quartic_root(y) ** 2
    return None


def time(depth, q):
    r"""t(q) in elementary form for a concrete depth, by the cosine recurrence; never by simplifying a 2F1.

    With q = tan(theta), t is the integral of cos^(L-3) from 0 to theta, and n I_n = sin cos^(n-1) + (n-1) I_(n-2),
    where sin cos^(n-1) = q (1+q^2)^(-n/2). It starts from asinh q (L = 2), arctan q (L = 3) or q/sqrt(1+q^2) (L = 4).

    Examples
    --------
    >>> import sympy
    >>> from symbias.functions import explicit
    >>> explicit.time(5, sympy.Symbol("q"))
    q/(2*(q**2 + 1)) + atan(q)/2
    """
    depth = integer_depth(depth, "time")
    if depth == 2:
        return asinh(q)
    n = depth - 3
    weights, reached = ({0: S.One}, 0) if n % 2 == 0 else ({1: S.One}, 1)
    for m in range(reached + 2, n + 1, 2):
        weights = {j: w * sympy.Rational(m - 1, m) for j, w in weights.items()} | {m: sympy.Rational(1, m)}
    # The weight of m = 0 belongs to arctan q, all others to q (1+q^2)^(-m/2).
    return sum(
        (w * (atan(q) if m == 0 else q * (1 + q**2) ** sympy.Rational(-m, 2)) for m, w in weights.items()), S.Zero
    )


def end(depth):
    """c(depth) by the same recurrence at theta = pi/2: c_L = ((L-4)/(L-3)) c_(L-2), from c_3 = pi/2 and c_4 = 1."""
    depth = integer_depth(depth, "end", least=3)
    made = sympy.pi / 2 if depth % 2 else S.One
    for m in range(2 + (depth - 3) % 2, depth - 2, 2):
        made = sympy.Rational(m - 1, m) * made
    return made

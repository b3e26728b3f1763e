r"""Lemma 4, proved for a symbolic depth: invariant, parities, monotonicity, t(q), c_L, h_L, inverse, H_L, conjugate."""

import sympy
from sympy import Derivative, Rational, S, Symbol, Tuple, factorial, rf, sqrt
from sympy import beta as beta_function

from symbias import symbols
from symbias.functions import reductions  # noqa: F401 (registers the checks that the steps name)
from symbias.functions.doors import depth_at_door
from symbias.functions.lemma_4 import H, by_gamma, h, h_inverse, p, q, root
from symbias.proof import Step

_T = symbols.t
_S = Symbol("s", real=True)
_Y = Symbol("y", real=True)


def lemma_4_steps(depth=symbols.L) -> tuple[Step, ...]:
    r"""The proof of Lemma 4 for a symbolic (or concrete) depth, through the conserved quantity p^2 - q^2 = 1.

    Parameters
    ----------
    depth : symbol, or integer >= 2

    Returns
    -------
    Steps, each proved when it is made: what is claimed, why, and the check that reduced it to 0.

    Raises
    ------
    BadInput
        A Float, or a number that is not a depth.
    ProofFails
        Never for a true statement; it would name the remainder.

    Source
    ------
    arXiv:2010.02501v3, Lemma 4; ``derivations/lemma_4.py``.

    Examples
    --------
    >>> from symbias.functions.lemma_4_proofs import lemma_4_steps
    >>> lemma_4_steps()[0].title
    'The conserved quantity'
    """
    depth = depth_at_door(depth, "lemma_4_steps")
    return (*_flow(depth), *_time(depth), *_inverse(depth), *_potential(depth))


def _flow(depth) -> tuple[Step, ...]:
    p_t, q_t, h_t = p(depth, _T), q(depth, _T), h(depth, _T)
    mirrored = p(depth, _S), -q(depth, _S)
    growth = p_t ** (2 * depth - 4) * (1 + depth * q_t**2)
    return (
        Step(
            "The conserved quantity",
            p_t**2 - q_t**2,
            S.One,
            "p' = p^(L-2) q and q' = p^(L-1) give (p^2 - q^2)' = 0, and p(0) = 1, q(0) = 0",
            "constant_of_motion",
            {"t": _T},
        ),
        Step(
            "Parity: p is even and q is odd",
            Tuple(*(-Derivative(a, _S) for a in mirrored)),
            Tuple(mirrored[0] ** (depth - 2) * mirrored[1], mirrored[0] ** (depth - 1)),
            "with s = -t, (p(s), -q(s)) solves the equations in t from the same start (1, 0), and solutions "
            "are unique; so h is odd",
            "along_the_flow",
            {},
            ("Picard-Lindeloef theorem",),
        ),
        Step(
            "The derivative of h",
            Derivative(h_t, _T),
            growth,
            "h = p^(L-1) q, differentiated along the flow, with p^2 - q^2 = 1",
            "along_the_flow",
        ),
        Step(
            "Monotonicity: h is strictly increasing",
            Derivative(h_t, _T),
            growth,
            "p >= 1 and q is real, so every factor and term is positive",
            "positive_terms",
        ),
        Step(
            "h as a function of q",
            h_t,
            q_t * (1 + q_t**2) ** ((depth - 1) / S(2)),
            "p = sqrt(1 + q^2)",
            "along_the_flow",
        ),
        Step(
            "q^2 is a root of z (1 + z)^(L-1) = h^2",
            q_t**2 * (1 + q_t**2) ** (depth - 1),
            h_t**2,
            "the square of the line above; the left side increases in z >= 0, so the root is unique",
            "along_the_flow",
        ),
    )


def _time(depth) -> tuple[Step, ...]:
    u, s, k, b = (Symbol(name, positive=True) for name in ("u", "s", "k", "b"))
    q_t = q(depth, _T)
    exponent = (depth - 1) / S(2)
    inner = sqrt(s / (1 - s))
    steps = [
        Step(
            "Time as a function of q",
            1 / Derivative(q_t, _T),
            (1 + q_t**2) ** (-exponent),
            "dt/dq = 1/q' = p^(-(L-1)), so t(q) is the integral of (1+u^2)^(-(L-1)/2) from 0 to q",
            "along_the_flow",
        ),
        Step(
            "t(q) = q 2F1(1/2, (L-1)/2; 3/2; -q^2), term by term",
            (2 * k + 1) * rf(Rational(1, 2), k) * rf(b, k) / (rf(Rational(3, 2), k) * factorial(k)),
            rf(b, k) / factorial(k),
            "d/dq of the k-th term is that of the binomial series of (1+q^2)^(-b), b = (L-1)/2, up to (-q^2)^k",
            "hypergeometric_terms",
            {"k": k},
            ("binomial series",),
        ),
    ]
    if depth == 2:
        return tuple(steps)
    steps += [
        Step(
            "The end of the domain as a Beta integral",
            (1 + inner**2) ** (-exponent) * sympy.diff(inner, s),
            s ** Rational(-1, 2) * (1 - s) ** ((depth - 4) / S(2)) / 2,
            "u^2 = s/(1-s) turns c_L, the integral of (1+u^2)^(-(L-1)/2) from 0 to oo, into B(1/2, (L-2)/2)/2 (L >= 3)",
            "equal_logarithmic_derivative",
            {"variable": s, "point": Rational(1, 2)},
        ),
        Step(
            "c_L by Gamma functions",
            beta_function(Rational(1, 2), (depth - 2) / S(2)) / 2,
            by_gamma(depth),
            "B(a, b) = Gamma(a) Gamma(b)/Gamma(a+b)",
            "gamma_functions",
            {},
            ("Beta integral",),
        ),
        Step(
            "The recurrence of c_L",
            by_gamma(depth + 2),
            (depth - 2) / (depth - 1) * by_gamma(depth),
            "Gamma(z+1) = z Gamma(z); with c_3 = pi/2 and c_4 = 1 every c_L is rational, or rational times pi",
            "gamma_functions",
        ),
    ]
    return tuple(steps)


def _inverse(depth) -> tuple[Step, ...]:
    r = root(depth, _Y)
    curve = {"y": _Y, "t": _T, "depth": depth}
    return (
        Step(
            "The derivative of the inverse",
            Derivative(h_inverse(depth, _Y), _Y),
            1 / ((1 + r**2) ** (depth - 2) * (1 + depth * r**2)),
            "1/h' at t = h_L^{-1}(y), where q = r",
            "on_the_curve",
            curve,
        ),
        Step(
            "The derivative of the root",
            Derivative(r, _Y),
            (1 + r**2) ** ((3 - depth) / S(2)) / (1 + depth * r**2),
            "q'/h' at t = h_L^{-1}(y)",
            "on_the_curve",
            curve,
        ),
    )


def _potential(depth) -> tuple[Step, ...]:
    r = root(depth, _Y)
    curve = {"y": _Y, "t": _T, "depth": depth}
    t_y = h_inverse(depth, _Y)
    return (
        Step(
            "H_L(y) = y h_L^{-1}(y) - q^2/2",
            Tuple((_Y * t_y - r**2 / 2).subs(_Y, 0), Derivative(_Y * t_y - r**2 / 2, _Y)),
            Tuple(0, t_y),
            "it is 0 at y = 0, and its derivative is h_L^{-1}(y), because y dt = p^(L-1) q dt = q dq",
            "on_the_curve",
            curve,
        ),
        Step(
            "H_L is convex",
            Derivative(t_y, _Y),
            1 / ((1 + r**2) ** (depth - 2) * (1 + depth * r**2)),
            "H'' is the derivative of the inverse, a product of positive factors",
            "positive_terms",
        ),
        Step(
            "The convex conjugate is q_L(t)^2/2",
            _T * h(depth, _T) - H(depth, h(depth, _T)),
            q(depth, _T) ** 2 / 2,
            "H is convex, so t y - H(y) is largest where t = h_L^{-1}(y), at y = h_L(t)",
            "along_the_flow",
        ),
    )

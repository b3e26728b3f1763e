"""The reduced flow, derived from the full one: n unknowns nu with nu' = -r, whatever the width of the network.

Real Assumption 1, eta_l(0) = a (l < L) and eta_L(0) = 0 in one coordinate j (a = alpha |eta_j|; a sign of eta_j changes
nothing in rho). The flow of the coordinate is eta_l' = -sigma prod_{k != l} eta_k with sigma = (S X^T r)_j. Put
s = (S X^T nu)_j, nu(t) = -int_0^t r. Then

    eta_l = a p(a^{L-2} s),   eta_L = a q(a^{L-2} s),   rho_j = a^L h(a^{L-2} s).
"""

import sympy

from symbias import symbols
from symbias.functions import h, p, q
from symbias.proof import Step, check

_a = sympy.Symbol("a", positive=True)
_sigma = sympy.Symbol("sigma", real=True)


@check
def modulo_lemma_4(lhs, rhs, depth, argument):
    """Both sides as polynomials in p and q at the argument, reduced by p^2 - q^2 = 1; entrywise for tuples."""
    if isinstance(lhs, sympy.Tuple):
        return tuple(modulo_lemma_4(a, b, depth, argument) for a, b in zip(lhs, rhs, strict=True))
    P, Q = sympy.Dummy("p"), sympy.Dummy("q")
    claim = sympy.expand((lhs - rhs).subs({p(depth, argument): P, q(depth, argument): Q}))
    # With P^2 replaced by 1 + Q^2 an element of the ring has one form: b(Q) + c(Q) P.
    return sympy.rem(claim, P**2 - Q**2 - 1, P) if claim.has(P) else claim


def reduction_steps(depth: int) -> tuple[Step, ...]:
    """Prove that the reduced flow carries the full flow of the coordinates, for both tasks (r stays free).

    Parameters
    ----------
    depth : int >= 2
        L.

    Source
    ------
    arXiv:2010.02501v3, proof of Theorem 5; the form with nu: derivations/theorem_5.py.
    """
    t = symbols.t
    s = sympy.Function("s", real=True)(t)
    argument = _a ** (depth - 2) * s
    first, last = _a * p(depth, argument), _a * q(depth, argument)
    moving = {s.diff(t): -_sigma}
    cited = {"depth": depth, "argument": argument}
    u = sympy.Symbol("u", real=True)
    return (
        Step(
            "The coordinates start where they should: s(0) = 0",
            sympy.Tuple(first.subs(s, 0), last.subs(s, 0)),
            sympy.Tuple(_a, sympy.Integer(0)),
            "p(0) = 1 and q(0) = 0",
            "polynomial_identity",
        ),
        Step(
            "The first L - 1 layers solve the full flow, with s' = -sigma",
            first.diff(t).subs(moving),
            -_sigma * first ** (depth - 2) * last,
            "p' = p^(L-2) q, and s' = (S X^T nu')_j = -(S X^T r)_j when nu' = -r",
            "modulo_lemma_4",
            cited,
        ),
        Step(
            "The last layer solves the full flow",
            last.diff(t).subs(moving),
            -_sigma * first ** (depth - 1),
            "q' = p^(L-1); solutions of the flow are unique, so these are the coordinates",
            "modulo_lemma_4",
            cited,
            ("Picard-Lindelöf",),
        ),
        Step(
            "The product of the coordinates is h: equal derivatives, both 0 at 0",
            sympy.Tuple(h(depth, u).diff(u), h(depth, 0)),
            sympy.Tuple((p(depth, u) ** (depth - 1) * q(depth, u)).diff(u), p(depth, 0) ** (depth - 1) * q(depth, 0)),
            "rho_j = eta_1 .. eta_L = a^L p^(L-1) q = a^L h(a^(L-2) s): nu' = -r(rho(nu)) is closed in n unknowns",
            "modulo_lemma_4",
            {"depth": depth, "argument": u},
        ),
    )

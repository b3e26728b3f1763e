"""Theorem 5, derived: reduction to n unknowns, the functions of Lemma 4, stationarity of Q, one sample in symbols."""

import sympy

from symbias.derivation import Section
from symbias.dynamics.reduction import reduction_steps
from symbias.errors import NotDecomposable
from symbias.functions import H, h, p, q
from symbias.functions.expansion_proofs import expansion_steps, series_steps
from symbias.functions.potential_proofs import potential_steps
from symbias.networks.base import Network
from symbias.proof import Step, check
from symbias.theorems import lemma_4

_a, _s = sympy.Symbol("a", positive=True), sympy.Symbol("s", real=True)
_rho, _nu = sympy.Symbol("rho", real=True), sympy.Symbol("nu", real=True)

COROLLARIES = {"diagonal": "Corollary 5", "convolutional": "Corollary 6", "matrix_sensing": "Corollary 7"}


@check
def substituted(lhs, rhs, variable, value):
    """The left-hand side with ``value`` for ``variable``, minus the right; h_inverse(h(t)) = t is applied by itself."""
    return sympy.powsimp(sympy.expand(lhs.subs(variable, value) - rhs))


def serves(network: Network) -> bool:
    """True when the network has a decomposition of its own with real S and U_l (Theorem 5's first assumption)."""
    if network.name not in COROLLARIES:
        return False
    try:
        return network.name == "matrix_sensing" or network.real_decomposition(None).is_real
    except NotDecomposable:
        return False


def stationarity_steps(depth: int) -> tuple[Step, ...]:
    """Prove dQ/drho_j = (S X^T nu)_j along the flow, and what it means at both ends of the function."""
    along = _a**depth * h(depth, _a ** (depth - 2) * _s)
    return (
        Step(
            "The gradient of the potential is S X^T nu, all along the flow",
            (_a**2 * H(depth, _rho / _a**depth)).diff(_rho),
            _s,
            "dH_L/dy = h_L^{-1}, at rho = a^L h_L(a^(L-2) s), s = (S X^T nu)_j: with X S^T rho = y these are the "
            "optimality conditions of min Q, and Q is strictly convex",
            "substituted",
            {"variable": _rho, "value": along},
        ),
    )


def one_sample_steps(depth: int) -> tuple[Step, ...]:
    """Prove, for one sample with x, y, alpha and eta as symbols, that one increasing equation in nu decides."""
    argument = _a ** (depth - 2) * _s * _nu
    return (
        Step(
            "One sample: each term of y = sum_j s_j a_j^L h_L(a_j^(L-2) s_j nu) increases with nu",
            (_s * _a**depth * h(depth, argument)).diff(_nu),
            _s**2
            * _a ** (2 * depth - 2)
            * p(depth, argument) ** (2 * depth - 4)
            * (1 + depth * q(depth, argument) ** 2),
            "h_L' = p^(2L-4) (1 + L q^2) > 0: the equation has one root nu, and rho_j = a_j^L h_L(a_j^(L-2) s_j nu)",
            "polynomial_identity",
        ),
    )


def derive(network: Network, one_sample: bool = False) -> list[Section]:
    """The sections of Theorem 5 for ``network``; none when Theorem 5 does not speak of it."""
    if not serves(network):
        return []
    depth = network.depth
    plain = "beta = S^T argmin { alpha^2 sum_j eta_j^2 H_L(rho_j / (alpha |eta_j|)^L) : X S^T rho = y }"
    statement = Section(
        f"Theorem 5 ({COROLLARIES[network.name]})",
        "From v_l(0) = alpha U_l eta (l < L), v_L(0) = 0 and eta_j != 0 the loss goes to 0 and beta to",
        stationarity_steps(depth) + (one_sample_steps(depth) if one_sample else ()),
        (
            r"\beta(\infty) &= S^T \arg\min_{X S^T \rho = y} Q(\rho), \quad"
            r" Q(\rho) = \alpha^2 \sum_j \bar\eta_j^2 H_L\left(\rho_j / (\alpha |\bar\eta_j|)^L\right)",
        ),
        (plain,),
    )
    return [
        Section(
            "The reduction",
            "In the coordinates eta_l = U_l^T v_l the flow splits into copies of one system; n unknowns nu carry it.",
            reduction_steps(depth),
        ),
        lemma_4.section(depth),
        Section(
            "The potential",
            "Q(rho) = alpha^2 sum_j eta_j^2 H_L(rho_j / (alpha |eta_j|)^L): strictly convex, with both ends in alpha.",
            potential_steps(2, depth),
        ),
        statement,
        Section(
            "Both ends of the functions",
            "Q as alpha -> oo is h_L^{-1} near 0 (a weighted l2 norm), as alpha -> 0 near infinity "
            + (
                "(the l1 norm, up to a logarithm)."
                if depth == 2
                else "(a weighted l1 norm, then an l_{2/L} quasi-norm)."
            ),
            (*series_steps(depth, terms=3), *expansion_steps(depth, terms=3)),
        ),
    ]

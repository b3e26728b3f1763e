"""Classification, derived: the distance to the blow-up (Theorem 2), the growing combination (Theorem 3), short filters
(Corollary 4).
"""

import numpy as np
import sympy

from symbias import symbols
from symbias.derivation import Section
from symbias.networks.base import Network
from symbias.proof import Step

_DECOMPOSED = ("diagonal", "convolutional", "matrix_sensing")


def theorem_2(network: Network, one_sample: bool = False) -> list[Section]:
    """The section of Theorem 2; none for networks without Assumption 1."""
    full = network.name != "convolutional" or network.full  # type: ignore[attr-defined]
    if network.name not in _DECOMPOSED or not full:
        return []
    statement = (
        r"\frac{\beta}{\|\beta\|} &\to \frac{S^{\top} \rho^*}{\|S^{\top} \rho^*\|}, \quad"
        r" \rho^* \text{ stationary for } \min_{y_i x_i^{\top} S^{\top} \rho \ge 1} \|\rho\|_{2/L}",
    )
    plain = ("beta/|beta| -> S^T rho*/|S^T rho*|, rho* stationary for min ||rho||_{2/L} s.t. y_i x_i^T S^T rho >= 1",)
    return [
        Section(
            "Theorem 2 (classification)",
            "The coordinate rho_j = a_j^L h_L(a_j^(L-2) (A^T mu)_j) becomes infinite where |A^T mu|_j reaches b_j = "
            "c_L a_j^(2-L); the distance left, one power of |rho_j| for all j, makes the increments of mu multipliers.",
            blow_up_steps(network.depth),
            statement,
            plain,
        )
    ]


def blow_up_steps(depth: int) -> tuple[Step, ...]:
    """b_j - |A^T mu|_j ~ |rho_j|^{2/L-1} / (L-2) for L >= 3; for L = 2 the ratio of two coordinates is e^{2 (g -
    g')}.
    """
    u, a = sympy.symbols("u a", positive=True)
    if depth == 2:
        t = sympy.Symbol("t", real=True)
        return (
            Step(
                "For L = 2 the growth is exponential: 2 rho_j = a_j^2 sinh(2 g_j), g = A^T mu",
                sympy.sinh(2 * t).rewrite(sympy.exp),
                (sympy.exp(2 * t) - sympy.exp(-2 * t)) / 2,
                "log|rho_j| / (2 |g_j|) -> 1: the largest |A^T mu|_j wins, and the limit solves the l1 problem",
                "polynomial_identity",
            ),
        )
    q = sympy.Symbol("q", positive=True)
    return (
        Step(
            "Squared ratio of the slopes of t(q) = int_0^q (1 + v^2)^(-(L-1)/2) dv and -q^(2-L)/(L-2), u = 1/q^2",
            (((1 + q**2) ** (1 - depth)) / (-(q ** (2 - depth)) / (depth - 2)).diff(q) ** 2).subs(q**2, 1 / u),
            (1 + u) ** (1 - depth),
            "it is 1 at u = 0, so c_L - t ~ q^(2-L)/(L-2) as q -> oo",
            "polynomial_identity",
            cites=("L'Hôpital",),
        ),
        Step(
            "The same power for every coordinate: with |rho| ~ (a q)^L, a^(2-L) q^(2-L) = |rho|^(2/L-1)",
            a ** (2 - depth) * q ** (2 - depth),
            (a * q) ** (2 - depth),
            "a_j drops out: A_IJ^T (increments of mu) is proportional to sign(rho_J) |rho_J|^(2/L-1)",
            "polynomial_identity",
        ),
    )


def theorem_3(network: Network, one_sample: bool = False) -> list[Section]:
    """The section of Theorem 3: depth 2, blocks of their own."""
    if network.depth != 2 or network.name in ("difference_of_powers", "linear"):
        return []
    one, two = symbols.vector("eta", 2)
    s, e = sympy.symbols("s e", positive=True)
    steps = []
    for sign, word in ((1, "grows"), (-1, "decays")):
        lhs, rhs = [], []
        for y in (1, -1):
            rates = {one: y * e * s * two, two: y * e * s * one}
            combination = one + sign * y * two
            lhs.append(sum(combination.diff(v) * rate for v, rate in rates.items()))
            rhs.append(sign * e * s * combination)
        steps.append(
            Step(
                f"eta_1 {'+' if sign > 0 else '-'} y eta_2 {word} (y = 1 and y = -1; e = exp(-y f) > 0)",
                sympy.Tuple(*lhs),
                sympy.Tuple(*rhs),
                "-r = y exp(-y f), eta_1' = -r s eta_2, eta_2' = -r s eta_1, y^2 = 1",
                "polynomial_identity",
            )
        )
    return [
        Section(
            "Theorem 3 (classification, one sample)",
            "eta_1 + y eta_2 grows like exp(s nu) in each singular direction: the largest singular value wins, and "
            "inside its subspace the start selects the point.",
            tuple(steps),
            (r"\frac{v_l}{\|v_l\|} &\to U_l \eta_l, \quad \eta_1 = y \, \eta_2 \text{ on the largest singular value}",),
            ("v_l/|v_l| -> U_l eta_l, eta_1 = y eta_2 on the largest singular value",),
        )
    ]


def corollary_4(network: Network, one_sample: bool = False) -> list[Section]:
    """The section of Corollary 4: convolution of depth 2 with filter 1 or 2, for all x of this dimension."""
    if network.name != "convolutional" or network.depth != 2 or network.filters[0] > 2:  # type: ignore[attr-defined]
        return []
    length = network.filters[0]  # type: ignore[attr-defined]
    x = np.array(symbols.vector("x", network.dim), dtype=object)
    M = sympy.Matrix(network.data_tensor(x).tolist())  # noqa: N806
    norm, across = x @ x, x @ np.roll(x, -1)
    gram = sympy.ImmutableMatrix([[norm]] if length == 1 else [[norm, across], [across, norm]])
    steps = [
        Step(
            "The Gram matrix holds |x|^2" + (" and x^T x<-" if length == 2 else ""),
            (M * M.T).as_immutable(),
            gram,
            "the rows of M(x) are the shifts of x",
            "polynomial_identity",
        )
    ]
    for sign in (1, -1)[:length]:
        first = sympy.Matrix([1] if length == 1 else [1, sign])
        second = M.T * first
        closed = x if length == 1 else 2 * x + sign * (np.roll(x, -1) + np.roll(x, 1))
        mark = "+" if sign > 0 else "-"
        value = norm + sign * across if length == 2 else norm
        steps += [
            Step(
                f"Squared singular value {'|x|^2' if length == 1 else f'|x|^2 {mark} x^T x<-'}",
                (M * second).as_immutable(),
                (value * first).as_immutable(),
                "M M^T v_1 = s^2 v_1",
                "polynomial_identity",
            ),
            Step(
                "The coefficients of that singular pair",
                sympy.Tuple(*network.coefficients([list(first), list(second)]).tolist()),
                sympy.Tuple(*closed),
                "beta of v_1 and v_2 = M^T v_1" + ("" if length == 1 else ", 2 x ± (x<- + x->)"),
                "polynomial_identity",
            ),
        ]
    return [
        Section(
            "Corollary 4 (short filters, one sample)",
            "Filter 2 gives a low-pass filtered x when x^T x<- > 0, a high-pass filtered one when x^T x<- < 0."
            if length == 2
            else "Filter 1 gives beta along y x, the l2 maximum margin.",
            tuple(steps),
        )
    ]

r"""The potential of Theorem 5, proved for a symbolic depth: derivatives, conjugate, homogeneity, both ends of alpha."""

from sympy import Derivative, S, Symbol, Tuple

from symbias import symbols
from symbias.functions import expansions, reductions  # noqa: F401 (reductions registers the checks that the steps name)
from symbias.functions.doors import depth_at_door
from symbias.functions.lemma_4 import H, h, h_inverse, q, root
from symbias.functions.local_series import infinity_head
from symbias.functions.potential import potential
from symbias.proof import Step, check


def potential_steps(dim: int = 2, depth=symbols.L, terms: int = 2) -> tuple[Step, ...]:
    r"""What is claimed of the potential, for ``dim`` coordinates and a symbolic (or concrete) depth.

    Parameters
    ----------
    dim : integer >= 1
    depth : symbol, or integer >= 2
    terms : integer >= 1
        Number of orders proved at each end of alpha.

    Returns
    -------
    Steps, each proved when it is made.

    Source
    ------
    arXiv:2010.02501v3, Theorem 5; ``derivations/expansions.py``.

    Examples
    --------
    >>> from symbias.functions.potential_proofs import potential_steps
    >>> [step.title for step in potential_steps(dim=1)][0]
    'The gradient of the potential'
    """
    depth = depth_at_door(depth, "potential_steps")
    alpha = symbols.alpha
    rho = symbols.vector("rho", dim)
    eta = symbols.vector("eta", dim, real=True, nonzero=True)
    return (
        *_derivatives(rho, depth, alpha, eta),
        *_conjugate(dim, depth, alpha, eta),
        *_homogeneity(rho, depth, alpha, eta),
        *_ends(rho, depth, alpha, eta, terms),
    )


def gradient(rho, *, depth, alpha, eta) -> Tuple:
    r"""The gradient of the potential: :math:`a_j^{2-L} h_L^{-1}(\rho_j/a_j^L)`, a_j = alpha |eta_j|."""
    return Tuple(
        *(
            alpha ** (2 - depth) * abs(e) ** (2 - depth) * h_inverse(depth, _y(r, e, depth, alpha))
            for r, e in zip(rho, eta, strict=True)
        )
    )


def hessian_diagonal(rho, *, depth, alpha, eta) -> Tuple:
    r"""The diagonal of the Hessian: :math:`a_j^{2-2L} / ((1+r_j^2)^{L-2} (1+L r_j^2))`, r_j the root."""
    made = []
    for x, e in zip(rho, eta, strict=True):
        r = root(depth, _y(x, e, depth, alpha))
        weight = alpha ** (2 - 2 * depth) * abs(e) ** (2 - 2 * depth)
        made.append(weight / ((1 + r**2) ** (depth - 2) * (1 + depth * r**2)))
    return Tuple(*made)


def _y(rho, eta, depth, alpha):
    return rho / (alpha**depth * abs(eta) ** depth)


def _derivatives(rho, depth, alpha, eta) -> tuple[Step, ...]:
    Q = potential(rho, depth=depth, alpha=alpha, eta=eta)
    slope = gradient(rho, depth=depth, alpha=alpha, eta=eta)
    diagonal = hessian_diagonal(rho, depth=depth, alpha=alpha, eta=eta)
    steps = [
        Step(
            "The gradient of the potential",
            Tuple(*(Derivative(Q, r) for r in rho)),
            slope,
            "H_L' = h_L^{-1} and the chain rule",
            "along_the_flow",
        ),
        Step(
            "The Hessian of the potential",
            Tuple(*(Derivative(g, r) for g, r in zip(slope, rho, strict=True))),
            diagonal,
            "the derivative of the inverse function; Q is a sum over coordinates, so the Hessian is diagonal",
            "along_the_flow",
        ),
        Step(
            "The Hessian is positive definite",
            diagonal,
            diagonal,
            "every factor is positive, so the potential is strictly convex",
            "positive_terms",
        ),
    ]
    if len(rho) > 1:
        steps.append(
            Step(
                "The Hessian has nothing off the diagonal",
                Derivative(slope[0], rho[1]),
                S.Zero,
                "the j-th component of the gradient depends on rho_j alone",
                "along_the_flow",
            )
        )
    return tuple(steps)


def _conjugate(dim: int, depth, alpha, eta) -> tuple[Step, ...]:
    nu = symbols.vector("nu", dim)
    scale = [alpha * abs(e) for e in eta]
    times = [scale[j] ** (depth - 2) * nu[j] for j in range(dim)]
    rho = [scale[j] ** depth * h(depth, times[j]) for j in range(dim)]
    Q = sum((scale[j] ** 2 * H(depth, h(depth, times[j])) for j in range(dim)), S.Zero)
    return (
        Step(
            "The convex conjugate of the potential",
            sum((nu[j] * rho[j] for j in range(dim)), S.Zero) - Q,
            sum((scale[j] ** 2 * q(depth, times[j]) ** 2 / 2 for j in range(dim)), S.Zero),
            "the supremum of nu.rho - Q is where nu is the gradient, rho_j = a_j^L h_L(a_j^(L-2) nu_j)",
            "along_the_flow",
        ),
    )


def _homogeneity(rho, depth, alpha, eta) -> tuple[Step, ...]:
    s = Symbol("s", positive=True)
    Q = potential(rho, depth=depth, alpha=alpha, eta=eta)
    return (
        Step(
            "Alpha and eta enter through alpha |eta_j| alone",
            potential(rho, depth=depth, alpha=s * alpha, eta=[e / s for e in eta]),
            Q,
            "s alpha times eta/s is alpha times eta",
            "along_the_flow",
        ),
        Step(
            "Homogeneity",
            potential([s**depth * r for r in rho], depth=depth, alpha=s * alpha, eta=eta),
            s**2 * Q,
            "s^L rho over (s alpha)^L leaves the arguments of H_L as they were",
            "along_the_flow",
        ),
    )


def _ends(rho, depth, alpha, eta, terms: int) -> tuple[Step, ...]:
    nonzero = [Symbol(r.name, real=True, nonzero=True) for r in rho]
    steps = []
    for at, made in (
        ("infinity", expansions.potential_alpha_to_zero(nonzero, depth=depth, alpha=alpha, eta=eta, terms=terms)),
        ("zero", expansions.potential_alpha_to_infinity(nonzero, depth=depth, alpha=alpha, eta=eta, terms=terms)),
    ):
        steps.append(
            Step(
                f"The potential as alpha -> {made.goal}, {terms} orders",
                made.function,
                made.sum,
                "a_j^2 H_L at y = |rho_j|/a_j^L: the series of H_L, solved for from its equation, term by term",
                "expansion_of_potential",
                {"rho": tuple(nonzero), "depth": depth, "alpha": alpha, "eta": tuple(eta), "at": at, "terms": terms},
            )
        )
    return tuple(steps)


@check
def expansion_of_potential(lhs, rhs, rho, depth, alpha, eta, at, terms):
    """The claim minus the sum of a_j^2 H_L(|rho_j|/a_j^L), H_L by the series that ``expansion`` solves for."""
    from symbias.functions.solved_series import solved

    head = at == "infinity"
    count, series = terms, {}
    while len(series) < terms - head:
        series = {e: a for e, a in solved("H", depth, at, count).items() if a != 0}
        count += 1
    total = S.Zero
    for r, e in zip(rho, eta, strict=True):
        a, y = alpha * abs(e), abs(r) / (alpha * abs(e)) ** depth
        total += a**2 * infinity_head("H", depth, y) if head else S.Zero
        total += sum((w * a**2 * y**k for k, w in list(series.items())[: terms - head]), S.Zero)
    same = potential(rho, depth=depth, alpha=alpha, eta=eta) - lhs
    return Tuple(same, reductions.reduced(rhs - total))

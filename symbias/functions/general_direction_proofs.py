r"""Classification from a general start, proved for each depth: the dual is the time, its end, ties, and the loss.

F_j(z_j(t)) = (A^T mu(t))_j with mu = int p dt, p_i = exp(-margin_i); F ends at int_{z_0}^oo for L >= 3, and near there
it lacks |rho|^{2/L-1} / (L-2) whatever the deltas; where delta = 0 the sign of z is kept; the Bregman distance of the
potential falls like the loss.
"""

import sympy
from sympy import Derivative, Symbol, log, sqrt

from symbias.functions import reductions  # noqa: F401 (registers the checks that the steps name)
from symbias.functions.doors import integer_depth
from symbias.functions.flow_time import F
from symbias.functions.general_initialization import potential_of, rho_of
from symbias.proof import Step

_Z = Symbol("z", positive=True)
_Z0 = Symbol("z_0", real=True)


def general_direction_steps(depth=3) -> tuple[Step, ...]:
    r"""How a general start classifies, for one integer depth.

    Parameters
    ----------
    depth : integer >= 2

    Returns
    -------
    Steps, each proved when it is made.

    Raises
    ------
    BadInput
        A depth that is not an integer >= 2: the layers are counted.

    Source
    ------
    Not in the paper: ``derivations/general_initialization.py``.

    Examples
    --------
    >>> from symbias.functions.general_direction_proofs import general_direction_steps
    >>> [step.title for step in general_direction_steps(2)][:2]
    ['The dual is the time', 'The Bregman distance falls like the loss']
    """
    depth = integer_depth(depth, "general_direction_steps")
    deltas = tuple(Symbol(f"delta_{i + 1}", positive=True) for i in range(depth - 1))
    ends = _exponential() if depth == 2 else _blow_up(depth, deltas)
    return (*_both_tasks(deltas), *ends, _kept(deltas))


def _both_tasks(deltas) -> tuple[Step, ...]:
    g, u = sympy.symbols("g u", real=True)
    omega = sympy.Mul(*(sqrt(_Z**2 + d) for d in deltas))
    time, rho = F(_Z, _Z0, *deltas), rho_of(_Z, deltas)
    return (
        Step(
            "The dual is the time",
            Derivative(time, _Z) * (g * omega),
            g,
            "z' = g prod sqrt(z^2 + delta_l) with g = (A^T p)_j for either loss: F_j(z_j) = int g dt = (A^T mu)_j, so "
            "that rho minimises the potential over the rho with its own margins",
            "by_expansion",
        ),
        Step(
            "The Bregman distance falls like the loss",
            # D = Q(u) - Q(rho) - F (u - rho); Q(u) does not move
            Derivative(-potential_of(_Z, _Z0, deltas) - time * (u - rho), _Z),
            -Derivative(time, _Z) * (u - rho),
            "dD/dt = -g (u - rho), in sum p^T A (rho - u) = grad loss . (u - rho) <= loss(u) - loss(rho), as the loss "
            "is convex: loss(t) <= loss(k u) + D(k u, rho(0)) / t, and with A u > 0 and k -> oo it goes to 0",
            "by_expansion",
        ),
    )


def _blow_up(depth: int, deltas) -> tuple[Step, ...]:
    u = Symbol("u", positive=True)
    slope = 1 / sympy.Mul(*(_Z**2 + d for d in deltas))  # of F, squared
    tail = (_Z ** (2 - depth) / (depth - 2)).diff(_Z) ** 2
    return (
        Step(
            "Squared ratio of the slopes of F and of -z^(2-L)/(L-2), u = 1/z^2",
            (slope / tail).subs(_Z, 1 / sqrt(u)),
            1 / sympy.Mul(*(1 + d * u for d in deltas)),
            "it is 1 at u = 0, so what F lacks of its end is z^(2-L)/(L-2) as z -> oo, whatever the deltas",
            "polynomial_identity",
            cites=("L'Hôpital",),
        ),
        Step(
            "Squared ratio of rho and z^L, u = 1/z^2",
            (rho_of(_Z, deltas) ** 2 / _Z ** (2 * depth)).subs(_Z, 1 / sqrt(u)),
            sympy.Mul(*(1 + d * u for d in deltas)),
            "it is 1 at u = 0: z^(2-L) is |rho|^(2/L-1), so the increments of mu are multipliers of min ||rho||_{2/L}",
            "polynomial_identity",
        ),
    )


def _exponential() -> tuple[Step, ...]:
    e = Symbol("e", positive=True)
    return (
        Step(
            "For L = 2 the growth is exponential: z = sqrt(delta) sinh v, e = exp(v), 4 rho / delta",
            (e - 1 / e) * (e + 1 / e),
            e**2 - 1 / e**2,
            "F(z) = v - v_0, so log|rho_j| / (2 |A^T mu|_j) -> 1: the limit solves the l1 problem",
            "polynomial_identity",
        ),
    )


def _kept(deltas) -> Step:
    g = Symbol("g", real=True)
    rest = sympy.Mul(*(sqrt(_Z**2 + d) for d in deltas[1:]))
    return Step(
        "Where a second layer ties with the smallest, the sign is kept",
        Derivative(log(_Z), _Z) * (g * _Z * rest),
        g * rest,
        "delta_1 = 0: z' = g z prod_{l > 1} sqrt(z^2 + delta_l), so log z has a rate without a pole: z stays positive",
        "by_expansion",
    )

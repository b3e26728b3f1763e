r"""General initialization, proved for each depth: invariants, scalar flow, potential, closed forms, Theorem 5."""

import sympy
from sympy import Derivative, Function, S, Symbol, Tuple, sqrt

from symbias import symbols
from symbias.functions import reductions  # noqa: F401 (registers the checks that the steps name)
from symbias.functions.doors import depth_at_door, integer_depth
from symbias.functions.flow_position_proofs import position_steps
from symbias.functions.flow_time import F, closed_form
from symbias.functions.general_initialization import potential_of, rho_of
from symbias.functions.lemma_4 import q
from symbias.proof import Step, check

_Z = Symbol("z", positive=True)
_Z0 = Symbol("z_0", real=True)
_U = Symbol("u", real=True)


def general_initialization_steps(depth=3) -> tuple[Step, ...]:
    r"""The potential of a general initialization for one integer depth, and Theorem 5 as its special case.

    Parameters
    ----------
    depth : integer >= 2

    Returns
    -------
    Steps, each proved when it is made.

    Raises
    ------
    BadInput
        A depth that is not an integer >= 2: the layers are counted. (``theorem_5_steps`` takes a symbol.)

    Source
    ------
    Not in the paper: ``derivations/general_initialization.py``.

    Examples
    --------
    >>> from symbias.functions.general_initialization_proofs import general_initialization_steps
    >>> [step.title for step in general_initialization_steps(2)][:2]
    ['Differences of squares are conserved', 'The other layers, from the reference']
    """
    depth = integer_depth(depth, "general_initialization_steps")
    return (*_flow(depth), *_potential(depth), *_closed_forms(depth), *position_steps(depth), *theorem_5_steps(depth))


def _flow(depth: int) -> tuple[Step, ...]:
    t, g = symbols.t, Symbol("g", real=True)
    layers = [Function(f"eta_{i + 1}")(t) for i in range(depth)]
    reference = layers[-1]
    # eta_l = s_l r_l with s_l = +-1 fixed and r_l = sqrt(z^2 + delta_l) > 0, l < L; z = sigma eta_L, sigma = prod s_l.
    signs = [Symbol(f"s_{i + 1}", real=True) for i in range(depth - 1)]
    sizes = [Symbol(f"r_{i + 1}", positive=True) for i in range(depth - 1)]
    sigma, size = sympy.prod(signs), sympy.prod(sizes)
    z = Symbol("z", real=True)
    others = sympy.prod(s * r for s, r in zip(signs, sizes, strict=True))
    relations = {"relations": tuple(s**2 - 1 for s in signs), "symbols": (*signs, *sizes, z, g)}
    return (
        Step(
            "Differences of squares are conserved",
            Tuple(*(Derivative(layer**2 - reference**2, t) for layer in layers[:-1])),
            Tuple(*([S.Zero] * (depth - 1))),
            "eta_l' = g prod_{k != l} eta_k for one g(t), so (eta_l^2)' = 2 g rho for every layer",
            "multilinear_flow",
            {"layers": tuple(layers), "rate": g, "t": t},
        ),
        Step(
            "The other layers, from the reference",
            z**2,
            (sigma * z) ** 2,
            "eta_l^2 = z^2 + delta_l with z^2 = eta_L^2: the layer keeps its sign s_l, because delta_l > 0",
            "modulo_relations",
            relations,
        ),
        Step(
            "The scalar flow",
            sigma * (g * others),
            g * size,
            "z' = sigma eta_L' = sigma g prod s_l r_l = g prod sqrt(z^2 + delta_l), so F(z) is the integral of g",
            "modulo_relations",
            relations,
        ),
        Step(
            "The coefficient",
            others * (sigma * z),
            z * size,
            "rho = prod eta_l = prod s_l r_l times sigma z = z prod sqrt(z^2 + delta_l)",
            "modulo_relations",
            relations,
        ),
    )


def _potential(depth: int) -> tuple[Step, ...]:
    deltas = _deltas(depth)
    rho = rho_of(_Z, deltas)
    growth = sympy.Mul(*(sqrt(_Z**2 + d) for d in deltas)) * (1 + sum(_Z**2 / (_Z**2 + d) for d in deltas))
    return (
        Step(
            "The derivative of the potential",
            Derivative(potential_of(_Z, _Z0, deltas), _Z),
            F(_Z, _Z0, *deltas) * Derivative(rho, _Z),
            "rho dF/dz = z, so dQ/drho = (dQ/dz)/(drho/dz) = F",
            "by_expansion",
        ),
        Step(
            "It is minimal where the flow starts",
            F(_Z0, _Z0, *deltas),
            S.Zero,
            "F(z_0) = 0",
            "by_expansion",
        ),
        Step(
            "rho increases with z",
            Derivative(rho, _Z),
            growth,
            "a sum of positive terms; F increases too, so Q is convex in rho",
            "by_expansion",
        ),
        Step("The growth is positive", growth, growth, "factor by factor, term by term", "positive_terms"),
    )


def _closed_forms(depth: int) -> tuple[Step, ...]:
    deltas = _deltas(depth)
    if depth > 4:
        return ()
    known = closed_form(_Z, deltas)
    steps = [
        Step(
            "In functions that SymPy has",
            sympy.diff(known, _Z) ** 2,
            1 / sympy.Mul(*(_Z**2 + d for d in deltas)),
            "the square of the derivative (both derivatives are positive); the form vanishes at z = 0",
            "algebraic_functions",
        )
    ]
    if depth > 2:
        w = 1 / _Z**2
        arguments = [w + 1 / d for d in deltas] + [w] * (4 - depth)
        # d/dw R_F(w + x, w + y, w + z) = -1/(2 sqrt of the product of its arguments), by its definition as an integral.
        squared = 1 / (4 * sympy.Mul(*arguments) * sympy.Mul(*deltas)) * sympy.diff(w, _Z) ** 2
        steps.append(
            Step(
                "By Carlson's R_F",
                squared,
                1 / sympy.Mul(*(_Z**2 + d for d in deltas)),
                "R_F is half the integral of 1/sqrt((t+x)(t+y)(t+z)) from 0 to oo, so moving all three arguments by w "
                "has this derivative; squared, as both are positive",
                "algebraic_functions",
                {},
                ("Carlson's R_F",),
            )
        )
    return tuple(steps)


def theorem_5_steps(depth=symbols.L) -> tuple[Step, ...]:
    r"""Theorem 5's initialization, delta_l = a^2 and z_0 = 0, as a special case: symbolic or concrete depth."""
    depth = depth_at_door(depth, "theorem_5_steps")
    a = Symbol("a", positive=True)
    exponent = (depth - 1) / S(2)
    at = q(depth, a ** (depth - 2) * _U)
    return (
        Step(
            "Theorem 5: the time is that of Lemma 4",
            (_Z**2 + a**2) ** -exponent,
            a ** (2 - depth) * (1 + (_Z / a) ** 2) ** -exponent / a,
            "dF/dz is the derivative of a^(2-L) t(z/a), and both vanish at 0: F = a^(2-L) h_L^{-1}(rho/a^L)",
            "equal_logarithmic_derivative",
            {"variable": _Z, "point": a},
        ),
        Step(
            "Theorem 5: the coefficient is a^L h_L",
            _Z * (_Z**2 + a**2) ** exponent,
            a**depth * (_Z / a) * (1 + (_Z / a) ** 2) ** exponent,
            "q = z/a turns z (z^2 + a^2)^((L-1)/2) into a^L q (1 + q^2)^((L-1)/2)",
            "equal_logarithmic_derivative",
            {"variable": _Z, "point": a},
        ),
        Step(
            "Theorem 5: the position is a q_L",
            Derivative(a * at, _U),
            a ** (depth - 1) * (1 + at**2) ** exponent,
            "z = a q_L(a^(L-2) u) has z' = (z^2 + a^2)^((L-1)/2) = a^(L-1) (1 + q^2)^((L-1)/2), and vanishes at u = 0",
            "along_the_flow",
        ),
    )


def _deltas(depth: int):
    return tuple(Symbol(f"delta_{i + 1}", positive=True) for i in range(depth - 1))


@check
@reductions.entrywise
def multilinear_flow(lhs, rhs, layers, rate, t):
    """Differentiate with eta_l' = g prod_{k != l} eta_k, and expand."""
    rates = {
        sympy.Derivative(layer, t): rate * sympy.prod(other for other in layers if other != layer) for layer in layers
    }
    return sympy.expand((lhs - rhs).doit().xreplace(rates))


@check
@reductions.entrywise
def by_expansion(lhs, rhs):
    """Carry out the derivatives and expand; powers of equal bases combine."""
    return sympy.expand(sympy.sympify(lhs - rhs).doit())


@check
@reductions.entrywise
def algebraic_functions(lhs, rhs):
    """Carry out the derivatives and reduce with a name, and its defining relation, for every root."""
    return reductions.with_roots(sympy.sympify(lhs - rhs).doit())

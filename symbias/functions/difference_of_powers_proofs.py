r"""Difference of powers, proved for a symbolic depth and for depth 2: the flow, h, q_L, its conjugate, both ends."""

import sympy
from sympy import Derivative, Function, Rational, S, Symbol, Tuple

from symbias import symbols
from symbias.functions import difference_of_powers as powers
from symbias.functions import general_initialization_proofs, reductions  # noqa: F401 (they register the checks that the steps name)
from symbias.functions.doors import depth_at_door
from symbias.proof import Step, check

_Z = Symbol("z", real=True)
_A = Symbol("a", positive=True)
_Y = Symbol("y", positive=True)


def difference_of_powers_steps(depth=symbols.L) -> tuple[Step, ...]:
    r"""The potential of f = x.(w_+^L - w_-^L) from w_+ = w_- = a, and its two ends.

    Parameters
    ----------
    depth : symbol (>= 3), or integer >= 2

    Returns
    -------
    Steps, each proved when it is made.

    Source
    ------
    Woodworth et al. 2020; ``derivations/difference_of_powers.py``.

    Examples
    --------
    >>> from symbias.functions.difference_of_powers_proofs import difference_of_powers_steps
    >>> difference_of_powers_steps(2)[0].title
    'Depth 2: the layers'
    """
    depth = depth_at_door(depth, "difference_of_powers_steps")
    own = _depth_2() if depth == 2 else (*_flow(depth), *_potential(depth), *_large(depth))
    return (*own, *_legendre(), _small(depth))


def _flow(depth) -> tuple[Step, ...]:
    k = powers.power_of(depth)
    rate = depth * (depth - 2) * _A ** (depth - 2)  # dz/dnu
    steps = []
    for name, sign in (("w_+", 1), ("w_-", -1)):
        w = _A * (1 - sign * _Z) ** (-1 / (depth - 2))
        steps += [
            Step(
                f"The layer {name}",
                sign * sympy.diff(w, _Z) * rate,
                depth * w ** (depth - 1),
                f"{name}' = {'' if sign > 0 else '-'}L {name}^(L-1) nu' from a, solved in z = L (L-2) a^(L-2) nu",
                "equal_logarithmic_derivative",
                {"variable": _Z, "point": S.Zero},
            ),
            Step(
                f"Its power {name}^L",
                w**depth,
                _A**depth * (1 - sign * _Z) ** -k,
                "k = L/(L-2); so beta = w_+^L - w_-^L = a^L h(z)",
                "equal_logarithmic_derivative",
                {"variable": _Z, "point": S.Zero},
            ),
        ]
    return tuple(steps)


def _potential(depth) -> tuple[Step, ...]:
    k = powers.power_of(depth)
    u, v = Symbol("u", positive=True), Symbol("v", positive=True)
    growth = k * (u ** (-k - 1) + v ** (-k - 1))
    steps = [
        Step(
            "h increases",
            Derivative(u**-k, u) * -1 - Derivative(v**-k, v),
            growth,
            "h = u^-k - v^-k with u = 1 - z, v = 1 + z, both positive, u' = -1, v' = 1; the sum is positive",
            "by_expansion",
        )
    ]
    for name, sign in (("1 - z", -1), ("1 + z", 1)):
        base = 1 + sign * _Z
        steps.append(
            Step(
                f"The conjugate, the part in {name}",
                sign * -1 * sympy.diff(base ** (1 - k) * (depth - 2) / 2, _Z),
                base**-k,
                "k - 1 = 2/(L-2): the integral of h is ((1-z)^(1-k) + (1+z)^(1-k) - 2)/(k-1), 0 at z = 0",
                "equal_logarithmic_derivative",
                {"variable": _Z, "point": S.Zero},
            )
        )
    return tuple(steps)


def _legendre() -> tuple[Step, ...]:
    h, G = Function("h")(_Z), Function("G")(_Z)
    return (
        Step(
            "q_L(y) = y z - G(z) at y = h(z)",
            Derivative(h * _Z - G, _Z),
            _Z * Derivative(h, _Z),
            "G' = h, so dq_L/dy = (dq_L/dz)/(dy/dz) = z, the inverse of h; G is the convex conjugate",
            "legendre",
            {"integral": G, "integrand": h, "z": _Z},
        ),
    )


def _depth_2() -> tuple[Step, ...]:
    x = Symbol("x", positive=True)  # e^z, z = 4 nu
    return (
        Step(
            "Depth 2: the layers",
            Tuple(4 * x * Derivative(_A * x ** Rational(1, 2), x), 4 * x * Derivative(_A * x ** Rational(-1, 2), x)),
            Tuple(2 * _A * x ** Rational(1, 2), -2 * _A * x ** Rational(-1, 2)),
            "w_+' = 2 w_+ nu', w_-' = -2 w_- nu' with x = e^(4 nu)",
            "by_expansion",
        ),
        Step(
            "Depth 2: the coefficient",
            (_A * x ** Rational(1, 2)) ** 2 - (_A * x ** Rational(-1, 2)) ** 2,
            _A**2 * (x - 1 / x),
            "beta = a^2 2 sinh z, z = 4 nu",
            "by_expansion",
        ),
        Step(
            "Depth 2: q_2 in elementary form",
            sympy.diff(sympy.expand_func(powers.difference_H(2, _Y)), _Y),
            sympy.asinh(_Y / 2),
            "the inverse of 2 sinh z is asinh(y/2), and q_2(0) = 0",
            "algebraic_functions",
        ),
        Step(
            "Depth 2: q_2 at infinity",
            sympy.log(1 + sympy.sqrt(1 + 4 * _Y**2)).subs(_Y, 0),
            sympy.log(2),
            "asinh(y/2) = log y + log((1 + sqrt(1 + 4/y^2))/2), so q_2 = y (log y - 1) + 2 + O(1/y)",
            "exact_value",
        ),
    )


def _large(depth) -> tuple[Step, ...]:
    k = powers.power_of(depth)
    u, B, b, e, K = (Symbol(name, positive=True) for name in ("u", "B", "b", "epsilon", "k"))
    first = e * (1 - b / (K * _Y))
    made, left_out = powers.at_infinity(depth, _Y)
    scales = {b: S(2) ** -k, e: _Y ** (-1 / k)}
    claim = _Y - K / (K - 1) * _Y * e + 2 * (1 - b) / (K - 1) - b * e
    return (
        Step(
            "q_L from the distance to the end",
            _Y * (1 - u) - (u * (_Y + B) + (2 - u) * B - 2) / (K - 1),
            _Y - K / (K - 1) * _Y * u - 2 * (B - 1) / (K - 1),
            "u = 1 - z, B = (2-u)^-k, u^-k = y + B, in q_L = y z - (u^(1-k) + (2-u)^(1-k) - 2)/(k-1); exact",
            "polynomial_identity",
        ),
        Step(
            "The distance to the end, first order",
            Tuple(Derivative((1 + B * e) ** (-1 / K), e).doit().subs(e, 0), ((2 - u) ** -K).subs(u, 0)),
            Tuple(-B / K, 2**-K),
            "u = (y + B)^(-1/k) = y^(-1/k) (1 - B/(k y) + ...), and B = 2^-k + ...",
            "by_expansion",
        ),
        Step(
            "B to first order",
            Derivative((2 - u) ** -K, u).doit().subs(u, 0),
            K * 2**-K / 2,
            "B = b (1 + k u/2 + ...), b = 2^-k",
            "by_expansion",
        ),
        Step(
            "q_L at infinity, collected",
            _Y - K / (K - 1) * _Y * first - 2 * (b * (1 + K * e / 2) - 1) / (K - 1),
            claim,
            "with epsilon = y^(-1/k), b = 2^-k, to first order in epsilon and 1/y",
            "polynomial_identity",
        ),
        Step(
            "q_L at infinity: an l1 norm, an l_{2/L} quasi-norm, a constant",
            sympy.Add(*(sympy.cancel(term.subs(K, k)) for term in sympy.Add.make_args(claim))).subs(scales),
            made + left_out,
            "k/(k-1) = L/2, 1 - 1/k = 2/L",
            "same_powers",
        ),
    )


def _small(depth) -> Step:
    k = None if depth == 2 else powers.power_of(depth)
    by_hand = (S(1) / 4, -S(1) / 192) if k is None else (1 / (4 * k), -(k + 1) * (k + 2) / (192 * k**3))
    return Step(
        "q_L at 0: a weighted l2 norm, and its correction",
        Tuple(*by_hand),
        Tuple(*(coefficient for _, coefficient in powers.difference_H_at_zero(depth, 2))),
        "h(z) = 2 k z + k (k+1)(k+2)/3 z^3 + ... (depth 2: 2 sinh z), reverted to "
        "z = y/(2k) - (k+1)(k+2)/(48 k^3) y^3 + ... and integrated: the coefficients of y^2 and y^4",
        "polynomial_identity",
    )


@check
def legendre(lhs, rhs, integral, integrand, z):
    """Carry out the derivatives, with the derivative of ``integral`` replaced by ``integrand``."""
    return sympy.expand((lhs - rhs).doit().subs(Derivative(integral, z), integrand))


@check
def same_powers(lhs, rhs):
    """Subtract and bring every exponent to lowest terms."""
    return sympy.expand(sympy.powsimp((lhs - rhs).replace(lambda e: e.is_Pow, lambda e: e.base ** sympy.cancel(e.exp))))

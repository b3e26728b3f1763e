r"""The closed forms of the position Z, proved: each solves the equation of the scalar flow, and starts at z_0."""

import sympy
from sympy import Derivative, Dummy, S, Symbol, cosh, sinh

from symbias.functions import reductions, scalar_flow
from symbias.functions.flow_time import closed_form
from symbias.functions.jacobi import cn, dn, sn
from symbias.proof import Step, check

_U, _TAU, _W, _Z, _Z0 = (Symbol(name, positive=True) for name in ("u", "tau", "w", "z", "z_0"))
_NAMES = {2: "sinh", 3: "sn and cn", 4: "sn and cn"}
_CITED = ("Jacobi's sn, cn, dn: their derivatives, sn^2 + cn^2 = 1, dn^2 + m sn^2 = 1, sn(F(phi | m) | m) = sin phi",)


def position_steps(depth: int) -> tuple[Step, ...]:
    """The position of the scalar flow for depth 2, 3 or 4, no delta 0 and one delta 0; none for another depth."""
    if depth > 4:
        return ()
    fn = scalar_flow.symbolic()
    deltas = [Symbol(f"delta_{i + 1}", positive=True) for i in range(depth - 1)]
    z = scalar_flow.from_zero(fn, _U, deltas)
    steps = [
        Step(
            f"The position by {_NAMES[depth]}",
            Derivative(z, _U) ** 2,
            _speed(z, deltas),
            "z' = prod sqrt(z^2 + delta_l), squared: z increases with u, the time since z = 0",
            "elliptic_relations",
            {},
            () if depth == 2 else _CITED,
        ),
        Step(
            "It starts at z_0",
            z**2,
            _Z0**2,
            "at t = 0, u is the time from 0 to z_0 in closed form: its amplitude is that of z_0 (squared: same sign)",
            "at_a_point",
            {"variable": _U, "point": closed_form(_Z0, deltas)},
            () if depth == 2 else _CITED,
        ),
    ]
    if depth > 2:
        steps.append(_blow_up(deltas))
    steps += _tie(fn, deltas[:-1])
    if depth > 2:
        steps += _tie(fn, [*deltas[:-2], S.Zero])  # two of them are 0
    return tuple(steps)


def _speed(z, deltas):
    return sympy.Mul(*(z**2 + delta for delta in deltas))


def _blow_up(deltas) -> Step:
    """The amplitude phi at z = oo, by tan^2 phi: pi/2 at depth 3, so that the integral there is complete."""
    (integral,) = closed_form(_Z, deltas).atoms(sympy.elliptic_f)
    square = sympy.tan(integral.args[0]) ** 2
    if len(deltas) == 2:
        claim, end, why = 1 / square, S.Zero, "the amplitude grows to pi/2, where cn = 0: the integral is complete"
    else:
        claim, end, why = square, deltas[0] / deltas[2] - 1, "the amplitude stops where cn^2 = delta_3/delta_1"
    return Step("The blow-up", sympy.Limit(claim, _Z, S.Infinity), end, why, "limit_of_a_rational")


def _tie(fn, others) -> list[Step]:
    """The position where one delta is 0 and ``others`` remain."""
    deltas = [*others, S.Zero]
    if not others:
        z = _Z0 * sympy.exp(_U)
        return [Step("The position, a tie", Derivative(z, _U) ** 2, _speed(z, deltas), "z' = z", "elliptic_relations")]
    z, left = scalar_flow.to_end(fn, _TAU, others), scalar_flow.time_to_end(fn, 1 / sympy.sqrt(_W), others)
    rate = _W ** (S(len(others)) / 2 - 1) / (2 * sympy.Mul(*(sympy.sqrt(1 + delta * _W) for delta in others)))
    shown = ", ".join(map(str, deltas))
    return [
        Step(
            f"The position, a tie: deltas {shown}",
            Derivative(z, _TAU) ** 2,
            _speed(z, deltas),
            "z' = z prod sqrt(z^2 + delta_l), squared; tau, the time left, decreases, and z = oo at tau = 0",
            "elliptic_relations",
        ),
        Step(
            f"The time left, a tie: deltas {shown}",
            Derivative(left, _W),
            rate,
            "w = 1/z^2 has w' = -2 w z'/z, that is -1 over this; no time is left at w = 0",
            "algebraic_functions",
        ),
    ]


@check
@reductions.entrywise
def elliptic_relations(lhs, rhs):
    """Carry out derivatives; reduce modulo cn^2 = 1 - sn^2, dn^2 = 1 - m sn^2, cosh^2 = 1 + sinh^2 and the roots."""
    expression = sympy.expand_trig(sympy.sympify(lhs - rhs).doit())
    names = {f: Dummy(type(f).__name__) for f in expression.atoms(sn, cn, dn, sinh, cosh)}
    squares = []
    for f, name in names.items():
        if isinstance(f, (cn, dn)):
            m = f.args[1] if isinstance(f, dn) else 1
            squares.append((name, 1 - m * names.setdefault(sn(*f.args), Dummy("sn")) ** 2))
        if isinstance(f, cosh):
            squares.append((name, 1 + names.setdefault(sinh(*f.args), Dummy("sinh")) ** 2))
    remainder = reductions.with_roots(expression.xreplace(names))
    for name, square in squares:
        numerator, denominator = sympy.fraction(sympy.together(square))
        remainder = sympy.expand(sympy.prem(remainder, denominator * name**2 - numerator, name))
    return remainder


@check
@reductions.entrywise
def at_a_point(lhs, rhs, variable, point):
    """Put the variable at the point, where sn, sinh and the like undo their inverses, and reduce with the roots."""
    return reductions.with_roots((lhs - rhs).subs(variable, point))


@check
@reductions.entrywise
def limit_of_a_rational(lhs, rhs):
    """Carry out the limit of a rational function; the numerator of the difference."""
    return sympy.expand(sympy.fraction(sympy.together(lhs.doit() - rhs))[0])

r"""The elementary forms of ``explicit``, proved depth by depth: t(q) and c_L always; the functions where they exist."""

import sympy
from sympy import Integral, Rational, S, Symbol, Tuple, atan, cos, sin, sinh, sqrt

from symbias.functions import explicit, reductions  # noqa: F401 (reductions registers the checks that the steps name)
from symbias.functions.doors import integer_depth
from symbias.functions.lemma_4 import by_gamma
from symbias.proof import Step

_Q = Symbol("q", real=True)
_T = Symbol("t", real=True)
_Z = Symbol("z", positive=True)


def closed_form_steps(depth) -> tuple[Step, ...]:
    r"""The elementary forms of Lemma 4 for one integer depth, each proved.

    t(q) by the cosine recurrence and c_L for every depth; p, q, h for depths 2, 3, 4, 6; Kepler's equation for depth 5;
    h_inverse for depths 2, 3, 4.

    Parameters
    ----------
    depth : integer >= 2

    Returns
    -------
    Steps, each proved when it is made.

    Raises
    ------
    BadInput
        A depth that is not an integer >= 2: an elementary form needs a number.

    Source
    ------
    ``derivations/lemma_4.py``.

    Examples
    --------
    >>> from symbias.functions.closed_form_proofs import closed_form_steps
    >>> closed_form_steps(5)[0].rhs
    q/(2*(q**2 + 1)) + atan(q)/2
    """
    depth = integer_depth(depth, "closed_form_steps")
    steps = [
        Step(
            f"t(q) at depth {depth}",
            Integral((1 + _Q**2) ** Rational(1 - depth, 2), (_Q, 0, _Q)),
            explicit.time(depth, _Q),
            "q = tan(theta) makes it the integral of cos^(L-3); n I_n = sin cos^(n-1) + (n-1) I_(n-2)",
            "same_start_and_rate",
            {"variable": _Q},
        )
    ]
    if depth > 2:
        steps.append(
            Step(
                f"c_{depth}, exactly",
                by_gamma(S(depth)),
                explicit.end(depth),
                "the Gamma functions at integers and half-integers, against the cosine recurrence at theta = pi/2",
                "exact_value",
            )
        )
    return (*steps, *_SPECIAL.get(depth, tuple)())


def _flow_in(title: str, p, q, rate, why: str, depth: int, relations=(), symbols=()) -> Step:
    """dp/ds = p^(L-2) q dt/ds and dq/ds = p^(L-1) dt/ds in a parameter s: p, q are lists (value, derivative)."""
    return Step(
        title,
        Tuple(p[1], q[1]),
        Tuple(p[0] ** (depth - 2) * q[0] * rate, p[0] ** (depth - 1) * rate),
        why,
        "modulo_relations",
        {"relations": relations, "symbols": symbols} if relations else {},
    )


def _product(title: str, claim, cosine, sine, depth: int) -> Step:
    """h = p^(L-1) q with p = 1/cosine and q = sine/cosine."""
    p, q = Symbol("p", positive=True), Symbol("q", real=True)
    return Step(
        title,
        p ** (depth - 1) * q,
        claim,
        f"h = p^{depth - 1} q with p = 1/{cosine}, q = {sine}/{cosine}",
        "modulo_relations",
        {"relations": (p * cosine - 1, q * cosine - sine), "symbols": (p, q, sine, cosine)},
    )


def _depth_2() -> tuple[Step, ...]:
    z = _Z
    p, q = (z + 1 / z) / 2, (z - 1 / z) / 2
    y = Symbol("y", real=True)
    return (
        _flow_in(
            "Depth 2: p = cosh t, q = sinh t",
            (p, sympy.diff(p, z)),
            (q, sympy.diff(q, z)),
            1 / z,
            "with z = e^t, dt = dz/z; p(0) = 1 and q(0) = 0",
            2,
        ),
        Step("Depth 2: h = sinh(2t)/2", p * q, (z**2 - z**-2) / 4, "h = p q, with z = e^t", "modulo_relations"),
        Step(
            "Depth 2: h_inverse = asinh(2y)/2",
            explicit.h(2, explicit.h_inverse(2, y)),
            y,
            "h of it is y, and h is increasing",
            "modulo_relations",
        ),
    )


def _depth_3() -> tuple[Step, ...]:
    s, c, phi = Symbol("s", real=True), Symbol("c", positive=True), Symbol("phi", real=True)
    relation = (s**2 + c**2 - 1,)
    r = 2 / sqrt(S(3)) * sinh(phi)
    return (
        _flow_in(
            "Depth 3: p = sec t, q = tan t",
            (1 / c, s / c**2),
            (s / c, 1 / c**2),
            S.One,
            "s = sin t, c = cos t; s' = c, c' = -s, s^2 + c^2 = 1",
            3,
            relation,
            (s, c),
        ),
        _product("Depth 3: h = tan t sec^2 t", s / c**3, c, s, 3),
        Step(
            "Depth 3: root = (2/sqrt 3) sinh(asinh(3 sqrt 3 y/2)/3)",
            sympy.expand(r + r**3),
            sympy.expand(2 / (3 * sqrt(S(3))) * sympy.expand_trig(sinh(3 * phi))).subs(
                sympy.cosh(phi) ** 2, 1 + sinh(phi) ** 2
            ),
            "q (1 + q^2) = y, and sinh(3 phi) = 3 sinh(phi) + 4 sinh(phi)^3 with sinh(3 phi) = 3 sqrt 3 y/2",
            "modulo_relations",
        ),
        Step(
            "Depth 3: h_inverse = arctan of the root",
            Integral((1 + _Q**2) ** -1, (_Q, 0, _Q)),
            atan(_Q),
            "t(q) at q = root",
            "same_start_and_rate",
            {"variable": _Q},
        ),
    )


def _depth_4() -> tuple[Step, ...]:
    w, x, k, r = (Symbol(name, positive=True) for name in ("w", "x", "k", "r"))
    y = Symbol("y", positive=True)
    # w = sqrt(1 - t^2): p = 1/w, q = t/w, w' = -t/w.
    relation = (w**2 + _T**2 - 1,)
    # k = sqrt(m) with the resolvent m^3 + 4 y^2 m = y^2, and r^2 = 2y/k - k^2: Ferrari's X = (r - k)/(2y).
    ferrari = (k**6 + 4 * y**2 * k**2 - y**2, k * r**2 - 2 * y + k**3, k * x - 1)
    root = (r - k) / (2 * y)
    u = Symbol("u", positive=True)
    return (
        _flow_in(
            "Depth 4: p = 1/sqrt(1-t^2), q = t/sqrt(1-t^2)",
            (1 / w, _T / w**3),
            (_T / w, 1 / w + _T**2 / w**3),
            S.One,
            "w = sqrt(1 - t^2), w' = -t/w",
            4,
            relation,
            (_T, w),
        ),
        _product("Depth 4: h = t/(1-t^2)^2", _T / w**4, w, _T, 4),
        Step(
            "Depth 4: h_inverse = y X^2, where y^2 X^4 + X = 1",
            (w**-3 * (_T / w)) * (w**2) ** 2,
            _T,
            "X = 1 - t^2 = w^2 gives t = y X^2, and then X = 1 - t^2 is y^2 X^4 + X = 1",
            "modulo_relations",
            {"relations": relation, "symbols": (_T, w)},
        ),
        Step(
            "Depth 4: the resolvent cubic in sinh",
            (2 * y * u) ** 3 + 4 * y**2 * (2 * y * u) - y**2,
            8 * y**3 * (u**3 + u - 1 / (8 * y)),
            "m = 2 y u turns m^3 + 4 y^2 m = y^2 into the cubic of depth 3 at 1/(8y)",
            "modulo_relations",
        ),
        Step(
            "Depth 4: X by Ferrari",
            y**2 * root**4 + root,
            S.One,
            "m^3 + 4 y^2 m = y^2, k = sqrt(m), r^2 = 2y/k - k^2, X = (r - k)/(2y); y > 0, and h_inverse is odd",
            "modulo_relations",
            {"relations": ferrari, "symbols": (x, r, k, y)},
        ),
    )


def _depth_5() -> tuple[Step, ...]:
    angle = 2 * atan(_Q)
    return (
        Step(
            "Depth 5: Kepler's equation E + sin E = 4t, E = 2 arctan q",
            4 * explicit.time(5, _Q),
            angle + sympy.expand_trig(sin(angle)),
            "t = (theta + sin theta cos theta)/2 with theta = arctan q, and sin(2 theta) = 2 sin theta cos theta",
            "same_start_and_rate",
            {"variable": _Q},
        ),
    )


def _depth_6() -> tuple[Step, ...]:
    s, c, w, phi = Symbol("s", real=True), Symbol("c", real=True), Symbol("w", positive=True), Symbol("phi", real=True)
    relation = (w**2 + s**2 - 1,)
    return (
        Step(
            "Depth 6: t = s - s^3/3, s = sin(arctan q)",
            explicit.time(6, _Q),
            (s - s**3 / 3).subs(s, _Q / sqrt(1 + _Q**2)),
            "t is the integral of cos^3 = (1 - sin^2) cos",
            "same_start_and_rate",
            {"variable": _Q},
        ),
        Step(
            "Depth 6: s = 2 sin(asin(3t/2)/3)",
            (3 * 2 * s - (2 * s) ** 3).subs(s, sin(phi)).subs(sin(phi), s),
            (2 * sympy.expand_trig(sin(3 * phi))).subs({sin(phi): s, cos(phi): c}),
            "sin(3 phi) = 3 sin(phi) - 4 sin(phi)^3 with sin(3 phi) = 3t/2: 3s - s^3 = 3t",
            "modulo_relations",
            {"relations": (s**2 + c**2 - 1,), "symbols": (c, s)},
        ),
        _flow_in(
            "Depth 6: p = 1/sqrt(1-s^2), q = s/sqrt(1-s^2)",
            (1 / w, s / w**3),
            (s / w, 1 / w + s**2 / w**3),
            1 - s**2,
            "w = sqrt(1 - s^2), dw/ds = -s/w, dt/ds = 1 - s^2",
            6,
            relation,
            (s, w),
        ),
        _product("Depth 6: h = s/(1-s^2)^3", s / w**6, w, s, 6),
    )


_SPECIAL = {2: _depth_2, 3: _depth_3, 4: _depth_4, 5: _depth_5, 6: _depth_6}

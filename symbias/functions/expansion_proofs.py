r"""The series at 0 and at the other end, proved: Lagrange inversion for the general term, and every printed term again.

The check ``expansion`` does not know the closed forms (``solved_series``).
"""

import sympy
from sympy import Rational, S, Symbol, binomial, rf
from sympy.polys.ring_series import rs_integrate, rs_mul, rs_nth_root, rs_pow, rs_series_reversion, rs_subs, rs_trunc
from sympy.polys.rings import ring

from symbias import symbols
from symbias.functions import expansions, reductions, series, solved_series  # noqa: F401 (two of them register checks)
from symbias.functions.doors import depth_at_door, integer_depth
from symbias.functions.lemma_4 import H, h, h_inverse, p, q, root
from symbias.proof import Step, check

_T = symbols.t
_Y = Symbol("y", positive=True)
_K = Symbol("k", integer=True, nonnegative=True)


def series_steps(depth=symbols.L, terms: int = 5) -> tuple[Step, ...]:
    r"""The power series at 0 for any depth: h_inverse and H by Lagrange inversion, then every function.

    Parameters
    ----------
    depth : symbol, or integer >= 2
        A concrete depth adds the generalised hypergeometric form, and SymPy's own reversion of the series of h.
    terms : integer >= 1
        How many terms are proved one by one, without Lagrange's theorem.

    Returns
    -------
    Steps, each proved when it is made.

    Source
    ------
    ``derivations/series.py``.

    Examples
    --------
    >>> from symbias.functions.expansion_proofs import series_steps
    >>> series_steps(terms=2)[0].title
    'Lagrange inversion'
    """
    depth = depth_at_door(depth, "series_steps")
    k, n = _K, Symbol("n", positive=True)
    steps = [
        Step(
            "Lagrange inversion",
            -(depth - 1) / 2 - (depth - 1) / 2 * (2 * k + 1),
            -(depth - 1) * (k + 1),
            "y = q (1+q^2)^((L-1)/2): (2k+1) times the coefficient of y^(2k+1) in t(q) is that of q^2k in "
            "t'(q) (q/y)^(2k+1) = (1+q^2)^s, s the sum of both exponents; it is C(s, k)",
            "polynomial_identity",
            {},
            ("Lagrange inversion", "binomial series"),
        ),
        Step(
            "The binomial coefficient with its sign",
            binomial(-n, k),
            (-1) ** k * binomial(n + k - 1, k),
            "n = (L-1)(k+1), so that n + k - 1 = Lk + L - 2",
            "hypergeometric_terms",
            {"k": k},
        ),
        Step(
            "Which binomial it is",
            (depth - 1) * (k + 1) + k - 1,
            depth * k + depth - 2,
            "so h_inverse(y) = sum (-1)^k C(Lk+L-2, k) y^(2k+1)/(2k+1)",
            "polynomial_identity",
        ),
    ]
    for f in (h_inverse(depth, _Y), H(depth, _Y), root(depth, _Y), p(depth, _T), q(depth, _T), h(depth, _T)):
        made = expansions.at_zero(f, terms)
        steps.append(_expansion_step(f"{type(f).__name__} at 0, {terms} terms", made, "zero"))
    return (*steps, *(_concrete_series(int(depth), terms) if depth.is_Integer else ()))


def _concrete_series(depth: int, terms: int) -> list[Step]:
    k = _K
    claimed = sum((a * _Y**e for e, a in series.h_inverse_at_zero(depth, terms)), S.Zero)
    form = series.hypergeometric(depth, _Y) / _Y
    above, below = form.ap, form.bq
    scale = Rational(depth**depth, (depth - 1) ** (depth - 1))
    factors = [rf(a, k) for a in above] + [1 / rf(b, k) for b in below]
    return [
        Step(
            f"Depth {depth}: generalised hypergeometric",
            sympy.Mul(*factors) / sympy.factorial(k) * (-scale) ** k,
            (-1) ** k * binomial(depth * k + depth - 2, k) / (2 * k + 1),
            "the ratio of successive coefficients is rational in k; its zeros and poles are the parameters",
            "hypergeometric_terms",
            {"k": k},
        ),
        Step(
            f"Depth {depth}: the same as SymPy's reversion",
            h_inverse(depth, _Y),
            claimed,
            "SymPy reverts the power series of h(t), itself the reversion of the series of t(q), term by term",
            "sympy_reversion",
            {"y": _Y, "terms": terms},
            ("sympy.polys.ring_series",),
        ),
    ]


def expansion_steps(depth=symbols.L, terms: int = 4) -> tuple[Step, ...]:
    r"""The expansions at the other end: y -> oo for h_inverse, H, root; t -> c_L for p, q, h (L >= 3).

    Parameters
    ----------
    depth : symbol (>= 3), or integer >= 2
    terms : integer >= 1

    Returns
    -------
    Steps, each proved when it is made.

    Source
    ------
    ``derivations/expansions.py``.

    Examples
    --------
    >>> from symbias.functions.expansion_proofs import expansion_steps
    >>> [step.title for step in expansion_steps(2, terms=3)][0]
    'root at infinity, 3 terms'
    """
    depth = depth_at_door(depth, "expansion_steps")
    steps = []
    if depth == 2:
        x = Symbol("x", positive=True)
        steps.append(
            Step(
                "The constant beside the logarithm at depth 2",
                ((1 + sympy.sqrt(1 + x**2 / 4)) / 2).subs(x, 0),
                S.One,
                "exp(2 h_inverse) = 2y + sqrt(1 + 4y^2) is 4y (1 + sqrt(1 + x^2/4))/2 with x = 1/y -> 0",
                "exact_value",
            )
        )
    for f in (root(depth, _Y), h_inverse(depth, _Y), H(depth, _Y)):
        made = expansions.at_infinity(f, terms)
        steps.insert(
            0 if isinstance(f, root) else len(steps),
            _expansion_step(f"{type(f).__name__} at infinity, {terms} terms", made, "infinity"),
        )
    if depth != 2:
        for f in (q(depth, _T), p(depth, _T), h(depth, _T)):
            steps.append(
                _expansion_step(f"{type(f).__name__} at the end, {terms} terms", expansions.at_end(f, terms), "end")
            )
    return tuple(steps)


_WHY = {
    "zero": "the equation y = q (1+q^2)^((L-1)/2) solved by iteration in Q(L)[[y^2]], then dt/dy = 1/h' and "
    "H = y t - q^2/2; for the functions of t, q' = p^(L-1) and p^2 = 1 + q^2",
    "infinity": "the equation q (1+q^-2)^((L-1)/(2L)) = y^(1/L) solved by iteration in Q(L)[[y^(-2/L)]], then "
    "dt/dy = 1/h' with the value at infinity as constant, and H = y t - q^2/2",
    "end": "with D = ((L-2)(c_L - t))^(1/(L-2)), q' = p^(L-1) and p^2 = 1 + q^2 solved in Q(L)[[D^2]]; h = p^(L-1) q",
}


def _expansion_step(title: str, made: expansions.Expansion, at: str) -> Step:
    variable = made.function.args[1]
    return Step(title, made.function, made.sum, _WHY[at], "expansion", {"x": variable, "at": at})


@check
def sympy_reversion(lhs, rhs, y, terms):
    """The claim minus the series of h_inverse that SymPy finds: t(q) by rs_series_reversion of h(q), depth by depth."""
    depth = integer_depth(lhs.args[0], "sympy_reversion")
    order = 2 * terms + 1
    _, u, v = ring("u, v", sympy.QQ)
    base = rs_pow(1 + u**2, depth - 1, u, order)
    growth = rs_trunc(rs_nth_root(base, 2, u, order), u, order)  # p^(L-1)
    curve = rs_mul(u, growth, u, order)
    time = rs_integrate(rs_pow(growth, -1, u, order), u)
    made = rs_subs(time, {u: rs_series_reversion(curve, u, order, v)}, v, order).as_expr()
    kept = sum((made.coeff(v.as_expr(), e) * y**e for e in range(order)), S.Zero)
    return sympy.expand(rhs - kept)

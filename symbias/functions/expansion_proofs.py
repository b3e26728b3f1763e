r"""The series at 0 and at the other end, proved: Lagrange inversion for the general term, and every printed term again.

The check ``expansion`` does not know the closed forms. It solves the defining equation of the root by iteration in
Q(L)[[s]], integrates and multiplies from there, and subtracts the claim; the depth stays a symbol.
"""

import sympy
from sympy import Rational, S, Symbol, binomial, rf
from sympy.polys.ring_series import rs_mul, rs_nth_root, rs_pow, rs_series_reversion, rs_trunc
from sympy.polys.rings import ring

from symbias import symbols
from symbias.functions import expansions, reductions, series, truncated  # noqa: F401 (reductions registers checks)
from symbias.functions.doors import depth_at_door, integer_depth
from symbias.functions.lemma_4 import H, c, h, h_inverse, p, q, root
from symbias.functions.local_series import infinity_head
from symbias.functions.truncated import FIELD, multiply, power, shift
from symbias.proof import Step, check

_T = symbols.t
_Y = Symbol("y", positive=True)
_K = Symbol("k", integer=True, nonnegative=True)


def series_steps(depth=symbols.L, terms: int = 5) -> tuple[Step, ...]:
    r"""The power series at 0 for a symbolic or concrete depth: h_inverse and H by Lagrange inversion, then every function.

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
            "y = q (1+q^2)^((L-1)/2): (2k+1) times the coefficient of y^(2k+1) in t(q) is that of q^2k in t'(q) (q/y)^(2k+1) "
            "= (1+q^2)^s, s the sum of both exponents; it is C(s, k)",
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
    "zero": "the equation y = q (1+q^2)^((L-1)/2) solved by iteration in Q(L)[[y^2]], then dt/dy = 1/h' and H = y t - q^2/2; "
    "for the functions of t, q' = p^(L-1) and p^2 = 1 + q^2",
    "infinity": "the equation q (1+q^-2)^((L-1)/(2L)) = y^(1/L) solved by iteration in Q(L)[[y^(-2/L)]], then dt/dy = 1/h' with "
    "the value at infinity as constant, and H = y t - q^2/2",
    "end": "with D = ((L-2)(c_L - t))^(1/(L-2)), q' = p^(L-1) and p^2 = 1 + q^2 solved in Q(L)[[D^2]]; h = p^(L-1) q",
}


def _expansion_step(title: str, made: expansions.Expansion, at: str) -> Step:
    variable = made.function.args[1]
    return Step(title, made.function, made.sum, _WHY[at], "expansion", {"x": variable, "at": at})


@check
def expansion(lhs, rhs, x, at):
    """Every coefficient of the claim minus that of the series solved for, up to the last term of the claim."""
    depth = lhs.args[0]
    name = type(lhs).__name__
    claimed = _collect(rhs, name, depth, x, at)
    derived: dict = {}
    count = 2
    while len(derived) < len(claimed):
        derived = {e: a for e, a in solved(name, depth, at, count).items() if a != 0}
        count += 2
    first = list(derived)[: len(claimed)]
    exponents = [*first, *(e for e in claimed if e not in first)]
    return sympy.Tuple(*(sympy.cancel(claimed.get(e, 0) - derived.get(e, 0)) for e in exponents))


def _collect(rhs, name: str, depth, x, at: str) -> dict:
    """The claim as {exponent: coefficient} in x (at the end: in D), without what precedes the powers at infinity."""
    if at == "infinity":
        rhs = rhs - infinity_head(name, depth, x)
    gauge = x
    if at == "end":
        gauge = Symbol("delta", positive=True)
        rhs = sympy.expand_mul(rhs.subs(x, c(depth) - gauge))
    made: dict = {}
    for term in sympy.Add.make_args(rhs):
        coefficient, exponent = term.as_coeff_exponent(gauge)
        if at == "end":  # D^(L-2) = (L-2) delta
            coefficient = _exponents_reduced(coefficient * (depth - 2) ** -exponent)
            exponent = exponent * (depth - 2)
        exponent = sympy.expand(sympy.cancel(exponent))
        made[exponent] = made.get(exponent, S.Zero) + coefficient
    return {e: a for e, a in made.items() if sympy.cancel(a) != 0}


def _exponents_reduced(e):
    """Powers of L - 2 with their exponents in lowest terms; radicals of a number multiplied out."""
    return sympy.radsimp(e) if e.is_number else e.replace(lambda b: b.is_Pow, lambda b: b.base ** sympy.cancel(b.exp))


def solved(name: str, depth, at: str, count: int) -> dict:
    """{exponent: coefficient} of the function, from its equation alone."""
    ell = truncated.element(depth)
    half = (ell - FIELD.one) / 2
    if at == "zero":
        coefficients, exponents = _zero(name, ell, half, count)
    elif at == "infinity":
        coefficients, exponents = _infinity(name, ell, half, count)
    else:
        coefficients, exponents = _end(name, ell, half, count)
    return {
        sympy.expand(truncated.back(e, depth)): truncated.back(a, depth)
        for e, a in zip(exponents, coefficients, strict=True)
    }


def _constant(count: int):
    return [FIELD.one] + [FIELD.zero] * (count - 1)


def _iterate(step, count: int):
    """The fixed point of a map of series that gains one term each time."""
    made = _constant(count)
    for _ in range(count):
        made = step(made)
    return made


def _zero(name, ell, half, count):
    """s = y^2 (or t^2): q = y A, A = (1 + s A^2)^(-(L-1)/2); in t, q = t A, p = B."""
    number = [FIELD(j) for j in range(count)]
    if name in ("p", "q", "h"):

        def step(a):  # A + 2 s A' = B^(L-1), B = (1 + s A^2)^(1/2)
            b = power(_plus_one(shift(multiply(a, a))), half)
            return [b[j] / (1 + 2 * number[j]) for j in range(count)]

        a = _iterate(step, count)
        square = _plus_one(shift(multiply(a, a)))
        value = {"q": a, "p": power(square, FIELD.one / 2), "h": multiply(power(square, half), a)}[name]
        return value, [FIELD(2 * j + (name != "p")) for j in range(count)]
    a = _iterate(lambda a: power(_plus_one(shift(multiply(a, a))), -half), count)
    square = shift(multiply(a, a))
    if name == "root":
        return a, [FIELD(2 * j + 1) for j in range(count)]
    slope = power(_plus_one([ell * entry for entry in square]), -FIELD.one)
    rate = multiply(power(_plus_one(square), 2 - ell), slope)
    time = [rate[j] / (1 + 2 * number[j]) for j in range(count)]
    if name == "h_inverse":
        return time, [FIELD(2 * j + 1) for j in range(count)]
    return [t - x / 2 for t, x in zip(time, multiply(a, a), strict=True)], [FIELD(2 * j + 2) for j in range(count)]


def _infinity(name, ell, half, count):
    """s = y^(-2/L): q = y^(1/L) A, A = (1 + s A^-2)^(-(L-1)/(2L)), dt/dy = y^(-(2L-2)/L) R(s)."""
    a = _iterate(lambda a: power(_plus_one(shift(power(a, -2 * FIELD.one))), -half / ell), count)
    if name == "root":
        return a, [(1 - 2 * FIELD(j)) / ell for j in range(count)]
    inverse = shift(power(a, -2 * FIELD.one))
    factor = multiply(power(a, 2 - 2 * ell), power(_plus_one(inverse), 2 - ell))
    rate = multiply(factor, power(_plus_one([entry / ell for entry in inverse]), -FIELD.one))
    size = [ell - FIELD(2) + FIELD(2 * j) for j in range(count)]
    # (1 + L q^2) = L q^2 (1 + q^-2/L); the term j of dt/dy integrates to -y^(-(L-2+2j)/L)/(L-2+2j). At depth 2 the term
    # j = 0 is log(4y)/2 instead, and y^1 (log(4y) - 1)/2 in H.
    logarithm = not size[0]
    time = [FIELD.zero if not size[j] else -rate[j] / size[j] for j in range(count)]
    if name == "h_inverse":
        return time, [-entry / ell for entry in size]
    squares = [x / 2 for x in multiply(a, a)]
    values = [t - x for t, x in zip(time, squares, strict=True)]
    if logarithm:
        values[0] = values[0] + FIELD.one / 2
    return values, [(2 - 2 * FIELD(j)) / ell for j in range(count)]


def _end(name, ell, half, count):
    """s = D^2: q = A/D, p = B/D, A - 2 s A' = B^(L-1), B^2 = A^2 + s."""

    def step(a):
        b = multiply(power(a, 2 * half), power(_plus_one(shift(power(a, -2 * FIELD.one))), half))
        # B^(L-1) = A^(L-1) (1 + s/A^2)^((L-1)/2); its term j holds (L-1) a_j, which is moved to the left.
        return [a[0]] + [(b[j] - (ell - 1) * a[j]) / (2 - ell - 2 * FIELD(j)) for j in range(1, count)]

    a = _iterate(step, count)
    b = multiply(a, power(_plus_one(shift(power(a, -2 * FIELD.one))), FIELD.one / 2))
    value = {"q": a, "p": b, "h": multiply(power(b, 2 * half), a)}[name]
    start = -ell if name == "h" else -FIELD.one
    return value, [start + FIELD(2 * j) for j in range(count)]


def _plus_one(a):
    return [a[0] + FIELD.one, *a[1:]]


@check
def sympy_reversion(lhs, rhs, y, terms):
    """The claim minus the series of h_inverse that SymPy finds: t(q) by rs_series_reversion of h(q), depth by depth."""
    depth = integer_depth(lhs.args[0], "sympy_reversion")
    order = 2 * terms + 1
    _, u, v = ring("u, v", sympy.QQ)
    base = rs_pow(1 + u**2, depth - 1, u, order)
    growth = rs_trunc(rs_nth_root(base, 2, u, order), u, order)  # p^(L-1)
    curve = rs_mul(u, growth, u, order)
    time = sympy.integrate(rs_pow(growth, -1, u, order).as_expr(), u.as_expr())
    q_of_y = rs_series_reversion(curve, u, order, v)
    made = sympy.expand(time.subs(u.as_expr(), q_of_y.as_expr()))
    kept = sum((made.coeff(v.as_expr(), e) * y**e for e in range(order)), S.Zero)
    return sympy.expand(rhs - kept)

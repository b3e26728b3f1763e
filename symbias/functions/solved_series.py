r"""The proof check ``expansion``: a claimed series against the one that the defining equation gives, in Q(L)[[s]].

It does not know the closed forms. The equation of the root is solved by iteration, the rest is integrated and
multiplied from there, and the claim is subtracted; the depth stays a symbol.
"""

import sympy
from sympy import S, Symbol

from symbias.functions import truncated
from symbias.functions.lemma_4 import c
from symbias.functions.local_series import infinity_head
from symbias.functions.truncated import multiply, one_like, power, shift
from symbias.proof import check


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
    made = {"zero": _zero, "infinity": _infinity, "end": _end}[at]
    coefficients, exponents = made(name, truncated.element(depth), truncated.field_of(depth), count)
    return {
        sympy.expand(truncated.back(e, depth)): truncated.back(a, depth)
        for e, a in zip(exponents, coefficients, strict=True)
    }


def _iterate(step, one, count: int):
    """The fixed point of a map of series that gains one term each time."""
    made = [one]
    for _ in range(count - 1):
        made = step([*made, one * 0])
    return made


def _zero(name, ell, field, count):
    """s = y^2 (or t^2): q = y A, A = (1 + s A^2)^(-(L-1)/2); in t, q = t A, p = B."""
    half = (ell - field.one) / 2
    if name in ("p", "q", "h"):

        def step(a):  # A + 2 s A' = B^(L-1), B = (1 + s A^2)^(1/2)
            b = power(_plus_one(shift(multiply(a, a))), half)
            return [entry / (1 + 2 * j) for j, entry in enumerate(b)]

        a = _iterate(step, field.one, count)
        square = _plus_one(shift(multiply(a, a)))
        value = {"q": a, "p": power(square, field.one / 2), "h": multiply(power(square, half), a)}[name]
        return value, [field(2 * j + (name != "p")) for j in range(count)]
    a = _iterate(lambda a: power(_plus_one(shift(multiply(a, a))), -half), field.one, count)
    if name == "root":
        return a, [field(2 * j + 1) for j in range(count)]
    square = shift(multiply(a, a))
    slope = power(_plus_one([ell * entry for entry in square]), -field.one)
    rate = multiply(power(_plus_one(square), field(2) - ell), slope)
    time = [entry / (1 + 2 * j) for j, entry in enumerate(rate)]
    if name == "h_inverse":
        return time, [field(2 * j + 1) for j in range(count)]
    return [t - x / 2 for t, x in zip(time, multiply(a, a), strict=True)], [field(2 * j + 2) for j in range(count)]


def _infinity(name, ell, field, count):
    """s = y^(-2/L): q = y^(1/L) A, A = (1 + s A^-2)^(-(L-1)/(2L)), dt/dy = y^(-(2L-2)/L) R(s)."""
    outer = (field.one - ell) / (2 * ell)
    a = _iterate(lambda a: power(_plus_one(shift(power(a, field(-2)))), outer), field.one, count)
    if name == "root":
        return a, [field(1 - 2 * j) / ell for j in range(count)]
    inverse = shift(power(a, field(-2)))
    factor = multiply(power(a, field(2) - 2 * ell), power(_plus_one(inverse), field(2) - ell))
    rate = multiply(factor, power(_plus_one([entry / ell for entry in inverse]), -field.one))
    size = [ell + field(2 * j - 2) for j in range(count)]
    # (1 + L q^2) = L q^2 (1 + q^-2/L); the term j of dt/dy integrates to -y^(-(L-2+2j)/L)/(L-2+2j). At depth 2 the term
    # j = 0 is log(4y)/2 instead, and y^1 (log(4y) - 1)/2 in H.
    time = [-entry / s if s else field.zero for entry, s in zip(rate, size, strict=True)]
    if name == "h_inverse":
        return time, [-s / ell for s in size]
    values = [t - x / 2 for t, x in zip(time, multiply(a, a), strict=True)]
    if not size[0]:
        values[0] = values[0] + field.one / 2
    return values, [field(2 - 2 * j) / ell for j in range(count)]


def _end(name, ell, field, count):
    """s = D^2: q = A/D, p = B/D, A - 2 s A' = B^(L-1), B^2 = A^2 + s."""
    whole = ell - field.one

    def step(a):
        b = multiply(power(a, whole), power(_plus_one(shift(power(a, field(-2)))), whole / 2))
        # B^(L-1) = A^(L-1) (1 + s/A^2)^((L-1)/2); its term j holds (L-1) a_j, which is moved to the left.
        return [a[0]] + [(b[j] - whole * a[j]) / (field(2 - 2 * j) - ell) for j in range(1, len(a))]

    a = _iterate(step, field.one, count)
    b = multiply(a, power(_plus_one(shift(power(a, field(-2)))), field.one / 2))
    value = {"q": a, "p": b, "h": multiply(power(b, whole), a)}[name]
    start = -ell if name == "h" else -field.one
    return value, [start + field(2 * j) for j in range(count)]


def _plus_one(a):
    """1 + a for a series without constant term."""
    return [one_like(a[0]), *a[1:]]

r"""The proof check ``expansion``: a claimed series against the one that the defining equation gives, in Q(L)[[s]].

It does not know the closed forms. The equation of the root is solved by iteration, the rest is integrated and
multiplied from there, and the claim is subtracted; the depth stays a symbol.
"""

import sympy
from sympy import S, Symbol

from symbias.functions import truncated
from symbias.functions.lemma_4 import c
from symbias.functions.local_series import infinity_head
from symbias.functions.truncated import FIELD, multiply, power, shift
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

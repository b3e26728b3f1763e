"""What SymPy's ``.series``, ``.limit`` and ``.aseries`` ask of the functions: expansions of f(depth, g(x)), x -> 0+.

Where g(x) goes decides: to 0, the Lagrange series; to oo or to an end of the domain, the series of ``ends``; elsewhere
Taylor's by derivatives. Terms are made until the next one is O(x^n), so that limits never meet a truncated sum.
"""

import sympy
from sympy import Add, Function, Integer, Order, PoleError, S, expand, log

from symbias.functions import difference_of_powers, ends, series
from symbias.functions.base import OnInterval

AT_ZERO = {
    "p": series.p_at_zero,
    "q": series.q_at_zero,
    "h": series.h_at_zero,
    "h_inverse": series.h_inverse_at_zero,
    "root": series.root_at_zero,
    "H": series.H_at_zero,
    "difference_h_inverse": difference_of_powers.difference_h_inverse_at_zero,
    "difference_H": difference_of_powers.difference_H_at_zero,
}
AT_END = {"p": ends.p_at_end, "q": ends.q_at_end, "h": ends.h_at_end}
AT_INFINITY = {
    "h_inverse": ends.h_inverse_at_infinity,
    "root": ends.root_at_infinity,
    "H": ends.H_at_infinity,
}


def nseries(f, x, n, logx, cdir):
    """f(depth, g(x)) to O(x^n)."""
    depth, g, place = _place(f, x, cdir)
    if place == "regular":
        return Function._eval_nseries(f, x, n, logx, cdir)
    if place == "negative":
        mirrored = f.func(depth, -g, evaluate=False)._eval_nseries(x, n, logx, cdir)
        return -mirrored if f.odd else mirrored
    if place == "zero":
        return _at_zero(f, g, x, n, logx)
    if depth == 2 and isinstance(f, OnInterval):
        return sympy.expand_func(f).nseries(x, n=n, logx=logx)
    if not depth.is_Integer:
        raise PoleError(
            f"the exponents of {f} at its {place} depend on the depth {depth}: call symbias.expansions.at_{place}, "
            "which takes a number of terms, or put in a number for the depth"
        )
    if place == "infinity":
        head, small, power, table = infinity_head(f.func.__name__, depth, g), 1 / g, -S.One, AT_INFINITY
    else:
        head, small, power, table = S.Zero, (depth - 2) * _distance(f, g, x), 1 / (depth - 2), AT_END
    made = [_to_order(head, x, n, logx)]
    rate = small.as_leading_term(x, logx=logx).as_coeff_exponent(x)[1]
    for exponent, coefficient in _below(table[f.func.__name__], depth, rate * power, n):
        made.append(coefficient * _to_order(small ** (exponent * power), x, n, logx))
    return Add(*(expand(term) for term in made)) + Order(x**n, x)


def leading_term(f, x, logx, cdir):
    """The first term of f(depth, g(x))."""
    depth, g, place = _place(f, x, cdir)
    name = f.func.__name__
    if place == "regular":
        return f.func(depth, g.limit(x, 0))
    if place == "negative":
        mirrored = f.func(depth, -g, evaluate=False)._eval_as_leading_term(x, logx, cdir)
        return -mirrored if f.odd else mirrored
    if place == "zero":
        exponent, coefficient = AT_ZERO[name](depth, 1)[0]
        return coefficient * g.as_leading_term(x, logx=logx) ** exponent
    if depth == 2 and isinstance(f, OnInterval):
        return sympy.expand_func(f).as_leading_term(x, logx=logx, cdir=cdir)
    if place == "infinity":
        head = g ** (1 / depth) if name == "root" else infinity_head(name, depth, g)
        return head.as_leading_term(x, logx=logx)
    exponent, coefficient = AT_END[name](depth, 1)[0]
    distance = (depth - 2) * _distance(f, g, x).as_leading_term(x, logx=logx)
    return coefficient * distance ** (exponent / (depth - 2))


def _place(f, x, cdir):
    """depth, g, and where g goes: "zero", "infinity", "end", "negative" (one of the last two, mirrored), "regular"."""
    from symbias.functions.lemma_4 import c

    depth, g = f.args
    if depth.has(x):
        raise PoleError(f"{f} has no expansion in the depth")
    side = "-" if sympy.re(cdir).is_negative else "+"
    goal = g.limit(x, 0, side)
    if goal.is_zero:
        return depth, g, "zero"
    last = c(depth) if isinstance(f, OnInterval) else S.Infinity
    if goal in (last, -last):
        kind = "infinity" if goal.is_infinite else "end"
        return depth, g, kind if goal == last else "negative"
    if isinstance(f, OnInterval) and (abs(goal) > last) == True:  # noqa: E712 (a SymPy relation)
        raise PoleError(f"{f} ends at c({depth}) = {last}, before {goal}: expand inside, or at the end by at_end")
    return depth, g, "regular"


def _distance(f, g, x):
    """c - g, which must be positive: the functions end there."""
    from symbias.functions.lemma_4 import c

    distance = c(f.args[0]) - g
    if distance.as_leading_term(x).as_coeff_exponent(x)[0].is_negative:
        raise PoleError(f"{f} ends at c({f.args[0]}) = {c(f.args[0])}: approach it from inside, with dir='-'")
    return distance


def infinity_head(name: str, depth, y):
    """What precedes the powers at infinity: c, c y, or for depth 2 a logarithm; nothing for root."""
    from symbias.functions.lemma_4 import c

    if name == "root":
        return S.Zero
    if depth == 2:
        return log(4 * y) / 2 if name == "h_inverse" else y * (log(4 * y) - 1) / 2
    return c(depth) if name == "h_inverse" else c(depth) * y


def _to_order(expression, x, n, logx):
    """The series to O(x^n), without the Order."""
    made = expression.nseries(x, n=n, logx=logx) if expression.has(x) else expression
    return made.removeO()


def _below(table, depth, rate, n):
    """The terms of ``table`` that are not O(x^n), where a term with exponent e is of order x^(rate e)."""
    if not rate.is_number:
        raise PoleError(f"the order {rate} of the argument is not a number: put in numbers for its symbols")
    count = 2
    while not table(depth, count)[-1][0] * rate >= n:
        count += 2
    return [(e, a) for e, a in table(depth, count) if e * rate < n]


def _at_zero(f, g, x, n, logx):
    depth, name = f.args[0], f.func.__name__
    rate = g.as_leading_term(x, logx=logx).as_coeff_exponent(x)[1]
    inner = _to_order(g, x, n, logx)
    made = []
    for exponent, coefficient in _below(AT_ZERO[name], depth, rate, n):
        made.extend(coefficient * term for term in Add.make_args(expand(inner ** Integer(exponent))))
    return Add(*made) + Order(x**n, x)

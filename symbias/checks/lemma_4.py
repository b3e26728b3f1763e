"""Lemma 4's functions against its own system of differential equations, integrated by Taylor series."""

import time
from fractions import Fraction

from symbias import exact
from symbias.kernels import precise
from symbias.numeric.lemma_4 import integrate_lemma_4
from symbias.precision import context, valid_digits
from symbias.verdict import Outcome, Residual

#: Where the functions are compared, in parts of the domain (0, c_L); depth 2, whose domain has no end, in units of 1.
PLACES = tuple(Fraction(k, 8) for k in range(-7, 8) if k)


def check_lemma_4(depth: int, digits: int = 30, functions=precise) -> Outcome:
    """Compare p, q and h_L with the integrated system, and h_L^{-1} with the time, at 14 places of the domain.

    Parameters
    ----------
    depth : int >= 2
        L.
    digits : int
        Decimal digits asked of every number.
    functions : module, optional
        What to check: p, q, h and h_inverse as functions (ctx, depth, x); the library's own by default.

    Returns
    -------
    Outcome

    Raises
    ------
    BadInput
        A depth or a number of digits that is none.

    Source
    ------
    arXiv:2010.02501v3, Lemma 4.

    Examples
    --------
    >>> check_lemma_4(3, digits=20).verdict
    'holds'
    """
    began = time.perf_counter()
    valid_digits(digits)
    precise.check_depth(depth)
    ctx = context(digits + 25)
    end = precise.c(ctx, depth)
    scale = exact.number(ctx.nstr(end, 8), "c_L") if end != ctx.inf else 1
    errors = {name: ctx.zero for name in ("p", "q", "h", "h_inverse")}
    for place in PLACES:
        t = exact.number(place, "t") * scale
        p, q = (exact.precise(value, ctx) for value in integrate_lemma_4(depth, t, digits + 10))
        moment, y = exact.precise(t, ctx), p ** (depth - 1) * q
        wanted = {"p": (moment, p), "q": (moment, q), "h": (moment, y), "h_inverse": (y, moment)}
        for name, (argument, value) in wanted.items():
            found = getattr(functions, name)(ctx, depth, argument)
            errors[name] = max(errors[name], abs(found / value - 1))
    tolerance = ctx.mpf(10) ** -digits
    evidence = tuple(Residual(f"{name} against the system", e, tolerance, "each value") for name, e in errors.items())
    worst = max(errors.values())
    agreed = float(-ctx.log10(worst)) if worst else float(ctx.dps)
    verdict = "holds" if all(e.holds for e in evidence) else "fails"
    return Outcome(verdict, agreed, 4 * len(PLACES), evidence, seconds=time.perf_counter() - began)

"""Proof checks for Lemma 4: each reduces a claim to the exact 0 with the depth free, from the flow itself.

The only facts used about p and q are their differential equations, their values at 0 and, where said, p^2 - q^2 = 1.
"""

import functools

import sympy
from sympy import Add, Dummy, Expr, Integer, S

from symbias.functions.lemma_4 import H, h, h_inverse, p, q, root
from symbias.proof import check


def entrywise(function):
    """A check of tuples: entry by entry, strictly as many on both sides."""

    @functools.wraps(function)
    def checked(lhs, rhs, **given):
        if isinstance(lhs, sympy.Tuple) or isinstance(rhs, sympy.Tuple):
            return sympy.Tuple(*(function(a, b, **given) for a, b in zip(lhs, rhs, strict=True)))
        return function(lhs, rhs, **given)

    return checked


@check
@entrywise
def along_the_flow(lhs, rhs):
    """Differentiate by the equations of Lemma 4, then reduce in Q(L)[p, p^L, q] modulo p^2 - q^2 = 1."""
    return reduced(lhs - rhs)


@check
@entrywise
def constant_of_motion(lhs, rhs, t):
    """Two remainders: d(lhs)/dt along the flow, without using p^2 - q^2 = 1, and lhs - rhs at t = 0."""
    return sympy.Tuple(reduced(sympy.Derivative(lhs - rhs, t), relation=False), (lhs - rhs).subs(t, 0))


@check
@entrywise
def on_the_curve(lhs, rhs, y, t, depth):
    """Put y = h_L(t), so that h_inverse is t, root is q and d/dy is (1/h') d/dt; then as ``along_the_flow``."""
    return reduced(_on_curve(lhs - rhs, y, t, depth))


@check
@entrywise
def same_start_and_rate(lhs, rhs, variable):
    """Two remainders: lhs - rhs at variable = 0, and the derivative of lhs - rhs, an algebraic function."""
    start = (lhs - rhs).subs(variable, 0).doit()
    return sympy.Tuple(start, algebraic(sympy.diff(lhs, variable).doit() - sympy.diff(rhs, variable).doit(), variable))


@check
@entrywise
def positive_terms(lhs, rhs):
    """lhs is rhs, and rhs is positive term by term: sums, products and real powers of positive things."""
    return along_the_flow(lhs, rhs) if rhs.is_extended_positive else S.NaN


@check
@entrywise
def modulo_relations(lhs, rhs, relations=(), symbols=()):
    """Reduce the numerator of lhs - rhs modulo polynomial relations (a Groebner basis of them)."""
    numerator = sympy.fraction(sympy.together(lhs - rhs))[0]
    if not relations:
        return sympy.expand(numerator)
    basis = sympy.groebner(list(relations), *symbols, order="grevlex")
    return sympy.expand(basis.reduce(sympy.expand(numerator))[1])


@check
@entrywise
def hypergeometric_terms(lhs, rhs, k):
    """Two remainders that make two sequences in k equal: the values at k = 0, and the ratios of successive terms."""
    ratios = [_ratio(side, k) for side in (lhs, rhs)]
    start = sympy.combsimp(sympy.expand_func((lhs - rhs).subs(k, 0)))
    return sympy.Tuple(start, sympy.expand(sympy.fraction(sympy.together(ratios[0] - ratios[1]))[0]))


def _ratio(sequence: Expr, k) -> Expr:
    """The ratio of successive terms, each Gamma function brought to its least argument by Gamma(z+1) = z Gamma(z)."""
    ahead, here = (sympy.expand_func(a.rewrite(sympy.gamma)) for a in (sequence.subs(k, k + 1), sequence))
    return sympy.powsimp(ahead / here)


@check
@entrywise
def equal_logarithmic_derivative(lhs, rhs, variable, point):
    """Two remainders of log lhs - log rhs: its derivative, which is rational, and its value at one point."""
    sides = [side.replace(lambda e: e.is_Pow, lambda e: sympy.cancel(e.base) ** e.exp) for side in (lhs, rhs)]
    rates = [sympy.diff(_logarithm(side), variable) for side in sides]
    starts = [_logarithm(side.subs(variable, point)) for side in sides]
    return sympy.Tuple(sympy.cancel(sympy.together(rates[0] - rates[1])), sympy.expand(starts[0] - starts[1]))


def _logarithm(positive: Expr) -> Expr:
    """The logarithm of a product of positive powers, as a sum."""
    return sympy.expand_log(sympy.log(sympy.factor(sympy.powsimp(positive))), force=True)


@check
@entrywise
def gamma_functions(lhs, rhs):
    """Write both sides with Gamma functions and reduce their ratio by Gamma(z + 1) = z Gamma(z)."""
    return sympy.gammasimp((lhs / rhs).rewrite(sympy.gamma)) - 1


@check
@entrywise
def exact_value(lhs, rhs):
    """Both sides are numbers that SymPy evaluates to the same exact number; nothing is approximated."""
    return sympy.expand(sympy.expand_func(lhs) - rhs)


def reduced(expression: Expr, relation: bool = True) -> Expr:
    """The numerator of an expression in p, q, h (h_inverse, root, H at y = h) as a polynomial, modulo q^2 = p^2 - 1."""

    def unfold_potential(depth, y):
        return y * h_inverse(depth, y) - root(depth, y) ** 2 / 2

    on_curve = expression.replace(
        lambda e: isinstance(e, H) and isinstance(e.args[1], h), lambda e: unfold_potential(*e.args)
    )
    unfolded = on_curve.replace(h, lambda depth, t: p(depth, t) ** (depth - 1) * q(depth, t)).doit(deep=True)
    unfolded = unfolded.replace(H, unfold_potential)
    return _Generators().normal_form(unfolded, relation)


def algebraic(expression: Expr, variable) -> Expr:
    """The numerator of an expression in q and powers of 1 + q^2, half-integer or with the depth, q = variable."""
    depth, t = Dummy("L", positive=True), Dummy("t", real=True)
    return reduced(expression.subs(variable, q(depth, t)))


def _on_curve(expression: Expr, y, t, depth) -> Expr:
    curve = h(depth, t)

    def derivative(inner, *variables):
        for variable, count in variables:
            if variable != y:
                raise ValueError(f"on_the_curve differentiates in {y} only, not in {variable}")
            for _ in range(count):
                inner = sympy.diff(inner.subs(y, curve), t) / sympy.diff(curve, t)
        return inner

    unfolded = expression.replace(
        lambda e: isinstance(e, sympy.Derivative), lambda e: derivative(e.expr, *e.variable_count)
    )
    return unfolded.subs(y, curve)


class _Generators:
    """Names for p, q, |x| and the powers x^L, so that an expression becomes a polynomial over a polynomial."""

    def __init__(self):
        self.names: dict[Expr, Dummy] = {}
        self.pairs: list[tuple[Dummy, Dummy]] = []
        self.relations: list[tuple[Expr, Dummy]] = []

    def normal_form(self, e: Expr, relation: bool) -> Expr:
        """The numerator over Q, modulo the relations."""
        plain = self.polynomial(e)
        leading = [generator for _, generator in self.relations]
        others = plain.free_symbols.union(*(modulus.free_symbols for modulus, _ in self.relations)) - set(leading)
        symbols = leading + sorted(others, key=str)
        if not symbols:
            return plain
        numerator = sympy.polys.fields.field(symbols, sympy.QQ)[0].from_expr(plain).numer
        if relation:
            # The leading terms are squares of different generators: the relations are their own Groebner basis.
            numerator = numerator.rem([numerator.ring.from_expr(modulus) for modulus, _ in self.relations])
        return numerator.as_expr()

    def polynomial(self, e: Expr) -> Expr:
        if isinstance(e, (p, q)):
            new = e not in self.names
            pair = self._name(p(*e.args)), self._name(q(*e.args))
            if new:
                self.pairs.append(pair)
                self.relations.append((pair[1] ** 2 - pair[0] ** 2 + 1, pair[1]))
            return pair[0] if isinstance(e, p) else pair[1]
        if isinstance(e, sympy.Abs):
            if e not in self.names:
                self.relations.append((self._name(e) ** 2 - e.args[0] ** 2, self._name(e)))
            return self._name(e)
        if e.is_Pow and not (e.exp.is_Integer and e.exp > 0):
            # SymPy writes |x|^(2L) as x^(2L).
            if e.base.is_Mul and (e.exp.is_integer or all(factor.is_nonnegative for factor in e.base.args)):
                return self.polynomial(sympy.Mul(*(factor**e.exp for factor in e.base.args)))
            base = sympy.Abs(e.base) if e.exp.is_even and e.base.is_real and not e.exp.is_Integer else e.base
            return self._power(self.polynomial(base), e.exp)
        if e.is_Function or e.is_NumberSymbol:
            return self._name(e.func(*map(sympy.expand_power_base, e.args)))
        return e.func(*map(self.polynomial, e.args)) if e.args else e

    def _power(self, base: Expr, exponent: Expr) -> Expr:
        """base^(aL + b) as (base^L)^a base^b; 1 + q^2 counts as p^2."""
        for p_name, q_name in self.pairs:
            if sympy.expand(base - 1 - q_name**2) == 0:
                return self._power(p_name, 2 * exponent)
        made: Expr = S.One
        for part in Add.make_args(sympy.expand(exponent)):
            count, rest = part.as_coeff_Mul()
            if not count.is_Integer:
                count, rest = Integer(count.p), rest / count.q
            made *= base**count if rest == 1 else self._name(base**rest) ** count
        return made

    def _name(self, e: Expr) -> Dummy:
        return self.names.setdefault(e, Dummy(f"g{len(self.names)}", positive=True))


def with_roots(e: Expr) -> Expr:
    """The numerator of an expression with square roots (and other functions), modulo root^2 = radicand."""
    names: dict[Expr, Dummy] = {}
    relations: list[tuple[Expr, Dummy]] = []

    def walk(e: Expr) -> Expr:
        if e.is_Pow and e.exp.is_Rational and not e.exp.is_Integer:
            content, base = sympy.factor(walk(e.base)).as_content_primitive()
            outside = content**e.exp
            if not outside.is_Rational:
                outside, base = S.One, content * base
            if base not in names:
                names[base] = Dummy(f"r{len(names)}", positive=True)
                numerator, denominator = sympy.fraction(base)
                relations.append((names[base] ** 2 * denominator - numerator, names[base]))
            return outside * names[base] ** (2 * e.exp)
        if e.is_Function or e.is_NumberSymbol:
            return names.setdefault(e, Dummy(f"f{len(names)}"))
        return e.func(*map(walk, e.args)) if e.args else e

    plain = walk(e)
    symbols = sorted(plain.free_symbols.union(*(relation.free_symbols for relation, _ in relations)), key=str)
    if not symbols:
        return plain
    numerator = sympy.polys.fields.field(symbols, sympy.QQ)[0].from_expr(plain).numer
    for relation, root_name in reversed(relations):
        numerator = numerator.prem(numerator.ring.from_expr(relation), numerator.ring.from_expr(root_name))
    return numerator.as_expr()

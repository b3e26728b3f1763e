"""The network is the contraction of its data tensor: f(x; Theta) = M(x) o (v_1, .., v_L), as a polynomial identity."""

from math import prod

import sympy

from symbias.networks.base import Network
from symbias.proof import Step, check

_F = sympy.Symbol("f")
_TENSOR = sympy.Symbol("M(x) o (v_1, .., v_L)")
_BETA = sympy.Symbol("x^T", commutative=False) * sympy.Symbol("beta", commutative=False)


class Polynomial:
    """A polynomial as a dictionary from sorted tuples of variables to integers.

    The networks have hundreds of variables and monomials of L + 1 factors: SymPy's rings, whose monomials list the
    exponents of *all* variables, take 45 s on matrix sensing with d = 8, L = 4, this takes 3 s.
    """

    __slots__ = ("terms",)

    def __init__(self, terms: dict[tuple[int, ...], int]):
        self.terms = terms

    def __add__(self, other):
        if not isinstance(other, Polynomial):
            return self + Polynomial({(): int(other)})
        small, large = sorted((self.terms, other.terms), key=len)
        terms = dict(large)
        for monomial, coefficient in small.items():
            terms[monomial] = terms.get(monomial, 0) + coefficient
        return Polynomial({monomial: c for monomial, c in terms.items() if c})

    __radd__ = __add__

    def __mul__(self, other):
        if not isinstance(other, Polynomial):
            return self * Polynomial({(): int(other)})
        terms: dict[tuple[int, ...], int] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                monomial = tuple(sorted(left + right))
                terms[monomial] = terms.get(monomial, 0) + a * b
        return Polynomial({monomial: c for monomial, c in terms.items() if c})

    __rmul__ = __mul__

    def __sub__(self, other):
        return self + other * -1

    def __pow__(self, exponent: int):
        return prod([self] * exponent)

    def as_expr(self, names) -> sympy.Expr:
        """The same polynomial in the symbols ``names``."""
        return sympy.Add(*(c * sympy.prod([names[i] for i in monomial]) for monomial, c in self.terms.items()))


@check
def network_polynomial(lhs, rhs, network, claim):
    """f as the network computes it minus the claimed contraction, as polynomials in x and all parameters."""
    blocks, samples = network.symbols(), network.sample_symbols()[0]
    names = [*samples.ravel(), *(entry for block in blocks for entry in block.ravel())]
    value = {name: Polynomial({(i,): 1}) for i, name in enumerate(names)}
    x, v = _mapped(samples, value), [_mapped(block, value) for block in blocks]
    built = _contraction(network, x, v) if claim == "tensor" else (x.ravel() * network.product.beta(v).ravel()).sum()
    # The right-hand side stands for what was built; whatever was added to it is part of the claim.
    added = rhs - (_TENSOR if claim == "tensor" else _BETA)
    return (network.forward(x, v) - built).as_expr(names) - added


def _mapped(array, value):
    out = array.copy()
    for index in range(out.size):
        out.flat[index] = value[array.flat[index]]
    return out


def _contraction(network: Network, x, v):
    """sum over the entries of M(x): a matrix block counts by columns."""
    flat = [block.T.ravel() for block in v]
    terms: dict[tuple[int, ...], int] = {}
    for index, source in network.places():
        term = prod((block[i] for block, i in zip(flat, index, strict=True)), start=x.flat[source])
        for monomial, coefficient in term.terms.items():
            terms[monomial] = terms.get(monomial, 0) + coefficient
    return Polynomial(terms)


def contraction_steps(network: Network) -> tuple[Step, ...]:
    """Prove f(x) = M(x) o (v_1, .., v_L) and f(x) = x^T beta with x and all parameters free."""
    return (
        Step(
            "The network contracts its data tensor",
            _F,
            _TENSOR,
            "both sides, written out, are the same polynomial in x and the parameters",
            "network_polynomial",
            {"network": network, "claim": "tensor"},
        ),
        Step(
            "The network is linear in x",
            _F,
            _BETA,
            "beta is the product of the blocks",
            "network_polynomial",
            {"network": network, "claim": "coefficients"},
        ),
    )

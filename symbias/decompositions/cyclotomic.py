"""Matrices of roots of unity and their products, exactly: integer vectors modulo the cyclotomic polynomial.

With zeta = exp(2 pi i / d), an element of Q(zeta) has one and only one form sum_p c_p zeta^p, p < phi(d), c_p rational:
a sum of roots of unity is zero exactly when all its reduced coefficients are. (``simplify`` leaves such sums standing.)
"""

from dataclasses import dataclass, replace
from functools import cache
from math import lcm
from typing import Any

import numpy as np
import sympy

from symbias.proof import check
from symbias.verdict import Result

_EXACT_IN_DOUBLES = 2**53


@dataclass(frozen=True, eq=False)
class RootMatrix(Result):
    """The matrix row_r * column_c * mean_t zeta^{exponents[r, c, t]}.

    One t: roots of unity; an exponent and its negative: cosines.
    ``order`` is d; ``row`` and ``column`` are tuples of exact real scales.
    """

    order: int
    exponents: Any
    row: tuple
    column: tuple

    def __post_init__(self):
        object.__setattr__(self, "exponents", np.asarray(self.exponents).astype(np.int64) % self.order)

    @property
    def T(self) -> "RootMatrix":
        """The transpose."""
        return replace(self, exponents=self.exponents.swapaxes(0, 1), row=self.column, column=self.row)

    @property
    def H(self) -> "RootMatrix":
        """The conjugate transpose."""
        return replace(self.T, exponents=-self.T.exponents)

    def matrix(self) -> sympy.ImmutableMatrix:
        """The matrix with SymPy entries, in radicals where SymPy knows them."""
        angle = 2 * sympy.pi / self.order
        if self.exponents.shape[2] == 1:
            roots = [sympy.exp(sympy.I * angle * power) for power in range(self.order)]
        else:
            roots = [sympy.cos(angle * power) for power in range(self.order)]
        rows, columns = self.exponents.shape[:2]
        return sympy.ImmutableMatrix(
            rows, columns, lambda r, c: self.row[r] * self.column[c] * roots[self.exponents[r, c, 0]]
        )

    def to_latex(self) -> str:
        return sympy.latex(self.matrix())


def roots(order: int, exponents: np.ndarray, row: tuple, column: tuple) -> RootMatrix:
    """The matrix row_r column_c zeta^exponents."""
    return RootMatrix(order, exponents[..., None], row, column)


def cosines(order: int, exponents: np.ndarray, row: tuple, column: tuple) -> RootMatrix:
    """The matrix row_r column_c cos(2 pi exponents / order)."""
    return RootMatrix(order, np.stack([exponents, -exponents], axis=-1), row, column)


@cache
def power_basis(order: int) -> np.ndarray:
    """Row p holds the coefficients of zeta^p in the basis 1, zeta, .., zeta^{phi - 1}, for p < order."""
    polynomial = [int(c) for c in sympy.cyclotomic_poly(order, polys=True).all_coeffs()[::-1]]
    size = len(polynomial) - 1
    rows = [[1] + [0] * (size - 1)]
    while len(rows) < order:
        *low, top = rows[-1]
        # zeta times the last row; zeta^phi is minus the lower part of the (monic) cyclotomic polynomial.
        rows.append([a - top * c for a, c in zip([0, *low], polynomial, strict=False)])
    return np.array(rows, dtype=np.int64)


def product(left: RootMatrix, right: RootMatrix) -> sympy.ImmutableMatrix:
    """Return left times right, exactly: entries are reduced polynomials in zeta, so rational ones are numbers.

    All d^2 entries are summed and reduced; nothing is assumed about the exponents. The scales in between must
    multiply to rational numbers.
    """
    inner = [a * b for a, b in zip(left.column, right.row, strict=True)]
    weights, denominator = _integers(inner)
    order, basis = left.order, power_basis(left.order)
    means = left.exponents.shape[2] * right.exponents.shape[2]
    bound = sum(abs(w) for w in weights) * means * int(np.abs(basis).max()) * order
    if bound >= _EXACT_IN_DOUBLES:
        raise OverflowError(f"the sums of {len(weights)} roots of unity of order {order} need more than 53 bits")
    tall = right.exponents.shape[1]
    weight = np.broadcast_to(
        np.array(weights, dtype=float)[None, :, None, None], (tall, len(weights), *_pair(left, right))
    )
    offset = (np.arange(tall) * order)[:, None, None, None]
    across = right.exponents.swapaxes(0, 1)[:, :, None, :]
    entries: dict[tuple[int, int], sympy.Expr] = {}
    for r, along in enumerate(left.exponents):
        powers = (along[None, :, :, None] + across) % order + offset
        # Whole numbers below 2^53 (bound above): the float sums and the matrix product are exact.
        counts = np.bincount(powers.ravel(), weight.ravel(), minlength=tall * order).reshape(tall, order)
        coefficients = counts @ basis.astype(float)
        for c in np.flatnonzero(coefficients.any(axis=1)):
            scale = left.row[r] * right.column[c] / (denominator * means)
            entries[r, int(c)] = scale * _element(coefficients[c])
    return sympy.ImmutableMatrix(sympy.SparseMatrix(left.exponents.shape[0], tall, entries))


def _pair(left: RootMatrix, right: RootMatrix) -> tuple[int, int]:
    return left.exponents.shape[2], right.exponents.shape[2]


def _element(coefficients: np.ndarray) -> sympy.Expr:
    """sum_p c_p zeta^p as an expression in the symbol zeta."""
    zeta = sympy.Symbol("zeta")
    return sympy.Add(*(int(c) * zeta**p for p, c in enumerate(coefficients) if c))


def _integers(values: list) -> tuple[list[int], int]:
    """Whole numbers and one denominator for rational values."""
    if not all(isinstance(value, sympy.Rational) for value in values):
        raise ValueError(f"the inner scales {values} are not rational")
    denominator = lcm(*(int(value.q) for value in values))
    return [int(value * denominator) for value in values], denominator


@check
def cyclotomic_product(lhs, rhs, left, right):
    """The entries of left times right minus rhs, in Q(zeta); ``lhs`` names the product."""
    return tuple((product(left, right) - rhs).todok().values()) or 0


@check
def convolution_rebuilt(lhs, rhs, S, U, depth, x):
    """The tensor sum_k (S x)_k u_k ⊗ .. ⊗ u_k (``depth`` factors) minus the claim; rhs lists its entries by s.

    This proves all d^L entries at once. First every column of U must be a character, u_k[j] = scale_k zeta^{j e_k}
    (or the mean of a character and its inverse): all d m exponents are compared. Then a product of characters is a
    character of the sum, zeta^{j_1 e} .. zeta^{j_L e} = zeta^{(j_1 + .. + j_L) e}, so the entry at (j_1, .., j_L) is
    T_s(x) with s = (j_1 + .. + j_L) mod d (for cosines: the mean of T_s(x) over the signs in s = ± j_1 ± .. ± j_L,
    and the same mean defines (P, .., P) o M(x)). So the tensors agree as soon as T_s(x) = x_s for the d values of s,
    which is checked with the entries of x free.
    """
    first = U.exponents[1 % U.order]
    characters = np.arange(U.order)[:, None, None] * first
    mismatch = (U.exponents - characters) % U.order
    scaled = [r - 1 for r in U.row if r != 1]
    if mismatch.any() or scaled:
        return (*(int(entry) for entry in mismatch[mismatch.nonzero()]), *scaled)
    joined = replace(U, row=tuple(r**depth for r in U.row), column=tuple(c**depth for c in U.column))
    left = [sympy.Integer(0)] * U.order
    for (s, i), value in product(joined, S).todok().items():
        left[s] += value * x[i]
    return tuple(entry for entry in (sympy.expand(a - b) for a, b in zip(left, rhs, strict=True)) if entry != 0) or 0

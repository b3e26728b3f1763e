"""The real decomposition of the full-length convolution on even data: cosines.

A vector x in R^d is even when x_i = x_{d-i} (counted from 0, modulo d). With m = floor(d/2) + 1 frequencies and
mult_k = 1 for k = 0 and k = d/2, 2 otherwise,

    U_{ik} = sqrt(mult_k / d) cos(2 pi i k / d) for every layer,   S_{ki} = (d / mult_k)^{(L-2)/2} cos(2 pi i k / d).

For even x, (P, .., P) o M(x) = sum_k (S x)_k u_k ⊗ .. ⊗ u_k with P the projector on even vectors: f is exact for even
blocks.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import sympy

from symbias import symbols
from symbias.decompositions.base import OrthogonalDecomposition, numbers, rebuilt_entry
from symbias.decompositions.cyclotomic import RootMatrix, cosines
from symbias.errors import BadInput, NotDecomposable
from symbias.proof import Step


@dataclass(frozen=True, eq=False, repr=False)
class EvenDecomposition(OrthogonalDecomposition):
    """The full-length convolution restricted to even data and even blocks: m = floor(d/2) + 1 real terms."""

    kind: ClassVar[str] = "even"
    latex_S: ClassVar[str] = r"\left( (d/\mu_k)^{(L-2)/2} \cos(2\pi i k/d) \right)_{k,i}"
    latex_U: ClassVar[str] = r"\left( \sqrt{\mu_k/d} \, \cos(2\pi i k/d) \right)_{i,k}"

    @property
    def terms(self) -> int:
        return self.dim // 2 + 1

    @property
    def multiplicity(self) -> np.ndarray:
        """mult_k: 1 for k = 0 and k = d/2, 2 otherwise; whole numbers that sum to d."""
        return np.array([1 if 2 * k % self.dim == 0 else 2 for k in range(self.terms)])

    @cached_property
    def roots(self) -> tuple[RootMatrix, RootMatrix]:
        """S and U_l (the same for every layer) as matrices of cosines."""
        d, one = self.dim, sympy.Integer(1)
        shares = [sympy.Rational(int(mult), d) for mult in self.multiplicity]
        table = np.outer(np.arange(self.terms), np.arange(d))
        S = cosines(d, table, tuple(1 / sympy.sqrt(share) ** (self.depth - 2) for share in shares), (one,) * d)
        return S, cosines(d, table.T, (one,) * d, tuple(sympy.sqrt(share) for share in shares))

    @cached_property
    def S(self) -> sympy.Matrix:
        return self.roots[0].matrix()

    @cached_property
    def U(self) -> tuple[sympy.Matrix, ...]:
        return (self.roots[1].matrix(),) * self.depth

    def apply(self, x, ctx=None):
        return self._cosine_sums(x, ctx) * self._weights(ctx) ** (self.depth - 2)

    def adjoint(self, rho, ctx=None):
        return self._cosine_series(numbers(rho, ctx) * self._weights(ctx) ** (self.depth - 2), ctx)

    def transform(self, v, layer, ctx=None):
        return self._cosine_sums(v, ctx) / self._weights(ctx)

    def block(self, eta, layer, ctx=None):
        return self._cosine_series(numbers(eta, ctx) / self._weights(ctx), ctx)

    def _weights(self, ctx) -> np.ndarray:
        """sqrt(d / mult_k)."""
        if ctx is None:
            return np.sqrt(self.dim / self.multiplicity)
        return np.array([ctx.sqrt(ctx.mpf(self.dim) / int(mult)) for mult in self.multiplicity], dtype=object)

    def _cosine_sums(self, x, ctx) -> np.ndarray:
        """sum_i cos(2 pi i k / d) x_i for every k."""
        if ctx is None:
            return np.fft.rfft(numbers(x)).real
        return numbers(x, ctx) @ cosine_table(self.dim, ctx)[:, : self.terms]

    def _cosine_series(self, c, ctx) -> np.ndarray:
        """sum_k cos(2 pi i k / d) c_k for every i."""
        if ctx is None:
            # irfft counts each conjugate pair of frequencies twice and divides by d.
            return np.fft.irfft(c * self.dim / self.multiplicity, self.dim)
        return c @ cosine_table(self.dim, ctx)[: self.terms, :]

    def prove(self):
        S, U = self.roots
        return prove_even(S, U, self.depth)


def even(dim: int, depth: int) -> EvenDecomposition:
    """Return the real decomposition for even data."""
    return EvenDecomposition(dim, depth)


def prove_even(S: RootMatrix, U: RootMatrix, depth: int) -> tuple[Step, ...]:
    """Prove the real decomposition of the convolution for all even x, in Q(zeta_d)."""
    d, m = U.exponents.shape[:2]
    S_, U_ = sympy.MatrixSymbol("S", m, d), sympy.MatrixSymbol("U_l", d, m)
    half = symbols.vector("x", m)
    x = sympy.Tuple(*(half[min(i, d - i)] for i in range(d)))
    return (
        Step(
            "The columns of U_l are orthonormal",
            sympy.MatMul(U_.T, U_),
            sympy.eye(m).as_immutable(),
            "sums of d-th roots of unity, reduced modulo the cyclotomic polynomial",
            "cyclotomic_product",
            {"left": U.T, "right": U},
        ),
        Step(
            "S has full rank on the even vectors",
            sympy.MatMul(S_, U_),
            sympy.diag(*(1 / share ** (depth - 1) for share in U.column)).as_immutable(),
            "the columns of U_l span the even vectors, and S U_l = diag((d/mult_k)^((L-1)/2)) is invertible",
            "cyclotomic_product",
            {"left": S, "right": U},
        ),
        Step(
            "The terms add up to (P, .., P) o M(x) for even x: T_s(x) = x_s, averaged over s = ± j_1 ± .. ± j_L mod d",
            rebuilt_entry(m, depth),
            sympy.ImmutableMatrix(x),
            "cosines are means of a character and its inverse, and so is the projector P on even vectors",
            "convolution_rebuilt",
            {"S": S, "U": U, "depth": depth, "x": x},
        ),
    )


def cosine_table(dim: int, ctx) -> np.ndarray:
    """Return the matrix cos(2 pi i k / dim) in the mpmath context ``ctx``."""
    values = np.array([ctx.cospi(ctx.mpf(2 * power) / dim) for power in range(dim)], dtype=object)
    return values[np.outer(np.arange(dim), np.arange(dim)) % dim]


def require_even(X: np.ndarray, what: str = "row") -> None:
    """Raise NotDecomposable, naming the row and the entry, unless every row of X is even."""
    dim = X.shape[-1]
    for row, x in enumerate(X):
        for i in range(1, dim // 2 + 1):
            if x[i] != x[dim - i]:
                raise NotDecomposable(
                    f"{what} {row} is not even: its entries {i} and {dim - i} (counted from 0) are {x[i]} and "
                    f"{x[dim - i]}, which must be equal; mirror the data, or decompose with symmetry=None, over C",
                    identity="x_i = x_{d-i}",
                    entry=(row, i),
                )


def spectrum_to_coordinates(eta: np.ndarray, dim: int) -> np.ndarray:
    """Return the m coordinates sqrt(mult_k) (F v)_k, given one number, these coordinates, or all d values (F v)_k.

    Raises
    ------
    BadInput
        A length that is none of these, or a spectrum that is not even (the first entry is named).
    """
    terms = dim // 2 + 1
    if eta.ndim == 0:
        return np.full(terms, eta[()], dtype=eta.dtype)
    if eta.shape == (terms,):
        return eta
    if eta.shape != (dim,):
        raise BadInput(
            f"eta has shape {eta.shape}: give one number, the {terms} coordinates sqrt(mult_k) (F v)_k, "
            f"or all {dim} values (F v)_k"
        )
    for k in range(1, terms):
        if eta[k] != eta[dim - k]:
            raise BadInput(
                f"eta is not even: eta[{k}] = {eta[k]} and eta[{dim - k}] = {eta[dim - k]} must be equal (even blocks)"
            )
    root = sympy.sqrt(2) if eta.dtype == object else np.sqrt(2)
    return np.array([eta[k] * (1 if 2 * k % dim == 0 else root) for k in range(terms)], dtype=eta.dtype)

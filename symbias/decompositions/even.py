"""The real decomposition of the full-length convolution on even data: cosines.

A vector x in R^d is even when x_i = x_{d-i} (counted from 0, modulo d). With m = floor(d/2) + 1 frequencies and mult_k = 1 for
k = 0 and k = d/2, 2 otherwise,

    U_{ik} = sqrt(mult_k / d) cos(2 pi i k / d) for every layer,   S_{ki} = (d / mult_k)^{(L-2)/2} cos(2 pi i k / d).

For even x, (P, .., P) o M(x) = sum_k (S x)_k u_k ⊗ .. ⊗ u_k with P the projector on even vectors: f is exact for even blocks.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import sympy

from symbias.decompositions.base import OrthogonalDecomposition, numbers
from symbias.errors import BadInput, NotDecomposable


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
    def S(self) -> sympy.Matrix:
        scale = [sympy.sqrt(sympy.Rational(self.dim, int(mult))) ** (self.depth - 2) for mult in self.multiplicity]
        return sympy.ImmutableMatrix(self.terms, self.dim, lambda k, i: scale[k] * self._cosine(i * k))

    @cached_property
    def U(self) -> tuple[sympy.Matrix, ...]:
        scale = [sympy.sqrt(sympy.Rational(int(mult), self.dim)) for mult in self.multiplicity]
        U = sympy.ImmutableMatrix(self.dim, self.terms, lambda i, k: scale[k] * self._cosine(i * k))
        return (U,) * self.depth

    def _cosine(self, power: int) -> sympy.Expr:
        return sympy.cos(2 * sympy.pi * (power % self.dim) / self.dim)

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
        return numbers(x, ctx) @ cosines(self.dim, ctx)[:, : self.terms]

    def _cosine_series(self, c, ctx) -> np.ndarray:
        """sum_k cos(2 pi i k / d) c_k for every i."""
        if ctx is None:
            # irfft counts each conjugate pair of frequencies twice and divides by d.
            return np.fft.irfft(c * self.dim / self.multiplicity, self.dim)
        return c @ cosines(self.dim, ctx)[: self.terms, :]

    def prove(self):
        raise NotImplementedError


def even(dim: int, depth: int) -> EvenDecomposition:
    """Return the real decomposition for even data."""
    return EvenDecomposition(dim, depth)


def cosines(dim: int, ctx) -> np.ndarray:
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
                    f"{what} {row} is not even: its entry {i} is {x[i]} and its entry {dim - i} is {x[dim - i]} (counted from 0), "
                    f"which must be equal; mirror the data, or use symmetry=None",
                    identity="x_i = x_{d-i}",
                    entry=(row, i),
                )


def spectrum_to_coordinates(eta: np.ndarray, dim: int) -> np.ndarray:
    """Return the m coordinates sqrt(mult_k) (F v)_k from one number, from these coordinates, or from all d values (F v)_k.

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
            f"eta has shape {eta.shape}: give one number, the {terms} coordinates sqrt(mult_k) (F v)_k, or all {dim} values (F v)_k"
        )
    for k in range(1, terms):
        if eta[k] != eta[dim - k]:
            raise BadInput(
                f"eta is not even: eta[{k}] = {eta[k]} and eta[{dim - k}] = {eta[dim - k]} must be equal for an even block"
            )
    root = sympy.sqrt(2) if eta.dtype == object else np.sqrt(2)
    return np.array([eta[k] * (1 if 2 * k % dim == 0 else root) for k in range(terms)], dtype=eta.dtype)

"""The Fourier decomposition of the full-length convolution: S = d^{(L-1)/2} F, U_l = F^*."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import sympy

from symbias.decompositions.base import OrthogonalDecomposition, numbers


@dataclass(frozen=True, eq=False, repr=False)
class FourierDecomposition(OrthogonalDecomposition):
    """M(x)[j_1, .., j_L] = x_{(j_1 + .. + j_L) mod d} with S = d^{(L-1)/2} F and U_l = F^*.

    F_{jk} = exp(-2 pi i j k / d) / sqrt(d), counted from 0, is the unitary DFT matrix; F^* is its conjugate and inverse.
    """

    kind: ClassVar[str] = "fourier"
    is_real: ClassVar[bool] = False
    latex_S: ClassVar[str] = "d^{(L-1)/2} F"
    latex_U: ClassVar[str] = "F^*"

    @property
    def terms(self) -> int:
        return self.dim

    @cached_property
    def S(self) -> sympy.Matrix:
        scale = sympy.sqrt(self.dim) ** (self.depth - 2)
        return sympy.ImmutableMatrix(self.dim, self.dim, lambda k, i: scale * self._root(-i * k))

    @cached_property
    def U(self) -> tuple[sympy.Matrix, ...]:
        U = sympy.ImmutableMatrix(self.dim, self.dim, lambda j, k: self._root(j * k) / sympy.sqrt(self.dim))
        return (U,) * self.depth

    def _root(self, power: int) -> sympy.Expr:
        """exp(2 pi i power / d)."""
        return sympy.exp(2 * sympy.pi * sympy.I * (power % self.dim) / self.dim)

    def apply(self, x, ctx=None):
        if ctx is None:
            return np.fft.fft(numbers(x)) * np.sqrt(self.dim) ** (self.depth - 2)
        return numbers(x, ctx) @ dft(self.dim, -1, ctx) * ctx.sqrt(self.dim) ** (self.depth - 2)

    def adjoint(self, rho, ctx=None):
        """S^T rho = S rho: complex, and real up to rounding when rho has the symmetry of a real beta."""
        return self.apply(rho, ctx)

    def transform(self, v, layer, ctx=None):
        if ctx is None:
            return np.fft.ifft(numbers(v)) * np.sqrt(self.dim)
        return numbers(v, ctx) @ dft(self.dim, 1, ctx) / ctx.sqrt(self.dim)

    def block(self, eta, layer, ctx=None):
        """conj(U_l) eta = F eta: real up to rounding when eta has the symmetry of a real block."""
        if ctx is None:
            return np.fft.fft(numbers(eta)) / np.sqrt(self.dim)
        return numbers(eta, ctx) @ dft(self.dim, -1, ctx) / ctx.sqrt(self.dim)

    def prove(self):
        raise NotImplementedError


def dft(dim: int, sign: int, ctx) -> np.ndarray:
    """Return the matrix exp(sign 2 pi i j k / dim) in the mpmath context ``ctx``."""
    roots = np.array([ctx.expjpi(ctx.mpf(2 * sign * power) / dim) for power in range(dim)], dtype=object)
    return roots[np.outer(np.arange(dim), np.arange(dim)) % dim]


def fourier(dim: int, depth: int) -> FourierDecomposition:
    """Return the decomposition of the full-length convolution."""
    return FourierDecomposition(dim, depth)

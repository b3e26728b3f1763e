"""The Fourier decomposition of the full-length convolution: S = d^{(L-1)/2} F, U_l = F^*."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import sympy

from symbias import symbols
from symbias.decompositions.base import OrthogonalDecomposition, numbers, rebuilt_entry
from symbias.decompositions.cyclotomic import RootMatrix, roots
from symbias.proof import Step


@dataclass(frozen=True, eq=False, repr=False)
class FourierDecomposition(OrthogonalDecomposition):
    """M(x)[j_1, .., j_L] = x_{(j_1 + .. + j_L) mod d} with S = d^{(L-1)/2} F and U_l = F^*.

    F_{jk} = exp(-2 pi i j k / d) / sqrt(d), counted from 0, is the unitary DFT matrix; F^* is its conjugate and its
    inverse.
    """

    kind: ClassVar[str] = "fourier"
    is_real: ClassVar[bool] = False
    latex_S: ClassVar[str] = "d^{(L-1)/2} F"
    latex_U: ClassVar[str] = "F^*"

    @property
    def terms(self) -> int:
        return self.dim

    @cached_property
    def roots(self) -> tuple[RootMatrix, RootMatrix]:
        """S and U_l (the same for every layer) as matrices of roots of unity."""
        d, table, ones = self.dim, np.outer(np.arange(self.dim), np.arange(self.dim)), (sympy.Integer(1),) * self.dim
        S = roots(d, -table, (sympy.sqrt(d) ** (self.depth - 2),) * d, ones)
        return S, roots(d, table, ones, (1 / sympy.sqrt(d),) * d)

    @cached_property
    def S(self) -> sympy.Matrix:
        return self.roots[0].matrix()

    @cached_property
    def U(self) -> tuple[sympy.Matrix, ...]:
        return (self.roots[1].matrix(),) * self.depth

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
        S, U = self.roots
        return prove_fourier(S, U, self.depth)


def prove_fourier(S: RootMatrix, U: RootMatrix, depth: int) -> tuple[Step, ...]:
    """Prove Assumption 1 for the full-length convolution of U.order inputs and ``depth`` layers, in Q(zeta_d)."""
    d, identity = U.order, sympy.eye(U.order).as_immutable()
    S_, U_ = sympy.MatrixSymbol("S", d, d), sympy.MatrixSymbol("U_l", d, d)
    x = sympy.Tuple(*symbols.vector("x", d))
    return (
        Step(
            "The columns of U_l are orthonormal",
            sympy.MatMul(sympy.Adjoint(U_), U_),
            identity,
            "sums of d-th roots of unity, reduced modulo the cyclotomic polynomial",
            "cyclotomic_product",
            {"left": U.H, "right": U},
        ),
        Step(
            "S has full column rank",
            sympy.MatMul(sympy.Adjoint(S_), S_),
            sympy.Integer(d) ** (depth - 1) * identity,
            "a matrix with S^H S = d^(L-1) I has independent columns",
            "cyclotomic_product",
            {"left": S.H, "right": S},
        ),
        Step(
            "The terms add up to M(x): the entry at (j_1, .., j_L) is x_s, s = (j_1 + .. + j_L) mod d",
            rebuilt_entry(d, depth),
            sympy.ImmutableMatrix(x),
            "a product of characters is the character of the sum, and the characters of Z_d are orthogonal",
            "convolution_rebuilt",
            {"S": S, "U": U, "depth": depth, "x": x},
        ),
    )


def dft(dim: int, sign: int, ctx) -> np.ndarray:
    """Return the matrix exp(sign 2 pi i j k / dim) in the mpmath context ``ctx``."""
    roots = np.array([ctx.expjpi(ctx.mpf(2 * sign * power) / dim) for power in range(dim)], dtype=object)
    return roots[np.outer(np.arange(dim), np.arange(dim)) % dim]


def fourier(dim: int, depth: int) -> FourierDecomposition:
    """Return the decomposition of the full-length convolution."""
    return FourierDecomposition(dim, depth)

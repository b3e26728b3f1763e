"""The decomposition of the diagonal network: S = U_l = I."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import sympy

from symbias.decompositions.base import OrthogonalDecomposition, numbers


@dataclass(frozen=True, eq=False, repr=False)
class DiagonalDecomposition(OrthogonalDecomposition):
    """M(x) = sum_j x_j e_j ⊗ .. ⊗ e_j: S = U_l = I."""

    kind: ClassVar[str] = "diagonal"
    latex_S: ClassVar[str] = "I"
    latex_U: ClassVar[str] = "I"

    @property
    def terms(self) -> int:
        return self.dim

    @cached_property
    def S(self) -> sympy.Matrix:
        return sympy.eye(self.dim).as_immutable()

    @cached_property
    def U(self) -> tuple[sympy.Matrix, ...]:
        return (sympy.eye(self.dim).as_immutable(),) * self.depth

    def apply(self, x, ctx=None):
        return numbers(x, ctx)

    def adjoint(self, rho, ctx=None):
        return numbers(rho, ctx)

    def transform(self, v, layer, ctx=None):
        return numbers(v, ctx)

    def block(self, eta, layer, ctx=None):
        return numbers(eta, ctx)

    def prove(self):
        raise NotImplementedError


def diagonal(dim: int, depth: int) -> DiagonalDecomposition:
    """Return the decomposition of the diagonal network."""
    return DiagonalDecomposition(dim, depth)

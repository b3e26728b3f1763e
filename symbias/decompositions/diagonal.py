"""The decomposition of the diagonal network: S = U_l = I."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import sympy

from symbias import symbols
from symbias.decompositions.base import OrthogonalDecomposition, numbers
from symbias.proof import Step, check


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
        return (self.S,) * self.depth

    def apply(self, x, ctx=None):
        return numbers(x, ctx)

    def adjoint(self, rho, ctx=None):
        return numbers(rho, ctx)

    def transform(self, v, layer, ctx=None):
        return numbers(v, ctx)

    def block(self, eta, layer, ctx=None):
        return numbers(eta, ctx)

    def prove(self):
        return prove_diagonal(self.S, self.U)


@check
def entrywise(lhs, rhs):
    """Matrices of exact numbers: the entries of lhs - rhs that are not zero."""
    return tuple((lhs - rhs).todok().values()) or 0


def prove_diagonal(S: sympy.Matrix, U: tuple[sympy.Matrix, ...]) -> tuple[Step, ...]:
    """Prove Assumption 1 for the diagonal network: two tensors are equal when their multilinear forms are."""
    d, identity = S.rows, sympy.eye(S.rows).as_immutable()
    x = sympy.ImmutableMatrix(symbols.vector("x", d))
    blocks = [sympy.ImmutableMatrix(symbols.vector(f"v_{layer}", d)) for layer in range(1, len(U) + 1)]
    factors = [S * x, *(matrix.T * v for matrix, v in zip(U, blocks, strict=True))]
    return (
        *(
            Step(f"The columns of U_{layer} are orthonormal", matrix.T * matrix, identity, "unit vectors", "entrywise")
            for layer, matrix in enumerate(U, start=1)
        ),
        Step("S has full column rank", S.T * S, identity, "S^T is a left inverse of S", "entrywise"),
        Step(
            "The terms add up to M(x): both multilinear forms are f(x; Theta)",
            sympy.Add(*(sympy.Mul(*term) for term in zip(*factors, strict=True))),
            sympy.Add(*(sympy.Mul(*term) for term in zip(x, *blocks, strict=True))),
            "M(x) has x_j at (j, .., j) and zeros elsewhere",
            "polynomial_identity",
        ),
    )


def diagonal(dim: int, depth: int) -> DiagonalDecomposition:
    """Return the decomposition of the diagonal network."""
    return DiagonalDecomposition(dim, depth)

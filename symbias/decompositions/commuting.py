"""Commuting symmetric matrices: the diagonal network in their common eigenbasis.

With orthonormal common eigenvectors v_j and E_j = v_j v_j^T, every sample is A = sum_j a_j E_j. Blocks that are
diagonal in the same basis, W_l = sum_j eta_{l,j} E_j, stay so along the flow, and <A, W_1 .. W_L> = sum_j a_j
eta_{1,j} .. eta_{L,j}: U_l has the columns vec(E_j), and (S A)_j = <E_j, A>.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import sympy

from symbias import exact
from symbias.decompositions.base import OrthogonalDecomposition, numbers
from symbias.decompositions.eigenvectors import common_eigenvectors, rational_eigenvectors, require_commuting
from symbias.errors import BadInput
from symbias.proof import Step


@dataclass(frozen=True, eq=False, repr=False)
class CommutingDecomposition(OrthogonalDecomposition):
    """The common eigenbasis of the symmetric matrices ``X`` (n, d, d), which commute.

    Exact (``is_exact``) when all eigenvalues of a combination of rational matrices are rational; otherwise S, U and
    ``prove`` are refused, and the numeric operators find the basis in the precision asked for, with its residual
    checked.
    """

    X: Any
    kind: ClassVar[str] = "commuting"
    latex_S: ClassVar[str] = r"\left( \mathrm{vec}(v_j v_j^{\top})^{\top} \right)_j"
    latex_U: ClassVar[str] = r"\left( \mathrm{vec}(v_j v_j^{\top}) \right)_j"

    @property
    def terms(self) -> int:
        return self.dim

    @cached_property
    def directions(self) -> sympy.ImmutableMatrix | None:
        """Rational, orthogonal, not normalised common eigenvectors as columns; None when there are none."""
        return rational_eigenvectors(self.X)

    @property
    def is_exact(self) -> bool:
        """True when exact eigenvectors are known."""
        return self.directions is not None

    @cached_property
    def projectors(self) -> tuple[sympy.ImmutableMatrix, ...]:
        """E_j = v_j v_j^T, exactly.

        Raises
        ------
        BadInput
            When the common eigenvectors are not rational directions (or the samples are floats).
        """
        if self.directions is None:
            raise BadInput(
                "no exact common eigenvectors: the samples are floats or their eigenvalues are irrational; "
                "use the numeric operators apply, adjoint, transform and block"
            )
        columns = [self.directions[:, j] for j in range(self.dim)]
        return tuple(sympy.ImmutableMatrix(w * w.T / w.dot(w)) for w in columns)

    @cached_property
    def S(self) -> sympy.Matrix:
        return self.U[0].T

    @cached_property
    def U(self) -> tuple[sympy.Matrix, ...]:
        return (sympy.ImmutableMatrix.hstack(*(E.vec() for E in self.projectors)),) * self.depth

    @cached_property
    def _bases(self) -> dict:
        """What was found so far, by context."""
        return {}

    def vectors(self, ctx=None) -> np.ndarray:
        """The orthonormal common eigenvectors as columns, in float64 or in the mpmath context ``ctx``."""
        if ctx not in self._bases:
            self._bases[ctx] = self._find_vectors(ctx)
        return self._bases[ctx]

    def _find_vectors(self, ctx) -> np.ndarray:
        if self.directions is None:
            return common_eigenvectors(numbers(self.X, ctx), ctx)
        columns = numbers(np.array(self.directions.tolist(), dtype=object), ctx)
        squares = (columns**2).sum(axis=0)
        return columns / (np.sqrt(squares) if ctx is None else np.array([ctx.sqrt(s) for s in squares], dtype=object))

    def apply(self, x, ctx=None):
        """S A: v_j^T A v_j for every j; x has shape (.., d, d)."""
        V = self.vectors(ctx)
        return ((numbers(x, ctx) @ V) * V).sum(axis=-2)

    def adjoint(self, rho, ctx=None):
        """S^T rho: the matrix V diag(rho) V^T."""
        V = self.vectors(ctx)
        return (V * numbers(rho, ctx)[..., None, :]) @ V.T

    def transform(self, v, layer, ctx=None):
        return self.apply(v, ctx)

    def block(self, eta, layer, ctx=None):
        return self.adjoint(eta, ctx)

    def prove(self):
        return prove_commuting(self.projectors, [sympy.ImmutableMatrix(A.tolist()) for A in self.X])


def prove_commuting(projectors: tuple, samples: list) -> tuple[Step, ...]:
    """Prove the decomposition for every A and all W_l in the span of the projectors E_j, by induction on the layers."""
    d = len(projectors)
    U = sympy.ImmutableMatrix.hstack(*(E.vec() for E in projectors))
    a = sympy.symbols(f"a_1:{d + 1}", real=True)
    b = sympy.symbols(f"b_1:{d + 1}", real=True)
    A, B, AB = (combination(projectors, c) for c in (a, b, [x * y for x, y in zip(a, b, strict=True)]))
    spectra = [[(E.T * X).trace() for E in projectors] for X in samples]
    return (
        Step(
            "The columns of U_l are orthonormal", U.T * U, sympy.eye(d).as_immutable(), "they are vec(E_j)", "entrywise"
        ),
        Step(
            "Every sample is diagonal in the basis: A_i = sum_j (S A_i)_j E_j",
            sympy.ImmutableMatrix.vstack(*(combination(projectors, values) for values in spectra)),
            sympy.ImmutableMatrix.vstack(*samples),
            "(S A)_j = <E_j, A> is the eigenvalue",
            "entrywise",
        ),
        Step(
            "Matrices diagonal in the basis multiply coordinate by coordinate",
            A * B,
            AB,
            "E_i E_j = 0 and E_j E_j = E_j, so W_1 .. W_L = sum_j eta_{1,j} .. eta_{L,j} E_j by induction",
            "polynomial_identity",
        ),
        Step(
            "The terms add up to f on these blocks: <A, W_1 .. W_L> = sum_j (S A)_j eta_{1,j} .. eta_{L,j}",
            (A.T * B).trace(),
            sympy.Add(*(x * y for x, y in zip(a, b, strict=True))),
            "W_1 .. W_L = sum_j b_j E_j with b_j = eta_{1,j} .. eta_{L,j}, and <E_i, E_j> = [i = j]",
            "polynomial_identity",
        ),
    )


def combination(projectors: tuple, coefficients) -> sympy.ImmutableMatrix:
    """sum_j coefficient_j E_j."""
    zero = sympy.zeros(projectors[0].rows)
    return sum((c * E for c, E in zip(coefficients, projectors, strict=True)), zero).as_immutable()


def commuting(X, depth: int) -> CommutingDecomposition:
    """Return the decomposition of deep matrix sensing in the common eigenbasis of X (n, d, d).

    Raises
    ------
    BadInput
        A sample that is not square or not symmetric (sample and entry are named).
    NotDecomposable
        Two samples that do not commute (the pair and an entry of the commutator are named).
    """
    X = exact.array(X, "X", ndim=3)
    if X.shape[1] != X.shape[2]:
        raise BadInput(f"the samples of matrix sensing must be square, not of shape {X.shape[1:]}")
    require_commuting(X)
    return CommutingDecomposition(X.shape[1], depth, X)

"""Depth 2 and one sample: the singular value decomposition M(x) = U_1 diag(s) U_2^T.

It decomposes this one matrix, not M for all x: there is no S, and beta comes from the blocks.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from symbias.decompositions.base import numbers
from symbias.errors import BadInput
from symbias.verdict import Residual, Result, require


@dataclass(frozen=True, eq=False, repr=False)
class SingularDecomposition(Result, ABC):
    """M(x) = U_1 diag(s) U_2^T with s_1 >= s_2 >= .. > 0: only the nonzero singular values are kept.

    Singular vectors of equal singular values are fixed only up to a rotation: ``groups`` says which belong together.
    The operators take arrays of the shapes of the blocks; ``layer`` is 0 or 1; ``ctx`` as for OrthogonalDecomposition.
    """

    kind: ClassVar[str] = "svd"
    is_real: ClassVar[bool] = True
    depth: ClassVar[int] = 2

    @abstractmethod
    def singular_values(self, ctx=None) -> np.ndarray:
        """s, in decreasing order."""

    @abstractmethod
    def transform(self, v, layer: int, ctx=None) -> np.ndarray:
        """Return eta = U_l^T v for one block."""

    @abstractmethod
    def block(self, eta, layer: int, ctx=None) -> np.ndarray:
        """Return U_l eta in the shape of the block."""

    @property
    def terms(self) -> int:
        """The rank of M(x)."""
        return len(self.singular_values())

    def groups(self, ctx=None) -> tuple[tuple[int, ...], ...]:
        """The indices of equal singular values, largest first."""
        s = self.singular_values(ctx)
        near = _slack(len(s), ctx) * s[0]
        found: list[list[int]] = []
        for j, value in enumerate(s):
            if found and abs(s[found[-1][-1]] - value) <= near:
                found[-1].append(j)
            else:
                found.append([j])
        return tuple(map(tuple, found))

    def to_latex(self) -> str:
        return r"M(x) &= U_1 \, \mathrm{diag}(s) \, U_2^{\top}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}(terms={self.terms})"


@dataclass(frozen=True, eq=False, repr=False)
class MatrixSVD(SingularDecomposition):
    """The decomposition of a matrix of float, exact or mpf entries; ``shapes`` are those of the two blocks."""

    matrix: Any
    shapes: tuple[tuple[int, ...], ...]

    @cached_property
    def _factors(self) -> dict:
        """What was found so far, by context."""
        return {}

    def factors(self, ctx=None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """U_1, s, U_2.

        Raises
        ------
        NotConverged
            When the factors do not rebuild the matrix, or are not orthonormal, within the precision.
        """
        if ctx not in self._factors:
            self._factors[ctx] = factorise(numbers(self.matrix, ctx), ctx)
        return self._factors[ctx]

    def singular_values(self, ctx=None):
        return self.factors(ctx)[1]

    def transform(self, v, layer, ctx=None):
        return numbers(v, ctx).ravel(order="F") @ self.factors(ctx)[2 * layer]

    def block(self, eta, layer, ctx=None):
        v = self.factors(ctx)[2 * layer] @ numbers(eta, ctx)
        return v.reshape(self.shapes[layer], order="F")


@dataclass(frozen=True, eq=False, repr=False)
class FullyConnectedSVD(SingularDecomposition):
    """The fully connected network of depth 2, with blocks W (d x width) and w.

    M(x) holds x ``width`` times, on a diagonal, so s_j = |x| for every j, U_1 eta = x eta^T / |x| and U_2 = I; nothing
    of size d * width^2 is formed.
    """

    x: Any
    width: int

    def singular_values(self, ctx=None):
        return np.full(self.width, self._unit(ctx)[0], dtype=float if ctx is None else object)

    def transform(self, v, layer, ctx=None):
        return numbers(v, ctx) if layer else numbers(v, ctx).T @ self._unit(ctx)[1]

    def block(self, eta, layer, ctx=None):
        return numbers(eta, ctx) if layer else np.outer(self._unit(ctx)[1], numbers(eta, ctx))

    def _unit(self, ctx) -> tuple[Any, np.ndarray]:
        """|x| and x / |x|."""
        x = numbers(self.x, ctx)
        scale = np.abs(x).max()
        if not scale:
            raise BadInput("the sample is zero: M(0) = 0 has no singular vectors")
        square = ((x / scale) ** 2).sum()
        norm = scale * (np.sqrt(square) if ctx is None else ctx.sqrt(square))
        return norm, x / norm


def factorise(matrix: np.ndarray, ctx) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return U_1, s, U_2 of the nonzero singular values, after checking that they rebuild the matrix."""
    if ctx is None:
        left, s, right = np.linalg.svd(matrix, full_matrices=False)
    else:
        found = ctx.svd_r(ctx.matrix(matrix.tolist()))
        left, s, right = (np.array(part.tolist(), dtype=object) for part in found)
        s = s.ravel()
    slack = _slack(max(matrix.shape), ctx)
    rank = sum(bool(value > slack * s[0]) for value in s)
    if not rank:
        raise BadInput("the sample is zero: M(0) = 0 has no singular vectors")
    left, s, right = left[:, :rank], s[:rank], right[:rank].T
    identity = np.eye(rank, dtype=int)
    figures = {
        "rebuilt matrix": np.abs((left * s) @ right.T - matrix).max() / s[0],
        "orthonormal U_1": np.abs(left.T @ left - identity).max(),
        "orthonormal U_2": np.abs(right.T @ right - identity).max(),
    }
    require([Residual(name, float(value), float(slack)) for name, value in figures.items()], "the singular values")
    return left, s, right


def _slack(size: int, ctx):
    """Rounding in a decomposition of that size: 64 size eps, or size times 10^3 units of the last digit of ``ctx``."""
    return 64 * size * np.finfo(float).eps if ctx is None else size * ctx.mpf(10) ** (3 - ctx.dps)

"""Deep matrix sensing: f(A) = <A, W_1 ... W_L> for symmetric matrices A."""

from dataclasses import dataclass
from itertools import product as tuples
from typing import ClassVar

import numpy as np

from symbias.decompositions.commuting import commuting
from symbias.decompositions.structured_svd import SensingSVD
from symbias.dynamics.flow import transformed_flow
from symbias.dynamics.invariants import balanced_matrices
from symbias.errors import BadInput
from symbias.networks.base import Network
from symbias.networks.doors import no_floats, no_symmetry
from symbias.numeric.products import MatrixProduct, Product


@dataclass(frozen=True, repr=False)
class MatrixSensing(Network):
    """f(A; Theta) = <A, W_1 ... W_L> = tr(A^T W_1 ... W_L) with A and every W_l in R^{d x d}.

    With symmetric samples that commute, and every W_l(0) diagonal in their common eigenbasis, this is a diagonal
    network on the eigenvalues of A.

    Parameters
    ----------
    dim : int >= 1
        d, the size of the matrices; X has shape (n, d, d).
    depth : int >= 2
        L, the number of factors.

    Raises
    ------
    BadInput
        dim or depth that is not a whole number in its range.

    Source
    ------
    arXiv:2010.02501v3, section 3 and Corollary 7 (arXiv:1905.13655 for the model).

    Examples
    --------
    >>> import symbias as sb
    >>> sb.MatrixSensing(dim=2, depth=2).forward([[1, 0], [0, 2]], [[[1, 0], [0, 3]], [[1, 0], [0, 1]]])
    7
    """

    name: ClassVar[str] = "matrix_sensing"
    formula: ClassVar[str] = r"\langle A, W_1 \cdots W_L \rangle"

    @property
    def input_shape(self) -> tuple[int, ...]:
        return (self.dim, self.dim)

    @property
    def block_shapes(self) -> tuple[tuple[int, ...], ...]:
        return ((self.dim, self.dim),) * self.depth

    @property
    def product(self) -> Product:
        return MatrixProduct()

    def forward(self, x, blocks):
        hidden = np.swapaxes(self._samples(x), -1, -2)
        for W in self.as_blocks(blocks):
            hidden = hidden @ W
        return np.trace(hidden, axis1=-2, axis2=-1)

    def places(self):
        """For each cycle i_1, j_1 = i_2, .., j_L: the entry A[i_1, j_L] with W_1[i_1, i_2] .. W_L[i_L, j_L]."""
        for path in tuples(range(self.dim), repeat=self.depth + 1):
            # vec by columns: entry (i, j) of W_l is entry i + d j of v_l.
            yield tuple(i + self.dim * j for i, j in zip(path, path[1:], strict=False)), self.dim * path[0] + path[-1]

    def invariants(self):
        return balanced_matrices(self.block_shapes, self.input_shape)

    def decompose(self, X=None, symmetry=None):
        """The common eigenvectors of the symmetric matrices X, which must commute."""
        no_floats(X, "decompose")
        no_symmetry(symmetry, self.name)
        if X is None:
            raise BadInput("matrix sensing is decomposed in the common eigenbasis of its samples: call decompose(X)")
        return commuting(X, self.depth)

    def eta_flow(self, task="regression", symmetry=None):
        """In the common eigenbasis, for blocks that are diagonal in it; s_j are the eigenvalues of A."""
        no_symmetry(symmetry, self.name)
        return transformed_flow(task, self.depth, self.dim)

    def singular_decomposition(self, x):
        if self.depth != 2:
            return super().singular_decomposition(x)
        return SensingSVD(self._sample(x))

    def theorem_5_directions(self, eta, spectral):
        """W̄_l = eta I for l < L and W̄_L = 0: one number, the same in every eigenbasis."""
        if eta.ndim:
            raise BadInput(f"matrix sensing takes one number for eta (W_l(0) = alpha eta I), not {eta.shape[0]}")
        identity = np.full((self.dim, self.dim), 0 * eta[()], dtype=eta.dtype)
        np.fill_diagonal(identity, eta[()])
        return [identity] * (self.depth - 1) + [np.zeros((self.dim, self.dim))]

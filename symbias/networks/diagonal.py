"""The diagonal network: f(x) = x^T (w_1 * ... * w_L), elementwise products."""

from dataclasses import dataclass
from math import prod
from typing import ClassVar

import numpy as np

from symbias.decompositions.diagonal import diagonal
from symbias.decompositions.structured_svd import DiagonalSVD
from symbias.dynamics.invariants import squared_coordinates
from symbias.networks.base import Network
from symbias.networks.doors import eta_vector, no_symmetry
from symbias.numeric.products import Hadamard, Product


@dataclass(frozen=True, repr=False)
class Diagonal(Network):
    """f(x; Theta) = x^T (w_1 * ... * w_L) with w_l in R^d; M(x) has x_j at (j, .., j) and zeros elsewhere.

    Parameters
    ----------
    dim : int >= 1
        d, the length of a sample and of every block.
    depth : int >= 2
        L, the number of layers.

    Raises
    ------
    BadInput
        dim below 1 or depth below 2 (for depth 1 use ``Linear``), or not whole numbers.

    Source
    ------
    arXiv:2010.02501v3, section 3.

    Examples
    --------
    >>> import symbias as sb
    >>> sb.Diagonal(dim=2, depth=3).coefficients([[1, 2], [3, 4], [5, 6]]).tolist()
    [15, 48]
    """

    name: ClassVar[str] = "diagonal"
    formula: ClassVar[str] = r"x^{\top} (w_1 \odot \cdots \odot w_L)"

    @property
    def block_shapes(self) -> tuple[tuple[int, ...], ...]:
        return ((self.dim,),) * self.depth

    @property
    def product(self) -> Product:
        return Hadamard()

    def forward(self, x, blocks):
        return (self._samples(x) * prod(self.as_blocks(blocks))).sum(axis=-1)

    def places(self):
        return (((j,) * self.depth, j) for j in range(self.dim))

    def decompose(self, X=None, symmetry=None):
        no_symmetry(symmetry, self.name)
        return diagonal(self.dim, self.depth)

    def invariants(self):
        return squared_coordinates(self.depth)

    def singular_decomposition(self, x):
        if self.depth != 2:
            return super().singular_decomposition(x)
        return DiagonalSVD(self._sample(x))

    def theorem_5_directions(self, eta, spectral):
        return [eta_vector(eta, self.dim, self.name)] * (self.depth - 1) + [np.zeros(self.dim)]

"""The fully connected linear network: f(x) = x^T W_1 ... W_{L-1} w_L."""

from dataclasses import dataclass
from itertools import product as tuples
from typing import ClassVar

import numpy as np

from symbias.decompositions.svd import FullyConnectedSVD
from symbias.dynamics.invariants import balanced_matrices
from symbias.errors import NotDecomposable
from symbias.networks.base import Network
from symbias.networks.doors import lengths, no_floats, no_symmetry
from symbias.numeric.products import MatrixProduct, Product


@dataclass(frozen=True, repr=False)
class FullyConnected(Network):
    """f(x; Theta) = x^T W_1 ... W_{L-1} w_L with W_l of shape (d_l, d_{l+1}), d_1 = d, and w_L in R^{d_L}.

    Parameters
    ----------
    dim : int >= 1
        d, the length of a sample.
    depth : int >= 2
        L, the number of layers.
    widths : tuple of L - 1 ints, optional
        The inner widths d_2, .., d_L; all d when left out.

    Raises
    ------
    BadInput
        dim, depth or a width that is not a whole number in its range.

    Notes
    -----
    The data tensor M(x)[(i_1 j_1), (i_2 j_2), .., i_L] = x_{i_1} [j_1 = i_2] .. [j_{L-1} = i_L] is nearly all zeros.
    It is made by ``data_tensor`` on request only; no computation needs it.

    Source
    ------
    arXiv:2010.02501v3, section 3.

    Examples
    --------
    >>> import symbias as sb
    >>> sb.FullyConnected(dim=2, depth=2).coefficients([[[1, 2], [3, 4]], [1, 1]]).tolist()
    [3, 7]
    """

    widths: tuple[int, ...] | None = None
    name: ClassVar[str] = "fully_connected"
    formula: ClassVar[str] = r"x^{\top} W_1 \cdots W_{L-1} w_L"

    def __post_init__(self):
        super().__post_init__()
        given = (self.dim,) * (self.depth - 1) if self.widths is None else self.widths
        object.__setattr__(self, "widths", lengths(given, "widths", self.depth - 1))

    @property
    def block_shapes(self) -> tuple[tuple[int, ...], ...]:
        sizes = (self.dim, *(self.widths or ()))
        return (*zip(sizes[:-1], sizes[1:], strict=True), (sizes[-1],))

    @property
    def product(self) -> Product:
        return MatrixProduct()

    def forward(self, x, blocks):
        hidden = self._samples(x)
        for W in self.as_blocks(blocks):
            hidden = hidden @ W
        return hidden

    def places(self):
        """For each path i_1, j_1 = i_2, .., j_{L-1} = i_L through the units of the layers."""
        for path in tuples(*(range(shape[0]) for shape in self.block_shapes)):
            # vec by columns: entry (i, j) of W_l is entry i + d_l j of v_l.
            hops = zip(path, path[1:], self.block_shapes, strict=False)
            yield (*(i + shape[0] * j for i, j, shape in hops), path[-1]), path[0]

    def invariants(self):
        return balanced_matrices(self.block_shapes, (self.dim,))

    def decompose(self, X=None, symmetry=None):
        """Depth 2 with one sample: the singular value decomposition of M(x). Nothing else is decomposable."""
        no_floats(X, "decompose")
        no_symmetry(symmetry, self.name)
        if self.depth > 2:
            raise self._ranks_differ()
        rows = None if X is None else np.atleast_2d(np.asarray(X))
        if rows is None or len(rows) != 1:
            given = "no sample" if rows is None else f"{len(rows)} samples"
            raise NotDecomposable(
                f"the fully connected network of depth 2 is decomposed for one sample (by its SVD), not for {given}: "
                "the matrices M(x) of two samples do not share singular vectors; call decompose(X) with one row",
                identity="M(x_1) = U_1 diag(S x_1) U_2^T and M(x_2) = U_1 diag(S x_2) U_2^T",
            )
        return self.singular_decomposition(rows[0])

    def singular_decomposition(self, x):
        if self.depth != 2:
            return super().singular_decomposition(x)
        return FullyConnectedSVD(self._sample(x), self.block_shapes[1][0])

    def _ranks_differ(self) -> NotDecomposable:
        """All flattenings of sum_j (S x)_j u_1j ⊗ .. ⊗ u_Lj have the rank of S x; those of M(x) have d_l d_{l+1}."""
        ends = (1, *(self.widths or ()), 1)
        ranks = [a * b for a, b in zip(ends, ends[1:], strict=False)]
        other = next((layer for layer, rank in enumerate(ranks) if rank != ranks[0]), None)
        if other is None:
            return NotDecomposable(
                "the fully connected network with all widths 1 has tensors M(x) of rank one, so m = 1 and S has full "
                "column rank only for dim = 1: use Diagonal(1, depth) for that",
                identity="m >= d",
            )
        return NotDecomposable(
            f"the fully connected network of depth {self.depth} is not orthogonally decomposable: the flattenings "
            f"of M(x) along block 1 and block {other + 1} have ranks {ranks[0]} and {ranks[other]}, "
            "and those of an orthogonal decomposition have equal ranks",
            identity="M(x) = sum_j (S x)_j u_1j ⊗ .. ⊗ u_Lj",
            entry=(1, other + 1),
        )

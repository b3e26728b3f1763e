"""The linear convolutional network: circular convolutions with filters w_1, .., w_{L-1}, then a full last layer w_L."""

from dataclasses import dataclass
from itertools import product as tuples
from typing import ClassVar

import numpy as np

from symbias.decompositions.even import even, require_even, spectrum_to_coordinates
from symbias.decompositions.fourier import fourier
from symbias.decompositions.structured_svd import CircularSVD
from symbias.dynamics.invariants import squared_coordinates
from symbias.errors import BadInput, NotDecomposable
from symbias.networks.base import Network
from symbias.networks.doors import lengths, no_floats
from symbias.numeric.products import Circular, Product


@dataclass(frozen=True, repr=False)
class Convolutional(Network):
    """f(x; Theta) = ((x ⋆ w_1) ⋆ ... ⋆ w_{L-1})^T w_L with (a ⋆ b)_i = sum_{j=1..k} a_{(i+j-1) mod d} b_j.

    M(x)[j_1, .., j_L] = x_{(j_1 + .. + j_L) mod d}, counted from 0.

    Parameters
    ----------
    dim : int >= 1
        d, the length of a sample.
    depth : int >= 2
        L, the number of layers.
    filters : tuple of L ints, optional
        The filter lengths k_1, .., k_L with k_l <= d and k_L = d; all d when left out.

    Raises
    ------
    BadInput
        dim, depth or a filter length that is not a whole number in its range.

    Source
    ------
    arXiv:2010.02501v3, section 3.

    Examples
    --------
    >>> import symbias as sb
    >>> sb.Convolutional(dim=3, depth=2).coefficients([[1, 2, 0], [1, 0, 0]]).tolist()
    [1, 2, 0]
    """

    filters: tuple[int, ...] | None = None
    name: ClassVar[str] = "convolutional"
    formula: ClassVar[str] = r"((x \star w_1) \star \cdots \star w_{L-1})^{\top} w_L"

    def __post_init__(self):
        super().__post_init__()
        full = (self.dim,) * self.depth
        filters = full if self.filters is None else lengths(self.filters, "filters", self.depth)
        for layer, k in enumerate(filters, start=1):
            if k > self.dim:
                raise BadInput(
                    f"filter {layer} has length {k}, above dim = {self.dim}: a longer filter only wraps around"
                )
        if filters[-1] != self.dim:
            raise BadInput(
                f"the last filter has length {filters[-1]}: it must be dim = {self.dim}, the last layer is full"
            )
        object.__setattr__(self, "filters", filters)

    @property
    def block_shapes(self) -> tuple[tuple[int, ...], ...]:
        return tuple((k,) for k in self.filters or ())

    @property
    def full(self) -> bool:
        """True when every filter has the length of the sample."""
        return self.filters == (self.dim,) * self.depth

    @property
    def product(self) -> Product:
        return Circular(self.dim)

    def forward(self, x, blocks):
        *filters, last = self.as_blocks(blocks)
        hidden = self._samples(x)
        for w in filters:
            hidden = star(hidden, w)
        return (hidden * last).sum(axis=-1)

    def places(self):
        return ((j, sum(j) % self.dim) for j in tuples(*(range(k) for (k,) in self.block_shapes)))

    def decompose(self, X=None, symmetry=None):
        """Full length: Fourier (complex), or with symmetry="even" the real cosines for even data (every row of X is
        checked).

        Short filters are decomposable only at depth 2 for one sample: its singular value decomposition.
        """
        no_floats(X, "decompose")
        if symmetry not in (None, "even"):
            raise BadInput(f"symmetry={symmetry!r}: the convolutional network knows None (Fourier) and 'even'")
        if not self.full:
            if symmetry is None and self.depth == 2 and X is not None and len(rows := np.atleast_2d(X)) == 1:
                return self.singular_decomposition(rows[0])
            raise self._too_short()
        if symmetry is None:
            return fourier(self.dim, self.depth)
        if X is not None:
            require_even(np.atleast_2d(np.asarray(X)))
        return even(self.dim, self.depth)

    def invariants(self):
        """The differences of |v_l|^2; for full-length filters those of every |(F v_l)_k|^2, which add up to them."""
        return squared_coordinates(self.depth, is_real=False) if self.full else super().invariants()

    def _too_short(self) -> NotDecomposable:
        layer, k = next((layer, k) for layer, (k,) in enumerate(self.block_shapes, start=1) if k < self.dim)
        return NotDecomposable(
            f"filter {layer} has length {k} < dim = {self.dim}: U_{layer}^H U_{layer} = I_m fails, since a {k} x m "
            f"matrix has at most {k} orthonormal columns and S needs m >= {self.dim} (not all diagonal entries up "
            f"to ({k}, {k}) can be 1); use filters of length {self.dim}, or depth 2 with one sample (decompose(X))",
            identity=f"U_{layer}^H U_{layer} = I_m with m >= d",
            entry=(k, k),
        )

    def singular_decomposition(self, x):
        if self.depth != 2 or not self.full:
            return super().singular_decomposition(x)
        return CircularSVD(self._sample(x))

    def real_decomposition(self, X):
        return self.decompose(X, symmetry="even")

    def theorem_5_directions(self, eta, spectral):
        """v̄_l even; eta holds the floor(d/2) + 1 real coordinates, or all d values of F v̄_l, which must be even."""
        decomposition = self.decompose(symmetry="even")
        eta = spectrum_to_coordinates(eta, self.dim)
        return [spectral(decomposition, layer, eta) for layer in range(self.depth - 1)] + [np.zeros(self.dim)]


def star(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return a ⋆ b along the last axis of a: (a ⋆ b)_i = sum_j a_{(i+j) mod d} b_j, counted from 0."""
    return sum(np.roll(a, -j, axis=-1) * b_j for j, b_j in enumerate(b))

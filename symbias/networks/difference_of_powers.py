"""The difference of powers of Woodworth et al. (2020): f(x) = x^T (w_+^L - w_-^L), elementwise."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from symbias import symbols
from symbias.dynamics.invariants import tied_powers
from symbias.errors import BadInput, NotDecomposable
from symbias.networks.base import Network
from symbias.numeric import tied_product
from symbias.numeric.products import Product


@dataclass(frozen=True, repr=False)
class DifferenceOfPowers(Network):
    """f(x; Theta) = x^T (w_+^L - w_-^L) with blocks w_+, w_- in R^d and elementwise powers.

    The weights are tied: f is not linear in either block, so there is no data tensor.

    Parameters
    ----------
    dim : int >= 1
        d, the length of a sample and of both blocks.
    depth : int >= 2
        L, the exponent.

    Raises
    ------
    BadInput
        dim or depth that is not a whole number in its range.

    Source
    ------
    Woodworth et al. (2020), section 4.

    Examples
    --------
    >>> import symbias as sb
    >>> sb.DifferenceOfPowers(dim=2, depth=3).coefficients([[2, 1], [1, 3]]).tolist()
    [7, -26]
    """

    name: ClassVar[str] = "difference_of_powers"
    formula: ClassVar[str] = r"x^{\top} (w_+^{\odot L} - w_-^{\odot L})"

    @property
    def source(self):
        return ("woodworth2020",)

    @property
    def block_shapes(self) -> tuple[tuple[int, ...], ...]:
        return ((self.dim,), (self.dim,))

    @property
    def product(self) -> Product:
        return tied_product.DifferenceOfPowers(self.depth)

    def forward(self, x, blocks):
        plus, minus = self.as_blocks(blocks)
        return (self._samples(x) * plus**self.depth).sum(axis=-1) - (self._samples(x) * minus**self.depth).sum(axis=-1)

    def places(self):
        raise BadInput(
            "the difference of powers has tied weights, f is not linear in its blocks: it has no data tensor; "
            "use coefficients(blocks), or Diagonal for untied weights"
        )

    def symbols(self) -> tuple[np.ndarray, ...]:
        return tuple(np.array(symbols.vector(name, self.dim), dtype=object) for name in ("w_+", "w_-"))

    def invariants(self):
        return tied_powers(self.depth)

    def decompose(self, X=None, symmetry=None):
        raise NotDecomposable(
            "the difference of powers has tied weights, so it has no data tensor to decompose",
            "f = M(x) o (v_1, .., v_L)",
        )

"""The plain linear model f(x) = x^T z: a network of one layer."""

from dataclasses import dataclass
from typing import ClassVar

from symbias.decompositions.diagonal import diagonal
from symbias.errors import BadInput
from symbias.networks.base import Network
from symbias.networks.doors import no_symmetry, whole
from symbias.numeric.products import Hadamard, Product


@dataclass(frozen=True, repr=False)
class Linear(Network):
    """f(x; Theta) = x^T z with z in R^d; M(x) = x.

    Parameters
    ----------
    dim : int >= 1
        d, the length of a sample.

    Raises
    ------
    BadInput
        dim that is not a whole number of at least 1, or a depth other than 1.

    Source
    ------
    Soudry et al. (2018).

    Examples
    --------
    >>> import symbias as sb
    >>> sb.Linear(dim=2).forward([1, 2], [[3, 4]])
    11
    """

    depth: int = 1
    name: ClassVar[str] = "linear"
    formula: ClassVar[str] = r"x^{\top} z"

    def __post_init__(self):
        object.__setattr__(self, "dim", whole(self.dim, "dim", least=1))
        if self.depth != 1:
            raise BadInput(
                f"a linear model has depth 1, not {self.depth!r}: for more layers use Diagonal or FullyConnected"
            )

    @property
    def source(self):
        return ("soudry2018",)

    @property
    def block_shapes(self) -> tuple[tuple[int, ...], ...]:
        return ((self.dim,),)

    @property
    def product(self) -> Product:
        return Hadamard()

    def forward(self, x, blocks):
        (z,) = self.as_blocks(blocks)
        return (self._samples(x) * z).sum(axis=-1)

    def places(self):
        return (((j,), j) for j in range(self.dim))

    def decompose(self, X=None, symmetry=None):
        no_symmetry(symmetry, self.name)
        return diagonal(self.dim, self.depth)

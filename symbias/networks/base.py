"""What every network shares: its shape, its function, its linear coefficients and its data tensor.

A linear tensor network is f(x; Theta) = M(x) o (v_1, .., v_L) = x^T beta(Theta) with a linear map M from samples to
order-L tensors. For every network here an entry of M(x) is zero or one entry of x, so the tensor is a list of places.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from math import prod
from typing import Any, ClassVar

import numpy as np
import sympy

from symbias import exact, symbols
from symbias.decompositions.svd import MatrixSVD, SingularDecomposition
from symbias.dynamics.flow import FlowSystem, gradient_flow, residual_symbols, transformed_flow
from symbias.dynamics.invariants import norm_differences
from symbias.errors import BadInput, NotDecomposable
from symbias.networks.doors import entries, whole
from symbias.numeric.products import Product
from symbias.proof import Step
from symbias.verdict import Result

Place = tuple[tuple[int, ...], int]


@dataclass(frozen=True, repr=False)
class Network(Result, ABC):
    """A network of ``depth`` layers on samples of ``input_shape``; subclasses are the architectures."""

    dim: int
    depth: int
    name: ClassVar[str] = ""

    def __post_init__(self):
        object.__setattr__(self, "dim", whole(self.dim, "dim", least=1))
        object.__setattr__(self, "depth", whole(self.depth, "depth (use Linear for one layer)", least=2))

    @property
    def input_shape(self) -> tuple[int, ...]:
        """The shape of one sample x."""
        return (self.dim,)

    @property
    @abstractmethod
    def block_shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shape of every block v_l, first layer first."""

    @property
    @abstractmethod
    def product(self) -> Product:
        """How the blocks multiply to the linear coefficients."""

    @abstractmethod
    def forward(self, x, blocks):
        """Return f(x; Theta), computed as the network itself computes it.

        Parameters
        ----------
        x : array, shape ``input_shape`` or (n, *input_shape)
            One sample or a batch, with float, exact or symbolic entries.
        blocks : sequence of arrays of ``block_shapes``

        Returns
        -------
        A number, or an array of n numbers.
        """

    @abstractmethod
    def places(self) -> Iterator[Place]:
        """Yield (index of an entry of M(x), index of the entry of x, counted in row-major order, that stands there)."""

    def theorem_5_directions(self, eta: np.ndarray, spectral: Callable[..., Any]) -> list:
        """Return v̄_l with U_l^T v̄_l = eta for l < L and v̄_L = 0; ``spectral(decomposition, layer, eta)`` is U_l eta."""
        raise BadInput(
            f"Theorem 5 needs a real orthogonal decomposition, which the {self.name} network has not: "
            "give the directions themselves, sb.Initialization(alpha, directions)"
        )

    @property
    def tensor_shape(self) -> tuple[int, ...]:
        """The shape k_1 x .. x k_L of M(x): k_l entries in block l."""
        return tuple(prod(shape) for shape in self.block_shapes)

    def coefficients(self, blocks) -> np.ndarray:
        """Return the linear coefficients beta(Theta), with f(x; Theta) = x^T beta (<A, beta> for matrices A)."""
        return self.product.beta(self.as_blocks(blocks))

    def data_tensor(self, x):
        """Return the data tensor M(x), with f(x; Theta) = M(x) o (v_1, .., v_L).

        A matrix block counts as vec(W), its columns laid end to end.

        Parameters
        ----------
        x : array, shape ``input_shape``
            One sample. SymPy entries give a SymPy array (sparse unless M(x) is full), all others a NumPy array.

        Raises
        ------
        BadInput
            A wrong shape, or a SymPy Float (symbolic code is exact: write a Rational).
        """
        values = self._sample(x)
        places = self.places()
        if values.dtype != object or not any(isinstance(entry, sympy.Basic) for entry in values.flat):
            tensor = np.zeros(self.tensor_shape, dtype=values.dtype)
            for index, source in places:
                tensor[index] = values.flat[source]
            return tensor
        exprs = [sympy.sympify(entry) for entry in values.flat]
        for entry in exprs:
            exact.forbid_floats(entry, "data_tensor")
        made = {index: exprs[source] for index, source in places}
        if len(made) == prod(self.tensor_shape):
            return sympy.ImmutableDenseNDimArray([made[i] for i in np.ndindex(self.tensor_shape)], self.tensor_shape)
        return sympy.ImmutableSparseNDimArray(made, self.tensor_shape)

    def as_blocks(self, blocks) -> tuple[np.ndarray, ...]:
        """Return the blocks as arrays (float64, or objects for exact and symbolic entries) after checking their shapes.

        Raises
        ------
        BadInput
            The wrong number of blocks, or a block whose shape is not that of ``block_shapes``.
        """
        if not isinstance(blocks, Sequence):
            raise BadInput(f"blocks must be a list with one array a layer, not a {type(blocks).__name__}")
        if len(blocks) != len(self.block_shapes):
            raise BadInput(f"{len(blocks)} blocks for a network of {len(self.block_shapes)}: give one array a block")
        made = tuple(entries(block, f"block {layer}") for layer, block in enumerate(blocks, start=1))
        for layer, (block, wanted) in enumerate(zip(made, self.block_shapes, strict=True), start=1):
            if block.shape != wanted:
                raise BadInput(f"block {layer} has shape {block.shape}, but the {self.name} network wants {wanted}")
        return made

    def symbols(self) -> tuple[np.ndarray, ...]:
        """Return one array of real symbols a block: w_l_i for vectors, W_l_i_j for matrices."""
        made = []
        for layer, shape in enumerate(self.block_shapes, start=1):
            matrix = len(shape) == 2
            names = symbols.matrix(f"W_{layer}", *shape) if matrix else symbols.vector(f"w_{layer}", *shape)
            made.append(np.array(names, dtype=object).reshape(shape))
        return tuple(made)

    def decompose(self, X=None, symmetry: str | None = None):
        """Return the orthogonal decomposition of the data tensor (Assumption 1), an ``OrthogonalDecomposition``.

        Parameters
        ----------
        X : array, shape (n, *input_shape), optional
            The samples, where the decomposition depends on them: matrix sensing, even symmetry, one sample at depth 2.
        symmetry : "even", optional
            Convolutional networks only: the real decomposition for even data.

        Raises
        ------
        NotDecomposable
            When there is none of the kind asked for: the identity that fails is named, with an entry where it does.
        """
        raise NotDecomposable(
            f"the {self.name} network of depth {self.depth} has no orthogonal decomposition", "M(x) = sum_j (S x)_j u_j"
        )

    def singular_decomposition(self, x) -> SingularDecomposition:
        """Return M(x) = U_1 diag(s) U_2^T for one sample x at depth 2, in float64 or any precision.

        Raises
        ------
        BadInput
            A depth other than 2 (M(x) is a matrix only there), or x = 0.
        """
        if self.depth != 2:
            raise BadInput(f"M(x) is a matrix, with singular values, at depth 2 only, not at depth {self.depth}")
        return MatrixSVD(self.data_tensor(np.asarray(x)), self.block_shapes)

    def flow(self, task: str = "regression", samples: int = 1) -> FlowSystem:
        """Return the gradient flow of all blocks, symbolic in samples x_i (or A_i), targets y_i and parameters.

        Parameters
        ----------
        task : "regression" or "classification"
        samples : int >= 1

        Raises
        ------
        BadInput
            An unknown task, or samples that is not a whole number of at least 1.

        Source
        ------
        arXiv:2010.02501v3, section 2.

        Examples
        --------
        >>> import symbias as sb
        >>> sb.Diagonal(dim=1, depth=2).flow()
        w_1_1' = -r_1*w_2_1*x_1
        w_2_1' = -r_1*w_1_1*x_1
        r_1 = w_1_1*w_2_1*x_1 - y_1
        """
        blocks, X = self.symbols(), self.sample_symbols(whole(samples, "samples", least=1))
        g = sum(r * x for r, x in zip(residual_symbols(samples), X, strict=True))
        gradients = self.product.gradients(blocks, g)
        return gradient_flow(
            task, blocks, gradients, [self.forward(x, blocks) for x in X], symbols.vector("y", samples)
        )

    def eta_flow(self, task: str = "regression", symmetry: str | None = None) -> FlowSystem:
        """Return the flow of one sample in the coordinates eta_l = U_l^T v_l, for networks with Assumption 1.

        Raises
        ------
        NotDecomposable
            As for ``decompose``.
        """
        decomposition = self.decompose(symmetry=symmetry)
        return transformed_flow(task, self.depth, decomposition.terms, decomposition.is_real)

    def sample_symbols(self, samples: int = 1) -> list[np.ndarray]:
        """Return one array of real symbols a sample: x_j for one sample, x_i_j for several."""
        names = ["x"] if samples == 1 else [f"x_{i + 1}" for i in range(samples)]
        made = [symbols.vector(name, prod(self.input_shape)) for name in names]
        return [np.array(entries, dtype=object).reshape(self.input_shape) for entries in made]

    def invariants(self) -> tuple[Step, ...]:
        """Return what gradient flow conserves, whatever the data and the loss, each proved along the flow."""
        return norm_differences(self.flow(), self.symbols())

    def real_decomposition(self, X):
        """Return the decomposition with real S and U_l that serves X (Theorem 5), or raise NotDecomposable."""
        return self.decompose(X)

    def to_latex(self) -> str:
        return rf"f(x; \Theta) &= {self.formula}"

    formula: ClassVar[str] = ""

    def __repr__(self) -> str:
        shown = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.name != "seconds"]
        return f"{type(self).__name__}({', '.join(shown)})"

    def _sample(self, x) -> np.ndarray:
        """One sample as an array."""
        values = entries(x, "x")
        if values.size == prod(self.input_shape) and values.shape in (self.input_shape, (self.dim, 1), (1, self.dim)):
            return values.reshape(self.input_shape)
        raise BadInput(
            f"x has shape {values.shape}, but a sample of the {self.name} network has shape {self.input_shape}"
        )

    def _samples(self, x) -> np.ndarray:
        """One sample or a batch of samples as an array."""
        values = entries(x, "x")
        size = len(self.input_shape)
        if values.ndim in (size, size + 1) and values.shape[values.ndim - size :] == self.input_shape:
            return values
        raise BadInput(
            f"x has shape {values.shape}: give a sample of shape {self.input_shape}, or a batch of them (n first)"
        )

"""Where gradient flow starts: v_l(0) = alpha v̄_l, one direction a block."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from symbias import exact
from symbias.decompositions.spectral import Spectral
from symbias.errors import BadInput
from symbias.networks.base import Network
from symbias.verdict import Result


@dataclass(frozen=True, eq=False)
class Initialization(Result):
    """Theta(0) = alpha (v̄_1, .., v̄_L).

    Parameters
    ----------
    alpha : number > 0
        The scale; text is an exact decimal ("0.01"), a float its exact binary value. For alpha = 0 or oo: ``sb.limit``.
    directions : list of arrays
        v̄_l, one array a block (fully connected: matrices W̄_l and a last vector).

    Raises
    ------
    BadInput
        alpha not positive (use ``sb.limit`` for the ends), entries that are not finite numbers.

    Source
    ------
    arXiv:2010.02501v3, section 5 (v_l(0) = alpha v̄_l).

    Examples
    --------
    >>> import symbias as sb
    >>> sb.Initialization(alpha="0.01", directions=[[1, 1], [0, 0]]).alpha
    1/100
    """

    alpha: Any
    directions: Any

    def __post_init__(self):
        alpha = exact.number(self.alpha, "alpha")
        if not alpha > 0:
            raise BadInput(
                f"alpha = {alpha} must be positive: for the limit alpha -> 0 (or oo) call sb.limit(problem, alpha=0)"
            )
        object.__setattr__(self, "alpha", alpha)
        given = self.directions
        if not isinstance(given, (list, tuple)) or not given:
            raise BadInput("directions must be a list with one array a block")
        kept = tuple(v if isinstance(v, Spectral) else exact.array(v, f"directions[{i}]") for i, v in enumerate(given))
        object.__setattr__(self, "directions", kept)

    @classmethod
    def theorem_5(cls, network: Network, alpha, eta=1) -> "Initialization":
        """The initialization of Theorem 5: U_l^T v̄_l = eta for l < L and v̄_L = 0.

        Parameters
        ----------
        network : Network
            Diagonal, full-length Convolutional (its even blocks, Corollary 6) or MatrixSensing.
        alpha : number > 0
        eta : number or vector of nonzero numbers
            One number stands for all coordinates. Diagonal: d numbers. Convolutional: either the floor(d/2) + 1
            coordinates sqrt(mult_k) (F v̄)_k, or all d values (F v̄)_k, even. MatrixSensing: one number, W_l(0) =
            alpha eta I.

        Raises
        ------
        BadInput
            A zero in eta, a length that fits neither, a spectrum that is not even, a network without real Assumption 1.
        """
        return cls(alpha, network.theorem_5_directions(nonzero(eta), Spectral))

    def fit(self, network: Network) -> None:
        """Raise BadInput unless the directions have the shapes of the network's blocks."""
        shapes = [v.shape for v in self.directions]
        if len(shapes) != len(network.block_shapes):
            raise BadInput(
                f"{len(shapes)} directions for a network of {len(network.block_shapes)} blocks: give one a block"
            )
        for i, (shape, wanted) in enumerate(zip(shapes, network.block_shapes, strict=True)):
            if shape != wanted:
                raise BadInput(f"directions[{i}] has shape {shape}, block {i + 1} of the network has shape {wanted}")

    def scale(self, ctx=None):
        """alpha in float64, or in the mpmath context ``ctx``."""
        return float(self.alpha) if ctx is None else exact.precise(self.alpha, ctx)

    def log_alpha(self) -> float:
        """The natural logarithm of alpha, also where alpha itself is outside the range of floats."""
        return float(sympy.log(self.alpha).evalf(20))

    def direction(self, layer: int, ctx=None) -> np.ndarray:
        """v̄ of block ``layer`` (from 0) in float64, or in the mpmath context ``ctx``."""
        v = self.directions[layer]
        if isinstance(v, Spectral):
            return v.to_float() if ctx is None else v.to_precise(ctx)
        return exact.to_float(v) if ctx is None else exact.to_precise(v, ctx)

    def blocks(self, ctx=None) -> list[np.ndarray]:
        """alpha v̄_l for every block."""
        return [self.scale(ctx) * self.direction(layer, ctx) for layer in range(len(self.directions))]

    def to_latex(self) -> str:
        return rf"v_l(0) &= \alpha \bar v_l, \quad \alpha = {sympy.latex(self.alpha)}"

    def __repr__(self) -> str:
        return f"Initialization(alpha={exact.shown(self.alpha)}, {len(self.directions)} blocks)"


def nonzero(eta) -> np.ndarray:
    """eta as an exact array (0-dimensional for one number), every entry nonzero."""
    values = exact.array(eta, "eta")
    if values.ndim > 1:
        raise BadInput(f"eta must be one number or a vector, but its shape is {values.shape}")
    for index, entry in np.ndenumerate(values):
        if entry == 0:
            raise BadInput(
                f"eta{list(index)} is zero: Theorem 5 needs every |eta_j| >= lambda > 0; leave that coordinate out"
            )
    return values

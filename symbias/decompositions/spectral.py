"""A block given by its coordinates: v = U_l eta, evaluated to whatever precision is asked for."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from symbias import exact
from symbias.decompositions.base import OrthogonalDecomposition
from symbias.verdict import Result


@dataclass(frozen=True, eq=False)
class Spectral(Result):
    """The direction U_l eta of one block, kept by its coordinates so that any precision can be had."""

    decomposition: OrthogonalDecomposition
    layer: int
    eta: Any

    @property
    def shape(self) -> tuple[int, ...]:
        return self.to_float().shape

    def to_float(self) -> np.ndarray:
        """The direction in float64."""
        return self.decomposition.block(exact.to_float(self.eta), self.layer)

    def to_precise(self, ctx) -> np.ndarray:
        """The direction in the mpmath context ``ctx``."""
        return self.decomposition.block(exact.to_precise(self.eta, ctx), self.layer, ctx)

    def to_latex(self) -> str:
        return rf"\bar v_{{{self.layer + 1}}} &= U_{{{self.layer + 1}}} \bar\eta"

"""Assumption 1: the orthogonal decomposition M(x) = sum_j (S x)_j u_{1,j} ⊗ .. ⊗ u_{L,j} with U_l^H U_l = I.

With eta_l = U_l^T v_l and rho = eta_1 * .. * eta_L the network is f(x) = x^T S^T rho, and beta = S^T rho.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import sympy

from symbias import exact
from symbias.proof import Step
from symbias.verdict import Result


@dataclass(frozen=True, eq=False, repr=False)
class OrthogonalDecomposition(Result, ABC):
    """The decomposition of all data tensors of a class (dim, depth): S, U_l, and fast operators for them.

    The operators take float64 arrays, with a batch on the leading axes; with ``ctx`` (an mpmath context) they take
    arrays of exact numbers or mpf and work in its precision. ``layer`` counts from 0.

    Attributes
    ----------
    kind : str
    dim, depth, terms : int
        d, L and m.
    S : SymPy matrix, m x d
    U : tuple of L SymPy matrices, k_l x m
        Both are made when asked for; the operators do not use them.

    Accuracy
    --------
    Float64: a few eps on the scale of the largest entry (FFT for the convolution). With ``ctx``: its precision but for
    the last digit or two. S and U are exact.

    Source
    ------
    arXiv:2010.02501v3, Assumption 1; derivations/assumption_1_diagonal.py and its neighbours.

    Examples
    --------
    >>> import symbias as sb
    >>> decomposition = sb.Convolutional(dim=2, depth=2).decompose()
    >>> decomposition.S
    Matrix([
    [1,  1],
    [1, -1]])
    >>> [step.title for step in decomposition.prove()][:2]
    ['The columns of U_l are orthonormal', 'S has full column rank']
    """

    dim: int
    depth: int
    kind: ClassVar[str] = ""
    is_real: ClassVar[bool] = True

    @property
    @abstractmethod
    def terms(self) -> int:
        """The number m of terms."""

    @property
    def is_exact(self) -> bool:
        """True when S and U_l are known exactly."""
        return True

    @cached_property
    @abstractmethod
    def S(self) -> sympy.Matrix:
        """S, an m x d matrix."""

    @cached_property
    @abstractmethod
    def U(self) -> tuple[sympy.Matrix, ...]:
        """U_1, .., U_L, with m orthonormal columns each."""

    @abstractmethod
    def apply(self, x, ctx=None) -> np.ndarray:
        """Return S x."""

    @abstractmethod
    def adjoint(self, rho, ctx=None) -> np.ndarray:
        """Return S^T rho (beta, when rho = eta_1 * .. * eta_L)."""

    @abstractmethod
    def transform(self, v, layer: int, ctx=None) -> np.ndarray:
        """Return eta = U_l^T v."""

    @abstractmethod
    def block(self, eta, layer: int, ctx=None) -> np.ndarray:
        """Return the v in the range of conj(U_l) with U_l^T v = eta (U_l eta, where U_l is real)."""

    @abstractmethod
    def prove(self) -> tuple[Step, ...]:
        """Return the proved steps, for all x of the class: orthonormal columns, the rank of S, the rebuilt tensor."""

    def exact(self, x) -> sympy.Matrix:
        """Return S x for exact or symbolic x, a column."""
        column = sympy.Matrix(np.asarray(x, dtype=object).ravel().tolist())
        exact.forbid_floats(column, "exact")
        return self.S * column

    def to_latex(self) -> str:
        return (
            rf"M(x) &= \sum_{{j=1}}^{{{self.terms}}} (S x)_j \, "
            rf"u_{{1,j}} \otimes \cdots \otimes u_{{{self.depth},j}} \\ "
            rf"S &= {self.latex_S} \\ U_l &= {self.latex_U}"
        )

    latex_S: ClassVar[str] = "S"
    latex_U: ClassVar[str] = "U_l"

    def __repr__(self) -> str:
        return f"{type(self).__name__}(dim={self.dim}, depth={self.depth}, terms={self.terms})"


def rebuilt_entry(terms: int, depth: int) -> sympy.Expr:
    """The formal entry sum_k (S x)_k u_1[j_1, k] .. u_L[j_L, k] of the rebuilt tensor."""
    k = sympy.Symbol("k", integer=True)
    factors = [
        sympy.IndexedBase(f"U_{layer}")[sympy.Symbol(f"j_{layer}", integer=True), k] for layer in range(1, depth + 1)
    ]
    return sympy.Sum(sympy.Mul(sympy.IndexedBase("Sx")[k], *factors), (k, 0, terms - 1))


def numbers(values, ctx=None) -> np.ndarray:
    """Return real or complex numbers as a float64 or complex128 array, or rounded to the mpmath context ``ctx``."""
    values = np.asarray(values)
    if ctx is None:
        if values.dtype != object:
            return values.astype(np.result_type(values.dtype, np.float64), copy=False)
        return np.array([complex(z) if _is_complex(z) else float(z) for z in values.flat]).reshape(values.shape)
    made = np.empty(values.shape, dtype=object)
    for index, z in np.ndenumerate(values):
        if _is_complex(z):
            made[index] = ctx.mpc(exact.precise(z.real, ctx), exact.precise(z.imag, ctx))
        else:
            made[index] = exact.precise(z, ctx)
    return made


def _is_complex(z) -> bool:
    return hasattr(z, "_mpc_") or isinstance(z, (complex, np.complexfloating))

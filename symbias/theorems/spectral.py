"""The problem in the coordinates of its decomposition: A = X S^T and eta_l = U_l^T v̄_l for every block."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from symbias.decompositions.base import OrthogonalDecomposition
from symbias.errors import NotDecomposable
from symbias.problem import Problem


@dataclass(frozen=True)
class Frame:
    """Coordinates of a problem in float64 (ctx None) or in an mpmath context.

    A : (n, m), A = X S^T.  eta : one (m,) array a block, eta_l = U_l^T v̄_l.
    outside : one number a block, the largest entry of v̄_l - U_l U_l^H v̄_l (what the decomposition does not see).
    """

    decomposition: OrthogonalDecomposition
    A: Any
    eta: tuple[Any, ...]
    outside: tuple[Any, ...]


def decomposition_of(problem: Problem) -> OrthogonalDecomposition:
    """The real decomposition that Theorem 5 uses for the problem; NotDecomposable when there is none."""
    made = problem.network.real_decomposition(problem.X)
    if not hasattr(made, "adjoint"):  # the SVD of M(x) for one sample
        raise NotDecomposable("the singular vectors of M(x) move with x, so there is no S; see theorem_6", "U_l fixed")
    return made


def frame(problem: Problem, ctx=None) -> Frame:
    """Compute the coordinates of ``problem`` to the precision of ``ctx``."""
    decomposition = decomposition_of(problem)
    X, _ = problem.data(ctx)
    start = problem.start()
    etas, outside = [], []
    for layer in range(problem.network.depth):
        v = start.direction(layer, ctx)
        eta = decomposition.transform(v, layer, ctx)
        etas.append(eta)
        outside.append(np.abs(v - decomposition.block(eta, layer, ctx)).max())
    return Frame(decomposition, decomposition.apply(X, ctx), tuple(etas), tuple(outside))


def exact_frame(problem: Problem, decomposition: OrthogonalDecomposition, ctx=None) -> tuple[np.ndarray, np.ndarray]:
    """A = X S^T and eta = U_1^T v̄_1 as exact numbers where data and decomposition are exact, so that ties are seen.

    Else in float64, or in the precision of ``ctx``.
    """
    first = problem.start().directions[0]
    if decomposition.kind == "diagonal" and isinstance(first, np.ndarray):
        return problem.X, first
    if not exactly_given(problem) or not decomposition.is_exact:
        coordinates = frame(problem, ctx)
        return coordinates.A, coordinates.eta[0]
    A = np.array([list(decomposition.exact(x)) for x in problem.X], dtype=object)
    if isinstance(first, np.ndarray):
        eta = decomposition.U[0].T * sympy.Matrix(first.ravel().tolist())
        return A, np.array(list(eta), dtype=object)
    return A, first.eta


def exactly_given(problem: Problem) -> bool:
    """True when neither the data nor the directions hold floats, so that equalities can be asked for exactly."""
    given = (problem.X, *problem.start().directions)
    return all(not isinstance(v, np.ndarray) or v.dtype == object for v in given)

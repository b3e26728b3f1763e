"""The problem in the coordinates of its decomposition: A = X S^T and eta_l = U_l^T v̄_l for every block."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from symbias.decompositions.base import OrthogonalDecomposition
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
    return problem.network.real_decomposition(problem.X)


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


def exactly_given(problem: Problem) -> bool:
    """True when neither the data nor the directions hold floats, so that equalities can be asked for exactly."""
    given = (problem.X, *problem.start().directions)
    return all(not isinstance(v, np.ndarray) or v.dtype == object for v in given)

"""min sum_k x_k over M x = y, x >= 0: all minimisers, exactly for rational data, else as far as the precision decides.

A coordinate that may have both signs has two columns. The minimisers are the x >= 0 on the ``tight`` columns, those
whose dual value M_k^T nu is 1: a face, described by vertices.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from symbias.errors import NotConverged
from symbias.numeric.exact_lp import minimize


@dataclass(frozen=True)
class Optimum:
    """``vertices``: minimisers; every x_k that is not 0 in all minimisers is not 0 in one of them. ``nu``: the dual."""

    vertices: list[np.ndarray]
    nu: np.ndarray
    tight: tuple[int, ...]

    @property
    def unique(self) -> bool:
        return len(self.vertices) == 1

    @property
    def support(self) -> tuple[int, ...]:
        """The columns that are not 0 in all minimisers."""
        return tuple(k for k in range(len(self.vertices[0])) if any(v[k] for v in self.vertices))

    @property
    def middle(self) -> np.ndarray:
        """A minimiser that is 0 only where all are."""
        return sum(self.vertices[1:], start=self.vertices[0]) / len(self.vertices)


def minimisers(M: np.ndarray, y: np.ndarray, tolerance: Any = 0) -> Optimum:  # noqa: N803
    """Return the minimisers; a number within ``tolerance`` of 0 counts as 0 (0 for rational data).

    Parameters
    ----------
    M (n, k), y (n,) : object arrays of elements of one field, of order one where the field is not exact
    tolerance : number

    Raises
    ------
    BadInput
        No x >= 0 has M x = y.
    """
    one = M.flat[0] * 0 + 1
    found = minimize(np.full(M.shape[1], one, dtype=object), M, y, tolerance=tolerance)
    tight = tuple(int(k) for k in np.flatnonzero([one - value <= tolerance for value in M.T @ found.dual]))
    vertices = [_clean(found.x, tolerance)]
    if not found.unique:
        place, columns = list(tight), M[:, list(tight)]
        for i, k in enumerate(place):
            if any(vertex[k] for vertex in vertices):
                continue
            cost = np.full(len(place), 0 * one, dtype=object)
            cost[i] = -one
            corner = np.full(M.shape[1], 0 * one, dtype=object)
            corner[place] = minimize(cost, columns, y, tolerance=tolerance).x
            if corner[k] > tolerance:
                vertices.append(_clean(corner, tolerance))
    return Optimum(vertices, found.dual, tight)


def decided(M: np.ndarray, y: np.ndarray, ctx) -> Optimum:  # noqa: N803
    """Return the minimisers over mpf, with ties that are equal to rounding: none is merely close.

    Raises
    ------
    NotConverged
        Some comparison is closer than half the digits, but not equal to rounding: a near tie.
    """
    rough, fine = (minimisers(M, y, ctx.mpf(10) ** -places) for places in (ctx.dps // 2, ctx.dps - 15))
    if (rough.tight, rough.support) != (fine.tight, fine.support):
        raise NotConverged(
            f"a near tie of the weighted l1 problem: closer than 10^-{ctx.dps // 2}, and yet no tie to {ctx.dps - 15} "
            "digits; ask for more digits"
        )
    return fine


def _clean(x, tolerance):
    return np.array([entry if abs(entry) > tolerance else 0 * entry for entry in x], dtype=object)

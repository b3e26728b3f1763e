"""Newton's method to any digits with a Jacobian kept in float64, and least steps where solutions come in families.

A step is -J^+ F(x) with J^+ the float64 pseudo-inverse at the start and F in high precision: each step gains the
digits to which J is known, and moves nothing along directions that F does not see (a rotation between two layers, a
free phase).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from symbias.errors import NotConverged
from symbias.precision import adopt

#: A singular value of J below this, relative to the largest, is a symmetry of the equations: the others are far above
#: it.
RANK_GAP = 1e-9


def newton(function: Callable[..., Any], jacobian: Callable[..., Any], x: np.ndarray, steps: int = 40) -> np.ndarray:
    """Return a float64 root near x: least Newton steps with a fresh Jacobian until rounding stops the progress.

    Away from a root J sees symmetries with singular values of the size of the distance; those are cut off as well.

    Raises
    ------
    NotConverged
        The residual did not fall to 1e-10 of the largest entry of x in ``steps`` steps.
    """
    best, size = x, np.inf
    for _ in range(steps):
        residual = function(x)
        norm = np.abs(residual).max()
        if not norm < size:
            break
        best, size = x, norm
        cut = min(max(30 * norm / max(1.0, np.abs(x).max()), RANK_GAP), 1e-3)
        x = x - np.linalg.pinv(jacobian(x), rcond=cut) @ residual
    if not size <= 1e-10 * max(1.0, np.abs(best).max()):
        raise NotConverged(
            f"Newton's method stopped at a residual of {size:.1e}: the starting point is too far from a solution"
        )
    return best


def refine(function: Callable[..., Any], jacobian: Callable[..., Any], x: np.ndarray, ctx) -> np.ndarray:
    """Return the root near the float64 root ``x`` to nearly the precision of ``ctx``.

    ``function`` takes and returns object arrays of mpf; ``jacobian`` takes and returns float64 arrays.

    Raises
    ------
    NotConverged
        The residual stopped falling before 10 digits short of the precision: the root is not isolated, up to
        symmetries.
    """
    inverse = np.linalg.pinv(jacobian(x), rcond=RANK_GAP)
    precise = np.array([adopt(ctx, entry) for entry in x], dtype=object)
    goal = ctx.mpf(10) ** (10 - ctx.dps) * max(1, *(abs(entry) for entry in precise))
    size = ctx.inf
    while True:
        residual = function(precise)
        norm = max(abs(entry) for entry in residual)
        if norm <= goal:
            return precise
        if not norm < size / 2:
            raise NotConverged(f"the refinement to {ctx.dps} digits stopped at a residual of {ctx.nstr(norm, 3)}")
        size = norm
        # The residual is scaled into the range of floats, where the correction keeps its leading digits.
        unit = ctx.mpf(2) ** (ctx.frexp(norm)[1])
        step = inverse @ np.array([float(entry / unit) for entry in residual])
        precise = precise - np.array([unit * adopt(ctx, float(entry)) for entry in step], dtype=object)

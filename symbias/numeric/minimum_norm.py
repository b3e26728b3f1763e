"""The solution of X z = y nearest to a point z_0: z = z_0 + X^T (X X^T)^{-1} (y - X z_0)."""

import numpy as np

from symbias.errors import NotConverged


def nearest(X: np.ndarray, y: np.ndarray, z_0: np.ndarray, ctx=None) -> np.ndarray:  # noqa: N803
    """Return the nearest solution, in float64 (by an orthogonal factorisation) or in the mpmath context ``ctx``.

    Raises
    ------
    NotConverged
        X X^T is singular to the precision.
    """
    left = y - X @ z_0
    if ctx is None:
        Q, R = np.linalg.qr(X.T)
        diagonal = np.abs(np.diag(R))
        if diagonal.min() <= X.shape[1] * np.finfo(float).eps * diagonal.max():
            raise NotConverged("X X^T is singular in float64: ask for digits=")
        return z_0 + Q @ np.linalg.solve(R.T, left)
    scale = [max(abs(entry) for entry in row) for row in X]
    rows = np.array([row / size for row, size in zip(X, scale, strict=True)], dtype=object)
    right = ctx.matrix([entry / size for entry, size in zip(left, scale, strict=True)])
    try:
        dual = ctx.lu_solve(ctx.matrix((rows @ rows.T).tolist()), right)
    except ZeroDivisionError:
        raise NotConverged(f"X X^T is singular in {ctx.dps} digits: ask for more digits") from None
    return z_0 + np.array(list(dual), dtype=object) @ rows

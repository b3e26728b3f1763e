"""The door of argmin Q: shapes, finite entries, the rank of A."""

import math

import numpy as np

from symbias import exact
from symbias.errors import BadInput
from symbias.numeric.operators import Dense, FromObject, small_matrix
from symbias.numeric.scaled import SMALL


def checked(A, y, log_a, depth):  # noqa: N803
    """Return operator and float arrays of matching shapes, or raise BadInput."""
    if isinstance(depth, bool) or not isinstance(depth, (int, np.integer)) or depth < 2:
        raise BadInput(f"the depth must be an integer >= 2, not {depth!r}")
    if log_a is None:
        raise BadInput("log_a is missing: give the logarithms of a_j = alpha |eta_j| (a= goes with digits=)")
    if hasattr(A, "adjoint"):
        operator = small_matrix(FromObject(A), SMALL)
    else:
        operator = Dense(
            finite(A if isinstance(A, np.ndarray) and A.dtype == np.float64 else exact.array(A, "A", 2), "A")
        )
    y = finite(exact.array(y, "y", ndim=1), "y")
    log_a = finite(exact.array(log_a, "log_a", ndim=1), "log_a")
    if len(operator.shape) != 2:
        raise BadInput(f"A must be a matrix (one row a sample), but its shape is {operator.shape}")
    n, m = operator.shape
    if y.shape != (n,) or log_a.shape != (m,):
        raise BadInput(
            f"A of shape {(n, m)} needs y of shape {(n,)} and log_a of shape {(m,)}, not {y.shape} and {log_a.shape}"
        )
    return operator, y, log_a


def finite(values: np.ndarray, name: str) -> np.ndarray:
    """Return float64 values, or raise BadInput where they leave its range."""
    values = exact.to_float(values)
    if not math.isfinite(values.sum()) and not np.isfinite(values).all():
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
        raise BadInput(f"{name}{list(index)} is {values[index]} in float64: every entry must be finite")
    return values


def dependent(operator, y: np.ndarray, rank: int) -> BadInput:
    """Return the error for rows of A that are dependent, with the residual of y against the range of A."""
    gram = operator.gram(np.ones(operator.shape[1]))
    scale = np.sqrt(np.where(np.diag(gram) > 0, np.diag(gram), 1.0))
    size, directions = np.linalg.eigh(gram / scale / scale[:, None])
    outside = directions[:, : operator.shape[0] - rank]  # of the range, in the scaled rows
    missed = np.linalg.norm(outside.T @ (y / scale)) / np.linalg.norm(y / scale)
    state = "no rho interpolates" if missed > 1e-8 else "drop the dependent rows"
    return BadInput(
        f"A has rank {rank} but {operator.shape[0]} rows, and y misses its range by {missed:.1e} relative: {state}"
    )

"""Common eigenvectors of commuting symmetric matrices: rational ones exactly, all others in any precision."""

import numpy as np
import sympy

from symbias import exact
from symbias.decompositions.base import numbers
from symbias.errors import BadInput, NotDecomposable
from symbias.precision import context
from symbias.verdict import Residual, require

_EXACT_UP_TO = 8  # above this size exact eigenvectors take SymPy longer than anyone waits
_TRIES = 3


def require_commuting(X: np.ndarray) -> None:
    """Raise unless the matrices X (n, d, d) are symmetric and commute.

    Rational samples are compared exactly. Floats, which were rounded when they were made, count as equal within the
    rounding of a product of d terms, 8 d eps times the norms; other exact numbers are compared to 40 digits.
    """
    d = X.shape[1]
    if X.dtype == np.float64:
        values, slack = X, 8 * d * np.finfo(float).eps
    elif _rational(X):
        values, slack = X, 0
    else:
        values, slack = numbers(X, context(50)), 10.0**-40
    norms = [_norm(A) for A in values]
    for i, A in enumerate(values):
        _require_zero(A - A.T, slack * norms[i], BadInput, f"X[{i}] is not symmetric: X[{i}] - X[{i}]^T", "A^T = A")
    for i, A in enumerate(values):
        for k in range(i):
            _require_zero(
                values[k] @ A - A @ values[k],
                slack * norms[i] * norms[k],
                NotDecomposable,
                f"the samples X[{k}] and X[{i}] do not commute: X[{k}] X[{i}] - X[{i}] X[{k}]",
                f"X[{k}] X[{i}] = X[{i}] X[{k}]",
            )


def _norm(A: np.ndarray) -> float:
    """The Frobenius norm, to a few digits."""
    return float(np.linalg.norm(exact.to_float(A)))


def _require_zero(D: np.ndarray, slack: float, error: type, claim: str, identity: str) -> None:
    sizes = np.abs(D)
    for index, size in np.ndenumerate(sizes):
        if size > slack:
            entry = tuple(int(i) for i in index)
            shown = D[index] if isinstance(D[index], sympy.Basic) else f"{float(D[index]):.3g}"
            message = f"{claim} has the entry {shown} at {entry}; matrix sensing needs symmetric samples that commute"
            raise error(message, identity=identity, entry=entry) if error is NotDecomposable else error(message)


def _rational(X: np.ndarray) -> bool:
    return X.dtype == object and all(isinstance(entry, sympy.Rational) for entry in X.flat)


def rational_eigenvectors(X: np.ndarray) -> sympy.ImmutableMatrix | None:
    """Return orthogonal common eigenvectors with rational entries as columns, or None when they are not all rational.

    The eigenspaces of a combination of the matrices are common to all of them unless two eigenvalues happen to
    coincide; the result is verified on every matrix, and another combination is tried when it fails.
    """
    if not _rational(X) or X.shape[1] > _EXACT_UP_TO:
        return None
    samples = [sympy.ImmutableMatrix(A.tolist()) for A in X]
    for base in range(2, 2 + _TRIES):
        weighted = (sympy.Integer(base) ** i * A for i, A in enumerate(samples))
        combined = sum(weighted, sympy.zeros(X.shape[1]))
        columns = _rational_eigenspaces(combined)
        if columns is None:
            return None
        if all(_is_eigenvector(A, w) for A in samples for w in columns):
            return sympy.ImmutableMatrix.hstack(*columns)
    return None


def _rational_eigenspaces(A: sympy.Matrix) -> list | None:
    """An orthogonal basis of every eigenspace of the symmetric A, or None unless all eigenvalues are rational."""
    columns: list = []
    for value, multiplicity in sympy.roots(A.charpoly().as_expr(), filter="Q").items():
        space = (A - value * sympy.eye(A.rows)).nullspace()
        if len(space) == multiplicity:
            columns += sympy.GramSchmidt(space)
    return columns if len(columns) == A.rows else None


def _is_eigenvector(A: sympy.Matrix, w: sympy.Matrix) -> bool:
    image = A * w
    return (image * w.dot(w) - w * w.dot(image)).is_zero_matrix is True


def common_eigenvectors(X: np.ndarray, ctx=None) -> np.ndarray:
    """Return orthonormal common eigenvectors as columns, from a random combination of the matrices (fixed seed).

    Raises
    ------
    NotConverged
        When V^T A V is not diagonal within the precision, for some A: the samples commute only to fewer digits.
    """
    d = X.shape[1]
    residuals: list[Residual] = []
    for seed in range(_TRIES):
        weights = np.random.default_rng(seed).uniform(1, 2, len(X))
        scales = [weight / max(_norm(A), np.finfo(float).tiny) for weight, A in zip(weights, X, strict=True)]
        combined = sum(A * scale for A, scale in zip(X, scales, strict=True))
        if ctx is None:
            V = np.linalg.eigh((combined + combined.T) / 2)[1]
        else:
            V = np.array(ctx.eigsy(ctx.matrix(combined.tolist()))[1].tolist(), dtype=object).reshape(d, d)
        residuals = list(_residuals(X, V, ctx))
        if all(residual.holds for residual in residuals):
            return V
    require(residuals, "the common eigenbasis (give exact samples, or ask for fewer digits)")
    raise AssertionError("unreachable: require raises")


def _residuals(X: np.ndarray, V: np.ndarray, ctx):
    """Off-diagonal entries of V^T A V relative to A, and V^T V - I."""
    d = len(V)
    # Rounding of products of d terms, and of commutators accepted by require_commuting, spread over d columns.
    tolerance = 64 * d * np.finfo(float).eps if ctx is None else float(ctx.mpf(10) ** (3 - ctx.dps) * d)
    yield Residual("orthonormality", float(np.abs(V.T @ V - np.eye(d, dtype=int)).max()), tolerance, "1")
    for i, A in enumerate(X):
        rotated = V.T @ A @ V
        np.fill_diagonal(rotated, 0)
        worst = float(np.abs(rotated).max())
        yield Residual(f"off-diagonal of sample {i}", worst / max(_norm(A), np.finfo(float).tiny), tolerance, "norm")

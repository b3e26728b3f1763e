"""A network, its data and its initialization: validated once, then never changed.

Regression: loss 1/2 sum_i (f(x_i) - y_i)^2, n <= d, X of full row rank. Classification: y_i in {-1, +1}, loss
sum_i exp(-y_i f(x_i)), data separable; n may exceed d.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import sympy
from sympy.polys.matrices import DomainMatrix

from symbias import exact
from symbias.errors import BadInput
from symbias.initialization import Initialization
from symbias.networks.base import Network
from symbias.numeric.separability import combination, sentence
from symbias.verdict import Result


@dataclass(frozen=True, eq=False)
class Problem(Result):
    """What Regression and Classification share: the network, the samples, their targets and the initialization."""

    network: Network
    X: Any
    y: Any
    initialization: Initialization | None = None
    task: ClassVar[str] = ""

    def __post_init__(self):
        if not isinstance(self.network, Network):
            raise BadInput(f"the network must be one of symbias's networks, not {self.network!r}")
        X = exact.array(self.X, "X", ndim=1 + len(self.network.input_shape))
        y = exact.array(self.y, "y", ndim=1)
        if len(X) != len(y):
            raise BadInput(f"X has {len(X)} samples and y has {len(y)} targets: give one target a sample")
        if X.shape[1:] != self.network.input_shape:
            raise BadInput(f"a sample of X has shape {X.shape[1:]}, the network takes {self.network.input_shape}")
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "y", y)
        if not isinstance(self.initialization, Initialization | None):
            raise BadInput(f"the initialization must be an sb.Initialization, not {self.initialization!r}")
        if self.initialization is not None:
            self.initialization.fit(self.network)
        self.validate()

    def validate(self) -> None:
        """Raise BadInput when the data does not suit the task."""
        raise NotImplementedError

    @property
    def samples(self) -> int:
        """The number n of samples."""
        return len(self.y)

    @cached_property
    def X_float(self) -> np.ndarray:
        """X rounded to float64."""
        return exact.to_float(self.X)

    @cached_property
    def y_float(self) -> np.ndarray:
        """y rounded to float64."""
        return exact.to_float(self.y)

    def data(self, ctx=None) -> tuple[np.ndarray, np.ndarray]:
        """X and y in float64, or rounded to the mpmath context ``ctx``."""
        if ctx is None:
            return self.X_float, self.y_float
        return exact.to_precise(self.X, ctx), exact.to_precise(self.y, ctx)

    def signed(self) -> np.ndarray:
        """The rows y_i x_i of a classification problem, flat: as exact as X is."""
        signs = np.array([int(label) for label in self.y], dtype=self.X.dtype).reshape(-1, 1)
        return signs * self.X.reshape(self.samples, -1)

    def require_floats(self) -> None:
        """Raise BadInput when an exact number of X or y lies beyond the range of float64."""
        for name, values in (("X", self.X_float), ("y", self.y_float)):
            if not np.isfinite(values).all():
                at = [int(i) for i in np.argwhere(~np.isfinite(values))[0]]
                raise BadInput(f"{name}{at} is beyond the range of float64: ask for digits, e.g. digits=15")

    def start(self) -> Initialization:
        """The initialization, or a clear error when none was given."""
        if self.initialization is None:
            raise BadInput(
                "the problem has no initialization: give one, e.g. sb.Initialization.theorem_5(net, alpha, eta)"
            )
        return self.initialization

    def note_on_floats(self, digits: int | None) -> tuple[str, ...]:
        """What to tell a reader who asks for more digits than the floats of the data were typed with."""
        if digits is None or digits <= 15:
            return ()
        seen = exact.inexact_floats(self.X) + exact.inexact_floats(self.y)
        if not seen:
            return ()
        return (f"the float {seen[0]} stands for its exact binary value; for the decimal give the text '{seen[0]}'",)

    def to_latex(self) -> str:
        n, size = self.samples, r" \times ".join(map(str, self.X.shape))
        return rf"\text{{{self.task}, {self.network.name}}} &: X \in \mathbb{{R}}^{{{size}}}, \; n = {n}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.network!r}, X of shape {self.X.shape}, {self.initialization!r})"


class Regression(Problem):
    """Underdetermined least squares: minimise 1/2 sum_i (f(x_i; Theta) - y_i)^2 by gradient flow.

    Parameters
    ----------
    network : Network
    X : array, shape (n, d), or (n, d, d) for matrix sensing
        One row a sample; n <= d and full row rank. Text and exact numbers are exact, a float is its binary value.
    y : array, shape (n,)
        The targets.
    initialization : Initialization, optional
        Theta(0). ``sb.limit`` and ``sb.predict`` need it.

    Raises
    ------
    BadInput
        Shapes that do not fit, entries that are not finite numbers, more samples than dimensions, or a rank below n.

    Source
    ------
    arXiv:2010.02501v3, section 2.

    Examples
    --------
    >>> import symbias as sb
    >>> net = sb.Diagonal(dim=2, depth=2)
    >>> sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha=1, eta=1)).samples
    1
    """

    task = "regression"

    def validate(self) -> None:
        n, columns = self.samples, int(np.prod(self.X.shape[1:]))
        limit = self.network.dim
        if n > limit:
            raise BadInput(
                f"n = {n} samples in d = {limit} dimensions: regression needs n <= d, a set of minima to choose from"
            )
        rank = row_rank(self.X.reshape(n, columns))
        if rank < n:
            raise BadInput(
                f"X has rank {rank}, below its {n} rows: drop {n - rank} dependent row(s) or correct the data"
            )


class Classification(Problem):
    """Separable binary classification with the exponential loss sum_i exp(-y_i f(x_i; Theta)).

    Parameters
    ----------
    network, X, initialization
        As for :class:`Regression`, but n may exceed d and X may be rank-deficient.
    y : array, shape (n,)
        Labels -1 or +1.

    Raises
    ------
    BadInput
        Labels other than -1 and +1, or data that no z separates (with the convex combination that is zero).

    Source
    ------
    arXiv:2010.02501v3, section 2.

    Examples
    --------
    >>> import symbias as sb
    >>> sb.Classification(sb.Linear(dim=2), [[1, 2], [0, -3]], [1, -1]).samples
    2
    """

    task = "classification"

    def validate(self) -> None:
        for i, label in enumerate(self.y):
            if label not in (-1, 1):
                raise BadInput(f"y[{i}] = {label}: a label must be -1 or +1")
        weights = combination(self.signed())
        if weights is not None:
            raise BadInput(sentence(weights, self.y, self.X))


#: Columns taken at a time where a temporary copy of all of X would double the memory.
_BLOCK = 4096


def require_problem(value) -> None:
    """Raise BadInput unless ``value`` is a problem."""
    if not isinstance(value, Problem):
        raise BadInput(f"a problem is wanted, an sb.Regression or an sb.Classification, not {value!r}")


def row_rank(X: np.ndarray) -> int:
    """The rank of X: exact for rational entries, otherwise by singular values above max(n, d) eps times the largest."""
    n, columns = X.shape
    if X.dtype == object and X.size <= 20_000 and all(isinstance(entry, sympy.Rational) for entry in X.flat):
        field = sympy.QQ
        rows = [[field(int(entry.p), int(entry.q)) for entry in row] for row in X]
        return DomainMatrix(rows, X.shape, field).rank()
    values = exact.to_float(X)
    scale = np.maximum(values.max(axis=1), -values.min(axis=1))
    if not scale.all():
        return row_rank(values[scale > 0]) if scale.any() else 0
    gram = np.zeros((n, n))
    for start in range(0, columns, _BLOCK):  # by blocks, so that a million columns are not copied
        rows = values[:, start : start + _BLOCK] / scale[:, None]
        gram += rows @ rows.T
    sizes = np.linalg.eigvalsh(gram)
    # The Gram matrix loses half the digits: it settles the rank only when its condition is far from 1/eps.
    return n if sizes[0] > 1e-8 * sizes[-1] else _svd_rank(values / scale[:, None])


def _svd_rank(rows: np.ndarray) -> int:
    singular = np.linalg.svd(rows, compute_uv=False)
    return int(np.count_nonzero(singular > max(rows.shape) * np.finfo(float).eps * singular[0]))

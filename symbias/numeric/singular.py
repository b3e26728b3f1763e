"""Singular vectors of a tensor (Lim 2005): unit u_1, .., u_L and s with s u_l = A o (u_1, .., u_{l-1}, I, u_{l+1},
.., u_L).

A matrix has finitely many up to multiplicity; a tensor of order L >= 3 has many more than its dimensions, most of
them saddles of A o (u_1, .., u_L). Power iteration finds attractors only; for an orthogonally decomposable tensor all
of them have a closed form.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
import sympy

from symbias.errors import BadInput, NotConverged
from symbias.numeric.chord import newton, refine
from symbias.precision import context, public
from symbias.verdict import Residual, Result, require

TOLERANCE = 1e-13  # of Lim's equations in float64, relative to the tensor: rounding of sums of up to some hundred terms


@dataclass(frozen=True, eq=False)
class SingularTuple(Result):
    """``value`` s and ``vectors`` (u_1, .., u_L) of norm 1, with the residual of Lim's equations."""

    value: Any
    vectors: tuple[Any, ...]
    residuals: tuple[Residual, ...]
    steps: int = 0

    def __post_init__(self):
        require(self.residuals, "the singular vectors")

    @property
    def source(self) -> tuple[str, ...]:
        return ("lim2005",)

    def to_latex(self) -> str:
        return rf"s &= {sympy.latex(sympy.sympify(self.value))}"


def contract(tensor: np.ndarray, vectors, skip: int | None = None):
    """Return A o (u_1, .., u_L), without contracting mode ``skip``."""
    from tensorly.tenalg import multi_mode_dot

    return multi_mode_dot(tensor, list(vectors), skip=skip)


def lim_residual(tensor: np.ndarray, vectors, value) -> Any:
    """Return the largest entry of A o (.., I, ..) - s u_l over all l, and of |u_l|^2 - 1, relative to the norm of A."""
    size = max(abs(entry) for entry in tensor.flat)
    misfit = [np.abs(contract(tensor, vectors, skip=l) - value * u).max() for l, u in enumerate(vectors)]
    return max(max(misfit) / size if size else max(misfit), max(abs(u @ u - 1) for u in vectors))


def power_iteration(tensor: np.ndarray, *, seed: int = 0, shift: float = 0.0, sweeps: int = 2000) -> SingularTuple:
    """Return one singular tuple of a real float64 tensor by block-wise power iteration from a seeded random start.

    Each u_l in turn becomes A o (.., I, ..) + shift s u_l, normalised, which never lowers A o (u_1, .., u_L) when
    shift >= 0. The iteration stops when Lim's equations hold to 1e-8; Newton's method does the rest.

    Raises
    ------
    NotConverged
        No stop within ``sweeps``: give another seed, or a shift near 1.
    """
    rng = np.random.default_rng(seed)
    size = np.abs(tensor).max()
    if not size:
        raise BadInput("the zero tensor has no singular vectors with s != 0")
    scaled = tensor / size
    vectors = [u / np.linalg.norm(u) for u in (rng.standard_normal(k) for k in tensor.shape)]
    value = 0.0
    for sweep in range(1, sweeps + 1):
        for l in range(len(vectors)):
            u = contract(scaled, vectors, skip=l) + shift * abs(value) * vectors[l]
            value = float(np.linalg.norm(u)) if not shift else value
            norm = np.linalg.norm(u)
            if not norm:
                raise NotConverged(f"the start of seed {seed} is orthogonal to the tensor: give another seed")
            vectors[l] = u / norm
        value = float(contract(scaled, vectors))
        if lim_residual(scaled, vectors, value) < 1e-8:
            return polished(tensor, vectors, value * size, steps=sweep)
    raise NotConverged(f"power iteration did not settle in {sweeps} sweeps: give another seed, or shift=1")


def polished(
    tensor: np.ndarray, vectors, value, *, digits: int | None = None, precise=None, steps: int = 0
) -> SingularTuple:
    """Return the singular tuple next to float64 ``vectors`` and ``value``, by Newton's method.

    Parameters
    ----------
    digits : int, optional
        Correct decimal digits; then ``precise`` is the tensor in mpf, or left out where the floats are its exact
        entries.
    """
    size = np.abs(tensor).max()
    scaled, shape = tensor / size, tensor.shape
    x = newton(lambda z: _lim(scaled, z, shape), lambda z: _jacobian(scaled, z, shape), _joined(vectors, value / size))
    if digits is None:
        *found, s = _split(x, shape)
        found = [u / np.linalg.norm(u) for u in found]
        made, tolerance = tensor, TOLERANCE
    else:
        ctx = context(digits + 30)
        made = np.vectorize(ctx.mpf, otypes=[object])(tensor) if precise is None else precise
        size = max(abs(entry) for entry in made.flat)
        x = refine(lambda z: _lim(made / size, z, shape), lambda z: _jacobian(scaled, z, shape), x, ctx)
        *found, s = _split(x, shape)
        tolerance = ctx.mpf(10) ** (-digits - 5)
    residual = Residual(
        "Lim's equations", lim_residual(made, found, s * size), tolerance, "largest entry of the tensor"
    )
    if digits is None:
        return SingularTuple(s * size, tuple(found), (residual,), steps)
    return SingularTuple(public(s * size, digits), tuple(public(u, digits) for u in found), (residual,), steps)


def _joined(vectors, value) -> np.ndarray:
    return np.concatenate([*vectors, [value]])


def _split(x, shape) -> list:
    """x = (u_1, .., u_L, s)."""
    ends = np.cumsum((0, *shape))
    return [x[a:b] for a, b in zip(ends[:-1], ends[1:], strict=True)] + [x[-1]]


def _lim(tensor, x, shape):
    """Lim's equations and |u_1|^2 = 1; the other norms follow, because u_l . (equation l) = A o (u_1, .., u_L) - s
    |u_l|^2.
    """
    *vectors, s = _split(x, shape)
    parts = [contract(tensor, vectors, skip=l) - s * u for l, u in enumerate(vectors)]
    return np.concatenate([*parts, [(vectors[0] @ vectors[0] - 1) / 2]])


def _jacobian(tensor, x, shape) -> np.ndarray:
    *vectors, s = _split(x, shape)
    ends = np.cumsum((0, *shape))
    J = np.zeros((len(x), len(x)))
    for l in range(len(shape)):
        rows = slice(ends[l], ends[l + 1])
        J[rows, rows] = -s * np.eye(shape[l])
        J[rows, -1] = -vectors[l]
        for k in range(l):
            pair = tensor
            for mode in sorted(set(range(len(shape))) - {k, l}, reverse=True):
                pair = np.tensordot(pair, vectors[mode], axes=(mode, 0))
            columns = slice(ends[k], ends[k + 1])
            J[columns, rows], J[rows, columns] = pair, pair.T
    J[-1, : ends[1]] = vectors[0]
    return J


def orthogonal_tuples(sigma, depth: int) -> Iterator[tuple[Any, np.ndarray]]:
    """Yield all real singular tuples with s > 0 of sum_j sigma_j e_j ⊗ .. ⊗ e_j (depth factors), in closed form.

    For every support I: s = (sum_{j in I} |sigma_j|^{-2/(L-2)})^{-(L-2)/2}, and |u_{l,j}| = (s/|sigma_j|)^{1/(L-2)}
    for every l, with the product over l of the signs of u_{l,j} that of sigma_j. There are ((2^{L-1}+1)^m -
    1)/2^{L-1} of them, up to changing the sign of an even number of the u_l.

    Parameters
    ----------
    sigma : sequence of m nonzero exact numbers or symbols
    depth : int >= 3
        For depth 2 these are the singular vectors of a diagonal matrix.

    Yields
    ------
    s, and the (L, m) array of the u_l in the basis e_j: SymPy objects.

    Source
    ------
    Robeva and Seigal (2017); derivations/theorem_1.py.

    Examples
    --------
    >>> sorted((s for s, _ in orthogonal_tuples([3, 1], depth=3)), key=float)
    [3*sqrt(10)/10, 3*sqrt(10)/10, 3*sqrt(10)/10, 3*sqrt(10)/10, 1, 3]
    """
    if depth < 3:
        raise BadInput(
            f"depth = {depth}: the closed form needs depth >= 3; a matrix has its singular value decomposition"
        )
    values = [sympy.sympify(entry) for entry in sigma]
    if any(entry == 0 for entry in values):
        raise BadInput("a zero sigma_j is no term of the decomposition: leave it out")
    power = sympy.Rational(1, depth - 2)
    for size in range(1, len(values) + 1):
        for support in combinations(range(len(values)), size):
            s = sum(abs(values[j]) ** (-2 * power) for j in support) ** sympy.Rational(2 - depth, 2)
            lengths = {j: (s / abs(values[j])) ** power for j in support}
            for signs in product((1, -1), repeat=(depth - 1) * (size - 1)):
                u = np.full((depth, len(values)), sympy.Integer(0), dtype=object)
                for place, j in enumerate(support):
                    # The first coordinate of the support has all signs +: that is the freedom of the sign of each u_l.
                    free = (1,) * (depth - 1) if place == 0 else signs[(place - 1) * (depth - 1) : place * (depth - 1)]
                    last = sympy.sign(values[j]) * int(np.prod(free))
                    u[:, j] = [sign * lengths[j] for sign in (*free, last)]
                yield s, u

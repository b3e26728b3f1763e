"""min sum_j w_j |rho_j| subject to A rho = y: an exact basis with an exact certificate when the data are rational."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import QQ

from symbias import exact
from symbias.errors import BadInput, NotConverged
from symbias.numeric.exact_lp import rationals, whole
from symbias.numeric.simplex import Numbers, Simplex, dot
from symbias.numeric.weighted_l2 import Interpolant, door
from symbias.precision import adopt, context, public
from symbias.verdict import Residual

_GUARD = 30  # digits beyond those asked for where the data are not rational; ties are decided at half of them


@dataclass(frozen=True)
class Program:
    """The data in the ring: x_j = rho_j / scale_j, rows of A and y multiplied by ``rows``, the costs by ``unit``."""

    numbers: Numbers
    columns: list[list[Any]]
    y: list[Any]
    w: list[Any]
    rows: list[Any]
    scale: list[Any]
    unit: Any


def program(matrix: np.ndarray, y: np.ndarray, weights: np.ndarray, digits: int | None) -> Program:
    """Return the linear program over the integers, or to ``digits`` (25 without) where the data are not rational."""
    given = [rationals(values) for values in (weights, matrix, y)]
    if all(values is not None for values in given):
        w, a, b, unit, scale, rows = whole(*given)
        return Program(Numbers(), a.T.tolist(), b.tolist(), w.tolist(), rows.tolist(), scale.tolist(), unit)
    # unit costs, rows and y of unit size: signs are judged against 1
    digits = digits or 25
    ctx = context(digits + _GUARD)
    a, b, w = (exact.to_precise(values, ctx) for values in (matrix, y, weights))
    size = max(abs(x) for x in b) or ctx.mpf(1)
    scale = [size / x if x else size for x in w]
    a = a * np.array(scale, dtype=object) / size
    rows = [1 / (max(abs(x) for x in row) or ctx.mpf(1)) for row in a]
    columns = [[x * r for x, r in zip(column, rows, strict=True)] for column in a.T]
    numbers = Numbers(ctx, ctx.mpf(10) ** -(digits + _GUARD // 2))
    right = [x * r / size for x, r in zip(b, rows, strict=True)]
    return Program(numbers, columns, right, [ctx.mpf(1 if x else 0) for x in w], rows, scale, ctx.mpf(1))


@dataclass(frozen=True)
class Face:
    """The minimisers of the linear program: rho_j = signs_j x_j on the columns ``tight``, x >= 0, A rho = y, else 0.

    ``vertices``: minimisers as lists over all m coordinates, the first being the one found; every coordinate that is
    not 0 in all minimisers is not 0 in one of them. ``nu`` is the dual: |A_j^T nu| <= w_j, with equality on ``tight``.
    """

    numbers: Numbers
    tight: list[int]
    signs: list[int]
    vertices: list[list[Any]]
    nu: list[Any]
    gap: Any  # (sum w |rho| - y.nu) / sum w |rho|
    free: tuple[int, ...]  # the coordinates that differ between minimisers


def optimal_face(problem: Program, hint: Sequence[int]) -> Face:
    """Solve the linear program in its ring from a basis that is nearly optimal, and describe all its minimisers."""
    columns, y, w, numbers = problem.columns, problem.y, problem.w, problem.numbers
    m, sign = len(columns), numbers.sign
    found = Simplex([*columns, *[[-entry for entry in column] for column in columns]], y, numbers)
    if found.start(hint):
        raise BadInput("the rows of A are dependent: drop the dependent rows")
    # any basis is feasible once each of its columns takes the sign of its value
    for place, value in enumerate(found.values):
        if value < 0:
            found.turn(place, found.basis[place] + m)
    found.solve([*w, *w])
    products = [dot(column, found.nu) for column in columns]
    tight = [j for j in range(m) if sign(abs(products[j]) - w[j] * found.denominator) == 0]
    orientation = {j: -1 if products[j] < 0 else 1 for j in tight}
    for j, value in zip(found.basis, found.values, strict=True):
        if sign(value) != 0 and orientation[j % m] != (1 if j < m else -1):
            orientation[j % m] = -orientation[j % m]  # a weight of 0: both signs are tight, and this one is used
    signs = [orientation[j] for j in tight]
    first = vertex(found, m, numbers)
    value = sum((x * abs(v) for x, v in zip(w, first, strict=True)), start=0 * first[0])
    dual = numbers.ratio(dot(y, found.nu), found.denominator)
    gap = abs(value - dual) / value if value else abs(value - dual)
    nu = [numbers.ratio(x, found.denominator * problem.unit) * r for x, r in zip(found.nu, problem.rows, strict=True)]
    others = other_vertices(found, tight, signs, first)
    free = tuple(j for j in tight if any(sign(v[j] - first[j]) for v in others))
    vertices = [[x * scale for x, scale in zip(v, problem.scale, strict=True)] for v in (first, *others)]
    return Face(numbers, tight, signs, vertices, nu, gap, free)


def other_vertices(found: Simplex, tight: list[int], signs: list[int], first: list[Any]) -> list[list[Any]]:
    """Walk on the optimal face, each time towards the coordinates that were 0 so far, until no more can leave 0."""
    m, sign = len(first), found.numbers.sign
    face = {j: j if s > 0 else j + m for j, s in zip(tight, signs, strict=True)}
    for i, k in enumerate(found.basis):
        if k != face[k % m]:
            found.turn(i, face[k % m])
    seen, vertices = {face[j] for j in tight if sign(first[j]) != 0}, []
    while len(seen) < len(tight):
        found.solve([0 if k in seen else -1 for k in range(2 * m)], sorted(face.values()))
        new = {k for k, v in zip(found.basis, found.values, strict=True) if sign(v) > 0} - seen
        if not new:
            break
        seen |= new
        vertices.append(vertex(found, m, found.numbers))
    return vertices


def vertex(found: Simplex, m: int, numbers: Numbers) -> list[Any]:
    """Return rho of a basic solution over the columns and their negatives."""
    zero = 0 * found.values[0]
    rho = [numbers.ratio(zero, zero + 1)] * m
    for j, value in zip(found.basis, found.values, strict=True):
        rho[j % m] += numbers.ratio(value, found.denominator) * (1 if j < m else -1)
    return rho


def starting_basis(matrix: np.ndarray, y: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return n independent columns that are nearly an optimal basis: those that HiGHS uses, then those nearly tight."""
    from scipy.optimize import linprog

    from symbias.numeric.frame import choose

    n, m = matrix.shape
    rows = np.abs(matrix).max(axis=1)
    rows = np.where(rows > 0, rows, 1.0)
    scaled = matrix / rows[:, None] / np.where(w > 0, w, 1.0)
    size = np.abs(y / rows).max() or 1.0
    answer = linprog(
        np.tile(np.where(w > 0, 1.0, 0.0), 2), A_eq=np.hstack([scaled, -scaled]), b_eq=y / rows / size, method="highs"
    )
    weight = -np.log(w + 1e-300)
    if answer.status == 0:
        used = np.abs(answer.x[:m] - answer.x[m:])
        tight = np.abs(answer.eqlin.marginals @ scaled) / np.where(w > 0, 1.0, np.inf)
        # used columns first, the larger the sooner; then the tighter the sooner
        used = used / (used.max() or 1.0)
        weight = np.where(used > 1e-9, 200 + np.log(np.maximum(used, 1e-300)), 100 * np.minimum(tight, 1.0))
        weight = 2 * weight
    frame = choose(scaled, y / rows / size, weight)
    if isinstance(frame, int):
        raise BadInput(f"A has rank {frame} but {n} rows: drop the dependent rows")
    return frame.anchor


def solve_face(matrix: np.ndarray, y: np.ndarray, weights: np.ndarray, digits: int | None) -> Face:
    """Return the optimal face of the linear program."""
    floats = [exact.to_float(values) for values in (matrix, y, weights)]
    for values, name in zip(floats, ("A", "y", "weights"), strict=True):
        if not np.isfinite(values).all():
            raise BadInput(f"{name} leaves the range of float64")
    if (floats[2] < 0).any():
        j = int(np.argmax(floats[2] < 0))
        raise BadInput(f"weights[{j}] = {weights[j]}: no weight may be negative")
    return optimal_face(program(matrix, y, weights, digits), starting_basis(*floats).tolist())


def weighted_l1(A: Any, y: Any, weights: Any, digits: int | None = None) -> Interpolant:  # noqa: N803
    r"""Return a minimiser of sum_j w_j |rho_j| over A rho = y, and whether it is the only one.

    Parameters
    ----------
    A : array (n, m) of full row rank;  y : array (n,);  weights : array (m,), at least 0
        Floats mean their exact binary values, so that float64 data are rational.
    digits : int, optional
        Decimal digits of the result; float64 without.

    Returns
    -------
    Interpolant
        ``rho`` is a vertex; ``unique`` is exact for rational data; ``free`` are the coordinates that differ between
        minimisers; ``nu`` is the certificate |A_j^T nu| <= w_j, y.nu = sum w |rho|; ``exact`` for rational data.

    Raises
    ------
    BadInput
        Shapes, entries that are not finite, a negative weight, dependent rows of A.
    NotConverged
        Without end (never over the rationals), or a residual above its tolerance.

    Accuracy
    --------
    Rational data: exact, with an exact certificate. Otherwise a tie is what 10^-(digits + 15) cannot tell apart.

    Source
    ------
    arXiv:2010.02501v3, Theorem 5 with alpha to 0.

    Examples
    --------
    >>> weighted_l1([[2, "2.5"]], [1], [2, 1]).exact.tolist()
    [0, 2/5]
    """
    began = time.perf_counter()
    matrix, y, weights = door(A, y, weights)
    face = solve_face(matrix, y, weights, digits)
    return report(face, face.vertices[0], matrix, y, digits, began)


def report(face: Face, rho: list, matrix, y, digits: int | None, began: float, residuals=(), steps=0) -> Interpolant:
    """Make the record of a point of the face, with feasibility and the duality gap recomputed."""
    free = face.free
    exact_rho = None
    if face.numbers.ctx is None and not residuals:
        exact_rho = np.array([QQ.to_sympy(x) for x in rho], dtype=object)
        if (rationals(matrix) @ np.array(rho, dtype=object) != rationals(y)).any():
            raise NotConverged("the exact answer does not satisfy A rho = y")
        if face.gap:
            raise NotConverged("the exact certificate does not hold")
        residuals = (Residual("feasibility", 0.0, 0.0, "exact"), Residual("duality gap", 0.0, 0.0, "exact"))
    places = digits or 20
    ctx = context(places + 10)
    values = np.array([as_mpf(x, ctx) for x in rho], dtype=object)
    nu = np.array([as_mpf(x, ctx) for x in face.nu], dtype=object)
    if exact_rho is None:
        wide = exact.to_precise(matrix, ctx)
        target = exact.to_precise(y, ctx)
        scale = max((abs(x) for x in target), default=0) or ctx.mpf(1)
        tolerance = public(ctx.mpf(10) ** -(digits or 14), 5)
        feasible = max(abs(x) for x in wide @ values - target) / scale
        residuals = (
            Residual("feasibility", public(feasible, 5), tolerance, "max |y|"),
            Residual("duality gap", public(as_mpf(face.gap, ctx), 5), tolerance, "sum w |rho|"),
            *residuals,
        )
    if digits is None:
        values, nu = values.astype(float), nu.astype(float)
    else:
        values, nu = public(values, digits), public(nu, digits)
    return Interpolant(
        rho=values,
        nu=nu,
        residuals=residuals,
        unique=not free,
        free=free,
        exact=exact_rho,
        steps=steps,
        digits=digits,
        seconds=time.perf_counter() - began,
    )


def as_mpf(value, ctx):
    """Round a rational or an mpf to the context."""
    return ctx.mpf(int(value.numerator)) / int(value.denominator) if QQ.of_type(value) else adopt(ctx, value)

"""Ties between coordinates that exact arithmetic confirms, and margin problems with several solutions."""

import numpy as np

from symbias.dynamics.coordinates import CoordinateFlow
from symbias.dynamics.merged import Coordinates
from symbias.dynamics.race import restarted
from symbias.errors import NotConverged, Undecided
from symbias.exact import to_float
from symbias.kernels import precise
from symbias.numeric.exact_lp import Unbounded, minimize, solve
from symbias.numeric.face import balanced
from symbias.numeric.max_margin import Margin, as_precise, entries, l1_margin


def exact_tie(problem: Coordinates, fault: Undecided) -> tuple[np.ndarray, str]:
    """An exact tie with all samples as support vectors: the balanced point of the face that contains the dual of the
    flow.
    """
    ctx, L = problem.ctx, problem.depth
    if not problem.plain:
        raise fault
    a = np.abs(problem.etas[0])[problem.first]
    weights = np.array([1 / entry ** (L - 2) for entry in a], dtype=object)
    margin = l1_margin(problem.merged, ctx, plus=weights)
    dual = precise.c(ctx, L) * as_precise(ctx, margin.mu)
    flow = problem.flow()
    reached, limit = _dual_at(flow, 1e15 * max(flow.one, flow.size())), to_float(dual * problem.size ** (L - 2))
    off = np.abs(reached - limit).max() / np.abs(limit).max()
    if off > 1e-3 or not all(margin.mu):
        raise fault
    if margin.unique:
        rho = as_precise(ctx, margin.rho) / problem.multiplicity
        how = f"an exact tie with one solution of the weighted l1 margin; the flow's dual is within {off:.0e} of it"
    else:
        rho = balanced_point(problem, margin, weights)
        tied = [problem.first[j] + 1 for j in np.flatnonzero(rho)]
        how = f"an exact tie of the coordinates {tied}, shared as the next order asks"
    return rho, how


def balanced_point(problem: Coordinates, margin: Margin, weights, frozen=None, late=()) -> np.ndarray:
    """The balanced point on the coordinates whose dual constraint is tight, on a side that their sign allows.

    ``frozen`` is A_F^T mu_F of the samples that stop growing; ``late`` are samples without a multiplier of the margin
    problem that have the least margin all the same.
    """
    ctx, start = problem.ctx, problem.start
    J, signs = _tied(problem, margin, weights)
    (A,), tolerance = entries(ctx, problem.merged[:, J])
    I = _independent(A, [*margin.support, *late], tolerance)
    scale = np.array(
        [(s * start.z[j] + ctx.sqrt(start.z[j] ** 2 + start.delta[0, j])) ** 2 for s, j in zip(signs, J, strict=True)],
        dtype=object,
    )
    if frozen is not None:
        scale = scale * np.array([ctx.exp(2 * s * frozen[j]) for s, j in zip(signs, J, strict=True)], dtype=object)
    rows = as_precise(ctx, problem.merged)
    B = rows[np.ix_(I, J)]
    mu = solve(B @ B.T, B @ (rows[:, J].T @ as_precise(ctx, margin.mu)))
    rho = np.array([ctx.zero] * rows.shape[1], dtype=object)
    try:
        rho[J] = balanced(B, signs, problem.multiplicity[J], problem.depth, ctx, scale, mu)
    except NotConverged as error:
        raise Undecided(f"a tie of the coordinates {[problem.first[j] + 1 for j in J]}: {error}") from None
    if min(rows @ (problem.multiplicity * rho)) < 1 - ctx.mpf(10) ** (20 - ctx.dps):
        raise Undecided(
            "on the balanced point of the tie another sample has the smallest margin: perturb the data or the start"
        )
    return rho


def _tied(problem: Coordinates, margin: Margin, weights) -> tuple[list[int], np.ndarray]:
    """The coordinates whose dual constraint is tight, on a side that their sign allows, and that side."""
    (A, b), tolerance = entries(problem.ctx, problem.merged, weights)
    pull, kept = A.T @ margin.mu, problem.start.kept
    tight = [j for j in range(A.shape[1]) if abs(abs(pull[j]) - b[j]) <= 100 * tolerance * b[j]]
    J = [j for j in tight if kept[j] * pull[j] >= 0]
    signs = np.array([1 if pull[j] > 0 else -1 for j in J])
    if problem.depth == 2:
        grows = _grows(A[:, J] * signs, margin.support, tolerance)
        J, signs = [j for j, grow in zip(J, grows, strict=True) if grow], signs[grows]
    return J, signs


def _grows(directed, support, tolerance) -> list[bool]:
    """Which t_j are positive somewhere on the face directed t >= 1, with equality on the support vectors, t >= 0."""
    n, m = directed.shape
    unit = max(abs(entry) for entry in directed.flat)  # for mpf: entries of order one
    free = [i for i in range(n) if i not in support]
    zero = directed.flat[0] * 0
    slacks = np.array([[zero - 1 if i == k else zero for k in free] for i in range(n)], dtype=object).reshape(n, -1)
    M, ones = np.concatenate([directed / unit, slacks], axis=1), np.array([zero + 1] * n, dtype=object)
    found = []
    for j in range(m):
        cost = np.array([zero - 1 if k == j else zero for k in range(M.shape[1])], dtype=object)
        try:
            found.append(bool(minimize(cost, M, ones, tolerance=tolerance).x[j] > 100 * tolerance))
        except Unbounded:
            found.append(True)
    return found


def choosers(problem: Coordinates, margin: Margin, weights) -> list[int]:
    """The samples, no support vectors, whose multipliers move the balanced point.

    On the tied coordinates J, a row that is a combination of those of the support vectors is absorbed by their
    multipliers.
    """
    J, _ = _tied(problem, margin, weights)
    (A,), tolerance = entries(problem.ctx, problem.merged[:, J])
    basis = A[_independent(A, margin.support, tolerance)]
    return [i for i in range(len(A)) if i not in margin.support and _adds(basis, A[i], tolerance)]


def _independent(A, samples, tolerance) -> list[int]:  # noqa: N803
    """The first of the samples whose rows are independent and span those of all."""
    found: list[int] = []
    for i in samples:
        if _adds(A[found], A[i], tolerance):
            found.append(i)
    return found


def _adds(basis, row, tolerance) -> bool:
    """True when the row is no combination of the independent rows of ``basis``."""
    rest = row - solve(basis @ basis.T, basis @ row) @ basis if len(basis) else row
    return max(abs(entry) for entry in rest) > 100 * tolerance * max(abs(entry) for entry in row)


def _dual_at(flow: CoordinateFlow, margin: float) -> np.ndarray:
    """mu of the flow when the least margin passes ``margin``."""
    for step in restarted(flow, 1e-11):
        if flow.margins(step.state).min() >= margin:
            return flow.dual(step.state)
    raise NotConverged(f"the margins did not reach {margin:.0e}")

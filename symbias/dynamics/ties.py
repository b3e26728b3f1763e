"""Ties between coordinates that exact arithmetic confirms, and margin problems with several solutions."""

import numpy as np

from symbias.dynamics.coordinates import CoordinateFlow
from symbias.dynamics.merged import Coordinates
from symbias.dynamics.race import restarted
from symbias.errors import NotConverged, Undecided
from symbias.exact import to_float
from symbias.kernels import precise
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
        rho = balanced_point(problem, margin, weights, None)
        tied = [problem.first[j] + 1 for j in np.flatnonzero(rho)]
        how = f"an exact tie of the coordinates {tied}, shared as the next order asks"
    return rho, how


def balanced_point(problem: Coordinates, margin: Margin, weights, frozen) -> np.ndarray:
    """The balanced point on the coordinates whose dual constraint is tight, on a side that their sign allows."""
    ctx = problem.ctx
    (A, b), tolerance = entries(ctx, problem.merged, weights)
    pull = A.T @ margin.mu
    start = problem.start
    tight = [j for j in range(A.shape[1]) if abs(abs(pull[j]) - b[j]) <= 100 * tolerance * b[j]]
    J = [j for j in tight if start.kept[j] * pull[j] >= 0]
    I = list(margin.support)
    signs = np.array([1 if pull[j] > 0 else -1 for j in J])
    scale = np.array(
        [(s * start.z[j] + ctx.sqrt(start.z[j] ** 2 + start.delta[0, j])) ** 2 for s, j in zip(signs, J, strict=True)],
        dtype=object,
    )
    if frozen is not None:
        scale = scale * np.array([ctx.exp(2 * s * frozen[j]) for s, j in zip(signs, J, strict=True)], dtype=object)
    rows = as_precise(ctx, A)
    mu = as_precise(ctx, margin.mu)[I]
    rho = np.array([ctx.zero] * A.shape[1], dtype=object)
    try:
        rho[J] = balanced(rows[np.ix_(I, J)], signs, problem.multiplicity[J], problem.depth, ctx, scale, mu)
    except NotConverged as error:
        raise Undecided(f"a tie of the coordinates {[problem.first[j] + 1 for j in J]}: {error}") from None
    if min(rows @ (problem.multiplicity * rho)) < 1 - ctx.mpf(10) ** (20 - ctx.dps):
        raise Undecided(
            "on the balanced point of the tie another sample has the smallest margin: perturb the data or the start"
        )
    return rho


def _dual_at(flow: CoordinateFlow, margin: float) -> np.ndarray:
    """mu of the flow when the least margin passes ``margin``."""
    for step in restarted(flow, 1e-11):
        if flow.margins(step.state).min() >= margin:
            return flow.dual(step.state)
    raise NotConverged(f"the margins did not reach {margin:.0e}")


#: Samples that are no support vectors have weights below exp(-FROZEN) when their multipliers are read.
FROZEN = 80.0


def tilt(problem: Coordinates, others, digits) -> np.ndarray:
    """A_F^T mu_F: the pull of the samples that stopped growing, from the integrated flow (float64)."""
    if digits is not None and digits > TILT_DIGITS:
        raise NotConverged(
            f"the l1 margin has several solutions, and which one is reached is known to {TILT_DIGITS} digits only: "
            f"ask for digits={TILT_DIGITS} at most"
        )
    flow = problem.flow()
    for step in restarted(flow, 1e-12):
        margins = flow.margins(step.state)
        if (margins[others] - margins.min()).min() > FROZEN:
            mu = flow.dual(step.state)
            return as_precise(problem.ctx, (flow.A[others].T @ mu[others]).astype(object))
        if margins.min() > 1e60:
            break
    raise Undecided("the l1 margin has several solutions, and a sample next to the support vectors does not freeze")


#: Digits to which the float64 flow knows the frozen multipliers.
TILT_DIGITS = 8

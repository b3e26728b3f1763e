"""Where rho ends in direction: the stationary point of min ||rho||_{2/L} s.t. A rho >= 1 that this start reaches.

Real coordinates (A = diag(y) X S^T, eta_l(0)). Depth 2: the l1 maximum margin, whatever the start, and among several
solutions the one the start selects. Depth >= 3: the integrated reduced flow names the support vectors I and the
growing coordinates J; rho_J is then the exact solution of A_IJ rho_J = 1. One sample: the coordinate with the least
blow-up time, no integration.

Ties of the start restrict all of it: a coordinate whose two smallest layers are equal keeps its sign (the forbidden
side of depth 2 has no bound in the dual; for depth >= 3 it has no blow-up), one with two zero layers stays 0 and is
left out. ``separable`` decides whether the data can still be separated: only then does the loss go to 0.
"""

from dataclasses import dataclass

import numpy as np

from symbias.dynamics.clock import Clock, places
from symbias.dynamics.frozen import frozen_pull
from symbias.dynamics.merged import Coordinates
from symbias.dynamics.race import race
from symbias.dynamics.ties import balanced_point, choosers, exact_tie
from symbias.errors import BadInput, HypothesisFails, Undecided
from symbias.exact import to_float
from symbias.kernels import precise
from symbias.numeric.exact_lp import Infeasible, minimize, solve
from symbias.numeric.max_margin import Margin, entries, l1_margin
from symbias.numeric.max_margin import as_precise as _mpf


@dataclass(frozen=True)
class Growth:
    """``rho`` (m,) scaled to least margin 1; ``multipliers`` (n,) >= 0 of the stationary point; mpf.

    ``finite``: what the coordinates tend to as the loss goes to 0, infinite for those that grow; None when they
    depend on the whole trajectory. ``how`` says in words what decided.
    """

    rho: np.ndarray
    multipliers: np.ndarray
    finite: np.ndarray | None
    how: str


def growth(A: np.ndarray, etas, ctx, digits: int | None = None) -> Growth:
    """Return the limit direction of rho for real coordinates.

    Parameters
    ----------
    A : (n, m) rows y_i S x_i, exact numbers or mpf; separable
    etas : L arrays (m,), the start eta_l(0) of every layer
    ctx : mpmath context; 15 of its digits are guard digits
    digits : int, optional
        The digits asked for, 15 when left out: those to which the multipliers that choose are integrated.

    Raises
    ------
    HypothesisFails
        No rho of the signs that ties keep separates the samples.
    Undecided
        A tie that exact arithmetic cannot confirm; the message says what would decide it.
    NotConverged
    """
    problem, live = alive(A, etas, ctx)
    if problem is None or (problem.start.kept.any() or not live.all()) and separable(problem) is None:
        raise HypothesisFails("the data are not separable with the signs that ties of the start keep: the loss stalls")
    if problem.depth == 2:
        found = _two_layers(problem, digits)
    elif len(A) == 1:
        found = _one_sample(problem)
    else:
        found = _many_samples(problem)
    if live.all():
        return found
    finite = None if found.finite is None else _among(live, found.finite, ctx)
    return Growth(_among(live, found.rho, ctx), found.multipliers, finite, found.how)


def alive(A: np.ndarray, etas, ctx) -> tuple[Coordinates | None, np.ndarray]:
    """The problem in the coordinates that can move (None when there are none), and which they are, (m,) bool."""
    (A,), _ = entries(ctx, A)
    etas = entries(ctx, *etas)[0]
    # With two zero layers every derivative of the coordinate is zero.
    live = np.array([sum(not eta[j] for eta in etas) < 2 for j in range(A.shape[1])])
    return (Coordinates(A[:, live], tuple(eta[live] for eta in etas), ctx) if live.any() else None), live


def separable(problem: Coordinates) -> Margin | None:
    """The l1 maximum margin over rho of the signs that ties keep, which proves it; None when there is no such rho.

    The l1 margin is that of the merged coordinates. Rational data are decided exactly.
    """
    try:
        return l1_margin(problem.merged, problem.ctx, kept=problem.start.kept)
    except BadInput:
        return None


def _among(live, values, ctx) -> np.ndarray:
    """The values of the live coordinates among all: 0 for the others."""
    out = np.full(len(live), ctx.zero, dtype=object)
    out[live] = values
    return out


def _one_sample(problem: Coordinates) -> Growth:
    """The winner has the least blow-up time int_{z(0)}^{±oo} dz / omega / |s_j|; ties share as |s_j|^{-L/(L-2)}."""
    ctx, L, s = problem.ctx, problem.depth, problem.merged[0]
    if problem.plain:
        (s_, a), tolerance = entries(ctx, s, np.abs(problem.etas[0])[problem.first])
        speed = [abs(entry) * size ** (L - 2) for entry, size in zip(s_, a, strict=True)]
    else:
        tolerance = ctx.mpf(10) ** (15 - ctx.dps)
        speed = [abs(_one(ctx, entry)) / _blow_up(problem, j, entry) for j, entry in enumerate(s)]
    top = max(speed)
    winners = [j for j, entry in enumerate(speed) if entry >= top * (1 - tolerance)]
    s = _mpf(ctx, s)
    power = ctx.mpf(L) / (L - 2)
    rho = np.array([ctx.zero] * len(s), dtype=object)
    for j in winners:
        rho[j] = ctx.sign(s[j]) * abs(s[j]) ** -power if len(winners) > 1 else 1 / s[j]
    rho = rho / ((problem.multiplicity * rho) @ s)
    w = winners[0]
    finite = _finite(problem, _mpf(ctx, problem.A[0]) * _blow_up(problem, w, s[w]) / abs(s[w]), winners)
    names = [problem.first[j] + 1 for j in winners]
    how = (
        "the winner is the coordinate of least blow-up time"
        if len(names) == 1
        else f"an exact tie of the coordinates {names}"
    )
    full = problem.spread(rho)
    return Growth(full, _multipliers(problem.A, full, L, ctx), finite, how)


def _members(problem: Coordinates, merged) -> list[bool]:
    """Which of all coordinates belong to the merged ones named."""
    inside = {j for k in merged for j in problem.groups[k]}
    return [j in inside for j in range(problem.A.shape[1])]


def _finite(problem: Coordinates, pull, winners) -> np.ndarray | None:
    """What rho_j tends to when (A^T mu)_j tends to pull_j, infinite for the winners.

    None where a loser is next to its own blow-up, and the digits are gone.
    """
    ctx, L, grown = problem.ctx, problem.depth, _members(problem, winners)
    if problem.plain:
        a = _mpf(ctx, np.abs(problem.etas[0]))
        ends = [
            ctx.zero if up else size**L * precise.h(ctx, L, size ** (L - 2) * p)
            for size, p, up in zip(a, pull, grown, strict=True)
        ]
    else:
        ends = list(places(ctx, problem.whole, [ctx.zero if up else p for p, up in zip(pull, grown, strict=True)]))
    if not all(ctx.isfinite(end) for end in ends):
        return None
    made = [ctx.sign(p) * ctx.inf if up else end for p, up, end in zip(pull, grown, ends, strict=True)]
    return np.array(made, dtype=object)


def _blow_up(problem: Coordinates, j: int, side):
    """The time int dz/omega until coordinate j (merged) is infinite on that side; infinite when a tie forbids it."""
    ctx, start = problem.ctx, problem.start
    if not side:
        return ctx.inf
    if problem.plain:
        return precise.c(ctx, problem.depth) * start.unit[j] ** (2 - problem.depth)
    clock = Clock(ctx, start.z[j], list(start.delta[:, j]), start.unit[j], start.kept[j])
    return clock.left(clock.zeta, 1 if side > 0 else -1)


def _many_samples(problem: Coordinates) -> Growth:
    """By the race; where it ends in a tie, by exact arithmetic."""
    ctx, A = problem.ctx, problem.A
    try:
        found = race(problem.flow())
    except Undecided as fault:
        return _tie(problem, fault)
    if not found.gaps:
        return _tie(problem, Undecided(f"the coordinates {[problem.first[j] + 1 for j in found.active]} grow alike"))
    I, J = list(found.support), list(found.active)
    (output,), tolerance = entries(ctx, problem.merged * problem.multiplicity)
    rho = _vertex(output, I, J, tolerance)
    full = problem.spread(_mpf(ctx, rho))
    finite = None
    if len(I) == len(J) == len(A):
        finite = _all_finite(problem, J, found.signs)
    how = f"the reduced flow, read at a margin of {found.margin:.0e}, smallest gap {min(found.gaps.values()):.1e}"
    return Growth(full, _multipliers(problem.A, full, problem.depth, ctx), finite, how)


def _vertex(output, I, J, tolerance) -> np.ndarray:
    """rho_J with output_IJ rho_J = 1 for all of I (more equations than unknowns must agree)."""
    rows: list[int] = []
    for i in I:  # independent rows, greedily
        trial = to_float(output[np.ix_([*rows, i], J)])
        if np.linalg.matrix_rank(trial, tol=1e-9 * np.abs(trial).max()) == len(rows) + 1 and len(rows) < len(J):
            rows.append(i)
    one = output.flat[0] * 0 + 1
    rho = np.array([one * 0] * output.shape[1], dtype=object)
    rho[J] = solve(output[np.ix_(rows, J)], np.array([one] * len(J), dtype=object))
    left = max(abs(entry - 1) for entry in output[I] @ rho)
    if left > 1000 * tolerance:
        raise Undecided(
            f"the margins of the support vectors {I} differ by {float(left):.1e} on their vertex: a near tie"
        )
    return rho


def _all_finite(problem: Coordinates, J, signs) -> np.ndarray | None:
    """When all samples are support vectors, A_J^T mu = signs times the blow-up times gives mu, and it all
    coordinates.
    """
    A = _mpf(problem.ctx, problem.A)
    ends = [sign * _blow_up(problem, j, sign) for j, sign in zip(J, signs, strict=True)]
    mu = solve(A[:, [problem.first[j] for j in J]].T, np.array(ends, dtype=object))
    return _finite(problem, A.T @ mu, J)


def _tie(problem: Coordinates, fault: Undecided) -> Growth:
    """What exact arithmetic says of a race that does not end."""
    rho, how = exact_tie(problem, fault)
    full = problem.spread(rho)
    return Growth(full, _multipliers(problem.A, full, problem.depth, problem.ctx), None, how)


def _two_layers(problem: Coordinates, digits: int | None) -> Growth:
    """The l1 maximum margin; where it is not unique, the point of the optimal face that the frozen multipliers
    select.
    """
    ctx = problem.ctx
    margin = l1_margin(problem.merged, ctx, kept=problem.start.kept)
    mu = _mpf(ctx, margin.mu)
    if margin.unique:
        rho, how = _mpf(ctx, margin.rho) / problem.multiplicity, "the only solution of the l1 margin"
    else:
        ones = np.ones(len(problem.groups), dtype=int)
        others = choosers(problem, margin, ones)

        def limit(pull, late):
            return balanced_point(problem, margin, ones, pull, late)

        rho = limit(*(frozen_pull(problem, others, (digits or 11) + 2, limit) if others else (None, [])))
        how = "the l1 margin has several solutions: the one that this start selects"
        how += "; the multipliers of the other samples decide" if others else ""
    return Growth(problem.spread(rho), mu, None, how)


def _multipliers(A, rho, depth: int, ctx) -> np.ndarray:
    """mu >= 0 on the support vectors with (A^T mu)_j = sign(rho_j) |rho_j|^{2/L-1} wherever rho_j != 0."""
    A = _mpf(ctx, A)
    margins = A @ rho
    tolerance = ctx.mpf(10) ** (20 - ctx.dps)
    I = [i for i in range(len(A)) if margins[i] < 1 + tolerance]
    J = [j for j in range(A.shape[1]) if rho[j]]
    target = np.array([ctx.sign(rho[j]) * abs(rho[j]) ** (ctx.mpf(2) / depth - 1) for j in J], dtype=object)
    scale, unit = max(abs(t) for t in target), max(abs(entry) for entry in A.flat)
    mu = np.array([ctx.zero] * len(A), dtype=object)
    try:
        found = minimize(
            np.array([ctx.one] * len(I), dtype=object), A[np.ix_(I, J)].T / unit, target / scale, tolerance=tolerance
        )
    except Infeasible:
        raise Undecided("the direction read off is not a stationary point: the race was read too early") from None
    mu[I] = found.x * scale / unit
    return mu


def _one(ctx, value):
    return _mpf(ctx, np.array([value], dtype=object))[0]

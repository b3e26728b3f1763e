"""Where rho ends in direction: the stationary point of min ||rho||_{2/L} s.t. A rho >= 1 that this start reaches.

Real coordinates (A = diag(y) X S^T, eta_l(0)). Depth 2: the l1 maximum margin, whatever the start, and among several
solutions the one the start selects. Depth >= 3: the integrated reduced flow names the support vectors I and the
growing coordinates J; rho_J is then the exact solution of A_IJ rho_J = 1. One sample: the coordinate with the least
blow-up time, no integration.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from symbias.dynamics.coordinates import CoordinateFlow, Start, slack
from symbias.dynamics.race import race, restarted
from symbias.errors import NotConverged, Undecided
from symbias.kernels import precise
from symbias.numeric.exact_lp import Infeasible, minimize, solve
from symbias.numeric.face import balanced
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


@dataclass(frozen=True)
class Coordinates:
    """The problem in real coordinates, with equal columns of equal start merged: they evolve alike.

    ``A`` (n, m), ``etas`` (L arrays of m): elements of QQ, or mpf of ``ctx``.
    """

    A: np.ndarray
    etas: tuple[np.ndarray, ...]
    ctx: Any
    groups: list[list[int]] = field(init=False)
    signs: np.ndarray = field(init=False)

    def __post_init__(self):
        groups: dict[tuple, list[int]] = {}
        signs = np.ones(self.A.shape[1], dtype=int)
        for j in range(self.A.shape[1]):
            column = [self._key(entry) for entry in self.A[:, j]]
            lead = next((entry for entry in column if entry), 1)
            signs[j] = -1 if lead < 0 else 1
            start = [self._key(entry) for entry in (*self.whole.delta[:, j], signs[j] * self.whole.z[j])]
            groups.setdefault((*(signs[j] * entry for entry in column), *sorted(start[:-1]), start[-1]), []).append(j)
        object.__setattr__(self, "groups", list(groups.values()))
        object.__setattr__(self, "signs", signs)

    def _key(self, entry):
        """Equal numbers have equal keys: rationals as they are, mpf after dropping their guard digits."""
        if not hasattr(entry, "_mpf_"):
            return entry
        return self.ctx.mpf(self.ctx.nstr(entry, self.ctx.dps - 15)) if abs(entry) > 10.0 ** (15 - self.ctx.dps) else 0

    @cached_property
    def whole(self) -> Start:
        """The start of all coordinates, in mpf."""
        return Start.of([_mpf(self.ctx, eta) for eta in self.etas], self.ctx.sqrt)

    @property
    def first(self) -> list[int]:
        return [group[0] for group in self.groups]

    @property
    def multiplicity(self) -> np.ndarray:
        return np.array([len(group) for group in self.groups])

    @property
    def merged(self) -> np.ndarray:
        """One column a group, with the sign of its first coordinate."""
        return self.A[:, self.first]

    @property
    def start(self) -> Start:
        s, j = self.whole, self.first
        return Start(s.z[j], s.delta[:, j], s.unit[j], s.dead[j])

    @property
    def depth(self) -> int:
        return len(self.etas)

    @property
    def plain(self) -> bool:
        """True when the last layer is zero and the others have equal sizes: the start of Theorem 5."""
        same = all(abs(e) == abs(f) for eta in self.etas[1:-1] for e, f in zip(eta, self.etas[0], strict=True))
        return same and not any(self.etas[-1]) and all(self.etas[0])

    def spread(self, rho) -> np.ndarray:
        """From one entry a group to all coordinates."""
        out = np.array([rho[0] * 0] * self.A.shape[1], dtype=object)
        for value, group in zip(rho, self.groups, strict=True):
            for j in group:
                out[j] = value * int(self.signs[j] * self.signs[group[0]])
        return out


def growth(A: np.ndarray, etas, ctx, digits: int | None = None) -> Growth:
    """Return the limit direction of rho for real coordinates.

    Parameters
    ----------
    A : (n, m) rows y_i S x_i, exact numbers or mpf; separable
    etas : L arrays (m,), the start eta_l(0) of every layer
    ctx : mpmath context; 15 of its digits are guard digits
    digits : int, optional
        The digits asked for; None: float64, which accepts fewer where only the integrated flow knows them.

    Raises
    ------
    Undecided
        A tie that exact arithmetic cannot confirm; the message says what would decide it.
    NotConverged
    """
    (A,), _ = entries(ctx, A)
    problem = Coordinates(A, tuple(entries(ctx, *etas)[0]), ctx)
    if problem.depth == 2:
        return _two_layers(problem, digits)
    if len(A) == 1:
        return _one_sample(problem)
    return _many_samples(problem)


def _one_sample(problem: Coordinates) -> Growth:
    """The winner has the least blow-up time int_{z(0)}^{±oo} dz / omega / |s_j|; ties share as |s_j|^{-L/(L-2)}."""
    ctx, L, s = problem.ctx, problem.depth, problem.merged[0]
    if problem.plain:
        (s_, a), tolerance = entries(ctx, s, np.abs(problem.etas[0])[problem.first])
        speed = [abs(entry) * size ** (L - 2) for entry, size in zip(s_, a, strict=True)]
    else:
        tolerance = ctx.mpf(10) ** (15 - ctx.dps)
        speed = [abs(_one(ctx, entry)) / _until_blow_up(problem, j, entry) for j, entry in enumerate(s)]
    top = max(speed)
    if not top:
        raise Undecided("no coordinate that the sample sees can grow: the loss does not go to 0")
    winners = [j for j, entry in enumerate(speed) if entry >= top * (1 - tolerance)]
    s = _mpf(ctx, s)
    power = ctx.mpf(L) / (L - 2)
    rho = np.array([ctx.zero] * len(s), dtype=object)
    for j in winners:
        rho[j] = ctx.sign(s[j]) * abs(s[j]) ** -power if len(winners) > 1 else 1 / s[j]
    rho = rho / ((problem.multiplicity * rho) @ s)
    finite = None
    if problem.plain:
        a, w = _mpf(ctx, np.abs(problem.etas[0])), problem.first[winners[0]]
        kappa = _mpf(ctx, problem.A[0]) * a ** (L - 2) / (abs(_one(ctx, problem.A[0, w])) * a[w] ** (L - 2))
        finite = _finite(ctx, L, a, kappa * precise.c(ctx, L), _members(problem, winners), kappa)
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


def _finite(ctx, depth, a, t, grown, signs) -> np.ndarray:
    """a_j^L h_L(t_j), infinite for the coordinates that grow."""
    values = [
        ctx.sign(sign) * ctx.inf if up else size**depth * precise.h(ctx, depth, argument)
        for size, argument, up, sign in zip(a, t, grown, signs, strict=True)
    ]
    return np.array(values, dtype=object)


def _until_blow_up(problem: Coordinates, j: int, side):
    start, ctx = problem.start, problem.ctx
    sign = 1 if side > 0 else -1
    stuck = not min(start.delta[:, j]) and not start.z[j] * sign > 0
    if not side or stuck:
        return ctx.inf  # a coordinate with two equal smallest layers keeps its sign, and decays when pushed against it
    return slack(start.z[j], start.delta[:, j], start.unit[j], sign, ctx)


def _many_samples(problem: Coordinates) -> Growth:
    """By the race; where it ends in a tie, by exact arithmetic."""
    ctx = problem.ctx
    A, start = _floats(problem.merged), problem.start
    low = Start(_floats(start.z), _floats(start.delta), _floats(start.unit), start.dead)
    try:
        found = race(A, low, problem.multiplicity)
    except Undecided as fault:
        return _tie(problem, low, fault)
    if not found.gaps:
        return _tie(
            problem, low, Undecided(f"the coordinates {[problem.first[j] + 1 for j in found.active]} grow alike")
        )
    I, J = list(found.support), list(found.active)
    (output,), tolerance = entries(ctx, problem.merged * problem.multiplicity)
    rho = _vertex(output, I, J, tolerance)
    full = problem.spread(_mpf(ctx, rho))
    finite = None
    if problem.plain and len(I) == len(J) == len(A):
        finite = _all_finite(problem, J, found.signs)
    how = f"the reduced flow, read at a margin of {found.margin:.0e}, smallest gap {min(found.gaps.values()):.1e}"
    return Growth(full, _multipliers(problem.A, full, problem.depth, ctx), finite, how)


def _vertex(output, I, J, tolerance) -> np.ndarray:
    """rho_J with output_IJ rho_J = 1 for all of I (more equations than unknowns must agree)."""
    rows: list[int] = []
    for i in I:  # independent rows, greedily
        trial = _floats(output[np.ix_([*rows, i], J)])
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


def _all_finite(problem: Coordinates, J, signs) -> np.ndarray:
    """When all samples are support vectors, A_J^T mu = signs b_J gives mu, and it all coordinates."""
    ctx, L = problem.ctx, problem.depth
    A, a = _mpf(ctx, problem.A), _mpf(ctx, np.abs(problem.etas[0]))
    columns = [problem.first[j] for j in J]
    end = precise.c(ctx, L)
    mu = solve(
        A[:, columns].T,
        np.array([s * end * a[j] ** (2 - L) for s, j in zip(signs, columns, strict=True)], dtype=object),
    )
    pull = A.T @ mu
    return _finite(ctx, L, a, a ** (L - 2) * pull, _members(problem, J), pull)


def _tie(problem: Coordinates, start: Start, fault: Undecided) -> Growth:
    """An exact tie with all samples as support vectors: the balanced point of the face that contains the dual of the
    flow.
    """
    ctx, L = problem.ctx, problem.depth
    if not problem.plain:
        raise fault
    a = np.abs(problem.etas[0])[problem.first]
    weights = np.array([1 / entry ** (L - 2) for entry in a], dtype=object)
    margin = l1_margin(problem.merged, ctx, plus=weights)
    dual = precise.c(ctx, L) * _mpf(ctx, margin.mu)
    flow = CoordinateFlow(_floats(problem.merged), start, problem.multiplicity)
    reached = _dual_at(flow, 1e15 * float(max(start.unit)) ** L)
    off = np.abs(reached - _floats(dual)).max() / np.abs(_floats(dual)).max()
    if off > 1e-3 or not all(margin.mu):
        raise fault
    if margin.unique:
        rho = _mpf(ctx, margin.rho) / problem.multiplicity
        how = f"an exact tie with one solution of the weighted l1 margin; the flow's dual is within {off:.0e} of it"
    else:
        rho = _balanced(problem, margin, weights, None)
        tied = [problem.first[j] + 1 for j in np.flatnonzero(rho)]
        how = f"an exact tie of the coordinates {tied}, shared as the next order asks"
    full = problem.spread(rho)
    return Growth(full, _multipliers(problem.A, full, L, ctx), None, how)


def _balanced(problem: Coordinates, margin: Margin, weights, tilt) -> np.ndarray:
    """The balanced point on the coordinates whose dual constraint is tight."""
    ctx = problem.ctx
    (A, b), tolerance = entries(ctx, problem.merged, weights)
    pull = A.T @ margin.mu
    J = [j for j in range(A.shape[1]) if abs(abs(pull[j]) - b[j]) <= 100 * tolerance * b[j]]
    I = list(margin.support)
    signs = np.array([1 if pull[j] > 0 else -1 for j in J])
    start = problem.start
    scale = np.array(
        [(s * start.z[j] + ctx.sqrt(start.z[j] ** 2 + start.delta[0, j])) ** 2 for s, j in zip(signs, J, strict=True)],
        dtype=object,
    )
    if tilt is not None:
        scale = scale * np.array([ctx.exp(2 * s * tilt[j]) for s, j in zip(signs, J, strict=True)], dtype=object)
    rows = _mpf(ctx, A)
    mu = _mpf(ctx, margin.mu)[I]
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


def _two_layers(problem: Coordinates, digits: int | None) -> Growth:
    """The l1 maximum margin; where it is not unique, the point of the optimal face that the frozen multipliers
    select.
    """
    ctx = problem.ctx
    margin = l1_margin(problem.merged, ctx)
    mu = _mpf(ctx, margin.mu)
    if margin.unique:
        rho, how = _mpf(ctx, margin.rho) / problem.multiplicity, "the only solution of the l1 margin"
    else:
        others = [i for i in range(len(problem.A)) if i not in margin.support]
        tilt = _tilt(problem, others, digits) if others else None
        rho = _balanced(problem, margin, np.ones(len(problem.groups), dtype=int), tilt)
        how = "the l1 margin has several solutions: the one that this start selects"
        how += f", to {TILT_DIGITS} digits" if others else ""
    return Growth(problem.spread(rho), mu, None, how)


#: Samples that are no support vectors have weights below exp(-FROZEN) when their multipliers are read.
FROZEN = 80.0


def _tilt(problem: Coordinates, others, digits) -> np.ndarray:
    """A_F^T mu_F: the pull of the samples that stopped growing, from the integrated flow (float64)."""
    if digits is not None and digits > TILT_DIGITS:
        raise NotConverged(
            f"the l1 margin has several solutions, and which one is reached is known to {TILT_DIGITS} digits only: "
            f"ask for digits={TILT_DIGITS} at most"
        )
    start = problem.start
    low = Start(_floats(start.z), _floats(start.delta), _floats(start.unit), start.dead)
    flow = CoordinateFlow(_floats(problem.merged), low, problem.multiplicity)
    for step in restarted(flow, 1e-12):
        margins = flow.margins(step.state)
        if (margins[others] - margins.min()).min() > FROZEN:
            mu = flow.dual(step.state)
            return _mpf(problem.ctx, (flow.A[others].T @ mu[others]).astype(object))
        if margins.min() > 1e60:
            break
    raise Undecided("the l1 margin has several solutions, and a sample next to the support vectors does not freeze")


#: Digits to which the float64 flow knows the frozen multipliers.
TILT_DIGITS = 8


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


def _floats(values) -> np.ndarray:
    return np.array([float(entry) for entry in np.asarray(values).flat]).reshape(np.shape(values))

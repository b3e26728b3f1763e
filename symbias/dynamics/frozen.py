"""What the samples that stop growing leave behind: A_F^T mu_F, for depth 2, to any digits.

Where the l1 margin has several solutions, the frozen multipliers mu_F of the samples that are no support vectors
choose among them. Their weights fall like exp(-gap), the gap to the least margin in proportion to that margin, so
mu_F is known to d digits once every gap is beyond d log 10. Until then the multipliers are integrated; from there the
quasi-static path says whether one of these samples comes back later.
"""

import math
from itertools import pairwise

import numpy as np

from symbias.dynamics.coordinates import Start
from symbias.dynamics.merged import Coordinates
from symbias.dynamics.quasi_static import follow
from symbias.errors import NotConverged, Undecided
from symbias.numeric.max_margin import as_precise
from symbias.numeric.softmax_flow import SoftmaxFlow
from symbias.precision import context
from symbias.verdict import Residual

#: Digits beyond those asked for to which the two integrations hold their steps: a step ends far nearer than the
#: coefficient by which it is held.
_FIRST, _SECOND = 0, 2
#: Digits beyond those asked for from which the weights of the samples that freeze are left out.
_SPARE = 9
#: Margins (log10) that the integration may reach: its matrices are in floats; and that the path may reach.
_FARTHEST, _PATH = 250, 3000
_MOST_STEPS = 3000
#: Powers of ten of the margin after which samples that do not freeze are looked at.
_PATIENCE = 10.0


def frozen_pull(problem: Coordinates, others: list[int], digits: int, limit) -> tuple[np.ndarray, list[int]]:
    """Return A_F^T mu_F (m,) for the samples F that stop growing, mpf of the problem's context, and the others K.

    Parameters
    ----------
    problem : Coordinates
        Of depth 2.
    others : list of int
        F and K together: samples whose l1 multipliers are 0. Those of K have the least margin in the limit all the
        same: their multipliers are finite and such that it is so.
    digits : int
        Correct digits wanted after the point.
    limit : callable
        From A_F^T mu_F and K to the limit of rho / gamma (m,). The way that is left is over where the margins of F are
        near those of the limit.

    Raises
    ------
    NotConverged
        Two integrations, with other points and more digits, differ.
    Undecided
        A sample neither stops growing nor stays at the least margin.
    """
    ctx = problem.ctx
    A = as_precise(ctx, problem.merged)
    first, goal, kept = _flow(problem, digits + _FIRST), 0.0, list[int]()

    def pull(mu, samples):
        return A[samples].T @ as_precise(ctx, mu)[samples]

    while True:
        waiting = [i for i in others if i not in kept]
        mu, goal, settled = _advance(first, waiting, digits, goal)
        kept, back = _outlook(problem, others, mu, goal, lambda F, K, mu=mu: limit(pull(mu, F), K))
        rest = [i for i in others if i not in kept]
        if back is None and (settled and set(rest) <= set(waiting) or not rest):
            break
        goal = goal if back is None else back
    if not rest:
        return pull(mu, rest), kept
    # the other way: more digits, more points, other steps
    again, _, settled = _advance(_flow(problem, digits + _SECOND), rest, digits, goal, math.inf)
    off = max(abs(a - b) for a, b in zip(pull(mu, rest), pull(again, rest), strict=True))
    allowed = ctx.mpf(10) ** -digits
    if off > allowed:
        raise NotConverged(
            f"two integrations of the multipliers that freeze differ by {ctx.nstr(off, 2)}, "
            f"{ctx.nstr(allowed, 2)} is asked for",
            [Residual("frozen multipliers", off, allowed, "1")],
        )
    return pull(again, rest), kept


def _advance(flow: SoftmaxFlow, waiting, digits: int, goal: float, patience: float = _PATIENCE):
    """mu and log10 of the margin, beyond 10^goal, where the weights of the samples ``waiting`` are negligible (True).

    False: they are not, ``patience`` powers of ten later.
    """
    reached = -math.inf
    while flow.steps < _MOST_STEPS and reached < _FARTHEST:
        flow.step()
        margin = min(flow.margins())
        reached = float(flow.ctx.log10(margin)) if margin > 0 else -math.inf
        if reached > max(goal, 0):
            if flow.log_weights[waiting].max(initial=-math.inf) < -(digits + _SPARE) * math.log(10):
                return flow.mu(), reached, True
            if reached > goal + patience:
                return flow.mu(), reached, False
    raise Undecided(
        "the l1 margin has several solutions, and a sample next to the support vectors is undecided up to a margin of "
        f"10^{reached:.0f}: perturb the data or the start"
    )


def _outlook(problem: Coordinates, others, mu, reached: float, limit) -> tuple[list[int], float | None]:
    """The samples that are support vectors at the end of the path from mu, and log10 of the margin up to which one of
    the rest is (None: never).

    The path is followed until every margin of the rest is nearer to that of the limit than to the least.
    """
    goal, fault = reached + 30, None
    while goal < _PATH:
        ctx = context(2 * int(goal) + 60)
        A = as_precise(ctx, problem.merged)
        path = follow(A, _moved(problem, A, mu, ctx), problem.multiplicity, ctx, goal)
        kept = [i for i in others if i in path.support]
        rest = [i for i in others if i not in kept]
        ends = [log10 for (_, support), (log10, _) in pairwise(path.events) if set(support) & set(rest)]
        if ends:
            return kept, ends[-1]
        try:
            rho = as_precise(ctx, limit(rest, kept))
        except Undecided as error:
            fault = error  # the support at the end of the path may not be final
        else:
            rows = A[rest] * problem.multiplicity
            now, last = rows @ path.direction - 1, rows @ rho - 1
            if all(abs(a - b) < b / 2 for a, b in zip(now, last, strict=True)):
                return kept, None
        goal = 2 * goal
    raise fault or Undecided(
        "the l1 margin has several solutions, and another sample has the least margin next to that of the support "
        f"vectors up to 10^{_PATH}: perturb the data or the start"
    )


def _flow(problem: Coordinates, digits: int) -> SoftmaxFlow:
    """The flow of the multipliers, a point a digit; beyond 60 the matrices cost more than longer steps save."""
    ctx = context(digits + _FARTHEST + 60)
    A = as_precise(ctx, problem.merged)
    plus, minus = log_parts(problem.start, ctx)
    return SoftmaxFlow(A, A * problem.multiplicity, plus, minus, ctx, digits, min(max(10, digits), 60))


def log_parts(start: Start, ctx) -> tuple[np.ndarray, np.ndarray]:
    """log P and log N of rho = P exp(2 g) - N exp(-2 g), depth 2: P, N = (sqrt(z^2 + delta) ± z)^2 / 4."""
    logs = []
    for z, delta in zip(as_precise(ctx, start.z), as_precise(ctx, start.delta[0]), strict=True):
        large = abs(z) + ctx.sqrt(z * z + delta)
        small = delta / large if large else large
        both = [2 * ctx.log(part / 2) if part else ctx.ninf for part in (large, small)]
        logs.append(both if z >= 0 else both[::-1])
    plus, minus = zip(*logs, strict=True)
    return np.array(plus, dtype=object), np.array(minus, dtype=object)


def _moved(problem: Coordinates, A, mu, ctx) -> Start:  # noqa: N803
    """The start moved along the flow to the multipliers mu: z = sqrt(P) e^g - sqrt(N) e^-g."""
    start = problem.start
    plus, minus = log_parts(start, ctx)
    pull = A.T @ as_precise(ctx, mu)
    z = [ctx.exp(p / 2 + g) - ctx.exp(n / 2 - g) for p, n, g in zip(plus, minus, pull, strict=True)]
    delta, unit = (as_precise(ctx, part.ravel()).reshape(part.shape) for part in (start.delta, start.unit))
    return Start(np.array(z, dtype=object), delta, unit, start.dead, start.kept)

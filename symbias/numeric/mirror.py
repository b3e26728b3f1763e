"""The minimum of a separable potential over A rho = y, by following its dual curve, to any precision.

Coordinates are curves in parameters v_j: rho_j(v) and t_j(v) = Q_j'(rho_j(v)), both increasing, with t_j(v_0) = 0 at
the start and log|rho_j| of slope about one per unit of v where it is large. The minimum over A rho = A rho_0 + tau (y
- A rho_0) is followed from tau = 0 to 1. Newton's equations t(v) = A^T nu are linear in nu, so that v is the whole
state.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from symbias.errors import NotConverged
from symbias.numeric.linear_precise import Cholesky, gram
from symbias.verdict import Residual

_STEPS = 4_000
_NEWTON = 40  # of which the last few double the digits
_FAR = 3  # the largest move of a v_j that Newton's iteration is trusted with
_SHORTEST = 1e-12  # jump of log tau below which the curve is lost
_APART = 15  # powers of ten in y, about those of a float, from where on the scales are named as the reason
_CLOSE = 1e-3  # a point of the curve is good enough to go on from


class Curves(Protocol):
    """The curves of all coordinates."""

    def at(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return rho, d rho/dv, t and dt/dv."""


@dataclass(frozen=True)
class Point:
    """A minimum: ``v``, ``rho``, the dual ``nu`` with t = A^T nu, and the Newton ``steps`` it took."""

    v: Any
    rho: Any
    nu: Any
    steps: int


def follow(ctx, A, y, curves: Curves, v_0, digits: int) -> Point:  # noqa: N803
    """Return the minimum with every v_j to ``digits`` digits after the point.

    Parameters
    ----------
    ctx : mpmath context; its precision must hold the digits and the range of rho and t over the curves
    A, y : arrays of mpf (n, m) and (n,), A of full row rank
    curves : Curves
    v_0 : array (m,), where t = 0

    Raises
    ------
    NotConverged
        The curve cannot be followed: no rho in the range of the curves has A rho = y, or the scales of y are too far
        apart for the precision; then more digits help.
    """
    v = np.array(v_0, dtype=object)
    rho_0 = curves.at(v)[0]
    start = A @ rho_0
    way = y - start
    if not any(way):
        return Point(v, rho_0, way, 0)
    first = max(abs(move) for move in _newton_step(ctx, A, y, curves, v)[0])
    log_tau = min(ctx.zero, ctx.log(1 / (2 * first))) if first else ctx.zero
    behind, here = None, (None, v)  # the last two points: log tau (None at tau = 0) and v
    jump, steps = ctx.one, 0
    while steps < _STEPS and jump > _SHORTEST:
        last = log_tau == 0
        goal = ctx.mpf(10) ** -digits if last else ctx.mpf(_CLOSE)
        target = start + ctx.exp(log_tau) * way
        found, used = _newton(ctx, A, target, curves, _ahead(behind, here, log_tau), goal)
        steps += used
        if found is not None and last:
            return Point(found, curves.at(found)[0], _newton_step(ctx, A, y, curves, found)[1], steps)
        if found is not None:
            behind, here, jump = here, (log_tau, found), 2 * jump
        elif here[0] is not None:
            jump = jump / 4
        log_tau = log_tau - 1 if here[0] is None else min(ctx.zero, here[0] + jump)
    raise NotConverged(
        f"the minimum was lost at {ctx.nstr(ctx.exp(log_tau), 3)} of the way: {_reason(ctx, y)}",
        [Residual("part of the way to y left", 1 - ctx.exp(log_tau), ctx.zero, "1")],
    )


def _reason(ctx, y) -> str:
    """Why a curve is lost: scales of y that cancel in the sums of Newton's equations, or no solution."""
    sizes = [abs(entry) for entry in y if entry]
    powers = int(ctx.log10(max(sizes) / min(sizes))) if sizes else 0
    unsolvable = "A rho = y has no solution in the range of the potential"
    if powers < _APART:
        return f"perhaps {unsolvable}"
    apart = f"the scales of y are too far apart ({powers} powers of ten) for {ctx.dps} working digits"
    return f"{apart}: ask for more digits; if they do not help, {unsolvable}"


def _ahead(behind, here, log_tau):
    """v extrapolated linearly in log tau: there the coordinates that grow are straight lines in the end."""
    if behind is None or behind[0] is None:
        return here[1]
    return here[1] + (here[1] - behind[1]) * (log_tau - here[0]) / (here[0] - behind[0])


def _newton(ctx, A, y, curves, v, goal):  # noqa: N803
    """Newton's iteration from v until a move is below the goal: the point, or None where it goes astray."""
    smallest = ctx.inf
    for step in range(1, _NEWTON + 1):
        try:
            move, _ = _newton_step(ctx, A, y, curves, v)
        except NotConverged:
            return None, step
        size = max(abs(entry) for entry in move)
        if size > _FAR or size > 4 * smallest:
            return None, step
        smallest = min(smallest, size)
        v = v + move
        if size <= goal:
            return v, step
    return None, _NEWTON


def _newton_step(ctx, A, y, curves, v):  # noqa: N803
    """The Newton move of v and the dual nu of the linearised equations."""
    rho, d_rho, t, d_t = curves.at(v)
    weights = d_rho / d_t
    nu = Cholesky(gram(A, weights, ctx), ctx).solve(y - A @ (rho - weights * t))
    return (A.T @ nu - t) / d_t, nu

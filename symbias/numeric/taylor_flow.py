"""Where a network's own gradient flow on squared losses ends, in high precision: integrated, then the linear tail.

Near the minima the flow linearised at Theta ends at Theta - J^T (J J^T)^{-1} r, with J the Jacobian of the n outputs
and r the residual; the error is of order |r|^2. So the flow is integrated until r is below 10^(-digits/2), the tail is
added, and the same is done from a later place: the two must agree.
"""

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbias.errors import NotConverged
from symbias.numeric.collocation import Steps
from symbias.numeric.products import Product
from symbias.numeric.taylor import TaylorFlow
from symbias.precision import public
from symbias.verdict import Residual, Result, short

_PLACES = 8  # stopping places tried before giving up
_STARTS = 3  # attempts, each with the digits that the one before it lacked
_BETWEEN = 30  # the residual at the next place is this many times smaller: its tail is 900 times more accurate
_MOST_STEPS = 200_000


@dataclass(frozen=True, eq=False)
class FlowLimit(Result):
    """The end of a flow: ``agreement`` is how many digits of each number two stopping places agree in.

    ``drift`` is the change of the conserved quantities relative to the squared blocks, ``rhs`` counts Taylor
    coefficients of the vector field (and its values, in implicit steps), ``log10_loss`` and ``time`` belong to the
    last stopping place.
    """

    beta: Any
    blocks: Any
    agreement: float
    drift: float
    steps: int
    rhs: int
    log10_loss: float
    time: Any

    def to_latex(self) -> str:
        return rf"\beta(\infty) &: {self.agreement:.1f} \text{{ digits, }} {self.steps} \text{{ steps}}"


def flow_limit(product: Product, X, y, blocks, digits: int, *, progress=None) -> FlowLimit:
    """Integrate dv_l/dt = -d<X^T r, beta>/dv_l, r = X beta - y, from the blocks to its limit.

    Parameters
    ----------
    product : Product
        How the blocks multiply to beta.
    X : array (n, d) or (n, d, d) of mpf; y : array (n,) of mpf; blocks : list of arrays of mpf
    digits : int
        Correct decimal digits wanted of every coefficient.
    progress : Progress, optional

    Returns
    -------
    FlowLimit

    Raises
    ------
    NotConverged
        The flow stalls at a saddle, or at a positive loss because X beta = y has no solution (the loss is named).

    Accuracy
    --------
    The local error is below 10^(-digits-5) times the size of the smallest initial entry. Two stopping places agree to
    ``digits``; entries that are zero to working precision are compared with the largest.
    """
    began = time.perf_counter()
    kept = digits + 3
    for _ in range(_STARTS):
        flow = TaylorFlow(product, X, y, blocks, kept)
        start = flow.blocks()
        limit, agreement = _end(flow, y, digits, progress)
        if agreement >= digits:
            break
        # entries far below the smallest that the digits were counted for, as alpha^{1 - 2L} in the lazy regime
        kept += math.ceil(digits - agreement) + 3
    else:
        raise NotConverged(
            f"two stopping places of the flow agree in {float(agreement):.1f} digits only: ask for more digits",
            [Residual("agreement", flow.ctx.mpf(10) ** -agreement, flow.ctx.mpf(10) ** -digits, "each number")],
        )
    return FlowLimit(
        beta=public(product.beta(limit), digits),
        blocks=tuple(public(block, digits) for block in limit),
        agreement=float(min(agreement, flow.digits)),
        drift=float(product.drift(start, limit)),
        steps=flow.steps,
        rhs=flow.rhs,
        log10_loss=flow.log10_loss(),
        time=public(flow.user_time(), 15),
        seconds=time.perf_counter() - began,
    )


def _end(flow, y, digits, progress):
    """Return the blocks at the end of the flow, and the digits that two stopping places agree in.

    Each place is 900 times better than the one before it; where that does not show, the working digits are used up.
    """
    ctx, steps = flow.ctx, Steps(flow)
    scale = max(_largest(flow.residual()), _largest(y))
    goal = scale * ctx.mpf(10) ** (-ctx.mpf(digits) / 2 - 1)
    previous, agreement = None, -ctx.inf
    for _ in range(_PLACES):
        _integrate(flow, steps, goal, scale, progress)
        limit, before = _with_tail(flow), agreement
        if not scale:
            return limit, ctx.mpf(digits)
        if previous is not None:
            agreement = _agreement(ctx, limit, previous)
            if agreement >= digits or agreement < before + 1:
                break
        previous, goal = limit, min(goal, _largest(flow.residual())) / _BETWEEN
    return limit, agreement


def _integrate(flow, steps, goal, scale, progress):
    """Step until every residual is below the goal; stop where the flow stalls."""
    while (left := _largest(flow.residual())) > goal:
        flow.refuse_stall()
        if flow.steps > _MOST_STEPS:
            raise NotConverged(f"the flow is still at the loss {short(flow.loss())} after {flow.steps} steps")
        steps.advance()
        if progress is not None:
            progress.update(_part(flow.ctx, left, goal, scale))


def _part(ctx, left, goal, scale):
    return float(ctx.log(scale / left) / ctx.log(scale / goal)) if 0 < left < scale else 0.0


def _with_tail(flow):
    """Return the blocks at the end of the flow linearised at the present place."""
    r = flow.residual()
    if not any(r):
        return flow.blocks()
    J = flow.jacobian()
    gram = flow.ctx.matrix(J.dot(J.T).tolist())
    try:
        solved = flow.ctx.lu_solve(gram, flow.ctx.matrix(r.tolist()))
    except ZeroDivisionError:
        raise NotConverged(
            "the outputs have dependent gradients at the end of the flow: is X of full row rank?"
        ) from None
    correction = np.array(list(solved), dtype=object).dot(J)
    return flow.tied.tied(flow.product.chain(_subtract(flow.chain(), correction)))


def _subtract(blocks, flat):
    out, at = [], 0
    for block in blocks:
        out.append(block - flat[at : at + block.size].reshape(block.shape))
        at += block.size
    return out


def _agreement(ctx, ours, others):
    """Return the digits every entry of the blocks agrees in; entries at rounding level count against the largest."""
    floor = ctx.ldexp(ctx.one, -ctx.prec + 30)
    least = ctx.mpf(ctx.dps)
    for one, other in zip(ours, others, strict=True):
        top = _largest(other)
        for a, b in zip(one.flat, other.flat, strict=True):
            error = abs(a - b) / (abs(b) if abs(b) > floor * top else top or 1)
            least = min(least, -ctx.log10(error)) if error else least
    return least


def _largest(values):
    return max((abs(v) for v in values.flat), default=0)

"""The prediction against the network itself: its full gradient flow, integrated in high precision."""

import numpy as np

from symbias.numeric.taylor_flow import flow_limit
from symbias.precision import context
from symbias.problem import Problem


def network_limit(problem: Problem, digits: int, progress=None):
    """Integrate the flow of the network's own parameters from Theta(0) to its limit, to ``digits`` digits."""
    start = problem.start()
    ctx = context(digits + 30 + int(2 * problem.network.depth * abs(start.log_alpha()) / np.log(10)))
    X, y = problem.data(ctx)
    return flow_limit(problem.network.product, X, y, start.blocks(ctx), digits, progress=progress)


def digits_agreed(ctx, ours, reference) -> float:
    """The least over coordinates of -log10 of the relative error; a zero on either side is judged against the norm."""
    top = max(abs(r) for r in reference.ravel())
    least = ctx.inf
    for value, true in zip(ours.ravel(), reference.ravel(), strict=True):
        scale = abs(true) if true and value else top
        error = abs(value - true) / scale if scale else abs(value - true)
        least = min(least, -ctx.log10(error) if error else ctx.mpf(ctx.dps))
    return float(least)

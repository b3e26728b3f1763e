"""Does the loss get below 1? From there on every sample is classified right and the loss goes to 0.

The loss is sum_i exp(-y_i f(x_i)); it never increases. It is below 1 at the start, or the start is balanced well
enough that the flow cannot stall, or the flow itself is followed until it is.
"""

from itertools import pairwise

import numpy as np

from symbias import exact
from symbias.numeric.integrate import FullFlow, march, scale_of_blocks
from symbias.numeric.losses import LogExponential
from symbias.problem import Problem
from symbias.theorems.statement import Hypothesis

_NAME, _REMEDY = "loss below 1 at some time", "the start is on, or runs into, a saddle: perturb the initial directions"
#: How long the flow is followed, in steps of the solver and in the time s (ds = loss dt) times the size of the blocks.
_STEPS, _TIME = 5000, 1e6
#: Powers of ten that products of the blocks may have.
_LARGEST = 290


def loss_below_one(problem: Problem) -> Hypothesis:
    """The hypothesis of Theorem 1 and Corollary 1, with what shows it; the margin is 1 - loss, or the eigenvalue
    lambda.
    """
    rows = exact.to_float(problem.signed())
    blocks = problem.start().blocks()
    if len(blocks) * np.log10(max(np.abs(block).max() for block in blocks) or 1.0) > _LARGEST:
        what = f"products of the start may be beyond 10^{_LARGEST}, the range of the float flow"
        return Hypothesis(_NAME, False, None, what, "scale the start down")
    margins = rows @ problem.network.product.beta(blocks).ravel()
    least = margins.min()
    log_loss = float(np.log(np.exp(least - margins).sum()) - least)
    if log_loss < 0:
        return Hypothesis(_NAME, True, float(-np.expm1(log_loss)), "it is below 1 at the start")
    balance = balanced(problem)
    if balance > 0:
        return Hypothesis(_NAME, True, balance, "the layers are balanced as in Theorem 7, so the flow cannot stall")
    return _followed(problem, rows, blocks)


def balanced(problem: Problem) -> float:
    """lambda > 0 when W_l^T W_l ⪰ W_{l+1} W_{l+1}^T (l <= L-2) and W_{L-1}^T W_{L-1} - w_L w_L^T ⪰ lambda I, all W
    square; else 0.

    Gradient flow conserves these differences, so that (W_1 .. W_{L-1}) stays regular, and a gradient W^T X^T r = 0
    needs X^T r = 0, which separable data exclude.
    """
    network, start = problem.network, problem.start()
    if network.name != "fully_connected" or any(shape[0] != network.dim for shape in network.block_shapes):
        return 0.0
    blocks = [start.direction(layer) for layer in range(network.depth)]
    zero = 1e-13 * max(np.abs(block).max() for block in blocks) ** 2
    values = []
    for left, right in pairwise(blocks):
        outer = right @ right.T if right.ndim == 2 else np.outer(right, right)
        values.append(float(np.linalg.eigvalsh(left.T @ left - outer)[0]))
    return values[-1] if values[-1] > zero and all(value >= -zero for value in values[:-1]) else 0.0


def _followed(problem: Problem, rows, blocks) -> Hypothesis:
    """Follow the flow in the time s until the loss is below 1."""
    product = problem.network.product
    loss = LogExponential(np.ones(len(rows)))
    flow = FullFlow(product, rows, loss, blocks, scale_of_blocks(product, blocks, 1.0), scaled=True)
    if not np.abs(flow.unscaled(flow.start)).max() > 0:
        return Hypothesis(_NAME, False, 0.0, "every gradient is zero at the start", _REMEDY)
    for count, step in enumerate(march(flow, _TIME, 1e-6)):
        reached = flow.log10_loss(step.state)
        if reached < 0:
            return Hypothesis(_NAME, True, 0.0, f"the integrated flow gets there after {count + 1} steps")
        if count >= _STEPS:
            break
    return Hypothesis(
        _NAME,
        False,
        -float(10.0 ** min(reached, 300) - 1),
        f"it is still 10^{reached:.3g} where the flow was left",
        _REMEDY,
    )

"""The model linearised at initialization: its tangent kernel, and where gradient flow on it ends.

With J = d beta / d Theta at Theta(0) the outputs are linear in Theta, X beta(Theta(0)) + X J delta, and gradient flow
from delta = 0 ends at delta = (X J)^T K^{-1} (y - f(0)) with the tangent kernel K = X J J^T X^T.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from symbias.errors import BadInput
from symbias.numeric.tied_product import DifferenceOfPowers
from symbias.problem import Problem


@dataclass(frozen=True)
class Tangent:
    """At v̄ (alpha = 1): ``beta`` (d,), ``features`` J J^T X^T (n rows), ``kernel`` K (n, n), ``outputs`` f (n,)."""

    beta: Any
    features: Any
    kernel: Any
    outputs: Any


def tangent(problem: Problem, ctx=None) -> Tangent:
    """Compute the tangent kernel at v̄ from the gradients of the n outputs; d beta / d Theta is not formed."""
    start, product = problem.start(), problem.network.product
    blocks = [start.direction(layer, ctx) for layer in range(len(start.directions))]
    X, _ = problem.data(ctx)
    beta = product.beta(blocks)
    features = np.array([_along(product, blocks, product.gradients(blocks, x)).ravel() for x in X])
    rows = X.reshape(len(X), -1)
    return Tangent(beta, features, features @ rows.T, rows @ beta.ravel())


def beyond_floats(problem: Problem) -> bool:
    """True when products of the entries of all layers, twice, may leave the range of float64."""
    sizes = np.abs(np.concatenate([np.ravel(v) for v in map(problem.start().direction, range(problem.network.depth))]))
    logs = np.log10(sizes[sizes > 0])
    return bool(logs.size and 2 * problem.network.depth * np.abs(logs).max() > 300)


def _along(product, blocks, change):
    """The derivative of beta along ``change``: beta is linear in every block (tied powers have their own)."""
    if isinstance(product, DifferenceOfPowers):
        (plus, minus), (d_plus, d_minus), power = blocks, change, product.depth - 1
        return product.depth * (plus**power * d_plus - minus**power * d_minus)
    total = 0
    for layer, step in enumerate(change):
        total = total + product.beta([step if i == layer else block for i, block in enumerate(blocks)])
    return total


def rounding(problem: Problem, ctx=None):
    """What counts as zero among outputs and coefficients at v̄: the rounding of a sum of their absolute terms."""
    start, product = problem.start(), problem.network.product
    blocks = [np.abs(start.direction(layer, ctx)) for layer in range(len(start.directions))]
    if isinstance(product, DifferenceOfPowers):
        size = max(block.max() for block in blocks) ** product.depth
    else:
        size = np.abs(product.beta(blocks)).max()
    return size * (256 * np.finfo(float).eps if ctx is None else ctx.mpf(10) ** (15 - ctx.dps))


def solve(ctx, K, right):
    """K^{-1} right for a symmetric positive definite kernel, or None when it is singular to working precision."""
    if ctx is None:
        values = np.linalg.eigvalsh(K)
        return np.linalg.solve(K, right) if values[0] > len(K) * 64 * np.finfo(float).eps * values[-1] else None
    try:
        return np.array(list(ctx.cholesky_solve(ctx.matrix(K.tolist()), ctx.matrix(right.tolist()))), dtype=object)
    except (ValueError, ZeroDivisionError):
        return None


def linearised(problem: Problem, ctx=None) -> np.ndarray:
    """beta of the limit alpha -> oo for a start with beta(v̄) = 0: J J^T X^T K^{-1} y.

    Raises
    ------
    BadInput
        beta(v̄) is not zero (then the coefficients grow like alpha^L), or K is singular.
    """
    found = tangent(problem, ctx)
    size = np.abs(found.beta).max()
    if size > rounding(problem, ctx):
        raise BadInput(
            f"no limit alpha -> oo: beta(v̄) is not zero (largest entry {float(size):.2e}), so the coefficients "
            "at the start grow like alpha^L; take v̄_L = 0"
        )
    dual = solve(ctx, found.kernel, problem.data(ctx)[1])
    if dual is None:
        raise BadInput("there is no limit alpha -> oo: the tangent kernel at the initialization is singular")
    return (dual @ found.features).reshape(problem.network.input_shape)

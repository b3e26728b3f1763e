"""Theorem 6 without its singular vectors: the linear flow in nu by power series, until the output is y.

In nu = -int r dt the flow of the two blocks is dv_1/dnu = M(x) v_2, dv_2/dnu = M(x)^T v_1: linear, and f grows with
nu. The gradients of the network's own product stand for M(x), so that neither singular values nor g enter.
"""

import numpy as np

from symbias.precision import adopt, context
from symbias.problem import Problem
from symbias.theorems.prediction import Prediction
from symbias.verdict import Residual

_STEPS = 500
_REACH = 32  # of one step, in units of 1 / |x|_1, which bounds the largest singular value of every network's M(x)


def one_sample(problem: Problem, prediction: Prediction, digits: int) -> tuple[Residual, ...]:
    """Return how far the blocks of ``prediction`` are from the end of the linear flow, relative to their largest."""
    ctx = context(digits + 70)  # a step of _REACH cancels up to e^64 in its power series
    tolerance = ctx.mpf(10) ** (2 - digits)
    reference = linear_flow(problem, ctx)
    errors = []
    for ours, true in zip(prediction.blocks, reference, strict=True):
        given = np.array([adopt(ctx, entry) for entry in ours.ravel()], dtype=object)
        size = np.abs(true).max()
        errors.append(np.abs(given - true.ravel()).max() / (size or 1))
    return (Residual("blocks against the linear flow", max(errors), tolerance, "largest entry of the block"),)


def linear_flow(problem: Problem, ctx) -> list[np.ndarray]:
    """The blocks where f = y, by Taylor steps in nu and Newton's iteration inside the last one."""
    product = problem.network.product
    X, y = problem.data(ctx)
    x, y = X[0], y[0]
    blocks = problem.start().blocks(ctx)
    size = np.abs(x).sum()
    step = _REACH / size if output(product, x, blocks) < y else -_REACH / size
    for _ in range(_STEPS):
        terms = _series(ctx, product, x, blocks, step)
        ahead = _at(terms, ctx.one)
        if (output(product, x, ahead) < y) != (step > 0):
            return _crossing(ctx, product, x, y, terms)
        blocks = ahead
    return blocks


def output(product, x, blocks):
    """f(x; blocks) from the linear coefficients."""
    return (x * product.beta(blocks)).sum()


def _series(ctx, product, x, blocks, step):
    """The Taylor terms of the blocks over one step, until they are below the precision."""
    terms = [blocks]
    size = max(np.abs(block).max() for block in blocks)
    while True:
        grown = [gradient * step / len(terms) for gradient in product.gradients(terms[-1], x)]
        terms.append(grown)
        if max(np.abs(block).max() for block in grown) <= ctx.eps * size:
            return terms


def _at(terms, part):
    """The sum of the terms at the part of the step in [0, 1]."""
    blocks = terms[-1]
    for lower in terms[-2::-1]:
        blocks = [part * block + below for block, below in zip(blocks, lower, strict=True)]
    return blocks


def _crossing(ctx, product, x, y, terms):
    """The blocks where f = y within the step; f grows along it, so that Newton inside a bracket cannot miss."""
    low, high, part = ctx.zero, ctx.one, ctx.one / 2
    rising = output(product, x, _at(terms, ctx.one)) > output(product, x, terms[0])
    slopes = [[k * block for block in term] for k, term in enumerate(terms)][1:]
    for _ in range(ctx.prec):
        blocks = _at(terms, part)
        left = output(product, x, blocks) - y
        low, high = (part, high) if (left < 0) == rising else (low, part)
        speed = sum((g * v).sum() for g, v in zip(product.gradients(blocks, x), _at(slopes, part), strict=True))
        target = part - left / speed if speed else low
        if abs(target - part) <= 16 * ctx.eps:
            break
        part = target if low < target < high else (low + high) / 2
    return blocks

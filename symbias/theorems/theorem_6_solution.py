"""Theorem 6 in singular coordinates: the start, nu = g^{-1}(y / alpha^2), and the blocks there."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from symbias.numeric import theorem_6_root
from symbias.problem import Problem

#: What counts as zero relative to the start in float64; in higher precision all but 20 digits of it.
FLOAT_ZERO = 256 * np.finfo(float).eps


@dataclass(frozen=True)
class Coordinates:
    """The problem in the singular coordinates of M(x), in float64 or in an mpmath context.

    s (m,); ``plus`` = η̄_1 + η̄_2 and ``minus`` = η̄_1 - η̄_2, in which the flow is e^{s nu} and e^{-s nu}, with
    entries that are rounding put to zero; ``rest``: v̄_l - U_l η̄_l; ``g_0`` = g(0) = v̄_1^T M(x) v̄_2.
    """

    ctx: Any
    decomposition: Any
    s: Any
    eta: tuple[Any, ...]
    plus: Any
    minus: Any
    rest: tuple[Any, ...]
    g_0: Any


def coordinates(problem: Problem, ctx=None) -> Coordinates:
    """Compute the singular coordinates of ``problem`` to the precision of ``ctx``."""
    network, start = problem.network, problem.start()
    decomposition = network.singular_decomposition(problem.X[0])
    v = [start.direction(layer, ctx) for layer in (0, 1)]
    eta = [decomposition.transform(v[layer], layer, ctx) for layer in (0, 1)]
    rest = [v[layer] - decomposition.block(eta[layer], layer, ctx) for layer in (0, 1)]
    size = max(np.abs(v[0]).max(), np.abs(v[1]).max())
    zero = (FLOAT_ZERO if ctx is None else ctx.mpf(10) ** (20 - ctx.dps)) * size
    plus, minus = (np.where(np.abs(e) <= zero, 0 * e, e) for e in (eta[0] + eta[1], eta[0] - eta[1]))
    rest = [np.where(np.abs(r) <= zero, 0 * r, r) for r in rest]
    x = problem.data(ctx)[0][0]
    g_0 = (x * network.product.beta(v)).sum()
    noise = (np.abs(x) * np.abs(network.product.beta([np.abs(w) for w in v]))).sum() * zero / (size or 1)
    s = decomposition.singular_values(ctx)
    return Coordinates(
        ctx, decomposition, s, tuple(eta), plus, minus, tuple(rest), 0 * g_0 if abs(g_0) <= noise else g_0
    )


def margin_of(found: Coordinates):
    """The largest lambda over the bases of each singular subspace, relative to the square of the largest |η̄|."""
    size = max(np.abs(e).max() for e in found.eta) or 1
    first, second = (e / size for e in found.eta)
    squares = first**2 - second**2
    groups = found.decomposition.groups(found.ctx)
    return min(sum(squares[j] for j in group) / len(group) for group in groups)


def root_of(problem: Problem, found: Coordinates):
    """nu = g^{-1}(y / alpha^2), with s, η̄ and y scaled to order one; None where g does not reach y / alpha^2."""
    ctx, top = found.ctx, found.s[0]
    size = max(np.abs(found.plus).max(), np.abs(found.minus).max())
    if not size:
        size = size + 1
    log_alpha = problem.start().log_alpha() if ctx is None else ctx.log(problem.start().scale(ctx))
    y = problem.data(ctx)[1][0]
    plus, minus = (found.plus / size) ** 2, (found.minus / size) ** 2
    g_0 = found.g_0 / top / size / size
    return theorem_6_root.solve(
        ctx, found.s / top, plus, minus, g_0, y / top, log_alpha + theorem_6_root.log(ctx, size)
    )


def at_the_end(problem: Problem, found: Coordinates, root) -> tuple[Any, Any]:
    """η_1 and η_2 at nu: alpha ((η̄_1 + η̄_2) e^{s nu} ± (η̄_1 - η̄_2) e^{-s nu}) / 2, formed where it does not
    cancel.
    """
    ctx, exp = found.ctx, theorem_6_root.exponential
    log_alpha = problem.start().log_alpha() if ctx is None else ctx.log(problem.start().scale(ctx))
    exponent = found.s / found.s[0] * root.nu  # infinite where g only tends to y / alpha^2: 0 times that is 0
    rising, falling = (np.where(part == 0, 0 * found.s, exponent) for part in (found.plus, found.minus))
    up, down = found.plus * exp(ctx, rising + log_alpha) / 2, found.minus * exp(ctx, log_alpha - falling) / 2
    scale = exp(ctx, log_alpha)
    near = np.abs(exponent) < 1  # here e^{s nu} and e^{-s nu} may cancel; sinh does not
    small = np.where(near, exponent, 0 * found.s)
    cosh, sinh = (scale * part for part in theorem_6_root.cosh_sinh(ctx, small))
    first, second = found.eta
    return np.where(near, first * cosh + second * sinh, up + down), np.where(
        near, first * sinh + second * cosh, up - down
    )


def winners(found: Coordinates, y) -> tuple[int, ...]:
    """The indices of the largest singular value on whose subspace η̄_1 + sign(y) η̄_2 is nonzero."""
    part = found.plus if y >= 0 else found.minus
    return next((group for group in found.decomposition.groups(found.ctx) if any(part[j] for j in group)), ())

"""alpha -> 0 from a general start: the weighted l1 problem with two ends a coordinate, its ties, and the order.

With eta_l(0) = alpha η̄_l the curves scale: rho = alpha^L ρ̂, t = alpha^{2-L} F̄(ẑ). A rho_j that stays away from 0
lies far out on its curve, where for L >= 3, with c_j^± = |F̄_j(±oo)|,

    Q = alpha^{2-L} sum_j (c_j^+ max(rho_j, 0) + c_j^- max(-rho_j, 0)) - L/(2(L-2)) sum_j |rho_j|^{2/L} + O(alpha^2),

and for L = 2, with e_j^± = (sqrt(z̄_0^2 + δ̄) ± z̄_0)^2,

    Q = log(1/alpha) sum_j |rho_j| + (1/2) sum_j |rho_j| (log(4 |rho_j| / e_j^±) - 1) + O(alpha^2).

The first term decides the limit up to its optimal face, the second one point of it. A side that a tie of the layers
forbids is left out.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symbias.functions.elapsed import has_closed_form, limit_time
from symbias.numeric.alpha_zero import interior_point, null_space
from symbias.numeric.exact_lp import rationals
from symbias.numeric.one_sided_l1 import Optimum, decided, minimisers
from symbias.numeric.simplex import Numbers
from symbias.numeric.weighted_l1 import Face
from symbias.precision import adopt, context
from symbias.problem import Problem
from symbias.theorems.beyond.general_coordinates import Coordinates, coordinates
from symbias.theorems.spectral import exact_frame
from symbias.verdict import Residual

_ORDER_DIGITS = 60


@dataclass(frozen=True)
class Side:
    """rho_j of one sign: ``cost`` is c_j^± (1 at depth 2), ``root`` is sqrt(e_j^±) (1 at depth >= 3)."""

    j: int
    sign: int
    cost: Any
    root: Any


@dataclass(frozen=True)
class Limit:
    """The l1 problem with its solution: ``rho`` (mpf), and ``tie`` the residual of the next order where it decided."""

    found: Coordinates
    sides: tuple[Side, ...]
    optimum: Optimum
    nu: Any  # |F̄_j(ẑ_j)| <= c_j: the dual in the coordinates of A
    rho: Any
    tie: Residual | None


def unscaled(problem: Problem, digits: int) -> Coordinates:
    """The curves of η̄, that is at alpha = 1, with digits for their range."""
    start = replace(problem.start(), alpha=1)
    sizes = np.abs(np.concatenate([np.ravel(start.direction(layer)) for layer in range(problem.network.depth)]))
    reach = int(2 * problem.network.depth * np.abs(np.log10(sizes[sizes > 0])).max(initial=0))
    return coordinates(replace(problem, initialization=start), context(digits + 40 + reach))


def sides(found: Coordinates) -> tuple[Side, ...]:
    """Both signs of every coordinate that moves, but for those that ties forbid."""
    out = []
    for j in found.moving:
        curve = found.curves[j]
        assert curve is not None
        for sign in (1, -1):
            if curve.tied and (curve.z_0 > 0) != (sign > 0):
                continue
            if len(curve.deltas) == 1:
                root = found.ctx.sqrt(curve.z_0**2 + curve.deltas[0]) + abs(curve.z_0)
                towards = sign * curve.z_0 >= 0  # the other root is delta over this one
                out.append(Side(j, sign, found.ctx.one, root if towards else curve.deltas[0] / root))
            else:
                closed = has_closed_form(curve.deltas)  # a hundred times faster than the quadrature of the curve
                end = limit_time(found.ctx, sign * curve.z_0, curve.deltas) if closed else curve.range_of_t(sign)
                out.append(Side(j, sign, abs(end), found.ctx.one))
    return tuple(out)


def limit(problem: Problem, digits: int) -> Limit:
    """Solve the problem of alpha -> 0 to ``digits`` digits."""
    found = unscaled(problem, digits)
    ctx, listed = found.ctx, sides(found)
    optimum, nu = _solve(problem, found, listed)
    rho, tie = np.full(found.decomposition.terms, ctx.zero, dtype=object), None
    if optimum.unique:
        for k in optimum.support:
            rho[listed[k].j] = listed[k].sign * ctx.mpf(optimum.vertices[0][k])
    else:
        values, tie = _on_the_face(found, listed, optimum, problem.network.depth, digits)
        rho[:] = values
    return Limit(found, listed, optimum, nu, rho, tie)


def _solve(problem: Problem, found: Coordinates, listed) -> tuple[Optimum, np.ndarray]:
    """The minimisers in the values of |rho_j| a side, and the dual; in rational arithmetic where that is possible."""
    ctx, signs = found.ctx, np.array([side.sign for side in listed], dtype=object)
    columns = [side.j for side in listed]
    if not columns:  # nothing moves, and y is 0
        return Optimum([signs], 0 * problem.data(ctx)[1], ()), 0 * problem.data(ctx)[1]
    if problem.network.depth == 2:
        A, y = rationals(np.asarray(exact_frame(problem, found.decomposition, ctx)[0])), rationals(problem.y)
        if A is not None and y is not None:
            optimum = minimisers(A[:, columns] * signs, y)
            return _converted(optimum, ctx), np.array([_mpf(ctx, value) for value in optimum.nu], dtype=object)
    cost = np.array([side.cost for side in listed], dtype=object)
    M, y = found.A[:, columns] * signs / cost, problem.data(ctx)[1]
    rows = np.array([max(abs(entry) for entry in row) or ctx.one for row in M], dtype=object)
    size = max(abs(entry) for entry in y / rows) or ctx.one
    optimum = decided(M / rows[:, None], y / rows / size, ctx)
    vertices = [vertex * size / cost for vertex in optimum.vertices]
    return replace(optimum, vertices=vertices), optimum.nu / rows


def _converted(optimum: Optimum, ctx) -> Optimum:
    """The vertices from rationals to mpf; zeros stay exact."""
    return replace(
        optimum,
        vertices=[np.array([_mpf(ctx, value) for value in vertex], dtype=object) for vertex in optimum.vertices],
    )


def _mpf(ctx, value):
    return ctx.mpf(int(value.numerator)) / int(value.denominator)


def _on_the_face(found: Coordinates, listed, optimum: Optimum, depth: int, digits: int):
    """The point that the next order selects: that of Theorem 5, with sqrt(e_j^±) in place of |η̄_j|."""
    terms, vertices = found.decomposition.terms, []
    for vertex in optimum.vertices:
        rho = [found.ctx.zero] * terms
        for side, value in zip(listed, vertex, strict=True):
            rho[side.j] += side.sign * value
        vertices.append(rho)
    roots = np.full(terms, found.ctx.one, dtype=object)
    for k in optimum.support:  # one sign a coordinate: both together would not be minimal
        roots[listed[k].j] = listed[k].root
    face = Face(Numbers(found.ctx), [], [], vertices, list(optimum.nu), 0, ())
    rho, residual, _ = interior_point(face, found.A, roots, depth, digits)
    return np.array([adopt(found.ctx, value) for value in rho], dtype=object), residual


def order(problem: Problem):
    """The order in alpha of beta's distance to its limit at a vertex of the l1 problem; None where it is not known.

    A coordinate that is 0 in the limit stays on its curve. Depth >= 3: rho_j = alpha^L ρ̂_j (1 + O(alpha^{L-2})) with
    F̄_j(ρ̂_j) = (A^T nu)_j, where Theorem 5's losers have a_j^L h_L(c_L kappa_j). Depth 2: |rho_j| ~ alpha^{2 - 2
    kappa}, kappa its dual value (with the sign of rho_j where that is kept). The winners follow linearly.
    """
    depth = problem.network.depth
    if all(value == 0 for value in problem.y):
        return depth  # A rho = 0 has no scale but that of the start
    solved = limit(problem, _ORDER_DIGITS)
    found = solved.found
    ctx, zero = found.ctx, found.ctx.mpf(10) ** -_ORDER_DIGITS
    winners = [solved.sides[k] for k in solved.optimum.support]
    losers = [j for j in found.moving if j not in {side.j for side in winners}]
    if not solved.optimum.unique or len(winners) != len(found.moving) - _kernel(found):
        return None
    dual = found.A.T @ solved.nu
    if any(side.cost - side.sign * dual[side.j] <= zero * side.cost for side in solved.sides if side.j in losers):
        return None
    if depth > 2:
        return depth if any(_away(found.curves[j], dual[j], zero) for j in losers) else None
    # nu = log(1/alpha) nu_0 + nu_1, from the winners' t = log(4 |rho| / (alpha^2 e)) / 2
    ends = [side.sign * ctx.log(4 * abs(solved.rho[side.j]) / side.root**2) / 2 for side in winners]
    shift = dual_of(ctx, found.A[:, [side.j for side in winners]], ends)
    powers = []
    for j in losers:
        curve, kappa = found.curves[j], dual[j]
        assert curve is not None
        if curve.tied:
            powers.append(2 - 2 * ctx.sign(curve.z_0) * kappa)
        elif abs(kappa) > zero or abs(found.A[:, j] @ shift + curve.v_0) > zero:
            powers.append(2 - 2 * abs(kappa))
    return min(powers, default=None)


def dual_of(ctx, columns, values) -> np.ndarray:
    """nu with columns^T nu = values, for independent columns (rows beyond their rank get what is least)."""
    gram = ctx.matrix((columns.T @ columns).tolist())
    return columns @ np.array(list(ctx.lu_solve(gram, ctx.matrix(values))), dtype=object)


def _kernel(found: Coordinates) -> int:
    """How many coordinates A rho = y leaves free among those that move."""
    return null_space(found.A[:, found.moving], found.ctx).shape[1]


def _away(curve, dual, zero) -> bool:
    """Whether a coordinate that is 0 in the limit gets there only like alpha^L: rho = 0 has another dual value."""
    return curve.tied or abs(dual - curve.t(curve.ctx.zero)) > zero

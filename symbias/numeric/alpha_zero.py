r"""The limit of argmin Q as alpha goes to 0: a weighted l1 problem, ties decided by the next order of Q.

With a_j = alpha |eta_j|, theory of H_L at infinity gives, on a bounded set and with rho = 0 allowed,

    Q = c_L sum |rho_j| a_j^{2-L} - L/(2(L-2)) sum |rho_j|^{2/L} + O(alpha^2)            (L >= 3),
    Q = log(1/alpha) sum |rho_j| + (1/2) sum |rho_j| (log(4 |rho_j|/eta_j^2) - 1) + o(1)  (L = 2).

The first term grows without bound, the second does not depend on alpha: the limit lies on the optimal face of the first
and minimises the second there. It is strictly convex, so the limit is one point, interior to the face: the derivative
of |rho|^{2/L} and of |rho| log|rho| at 0 is infinite. (Leaving the face by delta costs alpha^{2-L} kappa delta and
gains at most delta^{2/L}, so the optimal delta is of the order of alpha^L.)
"""

import time
from typing import Any

import numpy as np
import sympy

from symbias import exact
from symbias.errors import BadInput, NotConverged
from symbias.numeric.linear_precise import Cholesky
from symbias.numeric.simplex import Numbers
from symbias.numeric.weighted_l1 import Face, as_mpf, report, solve_face
from symbias.numeric.weighted_l2 import Interpolant, door
from symbias.precision import context, public
from symbias.verdict import Residual

_GUARD = 15
_MAX_STEPS = 500


def alpha_zero_limit(A: Any, y: Any, eta: Any, depth: int, digits: int | None = None) -> Interpolant:  # noqa: N803
    r"""Return the limit of argmin Q_{L, alpha, eta} under A rho = y as alpha goes to 0.

    Parameters
    ----------
    A : array (n, m) of full row rank;  y : array (n,);  eta : array (m,), no entry 0
    depth : int, L >= 2
    digits : int, optional
        Decimal digits of the result; float64 without.

    Returns
    -------
    Interpolant
        0 exactly outside the support; ``free`` are the coordinates that the l1 problem alone does not decide, and
        ``exact`` is filled when it decides all of them and the data are rational.

    Raises
    ------
    BadInput
        Shapes, entries that are not finite, an eta that is 0, dependent rows of A, depth below 2.
    NotConverged
        A residual above 10^-digits.

    Source
    ------
    arXiv:2010.02501v3, Theorem 5; the ties: derived in this module.

    Examples
    --------
    >>> alpha_zero_limit([[2, "2.5"]], [1], [2, 1], 3).exact.tolist()
    [1/2, 0]
    >>> alpha_zero_limit([[1, 1]], [1], [2, 1], 2).rho.round(12).tolist()
    [0.8, 0.2]
    """
    began = time.perf_counter()
    if isinstance(depth, bool) or not isinstance(depth, (int, np.integer)) or depth < 2:
        raise BadInput(f"the depth must be an integer >= 2, not {depth!r}")
    matrix, y, eta = door(A, y, eta, "eta")
    for j, value in enumerate(eta):
        if value == 0:
            raise BadInput(f"eta[{j}] is 0: every weight must be nonzero")
    weights = np.array([abs(sympy.Rational(x) if isinstance(x, float) else x) for x in eta], dtype=object)
    costs = weights ** (2 - depth) if depth > 2 else np.full(len(weights), sympy.Integer(1), dtype=object)
    face = solve_face(matrix, y, costs, digits)
    if not face.free:
        return report(face, face.vertices[0], matrix, y, digits, began)
    rho, residual, steps = interior_point(face, matrix, weights, depth, digits or 20)
    return report(face, rho, matrix, y, digits, began, (residual,), steps)


def interior_point(face: Face, matrix: np.ndarray, weights: np.ndarray, depth: int, digits: int):
    """Minimise the next order of Q over the face by Newton's method along the null space; x = |rho| stays positive."""
    ctx = context(digits + 2 * _GUARD + 10)
    m = len(weights)
    count = len(face.vertices)
    mean = [sum(v[j] for v in face.vertices[1:]) / (2 * (count - 1)) + face.vertices[0][j] / 2 for j in range(m)]
    support = [j for j in range(m) if mean[j]]
    signs = np.array([1 if mean[j] > 0 else -1 for j in support], dtype=object)
    x = np.array([abs(as_mpf(mean[j], ctx)) for j in support], dtype=object)
    eta2 = np.array([exact.precise(weights[j], ctx) ** 2 for j in support], dtype=object)
    null = null_space(matrix[:, support], ctx) * signs[:, None]
    power = ctx.mpf(2) / depth

    def slope(x):
        if depth == 2:
            return np.array([ctx.log(u / e) for u, e in zip(x, eta2, strict=True)], dtype=object)
        return np.array([-(u ** (power - 1)) for u in x], dtype=object)

    steps = 0
    while True:
        g = slope(x)
        second = 1 / x if depth == 2 else (1 - power) * x ** (power - 2)
        change = -(null @ Cholesky(null.T @ (second[:, None] * null), ctx).solve(null.T @ g))
        relative = max(abs(c / u) for c, u in zip(change, x, strict=True))
        longest = min((u / -c for c, u in zip(change, x, strict=True) if c < 0), default=ctx.inf)
        t = min(ctx.mpf(1), ctx.mpf(19) / 20 * longest)
        # f is convex: the step is short enough when f does not climb at its end half as steeply as it fell at the start
        while slope(x + t * change) @ change > abs(g @ change) / 2 and relative > ctx.mpf(10) ** -(digits // 2):
            t /= 2
        x = x + t * change
        steps += 1
        if relative < ctx.mpf(10) ** -(digits + _GUARD):
            break
        if steps == _MAX_STEPS:
            raise NotConverged(f"the tie on the optimal face was not decided in {_MAX_STEPS} Newton steps")
    g = slope(x)
    left = np.abs(null.T @ g) / (np.abs(null.T) @ np.abs(g))
    rho = [ctx.mpf(0)] * m
    for j, s, value in zip(support, signs, x, strict=True):
        rho[j] = s * value
    tolerance = public(ctx.mpf(10) ** -digits, 5)
    return rho, Residual("tie", public(left.max(), 5), tolerance, "gradient of the next order along the face"), steps


def null_space(matrix: np.ndarray, ctx) -> np.ndarray:
    """Return a basis of the null space as columns: reduced row echelon form, rank decided at half the digits."""
    numbers = Numbers(ctx, ctx.mpf(10) ** -(2 * ctx.dps // 3))
    rows = exact.to_precise(matrix, ctx)
    rows = np.array([row / (max(abs(row)) or 1) for row in rows], dtype=object)
    pivots, i = [], 0
    for j in range(rows.shape[1]):
        if i == len(rows):
            break
        best = i + int(np.argmax(np.abs(rows[i:, j])))
        if numbers.sign(rows[best, j]) == 0:
            continue
        rows[[i, best]] = rows[[best, i]]
        rows[i] = rows[i] / rows[i, j]
        for k in range(len(rows)):
            if k != i and rows[k, j]:
                rows[k] = rows[k] - rows[k, j] * rows[i]
        pivots.append(j)
        i += 1
    free = [j for j in range(rows.shape[1]) if j not in pivots]
    null = np.full((rows.shape[1], len(free)), ctx.mpf(0), dtype=object)
    for c, j in enumerate(free):
        null[j, c] = ctx.mpf(1)
        for r, p in enumerate(pivots):
            null[p, c] = -rows[r, j]
    return null

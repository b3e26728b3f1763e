"""A tie between vertices: the point of the optimal face that the next order of the potential selects.

On the support vectors I and the tied coordinates J (signs s), Q = sum b_j |rho_j| - const sum |rho_j|^{2/L} + .. for
L >= 3: the first term is constant on the face, and the second selects the rho with sum_j A_ij rho_j = 1, |rho_j| =
(s_j (A_I^T nu)_j)^{-L/(L-2)}. For L = 2, Q = sum |rho_j| (log(4 |rho_j| / a_j^2) - 1) / 2 selects |rho_j| = a_j^2
exp(2 s_j (A_I^T nu)_j). Both are the gradients of a convex function of nu.
"""

import numpy as np

from symbias.errors import NotConverged

_ABSURD = 1e9


def balanced(A, signs, multiplicity, depth: int, ctx, scale, start) -> np.ndarray:  # noqa: N803
    """Return the rho on J with sum_j A_ij c_j rho_j = 1 for i in I, of the form above.

    Parameters
    ----------
    A : (|I|, |J|) mpf, of rank |I|
    signs, multiplicity, scale : (|J|,), scale = a_j^2 (only depth 2 uses it)
    depth : int
    ctx : mpmath context
    start : (|I|,) mpf, nu with s_j (A^T nu)_j > 0: the multipliers of the margin problem

    Raises
    ------
    NotConverged
        Newton's method did not settle: the face has no point of that form with all coordinates of J nonzero.
    """
    directed = A * signs
    power = ctx.mpf(depth) / (depth - 2) if depth > 2 else None

    def sizes(nu):
        t = directed.T @ nu
        if power is None:
            return scale * np.array([_exp(ctx, 2 * entry) for entry in t], dtype=object)
        return np.array([entry**-power if entry > 0 else ctx.inf for entry in t], dtype=object)

    def slopes(nu, rho):
        t = directed.T @ nu
        return rho * 2 if power is None else rho * power / t

    nu = np.array(start, dtype=object)
    if not all(entry > 0 for entry in directed.T @ nu):
        raise NotConverged("the multipliers of the margin problem do not point along the tied coordinates")
    rho = sizes(nu)
    # Scale the start so that the margins have the right size on average.
    ratio = sum(directed @ (multiplicity * rho)) / len(nu)
    if ratio > 0:  # rows of mixed signs may have it negative
        nu = nu * ratio ** (1 / power) if power is not None else nu * (1 - ctx.log(ratio) / (2 * (directed.T @ nu)[0]))
    rho = sizes(nu)
    residual = directed @ (multiplicity * rho) - 1
    for _ in range(200):
        size = max(abs(entry) for entry in residual)
        if size <= ctx.mpf(10) ** (12 - ctx.dps):
            # A coordinate that only tends to zero passes the residual once it is small.
            if min(rho) < ctx.mpf(10) ** ((12 - ctx.dps) // 2) * max(rho):
                raise NotConverged("the tie has no balanced point: a coordinate of it stays behind")
            return signs * rho
        K = (directed * (multiplicity * slopes(nu, rho))) @ directed.T  # noqa: N806
        if power is None:
            K = -K  # noqa: N806
        try:
            move = np.array(list(ctx.lu_solve(ctx.matrix(K.tolist()), ctx.matrix(residual.tolist()))), dtype=object)
        except ZeroDivisionError:
            raise NotConverged("the tie has no balanced point: a coordinate of it stays behind") from None
        length = ctx.one
        while True:
            trial = nu + length * move
            found = sizes(trial)
            left = directed @ (multiplicity * found) - 1
            if all(ctx.isfinite(entry) for entry in left) and max(abs(entry) for entry in left) < size:
                break
            length /= 2
            if length < ctx.mpf(2) ** -60:
                raise NotConverged("the tie has no balanced point: a coordinate of it stays behind")
        nu, rho, residual = trial, found, left
    raise NotConverged("the balanced point of the tie was not reached in 200 Newton steps")


def _exp(ctx, exponent):
    """exp, infinite or 0 where a trial of Newton's method is absurdly far: mpmath would ask for all memory."""
    if abs(exponent) > _ABSURD:
        return ctx.inf if exponent > 0 else ctx.zero
    return ctx.exp(exponent)

"""The optimality conditions of argmin Q, from the prediction's coefficients alone.

Q is strictly convex, so beta = S^T rho is the minimiser exactly when X beta = y and grad Q(rho) is in the range of (X
S^T)^T: with a_j = alpha |η̄_j|, t_j = h_L^{-1}(rho_j / a_j^L) and grad_j = a_j^{2-L} t_j. Here t_j is found from rho
by the
*integral* t = int_0^q (1 + u^2)^{-(L-1)/2} du and a bracketed root, not by the kernels that made the prediction.
"""

import numpy as np

from symbias.exact import to_precise
from symbias.numeric.misfit import misfit
from symbias.precision import adopt, context
from symbias.problem import Problem
from symbias.theorems.prediction import Prediction
from symbias.theorems.spectral import frame
from symbias.verdict import Residual


def optimality(problem: Problem, prediction: Prediction, digits: int) -> tuple[Residual, ...]:
    """Return the residuals of feasibility and stationarity of ``prediction``, computed in twice the digits.

    Stationarity is the least change of grad Q, relative to its largest entry, that puts it into the range of S X^T.
    """
    ctx = context(2 * digits + 40)
    coordinates = frame(problem, ctx)
    X, y = problem.data(ctx)
    depth, scale = problem.network.depth, problem.start().scale(ctx)
    beta = to_precise(prediction.coefficients.ravel(), ctx)
    a = scale * np.abs(coordinates.eta[0])
    rho = nearest_rho(ctx, coordinates.decomposition, beta)
    inverses = [_inverse(ctx, depth, r / a_j**depth) for r, a_j in zip(rho, a, strict=True)]
    gradient = np.array([a_j ** (2 - depth) * t for (t, _), a_j in zip(inverses, a, strict=True)])
    # H = h t - q^2/2, so Q = sum_j rho_j grad_j - a_j^2 q_j^2 / 2
    value = rho @ gradient - sum(a_j**2 * q**2 / 2 for (_, q), a_j in zip(inverses, a, strict=True))
    rows = X.reshape(len(y), -1)
    outside = np.abs(coordinates.decomposition.adjoint(rho, ctx).ravel() - beta).max()
    top = np.abs(beta).max()
    tolerance = ctx.mpf(10) ** (2 - digits)
    given = prediction.potential
    off = ctx.zero if given is None or not value else abs(adopt(ctx, given) / value - 1)
    return (
        Residual("value of Q", off, tolerance, "Q"),
        Residual("feasibility X beta = y", misfit(rows, beta, y), tolerance, "|X||beta| + |y|"),
        Residual("beta in the range of S^T", outside / top if top else outside, tolerance, "largest |beta|"),
        Residual(
            "stationarity of Q", outside_range(ctx, coordinates.A, gradient), tolerance, "condition x largest |grad Q|"
        ),
    )


def nearest_rho(ctx, decomposition, beta):
    """The rho with S^T rho nearest to beta: (S S^T)^{-1} S beta."""
    unit = np.array(
        [[ctx.mpf(j == k) for k in range(decomposition.terms)] for j in range(decomposition.terms)], dtype=object
    )
    rows = decomposition.adjoint(unit, ctx).reshape(decomposition.terms, -1)
    return np.array(
        list(ctx.lu_solve(ctx.matrix((rows @ rows.T).tolist()), ctx.matrix((rows @ beta).tolist()))), dtype=object
    )


def _inverse(ctx, depth: int, value):
    """t = h_L^{-1}(value) and q: the root of q (1 + q^2)^{(L-1)/2} = |value| by safe secants, then t by quadrature."""
    if not value:
        return ctx.zero, ctx.zero
    size = abs(value)
    # q (1+q^2)^{(L-1)/2} lies between q and its last factor's power: both ends bracket the root.
    low, high = min(size, size ** (ctx.one / depth)) / 2, max(size, size ** (ctx.one / depth)) * 2

    def excess(s):  # in logarithms, so that sizes of 1e-300 and 1e300 are alike
        q = ctx.exp(s)
        return s + ctx.mpf(depth - 1) / 2 * ctx.log1p(q * q) - ctx.log(size)

    s = ctx.findroot(excess, (ctx.log(low), ctx.log(high)), solver="anderson", tol=ctx.eps**2 * 2**20)
    q = ctx.exp(s)
    # t = int_0^{arctan q} cos^{L-3}: smooth, so Gauss-Legendre converges fast.
    t = ctx.quad(lambda angle: ctx.cos(angle) ** (depth - 3), [0, ctx.atan(q)], method="gauss-legendre")
    return (t, q) if value > 0 else (-t, -q)


def outside_range(ctx, A, gradient):
    """The relative part of ``gradient`` outside the range of A^T, whose rows may be dependent or zero."""
    basis: list = []

    def outside(vector):
        for _ in range(2):  # twice: orthogonal to rounding
            for b in basis:
                vector = vector - (vector @ b) * b
        return vector

    for row in A:
        size = ctx.sqrt(row @ row)
        new = outside(row / size) if size else row
        length = ctx.sqrt(new @ new)
        if length > ctx.sqrt(ctx.eps):
            basis.append(new / length)
    top = max(abs(g) for g in gradient)
    left = max(abs(entry) for entry in outside(gradient))
    return left / top if top else left

"""The optimality conditions of a separable potential, from beta alone: X beta = y, and grad Q(rho) in the range of (X
S^T)^T.

The gradients are found from rho by bracketed roots and closed forms other than those of the prediction.
"""

import numpy as np

from symbias.checks.optimality import nearest_rho, outside_range
from symbias.numeric.misfit import misfit
from symbias.precision import adopt, context
from symbias.problem import Problem
from symbias.theorems.beyond import general_initialization
from symbias.theorems.prediction import Prediction
from symbias.verdict import Residual


def difference_of_powers(problem: Problem, prediction: Prediction, digits: int) -> tuple[Residual, ...]:
    """Return feasibility and stationarity of sum a_j^2 q_L(beta_j / a_j^L)."""
    ctx = context(2 * digits + 40)
    X, y = problem.data(ctx)
    beta = _adopted(ctx, prediction.coefficients)
    a, depth = np.abs(problem.start().blocks(ctx)[0]), problem.network.depth
    gradient = np.array([_power_slope(ctx, depth, b, w) for b, w in zip(beta, a, strict=True)], dtype=object)
    return _conditions(ctx, X, y, beta, X, gradient, digits)


def _power_slope(ctx, depth: int, beta, a):
    """d/d beta of a^2 q_L(beta / a^L): a^{2-L} z with (1-z)^{-k} - (1+z)^{-k} = beta / a^L, k = L/(L-2)."""
    size = abs(beta) / a**depth
    if depth == 2:
        return ctx.asinh(beta / (2 * a * a))
    if not size:
        return ctx.zero
    k = ctx.mpf(depth) / (depth - 2)
    # u = 1 - z: u^{-k} lies between the value and the value plus one. In logarithms sizes of 1e-300 and 1e300 are
    # alike.
    low, high = (1 + size) ** (-1 / k), min(ctx.one, size ** (-1 / k))
    root = _increasing(ctx, lambda u: size - u**-k + (2 - u) ** -k, low, high)
    return ctx.sign(beta) * a ** (2 - depth) * (1 - root)


def general(problem: Problem, prediction: Prediction, digits: int) -> tuple[Residual, ...]:
    """Return feasibility and stationarity of the potential of a general real initialization.

    z_j is the root of rho_j = z prod sqrt(z^2 + delta_l), and t_j the integral from z_0 to it in closed form: asinh at
    depth 2, Carlson's R_F at depths 3 and 4; a tanh-sinh quadrature beyond, and where two layers tie.
    """
    ctx = context(2 * digits + 40)
    found = general_initialization.coordinates(problem, ctx)
    X, y = problem.data(ctx)
    beta = _adopted(ctx, prediction.coefficients)
    rho = nearest_rho(ctx, found.decomposition, beta)
    moving = [j for j, c in enumerate(found.curves) if c is not None]
    gradient = np.array([_general_slope(ctx, found.curves[j], rho[j]) for j in moving], dtype=object)
    rows = found.A[:, moving]
    frozen = max((abs(rho[j]) for j in range(len(rho)) if j not in moving), default=ctx.zero)
    extra = Residual(
        "coordinates that cannot move", frozen, ctx.mpf(10) ** (2 - digits) * np.abs(rho).max(), "absolute"
    )
    return (*_conditions(ctx, X, y, beta, rows, gradient, digits), extra)


def _general_slope(ctx, curve, rho):
    """t at rho."""

    def value(z):
        product = z
        for delta in curve.deltas:
            product = product * ctx.sqrt(z * z + delta)
        return product - rho

    size = abs(rho) ** (ctx.one / (len(curve.deltas) + 1))
    z = _increasing(ctx, value, -size, size) if rho else ctx.zero
    return _antiderivative(ctx, curve, z)


def _antiderivative(ctx, curve, z):
    """int_{z_0}^z dx / prod sqrt(x^2 + delta_l)."""
    deltas = curve.deltas
    if deltas[0] and len(deltas) == 1:
        return ctx.asinh(z / ctx.sqrt(deltas[0])) - ctx.asinh(curve.z_0 / ctx.sqrt(deltas[0]))
    if deltas[0] and len(deltas) <= 3:
        return _carlson(ctx, deltas, z) - _carlson(ctx, deltas, curve.z_0)
    places = [curve.z_0, z] if curve.z_0 * z > 0 or not deltas[0] else [curve.z_0, 0, z]

    def integrand(x):
        product = ctx.one
        for delta in deltas:
            product = product * (x * x + delta)
        return 1 / ctx.sqrt(product)

    return ctx.quad(integrand, _octaves(ctx, places))


def _octaves(ctx, places):
    """The places with powers of two between them: each piece of the integrand is then smooth on its own scale."""
    out = [places[0]]
    for low, high in zip(places, places[1:], strict=False):
        if low and high:
            count = int(abs(ctx.log(abs(high / low), 2)))
            out += [low * (high / low) ** (ctx.mpf(i) / (count + 1)) for i in range(1, count + 1)]
        out.append(high)
    return out


def _carlson(ctx, deltas, z):
    """int_0^z for two or three positive deltas."""
    if not z:
        return ctx.zero
    w = 1 / (z * z)
    arguments = [w + 1 / delta for delta in deltas]
    if len(arguments) == 2:
        arguments = [w, *arguments]
    scale = ctx.one
    for delta in deltas:
        scale = scale * delta
    return ctx.sign(z) * ctx.elliprf(*arguments) / ctx.sqrt(scale)


def _increasing(ctx, function, low, high):
    """The root of an increasing function in [low, high], by the Illinois method: to the precision, never outside."""
    below, above = function(low), function(high)
    if below >= 0:
        return low
    if above <= 0:
        return high
    side = 0
    for _ in range(20 * ctx.prec):
        middle = high - above * (high - low) / (above - below)
        if not low < middle < high:
            middle = (low + high) / 2
        value = function(middle)
        if not value or abs(high - low) <= 4 * ctx.eps * abs(middle):
            return middle
        if value < 0:
            low, below = middle, value
            above = above / 2 if side < 0 else above
            side = -1
        else:
            high, above = middle, value
            below = below / 2 if side > 0 else below
            side = 1
    return (low + high) / 2


def _adopted(ctx, values):
    return np.array([adopt(ctx, entry) for entry in values.ravel()], dtype=object)


def _conditions(ctx, X, y, beta, A, gradient, digits) -> tuple[Residual, ...]:  # noqa: N803
    rows = X.reshape(len(y), -1)
    tolerance = ctx.mpf(10) ** (2 - digits)
    return (
        Residual("feasibility X beta = y", misfit(rows, beta, y), tolerance, "|X||beta| + |y|"),
        Residual("stationarity of Q", outside_range(ctx, A, gradient), tolerance, "largest |grad Q|"),
    )

"""The numbers of Theorem 5: rho = argmin Q, beta = S^T rho and the blocks, in float64 or to any number of digits."""

import numpy as np

from symbias import exact
from symbias.errors import BadInput
from symbias.functions.potential import potential
from symbias.numeric.minimize import argmin_potential
from symbias.numeric.misfit import misfit
from symbias.precision import context, public
from symbias.problem import Problem
from symbias.theorems.spectral import Frame, decomposition_of, frame
from symbias.verdict import Residual

#: |log10 a_j| that float64 is trusted with: beyond, even a_j^2 is outside its range.
WIDEST = 150
#: The largest exponent of a product of blocks that is still formed in float64.
_RANGE = 290


def float_solution(problem: Problem) -> dict:
    """The limit in float64, as fields of a Prediction.

    Raises
    ------
    BadInput
        alpha |η̄_j| outside 1e-150 .. 1e150 (ask for digits=).
    """
    problem.require_floats()
    coordinates = frame(problem)
    log_a = problem.start().log_alpha() + np.log(np.abs(coordinates.eta[0]))
    reach = np.abs(log_a).max() / np.log(10)
    if reach > WIDEST:
        raise BadInput(
            f"alpha |eta_j| reaches 10^{reach:+.0f} or its inverse, too far for float64: ask for digits, e.g. digits=15"
        )
    minimum = argmin_potential(coordinates.A, problem.y_float, log_a, problem.network.depth)
    return _assembled(problem, coordinates, minimum, problem.start().scale(), None, 1e-12)


def precise_solution(problem: Problem, digits: int) -> dict:
    """The limit to ``digits`` digits of every coordinate of rho *and* of beta, perhaps a small sum of large terms."""
    found, guard = {}, 10
    for _ in range(2):
        asked = digits + guard
        ctx = context(asked + _reach(problem))
        coordinates = frame(problem, ctx)
        scale = problem.start().scale(ctx)
        a = scale * np.abs(coordinates.eta[0])
        minimum = argmin_potential(coordinates.A, problem.data(ctx)[1], None, problem.network.depth, digits=asked, a=a)
        found = _assembled(problem, coordinates, minimum, scale, ctx, ctx.mpf(10) ** (1 - digits), digits)
        lost = 0 if coordinates.decomposition.kind == "diagonal" else _cancelled(ctx, found["coefficients"], asked)
        if lost <= guard - 2:
            break
        guard = lost + 10
    for name in ("coefficients", "singular_values"):
        found[name] = public(found[name], digits)
    found["blocks"] = tuple(public(block, digits) for block in found["blocks"])
    return found


def _reach(problem: Problem) -> int:
    """Digits that the scales alpha^L and eta^L take up on top of the digits asked for."""
    start = problem.start()
    eta = decomposition_of(problem).transform(start.direction(0), 0)
    log_a = start.log_alpha() + np.log(np.abs(eta))
    return 40 + int(2 * problem.network.depth * np.abs(log_a).max() / np.log(10))


def _cancelled(ctx, beta: np.ndarray, digits: int) -> int:
    """How many digits the smallest coefficient lost against the largest; below 10^-digits it counts as zero."""
    sizes = [abs(b) for b in beta.ravel()]
    top = max(sizes)
    seen = [s for s in sizes if s > top * ctx.mpf(10) ** -digits]
    return int(ctx.ceil(ctx.log10(top / min(seen)))) if seen else 0


def _assembled(problem: Problem, coordinates: Frame, minimum, scale, ctx, tolerance, digits=None) -> dict:
    """beta, the blocks and the residuals of beta against the data and of the blocks against beta."""
    depth, S = problem.network.depth, coordinates.decomposition
    rho, q = (v if ctx is None else exact.to_precise(v, ctx) for v in (minimum.rho, minimum.root))
    beta = S.adjoint(rho, ctx).reshape(problem.network.input_shape)
    eta = np.abs(coordinates.eta[0])
    a = scale * eta
    notes = [minimum.note] * bool(minimum.note)
    residuals = (*minimum.residuals, _feasibility(problem, beta, ctx, tolerance))
    blocks = None
    if ctx is None and depth * np.abs(np.log10(a)).max() > _RANGE:
        notes.append("the products of the blocks leave the range of float64, so they are not given: ask for digits=")
    else:
        blocks = _blocks(problem, coordinates, a, q, ctx)
        residuals += (_product(problem, beta, blocks, tolerance),)
    try:
        value = potential(rho, depth=depth, alpha=scale, eta=eta, digits=digits)
    except BadInput as error:  # out of the range of float64: the rest of the prediction stands
        value = None
        notes.append(str(error))
    return {
        "coefficients": beta,
        "singular_values": rho,
        "blocks": blocks,
        "potential": value,
        "residuals": residuals,
        "notes": tuple(notes),
    }


def _blocks(problem: Problem, coordinates: Frame, a, q, ctx) -> tuple[np.ndarray, ...]:
    """v_l = U_l eta_l with eta_l = a p (l < L), eta_L = a q, and the signs of the start."""
    half = 0.5 if ctx is None else ctx.mpf(1) / 2
    signs = [np.where(e < 0, -1, 1) for e in coordinates.eta[:-1]]
    etas = [sign * a * (1 + q * q) ** half for sign in signs] + [np.prod(signs, axis=0) * a * q]
    shapes = problem.network.block_shapes
    S = coordinates.decomposition
    return tuple(S.block(eta, layer, ctx).reshape(shapes[layer]) for layer, eta in enumerate(etas))


def _feasibility(problem: Problem, beta, ctx, tolerance) -> Residual:
    """X beta = y on the data as given."""
    X, y = problem.data(ctx)
    rows, flat = X.reshape(len(y), -1), beta.ravel()
    return Residual("X beta = y", misfit(rows, flat, y), tolerance, "|X||beta| + |y|")


def _product(problem: Problem, beta, blocks, tolerance) -> Residual:
    """The product of the blocks against beta."""
    error, size = np.abs(problem.network.product.beta(blocks) - beta).max(), np.abs(beta).max()
    return Residual("product of the blocks = beta", error / size if size else error, tolerance, "largest |beta|")

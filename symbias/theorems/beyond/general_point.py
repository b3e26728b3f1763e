"""Regression from any real start: the minimum of the potential of the start, the blocks there, and their residuals.

See ``general_initialization``. Float64 where it holds all digits that are promised, else high precision.
"""

import math
import time
from dataclasses import replace
from typing import Any

import numpy as np

from symbias import exact
from symbias.errors import BadInput
from symbias.numeric.layers import UnequalLayers
from symbias.numeric.minimize import TOLERANCE, held_by_floats
from symbias.numeric.minimize_precise import argmin_precise
from symbias.numeric.misfit import misfit, vanishing
from symbias.precision import context, public
from symbias.problem import Problem
from symbias.theorems.beyond.general_coordinates import Coordinates, coordinates, reach
from symbias.theorems.prediction import Prediction
from symbias.theorems.statement import Statement
from symbias.theorems.theorem_5_solution import WIDEST
from symbias.verdict import Residual

#: Digits behind a float64 prediction whose minimum float64 does not hold.
_FLOAT_DIGITS = 20
#: What is left of a row of unit size that follows from others, in float64.
_RANK = 1e-12


def predict(problem: Problem, statement: Statement, records, digits: int | None, began: float) -> Prediction:
    """The end of gradient flow from any real start, as a prediction of ``statement``."""
    asked = digits or _FLOAT_DIGITS
    found = coordinates(problem, context(asked + 10 + reach(problem)), floats=digits is None)
    low = found.moving_curves.low() if digits is None and found.moving else None
    if low is not None:
        _require_floats(low)

    def made(**fields) -> Prediction:
        notes = problem.note_on_floats(digits)
        return Prediction(
            statement=statement,
            hypotheses=records,
            alpha=problem.start().alpha,
            digits=digits,
            notes=notes,
            **fields,
        )

    prediction = None
    if low is not None and all(problem.data(found.ctx)[1]):
        prediction = _in_floats(problem, found, low, made)
    if prediction is None:
        more = _more_digits(problem, found, asked)
        if more:
            found = coordinates(problem, context(found.ctx.dps + more), floats=digits is None)
        prediction = made(**_precise(problem, found, asked, more))
    return replace(_rounded(prediction, digits), seconds=time.perf_counter() - began)


def _rounded(made: Prediction, digits: int | None) -> Prediction:
    """Round every number once."""

    def rounded(value):
        if value is None or isinstance(value, tuple):
            return value and tuple(rounded(entry) for entry in value)
        return public(value, digits) if digits else np.asarray(value, dtype=float)[()]

    names = ("coefficients", "blocks", "potential", "singular_values")
    return replace(made, **{name: rounded(getattr(made, name)) for name in names})


def _require_floats(low: UnequalLayers) -> None:
    """Refuse what leaves the range of float64, as Theorem 5 does."""
    reach = np.abs(low.amplitude).max() / low.depth / np.log(10)
    if reach > WIDEST:
        raise BadInput(
            f"alpha |eta_j| reaches 10^{reach:.0f} or its inverse, too far for float64: ask for digits, e.g. digits=15"
        )


def _more_digits(problem: Problem, found: Coordinates, asked: int) -> int:
    """Digits that cancel between the start and y: those of y's range, and twice the working digits where y_i = 0."""
    y = np.abs(problem.data(found.ctx)[1])
    if not found.moving:
        return 0
    curves = found.moving_curves
    sizes = np.abs(found.A[:, found.moving]) @ curves.at(curves.v_0)[1]  # d rho/dv >= |rho|, and not 0 where rho is
    ratios = [target / size for target, size in zip(y, sizes, strict=True) if target and size]
    spread = found.ctx.log10(max(1, *ratios) / min(ratios)) if ratios else 0
    # five of the ten guard digits may cancel; whole tens, so that problems share their quadrature rules
    return 10 * math.ceil(max(0, spread - 5) / 10) + (0 if all(y) else asked + 10)


def _in_floats(problem: Problem, found: Coordinates, low: UnequalLayers, made) -> Prediction | None:
    """The prediction from the minimum in float64, or None where it has fewer digits than are promised."""
    rows = _independent(found)
    if not rows.size:
        return None
    minimum = held_by_floats(found.A[rows][:, found.moving].astype(float), problem.y_float[rows], low)
    if minimum is None:
        return None
    v, rho = (exact.to_precise(part, found.ctx) for part in (minimum.v, minimum.rho))
    point = _point(problem, found, rho, v, found.ctx.zero, found.ctx.mpf(TOLERANCE))
    if any(residual.value > residual.tolerance for residual in point["residuals"]):
        return None
    return made(**point, potential=_potential(found, rho, v, low.at(minimum.v).time, low.log_w))


def _independent(found: Coordinates) -> np.ndarray:
    """The samples that ask for something of their own: where coordinates are dead, the others follow from them."""
    A = found.A[:, found.moving].astype(float)  # noqa: N806
    if len(found.moving) == len(found.curves):
        return np.arange(len(A))
    from scipy.linalg import qr

    size = np.abs(A).max(axis=1, keepdims=True)
    triangle, order = qr((A / np.where(size > 0, size, 1)).T, mode="r", pivoting=True)
    return np.sort(order[: int((np.abs(np.diag(triangle)) > _RANK).sum())])


def _precise(problem: Problem, found: Coordinates, asked: int, more: int) -> dict[str, Any]:
    """The point from the minimum in high precision."""
    ctx, working, tolerance = found.ctx, asked + 10 + more, found.ctx.mpf(10) ** (1 - asked)
    if not found.moving:
        nothing = np.zeros(0, dtype=object)
        return _point(problem, found, nothing, nothing, ctx.zero, tolerance) | {"potential": ctx.zero}
    curves, rows = found.moving_curves, _independent(found)
    if not rows.size:  # no sample sees what moves: it stays where it starts
        v = curves.v_0
        return _point(problem, found, curves.at(v)[0], v, ctx.zero, tolerance) | {"potential": ctx.zero}
    minimum = argmin_precise(found.A[rows][:, found.moving], problem.data(ctx)[1][rows], curves, working)
    rho, v = (exact.to_precise(part, ctx) for part in (minimum.rho, minimum.v))
    point = _point(problem, found, rho, v, ctx.mpf(10) ** -working, tolerance)
    return point | {"potential": curves.potential(v, asked)}


def _potential(found: Coordinates, rho, v, time, log_w):
    """Q = sum rho t - (z^2 - z_0^2)/2 with t from float64, or with all digits where that cancels."""
    curves, ctx = found.moving_curves, found.ctx
    t = np.array([float(time_j) * ctx.exp(-log_w_j) for time_j, log_w_j in zip(time, log_w, strict=True)], dtype=object)
    start = np.array([c.z_0 for c in curves.coordinates], dtype=object)
    squares = curves.z(v) ** 2
    total = (rho * t - (squares - start**2) / 2).sum()
    size = (np.abs(rho * t) + (squares + start**2) / 2).sum()  # v, rounded, moves rho t by eps z^2
    return total if abs(total) > 1e-3 * size else curves.potential(v, _FLOAT_DIGITS)


def _point(problem: Problem, found: Coordinates, rho_moving, v, unit, tolerance) -> dict[str, Any]:
    """beta, rho and the blocks at a minimum, and their residuals.

    What rows of target 0 see is taken as 0 below ``unit`` of the start's size, where it is rounding.
    """
    ctx, S, moving = found.ctx, found.decomposition, found.moving
    X, y = problem.data(ctx)
    A, noise = found.A[:, moving], 0 * rho_moving
    if moving and not all(y):
        curves = found.moving_curves
        free = np.array([not curve.tied for curve in curves.coordinates], dtype=int)  # a tied rho_j is never 0
        noise = unit * free * curves.at(curves.v_0)[1]
    zero = vanishing(A, rho_moving, y, noise, tolerance)
    rho = np.full(S.terms, ctx.zero, dtype=object)
    rho[moving] = np.where(zero, ctx.zero, rho_moving)
    beta = S.adjoint(rho, ctx)
    z = np.where(zero, ctx.zero, found.moving_curves.z(v)) if moving else v
    blocks = _blocks(problem, found, dict(zip(moving, z, strict=True)))
    rows, flat = X.reshape(len(y), -1), beta.ravel()
    if not all(y) and misfit(rows, flat, y) > tolerance:  # entries of beta in which the rho_j cancel
        mixing = np.abs([S.adjoint(row, ctx).ravel() for row in np.eye(S.terms, dtype=int).astype(object) * ctx.one])
        size = np.abs(rho) * unit
        size[moving] += noise
        flat = np.where(vanishing(rows, flat, y, size @ mixing, tolerance), ctx.zero, flat)
    apart = np.abs(problem.network.product.beta(blocks).ravel() - flat).max() / (np.abs(flat).max() or 1)
    return {
        "coefficients": flat.reshape(problem.network.input_shape),
        "singular_values": rho,
        "blocks": blocks,
        "residuals": (
            Residual("X beta = y", misfit(rows, flat, y), tolerance, "|X||beta| + |y|"),
            Residual("product of the blocks = beta", apart, tolerance, "largest |beta|"),
        ),
    }


def _blocks(problem: Problem, found: Coordinates, z: dict[int, Any]) -> tuple[Any, ...]:
    """v_l at the end: |eta_l| = sqrt(z^2 + delta_l) with the sign it started with, z for the smallest layer."""
    ctx, depth = found.ctx, problem.network.depth
    eta = [np.array(e, dtype=object) for e in found.eta]
    for j, end in z.items():
        least = found.smallest[j]
        reference, sign = found.eta[least][j], 1
        for layer in range(depth):
            if layer == least:
                continue
            start = found.eta[layer][j]
            sign = -sign if start < 0 else sign
            delta = (abs(start) - abs(reference)) * (abs(start) + abs(reference))
            eta[layer][j] = (-1 if start < 0 else 1) * ctx.sqrt(end * end + delta)
        eta[least][j] = sign * end
    shapes = problem.network.block_shapes
    return tuple(found.decomposition.block(e, layer, ctx).reshape(shapes[layer]) for layer, e in enumerate(eta))

"""The root nu of g(nu) = y / alpha^2 (Theorem 6), in logarithms: any alpha, float64 or any precision.

With P_j = (eta_1j + eta_2j)^2 and N_j = (eta_1j - eta_2j)^2,

    g(nu) = sum_j (s_j / 4) (P_j e^{2 s_j nu} - N_j e^{-2 s_j nu}),

which is strictly increasing. Exchanging P and N turns nu into -nu, so the root may be taken positive; then

    g(nu) - g(0) = sum_j (s_j / 4) (P_j expm1(2 s_j nu) - N_j expm1(-2 s_j nu)) = y / alpha^2 - g(0)

has positive terms only, and no cancellation is left in the unknown. Where all P_j (or all N_j) vanish, g itself is
one sum of exponentials of one sign.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbias.errors import NotConverged

_STEPS = 400  # of a bracketed Newton iteration that needs about ten


@dataclass(frozen=True)
class Exponentials:
    """sum_j c_j e^{2 s_j nu} with c_j, s_j > 0, in float64 (ctx None) or in an mpmath context; ``log_c`` = log c_j.

    ``log_value`` and ``log_rise`` return the logarithm of the sum, and of the sum minus its value at nu = 0, at nu =
    e^tau, each with the derivative in nu of the sum itself as a logarithm; ``sign`` -1 stands for e^{-2 s_j nu}.
    """

    ctx: Any
    log_c: Any
    s: Any

    def log_value(self, nu, sign: int) -> tuple[Any, Any]:
        grown = self.log_c + sign * 2 * self.s * nu
        return log_sum(self.ctx, grown), log_sum(self.ctx, grown + log(self.ctx, 2 * self.s))

    def log_rise(self, tau, sign: int) -> tuple[Any, Any]:
        nu = exponential(self.ctx, tau)
        change = self.log_c + log_expm1(self.ctx, 2 * self.s * nu, log(self.ctx, 2 * self.s) + tau, sign)
        return log_sum(self.ctx, change), self.log_value(nu, sign)[1]


@dataclass(frozen=True)
class Root:
    """``nu``; ``log_nu`` = log|nu|; ``steps`` taken; nu = ±oo where g only tends to y / alpha^2."""

    nu: Any
    log_nu: Any
    steps: int


def solve(ctx, s, p_squared, n_squared, g_0, y, log_alpha) -> Root | None:
    """Return the root, or None when g never reaches y / alpha^2: then the flow stalls with nu = sign(y) oo.

    Parameters
    ----------
    ctx : mpmath context, or None for float64
    s, p_squared, n_squared : arrays; s_j > 0, P_j, N_j >= 0
    g_0 : number; g(0) = sum_j s_j eta_1j eta_2j, as accurately as it is known
    y, log_alpha : numbers
    """
    up, down = _sum(ctx, s, p_squared), _sum(ctx, s, n_squared)
    if y < 0:
        mirrored = solve(ctx, s, n_squared, p_squared, -g_0, -y, log_alpha)
        return mirrored and Root(-mirrored.nu, mirrored.log_nu, mirrored.steps)
    infinity = np.inf if ctx is None else ctx.inf
    if up is None and down is None:
        return Root(0 * infinity_free(ctx), -infinity, 0) if y == 0 else None
    if y == 0 and (up is None or down is None):
        return Root(infinity if up is None else -infinity, infinity, 0)
    if up is None:
        return None
    log_target = log(ctx, y) - 2 * log_alpha if y > 0 else -infinity
    if down is None:
        return _one_sign(ctx, up, log_target)
    positive, log_distance = _distance(ctx, log_target, g_0)
    if log_distance == -infinity:
        return Root(0 * infinity_free(ctx), -infinity, 0)
    if not positive:
        up, down = down, up

    def excess(tau):
        rise, slope_rise = up.log_rise(tau, 1)
        fall, slope_fall = down.log_rise(tau, -1)
        total = log_sum(ctx, np.array([rise, fall]))
        slope = log_sum(ctx, np.array([slope_rise, slope_fall]))
        return total - log_distance, exponential(ctx, tau + slope - total)

    tau, steps = increasing_root(excess, _log_bound(up, log_distance), ctx)
    nu = exponential(ctx, tau)
    return Root(nu if positive else -nu, tau, steps)


def increasing_root(function: Callable, start, ctx) -> tuple[Any, int]:
    """The root of an increasing function given with its slope: Newton inside a bracket widened from ``start``."""
    low: Any = None
    high: Any = None
    width = 1.0 if ctx is None else ctx.one
    at = start
    smallest = 4 * np.finfo(float).eps if ctx is None else 64 * ctx.eps
    for step in range(1, _STEPS + 1):
        value, slope = function(at)
        low, high = (at, high) if value < 0 else (low, at)
        move: Any = -value / slope if slope > 0 else None
        if move is not None and abs(move) <= smallest * (1 + abs(at)):
            return at + move, step
        target = None if move is None else at + move
        if low is None or high is None:
            # Newton's move, but no further than the width, which doubles: the function may be flat or steep out there.
            inside = target is not None and abs(move) <= width
            at = target if inside else at + (width if value < 0 else -width)
            width *= 2
        elif target is not None and low < target < high:
            at = target
        else:
            at = (low + high) / 2
        if low is not None and high is not None and high - low <= smallest * (1 + abs(low)):
            return at, step
    raise NotConverged(f"the root of g(nu) = y / alpha^2 was not found in {_STEPS} steps")


def _one_sign(ctx, terms: Exponentials, log_target) -> Root:
    """nu with log sum c_j e^{2 s_j nu} = log_target, of either sign."""

    def excess(nu):
        value, slope = terms.log_value(nu, 1)
        return value - log_target, exponential(ctx, slope - value)

    value, slope = excess(0 * log_target)
    nu, steps = increasing_root(excess, -value / slope, ctx)
    return Root(nu, log(ctx, abs(nu)) if nu else -abs(log_target) * 0 - _infinity(ctx), steps)


def _log_bound(up: Exponentials, log_distance):
    """log of an upper bound of the root: c_j expm1(2 s_j nu) alone may not exceed the distance, for any j."""
    ctx = up.ctx
    bounds = []
    for log_c, s in zip(up.log_c, up.s, strict=True):
        z = log_distance - log_c
        if ctx is not None:
            bounds.append(ctx.log(ctx.log1p(ctx.exp(z)) / (2 * s)))
        else:
            bounds.append((z if z < -37 else np.log(np.logaddexp(0.0, z))) - np.log(2 * s))
    return min(bounds)


def _distance(ctx, log_target, g_0) -> tuple[bool, Any]:
    """Sign and logarithm of y / alpha^2 - g(0), where the first is e^log_target and may overflow."""
    if not g_0:
        return True, log_target
    log_g = log(ctx, abs(g_0))
    larger = max(log_target, log_g)
    difference = exponential(ctx, log_target - larger) - (
        exponential(ctx, log_g - larger) if g_0 > 0 else -exponential(ctx, log_g - larger)
    )
    return difference >= 0, larger + log(ctx, abs(difference)) if difference else -_infinity(ctx)


def _sum(ctx, s, squares) -> Exponentials | None:
    """The terms with a coefficient (s_j / 4) squares_j > 0, or None when there are none."""
    kept = np.array([bool(entry) for entry in squares])
    if not kept.any():
        return None
    return Exponentials(ctx, log(ctx, s[kept] * squares[kept]) - log(ctx, 4), s[kept])


def log(ctx, value):
    """The logarithm, elementwise."""
    if ctx is None:
        return np.log(value)
    if isinstance(value, np.ndarray):
        return np.array([ctx.log(entry) for entry in value], dtype=object)
    return ctx.log(value)


def exponential(ctx, value):
    """The exponential, elementwise; 0 or inf outside the range of floats."""
    if ctx is None:
        with np.errstate(over="ignore", under="ignore"):  # the logarithm carries the value
            return np.exp(value)
    if isinstance(value, np.ndarray):
        return np.array([ctx.exp(entry) for entry in value], dtype=object)
    return ctx.exp(value)


def cosh_sinh(ctx, values) -> tuple[Any, Any]:
    """cosh and sinh of an array, elementwise; both to full relative accuracy near 0."""
    if ctx is None:
        return np.cosh(values), np.sinh(values)
    pairs = [(ctx.cosh(value), ctx.sinh(value)) for value in values]
    return tuple(np.array(part, dtype=object) for part in zip(*pairs, strict=True))  # type: ignore[return-value]


def log_sum(ctx, logs):
    """log sum exp."""
    largest = logs.max()
    if largest == -_infinity(ctx):
        return largest
    return largest + log(ctx, exponential(ctx, logs - largest).sum())


def log_expm1(ctx, x, log_x, sign: int):
    """log|expm1(±x)| for x >= 0, given log x too: x itself may have underflowed."""
    if ctx is not None:
        return np.array([ctx.log(abs(ctx.expm1(sign * entry))) for entry in x], dtype=object)
    out = np.where(log_x < -37, log_x, 0.0)  # expm1(x) = x to the last bit below e^-37
    middle = log_x >= -37
    small = x[middle]
    # expm1(x) = -e^x expm1(-x), so that only the bounded one is computed.
    out[middle] = np.log(-np.expm1(-small)) + (small if sign > 0 else 0.0)
    return out


def infinity_free(ctx):
    """The one of the arithmetic."""
    return 1.0 if ctx is None else ctx.one


def _infinity(ctx):
    return np.inf if ctx is None else ctx.inf

"""Implicit steps for stiff flows in high precision: collocation at Radau's points.

Explicit Taylor steps are held to about order/lambda_max, though only the slow modes are left to follow. A step here is
the polynomial of degree s through Theta_0 whose slope is the vector field at s points, the last of them the end of the
step:

    U_i = h sum_j G_ij F(Theta_0 + U_j),   G_ij = int_0^{c_i} l_j,

which damps every mode, however fast. It is solved by Newton's method with the matrix A = -dF/dTheta of one place in
float64; A is symmetric, so its modes separate the equations into one s by s system a mode. Each iteration gains the
digits that A is right in (Broyden's secants help), and the high precision is in F and G only.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np

from symbias.numeric.series import from_floats, magnitude, to_floats, to_ints
from symbias.numeric.taylor import TaylorFlow, binary
from symbias.precision import context

_MOST_ITERATIONS = 20
_WAIT, _LONGEST_WAIT = 32, 256  # explicit steps between two trials of an implicit one
_LARGEST = 400  # parameters up to which the matrix is worth its eigenvalues
_MOST_POINTS = 100  # beyond some 110 digits the points cost more than they save
_ROUND = 128  # bits of the points come in multiples of this
_EXTRA = 10  # bits below the tolerance to which the equations are solved


@dataclass(frozen=True)
class Attempt:
    """What became of a step: log2 of its error (None: no convergence) and the iterations it took."""

    accepted: bool
    log_error: float | None
    iterations: int


class Collocation:
    """Implicit steps for a regression ``flow``; ``attempt`` moves it when the error is within its tolerance."""

    def __init__(self, flow: TaylorFlow):
        self.flow = flow
        self.s = _points(flow)
        bits = -(-flow.bits // _ROUND) * _ROUND  # flows of almost the same precision share their points
        self.points, self.weights, self.top = (values >> (bits - flow.bits) for values in radau(self.s, bits))
        self.points_float = to_floats(self.points, flow.bits)
        self.weights_float = to_floats(self.weights, flow.bits)
        shapes = [block.shape for block in flow.product.chain(flow.state)]
        ends = np.cumsum([math.prod(shape) for shape in shapes])
        places = [
            np.arange(end - math.prod(shape), end).reshape(shape) for end, shape in zip(ends, shapes, strict=True)
        ]
        self.order = np.concatenate([block.ravel() for block in flow.product.chain(places)])  # of the chain

    @classmethod
    def suits(cls, flow: TaylorFlow) -> bool:
        """True when the flow is small enough for its matrix, and its digits few enough for the points."""
        small = sum(block.size for block in flow.state) <= _LARGEST
        return flow.task == "regression" and small and _points(flow) <= _MOST_POINTS

    def attempt(self, log_h: float) -> Attempt:
        """Try a step of 2^log_h; leave the flow where it was unless it is accepted."""
        flow, (mantissa, exponent) = self.flow, binary(log_h)
        h = math.ldexp(int(mantissa), exponent)
        start = np.concatenate([block.ravel() for block in flow.state])
        moved, field, iterations = self._solve(start, h, mantissa, -exponent)
        if moved is None:
            return Attempt(False, None, iterations)
        # the Chebyshev coefficient of degree s of the polynomial through all points
        last = np.abs(to_floats(self.top.dot(moved) >> flow.bits, flow.bits)).max()
        log_error = math.log2(last) if last else -math.inf
        if log_error > flow.log_tolerance:
            return Attempt(False, log_error, iterations)
        flow.state = self._split(start + moved[-1])
        flow.time += Fraction(int(mantissa)) * Fraction(2) ** exponent
        flow.log_speed = float(magnitude(field[-1]) - flow.bits)
        flow.steps += 1
        flow.rhs += iterations * self.s
        return Attempt(True, log_error, iterations)

    def _solve(self, start, h, mantissa, shift):
        """Return the increments U at the points, or None, and the iterations."""
        flow, bits = self.flow, self.flow.bits
        rates, modes = self._spectrum(self._split(start))
        slope = to_floats(flow.slopes(self._split(start[None]))[0], bits) @ modes
        t = h * self.points_float[:, None]
        # the linear flow: (1 - e^{-lambda t}) / lambda
        grown = np.divide(
            -np.expm1(-rates * t), rates, out=np.broadcast_to(t, (self.s, len(rates))).copy(), where=rates != 0
        )
        if not np.isfinite(grown).all():
            return None, None, 0
        moved = from_floats((grown * slope) @ modes.T, bits)
        rates, modes = self._spectrum(self._split(start + moved[-1]))
        inverse = np.linalg.inv(np.eye(self.s) + h * rates[:, None, None] * self.weights_float)
        steps: list[np.ndarray] = []
        for used in range(1, _MOST_ITERATIONS):
            field = flow.slopes(self._split(start + moved))
            defect = moved - ((self.weights.dot(field) * mantissa << max(-shift, 0)) >> (max(shift, 0) + bits))
            step = -np.einsum("pij,jp->ip", inverse, to_floats(defect, bits) @ modes) @ modes.T
            step = _broyden(step, steps)
            moved = moved + from_floats(step, bits)
            size = np.abs(step).max()
            rate = min(size / np.abs(steps[-1]).max(), 1.0) if steps else 1.0  # the next correction is smaller by this
            if size * rate < 2.0 ** (flow.log_tolerance - _EXTRA):
                return moved, field, used
            steps.append(step)
            if not self._promising(steps):
                break
        return None, None, used

    def _promising(self, steps):
        """Whether the corrections shrink fast enough to end within the iterations allowed."""
        first, last = (math.log2(np.abs(v).max()) for v in (steps[0], steps[-1]))
        if len(steps) < 4:
            return last < 0
        gain = (first - last) / (len(steps) - 1)
        return gain * (_MOST_ITERATIONS - len(steps)) > last - self.flow.log_tolerance + _EXTRA

    def _spectrum(self, state):
        """Return the eigenvalues and vectors of A = -dF/dTheta in float64."""
        flow = self.flow
        blocks = flow.product.chain([to_floats(block, flow.bits) for block in state])
        X, y = to_floats(flow.X, flow.bits), to_floats(flow.y, flow.bits)
        beta = flow.product.beta(blocks)
        J = X @ flow.product.jacobian(blocks)
        g = ((X @ beta.ravel() - y) @ X).reshape(beta.shape)
        matrix = J.T @ J + flow.product.hessian(blocks, g)
        return np.linalg.eigh(matrix[np.ix_(self.order, self.order)])

    def _split(self, flat):
        """Cut the last axis into the blocks."""
        out, at = [], 0
        for shape in self.flow.shapes:
            size = math.prod(shape)
            out.append(flat[..., at : at + size].reshape(*flat.shape[:-1], *shape))
            at += size
        return out


class Steps:
    """Explicit Taylor steps of a flow, and implicit ones where those go farther for their cost.

    Costs are counted, not timed, so that a flow is reproduced exactly: an evaluation of the field costs about as much
    as a Taylor coefficient of low order, one of order k about 1 + k/12 times that.
    """

    def __init__(self, flow: TaylorFlow):
        self.flow = flow
        self.implicit: Collocation | None = None
        self.log_h: float | None = None  # of the implicit step to try next
        self.wait = self.left = _WAIT if Collocation.suits(flow) else -1

    def advance(self) -> None:
        """Take one step of either kind."""
        if self.log_h is None:
            self.flow.step()
            self.left -= 1
            if self.left == 0:
                self.implicit = self.implicit or Collocation(self.flow)
                self.log_h = self.flow.log_h + self._log_cost(8) + 1
            return
        assert self.implicit is not None
        tried = self.implicit.attempt(self.log_h)
        if not tried.accepted or self.log_h < self.flow.log_h + self._log_cost(tried.iterations):
            self.wait = self.left = min(2 * self.wait, _LONGEST_WAIT)
            self.log_h = None
            return
        self.wait = _WAIT
        growth = 1.0 if tried.iterations < 12 else 0.0 if tried.iterations < 15 else -0.5
        room = (self.flow.log_tolerance - tried.log_error - 2) / self.implicit.s
        self.log_h += max(-1.0, min(growth, room))

    def _log_cost(self, iterations):
        """Return log2 of what an implicit step costs in explicit ones."""
        order = self.flow.order
        return math.log2(2 * self.implicit.s * iterations / (order * (1 + order / 12)))


def _points(flow):
    """Return how many points a step takes: about 0.9 a decimal digit, in fours, so that flows share them."""
    return max(8, 4 * round(-0.27 * flow.log_tolerance / 4))


def _broyden(step, steps):
    """Improve a correction by the secants of those before it (Broyden's good update; Kelley 1995, section 7.3)."""

    def along(old):  # <old, step> / <old, old>, for steps whose squares are below the range of floats too
        size = np.abs(old).max()
        unit = old / size
        return np.vdot(unit, step) / np.vdot(unit, unit) / size

    for old, new in pairwise(steps):
        step = step + new * along(old)
    return step / (1 - along(steps[-1])) if steps else step


@lru_cache(maxsize=8)
def radau(s: int, bits: int):
    """Return Radau's right points c_1 < .. < c_s = 1, the matrix G and the weights of the top coefficient, in fixed
    point.

    The points are the zeros of P_{s-1} - P_s shifted to (0, 1]; sum_i top_i U_i is the coefficient of degree s, in
    Chebyshev polynomials on (0, 1), of the polynomial with values 0 at 0 and U_i at c_i.
    """
    ctx = context(math.ceil(bits / 3.32) + 2 * s + 10)  # interpolation loses less than two digits a point
    c = [(1 + x) / 2 for x in _zeros(ctx, s)] + [ctx.one]
    powers = ctx.matrix([[x**k for k in range(s)] for x in c])
    integrals = ctx.matrix([[x ** (k + 1) / (k + 1) for k in range(s)] for x in c])
    G = integrals * ctx.inverse(powers)
    top = [1 / (x * ctx.fprod(x - z for z in c if z is not x)) / ctx.mpf(2) ** (2 * s - 1) for x in c]
    fixed = [to_ints(np.array(values, dtype=object), bits) for values in (c, G.tolist(), top)]
    return tuple(fixed)


def _zeros(ctx, s):
    """Return the zeros of (P_{s-1} - P_s)/(1 - x), polished by Newton's method from float64 eigenvalues."""
    legendre = np.polynomial.legendre
    rough = legendre.legroots([0.0] * (s - 1) + [1.0, -1.0])[:-1]
    out = []
    for x in rough:
        x = ctx.mpf(float(x))
        for _ in range(int(math.log2(ctx.prec)) - 2):
            before, now, slope_before, slope = ctx.one, x, ctx.zero, ctx.one
            for k in range(1, s):
                before, now, slope_before, slope = (
                    now,
                    ((2 * k + 1) * x * now - k * before) / (k + 1),
                    slope,
                    slope_before + (2 * k + 1) * now,
                )
            x -= (before - now) / (slope_before - slope)
        out.append(x)
    return out

"""Gradient flow in high precision by Taylor series: dv_l/dt = -d<X^T r, beta>/dv_l.

The vector field is polynomial (regression, constant drive) or polynomial in exp(-y f), which has a recurrence of its
own, so the Taylor coefficients of a solution follow order by order from Cauchy products. All numbers are integers
times 2^-bits; the coefficients are those in (t - t_0)/h, with h so chosen that they decay to the tolerance.
"""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
from mpmath.libmp import MPZ

from symbias.errors import BadInput, NotConverged
from symbias.numeric.products import Product
from symbias.numeric.residual_series import RESIDUALS
from symbias.numeric.series import Overflow, horner, magnitude, online, to_ints, to_mpf
from symbias.precision import context
from symbias.verdict import short

_LOG2_10 = math.log2(10)
_MOST_STEPS = 40  # log2 of the steps that may lie ahead


class TaylorFlow:
    """A solution of the flow, moved by ``step`` and ``advance_to``; ``blocks()`` and ``residual()`` are its state as
    mpf.

    Parameters
    ----------
    product, X, y, blocks
        The flow: X (n, d) or (n, d, d), y (n,) and one array a block, all of mpf.
    digits : int
        Decimal digits kept in every block entry of the size of the smallest initial one.
    task : "regression" (r = f - y), "classification" (r = -y exp(-y f)) or "drive" (r = -1: Lemma 4's system is that of
        the diagonal network with blocks 1, ..., 1, 0).
    """

    def __init__(self, product: Product, X, y, blocks, digits: int, task: str = "regression"):
        self.tied, self.digits, self.task = product, digits, task
        self.product, X, blocks = product.untied(X.reshape(len(X), -1), blocks)
        blocks = self.product.chain(blocks)
        kept, slow = _working_digits(digits, self.product.sizes(blocks), len(blocks), X, y)
        self.log_tolerance = -_LOG2_10 * kept
        self.log_stall = self.log_tolerance / 2 + 6
        self.bits = int(-self.log_tolerance + _LOG2_10 * slow) + 24
        self.ctx = context(math.ceil(self.bits / _LOG2_10) + 3)
        self.X, self.y = to_ints(X, self.bits), to_ints(y, self.bits)
        self.shapes = [block.shape for block in blocks]
        self.state = [to_ints(block, self.bits) for block in blocks]
        self.time = Fraction(0)
        self.order = max(8, math.ceil(-0.7 * self.log_tolerance / _LOG2_10))
        self.log_h, self.log_speed = self._first_step()
        self.fastest = -math.inf
        self.steps = self.rhs = 0

    def blocks(self) -> list[np.ndarray]:
        """Return the blocks at the present time."""
        return self.tied.tied(self.product.chain([to_mpf(self.ctx, block, self.bits) for block in self.state]))

    def residual(self) -> np.ndarray:
        """Return r at the present time."""
        return to_mpf(self.ctx, self._residuals().order(0, self._outputs()), self.bits)

    def user_time(self):
        """Return the present time, as mpf."""
        t = self.time / self.tied.speed
        return self.ctx.mpf(t.numerator) / t.denominator

    def chain(self) -> list[np.ndarray]:
        """Return the blocks of the untied chain, in the order they are joined."""
        return [to_mpf(self.ctx, block, self.bits) for block in self.state]

    def loss(self):
        """Return the loss at the present time, as mpf: 1/2 |r|^2, or sum |r| for the exponential loss."""
        r = self.residual()
        return sum(r * r) / 2 if self.task == "regression" else sum(abs(r))

    def log10_loss(self) -> float:
        """Return log10 of the loss at the present time."""
        loss = self.loss()
        return float(self.ctx.log10(loss)) if loss else -math.inf

    def refuse_stall(self) -> None:
        """Raise NotConverged where |Theta'| / |r| has vanished: at a saddle (it tends to a constant at a minimum)."""
        left = max(abs(r) for r in self.residual())
        if not left:
            return
        speed = self.log_speed - _log10(left) * _LOG2_10
        self.fastest = max(self.fastest, speed)
        if speed < self.fastest + self.log_stall or speed == -math.inf:
            raise NotConverged(
                f"the flow stalls at the loss {short(self.loss())}: it has met a saddle, or the targets cannot be met; "
                "start elsewhere"
            )

    def jacobian(self) -> np.ndarray:
        """Return d f_i / d Theta as mpf, a row a sample, a column an entry of ``chain()``."""
        in_order, shape = self.product.chain(self.state), self._beta().shape
        rows = []
        for x in self.X:  # exact: each gradient is a product of depth integers, the sample and depth - 1 blocks
            parts = self.product.chain(self.product.gradients(in_order, x.reshape(shape)))
            rows.append(np.concatenate([part.ravel() for part in parts]))
        return to_mpf(self.ctx, np.array(rows), self.bits * len(self.state))

    def coefficients(self, order: int, h: Fraction) -> list[np.ndarray]:
        """Return the Taylor coefficients 0..order of the blocks in (t - t_0)/h as mpf, in the order of the chain."""
        mantissa, shift = MPZ(h.numerator), h.denominator.bit_length() - 1
        if h.denominator != 1 << shift:
            raise BadInput(f"h = {h} must be an integer over a power of two")
        return [to_mpf(self.ctx, block, self.bits) for block in self.series(order, mantissa, shift)]

    def velocity(self) -> list[np.ndarray]:
        """Return dv_l/dt (up to the speed of tied blocks) in integers times 2^-bits, in the order of the chain."""
        return [block[1] for block in self.series(1, MPZ(1), 0)]

    def slopes(self, states) -> np.ndarray:
        """Return dTheta/dt at several states of the chain, a row each, all blocks laid end to end, in integers.

        ``states``: an array a block, the states along its first axis.
        """
        count, partial = len(states[0]), [states[0]]
        for block in states[1:]:
            partial.append(self.product.each_join(partial[-1], block) >> self.bits)
        f = partial[-1].reshape(count, -1).dot(self.X.T) >> self.bits
        r = self._residuals().order(0, f)
        g = (r.dot(self.X) >> self.bits).reshape(partial[-1].shape)
        slopes = []
        for left, block in zip(partial[-2::-1], states[:0:-1], strict=True):
            slopes.append(self.product.each_right_adjoint(left, g, block.shape[1:]) >> self.bits)
            g = self.product.each_left_adjoint(g, block, left.shape[1:]) >> self.bits
        return -np.concatenate([part.reshape(count, -1) for part in (g, *reversed(slopes))], axis=1)

    def step(self, end: Fraction | None = None) -> None:
        """Move one step, as long as the tolerance allows, towards the time ``end`` and not beyond."""
        self._move(None if end is None else end * self.tied.speed)

    def advance_to(self, time: Fraction) -> None:
        """Move to the given time, forwards or backwards."""
        while self.time != time * self.tied.speed:
            self.step(time)

    def _move(self, end):
        sign = -1 if end is not None and end < self.time else 1
        while True:
            if end is not None and self.log_h < _log2(abs(end - self.time)) - _MOST_STEPS:
                raise NotConverged(
                    f"at time {float(self.time / self.tied.speed):.6g} the flow needs steps of "
                    f"10^{self.log_h / _LOG2_10:.0f}: "
                    "it blows up there, or the time asked for is out of reach; ask for an earlier time"
                )
            mantissa, exponent = binary(self.log_h)
            log_step = self.log_h
            h = Fraction(mantissa) * Fraction(2) ** exponent
            try:
                series = self.series(self.order, sign * mantissa, -exponent)
            except Overflow:
                self.log_h -= 4
                continue
            theta = self._reach(series)
            if theta < 2.0**-4:  # the coefficients of so long a step are mostly rounding: take a shorter one
                self.log_h += math.log2(theta)
                continue
            break
        part = Fraction(int(min(theta, 1.0) * 2**20), 2**20)
        if end is not None and abs(end - self.time) <= part * h:
            part, self.time = abs(end - self.time) / h, end
        else:
            self.time += sign * part * h
            self.log_h += min(math.log2(theta), 2.0)
        self.log_speed = max(magnitude(block[1]) for block in series) - self.bits - log_step
        self._advance(series, (part.numerator << self.bits) // part.denominator)
        self.steps += 1
        self.rhs += self.order
        self.order += self._change_of_order(series)

    def _advance(self, series, part):
        """Take the state at the given part of the step."""
        self.state = [horner(block, part, self.bits) for block in series]

    def series(self, order, mantissa, shift, state=None, head=32):
        """Return Taylor coefficients 0..order of the blocks in (t - t_0)/h, h = mantissa 2^-shift, in integers.

        They belong to the solution through ``state`` (the present one); a packed product refuses coefficients that
        grow beyond it by more than 2^head.
        """
        state = self.state if state is None else state
        mantissa, shift = mantissa << max(-shift, 0), max(shift, 0)
        series = [np.empty((order + 1, *shape), dtype=object) for shape in self.shapes]
        for block, first in zip(series, state, strict=True):
            block[0] = first
        top = self._top(state) + head
        joins, left = [], self.shapes[0]
        for right in self.shapes[1:]:
            joins.append(online(self.product, left, right, order + 1, self.bits, top))
            left = joins[-1].shape
        residuals = self._residuals()
        self.dual = np.empty((order + 1, len(self.X)), dtype=object)  # -int r from the start of the step
        self.dual[0] = 0
        for k in range(order):
            beta = series[0][k]
            for join, block in zip(joins, series[1:], strict=True):
                beta = join.push(k, beta, block[k])
            r = residuals.order(k, self.X.dot(beta.ravel()) >> self.bits)
            self.dual[k + 1] = (r * -mantissa >> shift) // (k + 1)
            g = (r.dot(self.X) >> self.bits).reshape(beta.shape)
            for join, block in zip(joins[::-1], series[:0:-1], strict=True):
                g, slope = join.pull(k, g)
                block[k + 1] = (slope * -mantissa >> shift) // (k + 1)
            series[0][k + 1] = (g * -mantissa >> shift) // (k + 1)
        return series

    def _reach(self, series):
        """Return the largest part of h at which the last two orders are within the tolerance."""
        parts = []
        for k in (self.order - 1, self.order):
            log_size = max(magnitude(block[k]) for block in series) - self.bits
            parts.append(2.0 ** ((self.log_tolerance - log_size) / k))
        return min(parts)

    def _change_of_order(self, series):
        """Return what to add to the order, towards the one that goes farthest for its cost: k^2 products, k calls."""
        lowest = self.order // 2
        sizes = [max(magnitude(block[k]) for block in series) - self.bits for k in range(lowest, self.order + 1)]
        gains = []
        for k, size in enumerate(map(max, pairwise(sizes)), lowest + 1):
            gains.append(((self.log_tolerance - size) / k - math.log2(k * (k + 10)), k))
        best = max(gains)[1]
        return max(1, self.order // 8) if best == self.order else max(best - self.order, -1)

    def _beta(self):
        beta = self.state[0]
        for block in self.state[1:]:
            beta = self.product.join(beta, block) >> self.bits
        return beta

    def _outputs(self):
        return self.X.dot(self._beta().ravel()) >> self.bits

    def _residuals(self):
        return RESIDUALS[self.task](self)

    def _top(self, state):
        """Return a bit length that no entry of any series reaches while its coefficients decay."""
        size = [max(magnitude(block) - self.bits, 0) + max(block.shape).bit_length() for block in state]
        data = magnitude(self.X) - self.bits + self.X.size.bit_length()
        return self.bits + sum(size) + 2 * max(data, 0) + max(magnitude(self.y) - self.bits, 0)

    def _first_step(self):
        """Return log2 of an eighth of |Theta| / |Theta'| (the first step corrects it) and of |Theta'|."""
        speed, size = (max(magnitude(part) for part in parts) for parts in (self.velocity(), self.state))
        return float(size - speed) - 3, float(speed - self.bits) if speed else -math.inf


def _working_digits(digits, sizes, depth, X, y):
    """Return the decimal digits that a local error is held to, and those of the longest time, for entries far from 1.

    The smallest initial entries are wanted to ``digits``; entries near 1/alpha^(L-1) balance those near alpha. Near a
    saddle that the flow passes it slows down to about the smallest entry to the power L - 1 (2 L - 2 for the square,
    see log_stall). Leaving the start takes a time of about its smallest entry to the power 2 - L, which multiplies the
    rounding of the velocity.
    """
    entries = [_log10(v) for v in sizes]
    small, large = max(-min(entries, default=0), 0), max(*entries, 0) if entries else 0
    target = max(-max((_log10(t) for t in y if t), default=0), 0)
    data = 2 * abs(max((_log10(x) for x in X.flat if x), default=0))
    others = depth - 1
    guard = small + others * large + target + data
    return max(digits + 2 + guard, 2 * others * small + data + 8), max(others - 1, 0) * small


def _log10(value):
    _, mantissa, exponent, _ = value._mpf_
    return (math.log2(int(mantissa)) + exponent) / _LOG2_10


def _log2(ratio):
    """Return log2 of a positive Fraction, however large."""
    return math.log2(ratio.numerator) - math.log2(ratio.denominator)


def binary(log2_h):
    """Return h = 2^log2_h as an integer mantissa of 24 bits and an exponent."""
    exponent = math.floor(log2_h) - 23
    return MPZ(int(2.0 ** (log2_h - exponent))), exponent

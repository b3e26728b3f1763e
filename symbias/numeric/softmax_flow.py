"""The multipliers of the log-loss flow at depth 2, in high precision: d mu/ds = softmax(-A rho(mu)), mu(0) = 0.

The coordinates follow from the multipliers: rho_j = P_j exp(2 g_j) - N_j exp(-2 g_j), g = A^T mu, with constants P, N
>= 0 of the start. The flow is as stiff as its margins are large while its solution stays smooth, so a step is
implicit: collocation at Radau's points c_a. The unknowns are x_ai = log p_i and the log loss l_a at the points,

    x_ai + (A rho)_i + l_a = 0,   sum_i exp(x_ai) = 1,   mu(c_a) = mu_0 + h sum_b G_ab exp(x_bi).

In these logarithms the equations are nearly linear, however stiff the flow. They are evaluated in fixed point; the
matrix of Newton's method is in float64, so that each iteration gains the digits that the matrix is right in. A sample
whose weight is negligible takes no part in a step; it must still be negligible at every point.
"""

import math

import numpy as np
from mpmath.libmp import MPZ
from mpmath.libmp.libelefun import exp_fixed, ln2_fixed

from symbias.errors import NotConverged
from symbias.numeric.collocation import radau
from symbias.numeric.series import from_floats, magnitude, to_floats, to_ints, to_mpf

_LOG2_10 = math.log2(10)
_GUARD, _SPARE = 32, 32  # bits beyond the tolerance, and those added at once when the margins outgrow them
_NEGLIGIBLE = 20  # bits below the tolerance from which a weight counts as zero
_MOST_ITERATIONS, _MOST_TRIALS = 30, 400
_FLOAT = 1e8  # margins up to which float64 gives the equations a start
_FARTHEST = 900  # log2 of the margins, which float64 must hold with their slopes
_LARGEST = 700.0  # of the exponents of rho
_CLIP = 1.0  # of the straight lines along which Newton's method starts
_LINEAR = 1e-3  # corrections below this contract linearly, with the matrix kept
_GROWTH = 15.0  # of A^T mu in a step: rho grows by its double in the exponent
_RISE = 12.0  # growth of the logarithm of a small weight that a step may have


class SoftmaxFlow:
    """A solution, moved by ``step``; ``mu()``, ``margins()`` and ``log_weights`` (float64) are its state.

    Parameters
    ----------
    A, output : (n, m) mpf; the margins are output rho (A times the multiplicities of the coordinates)
    log_plus, log_minus : (m,) mpf, log P and log N; -inf where the constant is 0
    ctx : mpmath context of the entries
    digits : int
        Digits to which a step is held: of the weights, and of A^T mu after the point.
    points : int
        Points a step.
    """

    def __init__(self, A, output, log_plus, log_minus, ctx, digits: int, points: int):  # noqa: N803
        self.ctx, self.points = ctx, points
        self.exact = A, output, log_plus, log_minus
        self.float_A, self.float_output = _floats(A), _floats(output)
        self.float_logs = _floats(log_plus), _floats(log_minus)
        self.largest = math.log2(max(np.abs(self.float_A).max(), 1.0))
        self.log_tolerance = -_LOG2_10 * digits - self.largest
        self.bits, self.steps, self.iterations = 0, 0, 0
        self.state, self.time = np.array([MPZ(0)] * len(A), dtype=object), MPZ(0)
        self._look()
        self.log_h = -math.log2(np.abs(self.rates).max() + np.finfo(float).tiny)

    def mu(self) -> np.ndarray:
        """Return mu as mpf."""
        return to_mpf(self.ctx, self.state, self.bits)

    def margins(self) -> np.ndarray:
        """Return A rho as mpf."""
        return to_mpf(self.ctx, self._margins(), self.bits)

    def step(self) -> None:
        """Move one step, as long as the tolerance allows.

        Raises
        ------
        NotConverged
            The margins leave the range of floats, or no step however short is within the tolerance.
        """
        self._keep_away()
        for _ in range(_MOST_TRIALS):
            h = from_floats(np.array([2.0**self.log_h]), self.bits)[0]
            moved, log_error = self._attempt(h)
            if moved is None:
                self.log_h -= 2
                continue
            room = (self.log_tolerance - log_error) / self.points
            if room < 0:
                self.log_h += max(room - 0.1, -4)
                continue
            self.state, self.time = self.state + moved, self.time + h
            self.steps += 1
            self.log_h += min(room - 0.05, 3)
            self._look()
            return
        raise self._fault()

    def _fault(self):
        return NotConverged(
            f"the multipliers cannot be followed beyond a margin of {self.ctx.nstr(min(self.margins()), 3)}"
        )

    def _keep_away(self):
        """Shorten the step where a small weight rises: to where it may count again, then by a factor at a time."""
        self.log_h = min(self.log_h, math.log2(_GROWTH / np.abs(np.exp(self.log_weights) @ self.float_A).max()))
        x, rates = self.log_weights, self.rates
        self.alive = x > 2 * self._dead
        for i in np.flatnonzero((rates > 0) & (x < self._dead / 2)):
            ahead = max(_RISE, -x[i] / 2) if self.alive[i] else 1.2 * self._dead - x[i]
            self.log_h = min(self.log_h, math.log2(ahead / rates[i]))

    def _shorten(self, after, before):
        """Shorten a step on which a negligible weight rose: to just below where it counts, on a straight line."""
        rose = after > 1.2 * self._dead
        part = ((1.2 * self._dead - before[rose]) / (after - before)[rose]).min(initial=0.9)
        self.log_h += math.log2(max(part, 2**-8)) + 2

    @property
    def _dead(self) -> float:
        """The logarithm of a negligible weight."""
        return (self.log_tolerance - _NEGLIGIBLE) * math.log(2)

    def _attempt(self, h):
        """Return what mu moves by in a step of h and log2 of the error relative to h, or None if it is too long."""
        bits, low_h = self.bits, 2.0**self.log_h
        points, G, top = radau(self.points, bits)
        alive, goal = self.alive, 2.0**self.log_tolerance
        A, output = self.A[alive], self.output[alive]
        low_G = low_h * to_floats(G, bits)
        along = np.outer(low_h * to_floats(points, bits), self.rates[alive])
        low_x = self.log_weights[alive] + np.clip(along, -_CLIP, _CLIP)
        low_loss = np.full(self.points, self.loss_float)
        last, solve = math.inf, None
        if -self.loss_float < _FLOAT:
            low_x, low_loss, solve = self._in_floats(low_x, low_loss, low_G)
            last = _LINEAR
            p = low_G @ np.exp(low_x)
            error = np.abs(to_floats(top, bits) @ p).max() / low_h
            if solve is None or error > max(1e-12, 2.0 ** (self.log_tolerance + 4 * self.points)):
                return None, None
        x, loss = from_floats(low_x, bits), self.loss + from_floats(low_loss - self.loss_float, bits)
        start, one = self.state.dot(self.A) >> bits, MPZ(1) << bits
        for used in range(_MOST_ITERATIONS):
            p = _exp(x, bits, self.ln2)
            moved = G.dot(p) * h >> 2 * bits
            g = start + (moved.dot(A) >> bits)
            if self._beyond(to_floats(g, bits)):
                return None, None
            rho, sums = self._rho(g)
            fault = to_floats(x + (rho.dot(output.T) >> bits) + loss[:, None], bits)
            low_p = to_floats(p, bits)
            if last > _LINEAR:
                solve = _linearised(low_p, to_floats(sums, bits), low_G, self.float_A[alive], self.float_output[alive])
            if solve is None:
                return None, None
            dx, dl = solve(fault, to_floats(p.sum(axis=1) - one, bits))
            size = np.abs(dx * low_p).max()
            self.iterations += 1
            if (
                not (np.isfinite(dx).all() and np.isfinite(dl).all())
                or (used > 12 and size > 0.1)
                or (used > 3 and size > last / 2 < _LINEAR)
            ):
                return None, None
            x, loss = np.minimum(x - from_floats(dx, bits), one), loss - from_floats(dl, bits)
            small = size * min(size / last if 0 < last < _LINEAR else 1.0, 1.0) < goal / 8
            if small and np.abs(fault).max() < _LINEAR:  # else the next step starts off its smooth solution
                break
            last = size
        else:
            return None, None
        dead = -to_floats((rho.dot(self.output[~alive].T) >> bits) + loss[:, None], bits)
        if dead.max(initial=-math.inf) > self._dead:
            self._shorten(dead[-1], self.log_weights[~alive])
            return None, None
        p = _exp(x, bits, self.ln2)
        moved = G.dot(p) * h >> 2 * bits
        # the Chebyshev coefficient of the highest degree
        error = np.abs(to_floats(top.dot(moved) >> bits, bits)).max() / low_h
        whole = self.state * 0
        whole[alive] = moved[-1]
        return whole, math.log2(max(error, goal**2))

    def _in_floats(self, x, loss, G):  # noqa: N803
        """Newton's method for the same equations in float64, from x and the log loss; also returns its last matrix."""
        A, output = self.float_A[self.alive], self.float_output[self.alive]
        start, last = to_floats(self.state, self.bits) @ self.float_A, math.inf
        for used in range(_MOST_ITERATIONS):
            p = np.exp(x)
            g = start + G @ p @ A
            if self._beyond(g):
                break
            up, down = np.exp(2 * g + self.float_logs[0]), np.exp(self.float_logs[1] - 2 * g)
            solve = _linearised(p, up + down, G, A, output)
            if solve is None:
                break
            dx, dl = solve(x + (up - down) @ output.T + loss[:, None], p.sum(axis=1) - 1)
            x, loss = np.minimum(x - dx, 1.0), loss - dl
            size = np.abs(dx * p).max()
            if size < 1e-7:
                return x, loss, solve
            if math.isnan(size) or (used > 12 and size > last / 2):
                break
            last = size
        return x, loss, None

    def _beyond(self, g) -> bool:
        """True where an exponential leaves the range of floats."""
        return max((2 * g + self.float_logs[0]).max(), (self.float_logs[1] - 2 * g).max()) > _LARGEST

    def _look(self):
        """The weights, their rates and the log loss at the present state; more bits where the margins need them."""
        self._enlarge()
        margins = self._margins()
        if magnitude(margins) - self.bits > _FARTHEST:
            raise self._fault()
        gaps = -to_floats(margins - min(margins), self.bits)
        above = np.log(np.exp(gaps).sum())
        self.loss = from_floats(np.array([above]), self.bits)[0] - min(margins)
        self.loss_float = float(to_floats(np.array([self.loss]), self.bits)[0])
        self.log_weights = gaps - above
        p = from_floats(np.exp(self.log_weights), self.bits)
        _, sums = self._rho((self.state.dot(self.A) >> self.bits)[None])
        fall = self.output.dot(2 * sums[0] * p.dot(self.A) >> 2 * self.bits) >> self.bits
        self.rates = to_floats((p.dot(fall) >> self.bits) - fall, self.bits)  # in fixed point: they nearly cancel

    def _slopes(self):
        """d rho / d g in float64."""
        g = to_floats(self.state, self.bits) @ self.float_A if self.bits else np.zeros(self.float_A.shape[1])
        return 2 * (np.exp(2 * g + self.float_logs[0]) + np.exp(self.float_logs[1] - 2 * g))

    def _enlarge(self):
        """Take as many bits as the rounding of mu, multiplied by d margins / d mu, asks for."""
        size = np.abs(self.float_output).max() * self._slopes().sum() + 1
        needed = math.ceil(-self.log_tolerance + self.largest + math.log2(size)) + _GUARD
        if needed > self.bits:
            more = needed + _SPARE - self.bits
            self.state, self.time, self.bits = self.state << more, self.time << more, self.bits + more
            A, output, *logs = self.exact
            self.A, self.output = to_ints(A, self.bits), to_ints(output, self.bits)
            self.logs = [[self._constant(log) for log in part] for part in logs]
            self.ln2 = ln2_fixed(self.bits)
            self.products = [
                None if a is None or b is None else exp_fixed(a + b, self.bits, self.ln2)
                for a, b in zip(*self.logs, strict=True)
            ]

    def _constant(self, log):
        return None if log == self.ctx.ninf else to_ints(np.array([log]), self.bits)[0]

    def _margins(self):
        rho, _ = self._rho((self.state.dot(self.A) >> self.bits)[None])
        return (rho.dot(self.output.T) >> self.bits)[0]

    def _rho(self, g):
        """P exp(2 g) - N exp(-2 g), and their sum, a row for each row of g."""
        bits, one = self.bits, MPZ(1) << self.bits
        plus, minus = np.empty(g.shape, dtype=object), np.empty(g.shape, dtype=object)
        for (a, j), entry in np.ndenumerate(g):
            log_plus, log_minus, product = self.logs[0][j], self.logs[1][j], self.products[j]
            up = MPZ(0) if log_plus is None else exp_fixed(log_plus + 2 * entry, bits, self.ln2)
            if product is not None and up > one and up > product:
                down = (product << bits) // up  # cheaper than its own exponential, and as accurate
            else:
                down = MPZ(0) if log_minus is None else exp_fixed(log_minus - 2 * entry, bits, self.ln2)
            plus[a, j], minus[a, j] = up, down
        return plus - minus, plus + minus


def _linearised(p, sums, G, A, output):  # noqa: N803
    """The solver of the equations' matrix at the weights p; None where it is singular or leaves the range of floats."""
    from scipy.linalg.lapack import dgetrf, dgetrs

    S, n = p.shape  # noqa: N806
    K = np.einsum("ij,aj,kj->aik", output, 2 * sums, A, optimize=True)  # noqa: N806
    M = np.zeros((S, n + 1, S, n + 1))  # noqa: N806
    M[:, :n, :, :n] = np.einsum("ab,aik,bk->aibk", G, K, p)
    point, sample = np.arange(S)[:, None], np.arange(n)
    M[point, sample, point, sample] += 1
    M[point, sample, point, n] = 1
    M[point, n, point, sample] = p
    M = M.reshape(S * (n + 1), S * (n + 1))  # noqa: N806
    rows = np.abs(M).max(axis=1)
    if not (np.isfinite(rows) & (rows > 0)).all():
        return None
    M /= rows[:, None]
    columns = np.abs(M).max(axis=0)
    if not columns.all():
        return None
    M /= columns
    factors, pivots, singular = dgetrf(M, overwrite_a=True)
    if singular:
        return None

    def solve(first, second):
        right = np.concatenate([first, second[:, None]], axis=1).ravel() / rows
        with np.errstate(over="ignore"):  # of a nearly singular matrix: nan, which no caller accepts
            step = (dgetrs(factors, pivots, right)[0] / columns).reshape(S, n + 1)
        step[~np.isfinite(step)] = np.nan
        return step[:, :n], step[:, n]

    return solve


def _exp(values, bits, ln2):
    out, least = np.empty(values.shape, dtype=object), -(bits + 1) * ln2
    for index, entry in np.ndenumerate(values):
        out[index] = exp_fixed(entry, bits, ln2) if entry > least else MPZ(0)
    return out


def _floats(values):
    return np.array([float(entry) for entry in values.flat]).reshape(values.shape)

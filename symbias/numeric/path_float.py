"""The equations of the path linearised in float64; see ``path``.

The dual is given by the v of n basis columns (``frame``), on which t(v_b) = T_b holds by construction: the distance of
T to the end of the domain is then known to full relative accuracy however small it is.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.linalg import LinAlgError

from symbias.numeric.curves import Point
from symbias.numeric.frame import Frame
from symbias.numeric.path import Step
from symbias.numeric.scaled import Scaled
from symbias.verdict import Residual

TOLERANCE = 1e-12  # of feasibility and stationarity in float64: rounding is about eps times (L log alpha + n)
_EPS = np.finfo(float).eps
_RANGE = 600.0  # natural logarithms are cut off here before exp
_EVEN = math.log(1e8)  # weights of one size, as far as it matters: no basis keeps them better apart than another
_GRADED = 1e3  # a diagonal entry of the scaled Gram matrix above this: the basis is not made of the heaviest columns


@dataclass(frozen=True)
class Dual:
    """T = W A^T mu on all columns; phi = (T - t(v)) / t'(v) and a bound of the rounding error of phi."""

    t: np.ndarray
    phi: np.ndarray
    rounding: np.ndarray


def dual(problem: Scaled, frame: Frame, at: Point) -> Dual:
    """Return the dual that has T = t(v) on the basis of the frame.

    Near the end of the domain T = ±(end - distance); the part from ±end and the part from the distances are carried
    apart, the latter in units of exp(-reference), so that differences of the order of alpha^k keep their digits.
    """
    b, near, t = frame.basis, at.near, at.time
    columns, grow = frame.dual_view(problem.log_w), at.log_grow
    factor = np.exp(np.minimum(grow, _RANGE))
    if not near.size:
        value = columns.back(t[b])
        phi, error = factor * (value - t), 8 * _EPS * factor * columns.bound(t[b])
        phi[b] = error[b] = 0.0
        return Dual(value, phi, error)
    distance = np.zeros_like(t)  # times exp(grow)
    distance[near] = at.distance
    sign, end, reference = at.side, at.end, float(grow[near].min())
    at_end = distance[b] > 0
    fixed = np.where(at_end, sign[b] * np.where(at_end, end[b], 0.0), t[b])
    small = -sign[b] * distance[b] * np.exp(np.minimum(reference - grow[b], 0.0))
    base, moved = columns.back(np.stack([fixed, small]))
    rounding = 8 * _EPS * columns.bound(fixed)
    value = base + moved * np.exp(-min(reference, _RANGE))
    phi = factor * (value - t)
    error = factor * rounding
    gap = (end - sign * base)[near]
    tied = np.abs(gap) <= rounding[near]  # an exact tie, as far as the data can tell
    gap[tied] = 0.0
    slack = gap * factor[near] - (sign * moved)[near] * np.exp(np.minimum(grow[near] - reference, _RANGE))
    phi[near] = sign[near] * (distance[near] - slack)
    error[near[tied]] = 0.0
    phi[b] = error[b] = 0.0
    return Dual(value, phi, error)


class Local(Step):
    """The step in float64. Raises ``LinAlgError`` when the Gram matrix is singular to rounding."""

    def __init__(self, problem: Scaled, frame: Frame, v: np.ndarray, s: float):
        from scipy.linalg import cho_factor, cho_solve

        self.problem, self.frame, self.v, self.s = problem, frame, v, s
        self.depth, self.rate = depth, _ = problem.depth, problem.curves.rate
        at = problem.curves.at(v)
        slope, log_size, log_omega = at.slope, problem.log_size(at, s), problem.log_omega(at)
        log_slope = np.log(slope)
        log_g = log_size + log_slope + log_omega
        # An overshoot gives inf or NaN here; its miss then has ``follow`` take the step back.
        with np.errstate(over="ignore", invalid="ignore"):
            self.dual = dual(problem, frame, at)
            size = np.exp(log_size)
            self.r, self.r_v = size * at.value, size * slope
            self.relative, self.curvature = at.value / slope, at.curvature
            largest = max(np.abs(self.r).max(), 1e-3)
            self.significance = np.maximum(1 / problem.curves.held(v), self.r_v / (self.rate * largest))
            # Everything through the rows A diag(sqrt g), scaled by the weights of the basis; psi = sqrt(r_v/omega)
            # takes changes of v to their units. psi is known up to a common unit: only its ratios matter.
            log_psi = (log_size + log_slope - log_omega) / 2
            at_basis = log_psi[frame.basis]
            unit = (at_basis.max() + at_basis.min()) / 2
            psi = np.exp(np.clip(log_psi - unit, -_RANGE, _RANGE))
            rows = frame.view(log_g / 2)
            gram = rows.gram()
            self.spread = float(np.max(np.diag(gram)))
            if not np.isfinite(gram).all():
                raise LinAlgError("the weights overflow")
            factor = cho_factor(gram, lower=True)

            def respond(*right):
                return rows.back(np.ascontiguousarray(cho_solve(factor, np.stack(right).T, check_finite=False).T)) / psi

            self.respond = respond
            phi = self.dual.phi
            flow, mismatch = rows.forward(np.stack([psi * self.relative, psi * phi]))
            self.row_unit = np.exp(np.clip(-log_g[frame.basis] / 2 - unit, -_RANGE, _RANGE))
            way, begun = (part * self.row_unit for part in begun_at(problem, frame, s))
            target = way + begun
            # rows far from their target: what is left of them is to shrink with alpha^L
            left = np.where(2 * np.abs(target - flow) > np.abs(way), target - flow, 0.0)
            moving = flow - begun + left
            c, p = respond(target - flow - mismatch, -depth * moving)
            c += phi
            self.corrector, self.predictor = c, p
            self.miss = float((self.significance * np.abs(c)).max())
            bend = self.curvature + at.growth
            squares = (c * c, c * p, p * p)
            linear = (0.0, depth * c, 2 * depth * p)
            forced = rows.forward(np.stack([psi * (bend * u + w) for u, w in zip(squares, linear, strict=True)]))
            responses = respond(forced[0], forced[1] - depth * left, forced[2] + depth**2 * moving)
            self.second = tuple(at.growth * u - w for u, w in zip(squares, responses, strict=True))

    def settle(self) -> tuple[np.ndarray, np.ndarray]:
        """Return v and r after the corrector, once more for the rounding of t = T, and of A r = y.

        (v = asinh q near 230 holds r to 12 digits only: the corrections are linear steps in r.)
        """
        at = self.problem.curves.at(self.v + self.corrector)
        change = self.corrector + dual(self.problem, self.frame, at).phi
        r = self.r + self.r_v * change
        missed = self.frame.y - self.frame.view(np.zeros(r.size)).forward(r)
        return self.v + change, r + self.r_v * self.respond(missed * self.row_unit)[0]

    def figures(self) -> list[Residual]:
        way, begun = begun_at(self.problem, self.frame, self.s)
        missed = np.abs(way + begun - self.frame.view(np.zeros(self.r.size)).forward(self.r)).max()
        size = np.abs(way + begun).max()
        off = (np.abs(self.dual.phi) / (1 + np.abs(self.v))).max()
        return [
            Residual("feasibility", float(missed / size), TOLERANCE, "max |y|, in the basis of the heaviest columns"),
            Residual("stationarity", float(off), TOLERANCE, "1 + |v|"),
        ]

    def log_r(self, v: np.ndarray, s: float) -> np.ndarray:
        at = self.problem.curves.at(v)
        return self.problem.log_size(at, s) + np.log(np.abs(at.value) + 1e-300)

    def at_log_r(self, j: np.ndarray, log_r: np.ndarray, s: float) -> np.ndarray:
        log_h = log_r - self.problem.amplitude[j] - self.depth * s
        return self.problem.curves.invert(j, np.sign(self.relative[j]), log_h)


def begun_at(problem: Scaled, frame: Frame, s: float) -> tuple[np.ndarray, np.ndarray]:
    """Return, in the frame, y - start and exp(L (s - center)) start: A r = their sum at the shift s."""
    if not problem.start.any():
        return frame.y, np.zeros(frame.y.size)
    if "start" not in frame.kept:
        first = problem.curves.at(problem.curves.v_0)
        r = first.value * np.exp(problem.log_size(first, problem.center))
        frame.kept["start"] = frame.view(np.zeros(r.size)).forward(r)
    start = frame.kept["start"]
    return frame.y - start, start * np.exp(problem.depth * (s - problem.center))


def begin(problem: Scaled, frame: Frame) -> tuple[np.ndarray, float, float]:
    """Return v, shift s and the last one: the center, or less where |h| < 1e-9 already there.

    The start is where the weighted least-squares solution moves no v by more than 0.3. Where every h begins at 0 and
    stays below 1e-9, r = h and v = h to rounding, so that rho no longer depends on alpha, and the path may end where h
    is in the range of floats.
    """
    v_0, depth = problem.curves.v_0, problem.depth
    way = begun_at(problem, frame, problem.center)[0]
    if not way.any():
        return v_0, problem.center, problem.center
    shift = -problem.amplitude[frame.basis[way != 0]].min() / depth
    h = Local(problem, frame, v_0, shift).corrector  # it scales as exp(-L s)
    least, start = (shift + np.log(np.abs(h).max() / size) / depth for size in (1e-9, 0.3))
    last = problem.center if v_0.any() or problem.start.any() else min(problem.center, least)
    s = max(last, start)
    return v_0 + h * np.exp(depth * (shift - s)), s, last


class Linearise:
    """The linearisation in float64, in the frame last used or in a better one where the weights have left it."""

    def __init__(self, problem: Scaled, frame: Frame):
        self.problem, self.frame, self.renewed = problem, frame, False

    def renew(self, v: np.ndarray, s: float) -> bool:
        """Take the frame of the weights at the end of the path, once: its rows keep tiny and large r apart."""
        if self.renewed or np.ptp(self.problem.log_weight(self.problem.curves.at(v), s)) < _EVEN:
            return False
        basis, self.renewed = self.frame.basis, True
        self.frame = self.fitting(v, s)
        return not np.array_equal(basis, self.frame.basis)

    def fitting(self, v: np.ndarray, s: float) -> Frame:
        """Return the frame of the weights here; where they drown all but some columns, the one in use."""
        frame = self.problem.frame(self.problem.log_weight(self.problem.curves.at(v), s))
        return frame if isinstance(frame, Frame) else self.frame

    def __call__(self, v: np.ndarray, s: float) -> Local | None:
        try:
            local = Local(self.problem, self.frame, v, s)
            if local.spread <= _GRADED:
                return local
        except LinAlgError:
            pass  # singular in this frame; perhaps not in one that fits the weights
        fitting = self.fitting(v, s)
        try:
            local = Local(self.problem, fitting, v, s)
        except LinAlgError:
            return None
        self.frame = fitting
        return local

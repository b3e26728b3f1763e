"""The equations of the path linearised in float64; see ``path``.

The dual is given by the v of n basis columns (``frame``), on which t(v_b) = T_b holds by construction: the distance of
T to the end of the domain is then known to full relative accuracy however small it is.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.linalg import LinAlgError

from symbias import kernels
from symbias.numeric import sech
from symbias.numeric.frame import Frame
from symbias.numeric.path import Step
from symbias.numeric.scaled import Scaled
from symbias.numeric.sech import Hyperbolic

_EPS = np.finfo(float).eps
_RANGE = 600.0  # natural logarithms are cut off here before exp
_GRADED = 1e3  # a diagonal entry of the scaled Gram matrix above this: the basis is not made of the heaviest columns


@dataclass(frozen=True)
class Dual:
    """T = W A^T mu on all columns; phi = cosh^k v (T - t(v)) and a bound of the rounding error of phi."""

    t: np.ndarray
    phi: np.ndarray
    rounding: np.ndarray


def dual(problem: Scaled, frame: Frame, at: Hyperbolic) -> Dual:
    """Return the dual that has T = t(v) on the basis of the frame.

    Near the end of the domain T = ±(c_L - distance); the part from ±c_L and the part from the distances are carried
    apart, the latter in units of exp(-reference), so that differences of the order of alpha^k keep their digits.
    """
    depth, b = problem.depth, frame.basis
    columns, t = frame.dual_view(problem.log_w), at.time(depth)
    if depth == 2:
        value = columns.back(t[b])
        phi, error = value - t, 8 * _EPS * columns.bound(t[b])
        phi[b] = error[b] = 0.0
        return Dual(value, phi, error)
    c, grow, sign = sech.end(depth), (depth - 2) * at.log_cosh, np.sign(at.v)
    near = np.flatnonzero(at.is_near(depth))
    distance = np.zeros_like(at.v)  # times cosh^k v
    distance[near] = sech.scaled_distance(depth, at.sech_squared[near])
    reference = float(grow[near].min()) if near.size else 0.0
    at_end = distance[b] > 0
    fixed = np.where(at_end, sign[b] * c, t[b])
    small = -sign[b] * distance[b] * np.exp(np.minimum(reference - grow[b], 0.0))
    base, moved = columns.back(np.stack([fixed, small]))
    rounding = 8 * _EPS * columns.bound(fixed)
    value = base + moved * np.exp(-min(reference, _RANGE))
    factor = np.exp(np.minimum(grow, _RANGE))
    phi = factor * (value - t)
    error = factor * rounding
    gap = c - (sign * base)[near]
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

        self.problem, self.frame, self.depth, self.v, self.s = problem, frame, problem.depth, v, s
        depth, k, at = problem.depth, problem.depth - 2, Hyperbolic(v)
        tanh, slope, log_size, log_omega = at.tanh, problem.slope(at), problem.log_size(at, s), problem.log_omega(at)
        log_slope = np.log(slope)
        log_g = log_size + log_slope + log_omega
        # An overshoot gives inf or NaN here; its miss then has ``follow`` take the step back.
        with np.errstate(over="ignore", invalid="ignore"):
            self.dual = dual(problem, frame, at)
            size = np.exp(log_size)
            self.r, self.r_v = size * tanh, size * slope
            self.relative, self.curvature = tanh / slope, tanh * (k + 2 * depth / slope)
            self.significance = np.maximum(1.0, self.r_v / (depth * max(np.abs(self.r).max(), 1e-3)))
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
            target = frame.y * self.row_unit
            # rows far from their target: what is left of them is to shrink with alpha^L
            left = np.where(2 * np.abs(target - flow) > np.abs(target), target - flow, 0.0)
            c, p = respond(target - flow - mismatch, -depth * (flow + left))
            c += phi
            self.corrector, self.predictor = c, p
            self.miss = float((self.significance * np.abs(c)).max())
            bend = self.curvature + k * tanh
            squares = (c * c, c * p, p * p)
            linear = (0.0, depth * c, 2 * depth * p)
            forced = rows.forward(np.stack([psi * (bend * u + w) for u, w in zip(squares, linear, strict=True)]))
            responses = respond(forced[0], forced[1] - depth * left, forced[2] + depth**2 * (flow + left))
            self.second = tuple(k * tanh * u - w for u, w in zip(squares, responses, strict=True))

    def settle(self) -> tuple[np.ndarray, np.ndarray]:
        """Return v and r after the corrector, once more for the rounding of t = T, and of A r = y.

        (v = asinh q near 230 holds r to 12 digits only: the corrections are linear steps in r.)
        """
        change = self.corrector + dual(self.problem, self.frame, Hyperbolic(self.v + self.corrector)).phi
        r = self.r + self.r_v * change
        missed = self.frame.y - self.frame.view(np.zeros(r.size)).forward(r)
        return self.v + change, r + self.r_v * self.respond(missed * self.row_unit)[0]

    def log_r(self, v: np.ndarray, s: float) -> np.ndarray:
        at = Hyperbolic(v)
        return self.problem.log_size(at, s) + np.log(np.abs(at.tanh) + 1e-300)

    def at_log_r(self, j: np.ndarray, log_r: np.ndarray, s: float) -> np.ndarray:
        depth = self.depth
        log_h = log_r - self.problem.amplitude[j] - depth * s
        q = kernels.root(depth, np.exp(np.minimum(log_h, 600.0)))
        return np.where(log_h < 600.0, np.arcsinh(q), log_h / depth + math.log(2))  # sinh cosh^(L-1) v = (e^v/2)^L


def begin(problem: Scaled, frame: Frame) -> tuple[np.ndarray, float, float]:
    """Return v, shift s = log max a_j and the last one: the center, or less where |h| < 1e-9 already there.

    The start is where the weighted least-squares solution h satisfies |h| <= 0.3. For |h| < 1e-9 r = h and v = h to
    rounding, so that rho no longer depends on alpha, and the path may end where h is in the range of floats.
    """
    shift = -problem.amplitude[frame.basis[frame.y != 0]].min() / problem.depth
    h = Local(problem, frame, np.zeros(problem.amplitude.size), shift).corrector  # it scales as exp(-L s)
    least, start = (shift + np.log(np.abs(h).max() / size) / problem.depth for size in (1e-9, 0.3))
    last = min(problem.center, least)
    s = max(last, start)
    return h * np.exp(problem.depth * (shift - s)), s, last


class Linearise:
    """The linearisation in float64, in the frame last used or in a better one where the weights have left it."""

    def __init__(self, problem: Scaled, frame: Frame):
        self.problem, self.frame, self.renewed = problem, frame, False

    def renew(self, v: np.ndarray, s: float) -> bool:
        """Take the frame of the weights at the end of the path, once: its rows keep tiny and large r apart."""
        if self.renewed:
            return False
        basis, self.renewed = self.frame.basis, True
        self.frame = self.fitting(v, s)
        return not np.array_equal(basis, self.frame.basis)

    def fitting(self, v: np.ndarray, s: float) -> Frame:
        """Return the frame of the weights here; where they drown all but some columns, the one in use."""
        frame = self.problem.frame(self.problem.log_weight(Hyperbolic(v), s))
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

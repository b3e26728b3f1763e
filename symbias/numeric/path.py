"""Second-order path following in tau = log alpha for argmin Q, in the variable v = asinh q, one Gram matrix a step.

The equations, for r_j = exp(amplitude_j + L s + L log cosh v_j) tanh v_j and T = W A^T mu, are

    A r(v, s) = y,        t(v_j) = T_j,

followed from a shift s where the weighted least-squares solution is nearly the answer down to s = 0. The dual is
given by the v of n basis columns (``frame``), on which t(v_b) = T_b holds by construction: the distance of T to the
end of the domain is then known to full relative accuracy however small it is.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from symbias import kernels
from symbias.errors import NotConverged
from symbias.numeric import sech
from symbias.numeric.frame import Frame, choose

_EPS = np.finfo(float).eps
_MAX_STEPS = 400
_RANGE = 600.0  # natural logarithms are clipped here before exp
_GRADED = 1e3  # a diagonal entry of the scaled Gram matrix above this: the basis is not made of the heaviest columns


@dataclass(frozen=True)
class Scaled:
    """The problem with unit-sized rows, columns and solution: amplitude_j = log(a_j^L / size of rho_j), log W_j."""

    matrix: np.ndarray
    y: np.ndarray
    depth: int
    amplitude: np.ndarray
    log_w: np.ndarray

    def log_size(self, v: np.ndarray, s: float) -> np.ndarray:
        """Return log(|r| / |tanh v|)."""
        return self.amplitude + self.depth * (s + sech.log_cosh(v))

    def slope(self, v: np.ndarray) -> np.ndarray:
        """Return the derivative of r in v divided by r / tanh v."""
        return sech.sech_squared(v) + self.depth * np.tanh(v) ** 2

    def log_omega(self, v: np.ndarray) -> np.ndarray:
        """Return log of the derivative of v in T times W."""
        return self.log_w + (self.depth - 2) * sech.log_cosh(v)

    def log_weight(self, v: np.ndarray, s: float) -> np.ndarray:
        """Return log g, the weights of the Gram matrix A diag(g) A^T."""
        return self.log_size(v, s) + np.log(self.slope(v)) + self.log_omega(v)


@dataclass(frozen=True)
class Dual:
    """T = W A^T mu on all columns; phi = cosh^k v (T - t(v)) and a bound of the rounding error of phi."""

    t: np.ndarray
    phi: np.ndarray
    rounding: np.ndarray


def dual(problem: Scaled, frame: Frame, v: np.ndarray) -> Dual:
    """Return the dual that has T = t(v) on the basis of the frame.

    Near the end of the domain T = ±(c_L - distance); the part from ±c_L and the part from the distances are carried
    apart, the latter in units of exp(-reference), so that differences of the order of alpha^k keep their digits.
    """
    depth, b = problem.depth, frame.basis
    c, grow = sech.end(depth), (depth - 2) * sech.log_cosh(v)
    near, sign, t = sech.is_near(depth, v), np.sign(v), sech.t(depth, v)
    distance = np.zeros_like(v)  # times cosh^k v
    if near.any():
        distance[near] = sech.scaled_distance(depth, v[near])
    reference = float(grow[near].min()) if near.any() else 0.0
    columns = frame.scaled(problem.log_w)
    fixed = np.where(near[b], sign[b], 0.0) * c if near[b].any() else np.zeros(b.size)
    fixed = np.where(near[b], fixed, t[b])
    base = fixed @ columns
    rounding = 8 * _EPS * (np.abs(fixed) @ np.abs(columns))
    moved = -(sign * distance * np.exp(np.minimum(reference - grow, 0.0)))[b] @ columns
    value = base + moved * np.exp(-min(reference, _RANGE))
    factor = np.exp(np.minimum(grow, _RANGE))
    phi = factor * (value - t)
    error = factor * rounding
    if near.any():
        gap = c - sign * base
        tied = near & (np.abs(gap) <= rounding)  # an exact tie, as far as the data can tell
        gap[tied] = 0.0
        slack = gap * factor - sign * moved * np.exp(np.minimum(grow - reference, _RANGE))
        phi = np.where(near, sign * (distance - slack), phi)
        error[tied] = 0.0
    phi[b] = 0.0
    error[b] = 0.0
    return Dual(value, phi, error)


class Step:
    """The equations linearised at (v, s), with the second-order terms of the step.

    On a step of c correctors and d down in tau, v changes by c corrector - d predictor and to second order by half of
    c^2 second_0 - 2 c d second_1 + d^2 second_2. ``relative`` = r/r_v and ``curvature`` = r_vv/r_v.
    """

    depth: int
    v: np.ndarray
    s: float
    relative: np.ndarray
    curvature: np.ndarray
    corrector: np.ndarray
    predictor: np.ndarray
    second: tuple[np.ndarray, np.ndarray, np.ndarray]
    significance: np.ndarray  # max(1, r_v/(L max|r|)): a small v of a large r counts by its r
    miss: float  # largest significance |corrector|: what the step before left over

    def log_r(self, v: np.ndarray, s: float) -> np.ndarray:
        """Return log|r|."""
        raise NotImplementedError

    def at_log_r(self, j: np.ndarray, log_r: np.ndarray, s: float) -> np.ndarray:
        """Return the |v_j| at which |r_j| = exp(log_r) at the shift s."""
        raise NotImplementedError

    def advance(self, last: float, damp: float) -> tuple[np.ndarray, float]:
        """Return v and the shift after a second-order step: ``damp`` of the corrector, at most down to ``last``.

        A coordinate whose r is held by the constraints while v is in its linear range grows in v like exp(L d): where
        the series of r is the better one, r is extrapolated.
        """
        s, depth, c1, p1 = self.s, self.depth, self.corrector, self.predictor
        bound = 2.0 / depth  # on |v_2|: an error of r by about a factor e
        cc, cp, pp = self.second
        # second-order changes of r, divided by r_v
        rcc = cc + self.curvature * c1 * c1
        rcp = cp + self.curvature * c1 * p1 + depth * c1
        rpp = pp + self.curvature * p1 * p1 + 2 * depth * p1 + depth**2 * self.relative
        there = self.relative != 0
        scale = depth * np.where(there, np.abs(self.relative), 1)
        straight, through_r = as_float(self.significance * pp), as_float(rpp / scale)
        in_r = there & (np.abs(straight) > 0.01 * bound) & (np.abs(through_r) < np.abs(straight))
        terms = [
            np.where(in_r, as_float(b / scale), as_float(self.significance * a))
            for a, b in ((cc, rcc), (cp, rcp), (pp, rpp))
        ]
        curved = np.abs(terms[0]).max()
        c, d = damp, 0.0
        if curved * damp**2 > bound:
            c = float(np.sqrt(bound / curved))
        elif damp == 1.0 and 4 * curved <= bound:
            d = longest(*terms, bound, s - last)
        largest = max(0.0, float(self.log_r(self.v, s).max()))
        j = np.flatnonzero(in_r)
        start = self.log_r(self.v, s)[j]
        while True:
            left = last if d >= s - last else s - d
            v = self.v + c * c1 - d * p1 + (c * c * cc - 2 * c * d * cp + d * d * pp) / 2
            change = (c * c1 - d * p1 - depth * d * self.relative)[j]
            change = change + (c * c * rcc - 2 * c * d * rcp + d * d * rpp)[j] / 2
            ratio = as_float(1 + change / self.relative[j]) if j.size else np.zeros(0)
            safe = ratio > 0.1
            v[j[safe]] = np.sign(self.v[j[safe]]) * self.at_log_r(j[safe], start[safe] + np.log(ratio[safe]), left)
            if float(self.log_r(v, left).max()) <= largest + math.log(30) or c < 1e-3:
                return v, left
            c, d = (c, d / 2) if d > 1e-3 else (c / 2, 0.0)


def as_float(values: np.ndarray) -> np.ndarray:
    return np.asarray(values, dtype=float)


class Local(Step):
    """The step in float64. Raises ``LinAlgError`` when the Gram matrix is singular to rounding."""

    def __init__(self, problem: Scaled, frame: Frame, v: np.ndarray, s: float):
        self.problem, self.frame, self.depth, self.v, self.s = problem, frame, problem.depth, v, s
        depth, k, tanh = problem.depth, problem.depth - 2, np.tanh(v)
        slope = problem.slope(v)
        log_r_v = problem.log_size(v, s) + np.log(slope)
        log_g = log_r_v + problem.log_omega(v)
        # An overshoot gives inf or NaN here; its miss then has ``follow`` take the step back.
        with np.errstate(over="ignore", invalid="ignore"):
            self.dual = dual(problem, frame, v)
            self.r_v = np.exp(log_r_v)
            self.r = np.exp(problem.log_size(v, s)) * tanh
            self.relative, self.curvature = tanh / slope, tanh * (k + 2 * depth / slope)
            self.significance = np.maximum(1.0, self.r_v / (depth * max(np.abs(self.r).max(), 1e-3)))
            # Everything through the rows A diag(sqrt g), scaled by the weights of the basis; psi = sqrt(r_v/omega)
            # takes changes of v to their units. psi is known up to a common unit: only its ratios matter.
            log_psi = log_r_v - log_g / 2
            at_basis = log_psi[frame.basis]
            unit = (at_basis.max() + at_basis.min()) / 2
            psi = np.exp(np.clip(log_psi - unit, -_RANGE, _RANGE))
            rows = frame.scaled(log_g / 2)
            gram = rows @ rows.T
            self.spread = float(np.max(np.diag(gram)))
            if not np.isfinite(gram).all():
                raise LinAlgError("the weights overflow")
            factor = cho_factor(gram, lower=True)

            def respond(right):
                return (cho_solve(factor, right, check_finite=False) @ rows) / psi

            flow = rows @ (psi * self.relative)
            phi = self.dual.phi
            target = frame.y * np.exp(np.clip(-log_g[frame.basis] / 2 - unit, -_RANGE, _RANGE))
            self.corrector = c = respond(target - flow - rows @ (psi * phi)) + phi
            # rows far from their target: what is left of them is to shrink with alpha^L
            left = np.where(2 * np.abs(target - flow) > np.abs(target), target - flow, 0.0)
            self.predictor = p = -depth * respond(flow + left)
            self.miss = float((self.significance * np.abs(c)).max())
            bend = self.curvature + k * tanh
            terms = (
                (c * c, 0.0, 0.0),
                (c * p, depth * c, -depth * left),
                (p * p, 2 * depth * p, depth**2 * (flow + left)),
            )
            self.second = tuple(k * tanh * u - respond(rows @ (psi * (bend * u + w)) + x) for u, w, x in terms)

    def log_r(self, v: np.ndarray, s: float) -> np.ndarray:
        return self.problem.log_size(v, s) + np.log(np.abs(np.tanh(v)) + 1e-300)

    def at_log_r(self, j: np.ndarray, log_r: np.ndarray, s: float) -> np.ndarray:
        depth = self.depth
        log_h = log_r - self.problem.amplitude[j] - depth * s
        q = kernels.root(depth, np.exp(np.minimum(log_h, 600.0)))
        return np.where(log_h < 600.0, np.arcsinh(q), log_h / depth + math.log(2))  # sinh cosh^(L-1) v = (e^v/2)^L


def longest(cc: np.ndarray, cp: np.ndarray, pp: np.ndarray, bound: float, limit: float) -> float:
    """Return the largest d <= limit with |cc_j - 2 d cp_j + d^2 pp_j| <= bound on [0, d] for every j."""
    for sign in (1.0, -1.0):
        # smallest positive root of a d^2 + b d - room = 0, room >= 0, in the form without cancellation
        a, b, room = sign * pp, -2 * sign * cp, np.maximum(bound - sign * cc, 0.0)
        discriminant = b * b + 4 * a * room
        below = b + np.sqrt(np.maximum(discriminant, 0.0))
        crosses = (discriminant >= 0) & (below > 0)
        limit = min(limit, float((2 * room[crosses] / below[crosses]).min(initial=limit)))
    return limit


def begin(problem: Scaled, frame: Frame) -> tuple[np.ndarray, float, float]:
    """Return v, shift s and the last shift: 0, or less where |h| stays below 1e-9 all the way down to it.

    The start is where the weighted least-squares solution h satisfies |h| <= 0.3. For |h| < 1e-9 r = h and v = h to
    rounding, so that rho no longer depends on alpha, and the path may end where h is in the range of floats.
    """
    shift = -problem.amplitude[frame.basis[frame.y != 0]].min() / problem.depth
    h = Local(problem, frame, np.zeros(problem.matrix.shape[1]), shift).corrector  # it scales as exp(-L s)
    least, start = (shift + np.log(np.abs(h).max() / size) / problem.depth for size in (1e-9, 0.3))
    last = min(0.0, least)
    s = max(last, start)
    return h * np.exp(problem.depth * (shift - s)), s, last


def follow(linearise, v: np.ndarray, s: float, last: float, depth: int, progress=None):
    """Follow the path from (v, s) to the shift ``last``; return the final step, converged, and how many were made.

    ``linearise(v, s)`` returns the ``Step`` there, or None where it overflows. A step whose outcome is off by more than 5/L in v is taken again,
    a quarter as long.
    """
    accepted, settled, error, damp = None, None, math.inf, 1.0
    for count in range(1, _MAX_STEPS):
        step = linearise(v, s)
        if progress is not None:
            progress(count, float(s - last))
        if settled is not None and (step is None or step.miss > 0.1):
            return settled, count  # the last frame was no improvement
        if step is None and accepted is None:
            raise NotConverged("the Gram matrix is singular to rounding; try digits=30")
        if accepted is not None and (step is None or not step.miss <= max(5.0 / depth, accepted.miss)):
            taken = accepted.s - s
            damp = damp if taken > 0.0 else damp / 4
            v, s = accepted.advance(accepted.s - taken / 4, damp)
            continue
        if s == last:
            small = np.max(step.significance * np.abs(step.corrector) / (1 + np.abs(v))) < 4 * _EPS
            if small or (step.miss < 1e-6 and step.miss >= error / 2):
                if not linearise.renew(v, s):
                    return step, count
                settled, error, accepted = step, math.inf, None
                continue
            error = step.miss
        accepted, damp = step, 1.0
        v, s = step.advance(last, damp)
    raise NotConverged(f"log alpha is still off by {float(s - last):.3g} after {_MAX_STEPS} steps; try digits=30")


class Linearise:
    """The linearisation in float64, in the frame last used or in a better one where the weights have left it."""

    def __init__(self, problem: Scaled, frame: Frame):
        self.problem, self.frame, self.renewed = problem, frame, False

    def renew(self, v: np.ndarray, s: float) -> bool:
        """Take the frame of the weights at the end of the path, once: its rows keep tiny and large r apart."""
        if self.renewed:
            return False
        basis, self.renewed = self.frame.basis, True
        self.frame = choose(self.problem.matrix, self.problem.y, self.problem.log_weight(v, s))
        return not np.array_equal(basis, self.frame.basis)

    def __call__(self, v: np.ndarray, s: float) -> Local | None:
        try:
            local = Local(self.problem, self.frame, v, s)
            if local.spread <= _GRADED:
                return local
        except LinAlgError:
            pass  # singular in this frame; perhaps not in one that fits the weights
        fitting = choose(self.problem.matrix, self.problem.y, self.problem.log_weight(v, s))
        try:
            local = Local(self.problem, fitting, v, s)
        except LinAlgError:
            return None
        self.frame = fitting
        return local

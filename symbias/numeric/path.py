"""Second-order path following in tau = log alpha for argmin Q, in the parameter v of ``curves``, one Gram matrix a
step.

The equations, for r_j = exp(amplitude_j + L s) h_j(v_j) and T = W A^T mu, are

    A r(v, s) = y(s),        t_j(v_j) = T_j,

y(s) = y where the start has rho = 0, followed from a shift s where the weighted least-squares solution is nearly the
answer down to s = 0. This module takes the steps; ``linearise`` makes the linear algebra, in float64 or in high
precision.
"""

import math

import numpy as np

from symbias.errors import NotConverged
from symbias.verdict import Residual

_EPS = np.finfo(float).eps
_MAX_STEPS = 400
_POLISH = 3


class Step:
    """The equations linearised at (v, s), with the second-order terms of the step.

    On a step of c correctors and d down in tau, v changes by c corrector - d predictor and to second order by half of
    c^2 second_0 - 2 c d second_1 + d^2 second_2. ``relative`` = r/r_v and ``curvature`` = r_vv/r_v.
    """

    depth: int
    rate: float
    v: np.ndarray
    s: float
    relative: np.ndarray
    curvature: np.ndarray
    corrector: np.ndarray
    predictor: np.ndarray
    second: tuple[np.ndarray, np.ndarray, np.ndarray]
    significance: np.ndarray  # max(1/held, r_v/(rate max|r|)): a small v of a large r counts by its r
    miss: float  # largest significance |corrector|: what the step before left over

    def log_r(self, v: np.ndarray, s: float) -> np.ndarray:
        """Return log|r|."""
        raise NotImplementedError

    def at_log_r(self, j: np.ndarray, log_r: np.ndarray, s: float) -> np.ndarray:
        """Return the v_j at which |r_j| = exp(log_r) at the shift s, with the sign that it has."""
        raise NotImplementedError

    def figures(self) -> list[Residual]:
        """Return how far feasibility and stationarity are from holding here."""
        raise NotImplementedError

    def advance(self, last: float, damp: float) -> tuple[np.ndarray, float]:
        """Return v and the shift after a second-order step: ``damp`` of the corrector, at most down to ``last``.

        A coordinate whose r is held by the constraints while v is in its linear range grows in v like exp(L d): where
        the series of r is the better one, r is extrapolated.
        """
        s, depth, c1, p1 = self.s, self.depth, self.corrector, self.predictor
        bound = 2.0 / self.rate  # on |v_2|: an error of r by about a factor e
        cc, cp, pp = self.second
        with np.errstate(over="ignore", invalid="ignore"):  # an r of 0 all but: its series is then not the better one
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
            d = longest(terms[0], terms[1], terms[2], bound, s - last)
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
            v[j[safe]] = self.at_log_r(j[safe], start[safe] + np.log(ratio[safe]), left)
            if float(self.log_r(v, left).max()) <= largest + math.log(30) or c < 1e-3:
                return v, left
            c, d = (c, d / 2) if d > 1e-3 else (c / 2, 0.0)


def as_float(values: np.ndarray) -> np.ndarray:
    return np.asarray(values, dtype=float)


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


def follow(linearise, v: np.ndarray, s: float, last: float, progress=None):
    """Follow the path from (v, s) to the shift ``last``; return the final step, converged, and how many were made.

    ``linearise(v, s)`` returns the ``Step`` there, or None where it overflows. A step whose outcome is off by more
    than 3/rate in v is taken again, a quarter as long.
    """
    accepted, settled, error, damp, polished = None, None, math.inf, 1.0, 0
    for count in range(1, _MAX_STEPS):
        step = linearise(v, s)
        if progress is not None:
            progress(count, float(s - last))
        if settled is not None and (step is None or step.miss > 0.1):
            return settled, count  # the last frame was no improvement
        if step is None and accepted is None:
            raise NotConverged("the Gram matrix is singular to rounding at the start of the path: ask for digits=30")
        if accepted is not None and (
            step is None or not step.miss <= max(3.0 / step.rate, (2 if s == accepted.s else 1) * accepted.miss)
        ):
            taken = accepted.s - s
            damp = damp if taken > 0.0 else damp / 4
            v, s = accepted.advance(accepted.s - taken / 4, damp)
            continue
        if s == last:
            small = np.max(np.abs(step.corrector) * np.maximum(step.significance, 1) / (1 + np.abs(v))) < 4 * _EPS
            # coordinates far below the others get a few more corrections for their own digits
            polished += small
            owing = polished <= _POLISH and (np.abs(step.corrector) > 1e-10 * np.abs(v)).any()
            if (small and not owing) or (step.miss < 1e-6 and step.miss >= error / 2 and not small):
                if not linearise.renew(v, s):
                    return step, count
                settled, error, accepted, polished = step, math.inf, None, 0
                continue
            error = step.miss
        accepted, damp = step, min(1.0, 2 * damp)
        v, s = step.advance(last, damp)
    left = f"log alpha is still off by {float(s - last):.3g}" if s > last else "its last corrections do not settle"
    reached = settled if accepted is None else accepted
    figures = reached.figures() if reached is not None else []
    raise NotConverged(
        f"the path to the minimum has no end after {count} steps: {left} ({'; '.join(map(str, figures))}); ask for "
        "more digits (digits=), or, where layers tie, for y further inside what their signs can fit",
        figures,
    )

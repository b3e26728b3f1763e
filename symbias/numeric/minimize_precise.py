"""argmin Q to any number of digits: Newton's method in the parameter v from the float64 answer, the precision doubling.

The equations t(v) = A^T nu are linear in nu, so the Newton step of v does not depend on nu and v is the whole state.
Differences of the order of alpha^(L-2), and Gram matrices graded over alpha^(2L), are paid for in working precision.
Where float64 fails, or Newton from its answer does not settle, the path of ``path`` is followed in high precision.
"""

import functools
import math
import time

import numpy as np

from symbias import exact
from symbias.errors import BadInput, NotConverged
from symbias.numeric.curves import Curves
from symbias.numeric.curves_precise import PreciseCurves, PreciseEqualLayers, logarithms
from symbias.numeric.frame import choose
from symbias.numeric.linear_precise import Cholesky, gram, reduce
from symbias.numeric.operators import Dense, FromObject
from symbias.numeric.path import Step, follow
from symbias.numeric.scaled import OutOfRange
from symbias.precision import context, public
from symbias.verdict import Residual

_GUARD = 15  # digits kept beyond those asked for: sums over m terms, and the step from v to rho
_NEWTON = 40  # steps allowed: digits double at each, so that failing is the rule only when the start was wrong


class Equations:
    """The equations at one precision: A, y and the curves in mpf of one context, the curves also in float64."""

    def __init__(self, matrix, y, curves: PreciseCurves, low: Curves, ctx, accuracy: int, digits: int):
        self.ctx, self.accuracy, self.digits, self.low = ctx, accuracy, digits, low
        self.curves = curves.to(ctx, accuracy + _GUARD)
        self.matrix, self.y = exact.to_precise(matrix, ctx), exact.to_precise(y, ctx)
        self.begun = self.matrix @ self.curves.at(self.curves.v_0)[0]

    def target(self, s):
        """What A r is asked to be at the shift s, and the part of it that moves: see ``scaled.Scaled``."""
        moving = self.begun * self.ctx.exp(self.curves.depth * s) if s else self.begun
        return self.y - self.begun + moving, moving


class PreciseStep(Step):
    """The equations linearised at (v, s) in high precision; ``nu`` is the dual of the Newton step."""

    def __init__(self, equations: Equations, v: np.ndarray, s=0.0):
        ctx, curves = equations.ctx, equations.curves
        self.equations, self.depth, self.rate, self.v, self.s = equations, curves.depth, equations.low.rate, v, s
        matrix = equations.matrix
        self.r, self.r_v, self.t, self.t_v = curves.at(v)
        if s:
            self.r, self.r_v = (part * ctx.exp(self.depth * s) for part in (self.r, self.r_v))
        weights = self.r_v / self.t_v
        self.factor = Cholesky(gram(matrix, weights, ctx), ctx)
        self.nu = self.factor.solve(equations.target(s)[0] - matrix @ (self.r - weights * self.t))
        self.dual = matrix.T @ self.nu
        self.corrector = (self.dual - self.t) / self.t_v
        largest = np.abs(self.r).max() or ctx.mpf(1)
        if not curves.relative:  # a rho that ends at 0 is settled at the digits asked for
            largest = max(largest, self.r_v.max() * ctx.mpf(10) ** -equations.digits)
        held = equations.low.held(v.astype(float))
        self.significance = np.maximum(1 / held, self.r_v / (self.rate * largest))
        self.miss = float((self.significance * np.abs(self.corrector)).max())

    def figures(self) -> list[Residual]:
        target = self.equations.target(self.s)[0]
        size = max(abs(x) for x in target) or 1
        missed = max(abs(x) for x in self.equations.matrix @ self.r - target) / size
        off = max(abs(x) / (1 + abs(v)) for x, v in zip(self.corrector, self.v, strict=True))
        tolerance = 10.0**-self.equations.digits
        return [
            Residual("feasibility", public(missed, 5), tolerance, "max |y|"),
            Residual("stationarity", public(off, 5), tolerance, "1 + |v|"),
        ]

    def noise(self) -> np.ndarray:
        """Return where rho_j does not settle and may be exactly 0.

        At a start of 0 (``relative``): A_j^T nu cancels to nothing at this accuracy; else rho_j itself does, at the
        digits asked for.
        """
        equations = self.equations
        if not equations.curves.relative:
            least = equations.ctx.mpf(10) ** -(equations.digits + _GUARD)
            return np.array(np.abs(self.r) <= least * self.r_v, dtype=bool)
        least = equations.ctx.mpf(10) ** -(equations.accuracy + _GUARD)
        found = np.array(1000 * np.abs(self.corrector) > np.abs(self.v + self.corrector), dtype=bool)
        if found.any():
            # row by row the largest product that A_j^T nu can be made of, in any column
            size = max(max(abs(row)) * abs(nu) for row, nu in zip(equations.matrix, self.nu, strict=True))
            found &= np.array(np.abs(self.dual) <= least * size, dtype=bool)
        return found

    def log_change(self, without: np.ndarray) -> float:
        """Return log10 of the largest relative change of a coordinate of rho that the corrector makes."""
        ctx, c = self.equations.ctx, self.corrector
        sizes = [
            abs(c[j] * self.r_v[j] / self.r[j]) if self.r[j] else ctx.inf for j in np.flatnonzero((c != 0) & ~without)
        ]
        return float(ctx.log10(max(sizes))) if sizes and max(sizes) else -math.inf

    def complete(self) -> "PreciseStep":
        """Add predictor and second-order terms; what only shapes the step is taken from float64."""
        depth, r_v, equations = self.depth, self.r_v, self.equations
        matrix = equations.matrix
        target, begun = equations.target(self.s)

        def respond(right):
            return matrix.T @ self.factor.solve(right) / self.t_v

        at = equations.low.at(self.v.astype(float))
        self.relative, self.curvature, growth = at.value / at.slope, at.curvature, at.growth
        flow = matrix @ self.r
        left = np.where(2 * np.abs(target - flow) > np.abs(target - begun), target - flow, 0)  # see path_float.Local
        moving = flow - begun + left
        c, p = self.corrector, -depth * respond(moving)
        self.predictor = p
        bend = self.curvature + growth
        terms = ((c * c, 0, 0), (c * p, depth * c, -depth * left), (p * p, 2 * depth * p, depth**2 * moving))
        self.second = tuple(growth * u - respond(matrix @ (r_v * (bend * u + w)) + x) for u, w, x in terms)
        return self

    def _log_size(self, s) -> np.ndarray:
        return self.equations.low.amplitude + float(self.depth * s)

    def log_r(self, v: np.ndarray, s) -> np.ndarray:
        at = self.equations.low.at(v.astype(float))
        return self._log_size(s) + at.log_size + np.log(np.abs(at.value) + 1e-300)

    def at_log_r(self, j: np.ndarray, log_r: np.ndarray, s) -> np.ndarray:
        log_h = log_r - self._log_size(s)[j]
        return exact.to_precise(self.equations.low.invert(j, np.sign(self.relative[j]), log_h), self.equations.ctx)


def argmin_equal_layers(A, y, depth, digits, a, progress):  # noqa: N803
    """Return the ``Minimum`` of Theorem 5's potential to ``digits`` digits; see ``argmin_potential``."""
    context(digits)  # refuses what is not a positive integer
    if a is None:
        raise BadInput("with digits= give the exact a_j = alpha |eta_j| as a=: logarithms in float64 have 16 digits")
    if hasattr(A, "adjoint"):
        A = np.array(list(FromObject(A).rows()))  # noqa: N806
    matrix, y, a = exact.array(A, "A", ndim=2), exact.array(y, "y", ndim=1), exact.array(a, "a", ndim=1)
    logarithms(a)
    if len(a) != matrix.shape[1] or len(y) != matrix.shape[0]:
        raise BadInput(f"A of shape {matrix.shape} does not fit y of shape {y.shape} and a of shape {a.shape}")
    return argmin_precise(matrix, y, PreciseEqualLayers(None, depth, a), digits, progress)


def argmin_precise(matrix: np.ndarray, y: np.ndarray, curves: PreciseCurves, digits: int, progress=None):
    """Return the ``Minimum`` of the potential of any curves over A rho = y to ``digits`` digits."""
    began = time.perf_counter()
    low = curves.low()
    rows, right, log_size = unit_size(matrix, y)
    sizes = np.concatenate([np.abs(rows).max(axis=0), np.abs(right)])
    # rho spans L powers of alpha before it is of unit size, and rho and t together twice as many; so do the data
    reach = np.abs(low.amplitude - log_size).max() + np.ptp(np.log(sizes[sizes > 0]))
    span = math.ceil(2 * reach / math.log(10))
    # one precision for all steps where its range alone costs more than the doubling saves
    least = digits + _GUARD if 4 * digits < span else 0

    @functools.cache
    def equations(accuracy: int) -> Equations:
        return Equations(matrix, y, curves, low, context(accuracy + span + 2 * _GUARD), accuracy, digits)

    def at(accuracy: int) -> Equations:
        return equations(max(accuracy, least))

    first = at(digits)
    if not any(first.y - first.begun):
        v_0 = first.curves.v_0
        return finish(PreciseStep(first, v_0), first.curves.relative & (v_0 == 0), digits, 0, began)
    steps = 0
    for accuracy in (digits, 2 * digits + 40):
        v, noise, used, count = solve(at, matrix, y, low, accuracy, progress)
        steps += count + 1
        check = PreciseStep(at(used + max(20, accuracy // 5)), v)
        try:
            return finish(check, noise, digits, steps, began)
        except NotConverged:
            if accuracy > digits:  # once more: what is tiny but not 0 takes more digits to be told from 0
                raise


def solve(at, matrix, y, low: Curves, digits, progress) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Return what ``newton`` returns, from a float64 answer, or else from the path in high precision."""
    steps = 0
    for data in ("as given", "in the basis of the answer"):
        try:
            if data == "as given":
                start, units = nearby(matrix, y, low, progress)
            else:
                start, units = nearby(*in_basis(at(40), start.rho), low, progress)
            steps += start.steps
            v, noise, accuracy, count = newton(at, start_v(at(20), start, units), digits)
            return v, noise, accuracy, steps + count
        except (NotConverged, OutOfRange):
            if steps == 0:
                break
    v, count = along_path(at(40), progress)
    v, noise, accuracy, more = newton(at, v, digits)
    return v, noise, accuracy, steps + count + more


def in_basis(equations: Equations, rho: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return A_B^{-1} A and A_B^{-1} y, B the columns of the largest rho_j: y on few columns is then exactly so."""
    ctx, matrix = equations.ctx, equations.matrix
    sizes = np.log(np.maximum(np.abs(rho), 1e-300))
    frame = choose(*unit_size(matrix, equations.y)[:2], 2 * sizes)
    if isinstance(frame, int):
        raise NotConverged("the columns of the largest coordinates do not span")
    made = reduce(np.column_stack([matrix[:, frame.anchor], matrix, equations.y]), ctx)[:, len(matrix) :]
    size = max(abs(made[:, -1]))
    made[np.abs(made) <= size * ctx.mpf(10) ** -equations.accuracy] = ctx.mpf(0)
    return made[:, :-1], made[:, -1]


def nearby(matrix: np.ndarray, y: np.ndarray, low: Curves, progress):
    """Return the float64 answer with rows and y of unit size, whatever their size, and the curves in its units."""
    from symbias.numeric.minimize import argmin_float

    rows, right, log_size = unit_size(matrix, y)
    curves = low.in_units(log_size)
    return argmin_float(Dense(rows), right, curves, progress), curves


def unit_size(matrix: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Return A and y in float64, rows and y divided by their sizes, and the logarithm of what rho is divided by.

    The sizes are powers of two: what is exact in float64, such as y on a column of A, stays so.
    """
    ctx = context(30)
    rows, right = exact.to_precise(matrix, ctx), exact.to_precise(y, ctx)
    sizes = np.array([ctx.ldexp(1, ctx.mag(max(abs(row)) or 1)) for row in rows], dtype=object)
    right = right / sizes
    largest = ctx.ldexp(1, ctx.mag(max(abs(right)) or 1))
    return (rows / sizes[:, None]).astype(float), (right / largest).astype(float), float(ctx.log(largest))


def start_v(equations: Equations, start, curves: Curves) -> np.ndarray:
    """Return v of a float64 answer, from log|rho| where v underflows: h = h'(0) v there."""
    ctx = equations.ctx
    v = exact.to_precise(start.v, ctx)
    log_h = start.log_rho - curves.amplitude
    signs = np.where(start.rho != 0, np.sign(start.rho), np.sign(start.root))
    at = curves.at(0 * curves.v_0)
    for j in np.flatnonzero((signs != 0) & (at.value == 0) & (log_h < -600)):
        v[j] = int(signs[j]) * ctx.exp(log_h[j] - float(at.log_size[j] + np.log(at.slope[j])))
    return v


def newton(at, v: np.ndarray, digits: int) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Return v correct to ``digits`` digits, what may be 0 of it, the accuracy worked at, and the number of steps.

    Digits double at each step; where they do not, rounding is in the way, and the precision is raised.
    """
    goal = digits + _GUARD
    have, extra, best = 10, 0, -math.inf
    for count in range(1, _NEWTON):
        want = min(2 * have, goal)
        equations = at(want + extra)
        # A sum of mpf is rounded in the context of its first term: v must be of the new precision to take the step.
        v = exact.to_precise(v, equations.ctx)
        step = PreciseStep(equations, v)
        if not step.miss <= 5.0 / step.rate:
            raise NotConverged(f"Newton's step changes v by {step.miss:.2g}: the start is not near the answer")
        v, noise = v + step.corrector, step.noise()
        reached = -step.log_change(noise)
        if want == goal and 2 * reached >= goal:
            return v, noise, want + extra, count
        if reached < min(1.2 * best, want / 2):
            extra += max(20, digits)
        best = max(best, reached)
        have = int(min(max(2 * reached, 10), want))
    raise NotConverged(f"Newton's method did not settle in {_NEWTON} steps")


class PreciseLinearise:
    """The linearisation in high precision, which needs no frame."""

    def __init__(self, equations: Equations):
        self.equations = equations

    def __call__(self, v: np.ndarray, s) -> PreciseStep:
        return PreciseStep(self.equations, v, s).complete()

    def renew(self, v: np.ndarray, s) -> bool:
        return False


def along_path(equations: Equations, progress) -> tuple[np.ndarray, int]:
    """Follow the whole path at one precision, from where weighted least squares is nearly the answer."""
    v_0, depth, ctx = equations.curves.v_0, equations.curves.depth, equations.ctx
    h = PreciseStep(equations, v_0).corrector
    s = max(ctx.mpf(0), ctx.log(max(abs(x) for x in h) / 0.3) / depth)
    last, count = follow(PreciseLinearise(equations), v_0 + h * ctx.exp(-depth * s), s, ctx.mpf(0), progress)
    return last.v + last.corrector, count


def finish(step: PreciseStep, noise: np.ndarray, digits: int, steps: int, began: float):
    """Make the record from a step at higher precision, whose own correction shows the digits that were reached."""
    from symbias.numeric.minimize import Minimum

    equations, curves = step.equations, step.equations.curves
    ctx = equations.ctx
    v = step.v + step.corrector
    vanishing = step.noise()
    noise = noise | vanishing
    if curves.relative:
        noise = noise | np.array(step.v == 0, dtype=bool)
        for j in np.flatnonzero(noise):
            # what is 0 shrinks with the working precision, which has at least 20 digits more here
            if abs(v[j]) > abs(step.v[j]) * ctx.mpf(10) ** -10 and (step.v[j] or not vanishing[j]):
                raise NotConverged(f"rho[{j}] is tiny beside the others but not 0; ask for more digits")
            v[j] = ctx.mpf(0)
    rho, rho_v, t, t_v = curves.at(v)
    t, room = curves.time_of(rho), np.minimum(np.abs(t), t_v) if curves.relative else t_v
    # where y = 0, rho may be 0 too: it is then known to the digits of v
    size = max(abs(x) for x in equations.y) or max(abs(x) for x in np.abs(equations.matrix) @ rho_v)
    missed = max(abs(x) for x in equations.matrix @ rho - equations.y) / (size or 1)
    off = max((abs(x - d) / r for x, d, r in zip(t, step.dual, room, strict=True) if r), default=ctx.zero)
    tolerance = public(ctx.mpf(10) ** -digits, 5)
    residuals = (
        Residual("feasibility", public(missed, 5), tolerance, "max |y|"),
        Residual("stationarity", public(off, 5), tolerance, "min(|t|, dt/dv) of every coordinate"),
        Residual("change at higher precision", public(ctx.mpf(10) ** step.log_change(noise), 5), tolerance, "|rho_j|"),
    )
    log_rho = np.array([ctx.log(abs(x)) if x else ctx.ninf for x in rho], dtype=object)
    return Minimum(
        rho=public(rho, digits),
        v=v,
        root=public(np.array([ctx.sinh(x) for x in v], dtype=object), digits),
        log_rho=public(log_rho, digits),
        nu=public(step.nu, digits),
        residuals=residuals,
        steps=steps,
        digits=digits,
        seconds=time.perf_counter() - began,
    )

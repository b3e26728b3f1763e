"""argmin Q to any number of digits: Newton's method in v = asinh q from the float64 answer, the precision doubling.

The equations t(v) = W A^T mu are linear in mu, so the Newton step of v does not depend on mu and v is the whole state.
Differences of the order of alpha^(L-2), and Gram matrices graded over alpha^(2L), are paid for in working precision.
Where float64 fails, or Newton from its answer does not settle, the path of ``path`` is followed in high precision.
"""

import functools
import math
import time

import numpy as np

from symbias import exact
from symbias.errors import BadInput, NotConverged
from symbias.kernels import precise
from symbias.numeric.frame import choose
from symbias.numeric.linear_precise import Cholesky, gram, reduce
from symbias.numeric.operators import FromObject
from symbias.numeric.path import Step, follow
from symbias.precision import context, public
from symbias.verdict import Residual

_GUARD = 15  # digits kept beyond those asked for: sums over m terms, and the step from v to rho
_NEWTON = 40  # steps allowed: digits double at each, so that failing is the rule only when the start was wrong


class Equations:
    """The equations at one precision: A, y, a^L and W = (a/max a)^(L-2) as mpf of ``ctx``."""

    def __init__(self, matrix: np.ndarray, y: np.ndarray, a: np.ndarray, depth: int, ctx, accuracy: int):
        self.ctx, self.depth, self.accuracy = ctx, depth, accuracy
        self.matrix, self.y = exact.to_precise(matrix, ctx), exact.to_precise(y, ctx)
        self.a = a = exact.to_precise(a, ctx)
        self.amplitude = a**depth
        self.width = (a / a.max()) ** (depth - 2)

    def time(self, sinh, cosh):
        """Return ∫_0^v sech^(L-2) by the recurrence in the power of sech."""
        ctx, power = self.ctx, self.depth - 2
        if power == 0:
            return ctx.asinh(sinh)
        tanh = sinh / cosh
        value, start = (ctx.atan(sinh), 1) if power % 2 else (tanh, 2)
        for i in range(start + 2, power + 1, 2):
            value = (tanh / cosh ** (i - 2) + (i - 2) * value) / (i - 1)
        return value


class PreciseStep(Step):
    """The equations linearised at (v, s) in high precision; ``mu`` is the dual of the Newton step."""

    def __init__(self, equations: Equations, v: np.ndarray, s=0.0):
        ctx, depth, k = equations.ctx, equations.depth, equations.depth - 2
        self.equations, self.depth, self.v, self.s = equations, depth, v, s
        matrix = equations.matrix
        self.sinh = np.array([ctx.sinh(x) for x in v], dtype=object)
        cosh = np.array([ctx.sqrt(1 + x * x) for x in self.sinh], dtype=object)
        t = np.array([equations.time(*pair) for pair in zip(self.sinh, cosh, strict=True)], dtype=object)
        grow = cosh**k
        amplitude = equations.amplitude * ctx.exp(depth * s) if s else equations.amplitude
        self.r = amplitude * self.sinh * cosh * grow
        self.r_v = amplitude * grow * (1 + depth * self.sinh**2)
        self.omega = equations.width * grow
        self.factor = Cholesky(gram(matrix, self.r_v * self.omega, ctx), ctx)
        self.mu = self.factor.solve(equations.y - matrix @ (self.r - self.r_v * grow * t))
        self.dual = matrix.T @ self.mu
        self.corrector = self.omega * self.dual - grow * t
        largest = np.abs(self.r).max() or ctx.mpf(1)
        self.significance = np.array([max(1, x / (depth * largest)) for x in self.r_v], dtype=object)
        self.miss = float((self.significance * np.abs(self.corrector)).max())

    def noise(self) -> np.ndarray:
        """Return where A_j^T mu cancels to nothing at this accuracy and v_j does not settle: it may be exactly 0."""
        equations = self.equations
        least = equations.ctx.mpf(10) ** -(equations.accuracy + _GUARD)
        found = np.array(1000 * np.abs(self.corrector) > np.abs(self.v + self.corrector), dtype=bool)
        if found.any():
            # row by row the largest product that A_j^T mu can be made of, in any column
            size = max(max(abs(row)) * abs(mu) for row, mu in zip(equations.matrix, self.mu, strict=True))
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
        """Add predictor and second-order terms."""
        depth, k, r_v, equations = self.depth, self.depth - 2, self.r_v, self.equations
        matrix, y = equations.matrix, equations.y

        def respond(right):
            return self.omega * (matrix.T @ self.factor.solve(right))

        flow = matrix @ self.r
        left = np.where(2 * np.abs(y - flow) > np.abs(y), y - flow, 0)  # see path.Local
        c, p = self.corrector, -depth * respond(flow + left)
        self.predictor = p
        tanh = np.array([equations.ctx.tanh(x) for x in self.v], dtype=object)
        slope = 1 + (depth - 1) * tanh**2
        self.relative, self.curvature = tanh / slope, tanh * (k + 2 * depth / slope)
        bend = self.curvature + k * tanh
        terms = (
            (c * c, 0, 0),
            (c * p, depth * c, -depth * left),
            (p * p, 2 * depth * p, depth**2 * (flow + left)),
        )
        self.second = tuple(k * tanh * u - respond(matrix @ (r_v * (bend * u + w)) + x) for u, w, x in terms)
        return self

    def log_r(self, v: np.ndarray, s) -> np.ndarray:
        ctx, depth = self.equations.ctx, self.depth
        sizes = [
            abs(a * ctx.sinh(x)) * ctx.cosh(x) ** (depth - 1) for a, x in zip(self.equations.amplitude, v, strict=True)
        ]
        return np.array([ctx.log(x) + depth * s if x else ctx.mpf("-1e300") for x in sizes], dtype=object)

    def at_log_r(self, j: np.ndarray, log_r: np.ndarray, s) -> np.ndarray:
        ctx, depth = self.equations.ctx, self.depth
        sizes = [ctx.exp(x - depth * s) / a for x, a in zip(log_r, self.equations.amplitude[j], strict=True)]
        return np.array([ctx.asinh(precise.root(ctx, depth, x)) for x in sizes], dtype=object)


def argmin_precise(A, y, log_a, depth, digits, a, progress):  # noqa: N803
    """Return the ``Minimum`` to ``digits`` digits; see ``argmin_potential``."""
    began = time.perf_counter()
    context(digits)  # refuses what is not a positive integer
    if a is None:
        raise BadInput("with digits= give the exact a_j = alpha |eta_j| as a=: logarithms in float64 have 16 digits")
    if hasattr(A, "adjoint"):
        A = np.array(list(FromObject(A).rows()))  # noqa: N806
    matrix, y, a = exact.array(A, "A", ndim=2), exact.array(y, "y", ndim=1), exact.array(a, "a", ndim=1)
    log_a = logarithms(a)
    if len(a) != matrix.shape[1] or len(y) != matrix.shape[0]:
        raise BadInput(f"A of shape {matrix.shape} does not fit y of shape {y.shape} and a of shape {a.shape}")
    # a_j^L cosh^(2L-2) and the distance to the end of the domain span 2 L powers of alpha, rho being of unit size
    span = math.ceil(2 * depth * np.abs(log_a - unit_size(matrix, y)[2] / depth).max() / math.log(10))

    @functools.cache
    def at(accuracy: int) -> Equations:
        return Equations(matrix, y, a, depth, context(accuracy + span + 2 * _GUARD), accuracy)

    if not any(y):
        nothing = zeros(at(digits))
        return finish(PreciseStep(at(digits), nothing), nothing == 0, digits, 0, began)
    steps = 0
    for accuracy in (digits, 2 * digits + 40):
        v, noise, used, count = solve(at, matrix, y, log_a, accuracy, progress)
        steps += count + 1
        check = PreciseStep(at(used + max(20, accuracy // 5)), v)
        try:
            return finish(check, noise, digits, steps, began)
        except NotConverged:
            if accuracy > digits:  # once more: what is tiny but not 0 takes more digits to be told from 0
                raise


def solve(at, matrix, y, log_a, digits, progress) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Return what ``newton`` returns, from a float64 answer, or else from the path in high precision."""
    steps, depth = 0, at(20).depth
    for data in ("as given", "in the basis of the answer"):
        try:
            if data == "as given":
                start, units = nearby(matrix, y, log_a, depth, progress)
            else:
                start, units = nearby(*in_basis(at(40), start.rho), log_a, depth, progress)
            steps += start.steps
            v, noise, accuracy, count = newton(at, start_v(at(20), start, units), digits)
            return v, noise, accuracy, steps + count
        except NotConverged:
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


def nearby(matrix: np.ndarray, y: np.ndarray, log_a: np.ndarray, depth: int, progress):
    """Return the float64 answer with rows and y of unit size, whatever their size, and log a in its units."""
    from symbias.numeric.minimize import argmin_potential

    rows, right, log_size = unit_size(matrix, y)
    log_a = log_a - log_size / depth
    return argmin_potential(rows, right, log_a, depth, progress=progress), log_a


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


def logarithms(a: np.ndarray) -> np.ndarray:
    """Return log a_j in float64, a_j of any size; BadInput unless they are positive."""
    ctx = context(30)
    values = exact.to_precise(a, ctx)
    for j, value in enumerate(values):
        if not value > 0:
            raise BadInput(f"a[{j}] = {a[j]}: every a_j = alpha |eta_j| must be positive")
    return np.array([float(ctx.log(value)) for value in values])


def zeros(equations: Equations) -> np.ndarray:
    return np.full(len(equations.a), equations.ctx.mpf(0), dtype=object)


def start_v(equations: Equations, start, log_a: np.ndarray) -> np.ndarray:
    """Return v = asinh q of a float64 answer, from log|rho| where rho or q underflow."""
    ctx = equations.ctx
    v = zeros(equations)
    log_h = start.log_rho - equations.depth * log_a
    signs = np.where(start.rho != 0, np.sign(start.rho), np.sign(start.root))
    for j in np.flatnonzero(signs):
        v[j] = int(signs[j]) * ctx.asinh(precise.root(ctx, equations.depth, ctx.exp(log_h[j])))
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
        if not step.miss <= 5.0 / step.depth:
            raise NotConverged(f"Newton's step changes asinh q by {step.miss:.2g}: the start is not near the answer")
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
    depth, ctx = equations.depth, equations.ctx
    h = PreciseStep(equations, zeros(equations)).corrector
    s = max(ctx.mpf(0), ctx.log(max(abs(x) for x in h) / 0.3) / depth)
    last, count = follow(PreciseLinearise(equations), h * ctx.exp(-depth * s), s, ctx.mpf(0), depth, progress)
    return last.v + last.corrector, count


def finish(step: PreciseStep, noise: np.ndarray, digits: int, steps: int, began: float):
    """Make the record from a step at higher precision, whose own correction shows the digits that were reached."""
    from symbias.numeric.minimize import Minimum

    equations, depth = step.equations, step.depth
    ctx = equations.ctx
    v = step.v + step.corrector
    vanishing = step.noise()
    noise = noise | vanishing | np.array(step.v == 0, dtype=bool)
    for j in np.flatnonzero(noise):
        # what is 0 shrinks with the working precision, which has at least 20 digits more here
        if abs(v[j]) > abs(step.v[j]) * ctx.mpf(10) ** -10 and (step.v[j] or not vanishing[j]):
            raise NotConverged(f"rho[{j}] is tiny beside the others but not 0; ask for more digits")
        v[j] = ctx.mpf(0)
    root = np.array([ctx.sinh(x) for x in v], dtype=object)
    rho = np.array(
        [a * q * ctx.sqrt(1 + q * q) ** (depth - 1) for a, q in zip(equations.amplitude, root, strict=True)],
        dtype=object,
    )
    missed = max(abs(x) for x in equations.matrix @ rho - equations.y) / (max(abs(x) for x in equations.y) or 1)
    end = precise.c(ctx, depth)
    off = ctx.mpf(0)
    for value, amplitude, width, dual in zip(rho, equations.amplitude, equations.width, step.dual, strict=True):
        if value:
            t = precise.h_inverse(ctx, depth, value / amplitude)
            off = max(off, abs(t - width * dual) / min(abs(t), end - abs(t)))
    tolerance = public(ctx.mpf(10) ** -digits, 5)
    residuals = (
        Residual("feasibility", public(missed, 5), tolerance, "max |y|"),
        Residual("stationarity", public(off, 5), tolerance, "min(|t|, c - |t|) of every coordinate"),
        Residual("change at higher precision", public(ctx.mpf(10) ** step.log_change(noise), 5), tolerance, "|rho_j|"),
    )
    log_rho = np.array([ctx.log(abs(x)) if x else ctx.ninf for x in rho], dtype=object)
    return Minimum(
        rho=public(rho, digits),
        root=public(root, digits),
        log_rho=public(log_rho, digits),
        nu=public(step.mu, digits),
        residuals=residuals,
        steps=steps,
        digits=digits,
        seconds=time.perf_counter() - began,
    )

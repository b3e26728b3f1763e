"""The runs behind ``sb.simulate``: each yields one ``Point`` a recorded time."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from symbias import exact
from symbias.dynamics.reduced import PreciseReducedFlow, ReducedFlow
from symbias.errors import HypothesisFails, NotConverged
from symbias.numeric.collocation import Steps
from symbias.numeric.descent import StepCorrection, descend
from symbias.numeric.integrate import FullFlow, crossing, march, scale_of_blocks
from symbias.numeric.losses import LOSSES
from symbias.numeric.products import Hadamard
from symbias.numeric.taylor import TaylorFlow
from symbias.precision import context, public
from symbias.problem import Problem
from symbias.theorems.spectral import Frame, frame

_FOREVER = 1e300
_EPS = np.finfo(float).eps
_EVERY = 10  # steps between two looks for a stall, which cost a right-hand side


@dataclass(frozen=True)
class Point:
    """One recorded time of a run; ``rhs`` is what it cost up to here."""

    time: Any
    beta: Any
    blocks: Any
    log10_loss: float
    rhs: int
    correction: Any = None


@dataclass(frozen=True)
class Stop:
    """Where a run ends and what it records: every step (``times`` None), or the given times."""

    until: float | None
    log10_loss: float | None
    times: tuple[float, ...] | None

    @property
    def end(self) -> float:
        """The last time that may be reached."""
        if self.times is not None:
            return self.times[-1]
        return _FOREVER if self.until is None else self.until

    def reached(self, log10_loss: float) -> bool:
        """True where the loss is as small as asked."""
        return self.log10_loss is not None and log10_loss <= self.log10_loss

    def part(self, first: Point, now: Point) -> float:
        """How far the run is, between 0 and 1."""
        parts = [0.0]
        if self.end != _FOREVER:
            parts.append(float(now.time / self.end))
        if self.log10_loss is not None and first.log10_loss > self.log10_loss:
            parts.append((first.log10_loss - now.log10_loss) / (first.log10_loss - self.log10_loss))
        return max(parts)


def full(problem: Problem, clock: str, stop: Stop, tolerance: float) -> Iterator[Point]:
    """The flow of all blocks in float64."""
    X, y = problem.data()
    blocks, loss = problem.start().blocks(), LOSSES[problem.task, clock](y)
    target = np.abs(y).max() if problem.task == "regression" else 1.0
    size = scale_of_blocks(problem.network.product, blocks, target)
    system = FullFlow(problem.network.product, X, loss, blocks, size, clock == "log_loss")
    watch = _Watch(system, math.sqrt(_EPS) * min(size, 1.0) ** max(len(blocks) - 1, 1), stop)

    def point(state, at, rhs, lost):
        parts = system.blocks(state)
        when = float(state[-1]) if clock == "log_loss" else at
        return Point(when, problem.network.product.beta(parts), parts, lost, rhs)

    yield from _float_run(system, stop, clock, tolerance, point, watch.look)


def reduced(problem: Problem, clock: str, stop: Stop, tolerance: float) -> Iterator[Point]:
    """The reduced flow in float64."""
    coordinates = _reducible(problem)
    a = problem.start().scale() * np.abs(coordinates.eta[0])
    loss = LOSSES[problem.task, clock](problem.y_float)
    system = ReducedFlow(coordinates.A, a, problem.network.depth, loss, clock == "log_loss")

    def point(state, at, rhs, lost):
        parts = _blocks(problem, coordinates, *system.coordinates(state))
        beta = coordinates.decomposition.adjoint(system.coefficients(state)).reshape(problem.network.input_shape)
        when = float(state[-1]) if clock == "log_loss" else at
        return Point(when, beta, parts, lost, rhs)

    yield from _float_run(system, stop, clock, tolerance, point, lambda state: None)


def precise_full(problem: Problem, digits: int, stop: Stop) -> Iterator[Point]:
    """The flow of all blocks by the Taylor method."""
    ctx = _context(problem, digits)
    X, y = problem.data(ctx)
    product = problem.network.product
    flow = TaylorFlow(product, X, y, problem.start().blocks(ctx), digits + 3, problem.task)

    def point():
        blocks = flow.blocks()
        return Point(flow.user_time(), product.beta(blocks), blocks, flow.log10_loss(), flow.rhs)

    yield from _precise_run(flow, stop, point, stalls=True)


def precise_reduced(problem: Problem, digits: int, stop: Stop) -> Iterator[Point]:
    """The reduced flow in n unknowns, by the Taylor method."""
    ctx = _context(problem, digits)
    _reducible(problem)
    coordinates = frame(problem, ctx)
    a = problem.start().scale(ctx) * np.abs(coordinates.eta[0])
    flow = PreciseReducedFlow(coordinates.A, problem.data(ctx)[1], a, problem.network.depth, digits + 3, problem.task)

    def point():
        beta = coordinates.decomposition.adjoint(flow.rho(), ctx).reshape(problem.network.input_shape)
        blocks = _blocks(problem, coordinates, *flow.coordinates(), ctx)
        return Point(flow.user_time(), beta, blocks, flow.log10_loss(), flow.rhs)

    yield from _precise_run(flow, stop, point, stalls=False)


def descent(problem: Problem, step: float, iterations: int) -> Iterator[Point]:
    """Gradient descent on all blocks: about 500 recorded iterations, spread evenly at first and then geometrically."""
    X, y = problem.data()
    blocks, product = problem.start().blocks(), problem.network.product
    flow = FullFlow(product, X, LOSSES[problem.task, "time"](y), blocks, 1.0)
    correction = None
    if isinstance(product, Hadamard) and len(blocks) == 2 and (np.abs(blocks[0]) > np.abs(blocks[1])).all():
        correction = StepCorrection(blocks[0], blocks[1], step)
    recorded = {0, iterations} | {round(k) for k in np.geomspace(1, max(iterations, 1), 500)}
    for k, state in descend(flow, step, iterations):
        if k in recorded:
            found = None if correction is None else correction.record()
            beta = flow.coefficients(state)
            yield Point(k * step, beta, flow.blocks(state), flow.log10_loss(state), k, found)
        if correction is not None:
            correction.add(flow.loss.residual(flow.outputs(state)) @ flow.X)


def columns(problem: Problem, points: list[Point], digits: int | None) -> dict[str, Any]:
    """The points as the columns of a Trajectory."""

    def stack(values):
        made = np.array(values)
        return made if digits is None else public(made, digits)

    product, first = problem.network.product, points[0].blocks
    return {
        "times": stack([p.time for p in points]),
        "coefficients": stack([p.beta for p in points]),
        "blocks": tuple(stack(list(block)) for block in zip(*(p.blocks for p in points), strict=True)),
        "log10_loss": np.array([p.log10_loss for p in points]),
        "drift": np.array([float(product.drift(first, p.blocks)) for p in points]),
        "rhs": points[-1].rhs,
        "correction": points[-1].correction,
    }


def _float_run(system, stop, clock, tolerance, point, look):
    """March; yield the steps or the times asked for; end at the loss asked for, located inside its step."""
    look(system.start)
    lost = system.log10_loss(system.start)
    yield point(system.start, 0.0, 0, lost)
    if stop.reached(lost):
        return
    # with the clock "log_loss" the solver runs in a rescaled time of its own
    end = stop.end if clock == "time" else _FOREVER
    wanted = [] if stop.times is None else list(stop.times)
    for step in march(system, end, tolerance if clock == "log_loss" else tolerance / 10):
        while wanted and abs(wanted[0]) <= abs(step.time):
            at = wanted.pop(0)
            state = step.inside((at - step.before) / (step.time - step.before))
            yield point(state, at, step.rhs, system.log10_loss(state))
        lost = system.log10_loss(step.state)
        low = stop.reached(lost)
        if low or (clock == "log_loss" and step.state[-1] >= stop.end):
            done = (
                (lambda state: stop.reached(system.log10_loss(state))) if low else (lambda state: state[-1] >= stop.end)
            )
            at, state = crossing(step, done)
            yield point(state, at, step.rhs, system.log10_loss(state))
            return
        if stop.times is None:
            yield point(step.state, step.time, step.rhs, lost)
        look(step.state)


def _precise_run(flow, stop, point, stalls):
    yield point()
    if stop.times is not None:
        for at in stop.times:
            flow.advance_to(Fraction(at))
            yield point()
        return
    if stop.until is None:
        steps = Steps(flow) if stalls else None
        while not stop.reached(flow.log10_loss()):
            if steps is None:
                flow.step()
            else:
                flow.refuse_stall()
                before = flow.time
                steps.advance()
                if flow.time == before:  # a trial that was not accepted
                    continue
            yield point()
        return
    end = Fraction(stop.until)
    while flow.time != end * flow.tied.speed and not stop.reached(flow.log10_loss()):
        flow.step(end)
        yield point()


class _Watch:
    """Raises where the velocity has vanished relative to the residual: a saddle, or targets that cannot be met."""

    def __init__(self, system: FullFlow, least: float, stop: Stop):
        self.system, self.least, self.fastest = system, least, 0.0
        self.idle = stop.end != _FOREVER  # with a last time, a flow that rests is a result
        self.looks = 0

    def look(self, state) -> None:
        self.looks += 1
        if self.idle or self.looks % _EVERY != 1:
            return
        speed = float(np.abs(self.system.unscaled(state)).max())
        r = float(np.abs(self.system.loss.residual(self.system.outputs(state))).max())
        if not r:
            return
        self.fastest = max(self.fastest, speed / r)
        if speed / r <= self.least * self.fastest:
            raise NotConverged(
                f"the flow stalls at the loss {10 ** self.system.log10_loss(state):.6g}: it has met a saddle, or the "
                "targets cannot be met; start elsewhere, or give until= to see it rest"
            )


def _reducible(problem: Problem) -> Frame:
    """The problem's coordinates, if its initialization is that of the reduced flow."""
    coordinates = frame(problem)
    eta = [np.abs(e) for e in coordinates.eta]
    scale = eta[0].max()
    largest = max(np.abs(e - eta[0]).max() for e in eta[:-1])
    largest = max(largest, eta[-1].max(), *coordinates.outside)
    if largest > 64 * _EPS * scale:
        raise HypothesisFails(
            f"the reduced flow needs |U_l^T v̄_l| equal for l < L and v̄_L = 0, which fail by {largest / scale:.2e}: "
            "start from sb.Initialization.theorem_5, or simulate the full flow"
        )
    return coordinates


def _blocks(problem, coordinates, first, last, ctx=None):
    """The network's blocks with coordinates a p (l < L) and a q, with the signs of its initialization."""
    signs = [np.where(e < 0, -1, 1) for e in coordinates.eta[:-1]]
    etas = [sign * first for sign in signs] + [np.prod(signs, axis=0) * last]
    shapes = problem.network.block_shapes
    return [coordinates.decomposition.block(eta, layer, ctx).reshape(shapes[layer]) for layer, eta in enumerate(etas)]


def _context(problem, digits):
    log_alpha = abs(problem.start().log_alpha()) / math.log(10)
    return context(digits + 40 + int(2 * problem.network.depth * log_alpha))


def default_loss(problem: Problem, digits: int | None, clock: str) -> float:
    """The log10 of the loss at which a run without ``until``, ``times`` and ``log10_loss`` ends."""
    if problem.task == "classification":
        return -100.0 if clock == "log_loss" else -6.0
    top = max(abs(v) for v in exact.to_precise(problem.y, context(20)))
    size = float(context(20).log10(top)) if top else 0.0
    return 2 * size - (20.0 if digits is None else float(digits))

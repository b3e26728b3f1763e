"""Flows in float64: a stiff solver with the exact Jacobian, moved step by step.

LSODA integrates through NaN and calls it finished, and its event handling did not return on two inputs: here every
right-hand side is checked, every step is seen by the caller, and events are located on the caller's side.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from symbias.errors import NotConverged
from symbias.numeric.losses import Loss
from symbias.numeric.products import Product


class System(Protocol):
    """What can be integrated: a state, its velocity and the Jacobian of that."""

    start: np.ndarray
    scales: np.ndarray  # sizes below which an entry of the state counts as zero

    def velocity(self, state: np.ndarray) -> np.ndarray: ...
    def jacobian(self, state: np.ndarray) -> np.ndarray: ...


#: A step this small against the time has lost digits of the time: the solver starts anew, its clock at zero.
_RESTART = 1e-8
#: Growth of the velocity beyond which it counts as infinite.
_BLOW_UP = 1e100


#: LSODA divides by the absolute tolerances: below this they are no input for it.
_SMALLEST = 1e3 * np.finfo(float).tiny

#: Steps times the fastest rate that the stability of a non-stiff method bounds.
_STABLE = (0.1, 10.0)

_REFUSALS = 40  # times in a run that a step is shortened tenfold because its velocity was not finite


class _NotFinite(Exception):
    """The velocity of a trial state, or its slopes, are not finite."""


@dataclass
class Step:
    """One accepted step: ``inside(part)`` interpolates the state, part 0 at ``before`` and 1 at ``time``."""

    before: float
    time: float
    state: np.ndarray
    inside: Callable[[float], np.ndarray]
    rhs: int


def march(system: System, end: float, tolerance: float, stiff: bool = False) -> Iterator[Step]:
    """Integrate ``system``, which does not depend on time, from time 0 towards ``end`` and yield every step.

    ``tolerance`` is the relative error allowed in a step, for entries above their ``scales``; ``end`` may be negative.
    ``stiff``: by Radau's method from the first step on, where LSODA does not see that the flow is stiff.

    Raises
    ------
    NotConverged
        The flow blows up, its velocity is not finite, or the solver cannot go on: the time is named.
    """
    from scipy.integrate import LSODA, Radau

    passed, rhs, state, last, refused = 0.0, 0, system.start, np.inf, 0
    with np.errstate(over="ignore", invalid="ignore"):  # judged by the first call of velocity()
        limit = _BLOW_UP * (1 + np.abs(system.velocity(state)).max())

    def velocity(t, state):
        moved = system.velocity(state)
        if not np.abs(moved).max() < limit:  # a NaN is not
            raise _NotFinite
        return moved

    def slopes(t, state):
        found = system.jacobian(state)
        if stiff and not np.isfinite(found).all():  # Radau's linear algebra has no words of its own for it
            raise _NotFinite
        return found

    def fail(what, t):
        return NotConverged(
            f"{what} at time {passed + t:.6g}: the flow blows up there (ask for an earlier time), or its scales are "
            "beyond floats (ask for digits)"
        )

    while True:
        left = end - passed
        # a trial state may overflow: velocity() refuses it, and the solver starts anew with a shorter step
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            try:
                speed = (np.abs(velocity(0.0, state)) / (np.abs(state) + system.scales)).max()
                first = min(abs(left), np.sqrt(tolerance) / speed) if speed > 0 else abs(left)
                if not first > 0:
                    raise _NotFinite
                solver = (Radau if stiff else LSODA)(
                    velocity,
                    0.0,
                    state,
                    left,
                    rtol=tolerance,
                    atol=np.maximum(tolerance * system.scales, _SMALLEST),
                    jac=slopes,
                    first_step=min(first, last if not refused else 0.1 * last),
                )
            except _NotFinite:
                raise fail("the velocity is not finite", 0.0) from None
        while solver.status == "running":
            before = solver.t
            try:
                with np.errstate(over="ignore", invalid="ignore"):
                    message = solver.step()
            except _NotFinite:
                refused += 1
                if refused > _REFUSALS:
                    raise fail("the velocity is not finite", before) from None
                solver.t = before
                break
            if solver.status == "failed":
                raise fail(f"the integration stops ({message})", solver.t)
            state, last = solver.y.copy(), abs(solver.t - before)
            inside = _interpolation(solver.dense_output(), before, solver.t)
            yield Step(passed + before, passed + solver.t, state, inside, rhs + solver.nfev)
            if last < _RESTART * abs(solver.t):
                break
        passed, rhs = passed + solver.t, rhs + solver.nfev
        if solver.status != "running" or passed == end:
            return


def afresh(system: System, end: float, tolerance: float, count: int = 500) -> Iterator[Step]:
    """``march`` without an end of its own, with a fresh solver every ``count`` steps; ``system.start`` moves along.

    LSODA can settle in its non-stiff method with steps a million times too short. A fresh one may find the stiff method
    again; where the error of its steps is below rounding it does not. So where its last step is about as long as
    stability lets it be, Radau's method has a turn.
    """
    stiff = False
    while True:
        for steps, step in enumerate(march(system, end, tolerance, stiff)):
            yield step
            if steps == count:
                break
        system.start = step.state
        stiff = not stiff and _held_back(system, step)


def _held_back(system: System, step: Step) -> bool:
    """True when the step is about as long as the stability of a non-stiff method lets it be."""
    with np.errstate(over="ignore", invalid="ignore"):  # judged next
        slopes = system.jacobian(step.state)
    if not np.isfinite(slopes).all():
        return False
    rates = np.linalg.eigvals(slopes)
    return bool(_STABLE[0] < np.abs(rates).max() * abs(step.time - step.before) < _STABLE[1])


def _interpolation(dense, before, now):
    return lambda part: dense(before + part * (now - before))


def crossing(step: Step, reached, rounds: int = 60) -> tuple[float, np.ndarray]:
    """Return the time and state inside ``step`` where ``reached(state)`` becomes true, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(rounds):
        middle = 0.5 * (low + high)
        if reached(step.inside(middle)):
            high = middle
        else:
            low = middle
    return step.before + high * (step.time - step.before), step.inside(high)


class FullFlow:
    """The flow of all blocks, dv_l/dt = -d<X^T r, beta>/dv_l, as a system of one long state (the last entry: the time).

    With the clock "log_loss" the time is changed once more, by N = |Theta|^(L-2), so that the rates stay bounded while
    the blocks grow. The state carries the time that has passed, t or s (ds = loss dt).
    """

    def __init__(
        self, product: Product, X: np.ndarray, loss: Loss, blocks, tolerance_scale: float, scaled: bool = False
    ):
        self.product, self.X, self.loss, self.scaled = product, X.reshape(len(X), -1), loss, scaled
        self.shapes = [block.shape for block in blocks]
        ends = np.cumsum([block.size for block in blocks])
        self.cuts = [slice(end - block.size, end) for end, block in zip(ends, blocks, strict=True)]
        self.degree = max(getattr(product, "depth", len(blocks)) - 2, 0)
        flat = np.concatenate([block.ravel() for block in blocks])
        self.start = np.append(flat, 0.0)
        self.scales = np.append(np.full(len(flat), tolerance_scale), 1.0)

    def blocks(self, state):
        """Return the blocks of a state."""
        return [state[cut].reshape(shape) for cut, shape in zip(self.cuts, self.shapes, strict=True)]

    def coefficients(self, state):
        """Return beta of a state."""
        return self.product.beta(self.blocks(state))

    def outputs(self, state):
        """Return f(x_i) for every sample."""
        return self.X @ self.coefficients(state).ravel()

    def log10_loss(self, state):
        """Return log10 of the loss at a state."""
        return self.loss.log10(self.outputs(state))

    def velocity(self, state):
        moved = self.unscaled(state)
        norm = self._norm(state)
        return np.append(moved, 1.0) / norm

    def unscaled(self, state):
        """Return dTheta/dt (or dTheta/ds)."""
        blocks = self.blocks(state)
        beta = self.product.beta(blocks)
        g = (self.loss.residual(self.X @ beta.ravel()) @ self.X).reshape(beta.shape)
        return -np.concatenate([part.ravel() for part in self.product.gradients(blocks, g)])

    def jacobian(self, state):
        blocks = self.blocks(state)
        beta = self.product.beta(blocks)
        f = self.X @ beta.ravel()
        J = self.X @ self.product.jacobian(blocks)
        g = (self.loss.residual(f) @ self.X).reshape(beta.shape)
        inner = -J.T @ self.loss.slope(f) @ J - self.product.hessian(blocks, g)
        out = np.zeros((len(state), len(state)))
        out[:-1, :-1] = inner
        if self.scaled and self.degree:
            theta = state[:-1]
            fall = self.degree * theta / (theta @ theta)  # d log N / d Theta
            out[:, :-1] -= np.outer(np.append(self.unscaled(state), 1.0), fall)
            out /= self._norm(state)
        return out

    def _norm(self, state):
        return np.linalg.norm(state[:-1]) ** self.degree if self.scaled else 1.0


def scale_of_blocks(product: Product, blocks, target: float) -> float:
    """Return the size below which an entry of the blocks counts as zero, from the smallest and the largest^(1-L)."""
    sizes = product.sizes(blocks)
    if not sizes:
        return 1.0
    balance = target * max(1.0, *sizes) ** (1 - len(blocks)) if target else 1.0
    return float(min(*sizes, balance, 1.0))

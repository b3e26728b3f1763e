"""``sb.simulate``: the flow of a problem, full or reduced, in float64 or to any digits, and gradient descent."""

import math
import time
from collections.abc import Iterator

import numpy as np

from symbias import paths
from symbias.errors import BadInput
from symbias.precision import context
from symbias.problem import Problem
from symbias.trajectory import Trajectory

_FLOWS = ("full", "reduced", "descent")
_CLOCKS = ("time", "log_loss")


def simulate(
    problem: Problem,
    flow: str = "full",
    *,
    digits: int | None = None,
    clock: str = "time",
    until: float | None = None,
    times=None,
    log10_loss: float | None = None,
    tolerance: float = 1e-8,
    step: float | None = None,
    iterations: int | None = None,
    progress=None,
) -> Trajectory:
    """Integrate gradient flow dv_l/dt = -M(X^T r) o (v_1, .., v_{l-1}, I, v_{l+1}, .., v_L) from the initialization.

    Parameters
    ----------
    problem : Regression or Classification
        With an initialization.
    flow : "full", "reduced" or "descent"
        "full": all blocks. "reduced": nu' = -r(rho(nu)) in n unknowns, for Theorem 5's initialization.
        "descent": gradient descent on all blocks, with ``step`` and ``iterations``.
    digits : int, optional
        Correct decimal digits (Taylor method); float64 with a stiff solver and the exact Jacobian when None.
    clock : "time" or "log_loss"
        "log_loss" (classification, float64): the time s with ds = loss dt, for losses such as 10^(-40000000).
        The softmax weights are tempered beyond a margin of 10^5, which costs 10^-5 in the direction.
    until : float, optional
        The last time (negative: backwards). When None, the flow runs until ``log10_loss``.
    times : sequence of floats, optional
        Record the start and these increasing times (clock "time"); every step is recorded when None.
    log10_loss : float, optional
        Stop where the loss is 10^log10_loss. Default without ``until`` and ``times``: regression 20 decades
        (``digits`` decades) below the start, classification -6, or -100 with the clock "log_loss".
    tolerance : float
        Relative accuracy asked of float64 runs, for entries of the size of the smallest initial one.
    step, iterations : float, int
        For "descent".
    progress : Progress, optional

    Returns
    -------
    Trajectory
        A run that is interrupted (KeyboardInterrupt) returns what it has, with ``interrupted=True``.

    Raises
    ------
    NotConverged
        The flow stalls at a saddle (with the loss), blows up (with the time), or the step of gradient descent diverges.
    BadInput, HypothesisFails

    Accuracy
    --------
    float64: errors below 100 times ``tolerance``. ``digits``: every entry as large as the smallest initial one to that
    many.

    Source
    ------
    arXiv:2010.02501v3, section 2 (gradient flow); the reduced flow: derivations of Theorem 5.

    Examples
    --------
    >>> import symbias as sb
    >>> from symbias.simulate import simulate
    >>> net = sb.Diagonal(dim=2, depth=2)
    >>> problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha=1, eta=1))
    >>> path = simulate(problem, until=1.0)
    >>> path.coefficients.shape == (len(path.times), 2)
    True
    """
    began = time.perf_counter()
    _check(problem, flow, digits, clock, until, times, step, iterations)
    if digits is not None:
        context(digits)  # refuses what is no number of digits
    if until is None and times is None and log10_loss is None:
        log10_loss = paths.default_loss(problem, digits, clock)
    stop = paths.Stop(until, log10_loss, None if times is None else tuple(times))
    if flow == "descent":
        run = paths.descent(problem, step, iterations)  # type: ignore[arg-type]  # _check has seen both
    elif digits is not None:
        run = (paths.precise_full if flow == "full" else paths.precise_reduced)(problem, digits, stop)
    else:
        run = (paths.full if flow == "full" else paths.reduced)(problem, clock, stop, tolerance)
    points, interrupted = _collect(run, stop, progress)
    return Trajectory(
        flow=flow,
        task=problem.task,
        clock=clock,
        digits=digits,
        interrupted=interrupted,
        seconds=time.perf_counter() - began,
        **paths.columns(problem, points, digits),
    )


def _collect(run: Iterator[paths.Point], stop: paths.Stop, progress) -> tuple[list[paths.Point], bool]:
    """All points of a run, or those it reached before it was interrupted."""
    points: list[paths.Point] = []
    try:
        for point in run:
            points.append(point)
            if progress is not None:
                progress.update(stop.part(points[0], point))
    except KeyboardInterrupt:
        if not points:
            raise
        return points, True
    return points, False


def _check(problem, flow, digits, clock, until, times, step, iterations) -> None:
    """Refuse what does not fit together."""
    if not isinstance(problem, Problem):
        raise BadInput(f"simulate takes a Regression or a Classification, not {problem!r}")
    if flow not in _FLOWS:
        raise BadInput(f"flow = {flow!r}: choose one of {', '.join(_FLOWS)}")
    if clock not in _CLOCKS:
        raise BadInput(f"clock = {clock!r}: choose one of {', '.join(_CLOCKS)}")
    if clock == "log_loss" and (problem.task != "classification" or digits is not None or times is not None):
        raise BadInput(
            'the clock "log_loss" is for classification in float64, without times: leave digits and times out'
        )
    if flow == "descent":
        if step is None or iterations is None or not 0 < step < math.inf or iterations < 1:
            raise BadInput(
                f"descent needs step > 0 and iterations >= 1, not step = {step} and iterations = {iterations}"
            )
        if digits is not None or clock != "time" or until is not None or times is not None:
            raise BadInput(
                "descent runs in float64 for a number of iterations: leave digits, clock, until and times out"
            )
    elif step is not None or iterations is not None:
        raise BadInput('step and iterations belong to flow="descent": a flow chooses its own steps')
    if until is not None and times is not None:
        raise BadInput("give until or times, not both")
    if until is not None and not (math.isfinite(until) and until):
        raise BadInput(f"until = {until} must be a finite time, not zero")
    if times is not None:
        given = np.asarray(times, dtype=float)
        if (
            given.ndim != 1
            or not given.size
            or not np.isfinite(given).all()
            or not (np.diff(given, prepend=0) > 0).all()
        ):
            raise BadInput("times must be increasing positive numbers")

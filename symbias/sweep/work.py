"""What is done at one point of a sweep, in whatever process or machine it is sent to."""

import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from symbias.checks import check
from symbias.errors import SymbiasError
from symbias.problem import Problem
from symbias.sweep.grid import Point
from symbias.theorems import predict
from symbias.verdict import Result


def checked(problem: Problem, digits: int | None) -> Result:
    """The outcome of ``check``, to 30 digits when none are given."""
    return check(problem, digits=30 if digits is None else digits)


WORK: dict[str, Callable[[Problem, int | None], Result]] = {"predict": predict, "check": checked}


def evaluate(point: Point, work: str, digits: int | None) -> dict[str, Any]:
    """The result at one point, or the error that symbias answered with, as JSON values; and the seconds it took."""
    began = time.perf_counter()
    try:
        found: dict[str, Any] = {"result": WORK[work](point.problem(), digits).to_dict()}
    except SymbiasError as error:
        found = {"error": {"type": type(error).__name__, "message": str(error)}}
    return {**found, "seconds": round(time.perf_counter() - began, 6)}


def end_with_parent() -> None:
    """Make this worker end when its parent does, killed or not: a pool of the standard library would wait for ever."""

    def watch(parent) -> None:
        parent.join()
        os._exit(1)

    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=watch, args=(parent,), daemon=True).start()

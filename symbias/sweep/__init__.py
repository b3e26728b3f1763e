"""Sweeps: one prediction or check for every point of a grid, written to a file as it is finished.

A sweep that is killed at any moment resumes: what is in the file is neither lost nor computed again. Memory does not
grow with the number of points, but for one bit a point.
"""

from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from pathlib import Path
from queue import SimpleQueue

from symbias.errors import BadInput
from symbias.precision import valid_digits
from symbias.progress import Progress
from symbias.sweep.grid import Grid, Point
from symbias.sweep.journal import Journal
from symbias.sweep.table import Sweep
from symbias.sweep.work import WORK, evaluate

#: Points handed to the executor and not yet finished: enough to keep many workers busy, few enough to keep in memory.
WINDOW = 128


def sweep(
    grid: Grid, file: str | Path, *, digits: int | None = None, work: str = "predict", executor: Executor | None = None
) -> Sweep:
    """Predict or check every point of ``grid``, each written to ``file`` at once; resume what ``file`` already holds.

    A kill of any kind loses no finished line; a power cut loses at most the last second. A point that fails is recorded
    as its error, and the rest goes on.

    Parameters
    ----------
    grid : Grid
    file : path
        The results, one checksummed JSON line a point. Beside it a file ``.lock`` is made, and left.
    digits : int, optional
        As for ``predict`` and ``check``; None is float64 for ``predict`` and 30 digits for ``check``.
    work : "predict" or "check"
    executor : concurrent.futures.Executor, optional
        Where the points are computed: any pool of the standard library, loky's, dask's ``client.get_executor()``. The
        default is a pool of one process a core; a script that uses it needs ``if __name__ == "__main__":``.

    Returns
    -------
    Sweep
        The finished points, read from the file: ``table()``, or iterate.

    Raises
    ------
    BadInput
        ``file`` belongs to another sweep, is damaged other than in its last line, or is being written by another sweep.
    concurrent.futures.BrokenExecutor
        A worker died (out of memory, killed). What is finished is in the file: start the sweep again.

    Accuracy
    --------
    That of ``predict`` and ``check``; numbers are written so that they read back unchanged.

    Source
    ------
    The statements of arXiv:2010.02501v3 that ``predict`` chooses, point by point.

    Examples
    --------
    >>> import tempfile, concurrent.futures
    >>> from pathlib import Path
    >>> import symbias as sb
    >>> from symbias.sweep import Grid, sweep
    >>> grid = Grid({"one": ([[1, 2]], [1])}, networks=["diagonal"], depths=[2, 3], alphas=["0.01", 1])
    >>> with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(1) as threads:
    ...     done = sweep(grid, Path(folder) / "results.jsonl", executor=threads)
    ...     [(row["depth"], row["alpha"], round(float(row["coefficients"][1]), 6)) for row in done]
    [(2, '1/100', 0.498235), (2, '1', 0.40526), (3, '1/100', 0.499999), (3, '1', 0.409563)]
    """
    valid_digits(digits)
    if not isinstance(grid, Grid):
        raise BadInput(f"sweep takes a sb.Grid, not {grid!r}")
    if work not in WORK:
        raise BadInput(f"work must be one of {', '.join(WORK)}, not {work!r}")
    header = {"symbias": "sweep 1", "plan": grid.digest, "points": len(grid), "work": work, "digits": digits}
    with Journal(Path(file), header, grid) as journal:
        pending = (point for point in grid if not journal.has(point.index))
        first = next(pending, None)
        if first is not None:
            with own_pool() if executor is None else nullcontext(executor) as pool:
                _run(pool, chain([first], pending), journal, work, digits)
    return Sweep(Path(file))


def _run(pool: Executor, pending: Iterator[Point], journal: Journal, work: str, digits: int | None) -> None:
    """Compute the points with at most ``WINDOW`` of them under way, and write each as it is finished."""
    finished: SimpleQueue[Future] = SimpleQueue()
    under_way: dict[Future, Point] = {}
    total = journal.total
    with Progress("sweeping", total=total) as bar:
        try:
            for point in pending:
                future = pool.submit(evaluate, point, work, digits)
                under_way[future] = point
                future.add_done_callback(finished.put)
                if len(under_way) >= WINDOW:
                    _collect(finished.get(), under_way, journal)
                    bar.update(journal.finished)
            while under_way:
                _collect(finished.get(), under_way, journal)
                bar.update(journal.finished)
        finally:
            for future in under_way:
                future.cancel()


def _collect(future: Future, under_way: dict[Future, Point], journal: Journal) -> None:
    """Write one finished point; an error that symbias did not foresee is recorded like one that it did."""
    point = under_way.pop(future)
    error = future.exception()
    if isinstance(error, BrokenExecutor) or (error is not None and not isinstance(error, Exception)):
        raise error
    failed = {"error": {"type": type(error).__name__, "message": str(error)}}
    journal.append(point, future.result() if error is None else failed)


def own_pool(workers: int | None = None) -> AbstractContextManager[Executor]:
    """So many processes (or one a core), started afresh, since a fork would copy locks, and ending with this one."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    from symbias.sweep.work import end_with_parent

    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=end_with_parent)


__all__ = ["WINDOW", "WORK", "Grid", "Point", "Sweep", "own_pool", "sweep"]

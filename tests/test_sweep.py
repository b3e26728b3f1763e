"""Sweeps: resumed, torn, locked, with points that fail, on any executor, and in flat memory."""

import importlib.util
import json
import os
import pickle
import random
import subprocess
import sys
import time
import tracemalloc
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from symbias import BadInput, Diagonal, Initialization, NotDecomposable, Regression, predict
from symbias.sweep import Grid, Sweep, own_pool, sweep
from symbias.sweep.grid import seeded_start
from symbias.sweep.journal import Journal, records, sealed, unsealed
from symbias.sweep.lock import FileLock
from symbias.sweep.work import WORK

DATA = {"one": ([[1, 2]], [1])}
ROOT = Path(__file__).parents[1]


def small(**changes) -> Grid:
    return Grid(**{"data": DATA, "networks": ["diagonal"], "depths": [2, 3], "alphas": ["0.01", 1, 2.5], **changes})


class Here(Executor):
    """An executor that computes at once, in this thread."""

    def __init__(self):
        self.calls = 0

    def submit(self, fn, /, *args, **options):
        self.calls += 1
        future = Future()
        try:
            future.set_result(fn(*args, **options))
        except ZeroDivisionError as error:
            future.set_exception(error)
        return future


def points(path) -> list[int]:
    return [row["point"] for row in Sweep(path)]


def test_every_point_is_the_prediction_itself(tmp_path):
    done = sweep(small(), tmp_path / "s", digits=20, executor=Here())
    assert sorted(row["point"] for row in done) == list(range(6)) and len(done) == 6
    for row in done:
        net = Diagonal(2, row["depth"])
        alone = predict(Regression(net, *DATA["one"], Initialization.theorem_5(net, row["alpha"], 1)), digits=20)
        assert all(row["coefficients"] == alone.coefficients) and row["statement"] == alone.statement.id
        assert row["result"].residuals[0].holds and row["error"] is None
    assert "6 finished" in repr(done)


def test_check_is_a_work_too(tmp_path):
    done = sweep(small(depths=[2], alphas=[1]), tmp_path / "s", digits=15, work="check", executor=Here())
    assert [row["verdict"] for row in done] == ["holds"]


def test_the_seeds_vary_fastest_and_every_point_has_its_problem():
    grid = small(seeds=range(4))
    keys = [point.key() for point in grid]
    assert len(grid) == len(keys) == 24 and len({json.dumps(key) for key in keys}) == 24
    assert [key["seed"] for key in keys[:5]] == [0, 1, 2, 3, 0] and keys[0]["depth"] == keys[11]["depth"] == 2
    assert len({point.digest for point in grid}) == 24


@pytest.mark.parametrize(
    ("network", "shape", "depth"),
    [
        ("diagonal", (4,), 3),
        ("convolutional", (4,), 3),
        ("matrix_sensing", (3, 3), 2),
        ("fully_connected", (4,), 2),
        ("linear", (4,), 1),
        ("difference_of_powers", (4,), 2),
    ],
)
def test_a_seed_draws_the_same_exact_start_for_every_network(network, shape, depth):
    X = np.eye(3)[None] if len(shape) == 2 else [[1, 2, 3, 2]]
    point = Grid({"a": (X, [1])}, [network], [depth], ["0.5"], seeds=[7])[0]
    first, again = point.problem().initialization, point.problem().initialization
    for layer in range(len(first.directions)):
        assert np.array_equal(first.direction(layer), again.direction(layer))
    other = seeded_start(point.problem().network, point.alpha, 8)
    assert any(not np.array_equal(first.direction(k), other.direction(k)) for k in range(len(first.directions)))


def test_a_sweep_resumes_and_repeats_nothing(tmp_path):
    path, counter = tmp_path / "s", Here()
    sweep(small(), path, executor=counter)
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]))
    sweep(small(), path, executor=counter)
    assert counter.calls == 6 + 4 and sorted(points(path)) == list(range(6))
    before = path.read_bytes()
    sweep(small(), path, executor=counter)
    assert counter.calls == 10 and path.read_bytes() == before


def test_a_line_torn_at_any_byte_is_computed_again_and_nothing_else(tmp_path):
    path, counter = tmp_path / "s", Here()
    grid = small(depths=[2], alphas=[1, 2])
    sweep(grid, path, executor=counter)
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    last = len(whole) - len(lines[-1])
    for cut in [*range(len(lines[0])), *range(last, len(whole), 97), len(whole) - 1]:
        path.write_bytes(whole[:cut])
        counter.calls = 0
        sweep(grid, path, executor=counter)
        assert counter.calls == (1 if cut >= last else 2), cut
        assert sorted(points(path)) == [0, 1]
        assert path.read_bytes()[:last] == whole[:last] or cut < last


def test_a_last_line_with_wrong_bytes_is_torn_too(tmp_path):
    path = tmp_path / "s"
    sweep(small(), path, executor=Here())
    whole = path.read_bytes()
    path.write_bytes(whole[:-40] + b"\0" * 39 + b"\n")
    assert len(Sweep(path)) == 5
    sweep(small(), path, executor=Here())
    assert sorted(points(path)) == list(range(6))


def test_a_damaged_line_in_the_middle_is_named_and_the_file_left(tmp_path):
    path = tmp_path / "s"
    sweep(small(), path, executor=Here())
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"depth":', b'"Depth":')
    path.write_bytes(b"".join(lines))
    with pytest.raises(BadInput, match="line 3: its checksum is wrong"):
        sweep(small(), path, executor=Here())
    assert path.read_bytes() == b"".join(lines)
    del lines[2]
    path.write_bytes(b"".join(lines))
    sweep(small(), path, executor=Here())
    assert sorted(points(path)) == list(range(6))


@pytest.mark.parametrize("content", ["a,b,target\n1,2,1\n", "a,b,target", '{"symbias": "sweep 1"}\n'])
def test_a_file_of_something_else_is_left_as_it_is(tmp_path, content):
    path = tmp_path / "data.csv"
    path.write_text(content)
    with pytest.raises(BadInput, match="not the file of a sweep"):
        sweep(small(), path, executor=Here())
    assert path.read_text() == content


@pytest.mark.parametrize(
    ("change", "options"),
    [
        ({"alphas": ["0.01", 1, 2]}, {}),
        ({"data": {"one": ([[1, 2]], ["1.5"])}}, {}),
        ({"seeds": [0]}, {}),
        ({}, {"digits": 20}),
        ({}, {"work": "check"}),
    ],
)
def test_the_file_of_another_sweep_is_refused(tmp_path, change, options):
    sweep(small(), tmp_path / "s", executor=Here())
    with pytest.raises(BadInput, match="holds another sweep"):
        sweep(small(**change), tmp_path / "s", executor=Here(), **options)


def test_a_line_of_another_problem_and_a_point_twice_are_refused(tmp_path):
    path = tmp_path / "s"
    sweep(small(), path, executor=Here())
    lines = path.read_bytes().splitlines(keepends=True)
    record = unsealed(lines[1])
    path.write_bytes(b"".join([*lines, sealed({**record, "problem": "0" * 16}), lines[1]]))
    with pytest.raises(BadInput, match="of another problem"):
        sweep(small(), path, executor=Here())
    path.write_bytes(b"".join([*lines, lines[1], lines[2]]))
    with pytest.raises(BadInput, match="twice"):
        sweep(small(), path, executor=Here())


def test_a_failing_point_is_recorded_and_the_rest_goes_on(tmp_path):
    grid = small(depths=[1, 2], alphas=["1"])  # the diagonal network begins at depth 2
    done = sweep(grid, tmp_path / "s", executor=Here())
    assert [row["error"] is None for row in sorted(done, key=lambda row: row["point"])] == [False, True]
    assert done.errors()[0]["error"].startswith("BadInput: depth") and "1 of them errors" in repr(done)
    counter = Here()
    sweep(grid, tmp_path / "s", executor=counter)
    assert counter.calls == 0


def breaks(problem, digits):
    raise ZeroDivisionError("nobody foresaw this")


def test_an_error_nobody_foresaw_is_recorded_as_well(tmp_path, monkeypatch):
    monkeypatch.setitem(WORK, "predict", breaks)
    done = sweep(small(), tmp_path / "s", executor=Here())
    assert {row["error"] for row in done} == {"ZeroDivisionError: nobody foresaw this"} and len(done) == 6


class Dying(Executor):
    def submit(self, fn, /, *args, **options):
        future = Future()
        future.set_exception(BrokenExecutor("a worker died"))
        return future


def test_a_dead_worker_is_no_result(tmp_path):
    with pytest.raises(BrokenExecutor):
        sweep(small(), tmp_path / "s", executor=Dying())
    assert len(Sweep(tmp_path / "s")) == 0
    assert len(sweep(small(), tmp_path / "s", executor=Here())) == 6


@contextmanager
def another_process_holding(path: Path):
    """A process that holds the lock of ``path`` until it is killed."""
    program = (
        "import sys, time; from pathlib import Path; from symbias.sweep.lock import FileLock\n"
        "with FileLock(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", program, path], stdout=subprocess.PIPE, cwd=ROOT)
    try:
        assert holder.stdout.readline() == b"held\n"
        yield
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()


def test_a_second_sweep_on_one_file_is_refused(tmp_path):
    path = tmp_path / "s"
    with FileLock(path), pytest.raises(BadInput, match="another sweep"):
        sweep(small(), path, executor=Here())
    with another_process_holding(path), pytest.raises(BadInput, match="another sweep"):
        sweep(small(), path, executor=Here())
    assert len(sweep(small(), path, executor=Here())) == 6  # the killed process let go


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"networks": ["ring"]}, "no network is called 'ring'"),
        ({"networks": "diagonal"}, "networks must be a sequence"),
        ({"depths": []}, "depths is empty"),
        ({"depths": [2.5]}, "a depth must be a whole number"),
        ({"alphas": [0]}, "must be positive"),
        ({"alphas": ["ten"]}, "must be a number"),
        ({"seeds": ["a"]}, "a seed must be"),
        ({"task": "ranking"}, "task must be"),
        ({"data": {}}, "data is empty"),
        ({"data": [[1, 2]]}, "data must be a mapping"),
        ({"data": {"one": 3}}, "must be a pair"),
        ({"data": {"one": ([[float("nan")]], [1])}}, "must be finite"),
    ],
)
def test_a_bad_grid_is_refused_before_anything_is_written(change, says):
    with pytest.raises(BadInput, match=says):
        small(**change)


def test_bad_arguments_of_a_sweep_are_refused(tmp_path):
    with pytest.raises(BadInput, match="work must be one of"):
        sweep(small(), tmp_path / "s", work="guess")
    with pytest.raises(BadInput, match="digits"):
        sweep(small(), tmp_path / "s", digits=0)
    with pytest.raises(BadInput, match="cannot write"):
        sweep(small(), tmp_path / "no" / "s")
    with pytest.raises(BadInput, match="cannot read"):
        len(Sweep(tmp_path / "no"))
    assert not (tmp_path / "s").exists()


def test_the_table_is_pandas_where_it_is_installed_and_records_otherwise(tmp_path, monkeypatch):
    done = sweep(small(), tmp_path / "s", executor=Here())

    class Pandas:
        DataFrame = tuple

    monkeypatch.setitem(sys.modules, "pandas", None)
    rows = done.table()
    assert isinstance(rows, list) and [row["point"] for row in rows] == list(range(6))
    assert [row["log10_alpha"] for row in rows[:3]] == pytest.approx([-2, 0, np.log10(2.5)], rel=1e-15)
    monkeypatch.setitem(sys.modules, "pandas", Pandas)
    assert isinstance(done.table(), tuple)


# A plan of a million points, and of far more


def test_a_plan_of_any_length_takes_no_memory():
    tracemalloc.start()
    grid = small(seeds=range(10**12))
    assert len(grid) == 6 * 10**12 and grid[6 * 10**12 - 1].seed == 10**12 - 1
    walk = iter(small(seeds=range(10**6)))
    for _ in range(2000):
        next(walk)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500_000  # bytes: the axes and one point


class Nothing(Executor):
    """Answers at once, and with the same."""

    def submit(self, fn, /, *args, **options):
        future = Future()
        future.set_result({"error": {"type": "Nothing", "message": ""}, "seconds": 0.0})
        return future


def peak_memory(count: int, path: Path) -> int:
    grid = small(seeds=range(count), depths=[2], alphas=[1])
    tracemalloc.start()
    try:
        sweep(grid, path, executor=Nothing())
        assert len(sweep(grid, path, executor=Nothing())) == count
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_the_memory_of_a_sweep_does_not_grow_with_its_points(tmp_path):
    few, many = peak_memory(500, tmp_path / "few"), peak_memory(5000, tmp_path / "many")
    # Ten times the points: one bit each, and the noise of the collector. A list of them would add 4500 times 200 bytes.
    assert many < few + 100_000


def test_a_million_points_are_done_marked_in_a_bit_each(tmp_path):
    grid = small(seeds=range(10**6), depths=[2], alphas=[1])
    tracemalloc.start()
    with Journal(tmp_path / "s", {"symbias": "sweep 1"}, grid) as journal:
        journal.append(grid[999_999], {})
        assert journal.has(999_999) and not journal.has(999_998)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10**6 // 8 + 100_000


# Kills

KILLED = """
import os, random, signal, sys, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from symbias.sweep import Grid, sweep

path, draw = Path(sys.argv[1]), random.Random(1)
grid = Grid({"one": ([[1, 2]], [1])}, ["diagonal"], [2, 3], ["0.01", 1, 2.5], seeds=range(20))
kills = 0
while kills < 20:
    child = os.fork()
    if child == 0:
        with ThreadPoolExecutor(2) as pool:
            sweep(grid, path, executor=pool)
        os._exit(0)
    time.sleep(draw.uniform(0.001, 0.12))
    os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    if not os.WIFSIGNALED(status):  # it had finished: begin anew
        path.rename(f"{path}.{kills}")
    kills += os.WIFSIGNALED(status)
with ThreadPoolExecutor(2) as pool:
    sweep(grid, path, executor=pool)
print(kills)
"""


def without_seconds(row):
    return (row["point"], row["problem"], json.dumps(row["result"]["coefficients"]))


def test_a_sweep_killed_at_twenty_random_moments_loses_and_repeats_nothing(tmp_path):
    path = tmp_path / "s"
    ran = subprocess.run([sys.executable, "-c", KILLED, path], capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert ran.stdout == "20\n", ran.stderr
    grid = Grid(DATA, ["diagonal"], [2, 3], ["0.01", 1, 2.5], seeds=range(20))
    sweep(grid, tmp_path / "whole", executor=Here())
    wanted = [without_seconds(row) for _, row in list(records(tmp_path / "whole"))[1:]]
    files = [path, *tmp_path.glob("s.[0-9]*")]
    for file in files:
        assert sorted(without_seconds(row) for _, row in list(records(file))[1:]) == wanted


POOLED = """
import sys
from pathlib import Path
from symbias.sweep import Grid, sweep

if __name__ == "__main__":
    grid = Grid({"one": ([[1, 2]], [1])}, ["diagonal"], [2, 3], ["0.01", 1, 2.5], seeds=range(int(sys.argv[2])))
    sweep(grid, Path(sys.argv[1]))
"""


def children_of(pid: int) -> set[int]:
    """The processes below ``pid``, read from the /proc of Linux."""
    below = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            below.setdefault(int(stat.read_text().rpartition(")")[2].split()[1]), []).append(int(stat.parent.name))
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended while it was read
    found, todo = set(), [pid]
    while todo:
        inner = below.get(todo.pop(), [])
        found.update(inner)
        todo += inner
    return found


def test_the_workers_of_a_killed_sweep_end_and_the_sweep_resumes(tmp_path):
    path, script = tmp_path / "s", tmp_path / "script.py"
    script.write_text(POOLED)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    child = subprocess.Popen([sys.executable, script, path, "100000"], env=environment, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not (path.exists() and path.stat().st_size > 10_000):
        assert child.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    workers = children_of(child.pid)
    child.kill()
    child.communicate()
    assert workers
    while any(Path(f"/proc/{pid}").exists() for pid in workers):
        assert time.monotonic() < deadline, "a worker outlived the sweep"
        time.sleep(0.05)
    held = len(Sweep(path))
    # The same plan goes on from there: stop it after one more point.
    grid = Grid(DATA, ["diagonal"], [2, 3], ["0.01", 1, 2.5], seeds=range(100_000))
    header = next(records(path))[1]
    with Journal(path, header, grid) as journal:
        assert journal.finished == held and header["plan"] == grid.digest


# Executors


@contextmanager
def loky():
    from joblib.externals.loky import ProcessPoolExecutor

    with ProcessPoolExecutor(2) as pool:
        yield pool


@contextmanager
def dask():
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
        client.get_executor() as pool,
    ):
        yield pool


POOLS = {"standard threads": lambda: ThreadPoolExecutor(3), "standard processes": own_pool}
POOLS |= {name: pool for name, pool in (("joblib", loky), ("distributed", dask)) if importlib.util.find_spec(name)}


@pytest.mark.parametrize("name", POOLS)
def test_every_executor_gives_the_same(name, tmp_path):
    grid = small(depths=[1, 2, 3], seeds=[None, 1])
    sweep(grid, tmp_path / "alone", digits=20, executor=Here())
    with POOLS[name]() as pool:
        sweep(grid, tmp_path / "pool", digits=20, executor=pool)

    def shown(path):
        return sorted((r["point"], r["error"], str(r["coefficients"])) for r in Sweep(path))

    assert shown(tmp_path / "pool") == shown(tmp_path / "alone")


def test_an_error_passes_between_processes():
    error = pickle.loads(pickle.dumps(NotDecomposable("no", "S S^T = I", (1, 2))))
    assert (str(error), error.identity, error.entry) == ("no", "S S^T = I", (1, 2))


def test_the_stream_that_seeded_starts_rely_on_is_what_it_was():
    # Python promises to keep the sequence of random(): https://docs.python.org/3/library/random.html
    assert random.Random(5).random() == 0.6229016948897019

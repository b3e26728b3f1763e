"""The progress line: for a terminal only, redrawn at most ten times a second, gone at the end."""

import io
import sys
import time
from types import SimpleNamespace

import pytest

import symbias.progress
from symbias.progress import INTERVAL, Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    stream = Terminal()
    # Not sys.stderr itself: pytest puts its own there again before the test runs.
    monkeypatch.setattr(symbias.progress, "sys", SimpleNamespace(stderr=stream))
    monkeypatch.setenv("COLUMNS", "40")
    return stream


def frames(stream):
    """What a person saw, one entry a redraw."""
    return stream.getvalue().split("\r\x1b[K")[1:]


def test_nothing_is_written_when_stderr_is_not_a_terminal(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress("integrating") as bar:
        bar.update(0.5)
        bar.update("half")
    assert stream.getvalue() == ""


def test_no_stderr_at_all_is_no_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with Progress("integrating") as bar:
        bar.update(0.5)


def test_fractions_counts_and_texts_are_shown_and_the_line_is_cleared(terminal, monkeypatch):
    monkeypatch.setattr("symbias.progress.INTERVAL", 0)
    with Progress("integrating") as bar:
        bar.update(0.43)
        bar.update("t = 12")
    with Progress("points", total=8) as bar:
        bar.update(2)
        bar.update(9)
    shown = frames(terminal)
    assert shown[:4] == ["integrating", "integrating   43%", "integrating  t = 12", ""]
    assert shown[4:] == ["points", "points   25%", "points  100%", ""]


def test_a_line_never_wraps(terminal, monkeypatch):
    monkeypatch.setattr("symbias.progress.INTERVAL", 0)
    with Progress("integrating") as bar:
        bar.update("x" * 100)
    assert max(map(len, frames(terminal))) == 39


def test_redraws_are_limited_in_rate_and_calls_cost_little(terminal):
    calls = 100_000
    start = time.perf_counter()
    with Progress("integrating", total=calls) as bar:
        for step in range(calls):
            bar.update(step)
    seconds = time.perf_counter() - start
    assert 2 <= len(frames(terminal)) <= 2 + seconds / INTERVAL + 1
    # Measured 0.1 microseconds a call; a hundred times that still is negligible beside any step of an integrator.
    assert seconds / calls < 10e-6


def test_an_interrupt_passes_through_and_leaves_a_clear_line(terminal):
    with pytest.raises(KeyboardInterrupt), Progress("integrating"):
        raise KeyboardInterrupt
    assert frames(terminal)[-1] == ""

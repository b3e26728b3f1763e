"""What holds in every test: Hypothesis tries the same examples each time, no window opens, no global is changed."""

import os

import hypothesis
import mpmath
import pytest

# Before numpy is imported by any test: threads of the linear algebra only slow small matrices down.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")

# A deadline measures the machine, not the code.
hypothesis.settings.register_profile("symbias", derandomize=True, deadline=None)
hypothesis.settings.load_profile("symbias")


@pytest.fixture(autouse=True)
def global_precision_untouched():
    """House rule: nothing in symbias changes the precision of the caller's mpmath."""
    before = mpmath.mp.prec
    yield
    after, mpmath.mp.prec = mpmath.mp.prec, before
    assert after == before, f"the global precision of mpmath was left at {after} bits; it was {before}"

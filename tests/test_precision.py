"""Private contexts: mpmath's global precision is neither read nor changed, and numbers are rounded once."""

import threading

import mpmath
import numpy as np
import pytest

from symbias.errors import BadInput
from symbias.precision import adopt, context, public


def test_a_context_keeps_its_digits_whatever_the_global_precision():
    with mpmath.workdps(5):
        third = context(40).mpf(1) / 3
    # half a unit in the 40th digit
    assert abs(3 * third - 1) < context(40).mpf(10) ** -40
    assert mpmath.mp.dps == 15


def test_public_rounds_once_to_the_global_class():
    value = public(context(60).pi, 30)
    assert type(value) is mpmath.mpf
    with mpmath.workdps(60):
        error = abs(value / mpmath.pi - 1)
        # 30 digits, and not more: it was rounded
        assert mpmath.mpf(10) ** -40 < error < mpmath.mpf(10) ** -30
    array = public(np.array([[context(40).e]], dtype=object), 20)
    assert array.shape == (1, 1) and type(array[0, 0]) is mpmath.mpf


def test_adopt_rounds_to_the_precision_of_the_context():
    wide, narrow = context(50), context(10)
    assert adopt(narrow, wide.pi * 1) == narrow.pi * 1
    assert adopt(wide, 0.1) == wide.mpf(0.1) and adopt(wide, np.float64(0.1)) == wide.mpf(0.1)


def test_threads_do_not_share_contexts():
    seen = []
    thread = threading.Thread(target=lambda: seen.append(context(33)))
    thread.start()
    thread.join()
    assert seen[0] is not context(33) and context(33) is context(33)


@pytest.mark.parametrize("digits", [0, -1, 2.5, "20", True])
def test_digits_must_be_a_positive_integer(digits):
    with pytest.raises(BadInput, match="digits"):
        context(digits)

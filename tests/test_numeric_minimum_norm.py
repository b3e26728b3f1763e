"""The solution nearest to a point: by hand, against NumPy's pseudo-inverse, and its optimality."""

import mpmath
import numpy as np
import pytest

from symbias.errors import NotConverged
from symbias.numeric.minimum_norm import nearest
from symbias.precision import context


def test_one_sample_by_hand():
    np.testing.assert_allclose(nearest(np.array([[1.0, 2.0]]), np.array([1.0]), np.zeros(2)), [0.2, 0.4], rtol=4e-16)
    # from (1, 0): X z_0 = 1 = y already
    np.testing.assert_array_equal(nearest(np.array([[1.0, 2.0]]), np.array([1.0]), np.array([1.0, 0.0])), [1, 0])


def test_float64_agrees_with_the_pseudo_inverse():
    rng = np.random.default_rng(3)
    X, y, z = rng.standard_normal((4, 9)), rng.standard_normal(4), rng.standard_normal(9)
    expected = z + np.linalg.pinv(X) @ (y - X @ z)
    np.testing.assert_allclose(nearest(X, y, z), expected, rtol=0, atol=1e-13)  # condition about 5, sizes about 1


def test_forty_digits_satisfy_the_data_and_leave_the_row_space_only_along_the_start():
    ctx = context(60)
    X = np.array([[ctx.mpf(1), ctx.mpf(2), ctx.mpf(3)], [ctx.mpf(1), ctx.mpf(0), ctx.mpf(-1) / 7]], dtype=object)
    y, z = (
        np.array([ctx.mpf(1), ctx.mpf(2)], dtype=object),
        np.array([ctx.mpf(5), ctx.mpf(0), ctx.mpf(1)], dtype=object),
    )
    found = nearest(X, y, z, ctx)
    assert max(abs(X @ found - y)) <= ctx.mpf(10) ** -57
    normal = np.cross(X[0], X[1])
    assert abs(normal @ (found - z)) <= ctx.mpf(10) ** -56
    assert abs(normal @ (found + z)) > 1  # the control: another point fails


def test_dependent_rows_are_refused():
    with pytest.raises(NotConverged, match="singular"):
        nearest(np.array([[1.0, 2.0], [2.0, 4.0]]), np.array([1.0, 2.0]), np.zeros(2))
    ctx = context(30)
    rows = np.array([[mpmath.mpf(1), mpmath.mpf(0)], [mpmath.mpf(2), mpmath.mpf(0)]], dtype=object) * ctx.one
    with pytest.raises(NotConverged, match="singular"):
        nearest(rows, np.array([ctx.one, ctx.one], dtype=object), np.array([ctx.zero, ctx.zero], dtype=object), ctx)

"""Gram matrices, Cholesky factors and reduced rows of mpf, against exact rational arithmetic."""

import mpmath
import numpy as np
import pytest
import sympy

from symbias import exact
from symbias.errors import NotConverged
from symbias.numeric.linear_precise import Cholesky, gram, reduce
from symbias.precision import context

CTX = context(60)


def random_rational(shape, seed):
    rng = np.random.default_rng(seed)
    return exact.array(
        [
            [sympy.Rational(int(rng.integers(-99, 100)), int(rng.integers(1, 50))) for _ in range(shape[1])]
            for _ in range(shape[0])
        ],
        "data",
    )


def test_gram_of_graded_weights():
    A = random_rational((3, 6), 1)
    weights = [sympy.Rational(10) ** k for k in (40, -300, 0, 7, -7, 100)]
    expected = sympy.Matrix(A.tolist()) * sympy.diag(*weights) * sympy.Matrix(A.tolist()).T
    found = gram(
        exact.to_precise(A, CTX), np.array([CTX.mpf(10) ** k for k in (40, -300, 0, 7, -7, 100)], dtype=object), CTX
    )
    for i in range(3):
        for j in range(3):
            size = CTX.sqrt(found[i, i] * found[j, j])
            assert abs(found[i, j] - exact.precise(expected[i, j], CTX)) < size * CTX.mpf(10) ** -58


def test_cholesky_solves_one_and_several():
    A = random_rational((4, 7), 2)
    matrix = gram(exact.to_precise(A, CTX), np.array([CTX.mpf(1)] * 7, dtype=object), CTX)
    right = exact.to_precise(random_rational((4, 2), 3), CTX)
    solver = Cholesky(matrix, CTX)
    for columns in (right, right[:, 0]):
        assert max(abs(x) for x in (matrix @ solver.solve(columns) - columns).ravel()) < CTX.mpf(10) ** -52
    with pytest.raises(NotConverged, match="singular"):
        Cholesky(np.array([[CTX.mpf(1), CTX.mpf(1)], [CTX.mpf(1), CTX.mpf(1)]], dtype=object), CTX)


def test_reduce_solves():
    square, right = random_rational((3, 3), 4), random_rational((3, 2), 5)
    found = reduce(exact.to_precise(np.hstack([square, right]), CTX), CTX)[:, 3:]
    expected = sympy.Matrix(square.tolist()).inv() * sympy.Matrix(right.tolist())
    for i in range(3):
        for j in range(2):
            assert mpmath.almosteq(found[i, j], exact.precise(expected[i, j], CTX), 1e-50)
    with pytest.raises(NotConverged, match="singular"):
        reduce(np.array([[CTX.mpf(0), CTX.mpf(1)]], dtype=object), CTX)

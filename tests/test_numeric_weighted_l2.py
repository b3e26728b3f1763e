"""min sum w rho^2: exact, float64 and any precision, against the normal equations."""

import mpmath
import numpy as np
import pytest
import sympy

from symbias.errors import BadInput, NotConverged
from symbias.numeric import weighted_l2 as module
from symbias.numeric.weighted_l2 import Interpolant, weighted_l2
from symbias.verdict import Residual

R = sympy.Rational


def test_exact_by_hand():
    # x = (1, 2), y = 1: (0.2, 0.4) is the paper's l2 minimum; weights (1, 4) make it (1, 1/2)/2
    assert weighted_l2([[1, 2]], [1], [1, 1]).exact.tolist() == [R(1, 5), R(2, 5)]
    assert weighted_l2([[1, 2]], [1], [1, 4]).exact.tolist() == [R(1, 2), R(1, 4)]


def test_exact_with_square_roots():
    found = weighted_l2([[1, sympy.sqrt(2)]], [1], [1, 1])
    assert [sympy.simplify(x - y) for x, y in zip(found.exact, [R(1, 3), sympy.sqrt(2) / 3], strict=True)] == [0, 0]


@pytest.mark.parametrize("digits", [None, 30])
def test_normal_equations(digits):
    rng = np.random.default_rng(1)
    A, y, w = rng.standard_normal((4, 9)), rng.standard_normal(4), np.exp(rng.standard_normal(9))
    found = weighted_l2(A, y, w, digits)
    gram = sympy.Matrix((A / w).tolist()) * sympy.Matrix(A.tolist()).T
    expected = (A.T / w[:, None]) @ np.linalg.solve(np.array(gram, dtype=float), y)
    # condition of the Gram matrix, about 30, times eps
    np.testing.assert_allclose(found.rho.astype(float), expected, rtol=1e-12)
    np.testing.assert_allclose(2 * w * found.rho.astype(float), A.T @ found.nu.astype(float), rtol=1e-12)


def test_exact_and_precise_agree():
    A, y, w = [["0.3", "1.7", "-2"], [1, "0.25", 3]], [1, "0.5"], [1, "2.5", "0.1"]
    exact, precise = weighted_l2(A, y, w).exact, weighted_l2(A, y, w, digits=40).rho
    with mpmath.workdps(50):
        for p, q in zip(exact, precise, strict=True):
            assert abs(mpmath.mpf(int(p.p)) / int(p.q) / q - 1) < mpmath.mpf(10) ** -39


@pytest.mark.parametrize("digits", [None, 25])
def test_weights_over_200_orders_of_magnitude(digits):
    rng = np.random.default_rng(2)
    A, y = rng.standard_normal((3, 6)), rng.standard_normal(3)
    found = weighted_l2(A, y, 10.0 ** np.linspace(-100, 100, 6), digits)
    rho = found.rho.astype(float)
    # the three lightest carry y
    np.testing.assert_allclose(rho[:3], np.linalg.solve(A[:, :3], y), rtol=1e-12)
    assert 0 < np.abs(rho[5]) < 1e-100


def test_y_zero():
    assert not weighted_l2([[1.0, 2.0]], [0.0], [1.0, 1.0]).rho.any()
    assert weighted_l2([[1, 2]], [0], [1, 1]).exact.tolist() == [0, 0]


def test_a_missed_constraint_is_refused(monkeypatch):
    with pytest.raises(NotConverged, match="feasibility"):
        Interpolant(rho=np.ones(2), nu=np.ones(1), residuals=(Residual("feasibility", 1e-3, 1e-12),))
    exact = module.exact.to_precise

    def off(values, ctx):
        return exact(values, ctx) * (1 + (ctx.dps > 70) * ctx.mpf(10) ** -12 * (values.ndim == 1))

    monkeypatch.setattr(module.exact, "to_precise", off)
    with pytest.raises(NotConverged, match="change at higher precision"):
        weighted_l2([[1, 2]], [1], [1, 3], digits=20)


@pytest.mark.parametrize(
    ("A", "y", "w", "digits", "match"),
    [
        ([[1, 2], [2, 4]], [1, 2], [1, 1], None, "rank 1"),
        ([[1.0, 2], [2, 4]], [1, 2], [1, 1], None, "rank 1"),
        ([[1, 2], [2, 4]], [1, 2], [1, 1], 20, "dependent"),
        ([[1, 2]], [1], [1, 0], None, r"weights\[1\] = 0"),
        ([[1, 2]], [1], [1, 1, 1], None, "shape"),
        ([[1, np.inf]], [1], [1, 1], None, r"A\[0, 1\]"),
    ],
)
def test_bad_input_is_named(A, y, w, digits, match):  # noqa: N803
    with pytest.raises(BadInput, match=match):
        weighted_l2(A, y, w, digits)

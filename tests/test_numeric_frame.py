"""Frames: the heaviest basis, exact zeros of heavy columns in light rows, small systems with exact residuals."""

from fractions import Fraction

import numpy as np
import pytest

from symbias.numeric.curves import EqualLayers
from symbias.numeric.exact_residual import product_error, residual, solve_exactly
from symbias.numeric.frame import DenseFrame, choose
from symbias.numeric.operators import Dense
from symbias.numeric.scaled import power_of_two, rescale


def test_the_basis_is_the_heaviest_and_the_matrix_its_coordinates():
    rng = np.random.default_rng(1)
    A, y = rng.standard_normal((4, 10)), rng.standard_normal(4)
    frame = choose(A, y, np.arange(10.0) * 10)
    assert sorted(frame.basis) == [6, 7, 8, 9]
    np.testing.assert_allclose(A[:, frame.basis] @ frame.matrix, A, atol=1e-13)
    np.testing.assert_allclose(A[:, frame.basis] @ frame.y, y, atol=1e-13)
    assert (frame.matrix[:, frame.basis] == np.eye(4)).all()


WEIGHTS = np.array([300.0, 290, -300, 295, -310, -320, -330])


def test_heavy_columns_have_exact_zeros_in_light_rows():
    A = np.random.default_rng(2).integers(-9, 10, (3, 7)) / 8
    A[:, 3] = A[:, 0] - A[:, 1]  # exactly
    frame = choose(A, 2 * A[:, 0], WEIGHTS)
    light = int(np.flatnonzero(frame.basis == 2)[0])
    assert not frame.matrix[light, [0, 1, 3]].any()
    assert np.count_nonzero(frame.y) == 1  # y = 2 A_0
    assert np.abs(frame.view(WEIGHTS).matrix).max() < 100


def test_columns_dependent_to_rounding_are_told_from_dependent_ones():
    A = np.random.default_rng(2).integers(-9, 10, (3, 7)) / 8
    A[:, 3] = 0.3 * A[:, 0] - 0.7 * A[:, 1]  # a rounding error off the span, which outweighs the light columns
    frame = choose(A, 2 * A[:, 0], WEIGHTS)
    assert sorted(frame.basis) == [0, 1, 3] and 2 in frame.anchor
    found = [Fraction(value) for value in frame.matrix[:, 2]]
    for row, target in zip(A[:, frame.basis].tolist(), A[:, 2].tolist(), strict=True):
        terms = [Fraction(entry) * x for entry, x in zip(row, found, strict=True)]
        # coordinates near 1e16 that cancel: right to eps of themselves
        assert abs(sum(terms) - Fraction(target)) < 8e-16 * max(abs(term) for term in terms)


def test_dependent_rows_give_the_rank():
    assert choose(np.array([[1.0, 2.0], [2.0, 4.0]]), np.ones(2), np.zeros(2)) == 1
    assert choose(np.zeros((1, 2)), np.ones(1), np.zeros(2)) == 0
    assert isinstance(choose(np.eye(2), np.ones(2), np.zeros(2)), DenseFrame)


def test_solve_exactly_has_every_component():
    rng = np.random.default_rng(3)
    square = rng.standard_normal((5, 5))
    # y on a column but for 1e-20 of another: float64 rounds it away, so y is the column itself
    assert np.count_nonzero(solve_exactly(square, 2 * square[:, 1])) == 1
    # components over 25 decades with integer data, exact in float64
    whole = rng.integers(-9, 10, (4, 4)).astype(float)
    y = whole[:, 0] * 2.0**40 + whole[:, 2]
    np.testing.assert_array_equal(solve_exactly(whole, y), [2.0**40, 0.0, 1.0, 0.0])
    plain = np.linalg.solve(whole, y)
    assert plain[1] != 0.0 or plain[3] != 0.0  # negative control: the usual solve leaves rounding there


def test_residual_is_exact():
    rng = np.random.default_rng(4)
    square, x, y = rng.standard_normal((3, 3)), rng.standard_normal(3), rng.standard_normal(3)
    expected = [
        Fraction(b) - sum(Fraction(a) * Fraction(z) for a, z in zip(row, x.tolist(), strict=True))
        for row, b in zip(square.tolist(), y.tolist(), strict=True)
    ]
    assert [float(value) for value in expected] == residual(square, [x], y).tolist()
    product = square[0] * x
    errors = [
        Fraction(a) * Fraction(b) - Fraction(c)
        for a, b, c in zip(square[0].tolist(), x.tolist(), product.tolist(), strict=True)
    ]
    assert [Fraction(e) for e in product_error(square[0], x, product).tolist()] == errors


@pytest.mark.parametrize("small", [True, False])
def test_scaling_is_by_powers_of_two_and_exact(small, monkeypatch):
    from symbias.numeric import scaled

    monkeypatch.setattr(scaled, "SMALL", 10**6 if small else 0)
    rng = np.random.default_rng(5)
    A = rng.standard_normal((3, 50)) * 10.0 ** rng.uniform(-5, 5, (3, 1)) * 10.0 ** rng.uniform(-5, 5, 50)
    problem = rescale(Dense(A), rng.standard_normal(3), EqualLayers(3, rng.standard_normal(50)))
    matrix = problem.some(np.arange(50))
    assert np.abs(matrix).max() <= 2 and (np.abs(matrix).max(axis=0) >= 0.5).all()
    assert (matrix * problem.rows[:, None] / problem.columns == A).all()
    rho, nu = rng.standard_normal((2, 50)), rng.standard_normal((2, 3))
    np.testing.assert_allclose(problem.forward(rho), rho @ matrix.T, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(problem.back(nu), nu @ matrix, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(problem.gram(rho[0] ** 2), (matrix * rho[0] ** 2) @ matrix.T, rtol=1e-11, atol=1e-12)
    frame = problem.frame(np.zeros(50))
    at = frame.view(np.linspace(0, 1, 50))
    # the view is A_B^{-1} A with columns scaled: on the basis itself the identity
    unit = np.zeros((3, 50))
    unit[np.arange(3), frame.basis] = 1.0
    np.testing.assert_allclose(at.forward(unit), np.eye(3), atol=1e-12)
    np.testing.assert_allclose(at.back(np.eye(3))[:, frame.basis], np.eye(3), atol=1e-12)
    np.testing.assert_allclose(at.gram(), at.back(np.eye(3)) @ at.back(np.eye(3)).T, rtol=1e-10, atol=1e-10)
    assert (at.bound(np.ones(3)) >= np.abs(at.back(np.eye(3))).sum(axis=0) * (1 - 1e-12)).all()


def test_powers_of_two():
    np.testing.assert_array_equal(power_of_two(np.array([0.0, 1.0, 3.0, 1e-3])), [1.0, 1.0, 4.0, 2.0**-10])

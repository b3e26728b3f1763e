"""Exact products of matrices of roots of unity."""

import numpy as np
import pytest
import sympy
from decomposition_operators import complex_matrix

from symbias.decompositions.cyclotomic import RootMatrix, cosines, power_basis, product, roots
from symbias.verdict import Result

ONE = sympy.Integer(1)


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 8, 9, 12, 15, 30, 105])
def test_the_power_basis_has_the_values_of_the_roots_of_unity(order):
    basis = power_basis(order)
    zeta = np.exp(2j * np.pi * np.arange(order) / order)
    assert basis.shape == (order, sympy.totient(order))
    # Sums of at most 48 numbers of modulus at most 2.
    assert np.abs(basis @ zeta[: basis.shape[1]] - zeta).max() < 1e-12


@pytest.mark.parametrize("order", [5, 7, 9, 12])
def test_sums_of_roots_that_simplify_leaves_standing_are_zero(order):
    # sympy #19726: 1 + zeta + .. + zeta^(d-1) written with exp; here it is exactly 0.
    row = roots(order, np.arange(order)[None, :], (ONE,), (ONE,) * order)
    column = roots(order, np.zeros((order, 1), int), (ONE,) * order, (ONE,))
    assert product(row, column)[0] == 0
    changed = roots(order, np.array([[*range(order - 1), 0]]), (ONE,), (ONE,) * order)
    assert product(changed, column)[0] != 0


def test_a_product_is_the_product_of_the_matrices():
    rng = np.random.default_rng(3)
    columns = tuple(map(sympy.Rational, (1, "1/2", 3, -1)))
    left = roots(12, rng.integers(0, 12, (3, 4)), (ONE, 2 * ONE, sympy.sqrt(3)), columns)
    right = cosines(12, rng.integers(0, 12, (4, 2)), (ONE, -ONE, 2 * ONE, ONE / 3), (ONE, sympy.sqrt(2)))
    exact = product(left, right).subs(sympy.Symbol("zeta"), sympy.exp(sympy.pi * sympy.I / 6))
    wanted = complex_matrix(left.matrix()) @ complex_matrix(right.matrix())
    # Four terms of order 1.
    assert np.abs(complex_matrix(exact) - wanted).max() < 1e-14
    assert np.abs(complex_matrix(left.H.matrix()) - complex_matrix(left.matrix()).conj().T).max() < 1e-15


def test_inner_scales_that_are_not_rational_and_sums_beyond_53_bits_are_refused():
    half = roots(4, np.zeros((1, 1), int), (ONE,), (sympy.sqrt(2),))
    with pytest.raises(ValueError, match="not rational"):
        product(half, roots(4, np.zeros((1, 1), int), (ONE,), (ONE,)))
    large = roots(4, np.zeros((1, 1), int), (ONE,), (sympy.Integer(2) ** 60,))
    with pytest.raises(OverflowError, match="53 bits"):
        product(large, roots(4, np.zeros((1, 1), int), (ONE,), (ONE,)))


def test_a_root_matrix_reads_back():
    made = roots(6, np.arange(6).reshape(2, 3), (ONE, 2 * ONE), (ONE,) * 3)
    again = Result.from_dict(made.to_dict())
    assert isinstance(again, RootMatrix)
    assert again.matrix() == made.matrix()

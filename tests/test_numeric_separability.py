"""Separable or not, with the proof of whichever it is (Gordan's theorem)."""

import numpy as np
import pytest
import sympy

import symbias as sb
from symbias.errors import BadInput
from symbias.numeric.max_margin import l2_margin
from symbias.numeric.separability import combination
from symbias.precision import context


def problem(X, y):
    X = np.array(X, dtype=object) if not isinstance(X, np.ndarray) else X
    return sb.Classification(sb.Diagonal(dim=X.shape[1], depth=2), X, y)


def test_the_certificate_is_the_convex_combination_that_is_zero():
    # (1, 0), (0, 1) and -(1, 1), all of label +1: weights 1/3 each, by hand.
    weights = combination(np.array([[1, 0], [0, 1], [-1, -1]], dtype=object))
    assert [sympy.Rational(int(w.numerator), int(w.denominator)) for w in weights] == [sympy.Rational(1, 3)] * 3


def test_an_error_names_the_combination():
    with pytest.raises(BadInput, match=r"1/3 y\[0\] x\[0\] \+ 1/3 y\[1\] x\[1\] \+ 1/3 y\[2\] x\[2\] = 0"):
        problem([[1, 0], [0, 1], [1, 1]], [1, 1, -1])


def test_duplicate_points_with_opposite_labels_are_named():
    with pytest.raises(BadInput, match=r"X\[0\] and X\[2\] are the same point with opposite labels"):
        problem([[1, 2], [3, 1], [1, 2]], [1, 1, -1])


def test_a_zero_sample_is_named():
    with pytest.raises(BadInput, match=r"X\[1\] is zero"):
        problem([[1, 2], [0, 0]], [1, 1])


def test_labels_other_than_one_are_named():
    with pytest.raises(BadInput, match=r"y\[1\] = 2: a label must be -1 or \+1"):
        problem([[1, 2], [1, 1]], [1, 2])


@pytest.mark.parametrize("y", [[1, 1], [-1, -1], [1, -1]])
def test_one_class_and_the_papers_two_points_are_ordinary_inputs(y):
    assert problem([[1, 2], [0, 3]], y).samples == 2


def test_more_samples_than_dimensions_are_ordinary_where_separable():
    assert problem([[1, 0], [1, 1], [1, -1], [2, 0]], [1, 1, 1, 1]).samples == 4


def test_a_gap_of_one_in_ten_to_the_thirty_is_seen():
    # y x = (1, e) and (-1, e): separated by (0, 1) for any e > 0, on the edge for e = 0.
    tiny = sympy.Rational(1, 10**30)
    assert combination(np.array([[1, tiny], [-1, tiny]], dtype=object)) is None
    assert combination(np.array([[1, 0], [-1, 0]], dtype=object)) is not None


def test_irrational_rows_are_decided_to_many_digits():
    root = sympy.sqrt(2)
    assert combination(np.array([[root, 1], [-2, -root]], dtype=object)) is not None
    assert combination(np.array([[root, 1], [-2, -root + sympy.Rational(1, 10**20)]], dtype=object)) is None


def test_floats_mean_their_exact_value():
    # 0.1 + 0.2 - 0.30000000000000004 is not zero in exact arithmetic, and the rows are separable then.
    rows = np.array([[0.1], [0.2], [0.3]])
    assert combination(rows) is None
    assert combination(np.array([[0.5], [-0.25]])) is not None


def test_random_data_agree_with_the_two_sides_of_gordans_theorem():
    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(60):
        A = rng.integers(-3, 4, (rng.integers(1, 7), rng.integers(1, 5))).astype(object)
        weights = combination(A)
        seen.add(weights is None)
        if weights is not None:
            assert sum(weights) == 1 and all(w >= 0 for w in weights)
            assert all(entry == 0 for entry in weights @ A)
        else:
            z = l2_margin(A, context(30)).rho
            assert all(margin >= 1 for margin in A @ z)
    assert seen == {True, False}

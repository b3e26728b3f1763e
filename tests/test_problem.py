"""Problems and initializations: what is accepted, and one clear error for what is not."""

import numpy as np
import pytest
import sympy

import symbias as sb
from symbias import exact
from symbias.errors import BadInput, SymbiasError
from symbias.problem import row_rank

NET = sb.Diagonal(dim=3, depth=2)


def start(alpha=1, eta=1, net=NET):
    return sb.Initialization.theorem_5(net, alpha, eta)


def fails(words, call, *arguments, error=BadInput, **options):
    with pytest.raises(error) as caught:
        call(*arguments, **options)
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_text_and_exact_numbers_stay_exact_and_floats_are_their_binary_value():
    problem = sb.Regression(NET, [["0.1", 1, sympy.Rational(1, 3)]], [2], start("0.01"))
    assert problem.X[0, 0] == sympy.Rational(1, 10) and problem.start().alpha == sympy.Rational(1, 100)
    assert start(0.1).alpha == sympy.Rational(3602879701896397, 36028797018963968)


def test_a_float_that_is_not_what_was_typed_is_named_when_digits_are_asked():
    problem = sb.Regression(NET, np.array([[0.1, 1.0, 2.0]]), np.array([2.0]), start())
    assert "0.1" in problem.note_on_floats(30)[0]
    # 0.1 to 15 digits is 0.1: nothing to say; 0.5 is exact at any precision.
    assert problem.note_on_floats(15) == ()
    assert sb.Regression(NET, np.array([[0.5, 1.0, 2.0]]), np.array([2.0]), start()).note_on_floats(30) == ()


def test_lengths_of_X_and_y():
    fails(["2 samples", "1 targets"], sb.Regression, NET, [[1, 2, 3], [4, 5, 7]], [1], start())


def test_a_sample_of_the_wrong_length():
    fails(["(2,)", "(3,)"], sb.Regression, NET, [[1, 2]], [1], start())


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_entries_that_are_not_finite_are_named_by_index(bad):
    fails(["X[0, 1]", "finite"], sb.Regression, NET, np.array([[1.0, bad, 3.0]]), [1], start())
    fails(["y[0]", "finite"], sb.Regression, NET, [[1, 2, 3]], np.array([bad]), start())


def test_more_samples_than_dimensions():
    X = np.arange(12).reshape(4, 3)
    fails(["n = 4", "d = 3"], sb.Regression, NET, X, [1, 2, 3, 4], start())


def test_dependent_rows_give_their_rank():
    fails(["rank 1"], sb.Regression, NET, [[1, 2, 3], [2, 4, 6]], [1, 2], start())
    fails(["rank 1"], sb.Regression, NET, np.array([[0.1, 0.2, 0.3], [0.3, 0.6, 0.9]]), [1, 2], start())


def test_rank_is_exact_for_exact_rows_and_sees_zero_rows():
    nearly = exact.array([[1, 2, 3], [1, 2, 3 + sympy.Rational(1, 10**40)]], "X")
    assert row_rank(nearly) == 2
    assert row_rank(np.array([[1.0, 2.0], [0.0, 0.0]])) == 1 and row_rank(np.zeros((2, 3))) == 0
    # rows of very different size are independent all the same
    assert row_rank(np.array([[1e-200, 0.0], [0.0, 1e200]])) == 2


def test_alpha_must_be_positive_and_the_ends_are_named():
    for alpha in (0, -1, "-0.5"):
        fails(["alpha", "sb.limit"], start, alpha)


def test_a_zero_in_eta():
    fails(["eta[1]", "zero"], start, 1, [1, 0, 2])


def test_eta_of_the_wrong_length():
    fails(["eta", "3"], start, 1, [1, 2])


def test_a_free_symbol_names_derive():
    a = sympy.Symbol("a")
    fails(["free symbol a", "sb.derive"], sb.Regression, NET, [[a, 2, 3]], [1], start())
    fails(["free symbol a", "sb.derive"], start, a)


def test_depth_one_and_other_shapes_of_network():
    fails(["depth", "Linear"], sb.Diagonal, 3, 1)
    fails(["dim"], sb.Diagonal, 0, 2)


def test_directions_must_fit_the_network():
    init = sb.Initialization(1, [[1, 1, 1], [0, 0]])
    fails(["directions[1]", "(2,)", "(3,)"], sb.Regression, NET, [[1, 2, 3]], [1], init)
    init = sb.Initialization(1, [[1, 1, 1]])
    fails(["1 directions", "2 blocks"], sb.Regression, NET, [[1, 2, 3]], [1], init)


def test_labels_must_be_plus_or_minus_one():
    fails(["y[1]", "-1 or +1"], sb.Classification, NET, [[1, 2, 3], [1, 0, 1]], [1, 0], start())


def test_the_network_must_be_one():
    fails(["network"], sb.Regression, "diagonal", [[1, 2, 3]], [1], start())


def test_a_problem_without_an_initialization_says_how_to_give_one():
    problem = sb.Regression(NET, [[1, 2, 3]], [1])
    fails(["Initialization.theorem_5"], problem.start, error=SymbiasError)


def test_theorem_5_start_of_the_convolution_takes_coordinates_or_the_whole_spectrum():
    net = sb.Convolutional(dim=4, depth=2)
    # F of the even vector (3, 1, 0, 1): (F v)_k = (3 + 2 cos(pi k / 2)) / 2 = 5/2, 3/2, 1/2, 3/2.
    spectrum = [sympy.Rational(5, 2), sympy.Rational(3, 2), sympy.Rational(1, 2), sympy.Rational(3, 2)]
    by_spectrum = start(1, spectrum, net)
    # 2 roundings of an 4-point transform
    assert np.allclose(by_spectrum.direction(0), [3, 1, 0, 1], rtol=0, atol=4 * np.finfo(float).eps)
    by_coordinates = start(1, [spectrum[0], sympy.sqrt(2) * spectrum[1], spectrum[2]], net)
    assert np.array_equal(by_coordinates.direction(0), by_spectrum.direction(0))
    assert not by_spectrum.direction(1).any()
    fails(["not even", "eta[1]"], start, 1, [1, 2, 3, 4], net)


def test_matrix_sensing_starts_at_multiples_of_the_identity():
    init = start("0.5", 2, sb.MatrixSensing(dim=2, depth=2))
    assert np.array_equal(init.blocks()[0], np.eye(2)) and not init.blocks()[1].any()


def test_problems_and_initializations_read_back_from_their_dictionary():
    problem = sb.Regression(NET, [["0.1", 2, 3]], [1], start("0.01", [1, 2, "0.5"]))
    again = type(problem).from_dict(problem.to_dict())
    assert again.network == NET and (again.X == problem.X).all()
    assert (again.start().directions[0] == problem.start().directions[0]).all()


def test_data_beyond_float64_is_named_and_works_with_digits():
    problem = sb.Regression(sb.Diagonal(2, 3), [["1e400", "1e400"]], ["1e400"], start(net=sb.Diagonal(2, 3)))
    fails(["X[0, 0]", "digits"], sb.predict, problem)
    # x = (1, 1), y = 1 after scaling: by symmetry (1/2, 1/2)
    assert [float(z) for z in sb.predict(problem, digits=15).coefficients] == [0.5, 0.5]

"""Limit checks: every statement's limits with their orders, wrong claims that fail, near ties that stay undecided."""

from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy

import symbias as sb
from symbias.checks.limits import LimitCheck, check_limit, check_sequence
from symbias.errors import BadInput
from symbias.functions import h_inverse
from symbias.theorems import limit, theorem_7
from symbias.verdict import Result

OO = sympy.oo
X, Y = [["1", "2", "0"], ["0", "1", "-1"]], ["1", "2"]


def theorem_5(depth, alpha="1", eta=("1", "2", "3")):
    net = sb.Diagonal(3, depth)
    return sb.Regression(net, X, Y, sb.Initialization.theorem_5(net, alpha, list(eta)))


def connected(depth, alpha, zero=()):
    net, rng = sb.FullyConnected(3, depth), np.random.default_rng(depth)
    made = [np.vectorize(Fraction, otypes=[object])(rng.integers(-6, 7, size=shape), 4) for shape in net.block_shapes]
    return sb.Regression(net, X, Y, sb.Initialization(alpha, [0 * v if l in zero else v for l, v in enumerate(made)]))


@pytest.mark.parametrize("depth", [2, 3, 4, 5, 6])
def test_both_ends_of_theorem_5_with_their_orders(depth):
    small = check_limit(theorem_5(depth), alpha=0, theorem="theorem_5")
    # depth 2: the dual value of the loser is 0 for these data, so 2 - 2 * 0
    assert (small.verdict, small.predicted_order) == ("holds", depth)
    large = check_limit(theorem_5(depth), alpha=OO, theorem="theorem_5")
    assert (large.verdict, large.predicted_order) == ("holds", 2 * depth)
    for found in (small, large):
        assert abs(found.order - found.predicted_order) <= 4 * found.order_error
        assert found.digits > 15 and found.errors[-1] < found.errors[0]


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_both_ends_of_the_difference_of_powers(depth):
    problem = sb.Regression(sb.DifferenceOfPowers(3, depth), X, Y, sb.Initialization("1", [["1", "2", "3"]] * 2))
    for end, order in ((0, depth), (OO, 2 * depth)):
        found = check_limit(problem, alpha=end)
        assert (found.verdict, found.predicted_order) == ("holds", order)


def test_theorem_6_with_the_order_of_the_second_singular_value():
    diagonal = sb.Diagonal(2, 2)
    problem = sb.Regression(diagonal, [["0.5", "1"]], ["1"], sb.Initialization.theorem_5(diagonal, "1", 1))
    found = check_limit(problem, alpha=0, theorem="theorem_6")
    # rho_j = alpha^{2 (1 - s_2/s_1)}: order 1 for s = (1, 1/2)
    assert (found.verdict, found.predicted_order) == ("holds", 1)
    # a convolution mixes the singular directions in beta: first order in alpha^{1 - s_2/s_1}
    net = sb.Convolutional(4, 2, filters=(3, 4))
    mixed = sb.Regression(net, [["1", "2", "0", "-1"]], ["1"], sb.Initialization("1e-15", [["3", "2", "4"], ["0"] * 4]))
    found = check_limit(mixed, alpha=0, theorem="theorem_6")
    s = np.linalg.svd(np.array([[1, 2, 0, -1], [2, 0, -1, 1], [0, -1, 1, 2.0]]))[1]
    assert found.verdict == "holds" and float(found.predicted_order) == pytest.approx(1 - s[1] / s[0], rel=1e-13)
    early = replace(mixed, initialization=replace(mixed.initialization, alpha=1))
    assert check_limit(early, alpha=0, theorem="theorem_6").verdict == "undecided"  # not settled before 1e-8


@pytest.mark.parametrize("depth", [2, 4])
def test_theorem_7_has_order_one_for_generic_directions(depth):
    found = check_limit(connected(depth, "0.02"), alpha=0, digits=12, theorem="theorem_7", points=6)
    assert (found.verdict, found.predicted_order) == ("holds", 1)


def test_the_identity_initialization_checks_nothing_and_says_so():
    net = sb.FullyConnected(3, 3)
    eye = np.eye(3, dtype=int).tolist()
    problem = sb.Regression(net, X, Y, sb.Initialization("0.1", [eye, eye, [0, 0, 0]]))
    found = check_limit(problem, alpha=0, digits=12, theorem="theorem_7")
    assert found.verdict == "undecided" and found.note == theorem_7.NOTHING
    assert max(found.errors) <= 1e-12


def test_the_lazy_regime_of_two_networks():
    assert check_limit(theorem_5(3), alpha=OO, theorem="lazy").predicted_order == 6
    problem, options = connected(2, "2", zero=(1,)), {"alpha": OO, "digits": 16, "points": 6}
    found = check_limit(problem, theorem="lazy", **options)
    assert (found.verdict, found.predicted_order) == ("holds", 4)
    assert check_limit(problem, theorem="lazy", order=2, **options).verdict == "fails"
    right = limit(problem, OO, digits=30, theorem="lazy")
    moved = right.coefficients + mpmath.mpf("1e-4") * np.array([2, -1, -1])  # in the kernel of X
    assert check_limit(problem, claim=replace(right, coefficients=moved), **options).verdict == "fails"


def test_the_lazy_regime_of_a_deep_network_from_a_large_alpha():
    # errors down to 1e-28; entries of the directions are 0 and end at alpha^{1 - 2L}, far below the other entries
    found = check_limit(connected(4, "50", zero=(3,)), alpha=OO, digits=20, theorem="lazy", points=6)
    assert (found.verdict, found.predicted_order) == ("holds", 8)


def test_the_linear_model():
    problem = sb.Regression(sb.Linear(3), X, Y, sb.Initialization("1", [["1", "2", "3"]]))
    assert check_limit(problem, alpha=0).predicted_order == 1
    assert check_limit(problem, alpha=0).verdict == "holds"


@pytest.mark.parametrize("depth", [2, 3])
def test_time_to_infinity_at_the_rate_of_the_tangent_kernel(depth):
    found = check_limit(theorem_5(depth), t=OO, digits=20)
    assert found.verdict == "holds" and found.digits > 12
    assert check_limit(theorem_5(depth), t=OO, digits=20, order=2 * float(found.order)).verdict == "fails"


def test_a_near_tie_is_undecided_whatever_is_claimed():
    net = sb.Diagonal(2, 2)
    problem = sb.Regression(net, [["0.999", "1"]], ["1"], sb.Initialization.theorem_5(net, "1e-100", 1))
    for name in ("theorem_5", "theorem_6"):
        found = check_limit(problem, alpha=0, theorem=name)
        assert found.verdict == "undecided" and "end is not in sight" in found.note
        assert found.errors[-1] > 0.3  # theory.md: still (0.3868, 0.6136) at 1e-100
    assert check_limit(problem, alpha=0, order=1).verdict == "undecided"


@pytest.mark.parametrize("end", [0, OO])
def test_a_wrong_limit_and_a_wrong_order_fail(end):
    problem = theorem_5(3)
    right = limit(problem, end, digits=60, theorem="theorem_5")
    kernel = (2, -1, -1)
    for size in ("1e-3", "1e-12"):
        moved = [b + mpmath.mpf(size) * k for b, k in zip(right.coefficients, kernel, strict=True)]
        wrong = replace(right, coefficients=np.array(moved, dtype=object))
        found = check_limit(problem, alpha=end, claim=wrong)
        assert found.verdict == "fails" and "another limit" in found.note
    assert check_limit(problem, alpha=end, claim=right).verdict == "holds"
    for order in (1, 2, 4, 12):
        found = check_limit(problem, alpha=end, theorem="theorem_5", order=order)
        assert found.verdict == "fails" and "another order" in found.note


def test_a_float64_claim_is_held_to_its_own_digits():
    problem = theorem_5(3)
    found = check_limit(problem, alpha=0, claim=limit(problem, 0, theorem="theorem_5"))
    assert found.verdict == "holds" and found.digits > 14


def test_functions_at_infinity_and_at_the_end_of_their_domain():
    y, t = sympy.symbols("y t", real=True)

    def inverse(x, digits):
        return sb.lower(h_inverse(3, y), y, digits=digits)(x)

    third = sympy.Rational(1, 3)  # c - h^{-1} goes like y^{-(L-2)/L}
    sequence = {"start": 10, "ratio": 10, "points": 10}
    assert check_sequence(inverse, sympy.pi / 2, third, **sequence).verdict == "holds"
    assert check_sequence(inverse, sympy.pi / 2, sympy.Rational(1, 2), **sequence).verdict == "fails"
    assert check_sequence(inverse, sympy.pi / 2 + sympy.Rational(1, 10**6), third, **sequence).verdict == "fails"

    # t -> c = pi/2: cot t = 1/q_3(t) -> 0 at first order
    def reciprocal(x, digits):
        return sb.lower(sympy.cot(t), t, digits=digits)(x)

    found = check_sequence(reciprocal, 0, 1, start=1, end=sympy.pi / 2, ratio=sympy.Rational(1, 10), points=7)
    assert found.verdict == "holds"


def test_sequences_that_do_not_move():
    def constant(x, digits):
        return mpmath.mpf(2)

    same = check_sequence(constant, 2, 1, start=1, ratio=2)
    assert same.verdict == "undecided" and "checks nothing" in same.note
    assert check_sequence(constant, 3, 1, start=1, ratio=2).verdict == "fails"


def test_oscillating_values_are_undecided():
    found = check_sequence(lambda x, digits: mpmath.mpf((-1) ** int(sympy.log(x, 2))), 0, 1, start=1, ratio=2)
    assert found.verdict == "undecided"


def test_the_record_prints_and_survives_json():
    found = check_limit(theorem_5(3), alpha=0, points=6)
    again = Result.from_dict(found.to_dict())
    assert isinstance(again, LimitCheck) and repr(again) == repr(found)
    assert "predicted 3" in repr(found) and len(found.points) == len(found.errors) == 6


@pytest.mark.parametrize("options", [{}, {"alpha": 0, "t": OO}, {"alpha": 1}, {"t": 1}])
def test_an_end_must_be_named(options):
    with pytest.raises(BadInput):
        check_limit(theorem_5(2), **options)

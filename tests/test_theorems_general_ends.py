"""Both ends of a general start: weights by quadrature, winners and ties by hand, predict at a tiny alpha, Theorem 5, no
end at infinity.
"""

from dataclasses import replace

import mpmath
import numpy as np
import pytest
import sympy

import symbias as sb
from symbias.checks.orders import predicted_order
from symbias.errors import BadInput, HypothesisFails, NotConverged
from symbias.functions import F
from symbias.functions.general_initialization import coordinate
from symbias.kernels import precise
from symbias.numeric.one_sided_l1 import decided
from symbias.precision import context
from symbias.theorems import limit as limit_of
from symbias.theorems import predict
from symbias.theorems.beyond import general_ends, general_zero, lazy

OO, NAME = sympy.oo, "general_initialization"
MP = mpmath.MPContext()
MP.dps = 40


def diagonal(directions, X, y, alpha=1):
    net = sb.Diagonal(len(directions[0]), len(directions))
    return sb.Regression(net, X, y, sb.Initialization(alpha, directions))


def limit(problem, alpha, digits=None, theorem=NAME):
    """By this statement, where Theorem 6 (one sample at depth 2) or Theorem 5 would come first."""
    return limit_of(problem, alpha, digits, theorem=theorem)


def ends(problem):
    return {(side.j, side.sign): side.cost for side in general_zero.sides(general_zero.unscaled(problem, 30))}


def by_quadrature(layers):
    """|int_{z_0}^{+-oo} dx / prod sqrt(x^2 + delta)| for both signs, from the layers of one coordinate."""
    flow = coordinate(layers)
    deltas = [MP.mpf(int(d)) for d in flow.deltas]

    def slope(x):
        return 1 / MP.fprod(MP.sqrt(x * x + d) for d in deltas)

    start = MP.mpf(int(flow.start))
    points = [start + k for k in range(5)]
    return {1: MP.quad(slope, [*points, MP.inf]), -1: MP.quad(slope, [-MP.inf, *(start - k for k in range(4, -1, -1))])}


def gap(ours, expected):
    return max(abs(MP.convert(a) - MP.convert(b)) for a, b in zip(np.ravel(ours), np.ravel(expected), strict=True))


@pytest.mark.parametrize("depth", [3, 4, 5, 6])
def test_the_start_of_theorem_5_has_its_weights(depth):
    problem = diagonal([["2", "-0.5"]] * (depth - 1) + [[0, 0]], [[1, 2]], [1])
    ctx = context(40)
    c = ctx.convert(precise.c(ctx, depth))
    for (j, _), cost in ends(problem).items():
        expected = c * ctx.mpf([2, 0.5][j]) ** (2 - depth)
        assert abs(ctx.convert(cost) - expected) <= ctx.mpf(10) ** -35 * expected


def test_the_two_weights_of_a_coordinate_by_quadrature_and_as_elliptic_integrals():
    layers = [[3, -1, 2], [1, 2, -4], [2, 5, 3, -1], [2, 5, 3, -1, 4]]
    for values in layers:
        problem = diagonal([[v] for v in values], [[1]], [1])
        expected, flow = by_quadrature(values), coordinate(values)
        for sign in (1, -1):
            ours = ends(problem)[0, sign]
            assert abs(MP.convert(ours) - expected[sign]) <= MP.mpf(10) ** -25  # of the quadrature
            elliptic = F(sign * OO, flow.start, *flow.deltas).evalf(30)
            assert abs(MP.mpf(str(abs(elliptic))) - MP.convert(ours)) <= MP.mpf(10) ** -28
        assert abs(expected[1] - expected[-1]) > 0.01 * expected[1]  # the sides differ


@pytest.mark.parametrize("target", [1, -1])
@pytest.mark.parametrize("depth", [3, 4])
def test_one_sample_ends_on_the_largest_s_over_its_own_end(depth, target):
    rng = np.random.default_rng(depth)
    winners = set()
    for _ in range(2):
        layers = rng.permuted(np.tile([1, 2, 4, -3][:depth], (3, 1)), axis=1)  # distinct sizes: no ties
        x = [int(v) for v in rng.choice([-3, -2, 2, 3], size=3)]
        problem = diagonal(layers.T.tolist(), [x], [target])
        scores = []
        for j in range(3):
            both = by_quadrature(layers[j].tolist())
            scores.append(abs(x[j]) / both[1 if x[j] * target > 0 else -1])
        winner = int(np.argmax(scores))
        expected = np.zeros(3)
        expected[winner] = target / x[winner]
        if sorted(scores)[-2] < max(scores) * (1 - MP.mpf(10) ** -20):
            winners.add(winner)
            np.testing.assert_allclose(limit(problem, 0, theorem=NAME).coefficients, expected, rtol=1e-15, atol=0)
    assert winners


def test_depth_2_takes_the_unweighted_norm_with_the_signs_that_ties_keep():
    # |x| = (1, 2, 3): the third coordinate would win, but its tie keeps it positive and x_3 y < 0
    start = [["5", "1", "2"], ["1", "3", "2"]]
    tied = diagonal(start, [[1, 2, -3]], [4])
    assert limit(tied, 0).coefficients.tolist() == [0, 2, 0]
    assert limit(diagonal(start, [[1, 2, 3]], [4]), 0).coefficients == pytest.approx([0, 0, 4 / 3], rel=1e-15)
    # two layers of the second are zero: it stays 0, and the first is left
    zero = diagonal([[5, 0, 2], [1, 0, 2], [2, 1, 3]], [[1, 2, -3]], [4])
    assert limit(zero, 0).coefficients.tolist() == [4, 0, 0]


def test_ties_are_decided_by_the_next_order():
    # depth 2: |rho_j| in proportion to e_j = (sqrt(z_0^2 + delta) + z_0)^2 = (|larger| + z_0)^2 = 4, 4, 9
    two = diagonal([[1, 2, 1], [1, 0, 2]], [[1, 1, 1]], [1])
    np.testing.assert_allclose(limit(two, 0).coefficients, [4 / 17, 4 / 17, 9 / 17], rtol=1e-15)
    # on the negative side (|larger| - z_0)^2 = 4, 1 (the first cannot: it ties)
    other = diagonal([[1, 2, 1], [1, 0, 2]], [[1, 1, 1]], [-1])
    np.testing.assert_allclose(limit(other, 0).coefficients, [0, -4 / 5, -1 / 5], rtol=1e-15)
    # depth 3: a start twice as large halves c_j, so x = (2, 1) ties; max sum |rho|^{2/3} gives rho_j like x_j^{-3}
    three = diagonal([[1, 2], [3, 6], [-2, -4]], [[2, 1]], [1])
    found = limit(three, 0, digits=30)
    assert gap(found.coefficients, [MP.mpf("0.1"), MP.mpf("0.8")]) <= MP.mpf(10) ** -30
    assert general_ends.order(three, 0) is None
    # three equal coordinates, two samples: predict comes close to the point selected, like alpha^4 (the next term of Q)
    errors = []
    for alpha in ("1e-2", "1e-3"):
        tie = diagonal([[1, 3, 2], [3, 1, 1], [-2, -2, -3]], [[1, 1, 1], [1, 2, 4]], [1, 2], alpha)
        errors.append(gap(predict(tie, digits=30).coefficients, limit(tie, 0, digits=30).coefficients))
    assert errors[1] < 1e-12 and errors[0] / errors[1] == pytest.approx(1e4, rel=1e-3)


def test_where_theorem_5_applies_both_agree():
    for depth, eta, X, y in (
        (2, [2, 1], [["1", "1"]], ["1"]),  # a tie: (4/5, 1/5)
        (3, [2, 1], [["1", "2"]], ["1"]),  # a tie of weights 1/2 and 1
        (4, [1, 2, 3], [["1", "2", "0"], ["0", "1", "-1"]], ["1", "2"]),
        (3, [1, 2, 3], [["1", "2", "0.5"]], ["1"]),
        (2, [1, 2, 3], [["1", "2", "0.5"]], ["1"]),  # 2 - 2/2
    ):
        net = sb.Diagonal(len(eta), depth)
        problem = sb.Regression(net, X, y, sb.Initialization.theorem_5(net, 1, eta))
        for end in (0, OO):
            ours, theirs = (limit(problem, end, digits=25, theorem=name) for name in (NAME, "theorem_5"))
            assert gap(ours.coefficients, theirs.coefficients) <= MP.mpf(10) ** -24
            assert predicted_order(problem, ours) == predicted_order(problem, theirs)


@pytest.mark.parametrize("depth", [2, 3])
def test_predict_at_a_small_alpha_is_close_for_a_convolution_too(depth):
    net, X = sb.Convolutional(4, depth), [["1", "2", "0", "2"], ["2", "0", "1", "0"]]  # even data
    directions = [["3", "1", "2", "1"], ["1", "0.5", "-1", "0.5"], ["0.25", "1", "3", "1"]][:depth]
    problem = sb.Regression(net, X, ["1", "2"], sb.Initialization("1e-9", directions))
    end, order = limit(problem, 0, digits=30), general_ends.order(problem, 0)
    assert end.statement.id == NAME
    error = gap(predict(problem, digits=30).coefficients, end.coefficients)
    assert 0 < error < 1e3 * 1e-9 ** float(order)
    farther = replace(problem, initialization=replace(problem.start(), alpha="1e-8"))
    ratio = gap(predict(farther, digits=30).coefficients, end.coefficients) / error
    assert abs(float(MP.log(ratio, 10)) - float(order)) < 1e-3


@pytest.mark.parametrize("depth", [2, 3])
def test_the_limit_check_sees_the_order_and_refuses_wrong_claims(depth):
    directions = [[1, 2, 3], [2, 1, -1], [3, 3, 2]][:depth]
    problem = diagonal(directions, [["1", "2", "0"], ["0", "1", "-1"]], ["1", "2"], "0.1")
    options = {"alpha": 0, "points": 8}
    found = sb.check_limit(problem, **options)
    # depth 2: the loser's dual value is 0 (x_1 = (1, 0), nu = (0, -1)), and 2 - 2 * 0 = 2
    assert (found.verdict, found.predicted_order) == ("holds", depth)
    if depth == 2:
        assert sb.check_limit(problem, order=1, **options).verdict == "fails"
        right = limit(problem, 0, digits=60)
        moved = replace(right, coefficients=right.coefficients + mpmath.mpf("1e-6") * np.array([2, -1, -1]))
        assert sb.check_limit(problem, claim=moved, **options).verdict == "fails"


def test_depth_2_has_the_order_of_the_largest_dual_value_and_a_tied_loser_counts_with_its_sign():
    # x = (1, 2, 4), y > 0: duals 1/4 and 1/2; the second ties at a negative value, so that it decays like 2 + 2/2
    free = diagonal([[3, 2, 1], [1, 1, 2]], [["1", "2", "4"]], ["1"])
    kept = diagonal([[3, 2, 1], [1, -2, 2]], [["1", "2", "4"]], ["1"])
    assert general_ends.order(free, 0) == 1 and general_ends.order(kept, 0) == pytest.approx(1.5)
    for problem, order in ((free, 1), (kept, 1.5)):
        found = sb.check_limit(problem, alpha=0, points=8)
        assert found.verdict == "holds" and float(found.order) == pytest.approx(order, abs=1e-6)


def test_near_ties_are_undecided():
    near = diagonal([[2, 2], [1, 1]], [["0.999", "1"]], ["1"], "1e-100")
    found = sb.check_limit(near, alpha=0)
    assert found.verdict == "undecided" and found.errors[-1] > 0.3
    with pytest.raises(NotConverged, match="near tie"):
        ctx = context(60)
        decided(np.array([[ctx.one, 1 + ctx.mpf(10) ** -35]], dtype=object), np.array([ctx.one], dtype=object), ctx)


@pytest.mark.parametrize("off, support", [(0, (0, 1)), (-10, (1,))])
def test_a_tie_is_equality_and_a_difference_in_sight_is_decided(off, support):
    ctx = context(60)
    second = ctx.one + (ctx.mpf(10) ** off if off else 0)
    found = decided(np.array([[ctx.one, second]], dtype=object), np.array([ctx.one], dtype=object), ctx)
    assert found.support == support and found.unique == (off != 0)


def test_targets_of_zero_leave_the_scale_of_the_start():
    problem = diagonal([[1, 2, 3], [2, 1, -1], [3, 3, 2]], [["1", "2", "0"], ["0", "1", "-1"]], ["0", "0"], "1e-3")
    end = limit(problem, 0)
    assert not end.coefficients.any() and general_ends.order(problem, 0) == 3
    large = replace(problem, initialization=replace(problem.start(), alpha="1e-2"))
    sizes = [np.abs(predict(p).coefficients).max() for p in (problem, large)]
    assert sizes[1] / sizes[0] == pytest.approx(1000, rel=1e-12)


@pytest.mark.parametrize("end", [0, OO])
def test_where_nothing_moves_the_limits_are_zero(end):
    frozen = diagonal([[1, 1], [0, 0], [0, 0]], [[1, 2]], [0])  # two layers are zero in every coordinate
    assert limit(frozen, end, theorem=NAME).coefficients.tolist() == [0, 0]
    with pytest.raises(HypothesisFails, match="cannot move"):
        limit(diagonal([[1, 1], [0, 0], [0, 0]], [[1, 2]], [1]), end, theorem=NAME)


def test_at_infinity_a_general_start_has_no_limit_and_says_why():
    grows = diagonal([[1, 3], [2, 1], [3, 2]], [[2, 3]], [1])
    with pytest.raises(BadInput, match=r"grows like alpha\^3"):
        limit(grows, OO)
    tied = diagonal([[1, 3], [2, 2], [3, 2]], [[2, 3]], [1])
    with pytest.raises(BadInput, match="layers tie in coordinate 1"):
        limit(tied, OO)
    with pytest.raises(BadInput, match="at 0 or oo, not at 3"):
        limit(grows, 3, theorem=NAME)
    labels = sb.Classification(grows.network, [[2, 3]], [1], grows.initialization)
    with pytest.raises(BadInput, match="regression"):
        limit(labels, 0, theorem=NAME)


def test_at_infinity_the_finite_cases():
    # another layer is zero in each coordinate: beta_j = w_j x_j / sum w x^2, w_j = the squares of the others
    still = diagonal([[1, 0], [2, 2], [0, 3]], [[2, 3]], [1])
    expected = [sympy.Rational(8, 340), sympy.Rational(108, 340)]
    assert gap(limit(still, OO, digits=25).coefficients, [MP.mpf(e.p) / e.q for e in expected]) <= MP.mpf(10) ** -25
    assert gap(limit(still, OO, digits=25, theorem="lazy").coefficients, limit(still, OO, digits=25).coefficients) == 0
    for theorem in (NAME, "lazy"):
        found = sb.check_limit(still, alpha=OO, theorem=theorem, points=6)
        assert (found.verdict, found.predicted_order) == ("holds", 6)
    assert lazy.order(still) == 6
    # equal coordinates with an output, (1, 1, 1) a combination of the rows: the minimum norm
    X, y = np.array([[1, 1, 1], [1, 2, 4]]), np.array([1, 2])
    equal = diagonal([[3] * 3, [2] * 3, [1] * 3], X.tolist(), y.tolist())
    np.testing.assert_allclose(limit(equal, OO).coefficients, np.linalg.lstsq(X, y)[0], rtol=1e-14)
    found = sb.check_limit(equal, alpha=OO, points=6)
    assert (found.verdict, found.predicted_order) == ("holds", 6)
    # as many samples as coordinates: one solution, ties or not
    square = diagonal([[1, 3], [1, 2]], [[1, 1], [1, -1]], [3, 1])
    np.testing.assert_allclose(limit(square, OO).coefficients, [2, 1], rtol=1e-15)
    assert general_ends.order(square, OO) is None

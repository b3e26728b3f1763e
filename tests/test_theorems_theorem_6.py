"""Theorem 6: against the flow, against theory.md's table, Theorem 5, hand values; stalls, margins, ends of alpha."""

from dataclasses import replace

import mpmath
import numpy as np
import pytest

import symbias as sb
from symbias.checks import check
from symbias.errors import BadInput, HypothesisFails
from symbias.theorems import STATEMENTS, limit, predict, theorem_6

THEOREM = STATEMENTS["theorem_6"]
MP = mpmath.MPContext()
MP.dps = 80  # the comparisons themselves are exact enough


def gap(ours, expected, relative=False):
    """The largest difference of two arrays of numbers or of decimal texts."""
    pairs = zip(np.ravel(ours), np.ravel(expected), strict=True)
    pairs = [
        (MP.mpf(a) if isinstance(a, str) else MP.convert(a), MP.mpf(b) if isinstance(b, str) else MP.convert(b))
        for a, b in pairs
    ]
    return max(abs(a - b) / (abs(b) if relative else 1) for a, b in pairs)


def regression(net, x, y, alpha, directions):
    return sb.Regression(net, [x], [y], sb.Initialization(alpha, directions))


IDENTITY = [["1", "0"], ["0", "1"]]
TABLE = [
    (sb.FullyConnected(2, 2), [IDENTITY, ["1", "0"]], ("0.42360679774997896964", "0.28819660112501051518")),
    (sb.Diagonal(2, 2), [["1", "1"], ["1", "0"]], ("0.50994822961536369559", "0.24502588519231815221")),
    (sb.Convolutional(2, 2), [["1", "0"], ["1", "0"]], ("0.45020143094631223452", "0.27489928452684388274")),
]


@pytest.mark.parametrize("net, directions, expected", TABLE)
def test_the_rows_of_the_table_to_20_digits_outside_the_hypothesis_by_a_margin_of_zero(net, directions, expected):
    problem = regression(net, [1, 2], 1, "0.5", directions)
    with pytest.raises(HypothesisFails, match="sufficient, not necessary"):
        predict(problem, theorem="theorem_6")
    prediction = predict(problem, digits=25, theorem="theorem_6", outside=True)
    assert not prediction.applies and prediction.hypotheses[-1].margin == 0
    assert gap(prediction.coefficients, expected) <= 1e-20  # the table has 20 decimals
    plain = predict(problem, theorem="theorem_6", outside=True)
    np.testing.assert_allclose(
        plain.coefficients, [float(v) for v in expected], rtol=1e-13
    )  # g^-1 in float64: some hundred eps


@pytest.mark.parametrize("filters", range(1, 6))
def test_every_filter_length_agrees_with_the_flow(filters):
    rng = np.random.default_rng(filters)
    directions = [[str(v) for v in rng.integers(1, 9, size=filters)], [str(v) for v in rng.integers(-3, 4, size=5)]]
    problem = regression(
        sb.Convolutional(5, 2, filters=(filters, 5)), ["1", "-2", "0.5", "3", "1"], "-1.5", "0.1", directions
    )
    prediction = predict(problem, digits=20, theorem="theorem_6", outside=True)
    outcome = check(problem, prediction, digits=20)
    assert outcome.verdict == "holds" and outcome.points == 10 + filters


@pytest.mark.parametrize(
    "net, x, directions",
    [
        (sb.FullyConnected(3, 2, widths=(2,)), ["1", "2", "3"], [[["1", "2"], ["0", "1"], ["2", "3"]], ["1", "1"]]),
        (sb.MatrixSensing(2, 2), [["1", "2"], ["0", "3"]], [[["1", "2"], ["0", "1"]], [["1", "1"], ["0", "0.5"]]]),
    ],
)
def test_matrix_blocks_agree_with_the_flow(net, x, directions):
    problem = regression(net, x, "2", "0.3", directions)
    outcome = check(problem, predict(problem, digits=20), digits=20)
    assert outcome.verdict == "holds"


def test_a_wrong_prediction_fails_both_the_flow_and_the_linear_flow():
    problem = regression(sb.Diagonal(2, 2), [1, 2], 1, "0.5", [["2", "1"], ["1", "0"]])
    prediction = predict(problem, digits=25)
    blocks = (np.array([b * (1 + MP.mpf("1e-17")) for b in prediction.blocks[0]]), prediction.blocks[1])
    outcome = check(problem, replace(prediction, blocks=blocks), digits=20)
    assert outcome.verdict == "fails"
    assert [e.name for e in outcome.evidence if not e.holds] == [
        "full flow against the prediction",
        "blocks against the linear flow",
    ]


@pytest.mark.parametrize("kind", [str, float])  # a small exact problem is solved with digits to spare, floats are not
@pytest.mark.parametrize("alpha", ["1e-400", "1e-160", "1e-8", "1", "1e8"])
def test_float64_agrees_with_forty_digits_at_any_alpha(alpha, kind):
    first, last = [kind(v) for v in (3, 2, 4)], [kind(0)] * 4
    problem = regression(sb.Convolutional(4, 2, filters=(3, 4)), [1.0, 2.0, 0.0, -1.0], 1, alpha, [first, last])
    precise = predict(problem, digits=40)
    plain = predict(problem)
    size = max(abs(b) for b in precise.coefficients)
    # 750 eps from logarithms of that size, twice for a product of two blocks
    assert gap(plain.coefficients, precise.coefficients) <= 1e-12 * size


def test_theorem_5_and_theorem_6_agree_where_both_apply():
    net = sb.Diagonal(3, 2)
    for alpha in ("1e-30", "0.1", "10"):
        problem = sb.Regression(
            net, [["1", "-2", "0.5"]], ["3"], sb.Initialization.theorem_5(net, alpha, ["1", "2", "0.5"])
        )
        five, six = (predict(problem, digits=30, theorem=name) for name in ("theorem_5", "theorem_6"))
        assert gap(five.coefficients, six.coefficients, relative=True) <= 1e-29
        for a, b in zip(five.blocks, six.blocks, strict=True):
            assert gap(a, b, relative=True) <= 1e-29
    assert predict(problem).statement.id == "theorem_6"  # the order of design.md


def test_the_margin_is_the_best_over_bases_of_a_singular_subspace():
    # Fully connected: one subspace, coordinates W^T x / |x| and w. (3, 0) and (0, 1): per coordinate 9 and -1, in the
    # best basis 4.
    problem = regression(sb.FullyConnected(2, 2), [1, 0], 1, 1, [[[3, 0], [0, 5]], [0, 1]])
    assert theorem_6.hypotheses(problem)[-1].margin == pytest.approx(4, rel=1e-15)
    assert predict(problem).applies
    # distinct singular values: no basis to choose, and the same start fails by -1
    apart = regression(sb.Diagonal(2, 2), ["1", "2"], 1, 1, [["3", "0"], ["0", "1"]])
    record = theorem_6.hypotheses(apart)[-1]
    assert not record.holds and record.margin == pytest.approx(-1, rel=1e-15)


@pytest.mark.parametrize("net", [sb.Diagonal(2, 2), sb.Convolutional(2, 2)])
def test_eta_2_equal_to_minus_eta_1_stalls_and_says_at_which_loss(net):
    # M is symmetric positive (diagonal) or s_1 > 0 > s_2 by its eigenvalues: v_2 = -v_1 along the eigenvector of
    # eigenvalue 3.
    problem = regression(net, ["1", "2"], "3", "0.5", [["1", "1"], ["-1", "-1"]])
    with pytest.raises(HypothesisFails, match=r"stalls.*4\.50e\+00"):
        predict(problem, theorem="theorem_6", outside=True)
    downwards = regression(net, ["1", "2"], "-3", "0.5", [["1", "1"], ["-1", "-1"]])
    assert not predict(downwards, theorem="theorem_6", outside=True).applies


def test_parts_outside_the_singular_spaces_stay_where_they_start():
    # Diagonal, x_2 = 0: coordinate 2 never moves, beta_2 = alpha^2 * 5 * 7.
    problem = regression(sb.Diagonal(2, 2), ["2", "0"], "1", "0.1", [["1", "5"], ["0", "7"]])
    prediction = predict(problem, digits=20)
    assert gap(prediction.coefficients, ["0.5", "0.35"]) <= 1e-20
    assert prediction.hypotheses[-1].holds  # a zero singular value is no singular value


def test_the_small_alpha_end_keeps_the_top_singular_vectors():
    problem = regression(sb.Diagonal(3, 2), ["1", "-2", "2"], "-4", 1, [["1", "3", "4"], ["0", "0", "0"]])
    end = limit(problem, alpha=0, digits=20)
    # s = 2 twice, coordinates (3, 4): rho is y/s (9, 16)/25 with signs of x: beta = -2 (0, -9, 16)/25
    assert gap(end.coefficients, ["0", "0.72", "-1.28"]) <= 1e-19
    near = predict(
        regression(sb.Diagonal(3, 2), ["1", "-2", "2"], "-4", "1e-60", problem.start().directions), digits=20
    )
    # s_2/s_1 = 1/2: rho_1 goes like alpha^{2(1 - 1/2)} = 1e-60
    assert 1e-62 <= gap(end.coefficients, near.coefficients) <= 1e-18  # 20 digits of each are compared
    assert 1e-61 < abs(near.coefficients[0]) < 1e-59


def test_the_large_alpha_end_is_the_linearised_model_or_does_not_exist():
    net = sb.Diagonal(2, 2)
    problem = sb.Regression(net, [["1", "2"]], ["1"], sb.Initialization.theorem_5(net, 1, ["1", "3"]))
    # min sum beta_j^2 / η̄_j^2: beta = y η̄^2 x / sum η̄^2 x^2 = (1, 18) / 37
    assert gap(limit(problem, alpha=float("inf"), digits=20).coefficients, [MP.mpf(1) / 37, MP.mpf(18) / 37]) <= 1e-19
    grows = regression(net, ["1", "2"], "1", 1, [["2", "2"], ["1", "0"]])
    with pytest.raises(BadInput, match="grow like alpha"):
        limit(grows, alpha=float("inf"), theorem="theorem_6")


def test_structure_is_checked_first():
    deep = sb.Diagonal(2, 3)
    problem = sb.Regression(deep, [[1, 2]], [1], sb.Initialization.theorem_5(deep, 1, 1))
    with pytest.raises(HypothesisFails, match="depth 2"):
        THEOREM.require(problem)
    with pytest.raises(HypothesisFails, match="depth 2"):
        predict(problem, theorem="theorem_6", outside=True)
    two = sb.Regression(sb.Diagonal(2, 2), [[1, 2], [0, 1]], [1, 1], sb.Initialization(1, [[1, 1], [0, 0]]))
    with pytest.raises(HypothesisFails, match="one sample"):
        THEOREM.require(two)
    tied = regression(sb.DifferenceOfPowers(2, 2), [1, 2], 1, 1, [[1, 1], [1, 1]])
    with pytest.raises(HypothesisFails, match="tied"):
        THEOREM.require(tied)


@pytest.mark.parametrize("alpha", ["1e-160", "0.01", "1"])
def test_y_zero_from_a_start_with_an_output_cancels_to_rounding(alpha):
    # one coordinate, eta = (2, 3), y = 0: eta_1 -> 0 and eta_2^2 -> (9 - 4) alpha^2
    problem = regression(sb.Diagonal(1, 2), ["-2"], "0", alpha, [["2"], ["3"]])
    for prediction in (
        predict(problem, theorem="theorem_6", outside=True),
        predict(problem, 20, theorem="theorem_6", outside=True),
    ):
        first, second = (MP.convert(block[0]) / MP.mpf(alpha) for block in prediction.blocks)
        # float64: log alpha = -370 carries an error of 370 eps = 8e-14 into the size of both
        assert abs(first) <= 1e-13 and abs(second - MP.sqrt(5)) <= 1e-12


@pytest.mark.parametrize("digits", [None, 20])
@pytest.mark.parametrize("small", ["1e-14", "1e-60"])
def test_a_small_entry_of_the_start_is_no_rounding_and_may_win(small, digits):
    # rho_j = (eta_j^2 / 2) sinh(2 s_j nu) and sum_j s_j rho_j = 1: s_2 = 1000 s_1 outweighs eta_2 = 1e-14, even 1e-60
    problem = regression(sb.Diagonal(2, 2), ["1", "1000"], "1", "1", [["1", small], ["0", "0"]])

    def rho(nu):
        return MP.sinh(2 * nu) / 2, MP.mpf(small) ** 2 * MP.sinh(2000 * nu) / 2

    low, high = MP.mpf(0), MP.one
    for _ in range(250):  # halving to 2^-250 = 1e-75
        middle = (low + high) / 2
        first, second = rho(middle)
        low, high = (middle, high) if first + 1000 * second < 1 else (low, middle)
    expected = rho(low)
    assert MP.mpf("1e-5") < expected[1]  # it matters
    # float64: one rounding of an answer found in 17 digits
    assert gap(predict(problem, digits).coefficients, expected, relative=True) <= (1e-15 if digits is None else 1e-19)


@pytest.mark.parametrize("y", ["1e-50", "1e-80", "1e-300"])
def test_a_small_target_keeps_all_its_digits(y):
    # eta_2 = 0: beta = y x / |x|^2 up to relative y^2
    problem = regression(sb.Diagonal(2, 2), ["1", "2"], y, "1", [["1", "1"], ["0", "0"]])
    expected = [MP.mpf(y) / 5, 2 * MP.mpf(y) / 5]
    assert gap(predict(problem, digits=20).coefficients, expected, relative=True) <= 1e-19


@pytest.mark.parametrize("kind", [str, float])
@pytest.mark.parametrize(("alpha", "y"), [("1e200", "0.25"), ("1e100", "1e-130")])
def test_what_floats_cannot_hold_is_refused_and_answered_in_digits(alpha, y, kind):
    problem = regression(sb.Diagonal(1, 2), [kind(2)], y, alpha, [[kind(1)], [kind(0)]])
    with pytest.raises(BadInput, match="float64: ask for digits"):
        predict(problem)
    assert gap(predict(problem, digits=20).coefficients, [MP.mpf(y) / 2], relative=True) <= 1e-19


def test_y_zero_keeps_the_start_when_the_start_fits_it():
    problem = regression(sb.Diagonal(2, 2), ["1", "2"], "0", "0.5", [["1", "1"], ["0", "0"]])
    prediction = predict(problem, digits=20)
    assert all(b == 0 for b in prediction.coefficients) and all(b == mpmath.mpf("0.5") for b in prediction.blocks[0])

"""General initialization: against the flow for both tasks, Theorem 5 as a special case, ties and stalls."""

from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import symbias as sb
from symbias.checks import check
from symbias.checks.mirror import general
from symbias.errors import BadInput, HypothesisFails, NotConverged
from symbias.functions import general_potential
from symbias.numeric.taylor_flow import flow_limit
from symbias.precision import context
from symbias.theorems import predict
from symbias.theorems.beyond import general_initialization, general_point

MP = mpmath.MPContext()
MP.dps = 60
X, Y = [["1", "2", "-1"], ["0", "1", "3"]], ["1", "2"]


def start(depth, seed, alpha="0.2"):
    values = np.random.default_rng(seed).integers(-9, 10, size=(depth, 3))
    return sb.Initialization(alpha, [[Fraction(int(v), 4) for v in row] for row in values])


def ask(problem, digits=None):
    return predict(problem, digits=digits, theorem="general_initialization")


@pytest.mark.parametrize("depth", [2, 3, 4, 5])
@pytest.mark.parametrize("seed", [1, 2])
def test_prediction_agrees_with_the_full_flow(depth, seed):
    problem = sb.Regression(sb.Diagonal(3, depth), X, Y, start(depth, seed))
    prediction = ask(problem, digits=25)
    outcome = check(problem, prediction, digits=25)
    assert outcome.verdict == "holds" and outcome.points == 3 + 3 * depth
    assert all(r.holds for r in general(problem, prediction, 25))


def test_a_point_moved_along_the_solutions_is_not_stationary():
    problem = sb.Regression(sb.Diagonal(3, 3), X, Y, start(3, 1))
    prediction = ask(problem, digits=30)
    moved = np.array(
        [MP.convert(b) + MP.mpf("1e-15") * k for b, k in zip(prediction.coefficients, (7, -3, 1), strict=True)]
    )
    records = {r.name: r.holds for r in general(problem, replace(prediction, coefficients=moved), 30)}
    assert records["feasibility X beta = y"] and not records["stationarity of Q"]


def test_even_convolutions_and_commuting_matrices_are_covered():
    net = sb.Convolutional(4, 3)
    even = [["3", "1", "2", "1"], ["1", "-1", "1", "-1"], ["2", "0.5", "1", "0.5"]]
    problem = sb.Regression(net, [["1", "2", "0", "2"]], ["3"], sb.Initialization("0.5", even))
    assert check(problem, ask(problem, digits=20), digits=20).verdict == "holds"
    sensing = sb.MatrixSensing(2, 2)
    blocks = [[["2", "1"], ["1", "2"]], [["1", "0.5"], ["0.5", "1"]]]
    problem = sb.Regression(sensing, [[["1", "3"], ["3", "1"]]], ["2"], sb.Initialization("0.5", blocks))
    assert check(problem, ask(problem, digits=20), digits=20).verdict == "holds"
    uneven = sb.Regression(
        net, [["1", "2", "0", "2"]], ["3"], sb.Initialization("0.5", [["3", "1", "2", "0"], *even[1:]])
    )
    with pytest.raises(HypothesisFails, match="span"):
        ask(uneven)


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_theorem_5_is_the_special_case_of_a_zero_last_layer(depth):
    net = sb.Diagonal(3, depth)
    problem = sb.Regression(net, X, Y, sb.Initialization.theorem_5(net, "0.3", ["1", "-2", "0.5"]))
    ours, five = ask(problem, digits=25), predict(problem, digits=25, theorem="theorem_5")
    assert max(abs(MP.convert(a) - b) for a, b in zip(ours.coefficients, five.coefficients, strict=True)) <= 1e-24
    assert abs(MP.convert(ours.potential) / five.potential - 1) <= 1e-23


@pytest.mark.parametrize("alpha", ["1e-10", "1e3"])
def test_any_scale(alpha):
    problem = sb.Regression(sb.Diagonal(3, 3), X, Y, start(3, 3, alpha))
    plain, precise = ask(problem), ask(problem, digits=25)
    size = max(abs(b) for b in precise.coefficients)
    assert max(abs(a - b) for a, b in zip(plain.coefficients, precise.coefficients, strict=True)) <= 1e-15 * size
    assert all(r.holds for r in general(problem, precise, 25))


def test_a_tie_keeps_the_sign_and_decides_whether_the_loss_stalls():
    # x = 1, y = -1, u = v = 1: uv >= 0 for ever, so beta = 1 cannot become -1; with v = -1 it can
    net = sb.Diagonal(1, 2)
    stalls = sb.Regression(net, [["1"]], ["-1"], sb.Initialization(1, [["1"], ["1"]]))
    with pytest.raises(HypothesisFails, match="stalls"):
        ask(stalls)
    goes = sb.Regression(net, [["1"]], ["-3"], sb.Initialization(1, [["1"], ["-1"]]))
    assert ask(goes, digits=20).coefficients[0] == -3
    edge = sb.Regression(net, [["1"]], ["0"], sb.Initialization(1, [["1"], ["1"]]))
    with pytest.raises(HypothesisFails, match="on the edge"):
        ask(edge)


def test_two_zero_layers_freeze_a_coordinate():
    net = sb.Diagonal(2, 3)
    frozen = [["1", "1"], ["0", "1"], ["0", "2"]]
    prediction = ask(sb.Regression(net, [["1", "2"]], ["3"], sb.Initialization(1, frozen)), digits=20)
    assert list(prediction.coefficients) == [0, 1.5]
    with pytest.raises(HypothesisFails, match="stalls"):
        ask(sb.Regression(net, [["1", "0"]], ["3"], sb.Initialization(1, frozen)))


def test_a_start_with_the_smallest_layer_crossing_zero_is_covered():
    # the reference layer must be able to change sign: eta_1 = 3, eta_2 = 1 > 0 and y < 0
    problem = sb.Regression(sb.Diagonal(1, 2), [["1"]], ["-5"], sb.Initialization(1, [["3"], ["1"]]))
    prediction = ask(problem, digits=25)
    first, second = (MP.convert(block[0]) for block in prediction.blocks)
    assert abs(first * second + 5) <= 1e-23 and abs(first**2 - second**2 - 8) <= 1e-23 and first > 0 > second


@pytest.mark.parametrize("depth", [2, 3, 4, 5])
def test_the_classification_flow_minimises_the_same_potential_at_its_own_margins(depth):
    """At every time rho(t) of the exponential loss is the minimum over X beta = its own outputs: beyond one sample
    too.
    """
    from symbias.numeric.products import Hadamard

    ctx = context(40)
    first = start(depth, 4, "0.25")
    rows = np.array([[ctx.mpf(e) for e in row] for row in X], dtype=object)
    labels = np.array([ctx.one, -ctx.one], dtype=object)
    blocks = first.blocks(ctx)
    coarse, beta = (_integrated(ctx, Hadamard(), rows, labels, blocks, steps=count) for count in (400, 800))
    error = max(abs(coarse - beta))  # of the coarse one; the fine one is 16 times better
    outputs = rows @ beta
    problem = sb.Regression(sb.Diagonal(3, depth), X, outputs, first)
    ours = ask(problem, digits=25).coefficients
    assert error < 1e-4
    assert max(abs(a - b) for a, b in zip(ours, beta, strict=True)) <= error + 1e-13
    moved = ask(sb.Regression(sb.Diagonal(3, depth), X, [outputs[0] + ctx.mpf("1e-3"), outputs[1]], first), digits=25)
    assert max(abs(a - b) for a, b in zip(moved.coefficients, beta, strict=True)) > 10 * error


def _integrated(ctx, product, X, y, blocks, steps, time=0.2):  # noqa: N803
    """The flow of sum exp(-y f) by Runge and Kutta, in floats of the blocks' own kind."""
    X, y = X.astype(float), y.astype(float)
    blocks = [block.astype(float) for block in blocks]

    def speed(at):
        r = -y * np.exp(-y * (X @ product.beta(at)))
        return [-g for g in product.gradients(at, X.T @ r)]

    h = time / steps
    for _ in range(steps):
        k1 = speed(blocks)
        k2 = speed([b + h / 2 * k for b, k in zip(blocks, k1, strict=True)])
        k3 = speed([b + h / 2 * k for b, k in zip(blocks, k2, strict=True)])
        k4 = speed([b + h * k for b, k in zip(blocks, k3, strict=True)])
        parts = zip(blocks, k1, k2, k3, k4, strict=True)
        blocks = [b + h / 6 * (a + 2 * c + 2 * d + e) for b, a, c, d, e in parts]
    return np.array([ctx.mpf(float(b)) for b in product.beta(blocks)], dtype=object)


def test_the_flow_itself_is_the_judge_of_a_crossing_sign():
    ctx = context(60)
    problem = sb.Regression(sb.Diagonal(3, 3), X, Y, start(3, 7))
    flow = flow_limit(problem.network.product, *problem.data(ctx), problem.start().blocks(ctx), 15)
    ours = ask(problem, digits=15).coefficients
    assert max(abs(a - b) for a, b in zip(ours, flow.beta, strict=True)) <= 1e-14
    assert general_initialization.hypotheses(problem)[-1].holds


@pytest.mark.parametrize("depth", [2, 3, 4, 5])
def test_the_value_of_the_potential_is_that_of_the_symbolic_core_and_the_least_along_the_solutions(depth):
    first = start(depth, 1, "0.2")
    prediction = ask(sb.Regression(sb.Diagonal(3, depth), X, Y, first), digits=30)
    initial = [[first.alpha * Fraction(int(v.p), int(v.q)) for v in block] for block in first.directions]
    value = general_potential(prediction.singular_values, initial, digits=30)
    assert abs(MP.convert(value) / prediction.potential - 1) <= 1e-27
    for step in ("1e-3", "-1e-3"):
        moved = [MP.convert(r) + MP.mpf(step) * k for r, k in zip(prediction.singular_values, (7, -3, 1), strict=True)]
        assert general_potential(moved, initial, digits=30) > value


IDENTITY = [["1", "0"], ["0", "1"]]


@pytest.mark.parametrize("digits", [None, 15, 30])
@pytest.mark.parametrize(
    "rows, y, directions",
    [
        ([["1"]], ["0"], [["2"], ["3"], ["1"]]),
        ([["1"]], ["0"], [["2"], ["3"]]),
        (IDENTITY, [0, 0], [["2", "1"], ["3", "5"]]),
        (IDENTITY, ["0", "1"], [["2", "1"], ["3", "5"]]),  # one of the two
        ([["1", "1"]], ["0"], [["2", "2"], ["3", "3"]]),  # equal coordinates, so beta_1 = beta_2 = -beta_2
    ],
)
def test_a_target_of_zero_from_a_start_that_is_not(rows, y, directions, digits):
    # X beta = y alone (the last: by symmetry) gives beta = y, exactly
    net = sb.Diagonal(len(rows[0]), len(directions))
    prediction = ask(sb.Regression(net, rows, y, sb.Initialization(1, directions)), digits)
    assert list(prediction.coefficients) == ([0, 1] if "1" in y else [0] * len(rows[0]))
    # the conserved differences of squares, e.g. 3^2 - 2^2 = 5, hold at the end too
    for j in range(len(rows[0])):
        first, second = (MP.convert(prediction.blocks[layer][j]) for layer in (0, 1))
        kept = int(directions[0][j]) ** 2 - int(directions[1][j]) ** 2
        assert abs(first**2 - second**2 - kept) <= 1e-13 * 25  # rounding of float64 at squares up to 25


@pytest.mark.parametrize("alpha", ["1e-30", "1e20"])
def test_a_target_of_zero_at_any_scale(alpha):
    problem = sb.Regression(sb.Diagonal(1, 3), [["1"]], ["0"], sb.Initialization(alpha, [["2"], ["3"], ["1"]]))
    assert ask(problem).coefficients == [0]


@pytest.mark.parametrize("digits", [None, 30])
@pytest.mark.parametrize("y", ["1e-60", "-1e-60", "1e-18"])
def test_a_target_far_below_the_start_keeps_its_digits(y, digits):
    for directions in ([["2"], ["3"], ["1"]], [["2"], ["3"]]):
        problem = sb.Regression(sb.Diagonal(1, len(directions)), [["1"]], [y], sb.Initialization(1, directions))
        beta = MP.convert(ask(problem, digits).coefficients[0])
        assert abs(beta / MP.mpf(y) - 1) <= (1e-15 if digits is None else MP.mpf(10) ** -29)


def test_scales_far_apart_keep_their_digits():
    rows = [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"]]
    y = ["1e30", "1e-60", "1e30"]
    problem = sb.Regression(sb.Diagonal(3, 2), rows, y, sb.Initialization(1, [["2", "1", "1"], ["3", "5", "2"]]))
    beta = ask(problem, 20).coefficients
    assert max(abs(MP.convert(b) / MP.mpf(t) - 1) for b, t in zip(beta, y, strict=True)) <= MP.mpf(10) ** -19


def test_small_coefficients_that_a_target_of_zero_balances_are_not_zero():
    # depth 2, eta_1 = (2, 2 + e), eta_2 = (3, 3), x = (1, 1), y = 0, e = 1e-40. Both coordinates are
    # rho = (delta/2) sinh 2v with 2v = 2v_0 + 2t and the same t, and rho_1 = -rho_2. To first order in e, at v = 0:
    # rho = (delta/2) (2v_0 - 2v_0')/2, 2v_0 = log((3 + eta)/(3 - eta)), delta = 5, d(2v_0)/d eta = 6/(9 - eta^2) = 6/5,
    # so rho_1 = -(5/2) (6/5) e/2 = -1.5 e
    near = [["2", "2." + "0" * 39 + "1"], ["3", "3"]]
    beta = ask(sb.Regression(sb.Diagonal(2, 2), [["1", "1"]], ["0"], sb.Initialization(1, near)), 20).coefficients
    for entry, expected in zip(beta, ("-1.5e-40", "1.5e-40"), strict=True):
        assert abs(MP.convert(entry) / MP.mpf(expected) - 1) <= MP.mpf(10) ** -19


def test_an_entry_that_the_transform_cancels_is_zero():
    # even convolution of dimension 4 and x = e_0: every even beta with beta_0 = 0 fits
    even = [["3", "1", "2", "1"], ["1", "-1", "1", "-1"]]
    problem = sb.Regression(sb.Convolutional(4, 2), [["1", "0", "0", "0"]], ["0"], sb.Initialization(1, even))
    prediction = ask(problem, 20)
    assert prediction.coefficients[0] == 0 and min(abs(b) for b in prediction.coefficients[1:]) > 0.1
    assert all(r.holds for r in general(problem, prediction, 20))


@pytest.mark.parametrize("error", ["1e-15", "1e-40", "1"])
def test_a_wrong_beta_still_fails_at_a_target_of_zero(monkeypatch, error):
    # the solver's point moved by far more than its noise, about 10^-80 of the start: no zero, no number
    solve = general_point.argmin_precise

    def wrong(*given):
        point = solve(*given)
        return replace(point, v=point.v + MP.mpf(error), rho=point.rho + MP.mpf(error))

    monkeypatch.setattr(general_point, "argmin_precise", wrong)
    for y in ("0", "1e-60"):
        problem = sb.Regression(sb.Diagonal(1, 2), [["1"]], [y], sb.Initialization(1, [["2"], ["3"]]))
        with pytest.raises(NotConverged, match="X beta = y"):
            ask(problem, 30)


WIDE = [["1", "2", "3"], ["1", "-1", "2"], ["0.5", "3", "0.25"]]


@pytest.mark.parametrize("alpha", ["1e-400", "1e300"])
def test_a_start_beyond_the_range_of_float64_is_refused_by_name(alpha):
    problem = sb.Regression(sb.Diagonal(3, 3), [[1, 2, -1], [0, 1, 1]], [1, 2], sb.Initialization(alpha, WIDE))
    with pytest.raises(BadInput, match=r"reaches 10\^-?[34]00 .* ask for digits"):
        ask(problem)


@pytest.mark.parametrize("X, y", [([["1", "1e308", "-1"], [0, 1, 1]], [1, 2]), ([[1, 2, -1], [0, 1, 1]], [1, "1e308"])])
def test_data_next_to_the_largest_float_leak_no_warning(X, y):  # noqa: N803
    found = ask(sb.Regression(sb.Diagonal(3, 3), X, y, sb.Initialization(1, WIDE)))
    fitted = sum(MP.mpf(str(x)) * MP.mpf(float(b)) for x, b in zip(X[1], found.coefficients, strict=True))
    # the second sample sees nothing of 1e308 in X; float64 holds the sum to a few units in the last place
    assert abs(fitted / MP.mpf(y[1]) - 1) <= 1e-15


def test_the_potential_to_many_digits_is_the_symbolic_one_though_its_integrals_are_taken_to_few():
    problem = sb.Regression(
        sb.Diagonal(3, 4), [[1, 2, -1], [0, 1, 1]], [1, 2], sb.Initialization("1e-30", [*WIDE, [2] * 3])
    )
    found = ask(problem, 25)
    eta = [[MP.mpf("1e-30") * MP.mpf(e) for e in layer] for layer in [*WIDE, [2] * 3]]
    value = sb.functions.general_initialization.general_potential(list(found.coefficients), eta, digits=25)
    # rho is rounded to 25 digits, which moves Q by as little; one digit for sums
    assert abs(MP.convert(found.potential) / MP.convert(value) - 1) <= MP.mpf(10) ** -24


@pytest.mark.parametrize("digits", [None, 20])
@pytest.mark.parametrize(
    "rows, y, expected",
    [
        ([[1, 0], [0, 1]], [1, 0], [1, 0]),  # the second sample sees the dead coordinate only
        ([[1, 1], [2, -1]], [1, 2], [1, 0]),  # two samples, one coordinate that moves: they agree
        ([[0, 1]], [0], [3, 0]),  # no sample sees what moves: it stays at 1 * 2 * 1.5
    ],
)
def test_samples_that_dead_coordinates_make_dependent(rows, y, expected, digits):
    start = sb.Initialization(1, [["1", 0], ["2", 0], ["1.5", 3]])
    problem = sb.Regression(sb.Diagonal(2, 3), rows, y, start)
    assert [float(b) for b in ask(problem, digits).coefficients] == pytest.approx(expected, rel=1e-14, abs=0)
    # and where they do not agree, the loss stalls
    if len(rows) == 2:
        other = sb.Regression(sb.Diagonal(2, 3), rows, [y[0], y[1] + 1], start)
        with pytest.raises(HypothesisFails, match="stalls"):
            ask(other, digits)


def commuting_floats(depth=3):
    """Two symmetric matrices of floats that commute to rounding, and blocks diagonal in their eigenbasis."""
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    A, *W = [np.array([Q @ np.diag(rng.standard_normal(3)) @ Q.T for _ in range(2)])] + [
        Q @ np.diag(rng.standard_normal(3)) @ Q.T for _ in range(depth)
    ]
    return (A + A.transpose(0, 2, 1)) / 2, W


def test_samples_of_floats_that_commute_to_rounding():
    A, W = commuting_floats()
    start = sb.Initialization(0.5, W)
    found = sb.predict(sb.Regression(sb.MatrixSensing(3, 3), A, [1.0, 1.0], start))
    assert found.statement.id == "general_initialization"

    def flow(_, state):
        U, V, Z = state.reshape(3, 3, 3)
        G = sum((np.sum(a * (U @ V @ Z)) - 1) * a for a in A)
        return -np.array([G @ (V @ Z).T, U.T @ G @ Z.T, (U @ V).T @ G]).ravel()

    end = solve_ivp(flow, (0, 2000), 0.5 * np.array(W).ravel(), method="LSODA", rtol=1e-11, atol=1e-12).y[:, -1]
    U, V, Z = end.reshape(3, 3, 3)
    np.testing.assert_allclose(found.coefficients, U @ V @ Z, atol=1e-9)  # 100 times the tolerance of the integration
    with pytest.raises(NotConverged, match="common eigenbasis"):
        sb.predict(sb.Regression(sb.MatrixSensing(3, 3), A, [1.0, 1.0], start), digits=20)
    # classification: whether its statement applies is not decided, and Theorem 1 answers by the full flow
    assert sb.predict(sb.Classification(sb.MatrixSensing(3, 3), A, [1, 1], start)).statement.id == "theorem_1"


def test_the_potential_of_a_start_that_fits_is_zero_and_near_it_keeps_its_digits():
    # rho(0) = (1, 4, -3)/8 and x = (1, 2, -1), so that f = 1 at the start; y = 1 + e moves it by e, and Q like e^2
    start = sb.Initialization("0.5", [["1", "2", "3"], ["2", "1", "-1"], ["0.5", "1", "1"]])
    net = sb.Diagonal(3, 3)
    fits = sb.Regression(net, [["1", "2", "-1"]], ["1"], start)
    assert 0 <= ask(fits).potential <= 1e-30  # Q = sum t^2 rho' t'/2, and t is of the size of eps
    near = sb.Regression(net, [["1", "2", "-1"]], ["1.00001"], start)
    # Q ~ 1e-11: z rounded to eps moves y - f(0) = 1e-5 by a relative 2e-11, and Q by twice that
    assert ask(near).potential == pytest.approx(float(ask(near, 25).potential), rel=5e-11)


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_the_potential_in_float64_is_that_of_the_functions(depth):
    # eta multiples of 1/2 at alpha = 1/8: far enough from the start for float64 to hold Q = sum rho t - (z^2 - z_0^2)/2
    directions = [["1", "2", "1.5"], ["2.5", "0.5", "-1"], ["-1.5", "3", "2"], ["0.5", "1", "3"]][:depth]
    start = sb.Initialization("0.125", directions)
    found = ask(sb.Regression(sb.Diagonal(3, depth), [["1", "2", "-1"], ["0", "1", "3"]], ["1", "2"], start))
    initial = [[Fraction(entry) / 8 for entry in block] for block in directions]
    wanted = general_potential([MP.mpf(float(r)) for r in found.singular_values], initial, digits=30)
    assert found.potential == pytest.approx(float(wanted), rel=1e-12)  # t and z, each to some 10 eps

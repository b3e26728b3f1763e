"""Limit directions: closed forms, the paper's data, real data, random problems by two ways."""

import time
from dataclasses import replace
from math import exp

import mpmath
import numpy as np
import pytest

import symbias as sb
from symbias.data import load_digits
from symbias.errors import BadInput, HypothesisFails, Undecided
from symbias.numeric.separability import combination
from symbias.simulate import simulate

COVERS = ["theorem_1", "theorem_2", "corollary_1", "corollary_2", "corollary_3"]

FIVE = sb.Initialization.theorem_5
IDENTITY = [[1, 0], [0, 1]]


def unit(v):
    return v / np.linalg.norm(v)


def distance(ours, text):
    """The largest difference from decimals given as text or mpmath numbers, in 45 digits."""
    with mpmath.workdps(45):
        return max(abs(a - mpmath.mpf(b)) for a, b in zip(ours, text, strict=True))


# (1) seen in float64 down to losses such as 10^(-233000000)


def test_the_angle_follows_its_closed_form_as_the_loss_falls():
    net = sb.Diagonal(dim=2, depth=2)
    problem = sb.Classification(net, [[1, 2]], [1], sb.Initialization(1, [[1, 1], [1, 0]]))
    with pytest.raises(HypothesisFails) as caught:
        sb.predict(problem, theorem="corollary_2")
    margins = [h.margin for h in caught.value.hypotheses if h.margin is not None]
    assert 0 in margins
    assert sb.predict(problem).statement.id == "general_initialization"  # which asks for no margin
    found = sb.predict(problem, theorem="corollary_2", outside=True)
    assert not found.applies
    assert found.direction.tolist() == [0, 1]
    began = time.perf_counter()
    path = simulate(problem, flow="full", clock="log_loss", log10_loss=-2.4e8, tolerance=1e-10)
    assert time.perf_counter() - began < 1  # measured 0.05 s
    # eta_1 = (e^nu, cosh 2 nu), eta_2 = (e^nu, sinh 2 nu): rho = (e^{2 nu}, sinh(4 nu)/2), f = e^{2 nu} + sinh(4 nu).
    angles = np.degrees(np.arctan2(path.coefficients[:, 0], path.coefficients[:, 1]))
    nu = 0.5 * np.log(path.coefficients[:, 0])
    loss = -(np.exp(2 * nu) + np.sinh(4 * nu)) / np.log(10)
    late = np.array(path.log10_loss) < -10
    # 119 steps of relative accuracy 1e-10; the angle is the square of the error of a block.
    assert np.allclose(loss[late], np.array(path.log10_loss)[late], rtol=1e-7)
    closed = np.degrees(np.arctan2(2 * np.exp(2 * nu), np.sinh(4 * nu)))
    assert np.allclose(angles, closed, rtol=1e-7)
    # By hand for large f: e^{4 nu} = 2 f, angle = 4 e^{-2 nu} = 4 / sqrt(2 f): 0.0163 degrees at 10^(-4.3e7), 0.007
    # at 10^(-2.33e8).
    decades = np.log10(-np.array(path.log10_loss)[late])
    for log10, degrees in ((-4.3e7, 0.016288), (-2.33e8, 0.006997)):
        read = 10 ** np.interp(np.log10(-log10), decades, np.log10(angles[late]))  # a power law: linear in logarithms
        assert abs(read / degrees - 1) < 1e-3


# (2) one sample, depth 3


def test_the_winner_of_the_example_and_its_finite_loser_to_thirty_digits():
    net = sb.Diagonal(dim=2, depth=3)
    problem = sb.Classification(net, [[1, 2]], [1], FIVE(net, "0.5", [3, 1]))
    found = sb.predict(problem, digits=35)
    assert found.direction.tolist() == [1, 0]
    assert found.finite[0] == mpmath.inf
    with mpmath.workdps(45):
        # kappa = 2 (1/2)/(3/2) = 2/3 of pi/2: tan sec^2 at pi/3 is 4 sqrt(3), times (1/2)^3.
        assert abs(found.finite[1] - mpmath.sqrt(3) / 2) < mpmath.mpf(10) ** -34


def test_the_losers_tend_to_their_finite_values_along_the_flow():
    net = sb.Diagonal(dim=3, depth=4)
    problem = sb.Classification(net, [[1, -2, 3]], [-1], FIVE(net, 1, [2, 1, "0.5"]))
    found = sb.predict(problem, digits=20)
    path = simulate(problem, flow="full", clock="log_loss", log10_loss=-1e12, tolerance=1e-10)
    # |eta|^2 |s| = 4, 2, 0.75: the first wins. The rest of the way of nu is of order margin^{-1/2}.
    assert np.allclose(path.coefficients[-1][1:], found.finite[1:].astype(float), rtol=1e-5)
    assert found.direction.tolist() == [-1, 0, 0]


# (3) the paper's two points


PAPER = {
    "fully_connected": (sb.FullyConnected(2, 2), [IDENTITY, [1, 0]], lambda: (1 / mpmath.sqrt(5), 2 / mpmath.sqrt(5))),
    "diagonal": (sb.Diagonal(2, 2), [[1, 1], ["0.5", 0]], lambda: (0, 1)),
    "convolutional": (sb.Convolutional(2, 2), [[1, 0], ["0.5", 0]], lambda: (1 / mpmath.sqrt(2), 1 / mpmath.sqrt(2))),
}


@pytest.mark.parametrize("name", PAPER)
def test_the_papers_three_networks_to_thirty_digits_and_a_second_way(name):
    net, directions, limit = PAPER[name]
    problem = sb.Classification(net, [[1, 2], [0, -3]], [1, -1], sb.Initialization(1, directions))
    found = sb.predict(problem, digits=32)
    with mpmath.workdps(45):
        truth = limit()
    assert distance(found.direction, truth) < mpmath.mpf(10) ** -31
    outcome = sb.check(problem, found, digits=30)
    assert outcome.verdict == "holds", outcome
    assert outcome.digits >= 29


STEP, STEPS = 5e-4, 2_000_000  # the paper's own


def descend_fully_connected():
    a, b, c, d, u, v = 1.0, 0.0, 0.0, 1.0, 1.0, 0.0
    for _ in range(STEPS):
        p, q = a * u + b * v, c * u + d * v
        r1, r2 = STEP * exp(-(p + 2 * q)), STEP * exp(-3 * q)
        g, k = r1, 2 * r1 + 3 * r2
        a, b, c, d, u, v = a + g * u, b + g * v, c + k * u, d + k * v, u + g * a + k * c, v + g * b + k * d
    return a * u + b * v, c * u + d * v


def descend_diagonal():
    a, b, c, d = 1.0, 1.0, 0.5, 0.0
    for _ in range(STEPS):
        r1, r2 = STEP * exp(-(a * c + 2 * b * d)), STEP * exp(-3 * b * d)
        g, k = r1, 2 * r1 + 3 * r2
        a, b, c, d = a + g * c, b + k * d, c + g * a, d + k * b
    return a * c, b * d


def descend_convolutional():
    a, b, c, d = 1.0, 0.0, 0.5, 0.0
    for _ in range(STEPS):
        p, q = a * c + b * d, a * d + b * c
        r1, r2 = STEP * exp(-(p + 2 * q)), STEP * exp(-3 * q)
        g, k = r1, 2 * r1 + 3 * r2
        a, b, c, d = a + g * c + k * d, b + g * d + k * c, c + g * a + k * b, d + g * b + k * a
    return a * c + b * d, a * d + b * c


DESCENTS = {
    "fully_connected": descend_fully_connected,
    "diagonal": descend_diagonal,
    "convolutional": descend_convolutional,
}


@pytest.mark.parametrize("name", PAPER)
def test_the_papers_two_million_steps_are_far_from_the_limit_and_on_the_flow(name):
    # Each network written out in plain Python, from the starts of PAPER.
    beta = np.array(DESCENTS[name]())
    net, directions, limit = PAPER[name]
    problem = sb.Classification(net, [[1, 2], [0, -3]], [1, -1], sb.Initialization(1, directions))
    path = simulate(problem, times=[STEP * STEPS])
    # Gradient descent follows the flow with an error of the order of the step.
    assert np.allclose(beta, path.coefficients[-1], rtol=2e-3)
    degrees = np.degrees(np.arccos(unit(beta) @ np.array(limit(), dtype=float)))
    assert 1 < degrees < 30  # from the limit: directions converge like 1/log t


# (4) real data


def digits_problem(net, init):
    data = load_digits()
    return sb.Classification(net, data.X, data.y, init)


def test_digits_fully_connected_is_the_l2_margin_of_an_independent_solver():
    from scipy.optimize import nnls

    net = sb.FullyConnected(64, 3, (4, 2))
    rng = np.random.default_rng(2)
    start = sb.Initialization("0.1", [rng.standard_normal(shape) for shape in net.block_shapes])
    problem = digits_problem(net, start)
    found = sb.predict(problem, digits=25)
    assert found.statement.id == "corollary_1"
    A = np.array(problem.signed(), dtype=float)
    E = np.vstack([A.T / 16, np.ones(len(A))])
    r = E @ nnls(E, np.append(np.zeros(64), 1.0))[0] - np.append(np.zeros(64), 1.0)
    assert np.allclose(unit(-r[:64] / r[64]), found.direction.astype(float), atol=1e-9)
    assert sum(mu > 0 for mu in found.multipliers) == 9
    assert "support vectors  x[1], x[5]" in repr(found)


def test_digits_convolution_has_the_l1_margin_of_the_spectrum():
    net = sb.Convolutional(64, 2)
    problem = digits_problem(net, sb.Initialization(1, [[1] + [0] * 63, [0] * 64]))
    found = sb.predict(problem, digits=25)
    A = np.array(problem.signed(), dtype=float)
    beta, mu = found.coefficients.astype(float), found.multipliers.astype(float)
    # Weak duality in NumPy: |F beta|_1 = sum mu, max |F A^T mu| = 1 up to the factor of S = sqrt(64) F.
    spectrum, dual = np.fft.fft(beta), np.fft.fft(A.T @ mu)
    assert (A @ beta).min() > 1 - 1e-12
    assert abs(np.abs(spectrum).sum() / 64 * np.abs(dual).max() - mu.sum()) < 1e-12 * mu.sum()


def test_digits_diagonal_reports_that_the_l1_margin_has_several_solutions():
    net = sb.Diagonal(64, 2)
    problem = digits_problem(net, FIVE(net, 1, 1))
    found = sb.predict(problem, digits=18)  # measured 5 s; 30 digits 10 s
    assert "several solutions" in found.notes[0]
    A = np.array(problem.signed(), dtype=int)
    with mpmath.workdps(25):
        assert abs(min(A @ found.coefficients) - 1) < mpmath.mpf(10) ** -17
        assert abs(sum(abs(found.coefficients)) - sum(found.multipliers)) < mpmath.mpf(10) ** -17
    found = replace(found, coefficients=found.coefficients.astype(float))
    # The flow approaches it like margin^-(1 - kappa), kappa = 0.98: 2e-3, 3e-4, 5e-5 at 10^(-1e20), 10^(-1e40),
    # 10^(-1e80).
    errors = []
    for exponent in (20, 40, 80):
        path = simulate(problem, flow="reduced", clock="log_loss", log10_loss=-(10.0**exponent))
        end = path.coefficients[-1]
        errors.append(np.abs(end / (A @ end).min() - found.coefficients).max())
    assert errors[2] < 1e-4 and errors[2] < 0.3 * errors[1] < 0.09 * errors[0]


# (5) short filters, one sample, against a nuclear-norm optimization


def nuclear_minimum(M, rounds=3000):
    """min |V|_* s.t. <M, V> = 1, by Douglas-Rachford: projection on the hyperplane, soft-thresholding of singular
    values.
    """
    V, Z = np.zeros_like(M), np.zeros_like(M)
    for _ in range(rounds):
        W = V + (1 - (M * V).sum()) / (M * M).sum() * M
        left, s, right = np.linalg.svd(2 * W - V, full_matrices=False)
        Z = (left * np.maximum(s - 0.1 / np.linalg.norm(M), 0)) @ right
        V = V + Z - W
    return Z


@pytest.mark.parametrize("length", [1, 2, 5])
def test_short_filters_minimise_the_nuclear_norm(length):
    x = np.array([3, -1, 2, 4, 1])
    net = sb.Convolutional(5, 2, (length, 5))
    problem = sb.Classification(net, [x.tolist()], [1], sb.Initialization(1, [[2, 1, 1, 3, 1][:length], [0] * 5]))
    found = sb.predict(problem, digits=25)
    M = np.array([[x[(i + j) % 5] for j in range(5)] for i in range(length)], dtype=float)
    V = nuclear_minimum(M)
    beta = np.zeros(5)
    for (i, j), entry in np.ndenumerate(V):
        beta[(i + j) % 5] += entry
    # Douglas-Rachford converges linearly; 3,000 rounds leave less than 1e-9 here.
    assert np.allclose(unit(beta), found.direction.astype(float), atol=1e-8)
    assert sb.check(problem, found, digits=20).verdict == "holds"


# (6) random problems by two ways


def random_problem(seed):
    rng = np.random.default_rng(seed)
    while True:
        d, n, depth = int(rng.integers(3, 11)), int(rng.integers(1, 5)), int(rng.integers(2, 6))
        alpha = str(round(float(10 ** rng.uniform(-2, 1)), 3))
        A = rng.integers(-3, 4, (n, d)).astype(object)
        y = rng.choice([-1, 1], n)
        if combination(A) is None:
            net = sb.Diagonal(d, depth)
            return sb.Classification(net, A * y[:, None], y, FIVE(net, alpha, 1))


@pytest.mark.parametrize("seed", range(20))
def test_random_problems_agree_to_25_digits_by_two_ways(seed):
    outcome = sb.check(random_problem(seed), digits=25)
    assert outcome.verdict == "holds", outcome
    assert outcome.digits >= 24


def test_a_wrong_direction_fails():
    problem = random_problem(11)
    found = sb.predict(problem, digits=25)
    with mpmath.workdps(40):
        changed = found.coefficients + mpmath.mpf(10) ** -18 * (found.coefficients + 1)
    outcome = sb.check(problem, replace(found, coefficients=changed), digits=25)
    assert outcome.verdict == "fails"
    assert outcome.digits < 20


# what decides, and what is refused


def test_the_start_and_not_the_global_optimum_decides():
    # theory.md, section 2: argmax |eta|^{L-2} |s|. With eta = (3, 1) the first coordinate wins, with (1, 1) the second.
    net = sb.Diagonal(2, 3)
    for eta, winner in (([3, 1], 0), ([1, 1], 1)):
        found = sb.predict(sb.Classification(net, [[1, 2]], [1], FIVE(net, 1, eta)))
        assert found.direction[winner] == 1


def test_an_exact_tie_shares_and_a_near_tie_does_not():
    net = sb.Diagonal(2, 4)
    # |eta|^2 |s| = 4 = 4: rho_j ∝ |s_j|^{-L/(L-2)} = |s_j|^{-2}: (1/16, 1), theory.md and algorithms.md, section 2.
    found = sb.predict(sb.Classification(net, [[4, 1]], [1], FIVE(net, 1, [1, 2])), digits=30)
    assert distance(found.coefficients, (mpmath.mpf(1) / 20, mpmath.mpf(16) / 20)) < mpmath.mpf(10) ** -15
    assert abs(found.coefficients[1] / found.coefficients[0] - 16) < mpmath.mpf(10) ** -14
    near = sb.predict(sb.Classification(net, [[4, 1]], [1], FIVE(net, 1, [1, "2.0000000000000000000001"])), digits=30)
    assert near.direction.tolist() == [0, 1]


def test_coordinates_of_one_conjugate_pair_share():
    net = sb.Convolutional(5, 3)
    w = [3, 1, 0, 0, 1]
    found = sb.predict(
        sb.Classification(net, [[1, 2, 4, 0, -3]], [1], sb.Initialization(1, [w, w, [0] * 5])), digits=25
    )
    spectrum = np.abs(np.fft.fft(found.coefficients.astype(float)))
    assert sorted(np.flatnonzero(spectrum > 1e-10).tolist()) in ([1, 4], [2, 3])


def test_parameters_of_a_convolution_without_lines_are_checked_by_its_complex_conditions():
    net = sb.Convolutional(4, 3)
    w = [3, 1, 0, 0]
    problem = sb.Classification(net, [[1, 2, 0, 1], [0, -3, 1, 1]], [1, -1], sb.Initialization(1, [w, w, [0] * 4]))
    outcome = sb.check(problem, digits=25)
    assert outcome.verdict == "holds", outcome
    names = [e.name for e in outcome.evidence]
    assert "stationarity" in names and "multipliers at least 0" in names


def test_a_combined_start_of_different_layers():
    net = sb.Diagonal(3, 3)
    start = sb.Initialization(1, [[2, 3, 1], [1, 2, 3], [0, "0.5", "-0.9"]])
    problem = sb.Classification(net, [[1, 2, 3], [-2, 1, 4]], [1, -1], start)
    found = sb.predict(problem, digits=25)
    # Coordinates 1 and 2 win: z_1 + 2 z_2 = 1, 2 z_1 - z_2 = 1, by hand (3/5, 1/5).
    assert distance(found.coefficients, ("0.6", "0.2", 0)) < mpmath.mpf(10) ** -16
    assert found.multipliers[0] > 0 and found.multipliers[1] > 0
    assert sb.check(problem, found, digits=22).verdict == "holds"


def test_even_data_and_matrix_sensing_use_their_real_coordinates():
    net = sb.Convolutional(4, 3)
    problem = sb.Classification(net, [[1, 2, 0, 2], [0, -3, 1, -3]], [1, -1], FIVE(net, 1, [3, 2, 1]))
    assert sb.check(problem, digits=22).verdict == "holds"
    net = sb.MatrixSensing(2, 3)
    X = [[[1, 2], [2, 1]], [[0, -1], [-1, 0]]]
    assert sb.check(sb.Classification(net, X, [1, -1], FIVE(net, 1, 1)), digits=22).verdict == "holds"


def test_regression_statements_refuse_classification_and_the_other_way_round():
    net = sb.Diagonal(2, 3)
    classification = sb.Classification(net, [[1, 2]], [1], FIVE(net, 1, 1))
    regression = sb.Regression(net, [[1, 2]], [1], FIVE(net, 1, 1))
    with pytest.raises(HypothesisFails, match="classification"):
        sb.predict(classification, theorem="theorem_5")
    for name in ("theorem_1", "theorem_2", "corollary_1", "corollary_2"):
        with pytest.raises(HypothesisFails):
            sb.predict(regression, theorem=name)


def test_a_start_that_cannot_move_is_named():
    net = sb.FullyConnected(2, 2)
    problem = sb.Classification(net, [[1, 2]], [1], sb.Initialization(1, [[[0, 0], [0, 0]], [0, 0]]))
    with pytest.raises(HypothesisFails, match="every gradient is zero at the start"):
        sb.predict(problem, theorem="corollary_1")


def test_undecided_has_its_exit_status():
    assert Undecided("a tie").exit_status == 3
    assert issubclass(Undecided, sb.NotConverged)
    with pytest.raises(BadInput):
        sb.check(random_problem(1), digits=0)


# Starts near both ends of the range of floats


@pytest.mark.parametrize("digits", (20, None))
@pytest.mark.parametrize("depth", (3, 4, 10))
@pytest.mark.parametrize("size", (100, 300))
def test_starts_whose_powers_leave_the_range_of_floats(depth, size, digits):
    net = sb.Diagonal(2, depth)
    X, y = [[1, 2], [3, 1]], [1, 1]
    # By hand. From a vanishing start both samples pull alike until one coordinate has blown up: the sums of the columns
    # are 4 and 3, so it is the first, and (1, 0) has the margins 1 and 3. From a huge start no margin exceeds the
    # least one long before a coordinate moves, so both samples stay on it: X beta = (1, 1).
    for alpha, limit in ((f"1e-{size}", (1, 0)), (f"1e{size}", ("0.2", "0.4"))):
        found = sb.predict(sb.Classification(net, X, y, FIVE(net, alpha, 1)), digits=digits)
        # The vertex is solved exactly and rounded: to 20 digits, or to float64.
        assert distance(found.coefficients, limit) < (1e-15 if digits is None else 1e-20)


@pytest.mark.parametrize("alpha", ("1e-100", "1e100"))
def test_one_sample_and_a_start_near_the_ends_of_floats_have_the_winner_of_least_blow_up_time(alpha):
    net = sb.Diagonal(2, 4)
    # |s_j| a_j^{L-2}: 3 against 2, whatever alpha.
    found = sb.predict(sb.Classification(net, [[2, 3]], [1], FIVE(net, alpha, 1)), digits=20)
    assert distance(found.coefficients, (0, "0.333333333333333333333")) < 1e-20


def test_an_exact_tie_stays_exact_when_the_powers_of_the_start_leave_the_range_of_floats():
    net = sb.Diagonal(2, 4)
    X = [[2, 1], [1, 2]]
    for alpha in ("1e-100", "1e100"):
        # Symmetric under the exchange of the coordinates and of the samples: rho = (1/3, 1/3).
        found = sb.predict(sb.Classification(net, X, [1, 1], FIVE(net, alpha, 1)), digits=20)
        assert found.coefficients[0] == found.coefficients[1]
        assert abs(float(found.coefficients[0]) - 1 / 3) < 1e-15

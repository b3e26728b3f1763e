"""Classification from any real start: against the full flow, Theorem 5's start as a special case, kept signs, stalls,
and what the losing coordinates tend to.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import islice

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad

import symbias as sb
from symbias.checks.direction_conditions import conditions
from symbias.checks.second_ways import by_the_network
from symbias.checks.tied_layers import TiedFlow, by_the_layers, has_ties, places, read
from symbias.dynamics.growth import alive
from symbias.errors import HypothesisFails
from symbias.exact import to_float
from symbias.numeric.integrate import march
from symbias.numeric.max_margin import as_precise
from symbias.precision import context
from symbias.theorems.beyond.general_direction import kept_signs
from symbias.theorems.real_view import in_coordinates
from symbias.theorems.spectral import decomposition_of

MP = mpmath.MPContext()
MP.dps = 60
TWO = [["1", "2", "-1"], ["3", "-1", "1"]]


def ask(problem, digits=None):
    return sb.predict(problem, digits=digits, theorem="general_initialization")


def random_problem(seed, depth, d=3, n=2):
    """Small integers: separable data, eta_l(0) multiples of 1/4 in every layer, v_L != 0, unequal sizes."""
    rng = np.random.default_rng(seed)
    while True:
        X = rng.integers(-4, 5, (n, d)).tolist()
        start = [[Fraction(int(v), 4) for v in row] for row in rng.integers(-9, 10, (depth, d))]
        try:
            problem = sb.Classification(sb.Diagonal(d, depth), X, [1, -1, 1, 1][:n], sb.Initialization("0.5", start))
        except sb.BadInput:
            continue
        if all(h.holds for h in kept_signs_of(problem)):
            return problem


def kept_signs_of(problem):
    return [kept_signs(problem)]


def gap(ours, reference):
    """The largest difference of two directions."""
    first, second = (np.array([MP.convert(e) for e in np.ravel(v)]) for v in (ours, reference))
    first, second = first / MP.norm(list(first)), second / MP.norm(list(second))
    return max(abs(first - second))


# Against the full flow


@pytest.mark.parametrize("depth", [2, 3, 4, 5])
@pytest.mark.parametrize(("seed", "d", "n"), [(1, 3, 2), (2, 4, 3), (3, 5, 2), (4, 2, 1)])
def test_predictions_agree_with_the_full_flow_of_the_blocks(depth, seed, d, n):
    problem = random_problem(seed, depth, d, n)
    found = ask(problem, digits=25)
    outcome = sb.check(problem, found, digits=20)
    assert outcome.verdict == "holds" and "direction, a second way" in [e.name for e in outcome.evidence]
    assert conditions(problem, found, 20) and all(r.holds for r in conditions(problem, found, 20))


def test_the_second_way_is_not_the_reduced_flow():
    # the network's own blocks and its layers, on one problem without ties: three ways, one direction
    problem = random_problem(5, 3, 3, 2)
    assert not has_ties(problem, 15)
    blocks = by_the_network(problem, 15)
    own = problem.network.product.beta(blocks.blocks)
    assert gap(own, ask(problem, 20).direction) <= 1e-14 and gap(by_the_layers(problem, 15), own) <= 1e-14


def test_even_convolutions_and_commuting_matrices_are_covered():
    even = [["3", "1", "2", "1"], ["1", "-1", "1", "-1"], ["2", "0.5", "1", "0.5"]]
    X = [["1", "2", "0", "2"], ["0", "1", "3", "1"]]
    for depth in (2, 3):
        problem = sb.Classification(sb.Convolutional(4, depth), X, [1, 1], sb.Initialization("0.5", even[-depth:]))
        found = sb.predict(problem, digits=20)
        assert found.statement.id == "general_initialization"
        assert sb.check(problem, found, digits=15).verdict == "holds"
        uneven = [[*even[-depth][:3], "0"], *even[-depth + 1 :]]
        with pytest.raises(HypothesisFails, match="span"):
            ask(sb.Classification(sb.Convolutional(4, depth), X, [1, 1], sb.Initialization("0.5", uneven)))
    blocks = [[["2", "1"], ["1", "2"]], [["1", "0.5"], ["0.5", "1"]], [["0.5", "2"], ["2", "0.5"]]]
    sensing = sb.Classification(
        sb.MatrixSensing(2, 3),
        [[["1", "3"], ["3", "1"]], [["2", "1"], ["1", "2"]]],
        [1, 1],
        sb.Initialization(1, blocks),
    )
    assert sb.check(sensing, ask(sensing, digits=20), digits=15).verdict == "holds"


def test_a_float_start_that_is_even_up_to_rounding_is_taken_as_even():
    even = [[0.1, 0.2, 0.3, 0.2 * (1 + 2**-52)], [1.0, 0.7, 0.5, 0.7]]
    problem = sb.Classification(
        sb.Convolutional(4, 2), [[1, 2, 0, 2], [0, 1, 3, 1]], [1, 1], sb.Initialization(1, even)
    )
    exact = [even[0][:3] + [0.2], even[1]]
    same = sb.Classification(problem.network, problem.X, problem.y, sb.Initialization(1, exact))
    assert gap(ask(problem).direction, ask(same).direction) <= 1e-14


# Where Theorem 2 speaks too


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_the_start_of_theorem_5_gives_the_losers_of_the_closed_form(depth):
    # The winner is argmax a_j^{L-2} |s_j|, the losers tend to y a_j^L h_L(c_L a_j^{L-2} s_j / (a_w^{L-2} |s_w|)).
    net = sb.Diagonal(3, depth)
    start = [[2, 1, "1.5"]] * (depth - 1) + [[0, 0, 0]]
    problem = sb.Classification(net, [[2, "-1", "0.5"]], [-1], sb.Initialization("0.5", start))
    found = ask(problem, digits=30)
    assert np.flatnonzero(found.direction).tolist() == [0] and found.direction[0] == -1
    if depth == 2:
        assert found.finite is None  # they grow like powers of the margin
        return
    a = [MP.mpf(1), MP.mpf("0.5"), MP.mpf("0.75")]
    times = [MP.mpf(s) * size ** (depth - 2) / 2 for s, size in zip((2, -1, "0.5"), a, strict=True)]
    # L = 3: h = tan sec^2, c = pi/2; L = 4: h = t / (1 - t^2)^2, c = 1
    h = {3: lambda t: MP.tan(t * MP.pi / 2) / MP.cos(t * MP.pi / 2) ** 2, 4: lambda t: t / (1 - t * t) ** 2}[depth]
    for j in (1, 2):
        assert abs(found.finite[j] / (-(a[j] ** depth) * h(times[j])) - 1) <= MP.mpf(10) ** -28
    assert found.finite[0] == -mpmath.inf


def test_a_head_start_on_the_last_layer_turns_the_winner_and_shows_in_the_losers():
    # Depth 4, x = (5, 4), three layers of 5/4 and z_0 = (0.75, 0): delta = 1 for the first; int dz (1 + z^2)^{-3/2} =
    # z/sqrt(1 + z^2) from 3/5 to 1 is 2/5. The second has delta = 1 from layers of 1: 1. Times 2/25 against 1/4.
    net = sb.Diagonal(2, 4)
    start = [["1.25", 1]] * 3 + [["0.75", 0]]
    problem = sb.Classification(net, [[5, 4]], [1], sb.Initialization(1, start))
    found = ask(problem, digits=30)
    t = MP.mpf(8) / 25  # 4 times 2/25
    assert found.direction.tolist() == [1, 0]
    assert abs(found.finite[1] / (t / (1 - t * t) ** 2) - 1) <= MP.mpf(10) ** -28
    # against the sign of its start: times (1 + 3/5)/5 = 8/25 against 1/4, and the second wins
    other = sb.Classification(net, [[-5, 4]], [1], problem.initialization)
    found = ask(other, digits=30)
    t = MP.mpf(3) / 5 - MP.mpf(5) / 4  # from 3/5 down by 5 times 1/4
    assert found.direction.tolist() == [0, 1]
    assert abs(found.finite[0] / (t / (1 - t * t) ** 2) - 1) <= MP.mpf(10) ** -28


def layers_at(problem, margin):
    """rho of the full flow of the layers where the least margin passes ``margin``."""
    ctx = context(40)
    view = in_coordinates(problem, decomposition_of(problem), ctx)
    coordinates, _ = alive(view.A, view.etas, ctx)
    eta = np.array([to_float(as_precise(ctx, e)) for e in coordinates.etas])
    flow = TiedFlow(to_float(as_precise(ctx, coordinates.A)), eta, *places(coordinates))
    for step in march(flow, 1e15, 1e-11):
        rho = flow.coefficients(step.state)
        if (flow.full.X @ rho).min() > margin:
            return rho
    raise AssertionError("the margin was not reached")


@pytest.mark.parametrize("depth", [3, 4, 5])
@pytest.mark.parametrize("samples", [1, 2])
def test_the_finite_values_are_those_of_the_full_flow(depth, samples):
    # Unequal layers, v_L != 0. At margin 10^15 a loser is within margin^{-(L-2)/L} of its limit, 1e-5 for L = 3.
    start = [[1, 2, 3, 1], [2, 1, -1, 2], ["0.5", 1, 1, "1.5"], [3, 2, 2, -2], [1, 2, 4, 1]][:depth]
    X = [[1, 2, -1, "0.5"], [3, -1, 1, "0.25"]][:samples]
    problem = sb.Classification(sb.Diagonal(4, depth), X, [1, 1][:samples], sb.Initialization("0.5", start))
    found = ask(problem, digits=20)
    assert samples == 1 or len(np.flatnonzero(found.direction)) == 2 or found.finite is None
    rho = layers_at(problem, 1e15)
    if found.finite is not None:
        losers = [j for j, value in enumerate(found.finite) if MP.isfinite(value)]
        assert losers
        for j in losers:
            assert abs(rho[j] / float(found.finite[j]) - 1) < 1e-3
            # the control: twice the distance from the start would be seen
            assert abs(rho[j] / float(2 * found.finite[j]) - 1) > 0.1


def test_one_sample_of_general_layers_goes_to_the_first_blow_up():
    # x = (1, 2), eta = (3, 1), depth 3, v_L = 0: winner argmax eta_j^{L-2} |x_j| = 3 against 2, e_1
    net = sb.Diagonal(2, 3)
    problem = sb.Classification(net, [["1", "2"]], [1], sb.Initialization("0.5", [["3", "1"], ["3", "1"], ["0", "0"]]))
    assert list(ask(problem, digits=20).coefficients) == [1, 0]
    # a head start on the last layer of e_2 turns it; the times by SciPy's quadrature
    ahead = sb.Classification(net, [["1", "2"]], [1], sb.Initialization("0.5", [["3", "1"], ["3", "1"], ["0", "0.9"]]))
    assert list(ask(ahead, digits=20).direction) == [0, 1]
    times = []
    for x, a, z in ((1, 1.5, 0.0), (2, 0.5, 0.45)):
        times.append(quad(lambda s, a=a, z=z: 1 / (s * s + a * a - z * z), z, np.inf)[0] / x)
    assert times[1] < times[0]


def test_equal_coordinates_share_and_an_exact_tie_of_others_is_decided_or_said():
    net = sb.Diagonal(2, 3)
    start = sb.Initialization("0.5", [["1", "1"], ["2", "2"], ["0.5", "0.5"]])
    shared = sb.Classification(net, [["1", "1"]], [1], start)
    found = ask(shared, digits=20)
    assert [str(c) for c in found.coefficients] == ["0.5", "0.5"]
    # the flow of the blocks in floats lets one of them win at last; with one unknown for both it cannot
    assert has_ties(shared, 15) and sb.check(shared, found, digits=15).verdict == "holds"
    # the layers of equal coordinates may come in another order, and with other signs
    turned = sb.Initialization("0.5", [["1", "-0.5"], ["2", "1"], ["0.5", "2"]])
    mirrored = sb.Classification(net, [["1", "-1"]], [1], turned)
    found = ask(mirrored, digits=20)
    assert [str(c) for c in found.coefficients] == ["0.5", "-0.5"]
    assert sb.check(mirrored, found, digits=15).verdict == "holds"


def test_different_coordinates_that_blow_up_together_share_by_their_slopes():
    # Depth 4, layers 5/4, 5/4, 5/4, 3/4 and 1, 1, 1, 0: times left 2/5 and 1 (see above), x = (2, 5): 1/5 both. The
    # shares are |s_j|^{-L/(L-2)} = 1/4 and 1/25, scaled to 2 rho_1 + 5 rho_2 = 1: 5/14 and 2/35.
    net = sb.Diagonal(2, 4)
    start = sb.Initialization(1, [["1.25", 1]] * 3 + [["0.75", 0]])
    problem = sb.Classification(net, [[2, 5]], [1], start)
    found = ask(problem, digits=25)
    for value, wanted in zip(found.coefficients, (MP.mpf(5) / 14, MP.mpf(2) / 35), strict=True):
        assert abs(value - wanted) <= MP.mpf(10) ** -24
    assert sb.check(problem, found, digits=15).verdict == "holds"
    # the control: a share moved in its seventh digit
    moved = found.coefficients + np.array([mpmath.mpf("5e-8"), mpmath.mpf("-2e-8")])
    norm = mpmath.sqrt(moved @ moved)
    wrong = replace(found, coefficients=moved, direction=moved / norm, singular_values=moved, blocks=None)
    assert sb.check(problem, wrong, digits=15).verdict == "fails"


@pytest.mark.parametrize("samples", [1, 2])
def test_several_solutions_of_the_l1_margin_are_checked_by_the_path(samples):
    # Depth 2, x = (1, 1), general layers: rho_j goes like (|eta_1j| + |eta_2j|)^2. A second sample tilts that.
    net = sb.Diagonal(2, 2)
    start = sb.Initialization(1, [[1, 2], ["0.5", "1"]])
    problem = sb.Classification(net, [[1, 1], [3, 2]][:samples], [1, 1][:samples], start)
    found = ask(problem, digits=20)
    if samples == 1:
        assert abs(found.coefficients[0] / found.coefficients[1] - mpmath.mpf("2.25") / 9) <= mpmath.mpf(10) ** -14
    assert sb.check(problem, found, digits=12).verdict == "holds"


# Kept signs


KEPT = {  # x = (-5, 1), (1, 1): e_1 is pulled down but kept positive by a tie of its two smallest layers
    2: [["1", "2"], ["1", "1"]],
    3: [["1", "2"], ["1", "1"], ["2", "3"]],
    4: [["1", "2"], ["-1", "1"], ["-2", "3"], ["1", "2"]],
}


@pytest.mark.parametrize("depth", KEPT)
def test_a_tie_keeps_the_sign_of_a_coordinate_and_the_margin_problem_knows(depth):
    net = sb.Diagonal(2, depth)
    problem = sb.Classification(net, [["-5", "1"], ["1", "1"]], [1, 1], sb.Initialization(1, KEPT[depth]))
    record = kept_signs(problem)
    # rho = (0, 1): l1 norm 1 at margins (1, 1), the largest entry is 5
    assert record.holds and record.margin == pytest.approx(0.2, rel=1e-15) and "signs kept: 1" in record.detail
    found = ask(problem, digits=25)
    assert found.direction.tolist() == [0, 1] and all(r.holds for r in found.residuals)
    outcome = sb.check(problem, found, digits=20)
    assert outcome.verdict == "holds"
    # the control: one layer strictly the smallest frees the sign. For x = (-5, 1) alone e_1 then wins downwards
    free = [list(row) for row in KEPT[depth]]
    free[0][0] = "0.01"
    problem = sb.Classification(net, [["-5", "1"]], [1], sb.Initialization(1, free))
    assert np.flatnonzero(ask(problem, digits=20).direction).tolist() == [0]
    kept = sb.Classification(net, [["-5", "1"]], [1], sb.Initialization(1, KEPT[depth]))
    assert ask(kept, digits=20).direction.tolist() == [0, 1]


def test_the_unrestricted_margin_is_seen_to_be_wrong_where_a_sign_is_kept():
    problem = sb.Classification(sb.Diagonal(2, 2), [["-5", "1"]], [1], sb.Initialization(1, KEPT[2]))
    found = ask(problem, digits=25)
    free = np.array([mpmath.mpf(-1) / 5, mpmath.mpf(0)])
    unit = np.array([mpmath.mpf(-1), mpmath.mpf(0)])
    wrong = replace(found, coefficients=free, direction=unit, singular_values=free, blocks=None, multipliers=None)
    outcome = sb.check(problem, wrong, digits=20)
    assert outcome.verdict == "fails"
    assert "direction, a second way" in [e.name for e in outcome.evidence if not e.holds]


@pytest.mark.parametrize("depth", [2, 3])
def test_the_explicit_flow_of_the_network_keeps_the_sign_and_goes_there(depth):
    # Kutta's third order in the clock of -log(loss), in plain floats: an explicit method does to equal layers the same.
    net = sb.Diagonal(2, depth)
    problem = sb.Classification(net, [["-5", "1"]], [1], sb.Initialization(1, KEPT[depth]))
    x = np.array([-5.0, 1.0])
    layers = np.array([[float(e) for e in row] for row in KEPT[depth]])

    def speed(v):
        return x * np.array([np.prod(np.delete(v, layer, axis=0), axis=0) for layer in range(depth)])

    for _ in range(100_000):
        h = 1e-3 / max(1.0, np.abs(layers).max() ** (depth - 2))
        k1 = speed(layers)
        k2 = speed(layers + h / 2 * k1)
        layers = layers + h / 6 * (k1 + 4 * k2 + speed(layers + h * (2 * k2 - k1)))
        rho = layers.prod(axis=0)
        if x @ rho > 1e6:
            break
    assert layers[0, 0] == abs(layers[1, 0]) and rho[0] > 0
    assert abs(rho[0] / rho[1]) < 1e-3 and ask(problem).direction.tolist() == [0, 1]


def test_a_stall_is_named_with_the_combination_that_proves_it():
    # x_1 = (-5, -1), x_2 = (1, -3), rho > 0 kept in both coordinates: the first margin is never positive
    net = sb.Diagonal(2, 2)
    tied = sb.Initialization(1, [[1, 2], [1, 2]])
    stalls = sb.Classification(net, [[-5, -1], [1, -3]], [1, 1], tied)
    record = kept_signs(stalls)
    assert not record.holds and record.margin == 0 and "f(x[1]) <= 0 for ever" in record.detail
    with pytest.raises(HypothesisFails, match="separable with the signs that ties keep.*strictly the smallest"):
        sb.predict(stalls)
    # the loss itself, along the flow of the layers
    flow = TiedFlow(
        np.array([[-5.0, -1], [1, -3]]), np.array([[1.0, 2], [1, 2]]), np.array([[0, 1]] * 2), np.ones((2, 2))
    )
    losses = [flow.full.log10_loss(flow.E @ step.state) for step in islice(march(flow, 1e3, 1e-8), 300)]
    assert min(losses) >= 0 and losses[-1] < losses[0]
    # two samples: 1/2 (1, -3) + 1/2 (-1, 1) = (0, -1): no kept sign of one sample alone stands in the way
    both = sb.Classification(net, [[1, -3], [-1, 1]], [1, 1], sb.Initialization(1, [[3, 2], [1, 2]]))
    with pytest.raises(HypothesisFails, match=r"0.5 y\[0\] f\(x\[0\]\) \+ 0.5 y\[1\] f\(x\[1\]\) <= 0"):
        sb.predict(both)
    free = sb.Classification(net, both.X, both.y, sb.Initialization(1, [[3, 1], [1, 2]]))
    assert sb.predict(free).statement.id == "general_initialization"


@pytest.mark.parametrize("depth", [2, 3])
def test_two_zero_layers_take_a_coordinate_out(depth):
    start = [[0, 1, 2], [0, 2, 1], [3, 3, 3]][:depth]
    problem = sb.Classification(sb.Diagonal(3, depth), [[9, 1, 2], [9, 2, -1]], [1, 1], sb.Initialization(1, start))
    rest = sb.Classification(
        sb.Diagonal(2, depth), [[1, 2], [2, -1]], [1, 1], sb.Initialization(1, [row[1:] for row in start])
    )
    found = ask(problem, digits=20)
    assert found.coefficients[0] == 0 and found.coefficients[1:].tolist() == ask(rest, digits=20).coefficients.tolist()
    assert sb.check(problem, found, digits=15).verdict == "holds"
    assert "coordinates that stay 0: 1" in kept_signs(problem).detail
    nothing = sb.Classification(
        sb.Diagonal(1, depth), [[1]], [1], sb.Initialization(1, [[0]] * 2 + [[1]] * (depth - 2))
    )
    with pytest.raises(HypothesisFails, match="beta = 0 for ever"):
        ask(nothing)


def test_irrational_ties_are_seen_as_ties():
    # sqrt(8) and 2 sqrt(2) are one number; the decomposition of an even convolution rounds its coordinates
    import sympy

    root = sympy.sqrt(2)
    start = sb.Initialization(1, [[sympy.sqrt(8), 2], [2 * root, 1], [3, 3]])
    problem = sb.Classification(sb.Diagonal(2, 3), [[-5, 1]], [1], start)
    assert "signs kept: 1" in kept_signs(problem).detail
    assert ask(problem, digits=20).direction.tolist() == [0, 1]
    even = [[1, 2, 3, 2], [1, 2, 3, 2], [5, 1, 0, 1]]
    convolution = sb.Classification(sb.Convolutional(4, 3), [[4, 1, 1, 1]], [1], sb.Initialization(1, even))
    found = ask(convolution, digits=20)
    assert "signs kept" in kept_signs(convolution).detail
    assert sb.check(convolution, found, digits=15).verdict == "holds"


# Reading


def test_a_state_that_is_no_stationary_point_is_not_read():
    A = np.array([[1.0, 2.0], [2.0, 1.0]])
    one = np.array([1, 1])
    free = np.zeros(2)
    assert read(A, np.array([1 / 3, 1 / 3]), 2, free, one)[:2] == ((0, 1), (0, 1))
    assert isinstance(read(A, np.array([1.0, 0.0]), 2, free, one), str)  # (A^T mu)_2 = 2 > 1
    assert read(A, np.array([1.0, 0.0]), 2, np.array([0, -1]), one)[:2] == ((0,), (0,))  # but for a kept sign
    assert isinstance(read(A, np.array([0.4, 0.5]), 3, free, one), str)


# The table


def test_it_is_chosen_where_theorem_2_does_not_apply_and_before_theorem_1():
    problem = random_problem(1, 3)
    survey = sb.theorems_for(problem)
    assert survey.chosen == "general_initialization"
    assert not survey["theorem_2"].applies
    assert sb.predict(problem).statement.id == "general_initialization"
    inside = sb.Classification(
        problem.network, problem.X, problem.y, sb.Initialization.theorem_5(problem.network, 1, 1)
    )
    assert sb.theorems_for(inside).chosen == "theorem_2"
    assert "general_initialization" in sb.theorems_for(inside).applying


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_float64_predictions_are_the_rounded_precise_ones(depth):
    problem = random_problem(7, depth, 4, 2)
    plain, precise = ask(problem), ask(problem, digits=30)
    assert plain.coefficients.dtype == float
    assert (
        np.abs(plain.coefficients - precise.coefficients.astype(float)).max()
        <= 4e-16 * np.abs(plain.coefficients).max()
    )
    blocks = [MP.norm([MP.convert(e) for e in block]) for block in precise.blocks]
    assert max(abs(size - 1) for size in blocks) <= MP.mpf(10) ** -29


def test_a_saddle_with_a_zero_multiplier_holds_the_flow_to_a_margin_of_1e12_and_is_left():
    # (1, 0, 0, 1, 0, 0)/4 has margins 1, 1, 1, 3/2 and is stationary, with multiplier 0 of the first and third sample:
    # the flow stays near it up to margins of 1e12 and then goes on to e_4/2, where only the second sample is tight.
    X = [[1, -4, -1, 3, -4, -2], [2, 3, 3, 2, -2, 4], [1, -1, -3, 3, 1, 3], [3, 2, -2, 3, -1, 3]]
    start = [
        ["-0.75", "-0.25", -2, "-1.5", "0.25", -2],
        ["-1.75", "-1.5", -2, 2, "0.75", "-1.75"],
        [-2, "1.5", "-0.25", "-0.25", "0.5", 0],
        ["-1.75", "0.75", "-2.25", "0.5", "2.25", "-1.25"],
    ]
    problem = sb.Classification(sb.Diagonal(6, 4), X, [1] * 4, sb.Initialization(1, start))
    found = ask(problem, digits=20)
    assert found.coefficients.tolist() == [0, 0, 0, 0.5, 0, 0]
    assert sb.check(problem, found, digits=15).verdict == "holds"
    assert gap(sb.predict(problem, theorem="theorem_1").direction, found.direction) <= 1e-12

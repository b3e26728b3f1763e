"""sb.simulate: full against reduced, float64 against many digits, the clock of log(loss), and what is refused."""

import json

import numpy as np
import pytest

import symbias as sb
from symbias.errors import BadInput, HypothesisFails, NotConverged
from symbias.numeric.integrate import FullFlow
from symbias.numeric.taylor import TaylorFlow
from symbias.precision import context
from symbias.simulate import simulate
from symbias.trajectory import Trajectory, load

CTX = context(60)
X = [["1", "0.5", "-0.3", "0.2"], ["0.2", "-1", "0.7", "1.5"]]
EVEN = [["1", "0.5", "-0.3", "0.5"], ["0.2", "-1", "0.7", "-1"]]  # x_{1+j} = x_{1+d-j}
TASKS = {"regression": (sb.Regression, ["0.8", "-0.4"]), "classification": (sb.Classification, [1, -1])}


def problem(task="regression", depth=2, alpha="0.5", network=sb.Diagonal, eta=1):
    net = network(4, depth)
    kind, y = TASKS[task]
    return kind(net, X if network is sb.Diagonal else EVEN, y, sb.Initialization.theorem_5(net, alpha, eta))


def start_from(directions, x=(("1",),), y=("0.8",), depth=2):
    net = sb.Diagonal(len(x[0]), depth)
    return sb.Regression(net, x, y, sb.Initialization(1, directions))


def apart(ours, theirs):
    """The largest relative difference of an entry, after the start."""
    pairs = zip(np.ravel(ours[1:]), np.ravel(theirs[1:]), strict=True)
    return float(max(abs(CTX.convert(a) - CTX.convert(b)) / abs(CTX.convert(b)) for a, b in pairs))


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("depth", [2, 3, 4, 5])
def test_the_full_flow_is_the_reduced_one_to_20_digits(task, depth):
    given = problem(task, depth, alpha="0.7", eta=["1", "-0.8", "1.2", "0.9"])
    full, reduced = (simulate(given, flow, digits=22, times=[0.5, 3.0]) for flow in ("full", "reduced"))
    assert apart(full.coefficients, reduced.coefficients) < 1e-20
    for ours, theirs in zip(full.blocks, reduced.blocks, strict=True):
        assert apart(ours, theirs) < 1e-20
    other = simulate(problem(task, depth, alpha="0.7", eta=["1", "0.8", "1.2", "0.9001"]), digits=22, times=[0.5, 3.0])
    assert apart(other.coefficients, reduced.coefficients) > 1e-6


def test_the_full_flow_of_an_even_convolution_is_the_reduced_one_to_20_digits():
    given = problem("regression", 3, network=sb.Convolutional)
    full, reduced = (simulate(given, flow, digits=22, times=[1.0]) for flow in ("full", "reduced"))
    assert apart(full.coefficients, reduced.coefficients) < 1e-20


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(("depth", "alpha"), [(2, "0.001"), (2, "2"), (3, "0.1"), (4, "0.5")])
def test_float64_is_within_100_tolerances_of_40_digits(task, depth, alpha):
    given = problem(task, depth, alpha)
    precise = simulate(given, digits=40, times=[1.0, 4.0, 20.0])
    for flow in ("full", "reduced"):
        rough = simulate(given, flow, times=[1.0, 4.0, 20.0], tolerance=1e-8)
        assert 0 < apart(rough.coefficients, precise.coefficients) < 100 * 1e-8
        assert rough.drift.max() < 100 * 1e-8


def test_a_full_flow_keeps_its_invariants_to_the_digits_asked():
    path = simulate(problem(depth=4), digits=30, until=5.0)
    assert path.drift.max() < 1e-30 and path.drift[0] == 0 and len(path.times) > 5
    changed = [path.blocks[0][0], *(block[-1] for block in path.blocks[1:])]
    assert problem(depth=4).network.product.drift([b[0] for b in path.blocks], changed) > 1e-6


def test_a_run_without_an_end_stops_at_its_loss():
    path = simulate(problem())
    assert np.isclose(path.log10_loss[-1], 2 * np.log10(0.8) - 20, atol=1e-6)  # found by bisection
    prediction = simulate(problem(), "reduced")
    assert np.allclose(path.coefficients[-1], prediction.coefficients[-1], rtol=1e-6, atol=0)
    assert simulate(problem(), digits=20).log10_loss[-1] < 2 * np.log10(0.8) - 20


@pytest.mark.parametrize("flow", ["full", "reduced"])
@pytest.mark.parametrize("depth", [2, 3, 4])
def test_a_loss_of_ten_to_minus_forty_million_costs_at_most_2000_right_hand_sides(monkeypatch, flow, depth):
    counted = []
    if flow == "full":
        inside = FullFlow.velocity
        monkeypatch.setattr(FullFlow, "velocity", lambda self, state: counted.append(1) or inside(self, state))
    path = simulate(problem("classification", depth, "0.1"), flow, clock="log_loss", log10_loss=-4e7)
    assert path.rhs <= 2000 and abs(path.log10_loss[-1] + 4e7) < 1
    if flow == "full":
        assert len(counted) <= 2000
    # KKT of the l_{2/L} margin: both samples on the margin, or one beyond
    margins = np.array([[1, 0.5, -0.3, 0.2], [-0.2, 1, -0.7, -1.5]]) @ path.coefficients[-1]
    assert np.isclose(margins.min(), 4e7 * np.log(10), rtol=1e-6)


def test_full_and_reduced_agree_in_the_clock_of_log_loss():
    given = problem("classification", 3, "0.3")
    ends = [simulate(given, f, clock="log_loss", log10_loss=-1000).coefficients[-1] for f in ("full", "reduced")]
    # 100 tolerances, and the loser's own logarithm
    assert np.allclose(*ends, rtol=1e-4, atol=1e-6 * np.abs(ends[0]).max())


def test_time_runs_backwards():
    given = start_from([["0.6", "0.5"], ["0.2", "-0.1"]], x=[["1", "0.5"]])
    back = simulate(given, until=-0.5)
    assert back.times[-1] == -0.5
    precise = simulate(given, digits=20, until=-0.5)
    assert apart(back.coefficients[[0, -1]], precise.coefficients[[0, -1]]) < 1e-6


def test_gradient_descent_follows_the_flow_and_reports_its_correction():
    given = problem()
    path = simulate(given, "descent", step=0.05, iterations=4000)
    assert path.rhs == 4000 and path.log10_loss[-1] < -25
    slope = 0.5 * np.arcsinh(2 * path.coefficients[-1] / path.correction["delta"]) + path.correction["shift"]
    rows = given.X_float
    along = np.linalg.lstsq(rows.T, slope, rcond=None)[0] @ rows
    assert np.abs(slope - along).max() < 1e-12 * np.abs(slope).max()  # 4000 roundings
    assert simulate(problem(depth=3), "descent", step=0.05, iterations=10).correction is None
    with pytest.raises(NotConverged, match="diverges"):
        simulate(given, "descent", step=20.0, iterations=1000)


@pytest.mark.parametrize("digits", [None, 20])
def test_a_saddle_is_named_with_its_loss(digits):
    with pytest.raises(NotConverged, match=r"stalls at the loss 0\.32"):
        simulate(start_from([["0.5"], ["-0.5"]]), digits=digits)
    resting = simulate(start_from([["0.5"], ["-0.5"]]), digits=digits, until=3.0)  # asked for a time, it is a path
    assert resting.log10_loss[-1] > np.log10(0.32)


@pytest.mark.parametrize("digits", [None, 20])
def test_the_zero_start_does_not_move(digits):
    with pytest.raises(NotConverged, match=r"stalls at the loss 0\.32"):
        simulate(start_from([["0"], ["0"]]), digits=digits)


@pytest.mark.parametrize("digits", [None, 20])
def test_a_blow_up_names_its_time(digits):
    # depth 4, backwards: rho grows like its cube
    with pytest.raises(NotConverged, match="time -"):
        simulate(start_from([["0.6"], ["0.5"], ["0.4"], ["-0.9"]], depth=4), until=-1000.0, digits=digits)


def test_the_reduced_flow_wants_its_initialization():
    with pytest.raises(HypothesisFails, match="fail by"):
        simulate(start_from([["0.5"], ["0.1"]]), "reduced")


BAD = {
    "an unknown flow": ({"flow": "sideways"}, "choose one of full, reduced, descent"),
    "an unknown clock": ({"clock": "sun"}, "choose one of time, log_loss"),
    "log loss for regression": ({"clock": "log_loss"}, "for classification"),
    "two ends": ({"until": 1.0, "times": [1.0]}, "not both"),
    "no time": ({"until": 0.0}, "not zero"),
    "an infinite time": ({"until": float("inf")}, "finite"),
    "times that fall": ({"times": [2.0, 1.0]}, "increasing"),
    "descent without a step": ({"flow": "descent", "iterations": 5}, "needs step"),
    "a step for a flow": ({"step": 0.1}, "chooses its own steps"),
    "digits for descent": ({"flow": "descent", "step": 0.1, "iterations": 5, "digits": 20}, "float64"),
    "digits that are none": ({"digits": 0}, "positive integer"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_clear_error(name):
    options, message = BAD[name]
    with pytest.raises(BadInput, match=message):
        simulate(problem(), **options)
    with pytest.raises(BadInput, match="takes a Regression"):
        simulate("problem")


@pytest.mark.parametrize("digits", [None, 20])
def test_an_interrupted_run_returns_what_it_has(monkeypatch, digits):
    class Impatient:
        calls = 0

        def update(self, value):
            assert 0 <= value <= 1.01
            self.calls += 1
            if self.calls == 5:
                raise KeyboardInterrupt

    whole, part = (simulate(problem(), digits=digits, progress=bar) for bar in (None, Impatient()))
    assert part.interrupted and not whole.interrupted and len(part.times) == 5
    assert np.array_equal(part.coefficients, whole.coefficients[:5])


@pytest.mark.parametrize("digits", [None, 25])
def test_a_saved_path_is_read_back_without_loss(tmp_path, digits):
    path = simulate(problem(), digits=digits, until=2.0)
    path.save(tmp_path / "path.json")
    again = load(tmp_path / "path.json")
    assert isinstance(again, Trajectory) and repr(again) == repr(path) and "log_{10}" in again.to_latex()
    for name in ("times", "coefficients", "log10_loss", "drift"):
        assert np.array_equal(getattr(again, name), getattr(path, name))
    assert all(np.array_equal(a, b) for a, b in zip(again.blocks, path.blocks, strict=True))


@pytest.mark.parametrize("text", ["not json", "[1]", json.dumps({"type": "Residual"})])
def test_another_file_is_refused(tmp_path, text):
    (tmp_path / "file").write_text(text)
    with pytest.raises(BadInput, match="not"):
        load(tmp_path / "file")


def test_the_frame_has_a_column_a_coefficient(monkeypatch):
    path = simulate(problem(), until=1.0)
    seen = {}

    class Pandas:
        DataFrame = staticmethod(lambda columns: seen.update(columns))

    monkeypatch.setitem(__import__("sys").modules, "pandas", Pandas)
    path.to_frame()
    assert list(seen) == ["time", "log10_loss", "drift", "beta_1", "beta_2", "beta_3", "beta_4"]
    assert np.array_equal(seen["beta_2"], path.coefficients[:, 1])
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(BadInput, match="needs pandas"):
        path.to_frame()


def test_taylor_flows_of_both_precisions_share_their_first_digits():
    blocks = problem(depth=3).start().blocks(CTX)
    data = problem(depth=3).data(CTX)
    ends = []
    for digits in (15, 45):
        flow = TaylorFlow(problem(depth=3).network.product, *data, blocks, digits)
        flow.advance_to(3)
        ends.append(flow.blocks())
    errors = [abs(a - b) / abs(b) for one, two in zip(*ends, strict=True) for a, b in zip(one, two, strict=True)]
    assert 0 < max(errors) < 1e-15


@pytest.mark.parametrize("flow", ["full", "reduced"])
@pytest.mark.parametrize("alpha", ["1e-20", "1e20"])
@pytest.mark.parametrize("depth", [2, 3])
def test_scales_far_from_one_are_ordinary(flow, depth, alpha):
    net = sb.Diagonal(2, depth)
    given = sb.Regression(net, [["1", "2"]], ["1"], sb.Initialization.theorem_5(net, alpha, 1))
    end = simulate(given, flow).coefficients[-1]
    # theory.md, section 4: alpha -> 0 is the l1 norm with the winner x_2, alpha -> oo the l2 norm
    assert np.allclose(end, [0, 0.5] if alpha == "1e-20" else [0.2, 0.4], rtol=1e-6, atol=1e-6)
    assert 0 < abs(end[0]) < (1e-15 if alpha == "1e-20" else 1)  # the loser, y a^2/4 (4 y/(2 a^2))^(1/2) at depth 2
    if depth == 2 and alpha == "1e-20":
        assert np.isclose(end[0], 1e-20 / 8**0.5, rtol=1e-6)


def test_scales_beyond_floats_ask_for_digits():
    net = sb.Diagonal(2, 4)
    given = sb.Regression(net, [["1", "2"]], ["1"], sb.Initialization.theorem_5(net, "1e100", 1))
    for flow in ("full", "reduced"):
        with pytest.raises(NotConverged, match="ask for digits"):
            simulate(given, flow)


def every_network():
    directions = np.random.default_rng(4)
    for net, rows in (
        (sb.Diagonal(3, 3), [["1", "0.5", "-1"]]),
        (sb.Convolutional(3, 3, filters=(2, 2, 3)), [["1", "0.5", "-1"]]),
        (sb.FullyConnected(3, 3, widths=(2, 2)), [["1", "0.5", "-1"]]),
        (sb.MatrixSensing(2, 2), [[["1", "0.5"], ["0.5", "1"]]]),
        (sb.DifferenceOfPowers(3, 3), [["1", "0.5", "-1"]]),
        (sb.Linear(3), [["1", "0.5", "-1"]]),
    ):
        start = [directions.uniform(0.4, 0.9, shape).round(2) for shape in net.block_shapes]
        yield sb.Regression(net, rows, ["0.7"], sb.Initialization("0.8", start))


@pytest.mark.parametrize("given", list(every_network()), ids=lambda given: given.network.name)
def test_every_network_flows_alike_in_both_precisions_and_by_small_steps_of_descent(given):
    rough, precise = (simulate(given, digits=digits, times=[0.4]) for digits in (None, 25))
    assert apart(rough.coefficients, precise.coefficients) < 1e-6  # 100 tolerances
    assert precise.drift.max() < 1e-25
    descent = simulate(given, "descent", step=1e-4, iterations=4000)
    # Euler's method: half the step times the time times the curvatures (below 10)
    assert np.abs(descent.coefficients[-1] - rough.coefficients[-1]).max() < 1e-4 * 10
    x = given.X_float.reshape(1, -1)
    ends = simulate(given, digits=15)
    assert abs(x @ ends.coefficients[-1].astype(float).ravel() - 0.7).max() < 1e-7  # log10(loss) = -15

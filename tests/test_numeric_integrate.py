"""The float64 systems: exact Jacobians, clocks that share a trajectory, and failures that name the time."""

import numpy as np
import pytest

from symbias.dynamics.reduced import ReducedFlow
from symbias.errors import NotConverged
from symbias.numeric.integrate import FullFlow, crossing, march, scale_of_blocks
from symbias.numeric.losses import LOSSES, LogExponential, Squared
from symbias.numeric.products import Circular, Hadamard, MatrixProduct
from symbias.numeric.tied_product import DifferenceOfPowers

RNG = np.random.default_rng(8)
X = RNG.normal(size=(2, 4))
NETWORKS = {
    "diagonal": (Hadamard(), [(4,)] * 3),
    "linear": (Hadamard(), [(4,)]),
    "convolution": (Circular(4), [(2,), (4,)]),
    "fully connected": (MatrixProduct(), [(4, 2), (2,)]),
    "difference of powers": (DifferenceOfPowers(3), [(4,), (4,)]),
}


def difference_quotient(system, state, width=1e-6):
    out = np.empty((len(state), len(state)))
    for i in range(len(state)):
        e = np.zeros(len(state))
        e[i] = width
        out[:, i] = (system.velocity(state + e) - system.velocity(state - e)) / (2 * width)
    return out


def systems(task, clock):
    loss = LOSSES[task, clock](np.array([1.0, -1.0]))
    scaled = clock == "log_loss"
    for product, shapes in NETWORKS.values():
        yield FullFlow(product, X, loss, [RNG.normal(size=s) for s in shapes], 1.0, scaled)
    for depth in (2, 3, 5):
        yield ReducedFlow(X, RNG.uniform(0.5, 1, 4), depth, loss, scaled)


@pytest.mark.parametrize(("task", "clock"), LOSSES)
def test_jacobians_are_the_derivatives_of_the_velocities(task, clock):
    for system in systems(task, clock):
        state = system.start + 0.1 * RNG.normal(size=len(system.start))
        exact, seen = system.jacobian(state), difference_quotient(system, state)
        # a central difference of width 1e-6 leaves 1e-12 of the third derivative and 1e-10 of rounding
        assert np.abs(exact - seen).max() < 1e-7 * np.abs(exact).max()
        assert np.abs(exact - 1.01 * seen).max() > 1e-3 * np.abs(exact).max()


def test_the_tempered_slope_is_exact_beyond_the_margin_where_tempering_starts():
    loss = LogExponential(np.array([1.0, -1.0, 1.0]))
    f = np.array([3.0e6, -3.00002e6, 3.00001e6])
    quotient = np.column_stack([(loss.residual(f + e) - loss.residual(f - e)) / 2 for e in np.eye(3)])
    assert np.abs(loss.slope(f) - quotient).max() < 1e-3 * np.abs(quotient).max()  # margins vary by 1e-2 of T = 30


def test_the_log_loss_clock_has_the_trajectory_of_the_exponential_loss():
    y, blocks = np.array([1.0, -1.0]), [np.full(4, 0.5), np.full(4, 0.5), np.zeros(4)]
    ends = []
    for clock in ("time", "log_loss"):
        system = FullFlow(Hadamard(), X, LOSSES["classification", clock](y), blocks, 1e-3, clock == "log_loss")
        for step in march(system, 1e9, 1e-10):
            if system.log10_loss(step.state) < -3:
                _, state = crossing(step, lambda state, system=system: system.log10_loss(state) <= -3)
                ends.append(system.coefficients(state))
                break
    # both to 1e-10 a step over some hundred steps
    assert np.abs(ends[0] - ends[1]).max() < 1e-7 * np.abs(ends[0]).max()


def test_a_velocity_that_is_not_finite_raises_with_the_time():
    class Explodes:
        start, scales = np.array([1.0]), np.array([1.0])

        def velocity(self, state):
            return np.where(state < 50, state**2, np.nan)  # x = 1/(1 - t): 50 at t = 0.98

        def jacobian(self, state):
            return np.diag(2 * state)

    with pytest.raises(NotConverged, match=r"not finite at time 0\.9[78]\d*: the flow blows up there"):
        for _ in march(Explodes(), 2.0, 1e-8):
            pass


def test_scales_are_tied_to_the_smallest_and_the_largest_entries():
    small = [np.full(3, 1e-3)] * 2 + [np.zeros(3)]
    assert scale_of_blocks(Hadamard(), small, 1.0) == 1e-3
    assert np.isclose(scale_of_blocks(Hadamard(), [1e6 * block for block in small], 0.5), 0.5 * 1e3**-2)
    assert scale_of_blocks(Hadamard(), [np.zeros(3)], 1.0) == 1.0
    noisy = [np.array([0.5, 1e-17, 0.0]), np.zeros(3)]  # entries of a filter mix: one at rounding level means nothing
    assert scale_of_blocks(Circular(3), noisy, 1.0) == 0.5


def test_the_flow_ends_at_interpolation_of_the_data():
    y = np.array([0.4, -1.2])
    system = FullFlow(Hadamard(), X, Squared(y), [np.full(4, 0.5), np.zeros(4)], 0.5)
    for step in march(system, 1e6, 1e-10):
        if system.log10_loss(step.state) < -22:
            break
    # a loss of 1e-22 is a residual of 1.4e-11
    assert np.abs(X @ system.coefficients(step.state) - y).max() < 2e-11


def test_a_flow_that_lsoda_does_not_see_to_be_stiff_goes_on():
    # Depth 3, tempered softmax: at a margin of 2e5 the error of LSODA's Adams steps is below rounding, stability holds
    # them at 6e-6, and it never changes its method: 100,000 steps were not enough for a factor of 1.3.
    from symbias.dynamics.coordinates import CoordinateFlow, Start
    from symbias.numeric.integrate import afresh

    A = np.array([[-3.0, 4, 2, 1], [-4, 1, -2, -1], [-4, -2, -4, 0], [0, 3, -3, 4]])
    etas = 0.3 * np.array([[-0.75, -1.75, 0.25, 1.5], [2, 2, -2, 0], [2.25, 1.5, -1, 0.25]])
    flow = CoordinateFlow(A, Start.of(etas))
    count = 0
    for step in afresh(flow, 1e12, 1e-10):
        count += 1
        if flow.margins(step.state).min() > 1e12:
            break
    assert count < 4000  # measured 1090
    # the limit is a vertex of the margins that are equal there
    margins = flow.margins(step.state)
    support = margins < 1.05 * margins.min()
    assert margins[support].max() < margins.min() * (1 + 1e-4) and support.sum() >= 2

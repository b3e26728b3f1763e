"""Gradient descent: the corrected potential of depth 2 is exact for the step taken, and too long a step is refused."""

import numpy as np
import pytest

from symbias.errors import NotConverged
from symbias.numeric.descent import StepCorrection, descend, stable_step
from symbias.numeric.integrate import FullFlow
from symbias.numeric.losses import Squared
from symbias.numeric.products import Hadamard

X = np.array([[1.0, 2.0, -0.5], [0.3, -0.7, 1.1]])
Y = np.array([1.0, -0.4])


def run(step, iterations, v=(0.1, 0.0, -0.05)):
    u, v = np.full(3, 0.4), np.array(v)
    flow, correction = FullFlow(Hadamard(), X, Squared(Y), [u, v], 1.0), StepCorrection(u, v, step)
    for _, state in descend(flow, step, iterations):
        g = flow.loss.residual(flow.outputs(state)) @ X
        correction.add(g)
    return flow, flow.coefficients(state), correction


def off_row_space(slope):
    """The part of a gradient of the potential that no multiplier of X beta = y explains, relative."""
    along = np.linalg.lstsq(X.T, slope, rcond=None)[0] @ X
    return np.abs(slope - along).max() / np.abs(slope).max()


@pytest.mark.parametrize("step", [0.02, 0.2])
def test_the_corrected_potential_is_stationary_at_the_limit_of_descent(step):
    flow, beta, correction = run(step, 8000)
    assert np.abs(X @ beta - Y).max() < 1e-13
    record = correction.record()
    slope = 0.5 * np.arcsinh(2 * beta / record["delta"]) + record["shift"]  # h_2^{-1}(beta/delta) + T - t0
    # 8000 roundings of the gradients' logarithms: 1e-13; theory.md found 1e-15 on shorter runs
    assert off_row_space(slope) < 1e-13
    # negative control: the flow's own potential misses by the square of the step
    plain = 0.5 * np.arcsinh(2 * beta / (0.4**2 - np.array([0.1, 0.0, 0.05]) ** 2))
    plain -= np.arctanh(np.array([0.1, 0.0, -0.05]) / 0.4)
    assert off_row_space(plain) > 1e-2 * step**2


def test_a_step_beyond_stability_is_refused_with_the_stable_one():
    flow = FullFlow(Hadamard(), X, Squared(Y), [np.full(3, 0.4), np.zeros(3)], 1.0)
    with pytest.raises(NotConverged, match=r"step 8 diverges: after \d+ iterations .* limit of stability is"):
        for _ in descend(flow, 8.0, 500):
            pass
    # a quarter of the stable step at the start converges
    *_, (_, state) = descend(flow, stable_step(flow) / 4, 3000)
    assert flow.log10_loss(state) < -20


def test_the_correction_ends_where_a_step_leaves_the_theory():
    correction = StepCorrection(np.ones(2), np.zeros(2), 0.5)
    correction.add(np.array([0.5, -0.1]))
    assert correction.record() is not None
    correction.add(np.array([2.5, 0.0]))
    assert correction.record() is None

"""Frozen multipliers that choose among several l1 margins: against the full flow of the layers, and their own gaps."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy

import symbias as sb
from symbias.dynamics import frozen
from symbias.dynamics.growth import growth
from symbias.dynamics.merged import Coordinates
from symbias.errors import NotConverged
from symbias.numeric.integrate import march
from symbias.numeric.max_margin import entries
from symbias.numeric.taylor import TaylorFlow
from symbias.precision import context

FIVE = sb.Initialization.theorem_5
ROWS = [[1, 1], [3, 2]]  # the first is the support vector, both coordinates reach its margin


def predicted(rows, alpha, eta, digits):
    net = sb.Diagonal(len(rows[0]), 2)
    return sb.predict(sb.Classification(net, rows, [1] * len(rows), FIVE(net, alpha, eta)), digits=digits)


def multiplier_of_the_full_flow(eta, loss):
    """mu_2 of ROWS from the layers' own flow in the time t, integrated by Taylor series to the loss."""
    ctx = context(60)
    exact = [np.array([[ctx.mpf(entry) for entry in row] for row in rows]) for rows in (ROWS, [[1, 1]])]
    blocks = [np.array([ctx.mpf(e) for e in eta]), np.array([ctx.zero, ctx.zero])]
    flow = TaylorFlow(sb.Diagonal(2, 2).product, exact[0], exact[1][0], blocks, 30, "classification")
    while flow.loss() > loss:
        flow.step()
    first, second = flow.blocks()
    # rho = eta^2 sinh(2 g) / 2, g = (mu_1 + 3 mu_2, mu_1 + 2 mu_2)
    g = [ctx.asinh(2 * a * b / ctx.mpf(e) ** 2) / 2 for a, b, e in zip(first, second, eta, strict=True)]
    return g[0] - g[1]


@pytest.mark.parametrize("eta", [[1, 1], [1, 2]])
def test_the_split_of_two_coordinates_is_that_of_the_full_flow(eta):
    # Where the loss is e^-25, rho_1 + rho_2 = 25 and p_2 = exp(-2 rho_1 - rho_2) is below e^-30 = 1e-13.
    mu = multiplier_of_the_full_flow(eta, math.exp(-25))
    found = predicted(ROWS, 1, eta, 22).coefficients
    with mpmath.workdps(40):
        mu = mpmath.mpf(mu)
        # By hand: rho_j ∝ eta_j^2 exp(2 g_j), so rho_1 : rho_2 = eta_1^2 exp(2 mu_2) : eta_2^2, and their sum is 1.
        share = [eta[0] ** 2 * mpmath.exp(2 * mu), eta[1] ** 2]
        assert abs(found[0] - share[0] / sum(share)) < mpmath.mpf(10) ** -13
        wrong = [eta[0] ** 2 * mpmath.exp(2 * mu + mpmath.mpf(10) ** -11), eta[1] ** 2]
        assert abs(found[0] - wrong[0] / sum(wrong)) > mpmath.mpf(10) ** -13


def test_more_digits_refine_fewer():
    rows = [[1, 1, 0], [3, 2, 1], [1, 2, -1]]
    ours, more = (predicted(rows, "0.5", [1, 1, 1], digits).coefficients for digits in (25, 50))
    assert 0 < max(abs(a - b) for a, b in zip(ours, more, strict=True)) < mpmath.mpf(10) ** -24


def test_two_integrations_that_differ_are_refused(monkeypatch):
    monkeypatch.setattr(frozen, "_FIRST", -16)  # the first one is 16 digits short
    with pytest.raises(NotConverged, match="differ by .*, 1.0e-22 is asked for"):
        predicted(ROWS, 1, [1, 1], 20)


def test_the_float_flow_agrees_where_its_softmax_is_not_tempered():
    A = np.array([[1, 1, 0], [3, 2, 1], [1, 2, -1]])
    ctx = context(60)
    etas = [np.array([sympy.Rational(e) for e in eta], dtype=object) for eta in ((1, 1, 1), (0, 0, 0))]
    (exact,), _ = entries(ctx, A)
    problem = Coordinates(exact, tuple(entries(ctx, *etas)[0]), ctx)
    pull, late = frozen.frozen_pull(problem, [1], 20, lambda pull, late: growth(A, etas, ctx, 15).rho)
    assert late == []
    flow = problem.flow()
    for step in march(flow, 1e6, 1e-12):
        if flow.margins(step.state).min() > 100:
            break
    # the float flow is integrated to 1e-12 a step
    assert np.allclose((A[1] * flow.dual(step.state)[1]).astype(float), pull.astype(float), rtol=1e-8)


def test_a_sample_that_stays_at_the_least_margin_shares_it():
    # The margin problem gives the first sample no multiplier, and without one its margin would be below 1: it keeps
    # the least margin by a finite multiplier.
    found = predicted([[-1, 3, 2, -1], [0, 1, -1, 1]], 1000, [1] * 4, 25).coefficients
    assert found[0] == 0
    A = np.array([[-1, 3, 2, -1], [0, 1, -1, 1]])
    with mpmath.workdps(40):
        assert max(abs(margin - 1) for margin in A @ found) < mpmath.mpf(10) ** -23
    # the entropy sum |rho| (log |rho| - 1) is stationary along the null direction n of both rows on coordinates 2, 3, 4
    normal = np.cross([3, 2, -1], [1, -1, 1])
    with mpmath.workdps(40):
        slope = sum(int(n) * mpmath.sign(r) * mpmath.log(abs(r)) for n, r in zip(normal, found[1:], strict=True))
    assert abs(slope) < mpmath.mpf(10) ** -22


def test_a_coordinate_that_the_face_forces_to_zero_is_no_tie():
    # Rows 1 and 4 agree on coordinates 3 and 4 and not on coordinate 1, which must vanish; the flow at a margin of
    # 1e11 has (-3e-14, .., 0.99968, -0.00032).
    found = predicted([[-2, -1, 1, -1, 0], [0, 1, 2, 2, -1], [1, 2, 2, 2, 1], [1, 0, 1, -1, 0]], "0.1", [1] * 5, 20)
    assert found.coefficients[[0, 1, 4]].tolist() == [0, 0, 0]
    assert abs(found.coefficients[2] - found.coefficients[3] - 1) < mpmath.mpf(10) ** -19
    assert abs(found.coefficients[3] + Fraction("0.00032299")) < 1e-8


def test_a_sample_that_comes_back_is_waited_for():
    # With a start of 1000 the third sample has no weight before a margin of 10^6, comes back, and leaves at 10^11.4.
    rows = [[2, 1, 3, 2, 2], [-1, 0, 3, 3, -1], [2, -2, 1, -1, 2], [3, -1, 0, 0, -1]]
    found = predicted(rows, 1000, [1] * 5, 16).coefficients.astype(float)
    net = sb.Diagonal(5, 2)
    path = sb.simulate(
        sb.Classification(net, rows, [1] * 4, FIVE(net, 1000, 1)), flow="reduced", clock="log_loss", log10_loss=-1e60
    )
    end = path.coefficients[-1]
    # tempered by 1e-5, and losers like margin^-(1 - kappa)
    assert np.abs(end / (np.array(rows) @ end).min() - found).max() < 1e-3


@pytest.mark.parametrize(
    "rows", [[[-2, 0, -1], [3, -1, 3], [-2, -1, 0]], [[-2, 2, -2], [-1, 0, -1], [2, 1, 2], [0, 1, -2]]]
)
def test_rows_of_mixed_signs_have_their_balanced_point(rows):
    # Newton's method for the balanced point once took the logarithm of a negative number here.
    net = sb.Diagonal(3, 2)
    problem = sb.Classification(net, rows, [1] * len(rows), FIVE(net, "0.1", 1))
    path = sb.simulate(problem, flow="reduced", clock="log_loss", log10_loss=-1e40)
    end = path.coefficients[-1]
    found = sb.predict(problem).coefficients
    assert np.abs(end / (np.array(rows) @ end).min() - found).max() < 1e-3  # tempered, and losers decay like a power

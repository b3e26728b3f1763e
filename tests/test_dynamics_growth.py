"""Coordinates of any real start, the race, ties and the quasi-static path."""

import mpmath
import numpy as np
import pytest
import sympy
from scipy.integrate import quad

from symbias.dynamics.clock import Clock
from symbias.dynamics.coordinates import CoordinateFlow, Start
from symbias.dynamics.growth import growth
from symbias.dynamics.quasi_static import follow
from symbias.dynamics.race import race
from symbias.errors import HypothesisFails, NotConverged, Undecided
from symbias.numeric.chord import newton, refine
from symbias.numeric.face import balanced
from symbias.numeric.integrate import march
from symbias.precision import context

CTX = context(50)


def flat(*etas):
    return [np.array([sympy.Rational(str(e)) for e in eta], dtype=object) for eta in etas]


def test_the_coordinates_follow_the_full_flow_of_the_layers():
    rng = np.random.default_rng(1)
    A, etas = rng.standard_normal((2, 4)), rng.standard_normal((3, 4))
    flow = CoordinateFlow(A, Start.of(etas))
    assert np.allclose(flow.coefficients(flow.start), etas.prod(axis=0), rtol=1e-13)
    for step in march(flow, 1e3, 1e-10):
        if flow.margins(step.state).min() > 5:
            break
    # The differences of the squares of the layers are those of the start.
    z, delta = flow.z(step.state), flow.data.delta
    squares = np.sort(etas**2, axis=0)
    assert np.allclose(np.sort(delta, axis=0), squares[1:] - squares[0], rtol=1e-9, atol=1e-12)
    # int dz/omega = (A^T mu)_j, by SciPy's quadrature.
    pull = A.T @ flow.dual(step.state)
    for j in range(4):
        start, end = flow.data.z[j], z[j]
        passed = quad(lambda x, j=j: 1 / np.sqrt(np.prod(x**2 + delta[:, j])), start, end, epsabs=1e-12, limit=200)[0]
        assert abs(passed - pull[j]) < 1e-7


def test_the_jacobian_is_the_derivative_of_the_velocity():
    rng = np.random.default_rng(2)
    for depth in (2, 3, 5):
        flow = CoordinateFlow(
            rng.standard_normal((2, 3)), Start.of(rng.standard_normal((depth, 3))), np.array([1, 2, 1])
        )
        state = flow.start + 0.3 * rng.standard_normal(flow.start.size)
        step = 1e-6
        differences = [
            (flow.velocity(state + step * e) - flow.velocity(state - step * e)) / (2 * step) for e in np.eye(state.size)
        ]
        # Central differences: step^2 and eps/step, both near 1e-10.
        assert np.allclose(flow.jacobian(state), np.array(differences).T, atol=1e-7 * np.abs(differences).max())


@pytest.mark.parametrize(("depth", "end"), [(3, "pi/2"), (4, "1"), (5, "pi/4"), (6, "2/3")])
def test_the_slack_at_the_start_is_c(depth, end):
    ctx = context(30)
    clock = Clock(ctx, ctx.zero, [ctx.mpf(4)] * (depth - 1), ctx.mpf(2))
    found = clock.left(clock.zeta, 1) * ctx.mpf(2) ** (depth - 2)
    assert abs(found - ctx.mpf(sympy.sympify(end).evalf(35)._mpf_)) < ctx.mpf(10) ** -27


def test_float_slacks_agree_with_the_precise_ones():
    etas = np.array([[1.0, 2.0], [3.0, 1.5], [0.2, -0.5]])
    flow = CoordinateFlow(np.eye(2), Start.of(etas))
    for side in (1, -1):
        ours = flow.slacks(flow.start, side)
        for j in range(2):
            start = flow.data
            clock = Clock(CTX, CTX.mpf(start.z[j]), [CTX.mpf(d) for d in start.delta[:, j]], CTX.mpf(start.unit[j]))
            true = clock.left(clock.zeta, side)
            assert abs(ours[j] / float(true) - 1) < 1e-8


def test_one_sample_with_different_layers_goes_to_the_least_blow_up_time():
    # depth 3, eta = (2, 1, z): omega = sqrt((z^2+d1)(z^2+d2)); the times by SciPy's quadrature decide.
    s = [1, 1.3]
    for last in ((0, 0), (0.9, 0), (-0.9, 0.5)):
        etas = [[2, 1], [1, 2], list(last)]
        times = []
        for j in range(2):
            z0 = etas[2][j]
            d = [e[j] ** 2 - z0**2 for e in etas[:2]]
            times.append(quad(lambda x, d=d: 1 / np.sqrt((x * x + d[0]) * (x * x + d[1])), z0, np.inf)[0] / s[j])
        found = growth(np.array([[sympy.Rational("1"), sympy.Rational("1.3")]]), flat(*etas), CTX)
        assert np.flatnonzero(found.rho).tolist() == [int(np.argmin(times))]


def test_a_coordinate_with_frozen_sign_cannot_be_pushed_through_zero():
    # Two equal smallest layers keep the sign of rho: y s rho < 0 decays, the other coordinate wins though it is
    # smaller.
    found = growth(np.array([[-5, 1]]), flat([2, 1], [1, 1], [1, 0]), CTX)
    assert found.rho.tolist() == [0, 1]


def test_finite_values_of_losers_with_two_support_vectors():
    A = np.array([[3, 1, 0], [1, 3, 1]])
    found = growth(A, flat([1, 1, 1], [1, 1, 1], [0, 0, 0]), CTX)
    # The vertex of coordinates 1 and 2: mu = c (1/4, 1/4), so (A^T mu)_3 = c/4, rho_3 -> h_3(pi/8) = tan sec^2.
    assert found.rho[0] == found.rho[1] == CTX.mpf(1) / 4
    with mpmath.workdps(45):
        assert abs(found.finite[2] - mpmath.tan(mpmath.pi / 8) / mpmath.cos(mpmath.pi / 8) ** 2) < mpmath.mpf(10) ** -40
    assert found.finite[0] == CTX.inf


def test_an_exact_tie_of_three_coordinates_is_shared_as_on_the_path():
    # algorithms.md: proven ties are merged; here three different columns meet in one dual vertex.
    A = np.array([[-1, 0, 3, 1, -3, -3], [-2, 3, -2, -1, 0, 0]])
    alpha = "4.499"
    etas = flat([alpha] * 6, [alpha] * 6, [0] * 6)
    found = growth(A, etas, CTX)
    assert "exact tie" in found.how
    # |rho_j|^{-1/3} = |(A^T nu)_j| on the tied coordinates, from the definition.
    J = np.flatnonzero(found.rho)
    target = np.array([float(CTX.sign(found.rho[j]) * abs(found.rho[j]) ** (-CTX.mpf(1) / 3)) for j in J])
    nu = np.linalg.lstsq(A[:, J].T.astype(float), target, rcond=None)
    assert np.abs(A[:, J].T @ nu[0] - target).max() < 1e-12
    assert min(A @ found.rho) > 1 - CTX.mpf(10) ** -30


def test_several_solutions_of_depth_two_weigh_by_the_start():
    # x = (1, 1): rho_j = a_j^2 sinh(2 g)/2 with one g: shares 1 : 4 for eta = (1, 2).
    found = growth(np.array([[1, 1]]), flat([1, 2], [0, 0]), CTX)
    assert abs(found.rho[0] - CTX.mpf("0.2")) < CTX.mpf(10) ** -40
    # General start: (eta_1 + eta_2)^2 : 4 at eta = (1, 2), (1/2, 0).
    found = growth(np.array([[1, 1]]), flat([1, 2], ["0.5", 0]), CTX)
    assert abs(found.rho[0] / found.rho[1] - CTX.mpf("2.25") / 4) < CTX.mpf(10) ** -40


def test_the_balanced_point_says_when_there_is_none():
    ctx = context(30)
    A = np.array([[ctx.one, ctx.one]])
    point = balanced(A, np.array([1, 1]), np.array([1, 1]), 4, ctx, None, np.array([ctx.one]))
    assert abs(point[0] - ctx.mpf("0.5")) < ctx.mpf(10) ** -15
    with pytest.raises(NotConverged):
        balanced(
            np.array([[ctx.one, -ctx.one], [ctx.one, ctx.one]]),
            np.array([1, 1]),
            np.array([1, 1]),
            4,
            ctx,
            None,
            np.array([ctx.zero, ctx.one]),
        )


def test_the_race_reads_one_vertex_and_its_gaps():
    A = np.array([[1.0, 2.0, -1.0, 3.0], [2.0, -1.0, 1.0, 1.0]])
    found = race(CoordinateFlow(A, Start.of([np.array([0.3, 0.6, 0.3, 0.3])] * 2 + [np.zeros(4)])))
    assert min(found.gaps.values()) > 1e-3
    vertex = np.zeros(4)
    vertex[list(found.active)] = np.linalg.solve(A[np.ix_(found.support, found.active)], np.ones(len(found.support)))
    # At margin 1e12 the direction is within 1e-5 (tempering) of its vertex.
    assert np.abs(found.direction - vertex).max() < 1e-4


def test_a_common_size_of_the_start_changes_the_units_of_the_flow_only():
    rng = np.random.default_rng(3)
    for depth, s in ((3, 16.0), (5, 1 / 8)):
        A, etas = rng.standard_normal((2, 4)), rng.standard_normal((depth, 4))
        flow, small = CoordinateFlow(A, Start.of(s * etas)), CoordinateFlow(A, Start.of(etas), one=s**-depth)
        zeta = flow.start[:4] + 0.5 * rng.standard_normal(4)
        state = np.concatenate([zeta, np.zeros(3)])
        # Powers of two: the same digits, but for the logarithms in the weights.
        assert np.allclose(flow.margins(state), s**depth * small.margins(state), rtol=1e-13)
        assert np.allclose(flow.slacks(state, 1), s ** (2 - depth) * small.slacks(state, 1), rtol=1e-13)
        ours, theirs = flow.velocity(state), small.velocity(state)
        assert np.allclose(ours[:4], theirs[:4], rtol=1e-12)
        assert np.allclose(ours[4:], s ** (2 - depth) * theirs[4:], rtol=1e-12)
        # The margin 1 is part of the units: without it the softmax weights are others.
        assert not np.allclose(ours[:4], CoordinateFlow(A, Start.of(etas)).velocity(state)[:4], rtol=1e-3)


def test_equal_columns_that_are_not_merged_are_reported_as_a_tie():
    try:
        found = race(CoordinateFlow(np.array([[1.0, 1.0]]), Start.of([np.ones(2), np.ones(2), np.zeros(2)])))
    except Undecided as fault:
        assert "undecided" in str(fault)
    else:
        assert not found.gaps


def test_the_path_reaches_the_l1_margin_of_depth_two():
    ctx = context(150)
    A = np.array([[ctx.mpf(1), ctx.mpf(2)], [ctx.mpf(0), ctx.mpf(3)]])
    one = np.array([ctx.one, ctx.one])
    start = Start(
        np.array([ctx.mpf(1), ctx.mpf(2)]), one.reshape(1, 2), one, np.zeros(2, dtype=bool), np.zeros(2, dtype=int)
    )
    path = follow(A, start, np.array([1, 1]), ctx, 45)
    # kappa = 1/2: 10^(-45/2).
    assert abs(path.direction[0]) < ctx.mpf(10) ** -21
    assert abs(path.direction[1] - ctx.mpf("0.5")) < ctx.mpf(10) ** -21
    assert path.support == (0,)


def test_chord_newton_keeps_away_from_symmetries():
    # x^2 + y^2 = 2: a circle of solutions; the step is the least one, along the radius.
    function, jacobian = lambda x: np.array([x @ x - 2]), lambda x: np.array([2 * x])
    root = newton(function, jacobian, np.array([1.1, 1.1]))
    assert np.allclose(root, [1, 1], rtol=1e-12)
    precise = refine(function, jacobian, root, CTX)
    assert abs(precise @ precise - 2) < CTX.mpf(10) ** -39
    with pytest.raises(NotConverged, match="too far"):
        newton(lambda x: x**2 + 1, lambda x: np.array([[2 * x[0]]]), np.array([1.0]))
    with pytest.raises(NotConverged, match="stopped at a residual"):
        refine(lambda x: x**2, lambda x: np.array([[2 * x[0] + 1e-3]]), np.array([1e-9]), CTX)


def test_the_clock_is_the_integral_of_dz_over_omega_and_its_inverse():
    ctx = context(40)
    # free, kept with one and with two equal layers, and differences of squares twenty powers of ten apart
    for z, delta, kept in (
        ("0.7", ["0.5", "3"], 0),
        ("-2", ["0", "1"], -1),
        ("2", ["0", "0"], 1),
        ("1e-9", ["1e-20", "1"], 0),
        ("0.3", ["0", "2", "5"], 1),
    ):
        delta = [ctx.mpf(e) for e in delta]
        z, unit = ctx.mpf(z), ctx.sqrt(min(delta)) or abs(ctx.mpf(z))
        clock = Clock(ctx, z, delta, unit, kept)
        assert abs(clock.z(clock.zeta) / z - 1) < ctx.mpf(10) ** -38
        for time in ("0.1", "-0.2"):
            end = clock.z(clock.at(ctx.mpf(time) * clock.left(clock.zeta, kept or 1)))
            low, high = sorted((z, end))

            s = min(unit, ctx.mpf(1))

            def speed(u, delta=delta, s=s):
                x = s * ctx.sinh(u)
                return s * ctx.cosh(u) / ctx.sqrt(ctx.fprod(x * x + d for d in delta))

            # mpmath's tanh-sinh over pieces of one in asinh(x / s)
            first, last = ctx.asinh(low / s), ctx.asinh(high / s)
            true = ctx.quad(speed, ctx.linspace(first, last, 2 + int(last - first)))
            ours = abs(ctx.mpf(time)) * clock.left(clock.zeta, kept or 1)
            assert abs(true / ours - 1) < ctx.mpf(10) ** -30


def test_a_clock_says_where_a_coordinate_cannot_get():
    ctx = context(30)
    kept = Clock(ctx, ctx.mpf(2), [ctx.zero, ctx.one], ctx.mpf(2), 1)
    assert kept.left(kept.zeta, -1) == ctx.inf and ctx.isfinite(kept.left(kept.zeta, 1))
    assert 0 < kept.z(kept.at(ctx.mpf(-50))) < ctx.mpf(10) ** -15
    free = Clock(ctx, ctx.zero, [ctx.one, ctx.one], ctx.one)
    assert free.at(ctx.pi / 2 + ctx.mpf("1e-20")) == ctx.inf and free.at(-2) == -ctx.inf
    assert abs(free.z(free.at(ctx.mpf(1))) - ctx.tan(1)) < ctx.mpf(10) ** -28  # L = 3: q = tan t


def test_a_coordinate_of_kept_sign_comes_back_from_any_depth_with_its_digits():
    # L = 3, eta = (1, 1, 2), pull p down to e^{-60}: zeta carries it, z in floats would be below every tolerance.
    start = Start.of(np.array([[1.0], [1.0], [2.0]]))
    flow = CoordinateFlow(np.array([[1.0]]), start)
    assert start.kept.tolist() == [1] and start.unit.tolist() == [1.0]
    state = np.array([-60.0, 0.0, 0.0])
    assert abs(flow.z(state)[0] / np.exp(-60) - 1) < 1e-14
    # w = sqrt(z^2 + 3)
    assert abs(flow._weights(state[:1])[0] - np.sqrt(3)) < 1e-15
    assert flow.slacks(state, -1)[0] == np.inf and np.isfinite(flow.slacks(state, 1)[0])


def test_the_jacobian_of_coordinates_of_kept_sign():
    rng = np.random.default_rng(5)
    for depth in (2, 3, 4):
        etas = rng.standard_normal((depth, 3))
        etas[1] = -etas[0]
        if depth > 2:
            etas[2:] = 3 + np.abs(etas[2:])
        flow = CoordinateFlow(rng.standard_normal((2, 3)), Start.of(etas))
        assert np.abs(flow.data.kept).tolist() == [1, 1, 1]
        assert np.allclose(flow.coefficients(flow.start), etas.prod(axis=0), rtol=1e-13)
        state = flow.start + 0.3 * rng.standard_normal(flow.start.size)
        step = 1e-6
        differences = [
            (flow.velocity(state + step * e) - flow.velocity(state - step * e)) / (2 * step) for e in np.eye(state.size)
        ]
        # Central differences: step^2 and eps/step, both near 1e-10.
        assert np.allclose(flow.jacobian(state), np.array(differences).T, atol=1e-7 * np.abs(differences).max())


def test_kept_signs_restrict_the_l1_margin_of_depth_two():
    # A = (-5, 1): free, rho = (-1/5, 0); with eta_1 = eta_2 = 1 the first coordinate stays positive and (0, 1) is left.
    A = np.array([[-5, 1]])
    assert growth(A, flat([2, 1], [1, 1]), CTX).rho.tolist() == [CTX.mpf(-1) / 5, 0]
    assert growth(A, flat([1, 2], [1, 1]), CTX).rho.tolist() == [0, 1]
    # eta_1 = -eta_2: negative for ever, which is the side that is pulled
    assert growth(A, flat([1, 2], [-1, 1]), CTX).rho.tolist() == [CTX.mpf(-1) / 5, 0]
    with pytest.raises(HypothesisFails, match="stalls"):
        growth(A, flat([1, 1], [1, -1]), CTX)


def test_a_tie_of_one_part_in_a_googol_is_no_tie():
    near = sympy.Rational(1) + sympy.Rational(1, 10**100)
    A = np.array([[-5, 1]])
    etas = [np.array([sympy.Integer(1), sympy.Integer(2)]), np.array([near, sympy.Integer(1)])]
    assert growth(A, etas, CTX).rho.tolist() == [CTX.mpf(-1) / 5, 0]


@pytest.mark.parametrize("depth", [2, 3])
def test_dead_coordinates_are_left_out(depth):
    A = np.array([[-5, 1, 2], [3, 1, 0]])
    etas = flat([0, 2, 1], [0, 1, 2], *[[1, 3, 3]] * (depth - 2))
    found = growth(A, etas, CTX)
    alone = growth(A[:, 1:], [eta[1:] for eta in etas], CTX)
    assert found.rho.tolist() == [0, *alone.rho] and found.multipliers.tolist() == alone.multipliers.tolist()
    with pytest.raises(HypothesisFails, match="stalls"):
        growth(A[:, :1], [eta[:1] for eta in etas], CTX)


def test_equal_columns_of_different_starts_are_not_merged_at_any_scale():
    # x = (1, 1), eta = (1, 2): the larger start has the shorter blow-up time, at every alpha.
    for alpha in ("1", "1e-30", "1e30"):
        a = sympy.Rational(alpha)
        etas = [np.array([a, 2 * a]), np.array([a, 2 * a]), np.array([a * 0, a * 0])]
        assert growth(np.array([[1, 1]]), etas, CTX).rho.tolist() == [0, 1]
        irrational = [np.array([e * sympy.sqrt(2) for e in eta]) for eta in etas]
        assert growth(np.array([[1, 1]]), irrational, CTX).rho.tolist() == [0, 1]


def test_finite_values_from_a_general_start():
    # Depth 4 with three equal squares above the last: delta = 1 gives int dz/omega = z / sqrt(1 + z^2), t(oo) = 1.
    # One sample x = (3, 1): e_1 from z_0 = 0 wins at nu = 1/3. The loser has layers 5/4 and z_0 = 3/4: delta = 1 and
    # t_0 = 3/5, so it ends at t = 3/5 + 1/3.
    etas = flat([1, "1.25"], [1, "1.25"], [1, "1.25"], [0, "0.75"])
    found = growth(np.array([[3, 1]]), etas, CTX)
    assert found.rho.tolist() == [CTX.mpf(1) / 3, 0]
    t = CTX.mpf(3) / 5 + CTX.mpf(1) / 3
    # h_4(t) = t / (1 - t^2)^2
    assert abs(found.finite[1] - t / (1 - t * t) ** 2) < CTX.mpf(10) ** -40
    assert found.finite[0] == CTX.inf
    # Two samples, both support vectors, depth 4: times 1 - t_0 = 2/5 on the two winners.
    A = np.array([[3, 1, 0], [1, 3, 1]])
    etas = flat(*[["1.25"] * 3] * 3, ["0.75", "0.75", "-0.75"])
    found = growth(A, etas, CTX)
    assert found.rho.tolist() == [CTX.mpf(1) / 4, CTX.mpf(1) / 4, 0]
    t = -CTX.mpf(3) / 5 + CTX.mpf(1) / 10  # A_J^T mu = 2/5: mu = (1/10, 1/10)
    assert abs(found.finite[2] - t / (1 - t * t) ** 2) < CTX.mpf(10) ** -40


def test_a_pushed_coordinate_of_kept_sign_tends_to_a_number_of_that_sign():
    # Depth 3, x = (-5, 1): e_2 wins at nu = pi/2 (eta = 1, 1, 0). The first: eta = (1, 1, sqrt 2), so delta = (0, 1):
    # int_z^1 dx / (x sqrt(x^2 + 1)) = asinh(1/z) - asinh(1) = 5 pi/2.
    etas = [np.array([1, 1]), np.array([1, 1]), np.array([sympy.sqrt(2), 0])]
    found = growth(np.array([[-5, 1]]), etas, CTX)
    assert found.rho.tolist() == [0, 1]
    z = 1 / CTX.sinh(CTX.asinh(1) + 5 * CTX.pi / 2)
    assert abs(found.finite[0] / (z * z * CTX.sqrt(z * z + 1)) - 1) < CTX.mpf(10) ** -30

"""Every condition of a limit direction sees its own kind of wrong prediction; what is not certain is undecided."""

from dataclasses import replace

import mpmath
import numpy as np
import pytest

import symbias as sb
from symbias.checks.direction_conditions import conditions, cone
from symbias.checks.second_ways import by_squaring, by_the_network, by_the_path, equal_growth
from symbias.precision import context


def fully_connected():
    net = sb.FullyConnected(2, 3)
    start = sb.Initialization(1, [[[1, "0.5"], [0, 1]], [[1, 0], ["0.25", 1]], [1, 0]])
    return sb.Classification(net, [[1, 2], [0, -3], [2, 1]], [1, -1, 1], start)


def diagonal():
    net = sb.Diagonal(3, 3)
    return sb.Classification(net, [[1, 2, 3], [2, -1, -4]], [1, 1], sb.Initialization.theorem_5(net, 1, [1, 2, 1]))


def short_filter():
    net = sb.Convolutional(4, 2, (2, 4))
    return sb.Classification(net, [[1, 2, 0, 3]], [-1], sb.Initialization(1, [[1, 2], [0] * 4]))


def failing(problem, prediction, digits=20):
    return {r.name for r in conditions(problem, prediction, digits) if not r.holds}


@pytest.mark.parametrize("make", [fully_connected, diagonal, short_filter])
def test_right_predictions_pass_every_condition(make):
    assert failing(make(), sb.predict(make(), digits=25)) == set()


def test_a_wrong_scale_is_seen_by_the_margin():
    problem = diagonal()
    found = sb.predict(problem, digits=25)
    with mpmath.workdps(40):
        doubled = replace(found, coefficients=2 * found.coefficients)
    assert "least margin = 1" in failing(problem, doubled)


def test_another_stationary_point_passes_the_conditions_and_fails_the_second_way():
    # x = (1, 2), eta = (3, 1), depth 3: e_1 is reached; e_2/2 is stationary as well, and even the optimum.
    net = sb.Diagonal(2, 3)
    problem = sb.Classification(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, 1, [3, 1]))
    found = sb.predict(problem, digits=25)
    other = np.array([mpmath.mpf(0), mpmath.mpf(1) / 2])
    unit = np.array([mpmath.mpf(0), mpmath.mpf(1)])
    wrong = replace(found, coefficients=other, direction=unit, singular_values=other, blocks=(unit, unit, unit))
    assert failing(problem, wrong) == set()
    outcome = sb.check(problem, wrong, digits=20)
    assert outcome.verdict == "fails"
    assert [e.name for e in outcome.evidence if not e.holds] == ["direction, a second way"]


def test_a_point_off_the_cone_and_wrong_blocks_are_seen():
    problem = fully_connected()
    found = sb.predict(problem, digits=25)
    with mpmath.workdps(40):
        turned = found.coefficients + mpmath.mpf(10) ** -15 * np.array([mpmath.mpf(-2), mpmath.mpf(1)])
    assert failing(problem, replace(found, coefficients=turned)) & {
        "beta in the cone of the support vectors",
        "least margin = 1",
    }
    # Filter 2 has v_1 = (1, ±1)/sqrt 2, whose reverse is as good; the last block has no such symmetry.
    found = sb.predict(short_filter(), digits=25)
    swapped = (found.blocks[0], found.blocks[1][::-1])
    assert failing(short_filter(), replace(found, blocks=swapped)) == {"Lim's equations for M(-u)"}


def test_a_stationary_point_with_a_negative_multiplier_is_no_limit():
    ctx = context(30)
    B = np.array([[ctx.mpf(1), ctx.mpf(0)], [ctx.mpf(0), ctx.mpf(1)]])
    assert cone(ctx, B, np.array([ctx.mpf(1), ctx.mpf(2)]), 0) < 1e-20
    assert cone(ctx, B, np.array([ctx.mpf(1), ctx.mpf(-1)]), 0) > 0.5


def test_the_three_second_ways_agree_where_they_meet():
    # Depth 2, one sample, diagonal: the path, the squared linear flow and the network's own blocks.
    net = sb.Diagonal(3, 2)
    problem = sb.Classification(net, [[1, -2, 3]], [-1], sb.Initialization.theorem_5(net, 1, [1, 2, 1]))
    found = [by_the_path(problem, 15), by_squaring(problem, 15)]
    limit = by_the_network(problem, 15)
    found.append(net.coefficients(list(limit.blocks)))
    for beta in found:
        unit = np.array([float(entry) for entry in beta])
        assert np.allclose(unit / np.linalg.norm(unit), [0, 0, -1], atol=1e-14)
    growth = equal_growth(problem, limit)
    assert growth.holds
    assert not replace(growth, value=growth.tolerance * 2).holds


def test_float64_predictions_are_held_to_ten_digits():
    outcome = sb.check(diagonal(), sb.predict(diagonal()), digits=30)
    assert outcome.verdict == "holds"
    assert "held to 10 digits" in outcome.note


def test_too_near_a_race_for_the_path_is_undecided_and_not_wrong():
    # kappa = 0.9999: at depth 2 the path would need a margin of 10^330000 for 25 digits.
    net = sb.Diagonal(2, 2)
    X = [["0.9999", 1], ["0.9999", 2]]
    problem = sb.Classification(net, X, [1, 1], sb.Initialization.theorem_5(net, 1, 1))
    found = sb.predict(problem, digits=25)
    assert found.direction.tolist() == [0, 1]
    outcome = sb.check(problem, found, digits=25)
    assert outcome.verdict == "undecided"
    assert "fewer digits" in outcome.note

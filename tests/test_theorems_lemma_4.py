"""Lemma 4 by its name: its functions against its own equations, and the place it has among the statements."""

import types

import pytest

import symbias as sb
from symbias.checks.lemma_4 import PLACES, check_lemma_4
from symbias.errors import BadInput
from symbias.kernels import precise
from symbias.theorems import lemma_4


@pytest.mark.parametrize("depth", [2, 3, 4, 5, 7, 12])
def test_the_functions_solve_the_system_to_30_digits(depth):
    outcome = check_lemma_4(depth, digits=30)
    assert outcome.verdict == "holds" and outcome.points == 4 * len(PLACES)


@pytest.mark.parametrize("name", ["p", "q", "h", "h_inverse"])
def test_a_function_wrong_in_the_20th_digit_fails(name):
    true = getattr(precise, name)
    wrong = types.SimpleNamespace(p=precise.p, q=precise.q, h=precise.h, h_inverse=precise.h_inverse)
    setattr(wrong, name, lambda ctx, depth, x: true(ctx, depth, x) * (1 + ctx.mpf(10) ** -20))
    outcome = check_lemma_4(4, digits=30, functions=wrong)
    assert outcome.verdict == "fails" and 19.5 < outcome.digits < 20.5


def test_its_section_fails_when_any_step_is_perturbed():
    steps = lemma_4.section(3).steps
    assert len(steps) > 15 and all(step.fails_when_perturbed() for step in steps)


def test_it_predicts_nothing_by_itself():
    net = sb.Diagonal(2, 2)
    problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, 1, 1))
    with pytest.raises(BadInput, match="theorem_5"):
        sb.predict(problem, theorem="lemma_4")


@pytest.mark.parametrize("depth, digits, word", [(1, 20, "depth"), (3, 0, "digits"), (2.5, 20, "depth")])
def test_bad_input(depth, digits, word):
    with pytest.raises(BadInput, match=word):
        check_lemma_4(depth, digits)

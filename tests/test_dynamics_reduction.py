"""The reduced flow solves the full flow of a coordinate."""

import pytest
import sympy

from symbias.dynamics.reduction import modulo_lemma_4, reduction_steps
from symbias.functions import p, q


@pytest.mark.parametrize("depth", range(2, 9))
def test_every_step_is_proved_and_fails_when_perturbed(depth):
    steps = reduction_steps(depth)
    assert len(steps) == 4
    for step in steps:
        assert step.fails_when_perturbed()


def test_the_relation_of_lemma_4_is_used_and_nothing_else():
    t = sympy.Symbol("t", real=True)
    P, Q = p(3, t), q(3, t)
    assert modulo_lemma_4(P**2, Q**2 + 1, 3, t) == 0
    assert modulo_lemma_4(P**3 * Q, P * Q + P * Q**3, 3, t) == 0
    assert modulo_lemma_4(P, Q, 3, t) != 0
    assert modulo_lemma_4(P**2 * Q, Q**3, 3, t) != 0
    assert modulo_lemma_4(Q**2, Q, 3, t) != 0

"""Every proof step of the functions proves itself, and fails on a perturbed claim."""

import functools
import json

import pytest
import sympy

from symbias import symbols
from symbias.errors import BadInput
from symbias.functions import (
    closed_form_steps,
    difference_of_powers_steps,
    expansion_steps,
    explicit,
    general_direction_steps,
    general_initialization_steps,
    lemma_4_steps,
    p,
    potential_steps,
    q,
    series_steps,
    theorem_5_steps,
)
from symbias.proof import ProofFails, Step, vanishes
from symbias.verdict import Result

L = symbols.L
T = symbols.t

FAMILIES = {
    "lemma 4": lemma_4_steps,
    "series": series_steps,
    "expansions": lambda depth: expansion_steps(depth, terms=3),
    "potential": lambda depth: potential_steps(dim=2, depth=depth),
    "difference of powers": difference_of_powers_steps,
    "theorem 5 initialization": theorem_5_steps,
    "elementary forms": closed_form_steps,
    "general initialization": general_initialization_steps,
    "general direction": general_direction_steps,
}
#: With the depth free, and at one number; where the layers are counted, at the numbers that differ.
PERTURBED = {family: (L, 3) for family in FAMILIES} | {
    "elementary forms": (2, 6),
    "general initialization": (2, 3, 4, 5),
    "general direction": (2, 3, 4, 5),
}


@functools.cache
def steps_of(family, depth):
    """Made once: a step proves itself when it is made, or raises ProofFails."""
    return FAMILIES[family](depth)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("depth", range(2, 13))
def test_every_depth_from_2_to_12_is_proved(family, depth):
    steps = steps_of(family, depth)
    assert steps and all(step.why and step.title for step in steps)


@pytest.mark.parametrize(("family", "depth"), [(f, depth) for f in FAMILIES for depth in PERTURBED[f]], ids=str)
def test_every_step_fails_when_perturbed(family, depth):
    for step in steps_of(family, depth):
        assert step.fails_when_perturbed(), step.title


@pytest.mark.parametrize("depth", [13, 18, 21, 24])
def test_elementary_forms_are_proved_and_fail_when_perturbed(depth):
    for step in closed_form_steps(depth):
        assert step.fails_when_perturbed(), step.title


def test_the_symbolic_depth_is_a_free_symbol():
    titles = [step.title for step in lemma_4_steps() if L in step.lhs.free_symbols | step.rhs.free_symbols]
    assert len(titles) == len(lemma_4_steps()) - 1  # the term of the 2F1 has b = (L-1)/2


def test_steps_read_back_and_prove_themselves_again():
    families = ("lemma 4", "series", "potential", "elementary forms", "general initialization", "expansions")
    for step in (step for family in families for step in steps_of(family, 3)):
        record = json.loads(json.dumps(step.to_dict()))
        again = Result.from_dict(record)
        assert (again.lhs, again.rhs, again.check) == (step.lhs, step.rhs, step.check)
        assert step.to_latex()


def test_a_false_claim_of_each_kind_is_not_proved():
    y = sympy.Symbol("y", real=True)
    claims = [
        (p(L, T) ** 2 + q(L, T) ** 2, sympy.S.One, "constant_of_motion", {"t": T}),
        (sympy.Derivative(q(L, T), T), p(L, T) ** L, "along_the_flow", {}),
        (y, -y, "positive_terms", {}),
        (sympy.atan(y), sympy.asinh(y), "same_start_and_rate", {"variable": y}),
        (sympy.binomial(2 * y, y), sympy.binomial(2 * y, y) * 2, "hypergeometric_terms", {"k": y}),
        ((1 + y) ** L, (1 + y) ** (L + 1), "equal_logarithmic_derivative", {"variable": y, "point": sympy.S.Zero}),
        (sympy.gamma(L + 1), L * sympy.gamma(L + 1), "gamma_functions", {}),
    ]
    for lhs, rhs, name, given in claims:
        with pytest.raises(ProofFails):
            Step("a false claim", lhs, rhs, "it is false", name, given)


def test_wrong_coefficients_of_a_series_are_not_proved():
    for step in expansion_steps(L, terms=2):
        for factor in (2, -1):
            terms = list(sympy.Add.make_args(step.rhs))
            for i in range(len(terms)):
                claim = sympy.Add(*terms[:i], factor * terms[i], *terms[i + 1 :])
                assert not vanishes(step.remainder(claim)), (step.title, claim)


def test_elementary_t_of_q_by_hand():
    u = sympy.Symbol("u", positive=True)
    assert explicit.time(3, u) == sympy.atan(u) and explicit.time(2, u) == sympy.asinh(u)
    assert explicit.time(4, u) == u / sympy.sqrt(1 + u**2)
    assert sympy.simplify(explicit.time(7, u).diff(u) - (1 + u**2) ** -3) == 0
    assert all(explicit.end(depth) == sympy.limit(explicit.time(depth, u), u, sympy.oo) for depth in range(3, 9))


def test_bad_input_at_the_doors():
    for steps in (closed_form_steps, general_initialization_steps):
        with pytest.raises(BadInput, match="symbol"):
            steps(L)
        with pytest.raises(BadInput, match=">= 2"):
            steps(1)
    with pytest.raises(BadInput, match="integer"):
        lemma_4_steps(sympy.Float(3))

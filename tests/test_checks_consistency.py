"""A check looks at every field of a prediction: each one changed by itself makes it fail."""

from dataclasses import replace

import pytest

import symbias as sb
from symbias.errors import BadInput


def start(net, alpha, eta):
    return sb.Initialization.theorem_5(net, alpha, eta)


TWO, THREE = sb.Diagonal(2, 2), sb.Diagonal(2, 3)
FULL = sb.FullyConnected(2, 2)
CASES = {
    "theorem_5": sb.Regression(THREE, [[1, 2]], [1], start(THREE, "0.5", [1, 2])),
    "theorem_2": sb.Classification(THREE, [[1, 2], [3, 1]], [1, 1], start(THREE, 1, [3, 1])),
    "theorem_2 at depth 2": sb.Classification(TWO, [[1, 2], [3, 1]], [1, 1], start(TWO, 1, [3, 1])),
    "theorem_3": sb.Classification(TWO, [[1, 2]], [1], start(TWO, 1, [3, 1])),
    "corollary_1": sb.Classification(FULL, [[1, 2], [3, 1]], [1, 1], sb.Initialization(1, [[[1, 0], [0, 1]], [1, 0]])),
}
FIELDS = {
    "theorem_5": ["singular_values", "potential", "blocks"],
    "theorem_2": ["direction", "singular_values", "multipliers", "blocks"],
    "theorem_2 at depth 2": ["direction", "singular_values", "multipliers", "blocks"],
    "theorem_3": ["direction", "blocks"],
    "corollary_1": ["direction", "multipliers"],
}


@pytest.mark.parametrize("name", CASES)
def test_the_prediction_as_it_is_holds(name):
    assert sb.check(CASES[name], sb.predict(CASES[name], digits=20), digits=20).verdict == "holds"


@pytest.mark.parametrize("name, field", [(name, field) for name in FIELDS for field in FIELDS[name]])
def test_one_field_changed_fails(name, field):
    prediction = sb.predict(CASES[name], digits=20)
    value = getattr(prediction, field)
    if field == "potential":
        wrong = 2 * value
    elif field == "blocks":
        wrong = (-value[0], *value[1:])
    else:
        wrong = value.copy()
        wrong[0], wrong[-1] = -value[0] - 1, -value[-1]
    outcome = sb.check(CASES[name], replace(prediction, **{field: wrong}), digits=20)
    assert outcome.verdict == "fails"


@pytest.mark.parametrize("coefficients", [None, [1, 2]])
def test_coefficients_that_are_no_array_are_refused(coefficients):
    prediction = replace(sb.predict(CASES["theorem_5"]), coefficients=coefficients)
    with pytest.raises(BadInput, match="coefficients"):
        sb.check(CASES["theorem_5"], prediction)


def test_a_check_needs_digits():
    with pytest.raises(BadInput, match="digits"):
        sb.check(CASES["theorem_5"], digits=None)

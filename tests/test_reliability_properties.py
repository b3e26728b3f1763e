"""Nothing unverified is ever returned: whatever the network, data, alpha, depth and digits, an answer's residuals are
recomputed here, apart from the library, and a refusal is one of its own errors.

Longer, by hand: SYMBIAS_EXAMPLES=2000 python3 dev.py test tests/test_reliability_properties.py
"""

import os
from collections import Counter

import answers
import numpy as np
import pytest
import sympy
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import symbias as sb

ASKED = os.environ.get("SYMBIAS_EXAMPLES")
EXAMPLES = 25 if ASKED is None else int(ASKED)
bounded = settings(
    max_examples=EXAMPLES,
    derandomize=ASKED is None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],  # shrinking takes minutes; the case is small as it is
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

rationals = st.builds(sympy.Rational, st.integers(-12, 12), st.sampled_from([1, 2, 3, 5, 8, 10]))
positive = st.builds(sympy.Rational, st.integers(1, 12), st.sampled_from([4, 5, 8]))
alphas = st.one_of(st.sampled_from(["1", "0.01", "1e-30", "1e30"]), st.integers(-12, 12).map(lambda k: f"1e{k}"))
digits_asked = st.one_of(st.none(), st.none(), st.integers(5, 40), st.sampled_from([80, 120]))
SEEN: dict[str, Counter] = {}


def matrix(n, d, entries=rationals):
    return st.lists(st.lists(entries, min_size=d, max_size=d), min_size=n, max_size=n)


def mirrored(X):
    """Even rows: the first floor(d/2) + 1 entries and their mirror image."""
    return lambda d: [[row[min(i, d - i)] for i in range(d)] for row in X]


@st.composite
def regressions(draw, family):
    """Data, a start and a network, as exact numbers or as floats; None where the library may refuse the data."""
    d = draw(st.integers(1, 4) if family != "convolutional" else st.integers(2, 5))
    depth = 1 if family == "linear" else draw(st.integers(2, 5))
    n = draw(st.integers(1, min(2, d)))
    X = draw(matrix(n, d))
    if family == "convolutional":
        X = mirrored(X)(d)
    y = draw(st.lists(rationals, min_size=n, max_size=n))
    if draw(st.booleans()):
        X, y = np.array(X, dtype=float), np.array(y, dtype=float)
    alpha, digits = draw(alphas), draw(digits_asked)
    size = d // 2 + 1 if family == "convolutional" else d
    eta = draw(st.lists(positive, min_size=size, max_size=size))
    return d, depth, X, y, alpha, eta, digits


def build(family, d, depth, X, y, alpha, eta):
    if family == "diagonal":
        net = sb.Diagonal(d, depth)
        start = sb.Initialization.theorem_5(net, alpha, eta)
    elif family == "convolutional":
        net = sb.Convolutional(d, depth)
        start = sb.Initialization.theorem_5(net, alpha, eta)
    elif family == "difference_of_powers":
        net = sb.DifferenceOfPowers(d, depth)
        start = sb.Initialization(alpha, [eta, eta])
    else:
        net = sb.Linear(d)
        start = sb.Initialization(alpha, [eta])
    return sb.Regression(net, X, y, start)


def residuals(family, problem, prediction, ctx):
    X, y = answers.numbers(ctx, problem.X), answers.numbers(ctx, problem.y)
    beta = answers.numbers(ctx, prediction.coefficients)
    start = problem.initialization.blocks(ctx)  # the input itself
    if family == "linear":
        return answers.linear(ctx, X, y, start[0], beta)
    blocks = [answers.numbers(ctx, block) for block in prediction.blocks]
    if family == "difference_of_powers":
        given = {"depth": problem.network.depth, "blocks": start}
        return answers.difference_of_powers(ctx, X, y, given, beta, blocks)
    U, S = (None, None) if family == "diagonal" else answers.even_basis(ctx, problem.network.dim, len(start))
    rho = prediction.coefficients if family == "diagonal" else prediction.singular_values
    return answers.theorem_5(ctx, X, y, start, beta, answers.numbers(ctx, rho), blocks, U, S)


@pytest.mark.parametrize("family", ["diagonal", "convolutional", "difference_of_powers", "linear"])
def test_every_regression_answer_is_verified_here(family):
    seen = SEEN.setdefault(family, Counter())

    @bounded
    @given(regressions(family))
    def run(case):
        d, depth, X, y, alpha, eta, digits = case
        try:
            problem = build(family, d, depth, X, y, alpha, eta)
            # Theorem 6 (depth 2, one sample) has coordinates of its own; Theorem 5 those of the even basis.
            named = "theorem_5" if family == "convolutional" else None
            prediction = sb.predict(problem, digits=digits, theorem=named)
        except sb.SymbiasError as error:
            seen[type(error).__name__] += 1
            assert 20 < len(str(error)) < 1500  # a sentence
            return
        seen["answered"] += 1
        ctx = answers.private((digits or 16) + 60 + 2 * 30 * depth)
        found = residuals(family, problem, prediction, ctx)
        missed = {name: ctx.nstr(r, 5) for name, r in found.items() if not r <= answers.tolerance(digits)}
        assert not missed, missed

    run()
    assert seen["answered"] > 0.4 * sum(seen.values()), seen


signed = st.builds(
    lambda k, q, s: s * sympy.Rational(k, q), st.integers(1, 8), st.sampled_from([3, 4, 5]), st.sampled_from([-1, 1])
)


@bounded
@given(
    st.integers(2, 3).flatmap(lambda depth: matrix(depth, 2, signed)),
    matrix(1, 2),
    st.lists(rationals, min_size=1, max_size=1),
    st.sampled_from(["0.1", "1", "10"]),
    st.one_of(st.none(), st.integers(5, 25)),
)
def test_every_answer_from_a_general_start_is_verified_here(directions, X, y, alpha, digits):
    try:
        problem = sb.Regression(sb.Diagonal(2, len(directions)), X, y, sb.Initialization(alpha, directions))
        prediction = sb.predict(problem, digits=digits, theorem="general_initialization")
    except sb.SymbiasError as error:
        assert 20 < len(str(error)) < 1500
        return
    ctx = answers.private((digits or 16) + 25)
    start = problem.initialization.blocks(ctx)
    X, y, beta = (answers.numbers(ctx, v) for v in (problem.X, problem.y, prediction.coefficients))
    blocks = [answers.numbers(ctx, block) for block in prediction.blocks]
    found = answers.general_initialization(ctx, X, y, start, beta, blocks)
    missed = {name: ctx.nstr(r, 5) for name, r in found.items() if not r <= answers.tolerance(digits)}
    assert not missed, missed


@settings(bounded, max_examples=max(EXAMPLES // 3, 8))
@given(
    st.lists(positive, min_size=4, max_size=4),
    st.integers(1, 2).flatmap(lambda n: st.tuples(matrix(n, 2), st.lists(rationals, min_size=n, max_size=n))),
    st.sampled_from(["0.1", "1"]),
    st.one_of(st.none(), st.integers(5, 25)),
)
def test_every_answer_of_the_fully_connected_network_is_verified_here(entries, data, alpha, digits):
    a, b, c, d = entries
    directions = [[[a + 1, b / 4], [0, c + 1]], [d / 4, 0]]  # Theorem 7's condition, or Theorem 6's with one sample
    try:
        problem = sb.Regression(sb.FullyConnected(2, 2), *data, sb.Initialization(alpha, directions))
        prediction = sb.predict(problem, digits=digits)
    except sb.SymbiasError as error:
        assert 20 < len(str(error)) < 1500
        return
    ctx = answers.private((digits or 16) + 30)
    start = problem.initialization.blocks(ctx)
    X, y, beta = (answers.numbers(ctx, v) for v in (problem.X, problem.y, prediction.coefficients))
    blocks = [answers.numbers(ctx, block) for block in prediction.blocks or ()]
    found = answers.fully_connected(X, y, start, beta, blocks) if blocks else {"fit": answers.feasibility(X, y, beta)}
    missed = {name: ctx.nstr(r, 5) for name, r in found.items() if not r <= answers.tolerance(digits)}
    assert not missed, (prediction.statement.id, missed)


labelled = st.integers(1, 3).flatmap(
    lambda n: st.tuples(matrix(n, 2), st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
)
NETWORKS = {
    "linear": lambda: (sb.Linear(2), [[0, 0]], "l2"),
    "fully connected": lambda: (sb.FullyConnected(2, 2), [[[1, 0], [0, 1]], ["0.5", "0.25"]], "l2"),
    "diagonal": lambda: (sb.Diagonal(2, 2), [[1, 1], [0, 0]], "l1"),
}


@pytest.mark.parametrize("family", NETWORKS)
def test_every_classification_answer_is_verified_here(family):
    seen = SEEN.setdefault(family, Counter())

    @settings(bounded, max_examples=max(EXAMPLES // 2, 8))
    @given(labelled, st.booleans(), st.one_of(st.none(), st.integers(5, 30)))
    def run(data, floats, digits):
        X, y = data
        X = np.array(X, dtype=float) if floats else X
        net, directions, norm = NETWORKS[family]()
        try:
            problem = sb.Classification(net, X, y, sb.Initialization(1, directions))
            prediction = sb.predict(problem, digits=digits)
        except sb.SymbiasError as error:
            seen[type(error).__name__] += 1
            assert 20 < len(str(error)) < 1500  # a sentence
            return
        seen[prediction.statement.id] += 1
        ctx = answers.private((digits or 16) + 60)
        X, y = answers.numbers(ctx, problem.X), answers.numbers(ctx, problem.y)
        z = answers.numbers(ctx, prediction.coefficients)
        found = answers.margin(ctx, X, y, z, norm)
        unit = answers.numbers(ctx, prediction.direction)
        found["direction"] = answers.relative(unit * ctx.sqrt(z @ z), z)
        missed = {name: ctx.nstr(r, 5) for name, r in found.items() if not r <= answers.tolerance(digits)}
        assert not missed, (prediction.statement.id, missed)

    run()
    answered = sum(count for name, count in seen.items() if "_" in name or name == "linear")
    assert answered > 0.1 * sum(seen.values()), seen


def test_a_wrong_answer_is_seen():
    """Negative control: the right answer of another scale is refused by the residuals of this one."""
    right = build("diagonal", 2, 3, [[1, 2]], [1], "0.1", [1, 1])
    wrong = sb.predict(build("diagonal", 2, 3, [[1, 2]], [1], "0.2", [1, 1]), digits=20)
    ctx = answers.private(100)
    found = residuals("diagonal", right, wrong, ctx)
    assert found["feasibility"] < 1e-18 and found["conserved"] > 1e-3 and found["stationarity"] > 1e-3

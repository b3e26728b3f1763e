"""sb.theorems_for: every statement is in the table, with what fails, by how much, and what predict answers with."""

import pytest

import symbias as sb
from symbias.errors import BadInput, SymbiasError
from symbias.theorems import ORDER, STATEMENTS, predict
from symbias.theorems.survey import theorems_for
from symbias.verdict import Result

DIAGONAL = sb.Diagonal(2, 2)
BOTH = sb.Regression(DIAGONAL, [[1, 2]], [1], sb.Initialization.theorem_5(DIAGONAL, "0.5", 1))


def test_every_statement_is_there_once_and_those_that_predict_tries_come_first():
    survey = theorems_for(BOTH)
    ids = [entry.statement.id for entry in survey.entries]
    assert sorted(ids) == sorted(STATEMENTS) and len(survey) == len(STATEMENTS)
    assert tuple(ids[: len(survey.order)]) == survey.order == ORDER["regression"]


def test_where_several_apply_predict_answers_with_the_first_and_the_table_says_which():
    survey = theorems_for(BOTH)
    assert {"theorem_6", "theorem_5", "corollary_5", "general_initialization"} <= set(survey.applying)
    assert survey.chosen == predict(BOTH).statement.id == "theorem_6"
    assert [e.chosen for e in survey.entries].count(True) == 1
    values = [
        predict(BOTH, digits=20, theorem=name).coefficients[0] for name in ("theorem_6", "theorem_5", "corollary_5")
    ]
    assert max(values) - min(values) <= 1e-19


def test_the_failing_hypothesis_is_there_with_its_margin_and_its_remedy():
    problem = sb.Regression(DIAGONAL, [[1, 2]], [1], sb.Initialization(1, [["1", "2"], ["0", "0.5"]]))
    entry = theorems_for(problem)["theorem_5"]
    assert not entry.applies
    (reason,) = entry.reasons()
    # the largest entry of v̄_2 against that of v̄_1: 0.5 / 2
    assert "v̄_L = 0 (margin -2.50e-01)" in reason and "general_initialization" in reason


def test_the_table_fits_the_terminal_and_the_notebook():
    survey = theorems_for(BOTH)
    assert max(map(len, repr(survey).splitlines())) <= 80
    page = survey._repr_html_()
    assert page.count("<tr>") == len(STATEMENTS) + 1 and "<b>Theorem 6</b>" in page
    for entry in survey.entries:
        assert entry.statement.title in repr(survey)
    again = Result.from_dict(survey.to_dict())
    assert repr(again) == repr(survey)


def test_classification_has_its_own_order():
    problem = sb.Classification(sb.Linear(2), [[1, 2]], [1], sb.Initialization(1, [[1, 1]]))
    survey = theorems_for(problem)
    assert survey.order == ORDER["classification"] and survey["linear"].applies
    assert survey["theorem_5"].reasons() == ["about regression: use sb.Regression"]


def test_where_no_statement_applies_the_table_says_what_is_left():
    net = sb.Convolutional(4, 3, filters=(2, 2, 4))
    problem = sb.Regression(net, [[1, 2, 0, 3]], [1], sb.Initialization(1, [[1, 2], [1, 1], [1, 2, 3, 4]]))
    survey = theorems_for(problem)
    assert survey.chosen is None and "sb.simulate" in repr(survey) and "sb.simulate" in survey._repr_html_()
    assert "sb.simulate" not in repr(theorems_for(BOTH))
    # where the lazy claim is false, its row does not send the reader to a limit that is refused
    assert "sb.limit" not in " ".join(survey["lazy"].reasons())
    with pytest.raises(SymbiasError):
        sb.limit(problem, float("inf"))


def test_a_network_that_no_statement_is_about_is_explained_once():
    tensor = sb.networks.TensorNetwork(sb.Diagonal(2, 2), "identity")
    survey = theorems_for(sb.Regression(tensor, [[1, 2]], [1], sb.Initialization(1, [[1, 1], [0, 0]])))
    text = " ".join(repr(survey).split())
    assert survey.applying == () and text.count("Diagonal(dim=2, depth=2)") == 1
    assert survey._repr_html_().count("Diagonal(dim=2, depth=2)") == 1
    assert theorems_for(BOTH).refusal is None


def test_samples_that_do_not_commute_leave_the_lazy_regime_its_own_answer():
    net = sb.MatrixSensing(2, 2)
    start = sb.Initialization(1, [[[1, 2], [0, 1]], [[0, 0], [0, 0]]])
    survey = theorems_for(sb.Regression(net, [[[1, 3], [0, 2]]], [1], start))
    assert "symmetric" in survey["theorem_5"].reasons()[0]
    assert "sb.limit(problem, alpha=oo)" in survey["lazy"].reasons()[0]


def test_a_problem_without_a_start_is_refused():
    with pytest.raises(BadInput, match="no initialization"):
        theorems_for(sb.Regression(DIAGONAL, [[1, 2]], [1]))


def test_predict_says_in_which_order_it_chose():
    net = sb.Diagonal(2, 2)
    problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, 1, 1))
    chosen = sb.predict(problem)
    # Theorems 5 and 6 both apply; design order: theorem_6 first
    assert chosen.statement.id == "theorem_6" and "theorem_6, theorem_5" in chosen.notes[-1]
    named = sb.predict(problem, theorem="theorem_5")
    assert not any("first statement" in note for note in named.notes)

"""The real data in the report: every network predicted and checked, and a failed check seen."""

from dataclasses import replace

import numpy as np

import symbias as sb
from symbias.report import real_data
from symbias.report.text import case_lines

SMALL = real_data.Case("small", sb.Diagonal(2, 2), np.array([[1.0, 2.0]]), np.array([1.0]), ("a", "b"))


def test_mirrored_rows_are_even():
    rows = real_data.mirrored(np.arange(10)[None])
    assert rows.shape == (1, 18) and all(rows[0, i] == rows[0, -i] for i in range(1, 18))


def test_a_case_has_every_scale_both_ends_and_its_check():
    made = real_data.run(SMALL, 20)
    assert made.heads == ("alpha -> 0", "alpha = 0.01", "alpha = 0.1", "alpha = 1", "alpha -> oo")
    # theory.md, section 6: Corollary 5, L = 2
    assert np.allclose(made.values[0, [1, 3]], [0.00352911265823201659, 0.189480406593109406], rtol=1e-12)
    assert np.allclose(made.values[:, [0, 4]], [[0, 0.2], [0.5, 0.4]], rtol=1e-12)
    assert made.outcome.verdict == "holds" and made.outcome.digits > 20
    lines = case_lines(made)
    assert max(map(len, lines)) <= 80 and any("0.0035291" in line for line in lines)


def test_a_failed_check_on_the_data_is_reported(monkeypatch):
    def check(problem, digits):
        prediction = sb.predict(problem, digits=digits)
        return sb.check(problem, replace(prediction, coefficients=prediction.coefficients[::-1].copy()), digits)

    monkeypatch.setattr(real_data, "check", check)
    assert real_data.run(SMALL, 15).outcome.verdict == "fails"


def test_the_cases_are_those_of_the_bundled_patients():
    titles = [case.title for case in real_data.cases()]
    assert len(titles) == 3 and sum("Corollary 5" in title for title in titles) == 2
    even = real_data.cases()[-1]
    assert even.network.dim == 18 and len(even.names) == 10 and "mirrored" in even.note

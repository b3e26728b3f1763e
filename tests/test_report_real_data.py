"""The real data in the report: every network predicted and checked, and a failed check seen."""

import io

import numpy as np

import symbias as sb
from symbias.report import real_data


def test_mirrored_rows_are_even():
    rows = real_data.mirrored(np.arange(10)[None])
    assert rows.shape == (1, 18) and all(rows[0, i] == rows[0, -i] for i in range(1, 18))


def test_the_main_job_reports_every_network_and_a_failed_check(monkeypatch):
    # one small network in place of the three, and then a check that fails
    small = sb.Diagonal(2, 2)
    case = real_data.Case("small", small, np.array([[1.0, 2.0]]), np.array([1.0]), ("a", "b"))
    monkeypatch.setattr(real_data, "cases", lambda: [case])
    out = io.StringIO()
    assert real_data.main_job(out) == 0
    text = out.getvalue()
    assert "alpha -> 0" in text and "0.0035291" in text and "holds:" in text
    assert max(map(len, text.splitlines())) <= 80
    monkeypatch.setattr(real_data, "DIGITS", 30)
    monkeypatch.setattr(real_data, "check", lambda problem, digits: sb.check(problem, _wrong(problem), digits))
    assert real_data.main_job(io.StringIO()) == 1


def _wrong(problem):
    from dataclasses import replace

    prediction = sb.predict(problem, digits=30)
    return replace(prediction, coefficients=prediction.coefficients[::-1].copy())

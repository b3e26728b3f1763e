"""The sections on classification: there where the statements speak, and every step fails when perturbed."""

import pytest

import symbias as sb
from symbias.theorems import classification_derivation as made


@pytest.mark.parametrize(
    ("section", "net", "speaks"),
    [
        (made.theorem_2, sb.Diagonal(2, 2), True),
        (made.theorem_2, sb.Diagonal(3, 5), True),
        (made.theorem_2, sb.Convolutional(3, 3), True),
        (made.theorem_2, sb.Convolutional(3, 2, (2, 3)), False),
        (made.theorem_2, sb.FullyConnected(2, 2), False),
        (made.theorem_3, sb.FullyConnected(2, 2), True),
        (made.theorem_3, sb.Diagonal(2, 3), False),
        (made.corollary_4, sb.Convolutional(5, 2, (1, 5)), True),
        (made.corollary_4, sb.Convolutional(2, 2, (2, 2)), True),
        (made.corollary_4, sb.Convolutional(6, 2, (2, 6)), True),
        (made.corollary_4, sb.Convolutional(5, 2, (3, 5)), False),
    ],
)
def test_sections_are_proved_and_fail_when_perturbed(section, net, speaks):
    sections = section(net)
    assert bool(sections) == speaks
    steps = [step for part in sections for step in part.steps]
    assert bool(steps) == speaks
    assert all(step.fails_when_perturbed() for step in steps)


def test_derive_tells_them():
    titles = [part.title for part in sb.derive(sb.Convolutional(4, 2, (2, 4))).sections]
    assert "Theorem 3 (classification, one sample)" in titles
    assert "Corollary 4 (short filters, one sample)" in titles

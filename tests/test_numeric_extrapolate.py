"""Extrapolation: sums of geometric terms to their limit, an honest error, and noise that is not divided by."""

import mpmath
import numpy as np
import pytest

from symbias.numeric.extrapolate import extrapolate, wynn

MP = mpmath.MPContext()
MP.dps = 60


def sequence(powers, count, ratio=10, limit=3):
    return [limit + sum(c * MP.mpf(ratio) ** (-p * k) for c, p in powers) for k in range(count)]


def test_one_term_is_removed_exactly_by_three_values():
    value, _ = wynn(sequence([(1, MP.mpf(1) / 3)], 5), MP.mpf(10) ** -50)
    assert abs(value - 3) <= MP.mpf(10) ** -45


@pytest.mark.parametrize("powers", [[(1, 1), (2, 2), (-1, 3)], [(1, 0.5), (-3, 0.7), (2, 1.9)], [(5, 2), (1, 2.5)]])
def test_the_error_bounds_what_is_left(powers):
    for count in (5, 7, 9):
        value, error = extrapolate(sequence(powers, count), MP.mpf(10) ** -50)
        assert abs(value - 3) <= error
    assert error < abs(sequence(powers, 9)[-1] - 3)  # and it helps


def test_the_harmonic_numbers_are_not_taken_to_converge_to_many_digits():
    # log-like growth has no geometric limit: the error must stay of the size of the way still seen
    values = list(np.cumsum([MP.mpf(1) / k for k in range(1, 12)]))
    _, error = extrapolate(values, MP.mpf(10) ** -50)
    assert error > 0.01


def test_constant_sequences_and_noise():
    assert wynn([MP.mpf(2)] * 5, MP.mpf(10) ** -50) == (2, MP.mpf(10) ** -50)
    noisy = [3 + MP.mpf(10) ** -k + (-1) ** k * MP.mpf(10) ** -12 for k in range(20)]
    value, error = extrapolate(noisy, MP.mpf(10) ** -11)
    assert abs(value - 3) <= error < 1e-5

"""How well X beta = y holds, relative to what is added up, and which entries a target of 0 makes 0."""

import numpy as np


def misfit(rows, beta, y):
    """Return max_i |x_i . beta - y_i| / (|x_i| . |beta| + |y_i|), in float64 or any precision.

    A row that adds up zeros only (y_i = 0, and beta vanishes where x_i does not) fits exactly.
    """
    size = np.abs(beta)
    weight = np.array([np.abs(row) @ size for row in rows]) + np.abs(y)  # row by row: no copy of X
    return (np.abs(rows @ beta - y) / np.where(weight == 0, 1, weight)).max()


def vanishing(rows, values, y, noise, tolerance):
    """Return the mask of the values that are 0: below their own ``noise``, and in a row of target 0 that adds up noise.

    Such a row has y_i = 0 and |x_i| . |values| <= |x_i| . noise, and does not balance to the tolerance: small values
    that are known to their own digits do, and stay.
    """
    size = np.abs(values)
    zero = np.zeros(len(size), dtype=bool)
    for row, target in zip(rows, y, strict=True):
        weight = np.abs(row) @ size
        if not target and weight <= np.abs(row) @ noise and abs(row @ values) > tolerance * weight:
            zero |= (row != 0) & (size <= noise)
    return zero

"""How well X beta = y holds, relative to what is added up."""

import numpy as np


def misfit(rows, beta, y):
    """Return max_i |x_i . beta - y_i| / (|x_i| . |beta| + |y_i|), in float64 or any precision.

    A row that adds up zeros only (y_i = 0, and beta vanishes where x_i does not) fits exactly.
    """
    size = np.abs(beta)
    weight = np.array([np.abs(row) @ size for row in rows]) + np.abs(y)  # row by row: no copy of X
    return (np.abs(rows @ beta - y) / np.where(weight == 0, 1, weight)).max()

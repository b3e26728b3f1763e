"""Is the data separable? Either some z has y_i x_i.z > 0 for every i, or a convex combination of the y_i x_i is zero.

By Gordan's theorem exactly one of the two holds. Whichever it is comes with its proof: z, checked in exact arithmetic
where float64 leaves a doubt, or the combination, found exactly.
"""

from fractions import Fraction

import numpy as np

from symbias import exact
from symbias.numeric.exact_lp import Infeasible, minimize, rationals
from symbias.precision import context

_DIGITS = 60  # for irrational entries; combinations are zero to 45 digits then


def combination(A: np.ndarray) -> np.ndarray | None:
    """Return weights l >= 0 with sum 1 and l^T A = 0 (rows A_i = y_i x_i), or None when the rows are separable.

    Parameters
    ----------
    A : (n, m) array of floats (their exact values) or exact numbers

    Returns
    -------
    Object array of rational numbers (mpf when A has irrational entries), or None.
    """
    values = exact.to_float(A)
    scales = np.abs(values).max(axis=1)
    if scales.all() and _separates(A, values / scales[:, None], scales):
        return None
    rows, tolerance = rationals(A), 0
    if rows is None:
        ctx = context(_DIGITS)
        rows, tolerance = exact.to_precise(A, ctx), ctx.mpf(10) ** (15 - _DIGITS)
        top = max(abs(entry) for entry in rows.flat)
        rows = rows / top if top else rows
    zero = rows.flat[0] * 0
    n, m = rows.shape
    matrix = np.concatenate([rows.T, np.array([[zero + 1] * n], dtype=object)])
    right = np.array([zero] * m + [zero + 1], dtype=object)
    try:
        return minimize(np.array([zero] * n, dtype=object), matrix, right, tolerance=tolerance).x
    except Infeasible:
        return None


def _separates(A: np.ndarray, rows: np.ndarray, scales: np.ndarray) -> bool:
    """True when HiGHS finds a z with rows z >= 1 that a rounding bound, or else exact arithmetic, confirms."""
    from scipy.optimize import linprog

    n, m = rows.shape
    found = linprog(np.ones(2 * m), A_ub=np.hstack([-rows, rows]), b_ub=-np.ones(n), bounds=(0, None), method="highs")
    if found.x is None:
        return False
    z = found.x[:m] - found.x[m:]
    # m products and sums, and one rounding of the row and of its scale.
    doubt = 4 * (m + 3) * np.finfo(float).eps * (np.abs(rows) @ np.abs(z))
    margins = rows @ z
    for i in np.flatnonzero(margins <= doubt):
        entries = rationals(A[i])
        if (
            entries is None
            or not sum(
                Fraction(float(z_j)) * Fraction(int(e.numerator), int(e.denominator))
                for e, z_j in zip(entries, z, strict=True)
            )
            > 0
        ):
            return False
    return bool(scales.all())


def sentence(weights: np.ndarray, y: np.ndarray, X: np.ndarray) -> str:
    """Say which convex combination of the y_i x_i is zero, and what to do about it."""
    used = [int(i) for i in np.flatnonzero([bool(w) for w in weights])]
    start = "the data are not separable:"
    if len(used) == 1:
        return f"{start} X[{used[0]}] is zero, so its margin is 0 whatever the network does; leave it out"
    if len(used) == 2 and (X[used[0]] == X[used[1]]).all():
        i, j = used
        return f"{start} X[{i}] and X[{j}] are the same point with opposite labels; correct or drop one"
    terms = " + ".join(f"{_shown(weights[i])} y[{i}] x[{i}]" for i in used[:6])
    more = f" + ... ({len(used)} terms)" if len(used) > 6 else ""
    return f"{start} {terms}{more} = 0 is a convex combination of the y_i x_i; drop or correct one of these samples"


def _shown(weight) -> str:
    if hasattr(weight, "_mpf_"):
        return f"{float(weight):.6g}"
    text = f"{weight.numerator}/{weight.denominator}" if weight.denominator != 1 else f"{weight.numerator}"
    return text if len(text) <= 15 else f"{float(weight):.6g}"

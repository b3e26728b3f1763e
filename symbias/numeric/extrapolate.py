"""The limit of a sequence v(eps_0), v(q eps_0), v(q^2 eps_0), .. of a function v = v_0 + c_1 eps^p_1 + c_2 eps^p_2 +
...

On a geometric sequence of eps the terms are geometric sequences themselves, and Wynn's epsilon algorithm removes one
after the other without knowing the exponents: Richardson's extrapolation with the exponents found from the values.
"""

from collections.abc import Sequence
from typing import Any


def extrapolate(sequence: Sequence, noise) -> tuple[Any, Any]:
    """Return the extrapolated limit and its error: what is seen in the table, or changes when the last terms are left
    out.
    """
    value, error = wynn(sequence, noise)
    for left_out in (1, 2):
        if len(sequence) > left_out + 2:
            error = max(error, abs(value - wynn(sequence[:-left_out], noise)[0]))
    return value, error


def wynn(sequence: Sequence, noise) -> tuple[Any, Any]:
    """Return the extrapolated limit of at least two numbers, and an error seen in the table itself.

    ``noise``: the rounding of the numbers; differences below it are not divided by. The error is the larger of the
    last change within the chosen column of the table and the change from the column before it: in the column where
    that is least.
    """
    columns = [[0 * sequence[0]] * (len(sequence) + 1), list(sequence)]
    # The sequence itself has an error of its last step divided by 1/q^p - 1, which no column can report: take ten
    # steps.
    best, error = sequence[-1], 10 * abs(sequence[-1] - sequence[-2])
    while len(columns[-1]) > 1:
        before, last = columns[-2], columns[-1]
        steps = [b - a for a, b in zip(last, last[1:], strict=False)]
        if any(abs(step) <= noise for step in steps):
            break
        columns.append([b + 1 / step for b, step in zip(before[1:], steps, strict=False)])
        if len(columns) % 2 == 0 and len(columns[-1]) > 1:
            estimates = columns[-1]
            seen = max(abs(estimates[-1] - estimates[-2]), abs(estimates[-1] - columns[-3][-1]))
            if seen < error:
                best, error = estimates[-1], seen
    return best, max(error, noise)

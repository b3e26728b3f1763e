"""Where ties freeze signs: can the samples still be fitted? (Classification: ``general_direction.kept_signs``.)"""

import numpy as np

from symbias.problem import Problem
from symbias.theorems.beyond.general_coordinates import Coordinates
from symbias.theorems.statement import Hypothesis

#: The room that HiGHS must leave for the signs, relative to the largest coefficient; its own tolerance is 1e-9 at best.
_ROOM = 1e-8


def room(problem: Problem, found: Coordinates) -> Hypothesis:
    """Is there a solution with the signs that tied layers keep, and how far from zero can they be kept?"""
    tied = [j for j in found.moving if found.curves[j].tied]  # type: ignore[union-attr]
    name = "a solution with the signs that ties keep"
    remedy = "let one layer be strictly the smallest in every coordinate, e.g. v̄_L = 0"
    if not tied and len(found.moving) == len(found.curves):
        return Hypothesis(name, True, None, "no layers tie: every sign is free")
    from scipy.optimize import linprog

    A = found.A[:, found.moving].astype(float)
    y = problem.y_float
    rows = np.abs(A).max(axis=1, initial=0)
    if not rows.all():
        stuck = bool((y[rows == 0] == 0).all())
        if not stuck:
            return Hypothesis(
                name, False, None, "a sample sees only coordinates that cannot move: the loss stalls", remedy
            )
        A, y, rows = A[rows > 0], y[rows > 0], rows[rows > 0]
    if not rows.size:
        return Hypothesis(name, True, None, "no sample sees a coordinate that moves, and the targets are 0")
    scale = np.abs(y / rows).max() or 1.0
    m = len(found.moving)
    signs = np.zeros((len(tied), m + 1))
    for i, j in enumerate(tied):
        signs[i, found.moving.index(j)] = -1 if found.curves[j].z_0 > 0 else 1  # type: ignore[union-attr]
        signs[i, m] = 1
    solved = linprog(
        np.r_[np.zeros(m), -1],
        A_ub=signs if tied else None,
        b_ub=np.zeros(len(tied)) if tied else None,
        A_eq=np.c_[A / rows[:, None], np.zeros(len(A))],
        b_eq=y / rows / scale,
        bounds=[(None, None)] * m + [(None, 1)],
        method="highs",
    )
    if solved.status == 2:
        return Hypothesis(
            name, False, None, "X S^T rho = y has no solution in the coordinates that move: it stalls", remedy
        )
    room = float(solved.x[-1]) + 0.0  # no -0
    if room > _ROOM:
        return Hypothesis(name, True, room, f"{len(tied)} signs are kept")
    what = (
        "the loss stalls" if room < -_ROOM else "on the edge: a coordinate would have to end at 0, which takes for ever"
    )
    return Hypothesis(name, False, room, what, remedy)

r"""Classification from any real start of a decomposed network: where rho ends in direction, and what stays behind.

With mu = int p ds the coordinates of ``general_initialization`` obey F_j(z_j(t)) = (A^T mu(t))_j, A = diag(y) X S^T,
for this loss as for the squared one: at every t, rho(t) is the minimum of the potential of the start over the rho with
its own margins. Let the loss go to 0, with support vectors I and growing coordinates J.

Depth >= 3: F_j ends at c_j^+ = int_{z_0}^oo and at -c_j^- = -int_{-oo}^{z_0}, two numbers of the start (equal only in
Theorem 5). A coordinate grows where (A^T mu)_j gets to such an end, and what is left there is |rho_j|^{2/L-1} / (L-2)
to leading order, whatever the deltas: so the increments of mu on I are multipliers of min ||rho||_{2/L} s.t. A rho >=
1. The others stop at F_j(z_j) = (A^T mu*)_j: known when mu* is, for one sample (the least of c_j^± / |s_j| is its
time) and when |J| = |I| = n (A_J^T mu* = ± c_J^±).

Depth 2: F_j has no end, log|rho_j| / (2 |A^T mu|_j) -> 1, and the limit is the l1 margin.

Ties: where a second layer ties with the smallest one and they are not 0, F_j -> ∓oo at z = 0, so that rho_j keeps its
sign s_j for ever; where two layers are 0, so is rho_j. The limit is stationary for the margin problem with s_j rho_j
>= 0 (for depth >= 3 that is stationary without it, too: the norm has no subgradient condition at rho_j = 0; for depth
2 the dual bound |A^T mu|_j <= 1 stands on the allowed side only).

The loss goes to 0 exactly when some rho of those signs has A rho > 0. If u has A u >= 1, the Bregman distance D(k u,
rho(t)) of the potential decreases at least at the rate loss(rho(t)) - loss(k u), so that loss(t) <= loss(k u) + D(k u,
rho(0)) / t for every k. If there is none, some w >= 0 with sum 1 has (A^T w)_j = 0 where the sign is free and s_j (A^T
w)_j <= 0 where it is kept (Farkas), hence w . margins <= 0: the least margin stays at most 0, the loss at least 1.
"""

import numpy as np

from symbias.dynamics.growth import alive, separable
from symbias.dynamics.merged import Coordinates
from symbias.numeric.exact_lp import minimize
from symbias.numeric.max_margin import as_precise, entries
from symbias.problem import Problem
from symbias.theorems.growing import in_view, prediction, working
from symbias.theorems.prediction import Prediction
from symbias.theorems.real_view import RealView, in_coordinates
from symbias.theorems.spectral import decomposition_of
from symbias.theorems.statement import Hypothesis, Statement

_NAME = "separable with the signs that ties keep"
_REMEDY = "let one layer be strictly the smallest in every coordinate, e.g. v̄_L = 0"


def kept_signs(problem: Problem) -> Hypothesis:
    """Does the loss go to 0? Its margin is max min_i (A rho)_i over ||rho||_1 <= 1 of those signs, against max |A|."""
    view = _view(problem, None)
    coordinates, live = alive(view.A, view.etas, view.ctx)
    if coordinates is None:
        return Hypothesis(_NAME, False, 0.0, "every coordinate has two zero layers, so beta = 0 for ever", _REMEDY)
    kept = int(np.count_nonzero(coordinates.whole.kept))
    if not kept and live.all():
        return Hypothesis(_NAME, True, None, "no layers tie: every sign is free")
    margin = separable(coordinates)
    if margin is None:
        return Hypothesis(_NAME, False, 0.0, f"the loss stays at least 1: {_obstruction(coordinates)}", _REMEDY)
    top = max(abs(entry) for entry in coordinates.merged.flat)
    room = 1 / (top * sum(abs(entry) for entry in margin.rho))
    listed = [f"signs kept: {kept}"] * (kept > 0)
    listed += [f"coordinates that stay 0: {np.count_nonzero(~live)}"] * (not live.all())
    return Hypothesis(_NAME, True, float(room), ", ".join(listed))


def _obstruction(problem: Coordinates) -> str:
    """The combination of the margins that is never positive."""
    (A,), tolerance = entries(problem.ctx, problem.merged)
    n, kept = len(A), problem.start.kept
    zero = A.flat[0] * 0
    top = max(abs(entry) for entry in A.flat) or zero + 1
    # w >= 0 and t >= 0 with (A^T w)_j + s_j t_j = 0 where the sign s_j is kept, (A^T w)_j = 0 elsewhere, sum w = 1
    slack = np.array([[zero + int(s) * (i == j) for j in range(len(kept))] for i, s in enumerate(kept)], dtype=object)
    total = np.array([[zero + 1] * n + [zero] * len(kept)], dtype=object)
    matrix = np.concatenate([np.concatenate([A.T / top, slack], axis=1), total])
    right = np.array([zero] * len(kept) + [zero + 1], dtype=object)
    w = minimize(np.array([zero] * matrix.shape[1], dtype=object), matrix, right, tolerance=tolerance).x[:n]
    terms = [f"{float(entry):.6g} y[{i}] f(x[{i}])" for i, entry in enumerate(as_precise(problem.ctx, w)) if entry]
    return f"{' + '.join(terms[:6])}{' + ..' * (len(terms) > 6)} <= 0 for ever"


def predict(problem: Problem, statement: Statement, records, digits: int | None, began: float) -> Prediction:
    """The limit direction from any real start, as a prediction of ``statement``."""
    found = in_view(problem, _view(problem, digits), digits)
    return prediction(found, problem, statement, records, digits, began)


def _view(problem: Problem, digits: int | None) -> RealView:
    return in_coordinates(problem, decomposition_of(problem), working(digits))

"""Maximum margins: min |rho| subject to A rho >= 1, rows A_i = y_i S x_i, with the multipliers that certify it.

``l1_margin`` takes any positive weights, one for each sign of each coordinate, and signs that are kept; ``l2_margin``
is the Euclidean one.
Rational data are solved in rational numbers, so that every inequality of the certificate is decided, not rounded.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from symbias import exact
from symbias.errors import BadInput, NotConverged
from symbias.numeric.exact_lp import Infeasible, minimize, product, rationals, solve
from symbias.verdict import Residual, Result, require


@dataclass(frozen=True, eq=False)
class Margin(Result):
    """``rho`` with A rho >= 1, the multipliers ``mu`` >= 0, and whether rho is the only solution.

    ``support`` are the support vectors (mu_i > 0), ``active`` the coordinates with rho_j != 0. The entries are rational
    numbers when the data and the weights were, mpf otherwise.
    """

    rho: np.ndarray
    mu: np.ndarray
    residuals: tuple[Residual, ...]
    unique: bool = True

    def __post_init__(self):
        require(self.residuals, "the maximum margin")

    @property
    def support(self) -> tuple[int, ...]:
        return tuple(int(i) for i in np.flatnonzero([bool(entry) for entry in self.mu]))

    @property
    def active(self) -> tuple[int, ...]:
        return tuple(int(j) for j in np.flatnonzero([bool(entry) for entry in self.rho]))

    def to_latex(self) -> str:
        return r" \\ ".join(residual.to_latex() for residual in self.residuals)


def entries(ctx, *arrays: np.ndarray) -> tuple[list[np.ndarray], Any]:
    """The arrays as rational numbers with tolerance 0 where all entries are rational, else as mpf of ``ctx``."""
    made = [rationals(a) for a in arrays]
    if all(a is not None for a in made):
        return [a for a in made if a is not None], 0
    # The last 15 digits of the context are guard digits: what is left of an exact cancellation is below this.
    return [as_precise(ctx, a) for a in arrays], ctx.mpf(10) ** (15 - ctx.dps)


def l1_margin(A: np.ndarray, ctx, plus=None, minus=None, kept=None) -> Margin:  # noqa: N803
    """Return the minimum of sum_j plus_j max(rho_j, 0) + minus_j max(-rho_j, 0) over A rho >= 1.

    Its dual is max 1^T mu subject to -minus <= A^T mu <= plus, mu >= 0; on the side that a kept sign forbids there is
    no bound.

    Parameters
    ----------
    A : (n, m) array of floats (their exact values), exact numbers or mpf
    ctx : mpmath context, used when an entry is irrational; its last 15 digits are guard digits
    plus, minus : (m,) positive weights, 1 when left out (minus: as plus)
    kept : (m,) of -1, 0, 1, the signs that rho_j may not leave (0: both sides are free); all free when left out

    Raises
    ------
    BadInput
        No rho (of the kept signs) separates the samples.
    NotConverged
        The certificate misses its tolerance (0 for rational data).
    """
    n, m = A.shape
    plus = np.ones(m, dtype=int) if plus is None else plus
    minus = plus if minus is None else minus
    kept = np.zeros(m, dtype=int) if kept is None else np.asarray(kept)
    (A, plus, minus), tolerance = entries(ctx, A, plus, minus)
    zero = A.flat[0] * 0
    # Columns are divided by their weights: the costs are one and the columns of a size. A column of zeros that costs
    # something stays out of every optimum: that is the side which a kept sign forbids.
    up, down = A / plus * (kept >= 0).astype(int), -A / minus * (kept <= 0).astype(int)
    slack = np.array([[zero - 1 if i == k else zero for k in range(n)] for i in range(n)], dtype=object)
    cost = np.array([zero + 1] * (2 * m) + [zero] * n, dtype=object)
    if not any(up.flat) and not any(down.flat):
        raise BadInput("no rho separates the samples: all of them are zero")
    # mpf: entries of order one, so that the tolerance of the simplex means what it says
    unit = max(abs(entry) for entry in (*up.flat, *down.flat)) if tolerance else zero + 1
    matrix, right = np.concatenate([up, down, slack], axis=1), np.array([zero + 1] * n, dtype=object)
    try:
        matrix[:, : 2 * m] = matrix[:, : 2 * m] / unit
        best = minimize(cost, matrix, right, tolerance=tolerance)
    except Infeasible:
        raise BadInput("no rho separates the samples") from None
    rho = (best.x[:m] / plus - best.x[m : 2 * m] / minus) / unit
    mu = np.array([entry if entry > tolerance else zero for entry in best.dual], dtype=object) / unit
    rho = np.array(
        [r if abs(x) > tolerance else zero for r, x in zip(rho, best.x[:m] + best.x[m : 2 * m], strict=True)],
        dtype=object,
    )
    return Margin(rho, mu, l1_certificate(A, rho, mu, plus, minus, 100 * tolerance, kept), best.unique)


def l1_certificate(A, rho, mu, plus, minus, tolerance, kept) -> tuple[Residual, ...]:  # noqa: N803
    """Weak duality: feasible rho and mu with the same value are both optimal. Relative to margins, weights and the
    value.
    """
    if any(side * entry < 0 for side, entry in zip(kept, rho, strict=True)):
        raise NotConverged("the maximum margin left the signs that are kept")
    gradient = A.T @ mu
    value = sum(p * r if r > 0 else -q * r for r, p, q in zip(rho, plus, minus, strict=True))
    margin = max(1 - entry for entry in A @ rho)
    sides = zip(gradient, plus, minus, kept, strict=True)
    bound = max(max(g / p if side >= 0 else -1, -g / q if side <= 0 else -1) - 1 for g, p, q, side in sides)
    return (
        Residual("margins at least 1", _number(max(margin, 0)), _number(tolerance), "1"),
        Residual("multipliers at least 0", _number(max(0, *(-entry for entry in mu))), _number(tolerance), "1"),
        Residual("dual norm at most 1", _number(max(bound, 0)), _number(tolerance), "weights"),
        Residual(
            "primal value = dual value",
            _number(abs(value - sum(mu)) / value if value else 0),
            _number(tolerance),
            "value",
        ),
    )


def _number(value):
    """A residual as a float or mpf."""
    return value if hasattr(value, "_mpf_") else float(value)


def l2_margin(A: np.ndarray, ctx) -> Margin:  # noqa: N803
    """Return the minimum of |rho|_2 over A rho >= 1: always one, rho = A^T mu with mu >= 0 and mu_i (A rho - 1)_i = 0.

    Lawson and Hanson's least distance problem: with E = [A^T; 1^T] and f = (0, 1), u = argmin |E u - f| over u >= 0
    gives mu = u / (1 - 1^T u). A float64 solution guesses the support vectors, exact arithmetic decides them.

    Raises
    ------
    BadInput
        No rho separates the samples.
    """
    (A,), tolerance = entries(ctx, A)
    if not all(any(row) for row in A):
        raise BadInput("no rho separates the samples: one of them is zero")
    unit = max(abs(entry) for entry in A.flat)
    A = A / unit
    u = nonnegative(product(A, A.T) + 1, tolerance)
    left = 1 - sum(u)
    if left <= tolerance:
        raise BadInput("no rho separates the samples")
    mu = u / left
    rho = product(A.T, mu[:, None])[:, 0]
    gaps = product(A, rho[:, None])[:, 0] - 1
    slack = 1000 * tolerance * (1 + sum(mu))
    residuals = (
        Residual("margins at least 1", _number(max(0, *(-gap for gap in gaps))), _number(slack), "1"),
        Residual("multipliers at least 0", _number(max(0, *(-entry for entry in mu))), _number(tolerance), "1"),
        Residual(
            "complementary slackness",
            _number(max(abs(m * g) for m, g in zip(mu, gaps, strict=True)) / sum(mu)),
            _number(slack),
            "mu",
        ),
    )
    return Margin(rho / unit, mu / unit**2, residuals)


def nonnegative(K: np.ndarray, tolerance) -> np.ndarray:  # noqa: N803
    """Minimise u^T K u / 2 - 1^T u over u >= 0 (K = E^T E, E^T f = 1) by Lawson and Hanson's active sets, exactly."""
    size, zero = len(K), K.flat[0] * 0
    u = np.array([zero] * size, dtype=object)
    passive = _float_support(K)
    trial = _on(K, passive)
    if trial is None or any(entry <= tolerance for entry in trial[passive]):
        passive = []
    else:
        u = trial
    for _ in range(20 * size + 20):
        gradient = 1 - K @ u
        outside = [i for i in range(size) if i not in passive and gradient[i] > tolerance]
        if not outside:
            return u
        passive = sorted([*passive, max(outside, key=lambda i: gradient[i])])
        while True:
            trial = _on(K, passive)
            if trial is None:
                raise BadInput("no rho separates the samples")
            if all(trial[i] > tolerance for i in passive):
                break
            step, leaving = min((u[i] / (u[i] - trial[i]), i) for i in passive if trial[i] <= tolerance)
            u = u + step * (trial - u)
            passive = [i for i in passive if i != leaving and u[i] > tolerance]
            u = np.array([entry if i in passive else zero for i, entry in enumerate(u)], dtype=object)
        u = trial
    raise BadInput("the active sets did not settle: the samples are too close to being inseparable")


def _on(K, passive):  # noqa: N803
    """The solution of K u = 1 on the passive set, zero elsewhere; None when that block is singular."""
    u = np.array([K.flat[0] * 0] * len(K), dtype=object)
    if passive:
        try:
            u[passive] = solve(K[np.ix_(passive, passive)], np.array([K.flat[0] * 0 + 1] * len(passive), dtype=object))
        except BadInput:
            return None
    return u


def _float_support(K) -> list[int]:  # noqa: N803
    """The support that SciPy finds in float64, by a Cholesky-like root of K."""
    from scipy.optimize import nnls

    values, vectors = np.linalg.eigh(np.array([float(entry) for entry in K.flat]).reshape(K.shape))
    kept = values > 1e-13 * values[-1]
    root = (vectors[:, kept] * np.sqrt(values[kept])).T
    right = (vectors[:, kept] / np.sqrt(values[kept])).T @ np.ones(len(K))
    try:
        found = nnls(root, right)[0]
    except RuntimeError:
        return []  # too many iterations: start from nothing
    return [int(i) for i in np.flatnonzero(found > 1e-10 * found.max())]


def as_precise(ctx, values: np.ndarray) -> np.ndarray:
    """Elements of QQ, exact numbers, floats or mpf as mpf of ``ctx``."""
    made = np.empty(values.shape, dtype=object)
    for index, v in np.ndenumerate(values):
        known = isinstance(v, (sympy.Expr, float, int, np.integer)) or hasattr(v, "_mpf_")
        made[index] = exact.precise(v, ctx) if known else ctx.mpf(int(v.numerator)) / int(v.denominator)
    return made

"""The complex l1 maximum margin: min sum_k w_k |rho_k|_2 over real groups rho_k of one or two coordinates, s.t. A rho
>= 1.

With rho_k = (Re, Im) this is the l1 margin of a spectrum. Its dual has n unknowns: max 1^T mu s.t. |A_k^T mu|_2 <=
w_k, mu >= 0. A log-barrier names the support vectors I and the groups J on their bound; there rho_k = r_k A_k^T mu,
and the equations A_I rho = 1, |A_k^T mu|^2 = w_k^2 in (mu_I, r_J) give any number of digits.
"""

import numpy as np

from symbias.errors import NotConverged, Undecided
from symbias.numeric.chord import newton, refine
from symbias.numeric.max_margin import Margin
from symbias.verdict import Residual

_SMALL = (1e-3, 1e-4, 1e-5, 1e-2, 1e-6)  # a multiplier or a slack below one of these, relative, is taken for zero


def group_l1_margin(A: np.ndarray, groups, weights, ctx) -> Margin:  # noqa: N803
    """Return the minimum of sum_k w_k |rho_k|_2 over A rho >= 1.

    Parameters
    ----------
    A : (n, m) mpf; the rows are separable
    groups : lists of one or two columns
    weights : positive numbers w_k, one a group, exact in floats
    ctx : mpmath context

    Returns
    -------
    Margin
        ``unique`` is True: the solution was isolated, or Undecided is raised.

    Raises
    ------
    Undecided
        The optimal face is not a point, or the barrier does not tell which constraints are tight.
    """
    unit = max(abs(entry) for entry in A.flat)
    scaled = A / unit
    low = np.array([[float(entry) for entry in row] for row in scaled])
    w = np.array([float(entry) for entry in weights])
    mu, slack = barrier(low, groups, w)
    fault = "the barrier found no tight group"
    for small in _SMALL:
        support = [int(i) for i in np.flatnonzero(mu > small * mu.max())]
        tight = [k for k in range(len(groups)) if slack[k] < small]
        try:
            rho, precise = _polished(low, scaled, groups, w, mu, support, tight, ctx)
        except NotConverged as error:
            fault = str(error)
            continue
        tolerance = ctx.mpf(10) ** (25 - ctx.dps)
        residuals = certificate(scaled, groups, w, rho, precise, tolerance)
        if all(r.holds for r in residuals) and all(entry > 0 for entry in precise[support]):
            return Margin(rho / unit, precise / unit, residuals)
        fault = "; ".join(str(r) for r in residuals if not r.holds)
    raise Undecided(
        f"which constraints of the margin problem are tight is undecided ({fault}): perturb the data slightly"
    )


def barrier(A: np.ndarray, groups, w) -> tuple[np.ndarray, np.ndarray]:
    """Minimise -t 1^T mu - sum log(w_k^2 - |A_k^T mu|^2) - sum log mu_i for t up to 1e11; return mu and the slacks 1
    - |.|^2/w^2.
    """
    n = len(A)
    columns = [A[:, group] / weight for group, weight in zip(groups, w, strict=True)]
    norm = max(float(np.linalg.norm(c.T @ np.ones(n))) for c in columns)
    mu = np.full(n, 0.5 / max(norm, 1e-300))

    def parts(mu):
        g = [c.T @ mu for c in columns]
        return g, np.array([1 - entry @ entry for entry in g])

    for t in 10.0 ** np.arange(0, 11.5, 0.5) / mu.sum():
        for _ in range(60):
            g, slack = parts(mu)
            gradient = -t - 1 / mu
            H = np.diag(1 / mu**2)  # noqa: N806
            for c, entry, s in zip(columns, g, slack, strict=True):
                slope = 2 * c @ entry / s
                gradient = gradient + slope
                H = H + np.outer(slope, slope) + 2 * c @ c.T / s  # noqa: N806
            scale = 1 / np.sqrt(np.diag(H))
            try:
                move = -scale * np.linalg.solve(H * np.outer(scale, scale), scale * gradient)
            except np.linalg.LinAlgError:  # a degenerate dual: further along the barrier float64 sees nothing more
                return mu, parts(mu)[1]
            decrement = -gradient @ move
            length = 1.0 if decrement < 0.25 else 1 / (1 + np.sqrt(decrement))
            while (mu + length * move <= 0).any() or (parts(mu + length * move)[1] <= 0).any():
                length /= 2
            mu = mu + length * move
            if decrement < 1e-9:
                break
    return mu, parts(mu)[1]


def _polished(low, scaled, groups, w, mu, support, tight, ctx):
    """Solve for (mu_I, r_J) from the barrier's point; NotConverged when that system has no isolated solution there."""
    if not tight or not support:
        raise NotConverged("no tight group")
    I = np.array(support)

    def equations(matrix):
        blocks = [matrix[np.ix_(I, groups[k])] for k in tight]
        squares = [weight * weight for weight in w[tight]]

        def function(x):
            m, r = x[: len(I)], x[len(I) :]
            g = [b.T @ m for b in blocks]
            margins = sum(r_k * (b @ g_k) for r_k, b, g_k in zip(r, blocks, g, strict=True)) - 1
            return np.concatenate([margins, [(g_k @ g_k - s) / 2 for g_k, s in zip(g, squares, strict=True)]])

        return function

    def jacobian(x):
        m, r = x[: len(I)], x[len(I) :]
        blocks = [low[np.ix_(I, groups[k])] for k in tight]
        top = sum(r_k * b @ b.T for r_k, b in zip(r, blocks, strict=True))
        side = np.array([b @ (b.T @ m) for b in blocks]).T
        return np.block([[top, side], [side.T, np.zeros((len(tight), len(tight)))]])

    B = np.array([low[np.ix_(I, groups[k])] @ (low[np.ix_(I, groups[k])].T @ mu[I]) for k in tight]).T  # noqa: N806
    r = np.linalg.lstsq(B, np.ones(len(I)), rcond=None)[0]
    x = newton(equations(low), jacobian, np.concatenate([mu[I], r]))
    _, values, right = np.linalg.svd(jacobian(x))
    for null in right[values < 1e-9 * values[0]]:
        # Multipliers that are not unique leave rho alone; anything else moves it.
        moved = [
            dr * (low[np.ix_(I, groups[k])].T @ x[: len(I)]) + r_k * (low[np.ix_(I, groups[k])].T @ null[: len(I)])
            for k, dr, r_k in zip(tight, null[len(I) :], x[len(I) :], strict=True)
        ]
        if np.abs(np.concatenate(moved)).max() > 1e-7 * np.abs(x).max():
            raise NotConverged("the solution is not isolated")
    x = refine(equations(scaled), jacobian, x, ctx)
    full = np.array([ctx.zero] * len(low), dtype=object)
    full[I] = x[: len(I)]
    rho = np.array([ctx.zero] * low.shape[1], dtype=object)
    for k, r_k in zip(tight, x[len(I) :], strict=True):
        if r_k < 0:
            raise NotConverged("a group would point against its dual")
        rho[groups[k]] = r_k * (scaled[:, groups[k]].T @ full)
    return rho, full


def certificate(A, groups, w, rho, mu, tolerance) -> tuple[Residual, ...]:  # noqa: N803
    """Weak duality for the group norm: feasible rho and mu of equal value are optimal."""
    sizes = [sum(rho[j] ** 2 for j in group) ** 0.5 for group in groups]
    duals = [sum(entry**2 for entry in A[:, group].T @ mu) ** 0.5 for group in groups]
    value, zero = sum(weight * size for weight, size in zip(w, sizes, strict=True)), 0 * tolerance
    return (
        Residual("margins at least 1", max(zero, *(1 - entry for entry in A @ rho)), tolerance, "1"),
        Residual("multipliers at least 0", max(zero, *(-entry for entry in mu)), tolerance, "1"),
        Residual(
            "dual norm at most 1",
            max(zero, *(d / weight - 1 for d, weight in zip(duals, w, strict=True))),
            tolerance,
            "w",
        ),
        Residual("primal value = dual value", abs(value - sum(mu)) / value, tolerance, "value"),
    )

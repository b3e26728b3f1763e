"""How far a point is from the stationarity conditions of the l_{2/L} margin, and rounding noise removed."""

import numpy as np


def stationarity(A, rho, margins, depth: int, ctx):
    """Return how far |rho_j|^{2/L-2} rho_j is from conj((A^T mu)_j), mu_i free on the support vectors, on the support
    of rho.

    The multipliers are fitted by least squares; signs are another condition.
    """
    top = max(abs(entry) for entry in rho)
    J = [j for j, entry in enumerate(rho) if abs(entry) > ctx.mpf(10) ** (20 - ctx.dps) * top]
    I = [i for i, entry in enumerate(margins) if entry < 1 + ctx.mpf(10) ** (20 - ctx.dps)]
    target = [ctx.conj(abs(rho[j]) ** (ctx.mpf(2) / depth - 2) * rho[j]) for j in J]
    B = [[ctx.re(A[i, j]) for i in I] for j in J] + [[ctx.im(A[i, j]) for i in I] for j in J]
    right = [ctx.re(t) for t in target] + [ctx.im(t) for t in target]
    size = max(abs(t) for t in target)
    return least_misfit(ctx, B, right) / size


def least_misfit(ctx, B, right):
    """The largest entry of B mu - right at the least-squares mu, by orthogonalisation (B may have dependent
    columns).
    """
    rest = np.array(right, dtype=object)
    basis: list[np.ndarray] = []
    for column in np.array(B, dtype=object).T:
        size = ctx.sqrt(column @ column)
        for _ in range(2):
            for q in basis:
                column = column - (q @ column) * q
        norm = ctx.sqrt(column @ column)
        if norm > ctx.mpf(10) ** (15 - ctx.dps) * size:
            basis.append(column / norm)
            rest = rest - (basis[-1] @ rest) * basis[-1]
    return max(abs(entry) for entry in rest)


def without_noise(values, ctx):
    """Entries that are zero up to rounding, made zero."""
    small = ctx.mpf(10) ** (20 - ctx.dps) * max(abs(entry) for entry in values.flat)
    return np.array([entry if abs(entry) > small else ctx.zero for entry in values.flat], dtype=object).reshape(
        values.shape
    )

"""The residual r along a Taylor series, order by order: what the task of a flow decides."""

import numpy as np
from mpmath.libmp import MPZ

from symbias.numeric.series import to_ints, to_mpf


class _Regression:
    """r = f - y."""

    def __init__(self, flow):
        self.y = flow.y

    def order(self, k, f):
        return f - self.y if k == 0 else f


class _Drive:
    """r = -1, whatever f."""

    def __init__(self, flow):
        self.one = MPZ(1) << flow.bits

    def order(self, k, f):
        return 0 * f - (self.one if k == 0 else 0)


class _Classification:
    """r = -y e with e = exp(m), m = -y f: e' = m' e, so k e_k = sum_j j m_j e_(k-j)."""

    def __init__(self, flow):
        self.flow = flow
        self.labels = np.array([MPZ(int(flow.ctx.sign(t))) for t in to_mpf(flow.ctx, flow.y, flow.bits)], dtype=object)
        self.slopes: list[np.ndarray] = []  # j m_j, j >= 1
        self.e: list[np.ndarray] = []

    def order(self, k, f):
        ctx, bits, m = self.flow.ctx, self.flow.bits, -self.labels * f
        if k == 0:
            values = to_mpf(ctx, m, bits)
            e = to_ints(np.array([ctx.exp(v) for v in values], dtype=object), bits)
        else:
            self.slopes.append(k * m)
            e = (sum(a * b for a, b in zip(self.slopes, self.e[::-1], strict=True)) >> bits) // k
        self.e.append(e)
        return -self.labels * e


RESIDUALS = {"regression": _Regression, "classification": _Classification, "drive": _Drive}

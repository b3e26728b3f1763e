"""The flow at zero temperature, in high precision, to any margin: the support vectors share the least margin gamma.

When gamma is large, the softmax weights keep the margins of the support vectors I equal to gamma, up to O(1), and all
other mu_i stand still. So the path solves A_I rho(zeta) = gamma with int d zeta_j / w_j(zeta) = (A_I^T Delta)_j,
Delta >= 0, and I changes where a sample's margin comes down to gamma or its multiplier would fall. It needs nothing
from the linear program or the vertex that it ends at, and its last rho / gamma is the limit direction up to terms of
order 1/gamma (depth 2: gamma^-(1 - kappa)).
"""

from dataclasses import dataclass

import numpy as np

from symbias.dynamics.clock import clocks
from symbias.dynamics.coordinates import Start
from symbias.errors import BadInput, NotConverged
from symbias.numeric.exact_lp import solve
from symbias.numeric.max_margin import nonnegative

_PANEL, _DEGREE = 0.5, 4  # 24 Gauss-Legendre nodes on half a unit: 1/w is analytic within pi/2, error 12.6^-48
_LONGEST = 2.0  # step in log gamma for L >= 3: the integrals stay short
_TIGHT = 1e-5  # relative: a margin this near gamma is on it


@dataclass(frozen=True)
class Path:
    """The end of the path: ``direction`` rho / gamma, ``support``, and the ``events``: (log10 gamma, support from
    there on).
    """

    direction: np.ndarray
    support: tuple[int, ...]
    events: tuple[tuple[float, tuple[int, ...]], ...]
    steps: int


class QuasiStatic:
    """One path; see :func:`follow`."""

    def __init__(self, A, start: Start, multiplicity, ctx):
        self.A, self.ctx, self.delta, self.clocks = A, ctx, start.delta, clocks(ctx, start)
        self.weight = np.array([ctx.mpf(int(c)) for c in multiplicity], dtype=object)
        self.zeta = np.array([clock.zeta for clock in self.clocks], dtype=object)
        self.layers = len(start.delta) + 1
        self.nodes = ctx._gauss_legendre.calc_nodes(_DEGREE, ctx.prec) if self.layers > 2 else []

    def passed(self, j: int, low, high):
        """int_low^high d zeta / w_j."""
        if self.layers == 2:
            return high - low
        panels = max(1, int(abs(high - low) / _PANEL) + 1)
        half = (high - low) / (2 * panels)
        total = self.ctx.zero
        for panel in range(panels):
            middle = low + (2 * panel + 1) * half
            total += sum(height * self.clocks[j].slope(middle + half * node) for node, height in self.nodes)
        return half * total

    def at(self, zeta):
        """rho, d rho / d zeta and w at zeta."""
        w = 1 / self._each("slope", zeta)
        z = self._each("z", zeta)
        root = self._each("root", z)
        inner = np.array(
            [sum(z_j / (z_j * z_j + d) for d in self.delta[:, j]) for j, z_j in enumerate(z)], dtype=object
        )
        return z * root * w, w * root**2 * (1 + z * inner), w

    def _each(self, name, values):
        return np.array([getattr(clock, name)(entry) for clock, entry in zip(self.clocks, values, strict=True)])

    def margins(self, rho, rows=slice(None)):
        full = self.weight * rho
        return np.array([self.ctx.fdot(row, full) for row in self.A[rows]], dtype=object)

    def gram(self, rows, slope, w):
        """d margins / d Delta on the rows."""
        B = self.A[rows]
        K = np.empty((len(B), len(B)), dtype=object)
        for i, row in enumerate(B * (self.weight * slope * w)):
            for k in range(i + 1):
                K[i, k] = K[k, i] = self.ctx.fdot(row, B[k])
        return K

    def rates(self, tight, slope, w):
        """The rates d mu / d gamma >= 0 of the tight samples that keep every tight margin at least at gamma."""
        K = self.gram(tight, slope, w)
        size = max(abs(entry) for entry in K.flat)
        return nonnegative(K / size, self.ctx.mpf(10) ** (10 - self.ctx.dps)) / size

    def corrected(self, rows, zeta, gamma):
        """Newton's method for A_I rho = gamma along the path from the present zeta; None when it does not settle."""
        pulled = np.array([self.ctx.zero] * len(zeta), dtype=object)
        goal, last = self.ctx.mpf(10) ** (20 - self.ctx.dps), self.ctx.inf
        B = self.A[rows]
        for _ in range(60):
            rho, slope, w = self.at(zeta)
            behind = np.array(
                [self.passed(j, a, b) for j, (a, b) in enumerate(zip(self.zeta, zeta, strict=True))], dtype=object
            )
            first = behind - pulled
            second = gamma - self.margins(rho, rows)
            size = max(abs(entry) for entry in (*(first * w), *(second / gamma)))
            if size < goal:
                return zeta
            if size > last and size > 1e-3:
                return None
            last = size
            move = solve(self.gram(rows, slope, w), second + B @ (self.weight * slope * w * first))
            pull = B.T @ move
            pulled, zeta = pulled + pull, zeta + w * (pull - first)
        return None


def follow(A, start: Start, multiplicity, ctx, log10_margin: float) -> Path:  # noqa: N803
    """Follow the path from ``start`` to a least margin of 10^log10_margin.

    Parameters
    ----------
    A : (n, m) mpf
    start : Start
        z of the state to start from, in mpf: a state of the flow with a least margin well above 1.
    multiplicity : (m,)
    ctx : mpmath context with at least 2 log10_margin + 50 digits

    Raises
    ------
    NotConverged
        A step below 1e-12 in log gamma does not succeed.
    """
    path = QuasiStatic(A, start, multiplicity, ctx)
    rho, slope, w = path.at(path.zeta)
    margins = path.margins(rho)
    gamma, goal = min(margins), ctx.mpf(10) ** log10_margin
    if not gamma > 0:
        raise BadInput("the path starts where every margin is positive")
    step, steps = ctx.mpf("0.1"), 0
    chosen: tuple[int, ...] = ()
    events: list[tuple[float, tuple[int, ...]]] = []
    while gamma < goal:
        tight = [i for i in range(len(A)) if margins[i] <= gamma * (1 + _TIGHT)]
        rates = path.rates(tight, slope, w)
        rows = [i for i, rate in zip(tight, rates, strict=True) if rate > 0]
        if tuple(rows) != chosen:
            chosen = tuple(rows)
            events.append((float(ctx.log10(gamma)), chosen))
        pull = path.A[rows].T @ np.array([rate for rate in rates if rate > 0], dtype=object)
        while True:
            if step < 1e-12:
                raise NotConverged(f"the path stops at a margin of {ctx.nstr(gamma, 3)}")
            target = min(gamma * ctx.exp(step), goal)
            zeta = path.corrected(rows, path.zeta + ctx.log(target / gamma) * gamma * w * pull, target)
            if zeta is not None:
                found = path.at(zeta)
                seen = path.margins(found[0])
                broken = [i for i in range(len(A)) if i not in rows and seen[i] < target * (1 - _TIGHT)]
                K = path.gram(rows, *found[1:])
                size = max(abs(entry) for entry in K.flat)
                falling = min(solve(K / size, np.array([ctx.one] * len(rows), dtype=object))) < -ctx.mpf(_TIGHT)
                if (not broken and not falling) or step < 1e-6:
                    break
            step /= 2
        path.zeta, gamma, margins, steps = zeta, target, seen, steps + 1
        rho, slope, w = found
        step = step * 2 if path.layers == 2 else min(2 * step, ctx.mpf(_LONGEST))
    return Path(rho / gamma, chosen, tuple(events), steps)

"""A problem in real coordinates: of a real decomposition, or of a spectrum with entries on one line a frequency."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from symbias import exact
from symbias.decompositions.spectral import Spectral
from symbias.errors import BadInput
from symbias.numeric.max_margin import as_precise
from symbias.problem import Problem


@dataclass(frozen=True)
class RealView:
    """A problem in real coordinates: ``A`` (n, m) rows y_i S x_i and the ``etas``, elements of QQ, exact numbers or
    mpf.

    Where the spectrum lies on lines e^{i phi_j} R, ``phases`` are the e^{i phi_j}, and rho_j is e^{-i phi_j} times a
    real number. ``layers`` are the eta_l with their own phases.
    """

    ctx: Any
    decomposition: Any
    A: np.ndarray
    etas: list[np.ndarray]
    layers: list[np.ndarray]
    phases: list | None = None

    def lifted(self, rho) -> np.ndarray:
        """rho of the decomposition from real coordinates."""
        if self.phases is None:
            return rho
        return np.array([r * self.ctx.conj(p) for r, p in zip(rho, self.phases, strict=True)], dtype=object)

    def beta(self, rho) -> np.ndarray:
        """S^T rho, flat, from real coordinates."""
        return real_parts(self.decomposition.adjoint(self.lifted(rho), self.ctx), self.ctx)


def real_view(problem: Problem, ctx) -> RealView | None:
    """The problem in real coordinates, or None when it has none."""
    if problem.network.name != "convolutional":
        return in_coordinates(problem, problem.network.real_decomposition(problem.X), ctx)
    even = _even(problem, ctx)
    if even is not None:
        return in_coordinates(problem, even, ctx)
    fourier = problem.network.decompose()
    S = fourier.apply(problem.data(ctx)[0], ctx)
    etas = [fourier.transform(problem.start().direction(l, ctx), l, ctx) for l in range(problem.network.depth)]
    lines = _lines(S, ctx)
    if lines is None or not _plain(etas, ctx):
        return None
    return _on_lines(problem, fourier, S, etas, lines, ctx)


def in_coordinates(problem: Problem, decomposition, ctx) -> RealView:
    """Coordinates of a real decomposition; a diagonal network keeps its rational numbers."""
    start = problem.start()
    if decomposition.kind == "diagonal":
        etas = [
            start.scale(ctx) * v.to_precise(ctx)
            if isinstance(v, Spectral)
            else start.alpha * exact.to_sympy(np.asarray(v))
            for v in start.directions
        ]
        if not all(isinstance(entry, sympy.Rational) for eta in etas for entry in eta):
            etas = _cleaned([as_precise(ctx, eta) for eta in etas], ctx)
        return RealView(ctx, decomposition, problem.signed(), etas, [as_precise(ctx, eta) for eta in etas])
    X, y = problem.data(ctx)
    A = y[:, None] * decomposition.apply(X, ctx)
    etas = [
        start.scale(ctx) * decomposition.transform(start.direction(l, ctx), l, ctx)
        for l in range(problem.network.depth)
    ]
    etas = _cleaned(etas, ctx)
    return RealView(ctx, decomposition, A, etas, etas)


def _even(problem: Problem, ctx):
    """The real decomposition when data and start are even, else None."""
    try:
        made = problem.network.real_decomposition(problem.X)
    except BadInput:
        return None
    zero = ctx.mpf(10) ** (15 - ctx.dps)
    start = problem.start()
    for layer in range(problem.network.depth):
        v = start.direction(layer, ctx)
        if np.abs(v - made.block(made.transform(v, layer, ctx), layer, ctx)).max() > zero * (1 + np.abs(v).max()):
            return None
    return made


def _cleaned(etas, ctx):
    """Sizes that are equal in two layers, or zero, up to rounding made so: ties of the start decide its end, and they
    come back from the blocks rounded.
    """
    zero = ctx.mpf(10) ** (15 - ctx.dps) * max(abs(entry) for eta in etas for entry in eta)
    made: list[np.ndarray] = []
    for eta in etas:
        snapped = []
        for j, entry in enumerate(eta):
            equal = next((abs(other[j]) for other in made if abs(abs(entry) - abs(other[j])) <= zero), abs(entry))
            snapped.append(ctx.zero if abs(entry) <= zero else ctx.sign(entry) * equal)
        made.append(np.array(snapped, dtype=object))
    return made


def _plain(etas, ctx) -> bool:
    """v_L(0) = 0 and equal sizes of the others, none zero."""
    zero = ctx.mpf(10) ** (15 - ctx.dps)
    sizes = [np.array([abs(entry) for entry in eta], dtype=object) for eta in etas]
    same = all(np.abs(part - sizes[0]).max() <= zero * sizes[0].max() for part in sizes[:-1])
    return bool(same and sizes[-1].max() <= zero * sizes[0].max() and sizes[0].min() > zero * sizes[0].max())


def _lines(S, ctx):
    """The phases e^{i phi_j} of the lines through 0 that hold (S x_i)_j for all i, or None."""
    zero = ctx.mpf(10) ** (15 - ctx.dps)
    phases = []
    for column in S.T:
        top = max(column, key=abs)
        phase = top / abs(top) if abs(top) > zero * np.abs(S).max() else ctx.mpc(1)
        if any(abs((entry * ctx.conj(phase)).imag) > zero * abs(top) for entry in column):
            return None
        phases.append(phase)
    return phases


def _on_lines(problem: Problem, fourier, S, etas, phases, ctx) -> RealView:
    """rho_j = e^{-i phi_j} times a real number, by the reduced flow; frequencies j and d - j are equal coordinates."""
    d, (_, y) = problem.network.dim, problem.data(ctx)
    A = np.array(
        [
            [y_i * ctx.re(entry * ctx.conj(p)) for entry, p in zip(row, phases, strict=True)]
            for row, y_i in zip(S, y, strict=True)
        ]
    )
    sizes = np.array([problem.start().scale(ctx) * abs(entry) for entry in etas[0]], dtype=object)
    for k in range(1, (d + 1) // 2):  # conjugate frequencies: equal, not only up to rounding
        lead = next((entry for entry in A[:, k] if abs(entry) > ctx.mpf(10) ** (15 - ctx.dps)), ctx.one)
        other = next((entry for entry in A[:, d - k] if abs(entry) > ctx.mpf(10) ** (15 - ctx.dps)), ctx.one)
        sign = 1 if lead * other > 0 else -1
        A[:, d - k], sizes[d - k] = sign * A[:, k], sizes[k]
        phases[d - k] = sign * ctx.conj(phases[k])
    zeros = np.array([ctx.zero] * d, dtype=object)
    return RealView(ctx, fourier, A, [sizes] * (problem.network.depth - 1) + [zeros], etas, phases)


def real_parts(values, ctx) -> np.ndarray:
    """The real parts of numbers that are real up to rounding."""
    return np.array([ctx.re(entry) for entry in values.ravel()], dtype=object)

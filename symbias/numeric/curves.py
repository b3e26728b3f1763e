"""The potentials that argmin Q minimises: a separable sum whose slope and argument are both curves of one parameter
v_j.

    rho_j = exp(amplitude_j) h_j(v_j),    Q_j'(rho_j) = exp(-log_w_j) t_j(v_j),    t_j(v_0j) = 0 at the start,

both increasing. When the start is multiplied by alpha, rho grows by alpha^L and Q' by alpha^{2-L} at the same v, so one
path in log alpha serves them all: Theorem 5's start (``EqualLayers``), any real start (``layers.UnequalLayers``) and
the difference of powers (``powers.PowerCurves``). Here h and its slope are carried as logarithms: alpha^L is never
formed.
"""

from dataclasses import dataclass, replace
from typing import Protocol, Self

import numpy as np

from symbias import kernels
from symbias.numeric import sech


class Point(Protocol):
    """The curves at v, float arrays (m,).

    h = value exp(log_size), h' = slope exp(log_size), curvature = h''/h', t' = exp(-log_grow), growth = log_grow'.
    ``side`` = sign(v - v_0); ``near``: indices where t is next to the end of its range on that side, where
    ``distance`` = exp(log_grow) |end - t| is carried (of them only), and ``end`` (m,) = |end| on that side.
    """

    v: np.ndarray
    value: np.ndarray
    log_size: np.ndarray
    slope: np.ndarray
    curvature: np.ndarray
    log_grow: np.ndarray
    growth: np.ndarray
    side: np.ndarray

    @property
    def time(self) -> np.ndarray: ...

    @property
    def near(self) -> np.ndarray: ...

    @property
    def distance(self) -> np.ndarray: ...

    @property
    def end(self) -> np.ndarray: ...


class Curves(Protocol):
    """The curves of all coordinates: ``depth`` L, ``rate`` the largest d log|h|/dv, ``v_0`` (m,) where t = 0."""

    @property
    def depth(self) -> int: ...

    @property
    def rate(self) -> float: ...

    @property
    def amplitude(self) -> np.ndarray: ...

    @property
    def log_w(self) -> np.ndarray: ...

    @property
    def v_0(self) -> np.ndarray: ...

    def at(self, v: np.ndarray) -> Point: ...

    def invert(self, j: np.ndarray, sign: np.ndarray, log_h: np.ndarray) -> np.ndarray:
        """Return the v_j at which h_j = sign exp(log_h)."""

    def time_of(self, sign: np.ndarray, log_h: np.ndarray) -> np.ndarray:
        """Return t at h = sign exp(log_h), by another way than ``at``."""

    def held(self, v: np.ndarray) -> np.ndarray | float:
        """Return 1, and more, like |v|, where rho_j is held back from 0 and no longer counts: there t is linear in
        v.
        """

    def in_units(self, log_size: float) -> "Curves":
        """Return the curves of rho / exp(log_size)."""


@dataclass(frozen=True)
class FromZero:
    """What curves share that have one size a_j a coordinate and begin at rho = 0: rho = a^L h, Q' = a^{2-L} t."""

    depth: int
    log_a: np.ndarray

    @property
    def amplitude(self) -> np.ndarray:
        return self.depth * self.log_a

    @property
    def log_w(self) -> np.ndarray:
        return (self.depth - 2) * self.log_a

    @property
    def v_0(self) -> np.ndarray:
        return np.zeros(self.log_a.size)

    def held(self, v: np.ndarray) -> float:
        return 1.0

    def in_units(self, log_size: float) -> Self:
        return replace(self, log_a=self.log_a - log_size / self.depth)


class EqualLayers(FromZero):
    """Theorem 5: L - 1 equal layers a_j and a last one that starts at 0: v = asinh q, h = sinh v cosh^{L-1} v,
    t = h_L^{-1}(h).
    """

    @property
    def rate(self) -> float:
        return self.depth

    def at(self, v: np.ndarray) -> "EqualPoint":
        return EqualPoint(self.depth, v)

    def invert(self, j: np.ndarray, sign: np.ndarray, log_h: np.ndarray) -> np.ndarray:
        q = kernels.root(self.depth, np.exp(np.minimum(log_h, 600.0)))
        # sinh v cosh^(L-1) v = (e^v/2)^L beyond the range of floats
        return sign * np.where(log_h < 600.0, np.arcsinh(q), log_h / self.depth + np.log(2))

    def time_of(self, sign: np.ndarray, log_h: np.ndarray) -> np.ndarray:
        """h_L^{-1} by the kernels; beyond the range of floats by the leading term at infinity."""
        depth = self.depth
        with np.errstate(under="ignore"):
            t = kernels.h_inverse(depth, sign * np.exp(np.minimum(log_h, 700.0)))
        if depth == 2:
            return np.where(log_h > 700.0, sign * (np.log(4) + np.maximum(log_h, 0.0)) / 2, t)
        return np.where(log_h > 700.0, sign * sech.end(depth), t)


class EqualPoint:
    """See ``Point``; log cosh v and tanh v from ``sech.Hyperbolic``."""

    def __init__(self, depth: int, v: np.ndarray):
        at, k = sech.Hyperbolic(v), depth - 2
        self.v, self.value, self.side = v, at.tanh, np.sign(v)
        self.log_size, self.log_grow = depth * at.log_cosh, k * at.log_cosh
        self.slope = at.sech_squared + depth * at.tanh**2
        self.growth = k * at.tanh
        self.curvature = at.tanh * (k + 2 * depth / self.slope)
        self.time = at.time(depth)
        self.near = np.flatnonzero(at.is_near(depth))
        self.distance = sech.scaled_distance(depth, at.sech_squared[self.near]) if self.near.size else np.zeros(0)
        self.end = np.full(v.size, sech.end(depth))

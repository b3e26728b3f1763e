"""The curves of the difference of powers: rho = w_+^L - w_-^L with w_±(0) = a.

Depth 2: w_± = a e^{±v}, t = v. Depth L >= 3: w_± = a (1 ∓ z)^{-1/(L-2)} on -1 < z < 1, t = a^{2-L} z. With z = tanh v
both factors are 1 ∓ z = 2 / (1 + e^{±2v}), without cancellation at either end. Here t is the derivative of the
potential sum a^2 q_L(rho / a^L) (depth 2: half of it); nu = -int r dt runs L (L-2) (depth 2: 2) times slower.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class PowerCurves:
    """``a`` (m,) > 0, mpf of ``ctx``; see ``mirror.Curves``."""

    ctx: Any
    depth: int
    a: Any

    def weights(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """w_+ and w_-."""
        ctx, depth = self.ctx, self.depth
        up = np.array([ctx.exp(x) for x in v], dtype=object)
        if depth == 2:
            return self.a * up, self.a / up
        power = ctx.one / (depth - 2)
        plus, minus = (np.array([((1 + x * x) / 2) ** power for x in side], dtype=object) for side in (up, 1 / up))
        return self.a * plus, self.a * minus

    def at(self, v):
        ctx, depth = self.ctx, self.depth
        plus, minus = self.weights(v)
        first, second = plus**depth, minus**depth
        if depth == 2:
            return first - second, 2 * (first + second), np.array(v, dtype=object), np.full(len(v), ctx.one)
        # d log w_±/dv = ±(1 ± z)/(L-2), from dz/dv = (1 + z)(1 - z)
        up, down = (np.array([2 / (1 + ctx.exp(-2 * sign * x)) for x in v], dtype=object) for sign in (1, -1))
        rate, unit = ctx.mpf(depth) / (depth - 2), self.a ** (2 - depth)
        z = np.array([ctx.tanh(x) for x in v], dtype=object)
        return first - second, rate * (first * up + second * down), unit * z, unit * up * down

    def potential(self, v: np.ndarray):
        """sum_j a_j^2 q_L(rho_j / a_j^L), from t rho minus the integral of rho over t."""
        depth = self.depth
        plus, minus = self.weights(v)
        rho, _, t, _ = self.at(v)
        if depth == 2:
            return (2 * t * rho - plus**2 - minus**2 + 2 * self.a**2).sum()
        return (t * rho - (self.ctx.mpf(depth) / 2 - 1) * (plus**2 + minus**2 - 2 * self.a**2)).sum()

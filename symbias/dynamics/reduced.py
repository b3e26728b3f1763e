"""The reduced flow: nu' = -r(rho(nu)) with rho_j = a_j^L h_L(a_j^{L-2} (A^T nu)_j), n unknowns whatever the width of
the network.

In float64 the flow is carried in z_j = asinh q_j beside nu: then rho_j = a_j^L sinh z_j cosh^{L-1} z_j keeps its
digits where c_L - |t_j| has lost them all. In high precision nu is the only state: every step starts from the closed
form of p and q.
"""

import math

import mpmath
import numpy as np
from mpmath.libmp import MPZ

from symbias.kernels import precise
from symbias.numeric.losses import Loss
from symbias.numeric.products import Hadamard
from symbias.numeric.series import horner, to_ints, to_mpf
from symbias.numeric.taylor import TaylorFlow
from symbias.precision import adopt


class ReducedFlow:
    """The reduced flow as a system of the state (z, nu, time), for ``numeric.integrate.march``.

    dz_j/dt = -w_j (A^T r)_j, w_j = a_j^{L-2} cosh^{L-2} z_j. With ``scaled`` (the clock "log_loss") the time is
    changed once more, by N^2 = sum_j w_j^2 |A_j|^2, which bounds the rates; arc length would stall at saddles.
    """

    def __init__(self, A: np.ndarray, a: np.ndarray, depth: int, loss: Loss, scaled: bool = False):
        self.A, self.a, self.depth, self.loss, self.scaled = A, a, depth, loss, scaled
        self.m = A.shape[1]
        self.columns = np.sum(A**2, axis=0)
        self.start = np.zeros(self.m + len(A) + 1)
        dual = np.full(len(A), a.max() ** (2 - depth) / np.sqrt(self.columns.max()))
        # z may be far below 1 and still decide a coefficient: rho ~ a^L z is wanted to 1e-8 of the targets
        with np.errstate(all="ignore"):  # clipped below
            wanted = np.abs(loss.y).max() / np.sqrt(self.columns.max()) / a / a ** (depth - 1)
        self.scales = np.concatenate([1e-8 * np.clip(wanted, 1e-290, 1.0), dual, [1.0]])

    def coefficients(self, state):
        """Return rho of a state."""
        z = state[: self.m]
        return (self.a * np.cosh(z)) ** (self.depth - 1) * (self.a * np.sinh(z))

    def dual(self, state):
        """Return nu = -int r (with the clock "log_loss": of the softmax residuals)."""
        return state[self.m : -1]

    def coordinates(self, state):
        """Return a_j p_j and a_j q_j: the first L - 1 blocks and the last, in the decomposition's coordinates."""
        z = state[: self.m]
        return self.a * np.cosh(z), self.a * np.sinh(z)

    def outputs(self, state):
        """Return f(x_i) for every sample."""
        return self.A @ self.coefficients(state)

    def log10_loss(self, state):
        """Return log10 of the loss at a state."""
        return self.loss.log10(self.outputs(state))

    def velocity(self, state):
        weights = self._weights(state)
        return self._unscaled(state, weights) / self._norm(weights)

    def jacobian(self, state):
        z, k, weights = state[: self.m], self.depth - 2, self._weights(state)
        f = self.outputs(state)
        # d rho/dz = a^L cosh^{L-2} z (cosh^2 z + (L-1) sinh^2 z)
        first, last = self.coordinates(state)
        slope = weights * (first**2 + (self.depth - 1) * last**2)
        dr = self.loss.slope(f) @ (self.A * slope)
        moved = self._unscaled(state, weights)
        out = np.zeros((len(state), len(state)))
        out[: self.m, : self.m] = np.diag(k * np.tanh(z) * moved[: self.m]) - weights[:, None] * (self.A.T @ dr)
        out[self.m : -1, : self.m] = -dr
        if self.scaled:
            square = weights**2 * self.columns
            rise = k * np.tanh(z) * square / square.sum()  # d log N / dz
            out[:, : self.m] -= np.outer(moved, rise)
            out /= self._norm(weights)
        return out

    def _unscaled(self, state, weights):
        r = self.loss.residual(self.outputs(state))
        return np.concatenate([-weights * (r @ self.A), -r, [1.0]])

    def _weights(self, state):
        return (self.a * np.cosh(state[: self.m])) ** (self.depth - 2)

    def _norm(self, weights):
        return math.sqrt(np.sum(weights**2 * self.columns)) if self.scaled else 1.0


class PreciseReducedFlow(TaylorFlow):
    """The reduced flow in high precision: the state is nu; a_j p_j and a_j q_j come from their closed form at every
    step.

    Between two steps the Taylor coefficients of p and q along nu(t) follow from Lemma 4's system, which is the
    recurrence of a diagonal network; that network's flow itself is never used over more than one step.
    """

    def __init__(self, A, y, a, depth: int, digits: int, task: str = "regression"):
        # near the end of its domain t has lost the digits of a^{L-2}: c_L - t ~ a^{L-2}
        smallest = min(math.log10(abs(entry)) if abs(entry) > 1e-300 else float(mpmath.log10(entry)) for entry in a)
        lost = max(0, math.ceil(-(depth - 2) * smallest))
        super().__init__(Hadamard(), A, y, [a] * (depth - 1) + [0 * a], digits + lost, task)
        self.depth = depth
        self.a = np.array([adopt(self.ctx, entry) for entry in a], dtype=object)
        self.A = to_mpf(self.ctx, self.X, self.bits)
        self.nu = np.array([MPZ(0)] * len(A), dtype=object)

    def rho(self) -> np.ndarray:
        """Return rho at the present time."""
        first, last = self.coordinates()
        return first ** (self.depth - 1) * last

    def coordinates(self) -> tuple[np.ndarray, np.ndarray]:
        """Return a_j p_j and a_j q_j at the present time."""
        first, last = self.state[0], self.state[-1]
        return to_mpf(self.ctx, first, self.bits), to_mpf(self.ctx, last, self.bits)

    def _advance(self, series, part):
        self.nu = self.nu + horner(self.dual, part, self.bits)
        t = self.a ** (self.depth - 2) * to_mpf(self.ctx, self.nu, self.bits).dot(self.A)
        p = np.array([precise.p(self.ctx, self.depth, s) for s in t], dtype=object)
        q = np.array([precise.q(self.ctx, self.depth, s) for s in t], dtype=object)
        self.state = [to_ints(self.a * p, self.bits)] * (self.depth - 1) + [to_ints(self.a * q, self.bits)]

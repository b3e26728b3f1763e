"""Gradient descent with a given step, and what the step changes in the limit of a diagonal network of depth 2.

For blocks u, v, beta = u v and w_± = u ± v, a step γ is w_± -> (1 ∓ γ g) w_± exactly, with g = X^T r. While |γ g| < 1
this gives, after every number of steps,
    h_2^{-1}(beta_j/δ_j) = t0_j - T_j + (A^T nu)_j,   δ_j = |u_0^2 - v_0^2|_j prod (1 - γ^2 g_j^2),   nu = -γ sum r,
    T_j = sum (artanh(γ g_j) - γ g_j),   t0_j = 1/2 ln((u_0 + v_0)/(u_0 - v_0))_j,
so the limit minimises sum_j [δ_j H_2(beta_j/δ_j) + (T_j - t0_j) beta_j] over X beta = y (Even et al. 2023, Pesme et
al. 2021).
"""

from collections.abc import Iterator

import numpy as np

from symbias.errors import NotConverged
from symbias.numeric.integrate import FullFlow


def descend(flow: FullFlow, step: float, iterations: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield (k, Theta_k) for Theta_{k+1} = Theta_k + step Theta'(Theta_k), from k = 0; the state has a time as its
    last entry.

    Raises
    ------
    NotConverged
        The loss grows beyond 10^8 and 10^8 times its start.
    """
    state = flow.start.copy()
    first = flow.log10_loss(state)
    yield 0, state
    for k in range(1, iterations + 1):
        with np.errstate(over="ignore", invalid="ignore"):  # a diverging run overflows: found out two lines below
            state = state + step * np.append(flow.unscaled(state), 1.0)
            loss = flow.log10_loss(state)
        if not loss < max(first, 0.0) + 8:
            raise NotConverged(
                f"gradient descent with step {step:g} diverges: after {k} iterations the loss is above 10^8; "
                f"take a smaller step (at the start the limit of stability is {stable_step(flow):.3g})"
            )
        yield k, state


def stable_step(flow: FullFlow) -> float:
    """Return 2 / lambda_max of the flow's Jacobian at the start, the largest stable step of gradient descent there."""
    fastest = -np.linalg.eigvalsh(flow.jacobian(flow.start)[:-1, :-1]).min()
    return 2.0 / fastest if fastest > 0 else np.inf


class StepCorrection:
    """δ and the shift T - t0 of the depth-2 potential, gathered along a run; blocks u_0, v_0 with |u_0| > |v_0|."""

    def __init__(self, u: np.ndarray, v: np.ndarray, step: float):
        self.step = step
        self.log_delta = np.log(u**2 - v**2)
        self.shift = -np.arctanh(v / u)
        self.valid = True

    def add(self, g: np.ndarray) -> None:
        """Take the gradient g = X^T r in beta of one more iteration."""
        moved = self.step * g
        if not (np.abs(moved) < 1).all():
            self.valid = False
            return
        self.log_delta += np.log1p(-(moved**2))
        self.shift += np.arctanh(moved) - moved

    @property
    def delta(self) -> np.ndarray:
        """The scales δ_j that take the place of alpha^2 η̄_j^2."""
        return np.exp(self.log_delta)

    def record(self) -> dict | None:
        """Return delta and shift, or None once a step with |γ g_j| >= 1 has left the theory."""
        return {"delta": self.delta, "shift": self.shift.copy()} if self.valid else None

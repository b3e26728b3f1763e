"""The potential between the l1 and the l2 norm as alpha moves: its level curve through (1, 0)."""

from collections.abc import Sequence

import numpy as np

from symbias.errors import BadInput
from symbias.kernels import H
from symbias.plots.plane import ball
from symbias.plots.style import axes, finish, lines


def potential(alphas: Sequence[float] = (10, 1, 0.5, 0.1, 0.001), ax=None, *, depth: int = 3, eta=(1.0, 1.0)):
    r"""Draw, for each alpha, the curve Q(beta) = Q(1, 0) of Q = alpha^2 sum_j eta_j^2 H_L(beta_j / (alpha |eta_j|)^L).

    Parameters
    ----------
    alphas : numbers > 0
    ax : matplotlib Axes, optional
    depth : int >= 2
    eta : two nonzero numbers

    Returns
    -------
    Axes

    Source
    ------
    arXiv:2010.02501v3, Theorem 5.

    Examples
    --------
    >>> import symbias as sb
    >>> sb.plots.potential([1, 0.1]).get_legend_handles_labels()[1][:2]
    ['$\\alpha = 1$', '$\\alpha = 0.1$']
    """
    if not isinstance(alphas, Sequence):
        raise BadInput(f"alphas = {alphas!r}: give a list of scales")
    if not all(alpha > 0 for alpha in alphas):
        raise BadInput(f"alphas = {tuple(alphas)}: every alpha must be positive; the ends are drawn anyway")
    ax = axes(ax)
    angle = np.linspace(0, 2 * np.pi, 361)
    unit = np.stack([np.cos(angle), np.sin(angle)])
    for alpha, look in zip(alphas, lines(len(alphas)), strict=True):
        ax.plot(
            *(unit * _radius(unit, depth, alpha * np.abs(eta))), linewidth=1.4, label=rf"$\alpha = {alpha:g}$", **look
        )
    if tuple(eta) == (1.0, 1.0):
        ball(ax, "l1", (1, 0), linewidth=3, alpha=0.4)
        ball(ax, "l2", (1, 0), linewidth=3, alpha=0.4)
    ax.set_aspect("equal")
    ax.set_title(
        f"$Q(\\beta) = Q(1, 0)$, depth {depth}" + ("; grey: the two norms" if tuple(eta) == (1.0, 1.0) else "")
    )
    return finish(ax, r"$\beta_1$", r"$\beta_2$")


def _radius(unit: np.ndarray, depth: int, a: np.ndarray) -> np.ndarray:
    """How far each direction reaches until Q has its value at (1, 0), by bisection (Q grows along every ray)."""

    def Q(points):
        return sum(a_j**2 * H(depth, row / a_j**depth) for a_j, row in zip(a, points, strict=True))

    level = Q(np.array([[1.0], [0.0]]))[0]
    low, high = np.zeros(unit.shape[1]), np.full(unit.shape[1], 1.0)
    while (Q(unit * high) < level).any():
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        below = Q(unit * middle) < level
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return high

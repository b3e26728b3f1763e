"""What the coefficient plane holds besides trajectories: the line of global minima and the balls of the norms."""

import numpy as np

from symbias.errors import BadInput
from symbias.plots.style import GREY
from symbias.problem import Problem


def in_the_plane(problem: Problem) -> None:
    """Refuse a problem whose coefficients are not two numbers."""
    if problem.network.input_shape != (2,):
        raise BadInput(f"a picture of the coefficient plane needs d = 2, not samples of {problem.network.input_shape}")


def minima(ax, problem: Problem) -> None:
    """Draw the line X beta = y across the axes as they are."""
    x, y = problem.X_float[0], problem.y_float[0]
    along = np.array([-x[1], x[0]]) / np.hypot(*x)
    foot = x * y / (x @ x)
    ax.axline(foot, foot + along, color=GREY, linewidth=3, alpha=0.6, zorder=1, label=r"global minima $X\beta = y$")


def ball(ax, norm: str, touching, **style) -> None:
    """Draw the ball of a norm ("l1", "l2" or "dft") whose boundary passes through the point ``touching``."""
    angle = np.linspace(0, 2 * np.pi, 721)
    unit = np.stack([np.cos(angle), np.sin(angle)])
    sizes = {
        "l1": lambda z: np.abs(z).sum(axis=0),
        "l2": lambda z: np.hypot(*z),
        "dft": lambda z: (np.abs(z[0] + z[1]) + np.abs(z[0] - z[1])) / np.sqrt(2),
    }
    size = sizes[norm]
    points = unit * size(np.asarray(touching, dtype=float)) / size(unit)
    ax.plot(*points, **({"color": GREY, "linewidth": 0.8, "zorder": 0} | style))

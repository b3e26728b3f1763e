"""h_L of Lemma 4 and its inverse, by depth."""

from collections.abc import Sequence

import numpy as np

from symbias import kernels
from symbias.plots.style import axes, finish, lines


def h(depths: Sequence[int] = (2, 3, 4, 6), ax=None, *, top: float = 4.0):
    """Draw h_L(t) for |h_L| <= ``top``; dotted verticals are the ends ±c_L of its domain.

    Examples
    --------
    >>> import symbias as sb
    >>> sb.plots.h([2, 3]).get_xlabel()
    '$t$'
    """
    ax = axes(ax)
    y = np.linspace(-top, top, 801)
    for depth, look in zip(depths, lines(len(depths)), strict=True):
        ax.plot(kernels.h_inverse(depth, y), y, linewidth=1.6, label=f"$h_{{{depth}}}$", **look)
        end = kernels.c(depth)
        if np.isfinite(end):
            for side in (-end, end):
                ax.axvline(side, color=look["color"], linestyle=(0, (1, 4)), linewidth=1)
    return finish(ax, "$t$", "$h_L(t)$")


def h_inverse(depths: Sequence[int] = (2, 3, 4, 6), ax=None, *, reach: float = 8.0):
    """Draw h_L^{-1}(y) for |y| <= ``reach``; dotted lines are its limits ±c_L (depth 2 has none).

    Examples
    --------
    >>> import symbias as sb
    >>> sb.plots.h_inverse([2, 3]).get_ylabel()
    '$h_L^{-1}(y)$'
    """
    ax = axes(ax)
    y = np.linspace(-reach, reach, 801)
    for depth, look in zip(depths, lines(len(depths)), strict=True):
        ax.plot(y, kernels.h_inverse(depth, y), linewidth=1.6, label=f"$h_{{{depth}}}^{{-1}}$", **look)
        end = kernels.c(depth)
        if np.isfinite(end):
            for side in (-end, end):
                ax.axhline(side, color=look["color"], linestyle=(0, (1, 4)), linewidth=1)
    return finish(ax, "$y$", "$h_L^{-1}(y)$")

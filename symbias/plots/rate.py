"""The error against alpha of a limit check, with the slope that was predicted."""

import numpy as np

from symbias.checks.limits import LimitCheck
from symbias.errors import BadInput
from symbias.plots.style import COLOURS, LINES, MARKERS, axes, finish, labelled


def rate(found: dict[str, LimitCheck], ax=None):
    """Draw log10(error) against log10(alpha) as markers, and through the last point the line of the predicted order.

    Parameters
    ----------
    found : dict, label -> LimitCheck (``sb.check_limit``)
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import symbias as sb
    >>> net = sb.Diagonal(dim=2, depth=3)
    >>> problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha=1, eta=1))
    >>> ax = sb.plots.rate({"depth 3": sb.check_limit(problem, alpha=0, digits=15)})
    >>> ax.get_legend_handles_labels()[1]
    ['depth 3', 'predicted order 3']
    """
    import mpmath

    labelled(found, LimitCheck, "limit checks (sb.check_limit)")
    ax = axes(ax)
    drawn = 0
    for k, (label, each) in enumerate(found.items()):
        pairs = [
            (float(mpmath.log10(p)), float(mpmath.log10(e)))
            for p, e in zip(each.points, each.errors, strict=True)
            if e > 0
        ]
        if not pairs:
            continue
        drawn += 1
        x, y = np.array(pairs).T
        colour = COLOURS[(k + 1) % len(COLOURS)]
        ax.plot(x, y, MARKERS[k % len(MARKERS)], color=colour, markersize=6, label=label, zorder=3)
        if each.predicted_order is not None:
            slope = float(each.predicted_order) * (1 if x[-1] < x[0] else -1)
            line = {"color": colour, "linestyle": LINES[k % len(LINES)], "linewidth": 1.2}
            ax.plot(x, y[-1] + slope * (x - x[-1]), label=f"predicted order {float(each.predicted_order):.4g}", **line)
    if not drawn:
        raise BadInput("every error is zero: there is no rate to draw")
    return finish(ax, r"$\log_{10} \alpha$", r"$\log_{10}$ error")

"""Trajectories of the linear coefficients in their plane, with what they tend to."""

from collections.abc import Mapping, Sequence

from symbias.plots.plane import ball, in_the_plane, minima
from symbias.plots.style import COLOURS, LINES, MARKERS, axes, finish, labelled
from symbias.problem import Problem, require_problem
from symbias.theorems import predict

BALLS = {"l1": r"$\ell_1$", "l2": r"$\ell_2$", "dft": r"DFT-$\ell_1$"}


def trajectories(
    groups: Mapping[str, Sequence[Problem]],
    ax=None,
    *,
    theorem: str | None = None,
    balls: dict[str, Sequence] | None = None,
):
    r"""Draw beta(t) of gradient flow for regression with d = 2, the line of global minima, and the predicted limits.

    Parameters
    ----------
    groups : dict, label -> problems
        Problems under one label (such as one alpha) share colour, line style and the marker of the predicted limit.
    ax : matplotlib Axes, optional
    theorem : str, optional
        The statement that predicts, also outside its hypotheses; the first that applies when None.
    balls : dict, norm ("l1", "l2" or "dft", the l1 norm of the DFT) -> point of contact, optional

    Returns
    -------
    Axes

    Raises
    ------
    BadInput
        Samples of another dimension than 2.

    Source
    ------
    arXiv:2010.02501v3, section 6.

    Examples
    --------
    >>> import symbias as sb
    >>> net = sb.Diagonal(dim=2, depth=2)
    >>> problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha=1, eta=1))
    >>> ax = sb.plots.trajectories({"alpha = 1": [problem]})
    >>> ax.get_xlabel()
    '$\\beta_1$'
    """
    from symbias.simulate import simulate

    labelled(groups, Sequence, "lists of problems")
    ax = axes(ax)
    last = None
    for k, (label, problems) in enumerate(groups.items()):
        look = {"color": COLOURS[(k + 1) % len(COLOURS)], "linestyle": LINES[k % len(LINES)]}
        for number, problem in enumerate(problems):
            require_problem(problem)
            in_the_plane(problem)
            path = simulate(problem)
            if path.interrupted:
                raise KeyboardInterrupt
            ax.plot(*path.coefficients.T, linewidth=1.3, zorder=3, label=label if number == 0 else None, **look)
            ax.plot(*path.coefficients[0], ".", color=look["color"], markersize=5, zorder=3)
            end = predict(problem, theorem=theorem, outside=theorem is not None).coefficients
            marker = MARKERS[k % len(MARKERS)]
            name = f"{label}: predicted" if number == 0 else None
            hollow = {"color": look["color"], "markerfacecolor": "none", "markeredgewidth": 1.8, "markersize": 9}
            ax.plot(*end, marker, zorder=5, label=name, **hollow)
            last = problem
    if last is not None:
        minima(ax, last)
    for norm, point in (balls or {}).items():
        ball(ax, norm, point, linestyle=LINES[list(BALLS).index(norm)])
    ax.set_aspect("equal", adjustable="datalim")
    return finish(ax, r"$\beta_1$", r"$\beta_2$")

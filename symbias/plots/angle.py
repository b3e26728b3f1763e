"""How fast directions converge in classification: the angle to the predicted one against log10 of the loss."""

from collections.abc import Mapping

import numpy as np

from symbias.errors import BadInput
from symbias.plots.style import MARKERS, axes, finish, labelled, lines
from symbias.problem import Classification
from symbias.theorems import predict


def angle(problems: Mapping[str, Classification], ax=None, *, log10_loss: float = -1e4):
    """Draw the angle between beta(t) of the full flow and its predicted limit, down to a loss of 10^log10_loss.

    Parameters
    ----------
    problems : dict, label -> Classification
    ax : matplotlib Axes, optional
    log10_loss : negative float

    Returns
    -------
    Axes

    Source
    ------
    arXiv:2010.02501v3, section 4.

    Examples
    --------
    >>> import symbias as sb
    >>> net = sb.Diagonal(dim=2, depth=2)
    >>> start = sb.Initialization.theorem_5(net, alpha=1, eta=1)
    >>> problem = sb.Classification(net, [[1, 2], [0, -3]], [1, -1], start)
    >>> sb.plots.angle({"diagonal": problem}, log10_loss=-100).get_xscale()
    'log'
    """
    from symbias.simulate import simulate

    labelled(problems, Classification, "classification problems")
    if not log10_loss < -1:
        raise BadInput(f"log10_loss = {log10_loss} must be below -1: the direction shows once the loss is small")
    ax = axes(ax)
    looks = lines(len(problems))
    for k, (label, problem) in enumerate(problems.items()):
        path = simulate(problem, clock="log_loss", log10_loss=log10_loss)
        limit = predict(problem).direction.ravel()
        late = path.log10_loss < -1
        beta = path.coefficients[late].reshape(int(late.sum()), -1)
        unit = beta / np.linalg.norm(beta, axis=1, keepdims=True)
        # 2 arcsin(|u - v| / 2): accurate for small angles, unlike arccos
        apart = 2 * np.arcsin(np.linalg.norm(unit - limit, axis=1) / 2)
        marks = {"marker": MARKERS[k % len(MARKERS)], "markevery": 8, "markersize": 4}
        ax.loglog(-path.log10_loss[late], np.degrees(apart), linewidth=1.4, label=label, **looks[k], **marks)
    return finish(ax, r"$-\log_{10}$ loss", "angle to the predicted direction (degrees)")

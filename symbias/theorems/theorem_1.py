"""Theorem 1: any linear tensor network: the blocks converge in direction to singular vectors of M(-u), u the limit of
X^T r.

With -u = sum_i mu_i y_i x_i the limit directions are singular vectors v_l / |v_l| of the data tensor of that one
vector, all blocks growing alike: a stationary point of min |Theta|^2 / 2 s.t. y_i f(x_i; Theta) >= 1.
"""

import time

import numpy as np

from symbias import exact
from symbias.dynamics.parameters import limit, require_fixed
from symbias.precision import context, public
from symbias.problem import Problem
from symbias.theorems.loss_below_one import loss_below_one
from symbias.theorems.prediction import Prediction
from symbias.theorems.statement import Hypothesis, Statement, Theorem, failures
from symbias.theorems.stationary import without_noise
from symbias.verdict import Residual

STATEMENT = Statement(
    id="theorem_1",
    title="Theorem 1",
    text="the blocks of a linear tensor network converge in direction to singular vectors of the data tensor M(-u)",
    assumptions=(
        "classification of separable data, a linear tensor network",
        "loss below 1 at some time",
        "X^T r converges in direction to u",
    ),
    formula=r"\frac{v_l}{\|v_l\|} \to u_l, \quad s\, u_l = M(-u) \circ (u_1, \ldots, u_{l-1}, I, u_{l+1}, \ldots, u_L)",
    sources=("yun2021", "lim2005"),
    place="section 4.1, proof in appendix C",
)


def hypotheses(problem: Problem) -> tuple[Hypothesis, ...]:
    """Check the task, the network, and that the loss gets below 1; the limit of X^T r is shown by the prediction
    itself.
    """
    task = problem.task == "classification"
    tensor = problem.network.name not in ("difference_of_powers", "linear")
    records = (
        Hypothesis(
            "classification", task, None, "" if task else f"the task is {problem.task}", "use sb.Classification"
        ),
        Hypothesis(
            "linear tensor network of two layers or more",
            tensor,
            None,
            "" if tensor else f"it is {problem.network.name}",
            "use sb.Diagonal, sb.Convolutional, sb.FullyConnected or sb.MatrixSensing",
        ),
    )
    return records if failures(records) else (*records, loss_below_one(problem))


def predict(problem: Problem, digits: int | None = None, outside: bool = False) -> Prediction:
    """Return the limit directions of all blocks and of beta: the trajectory names them, Newton's method gives the
    digits.

    Parameters
    ----------
    problem : Classification
    digits : int, optional
        Correct decimal digits; float64 when None.
    outside : bool
        There is nothing to say where the loss does not get below 1, so this changes nothing.

    Returns
    -------
    Prediction
        ``blocks`` (of norm 1), ``direction``, ``coefficients`` (scaled to least margin 1), ``multipliers`` (mu_i >= 0
        with -u ∝ sum_i mu_i y_i x_i). Where solutions come in families (rotations between layers, phases), the blocks
        are the member next to the trajectory, to its accuracy, and satisfy their equations to all digits; beta is the
        same for all.

    Raises
    ------
    HypothesisFails
    Undecided
        The trajectory does not single out a stationary point.
    NotConverged

    Accuracy
    --------
    Residuals: Lim's equations of the data tensor, by the gradients of the network; equal norms of the blocks; margins
    and slackness.

    Source
    ------
    arXiv:2010.02501v3, Theorem 1; Lim (2005).

    Examples
    --------
    >>> import symbias as sb
    >>> net = sb.Convolutional(dim=3, depth=2, filters=(2, 3))
    >>> start = sb.Initialization(1, [[2, 1], [0, 0, 0]])
    >>> prediction = sb.predict(sb.Classification(net, [[1, 2, 3], [1, 0, 2]], [1, 1], start), digits=20)
    >>> prediction.statement.title, [str(z) for z in prediction.multipliers][0]
    ('Theorem 1', '0.0')
    """
    began = time.perf_counter()
    records = THEOREM.require(problem)
    ctx = context((20 if digits is None else digits) + 30)
    X, y = problem.data(ctx)
    rows = y[:, None] * X.reshape(len(y), -1)
    network = problem.network
    found = limit(
        network.product,
        exact.to_float(problem.signed()),
        rows,
        problem.start().blocks(),
        network.input_shape,
        ctx,
    )
    require_fixed(found)
    beta, mu = without_noise(network.product.beta(found.blocks), ctx), found.multipliers
    norms = [ctx.sqrt((block.ravel() ** 2).sum()) for block in found.blocks]
    units = tuple(without_noise(block / norm, ctx) for block, norm in zip(found.blocks, norms, strict=True))
    margins = rows @ beta.ravel()
    tolerance = ctx.mpf(10) ** (20 - ctx.dps)
    residuals = (
        Residual("Lim's equations", lim_misfit(network, units, mu @ rows), tolerance, "singular value"),
        Residual("equal norms of the blocks", (max(norms) - min(norms)) / max(norms), tolerance, "largest norm"),
        Residual("least margin = 1", abs(min(margins) - 1), tolerance, "1"),
        Residual(
            "complementary slackness",
            max(abs(m * (s - 1)) for m, s in zip(mu, margins, strict=True)) / sum(mu),
            tolerance,
            "mu",
        ),
    )

    def given(values):
        rounded = public(values, digits or 17)
        return rounded if digits is not None else np.array([float(e) for e in rounded.flat]).reshape(rounded.shape)

    notes: tuple[str, ...] = (
        f"the full flow, read at a margin of {found.margin:.0e}, smallest gap {min(found.gaps.values()):.1e}",
    )
    if found.freedom:
        notes += (f"the blocks are one member of a family of dimension {found.freedom}; beta is common to it",)
    flat = beta.ravel()
    return Prediction(
        statement=STATEMENT,
        hypotheses=records,
        residuals=residuals,
        alpha=problem.start().alpha,
        coefficients=given(beta),
        direction=given(beta / ctx.sqrt(flat @ flat)),
        blocks=tuple(given(unit) for unit in units),
        multipliers=given(mu),
        digits=digits,
        notes=problem.note_on_floats(digits) + notes,
        seconds=time.perf_counter() - began,
    )


def lim_misfit(network, units, g):
    """The largest entry of M(g) o (.., I, ..) - s u_l, relative to s = M(g) o (u_1, .., u_L), by the gradients of <g,
    beta>.
    """
    gradients = network.product.gradients(list(units), g.reshape(network.input_shape))
    s = (gradients[0] * units[0]).sum()
    return max(np.abs(part - s * unit).max() for part, unit in zip(gradients, units, strict=True)) / abs(s)


THEOREM = Theorem(STATEMENT, hypotheses, predict)

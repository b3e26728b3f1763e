"""Corollary 1: the fully connected network of any depth converges in direction to the l2 maximum margin."""

import time

import numpy as np

from symbias.numeric.max_margin import as_precise, l2_margin
from symbias.precision import context, public
from symbias.problem import Problem
from symbias.theorems.loss_below_one import loss_below_one
from symbias.theorems.prediction import Prediction
from symbias.theorems.statement import Hypothesis, Statement, Theorem, failures
from symbias.verdict import Residual

STATEMENT = Statement(
    id="corollary_1",
    title="Corollary 1",
    text="a fully connected network of any depth converges in direction to the l2 maximum margin",
    assumptions=("classification of separable data", "fully connected network", "loss below 1 at some time"),
    formula=r"\frac{\beta}{\|\beta\|} \to \frac{z}{\|z\|}, \; z = \arg\min_{y_i x_i^\top z \ge 1} \|z\|_2",
    sources=("yun2021", "ji2020"),
    place="section 4.1, proof in appendix C",
)


def hypotheses(problem: Problem) -> tuple[Hypothesis, ...]:
    """Check the task, the network, and that the loss gets below 1 (by following the flow where nothing simpler shows
    it).
    """
    task, name = problem.task == "classification", problem.network.name
    records = (
        Hypothesis(
            "classification", task, None, "" if task else f"the task is {problem.task}", "use sb.Classification"
        ),
        Hypothesis(
            "fully connected network",
            name == "fully_connected",
            None,
            "" if name == "fully_connected" else f"it is {name}",
            "use sb.FullyConnected",
        ),
    )
    return records if failures(records) else (*records, loss_below_one(problem))


def predict(problem: Problem, digits: int | None = None, outside: bool = False) -> Prediction:
    """Return the l2 maximum margin, the limit direction of beta.

    Parameters
    ----------
    problem : Classification with a fully connected network
    digits : int, optional
        Correct decimal digits; float64 when None.
    outside : bool
        Answer although the loss was not seen to get below 1.

    Returns
    -------
    Prediction
        ``direction``, ``coefficients`` (scaled to least margin 1), ``multipliers`` (mu_i, positive on the support
        vectors).

    Raises
    ------
    HypothesisFails, NotConverged

    Accuracy
    --------
    Support vectors are decided in rational arithmetic when the data are rational (up to 20,000 entries). Residuals: the
    margins, beta = sum_i mu_i y_i x_i and complementary slackness, on the data as given.

    Source
    ------
    arXiv:2010.02501v3, Corollary 1; Ji and Telgarsky (2020).

    Examples
    --------
    >>> import symbias as sb
    >>> net = sb.FullyConnected(dim=2, depth=3)
    >>> start = sb.Initialization(1, [[[1, 0], [0, 1]], [[1, 0], [0, 1]], [0, 0]])
    >>> problem = sb.Classification(net, [[1, 2], [0, -3]], [1, -1], start)
    >>> [str(z) for z in sb.predict(problem, digits=20).coefficients]
    ['0.2', '0.4']
    """
    began = time.perf_counter()
    records = THEOREM.require(problem, outside)
    if any(h.margin is None for h in failures(records)):
        THEOREM.require(problem)
    ctx = context((20 if digits is None else digits) + 30)
    margin = l2_margin(problem.signed(), ctx)
    beta, mu = as_precise(ctx, margin.rho), as_precise(ctx, margin.mu)
    X, y = problem.data(ctx)
    rows = y[:, None] * X
    seen, size = rows @ beta, max(abs(entry) for entry in beta)
    # Of the 30 digits beyond those asked for, 15 guard the decisions and the data may cost 5.
    tolerance = ctx.mpf(10) ** (20 - ctx.dps)
    residuals = (
        Residual("least margin = 1", abs(min(seen) - 1), tolerance, "1"),
        Residual("beta = sum mu_i y_i x_i", np.abs(rows.T @ mu - beta).max() / size, tolerance, "largest |beta|"),
        Residual(
            "complementary slackness",
            max(abs(m * (s - 1)) for m, s in zip(mu, seen, strict=True)) / sum(mu),
            tolerance,
            "mu",
        ),
    )

    def given(values):
        return public(values, digits) if digits is not None else np.array([float(entry) for entry in values])

    return Prediction(
        statement=STATEMENT,
        hypotheses=records,
        residuals=residuals,
        alpha=problem.start().alpha,
        coefficients=given(beta),
        direction=given(beta / ctx.sqrt(beta @ beta)),
        multipliers=given(mu),
        digits=digits,
        applies=not failures(records),
        notes=problem.note_on_floats(digits),
        seconds=time.perf_counter() - began,
    )


THEOREM = Theorem(STATEMENT, hypotheses, predict)

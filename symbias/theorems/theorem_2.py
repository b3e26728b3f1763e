"""Theorem 2: classification on an orthogonally decomposable network ends at a stationary point of the l_{2/L} margin
problem.

Assumption 1 and |(U_l^T v̄_l)_j|^2 - |(U_L^T v̄_L)_j|^2 >= lambda > 0 for l < L: the loss goes to 0, and if X^T r
converges in direction, beta converges in direction to S^T rho*, rho* a stationary point of min ||rho||_{2/L} s.t. y_i
x_i^T S^T rho >= 1. For L = 2 that is the (complex) l1 margin, convex; for L >= 3 the start decides which stationary
point is reached.
"""

import time

import numpy as np

from symbias.errors import NotDecomposable
from symbias.precision import adopt, context, public
from symbias.problem import Problem
from symbias.theorems import classification_derivation
from symbias.theorems.growing import direction, prediction
from symbias.theorems.prediction import Prediction
from symbias.theorems.spectral import exactly_given
from symbias.theorems.statement import Hypothesis, Statement, Theorem, failures

STATEMENT = Statement(
    id="theorem_2",
    title="Theorem 2",
    text="an orthogonally decomposable network ends in the direction S^T rho*, rho* stationary for the l_{2/L} margin",
    assumptions=(
        "classification of separable data",
        "Assumption 1 (S may be complex)",
        "|(U_l^T v̄_l)_j|^2 - |(U_L^T v̄_L)_j|^2 >= lambda > 0 for l < L and every j",
        "X^T r converges in direction",
    ),
    formula=r"\frac{\beta}{\|\beta\|} \to \frac{S^\top \rho^*}{\|S^\top \rho^*\|}, \; \rho^* \text{ stationary for }"
    r" \min_{y_i x_i^\top S^\top \rho \ge 1} \|\rho\|_{2/L}",
    place="section 4.2, proof in appendix D",
)

_CHECK_DIGITS, _EXACT_ZERO, _FLOAT_ZERO = 50, 1e-40, 1e-13


def hypotheses(problem: Problem) -> tuple[Hypothesis, ...]:
    """Check the hypotheses of Theorem 2; lambda is the margin of the last one.

    That X^T r converges in direction cannot be checked beforehand: a prediction shows it by the limit it reaches.
    """
    right = problem.task == "classification"
    first = Hypothesis(
        "classification", right, None, "" if right else f"the task is {problem.task}", "use sb.Classification"
    )
    if not right:
        return (first,)
    name = "Assumption 1"
    if problem.network.name in ("difference_of_powers", "linear"):
        detail = f"the {problem.network.name} network is not a product of two or more blocks of their own"
        return (first, Hypothesis(name, False, None, detail, "use sb.Diagonal, sb.Convolutional or sb.MatrixSensing"))
    try:
        decomposition = problem.network.decompose(problem.X)
    except NotDecomposable as error:
        return (first, Hypothesis(name, False, None, str(error), "see corollary_1 or theorem_1"))
    if not hasattr(decomposition, "adjoint"):
        return (first, Hypothesis(name, False, None, "the SVD of one sample has no S", "see theorem_3"))
    assumption = Hypothesis(name, True, None, f"{decomposition.kind} decomposition, m = {decomposition.terms}")
    exact = exactly_given(problem)
    ctx = context(_CHECK_DIGITS) if exact else None
    zero = _EXACT_ZERO if exact else _FLOAT_ZERO
    start = problem.start()
    eta, outside = [], []
    for layer in range(problem.network.depth):
        v = start.direction(layer, ctx)
        eta.append(decomposition.transform(v, layer, ctx))
        outside.append(np.abs(v - decomposition.block(eta[-1], layer, ctx)).max())
    sizes = [np.array([abs(entry) for entry in part]) for part in eta]
    scale = max(part.max() for part in sizes)
    margin = _least_difference(sizes, 0 if decomposition.kind == "diagonal" else zero * scale)
    remedy = "make the last layer the smallest in every coordinate, e.g. v̄_L = 0; or see general_initialization"
    spanned = Hypothesis(
        "v̄_l in the span of U_l",
        bool(max(outside) <= zero * max(1, scale)),
        -float(max(outside)),
        remedy="matrix sensing: start diagonal in the common eigenbasis",
    )
    inside = Hypothesis("|U_l^T v̄_l|^2 - |U_L^T v̄_L|^2 >= lambda > 0", margin > 0, margin, remedy=remedy)
    return (first, assumption, spanned, inside)


def _least_difference(sizes, zero):
    """min (a_j - b_j)(a_j + b_j) of the sizes a of the layers l < L and b of the last, 0 where a_j - b_j is rounding.

    A float; a number of its own where the square leaves the range of floats.
    """
    ctx, least = context(_CHECK_DIGITS), None
    for part in sizes[:-1]:
        for a, b in zip(part, sizes[-1], strict=True):
            gap = a - b if abs(a - b) > zero else 0
            found = adopt(ctx, gap) * (adopt(ctx, a) + adopt(ctx, b))
            least = found if least is None else min(least, found)
    rounded = float(least)
    return rounded if bool(rounded) == bool(least) and np.isfinite(rounded) else public(least, 17)


def predict(problem: Problem, digits: int | None = None, outside: bool = False) -> Prediction:
    """Return the limit direction of beta by Theorem 2, and which stationary point it is.

    Parameters
    ----------
    problem : Classification
    digits : int, optional
        Correct decimal digits; float64 when None.
    outside : bool
        Accept a start outside the hypothesis on lambda.

    Returns
    -------
    Prediction
        ``direction``, ``coefficients`` (scaled to least margin 1), ``singular_values`` (rho, scaled alike),
        ``multipliers`` (mu_i, positive on the support vectors), ``finite`` (what the losing coordinates of rho tend
        to, infinite for the winning ones; None when they depend on the whole trajectory), ``blocks`` (unit vectors,
        where the signs or phases of the start fix them). A note says how the stationary point was chosen.

    Raises
    ------
    HypothesisFails, NotConverged
    Undecided
        A tie, or a race too close to call, with what would decide it.

    Accuracy
    --------
    All digits of the stationary point are certified by its own equations. *Which* point it is comes from theory for L
    = 2 and for one sample, else from the integrated flow, read once its conditions hold with a gap.

    Source
    ------
    arXiv:2010.02501v3, Theorem 2; derivations/theorem_2.py for the winner.

    Examples
    --------
    >>> import symbias as sb
    >>> net = sb.Diagonal(dim=2, depth=3)
    >>> start = sb.Initialization.theorem_5(net, alpha="0.5", eta=[3, 1])
    >>> prediction = sb.predict(sb.Classification(net, [[1, 2]], [1], start), digits=20)
    >>> [str(z) for z in prediction.coefficients], str(prediction.finite[1])
    (['1.0', '0.0'], '0.866025403784439')
    """
    began = time.perf_counter()
    records = THEOREM.require(problem, outside)
    if any(h.margin is None or h.name.startswith("v̄_l in the span") for h in failures(records)):
        THEOREM.require(problem)
    return prediction(direction(problem, digits), problem, STATEMENT, records, digits, began)


THEOREM = Theorem(STATEMENT, hypotheses, predict, derive=classification_derivation.theorem_2)

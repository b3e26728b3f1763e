"""The difference of powers of Woodworth et al. (2020): x^T (w_+^L - w_-^L) from w_+(0) = w_-(0) = alpha w̄ ends at an
argmin.

With a = alpha |w̄|: depth 2 minimises sum_j a_j^2 q(beta_j / a_j^2), q(z) = 2 - sqrt(4 + z^2) + z asinh(z/2)
(hypentropy); depth L >= 3 minimises sum_j a_j^2 q_L(beta_j / a_j^L), q_L = int h^{-1}, h(z) = (1-z)^{-L/(L-2)} -
(1+z)^{-L/(L-2)} on (-1, 1). At depth 2 this is Theorem 5's potential with 2 a in place of a.
"""

import time
from dataclasses import replace
from typing import Any

import numpy as np

from symbias import exact
from symbias.initialization import Initialization
from symbias.networks import Diagonal
from symbias.numeric.minimize import TOLERANCE, held_by_floats
from symbias.numeric.minimize_precise import argmin_precise
from symbias.numeric.misfit import misfit
from symbias.numeric.powers import PowerCurves
from symbias.precision import context, public
from symbias.problem import Problem, Regression
from symbias.theorems import theorem_5
from symbias.theorems.prediction import Prediction
from symbias.theorems.spectral import exactly_given
from symbias.theorems.statement import Hypothesis, Statement, Theorem
from symbias.verdict import Residual

STATEMENT = Statement(
    id="difference_of_powers",
    title="Difference of powers",
    text="x^T (w_+^L - w_-^L) from equal blocks ends at the minimum of a potential between weighted l1 and weighted l2",
    assumptions=("regression, n <= d, X of full row rank", "w̄_+ = w̄_- = w̄", "|w̄_j| >= lambda > 0"),
    formula=r"\beta(\infty) = \arg\min_{X \beta = y} \sum_j \alpha^2 \bar w_j^2"
    r" q_L\left(\frac{\beta_j}{\alpha^L \bar w_j^L}\right)",
    sources=("woodworth2020", "yun2021"),
    place="Woodworth et al. (2020), Theorems 1 and 3; derivations/difference_of_powers.py",
)

#: Digits behind a float64 prediction whose minimum float64 does not hold.
_FLOAT_DIGITS = 20
_EQUAL_EXACT, _EQUAL_FLOAT = 1e-40, 64 * np.finfo(float).eps


def hypotheses(problem: Problem) -> tuple[Hypothesis, ...]:
    """Check that the two blocks start equal, with no zero entry."""
    regression, name = problem.task == "regression", problem.network.name
    right, asked = name == "difference_of_powers", f"the task is {problem.task}"
    first = (
        Hypothesis("regression", regression, None, "" if regression else asked, "use sb.Regression"),
        Hypothesis("difference of powers", right, None, "" if right else f"it is {name}", "use sb.DifferenceOfPowers"),
    )
    if not (regression and right):
        return first
    ctx = context(50) if exactly_given(problem) else None
    plus, minus = (problem.start().direction(layer, ctx) for layer in (0, 1))
    scale = max(np.abs(plus).max(), np.abs(minus).max())
    apart = float(np.abs(plus - minus).max() / scale) if scale else 0.0
    smallest = min(np.abs(plus).min(), np.abs(minus).min())
    return (
        *first,
        Hypothesis(
            "w̄_+ = w̄_-", apart <= (_EQUAL_EXACT if ctx else _EQUAL_FLOAT), -apart, remedy="start both blocks alike"
        ),
        Hypothesis("|w̄_j| >= lambda > 0", bool(smallest > 0), float(smallest), remedy="give every entry a value"),
    )


def predict(problem: Problem, digits: int | None = None, outside: bool = False) -> Prediction:
    """Return the end of gradient flow on the difference of powers.

    Parameters
    ----------
    problem : Regression with a DifferenceOfPowers network, whose two directions are equal
    digits : int, optional
        Correct decimal digits; float64 when None.
    outside : bool
        There is no closed form outside the hypotheses, so this changes nothing.

    Returns
    -------
    Prediction
        ``coefficients``, ``blocks`` (w_+, w_-), ``potential``.

    Raises
    ------
    HypothesisFails, NotConverged

    Accuracy
    --------
    ``digits``: that many correct digits of every coefficient. Float64, against 20 digits on 247 random problems
    (d <= 12, depth <= 7, alpha 1e-60 .. 1e20): at most 2e-14 of the largest coefficient, 4e-12 of one however small,
    the median 4e-15. Where float64 cannot hold that, 20 digits are computed and rounded.

    Source
    ------
    Woodworth et al. (2020); derivations/difference_of_powers.py.

    Examples
    --------
    >>> import symbias as sb
    >>> net = sb.DifferenceOfPowers(dim=2, depth=3)
    >>> problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization(1, [[1, 1], [1, 1]]))
    >>> [str(z) for z in sb.predict(problem, digits=15).coefficients]
    ['0.198267062591912', '0.400866468704044']
    """
    began = time.perf_counter()
    records = THEOREM.require(problem)
    asked = (digits or _FLOAT_DIGITS) + 10
    ctx = context(asked + _reach(problem))
    curves = PowerCurves(ctx, problem.network.depth, np.abs(problem.start().blocks(ctx)[0]))
    minimum = held_by_floats(problem.X_float, problem.y_float, curves.low()) if digits is None else None
    fields = _end(problem, digits, curves, minimum, ctx.mpf(TOLERANCE)) if minimum else None
    if fields is None or any(residual.value > residual.tolerance for residual in fields["residuals"]):
        X, y = problem.data(ctx)
        fields = _end(problem, digits, curves, argmin_precise(X, y, curves, asked), ctx.mpf(10) ** (11 - asked))
    return Prediction(
        statement=STATEMENT,
        hypotheses=records,
        alpha=problem.start().alpha,
        digits=digits,
        notes=problem.note_on_floats(digits),
        **fields,
        seconds=time.perf_counter() - began,
    )


def _end(problem: Problem, digits: int | None, curves: PowerCurves, minimum, tolerance) -> dict[str, Any]:
    """beta, the blocks, the potential and the residuals."""
    ctx, depth, product = curves.ctx, problem.network.depth, problem.network.product
    X, y = problem.data(ctx)
    start = problem.start().blocks(ctx)
    beta, v = (exact.to_precise(part, ctx) for part in (minimum.rho, minimum.v))
    # At odd depth a negative pair is the positive pair with its signs and places exchanged.
    flipped = np.array([entry < 0 and depth % 2 == 1 for entry in start[0]])
    signs = np.where(start[0] < 0, -1, 1)
    plus, minus = curves.weights(v)
    blocks = (signs * np.where(flipped, minus, plus), signs * np.where(flipped, plus, minus))
    apart = np.abs(product.beta(blocks) - beta).max() / (np.abs(beta).max() or 1)
    before, after = _kept(depth, start), _kept(depth, blocks)

    def rounded(value):
        return public(value, digits) if digits else np.asarray(value, dtype=float)[()]

    return {
        "coefficients": rounded(beta),
        "blocks": tuple(rounded(block) for block in blocks),
        "potential": rounded(curves.potential(v)),
        "residuals": (
            Residual("X beta = y", misfit(X, beta, y), tolerance, "|X||beta| + |y|"),
            Residual("w_+^L - w_-^L = beta", apart, tolerance, "largest |beta|"),
            Residual("conserved quantities", max(np.abs(after - before) / before), tolerance, "each one"),
        ),
    }


def _kept(depth: int, blocks):
    """What each pair of weights conserves: w_+ w_- at depth 2, |w_+|^{2-L} + |w_-|^{2-L} beyond, scaled to order
    one.
    """
    plus, minus = (np.abs(block) for block in blocks)
    if depth == 2:
        return plus * minus
    return plus ** (2 - depth) + minus ** (2 - depth)


def _reach(problem: Problem) -> int:
    """Digits for the range of the weights: a^L on one side, a^{2-L} on the other."""
    log_a = problem.start().log_alpha() + np.log(np.abs(problem.start().direction(0)))
    return 40 + int(3 * problem.network.depth * np.abs(log_a).max() / np.log(10))


def limit(problem: Problem, alpha, digits: int | None = None) -> Prediction:
    """Return the limit of the minimum as alpha -> 0 or alpha -> oo.

    alpha -> 0: the minimum of sum |beta_j| |w̄_j|^{2-L}; alpha -> oo: of sum beta_j^2 / w̄_j^{2L-2}. Both are those of
    Theorem 5, whose potential has the same leading terms (and the same next one, where the minimum of the first is not
    unique).

    Raises
    ------
    BadInput, HypothesisFails, NotConverged

    Source
    ------
    Woodworth et al. (2020); derivations/difference_of_powers.py.
    """
    began = time.perf_counter()
    records = THEOREM.require(problem)
    network = Diagonal(problem.network.dim, problem.network.depth)
    start = Initialization.theorem_5(network, 1, problem.start().directions[0])
    end = theorem_5.limit(Regression(network, problem.X, problem.y, start), alpha, digits)
    return replace(
        end,
        statement=STATEMENT,
        hypotheses=records,
        singular_values=None,
        seconds=time.perf_counter() - began,
    )


THEOREM = Theorem(STATEMENT, hypotheses, predict, limit)

"""Any real start of an orthogonally decomposable network: no v_L = 0, unequal directions.

In eta_l = U_l^T v_l the differences eta_l^2 - eta_k^2 are conserved. Take in every coordinate the layer of the
smallest |eta_l(0)|, delta_l = eta_l(0)^2 - that one's square, z_0 = it times the signs of the others: rho = z prod
sqrt(z^2 + delta_l), and with F(z) = int_{z_0}^z dx / prod sqrt(x^2 + delta_l) the flow ends at the minimum of sum_j
rho_j F_j(z_j) - (z_j^2 - z_0j^2)/2 over X S^T rho = y. Where two layers tie at the smallest, rho_j keeps its sign;
where both are zero, rho_j stays 0. Regression: ``general_point``; classification: ``general_direction``.
"""

import time

import numpy as np

from symbias.errors import NotDecomposable
from symbias.precision import context
from symbias.problem import Problem
from symbias.theorems.beyond import general_direction, general_ends, general_point
from symbias.theorems.beyond.general_coordinates import coordinates, reach
from symbias.theorems.beyond.general_direction import kept_signs
from symbias.theorems.beyond.general_signs import room
from symbias.theorems.prediction import Prediction
from symbias.theorems.spectral import decomposition_of
from symbias.theorems.statement import Hypothesis, Statement, Theorem

STATEMENT = Statement(
    id="general_initialization",
    title="General initialization",
    text="from any real start an orthogonally decomposable network ends at the minimum of a potential of that start",
    assumptions=(
        "regression with n <= d and X of full row rank, or classification of separable data",
        "Assumption 1 with real S and U_l",
        "every v̄_l in the span of U_l",
        "X S^T rho = y (classification: y_i x_i^T S^T rho > 0) has a solution with the signs that tied layers keep",
    ),
    formula=r"\rho^* = \arg\min_{X S^T \rho = y} \sum_j \rho_j F_j(z_j) - \tfrac{1}{2} (z_j^2 - z_{0j}^2), \;"
    r" \rho_j = z_j \prod_{l \ne l^*} \sqrt{z_j^2 + \delta_{lj}}",
    place="beyond the paper; derivations/general_initialization.py",
)

#: Digits of the hypotheses.
_CHECK_DIGITS = 50
#: Relative deviation of v̄_l from the span of U_l that is rounding: of floats, and of exact directions in 50 digits.
_SPAN_FLOAT, _SPAN_EXACT = 64 * np.finfo(float).eps, 1e-40


def hypotheses(problem: Problem) -> tuple[Hypothesis, ...]:
    """Check the decomposition, the span, and whether the frozen signs leave a solution (by a linear program)."""
    deep = Hypothesis("depth >= 2", problem.network.depth >= 2, None, remedy="use the statement linear")
    if not deep.holds:
        return (deep,)
    try:
        decomposition = decomposition_of(problem)
    except NotDecomposable as error:
        return (deep, Hypothesis("Assumption 1 with real S and U_l", False, None, str(error)))
    kind = f"{decomposition.kind} decomposition, m = {decomposition.terms}"
    ctx = context(_CHECK_DIGITS + reach(problem))
    found = coordinates(problem, ctx, floats=problem.task == "regression")
    size = max(np.abs(problem.start().direction(layer, ctx)).max() for layer in range(problem.network.depth))
    away = float(max(found.outside) / size) if size else 0.0
    exact = all(not hasattr(v, "dtype") or v.dtype == object for v in problem.start().directions)
    return (
        deep,
        Hypothesis("Assumption 1 with real S and U_l", True, None, kind),
        Hypothesis(
            "v̄_l in the span of U_l", away <= (_SPAN_EXACT if exact else _SPAN_FLOAT), 0.0 - away, remedy=_REMEDY
        ),
        room(problem, found) if problem.task == "regression" else kept_signs(problem),
    )


_REMEDY = "start in the span (convolution: even blocks; matrix sensing: diagonal in the common eigenbasis)"


def predict(problem: Problem, digits: int | None = None, outside: bool = False) -> Prediction:
    """Return the end of gradient flow from any real start: a point, or (classification) a direction.

    Parameters
    ----------
    problem : Regression or Classification
    digits : int, optional
        Correct decimal digits; float64 when None.
    outside : bool
        There is no closed form outside the hypotheses, so this changes nothing.

    Returns
    -------
    Prediction
        Regression: ``coefficients``, ``singular_values`` (rho), ``blocks``, ``potential``. Classification:
        ``direction``, ``coefficients`` and rho scaled to least margin 1, ``multipliers``, unit ``blocks``, and
        ``finite``, what the losing coordinates of rho tend to (None when they depend on the whole trajectory).

    Raises
    ------
    BadInput
        Float64 and alpha |eta_j| outside 1e-150 .. 1e150: ask for digits=.
    HypothesisFails
        Also where the signs kept by ties leave no solution: then the loss stalls.
    NotConverged, Undecided
        Undecided: classification, a race too close to call.

    Accuracy
    --------
    Regression, ``digits``: that many correct digits of every coordinate of rho that is not a rounding of 0. Float64,
    against 20 digits on 690 random problems (d <= 12, depth <= 6, alpha 1e-60 .. 1e20; diagonal, even convolution,
    matrix sensing; ties, zeros): at most 2e-13 of the largest coefficient, the median 7e-17, and 6e-12 of a coefficient
    however small; the potential to 2e-13. Where float64 cannot hold that, 20 digits are computed and rounded. A start
    far above y, such as alpha = 1e300, takes a minute.

    Source
    ------
    Beyond arXiv:2010.02501v3; derivations/general_initialization.py.

    Examples
    --------
    >>> import symbias as sb
    >>> start = sb.Initialization(1, [[1, 2], [1, 0], ["0.5", 3]])
    >>> problem = sb.Regression(sb.Diagonal(dim=2, depth=3), [[1, 2]], [1], start)
    >>> [str(z) for z in sb.predict(problem, digits=15).coefficients]
    ['0.505178956286344', '0.247410521856828']
    """
    began = time.perf_counter()
    records = THEOREM.require(problem)
    if problem.task == "classification":
        return general_direction.predict(problem, STATEMENT, records, digits, began)
    return general_point.predict(problem, STATEMENT, records, digits, began)


THEOREM = Theorem(STATEMENT, hypotheses, predict, limit=general_ends.limit)

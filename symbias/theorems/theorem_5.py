"""Theorem 5: regression on an orthogonally decomposable network ends at argmin Q over the global minima.

Assumption 1 with real S and U_l; v_l(0) = alpha v̄_l with |U_l^T v̄_l| = |η̄| for l < L, v_L(0) = 0, |η̄_j| >= lambda
> 0. Then the loss goes to 0 and beta -> S^T rho*, rho* = argmin Q(rho) s.t. X S^T rho = y. In n unknowns, with
a_j = alpha |η̄_j| and A = X S^T:  rho_j = a_j^L h_L(a_j^{L-2} (A^T nu)_j).
"""

import time
from dataclasses import replace

import numpy as np

from symbias.errors import NotDecomposable
from symbias.precision import context
from symbias.problem import Problem
from symbias.theorems import theorem_5_ends
from symbias.theorems.prediction import Prediction
from symbias.theorems.spectral import Frame, decomposition_of, exactly_given, frame
from symbias.theorems.statement import Hypothesis, Statement, Theorem
from symbias.theorems.theorem_5_derivation import derive
from symbias.theorems.theorem_5_solution import float_solution, precise_solution

STATEMENT = Statement(
    id="theorem_5",
    title="Theorem 5",
    text="gradient flow on an orthogonally decomposable network ends at the minimiser of Q among the global minima",
    assumptions=(
        "regression, n <= d, X of full row rank",
        "Assumption 1 with real S and U_l",
        "|U_l^T v̄_l| = |η̄| for every l < L",
        "v̄_L = 0",
        "|η̄_j| >= lambda > 0",
    ),
    formula=r"\beta(\infty) = S^T \rho^*, \; \rho^* = \arg\min_{X S^T \rho = y} \alpha^2 \sum_j \bar\eta_j^2"
    r" H_L\left(\frac{\rho_j}{\alpha^L |\bar\eta_j|^L}\right)",
    place="section 5.1, proof in appendix F",
)

#: Digits in which hypotheses are checked when all inputs are exact, and the largest deviation from an equality then.
_CHECK_DIGITS, _EXACT_TOLERANCE = 50, 1e-40
#: The same for float inputs: 64 roundings of numbers of order one.
_FLOAT_TOLERANCE = 64 * np.finfo(float).eps


def hypotheses(problem: Problem) -> tuple[Hypothesis, ...]:
    """Check the hypotheses of Theorem 5, each with its margin.

    Equalities (v̄_L = 0, equal spectra) are checked to 40 digits when data and directions are exact, to 64 eps when
    they are floats; the margin of an equality is minus the largest relative deviation.
    """
    regression = problem.task == "regression"
    first = Hypothesis(
        "regression", regression, None, "" if regression else f"the task is {problem.task}", "use sb.Regression"
    )
    if not regression:
        return (first,)
    if problem.network.depth < 2:
        return (first, Hypothesis("depth >= 2", False, None, "it is a linear model", "use the statement linear"))
    try:
        decomposition = decomposition_of(problem)
    except NotDecomposable as error:
        return (first, Hypothesis("Assumption 1 with real S and U_l", False, None, str(error)))
    assumption = Hypothesis(
        "Assumption 1 with real S and U_l", True, None, f"{decomposition.kind} decomposition, m = {decomposition.terms}"
    )
    precise = exactly_given(problem)
    coordinates = frame(problem, context(_CHECK_DIGITS) if precise else None)
    tolerance = _EXACT_TOLERANCE if precise else _FLOAT_TOLERANCE
    return (first, assumption, *_on_the_start(problem, coordinates, tolerance))


def _on_the_start(problem: Problem, coordinates: Frame, tolerance: float) -> tuple[Hypothesis, ...]:
    """The hypotheses on the initial directions."""
    depth, eta = problem.network.depth, [np.abs(e) for e in coordinates.eta]
    scale = max(eta[0].max(), coordinates.outside[0])
    seen = max(coordinates.outside[: depth - 1])
    last = max(eta[-1].max(), coordinates.outside[-1])
    spread = max((np.abs(e - eta[0]).max() for e in eta[1 : depth - 1]), default=0 * scale)
    smallest = eta[0].min()

    def equality(name: str, deviation, remedy: str) -> Hypothesis:
        relative = float(deviation / scale) if scale else 0.0
        return Hypothesis(name, relative <= tolerance, 0.0 - relative, remedy=remedy)

    return (
        equality("v̄_l in the span of U_l for l < L", seen, "start from sb.Initialization.theorem_5"),
        equality("|U_l^T v̄_l| equal for all l < L", spread, "give every block but the last the same spectrum"),
        equality("v̄_L = 0", last, "set the last direction to zero, or use general_initialization"),
        Hypothesis(
            "|η̄_j| >= lambda > 0",
            bool(smallest > tolerance * scale),
            float(smallest),
            remedy="make every coordinate of U_1^T v̄_1 nonzero",
        ),
    )


def predict(problem: Problem, digits: int | None = None, outside: bool = False) -> Prediction:
    """Return the limit of gradient flow by Theorem 5, verified.

    Parameters
    ----------
    problem : Regression
    digits : int, optional
        Correct decimal digits; float64 when None.
    outside : bool
        Theorem 5 has no closed form outside its hypotheses, so this changes nothing.

    Returns
    -------
    Prediction
        ``coefficients`` (beta), ``singular_values`` (rho, beta = S^T rho), ``blocks`` (v_l at the limit),
        ``potential`` (Q).

    Raises
    ------
    HypothesisFails, NotConverged

    Source
    ------
    arXiv:2010.02501v3, Theorem 5.
    """
    began = time.perf_counter()
    records = THEOREM.require(problem)
    found = float_solution(problem) if digits is None else precise_solution(problem, digits)
    notes = problem.note_on_floats(digits)
    prediction = Prediction(
        statement=STATEMENT,
        hypotheses=records,
        alpha=problem.start().alpha,
        digits=digits,
        notes=notes + found.pop("notes"),
        **found,
    )
    return replace(prediction, seconds=time.perf_counter() - began)


def limit(problem: Problem, alpha, digits: int | None = None) -> Prediction:
    """Return the limit of Theorem 5's limit points as alpha -> 0 or alpha -> oo; see ``theorem_5_ends.limit``."""
    return theorem_5_ends.limit(THEOREM, problem, alpha, digits)


THEOREM = Theorem(STATEMENT, hypotheses, predict, limit, derive)

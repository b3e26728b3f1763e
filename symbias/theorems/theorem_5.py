"""Theorem 5: regression on an orthogonally decomposable network ends at argmin Q over the global minima.

Assumption 1 with real S and U_l; v_l(0) = alpha v̄_l with |U_l^T v̄_l| = |η̄| for l < L, v_L(0) = 0, |η̄_j| >= lambda
> 0. Then the loss goes to 0 and beta -> S^T rho*, rho* = argmin Q(rho) s.t. X S^T rho = y. In n unknowns, with
a_j = alpha |η̄_j| and A = X S^T:  rho_j = a_j^L h_L(a_j^{L-2} (A^T nu)_j).
"""

import time
from dataclasses import replace

import numpy as np
import sympy

from symbias import exact
from symbias.errors import BadInput, NotDecomposable
from symbias.functions import potential
from symbias.numeric.minimize import argmin_potential
from symbias.precision import context, public
from symbias.problem import Problem
from symbias.theorems.prediction import Prediction
from symbias.theorems.spectral import Frame, decomposition_of, exact_frame, exactly_given, frame
from symbias.theorems.statement import Hypothesis, Statement, Theorem
from symbias.theorems.theorem_5_derivation import derive
from symbias.verdict import Residual

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
    found = _float_limit(problem) if digits is None else _precise_limit(problem, digits)
    notes = problem.note_on_floats(digits)
    prediction = Prediction(
        statement=STATEMENT,
        hypotheses=records,
        alpha=problem.start().alpha,
        digits=digits,
        notes=notes + tuple(n for n in found.pop("notes") if n),
        **found,
    )
    return replace(prediction, seconds=time.perf_counter() - began)


def _float_limit(problem: Problem) -> dict:
    """The limit in float64."""
    coordinates = frame(problem)
    eta = np.abs(coordinates.eta[0])
    log_a = problem.start().log_alpha() + np.log(eta)
    minimum = argmin_potential(coordinates.A, problem.y_float, log_a, problem.network.depth)
    return _assembled(problem, coordinates, minimum, problem.start().scale(), None, 1e-12)


def _precise_limit(problem: Problem, digits: int) -> dict:
    """The limit to ``digits`` digits of every coordinate of rho *and* of beta, perhaps a small sum of large terms."""
    found, guard = {}, 10
    for _ in range(2):
        asked = digits + guard
        ctx = context(asked + _reach(problem))
        coordinates = frame(problem, ctx)
        scale = problem.start().scale(ctx)
        a = scale * np.abs(coordinates.eta[0])
        minimum = argmin_potential(coordinates.A, problem.data(ctx)[1], None, problem.network.depth, digits=asked, a=a)
        found = _assembled(problem, coordinates, minimum, scale, ctx, ctx.mpf(10) ** (1 - digits), digits)
        lost = _cancelled(found["coefficients"], asked)
        if lost <= guard - 2:
            break
        guard = lost + 10
    for name in ("coefficients", "singular_values"):
        found[name] = public(found[name], digits)
    found["blocks"] = tuple(public(block, digits) for block in found["blocks"])
    return found


def _reach(problem: Problem) -> int:
    """Digits that the scales alpha^L and eta^L take up on top of the digits asked for."""
    log_a = problem.start().log_alpha() + np.log(np.abs(frame(problem).eta[0]))
    return 40 + int(2 * problem.network.depth * np.abs(log_a).max() / np.log(10))


def _cancelled(beta: np.ndarray, digits: int) -> int:
    """How many digits the smallest coefficient lost against the largest; below 10^-digits it counts as zero."""
    sizes = [abs(b) for b in beta.ravel()]
    top = max(sizes)
    seen = [s for s in sizes if top and s > top * 10.0 ** -min(digits, 300)]
    return int(np.ceil(float(np.log10(float(top / min(seen)))))) if seen else 0


def _assembled(problem: Problem, coordinates: Frame, minimum, scale, ctx, tolerance, digits=None) -> dict:
    """beta, the blocks and the residuals of beta against the data and of the blocks against beta."""
    depth, S = problem.network.depth, coordinates.decomposition
    rho, q = (v if ctx is None else exact.to_precise(v, ctx) for v in (minimum.rho, minimum.root))
    beta = S.adjoint(rho, ctx)
    signs = [np.where(e < 0, -1, 1) for e in coordinates.eta[:-1]]
    a = scale * np.abs(coordinates.eta[0])
    etas = [sign * a * (1 + q * q) ** _half(ctx) for sign in signs] + [np.prod(signs, axis=0) * a * q]
    blocks = tuple(
        S.block(eta, layer, ctx).reshape(problem.network.block_shapes[layer]) for layer, eta in enumerate(etas)
    )
    beta = beta.reshape(problem.network.input_shape)
    eta = np.abs(coordinates.eta[0])
    return {
        "coefficients": beta,
        "singular_values": rho,
        "blocks": blocks,
        "potential": potential(rho, depth=depth, alpha=scale, eta=eta, digits=digits),
        "residuals": (*minimum.residuals, *_own_residuals(problem, beta, blocks, ctx, tolerance)),
        "notes": (minimum.note,),
    }


def _half(ctx):
    return 0.5 if ctx is None else ctx.mpf(1) / 2


def _own_residuals(problem: Problem, beta, blocks, ctx, tolerance: float) -> tuple[Residual, ...]:
    """X beta = y on the data as given, and the product of the blocks against beta."""
    X, y = problem.data(ctx)
    rows, flat = X.reshape(len(y), -1), beta.ravel()
    misfit = np.abs(rows @ flat - y) / (np.abs(rows) @ np.abs(flat) + np.abs(y) + (flat == 0).all())
    product = np.abs(problem.network.product.beta(blocks).ravel() - flat).max()
    size = np.abs(flat).max()
    return (
        Residual("X beta = y", misfit.max(), tolerance, "|X||beta| + |y|"),
        Residual("product of the blocks = beta", product / size if size else product, tolerance, "largest |beta|"),
    )


def limit(problem: Problem, alpha, digits: int | None = None) -> Prediction:
    """Return the limit of Theorem 5's limit points as alpha -> 0 or alpha -> oo.

    alpha -> 0: the minimum of sum |rho_j| |η̄_j|^{2-L} (depth 2: of the unweighted l1 norm); ties are broken by the
    next order. alpha -> oo: the minimum of sum rho_j^2 / η̄_j^{2L-2}.

    Parameters
    ----------
    problem : Regression
    alpha : 0 or oo (``sympy.oo``, ``float("inf")``)
    digits : int, optional

    Raises
    ------
    BadInput, HypothesisFails, NotConverged

    Source
    ------
    arXiv:2010.02501v3, Theorem 5; the orders in derivations/theorem_5.py.
    """
    from symbias.numeric.alpha_zero import alpha_zero_limit
    from symbias.numeric.weighted_l2 import weighted_l2

    began = time.perf_counter()
    records = THEOREM.require(problem)
    end = sympy.sympify(alpha)
    if end not in (0, sympy.oo):
        raise BadInput(f"a limit in alpha is at 0 or oo, not at {alpha}: for a given alpha call sb.predict")
    ctx = None if digits is None else context(digits + 60)
    decomposition, depth = decomposition_of(problem), problem.network.depth
    A, eta = exact_frame(problem, decomposition, ctx)
    more = None if digits is None else digits + 10
    if end == 0:
        found = alpha_zero_limit(A, problem.y, np.abs(eta), depth, digits=more)
    else:
        found = weighted_l2(A, problem.y, np.abs(eta) ** (2 - 2 * depth), digits=more)
    rho = found.rho if ctx is None else exact.to_precise(found.rho, ctx)
    beta = decomposition.adjoint(rho, ctx).ravel()
    X, y = problem.data(ctx)
    X, size = X.reshape(problem.samples, -1), np.abs(beta)
    misfit = np.abs(X @ beta - y) / (np.abs(X) @ size + np.abs(y) + (beta == 0).all())
    tolerance = 1e-12 if ctx is None else ctx.mpf(10) ** (1 - digits)
    residuals = (*found.residuals, Residual("X beta = y", misfit.max(), tolerance, "|X||beta| + |y|"))
    rounded = (lambda v: v) if digits is None else (lambda v: public(v, digits))
    return Prediction(
        statement=STATEMENT,
        hypotheses=records,
        residuals=residuals,
        alpha=end,
        coefficients=rounded(beta).reshape(problem.network.input_shape),
        singular_values=rounded(rho),
        digits=digits,
        notes=problem.note_on_floats(digits) + tuple(n for n in (found.note,) if n),
        seconds=time.perf_counter() - began,
    )


THEOREM = Theorem(STATEMENT, hypotheses, predict, limit, derive)

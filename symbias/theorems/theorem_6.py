"""Theorem 6: depth 2, one sample, any linear tensor network: the end of gradient flow in closed form.

M(x) = U_1 diag(s) U_2^T, η̄_l = U_l^T v̄_l, η̄_1j^2 - η̄_2j^2 >= lambda > 0. In nu = -int r dt the flow is linear,
and ends at nu = g^{-1}(y / alpha^2), g(nu) = sum_j s_j ((η̄_1j^2 + η̄_2j^2)/2 sinh(2 s_j nu) + η̄_1j η̄_2j cosh(2 s_j
nu)): v_1 -> alpha U_1 (η̄_1 cosh(nu s) + η̄_2 sinh(nu s)) + alpha (I - U_1 U_1^T) v̄_1, and v_2 likewise with 1 and 2
exchanged.
"""

import time
from typing import Any

import numpy as np
import sympy

from symbias.errors import BadInput, HypothesisFails
from symbias.precision import context, public
from symbias.problem import Problem
from symbias.theorems.prediction import Prediction
from symbias.theorems.spectral import exactly_given
from symbias.theorems.statement import Hypothesis, Statement, Theorem
from symbias.theorems.tangent import linearised
from symbias.theorems.theorem_6_derivation import derive
from symbias.theorems.theorem_6_solution import (
    FLOAT_ZERO,
    Coordinates,
    at_the_end,
    coordinates,
    margin_of,
    root_of,
    winners,
)
from symbias.verdict import Residual, short

STATEMENT = Statement(
    id="theorem_6",
    title="Theorem 6",
    text="depth 2, one sample: flow on any linear tensor network ends at a point in closed form, by the SVD of M(x)",
    assumptions=(
        "regression, n = 1, L = 2",
        "M(x) = U_1 diag(s) U_2^T, η̄_l = U_l^T v̄_l",
        "η̄_1j^2 - η̄_2j^2 >= lambda > 0 for every j",
    ),
    formula=r"v_1(\infty) = \alpha U_1 (\bar\eta_1 \odot \cosh(\nu s) + \bar\eta_2 \odot \sinh(\nu s))"
    r" + \alpha (I - U_1 U_1^T) \bar v_1,"
    r" \; \nu = g^{-1}(y / \alpha^2)",
    place="section 5.2, proof in appendix G",
)

_MARGIN = "η̄_1j^2 - η̄_2j^2 >= lambda > 0"
#: Digits in which hypotheses are checked when all inputs are exact, and what counts as zero then and for floats.
_CHECK_DIGITS, _EXACT_ZERO = 50, 1e-40
#: Entries of M(x) up to which exact inputs are checked in 50 digits, and solved in 17; beyond, in float64.
_CHECK_ENTRIES = 2_000

#: Digits in which a small exact problem is solved for float64; the logarithms of the largest entry of alpha v̄_l whose
#: square is a float with room for sums, and of the inverse of the smallest nu that has all its digits.
_FLOAT_DIGITS, _LARGEST, _SMALLEST = 17, np.log(1e150), np.log(1e300)


def hypotheses(problem: Problem) -> tuple[Hypothesis, ...]:
    """Check the hypotheses of Theorem 6, each with its margin.

    The margin of the last one is lambda: min_j η̄_1j^2 - η̄_2j^2 over the nonzero singular values. Singular vectors
    of a value of multiplicity m may be rotated; the best basis gives every one of them the mean (|η̄_1|^2 - |η̄_2|^2)
    / m of the subspace (Schur-Horn), which is what is reported.
    """
    regression, depth, n = problem.task == "regression", problem.network.depth, problem.samples
    first = (
        Hypothesis(
            "regression", regression, None, "" if regression else f"the task is {problem.task}", "use sb.Regression"
        ),
        Hypothesis(
            "depth 2", depth == 2, None, "" if depth == 2 else f"the depth is {depth}", "use a network of depth 2"
        ),
        Hypothesis("one sample", n == 1, None, "" if n == 1 else f"there are {n} samples", "keep one sample"),
    )
    if not all(h.holds for h in first):
        return first
    if problem.network.name == "difference_of_powers":
        return (
            *first,
            Hypothesis("a linear tensor network", False, None, "its weights are tied", "use difference_of_powers"),
        )
    found = coordinates(problem, _check_context(problem))
    margin, size = margin_of(found), max(np.abs(e).max() for e in found.eta)
    margin = margin if abs(margin) > (FLOAT_ZERO if found.ctx is None else _EXACT_ZERO) else 0 * margin
    holds = bool(margin > 0)
    detail = "" if holds else _without(problem, found)
    remedy = "make v̄_1 larger than v̄_2 in every singular direction of M(x)"
    return (*first, Hypothesis(_MARGIN, holds, float(margin * size) * float(size), detail, remedy))


def _small(problem: Problem) -> bool:
    return bool(np.prod([np.prod(shape) for shape in problem.network.block_shapes]) <= _CHECK_ENTRIES)


def _check_context(problem: Problem):
    small = _small(problem) or problem.network.name == "fully_connected"
    return context(_CHECK_DIGITS) if small and exactly_given(problem) else None


def _without(problem: Problem, found: Coordinates) -> str:
    """What happens although the hypothesis fails."""
    if root_of(problem, found) is not None:
        return (
            "the condition is sufficient, not necessary: the loss goes to 0 here too, and outside=True gives the limit"
        )
    sign, loss = "-" if problem.y[0] > 0 else "", short(float(problem.y[0] ** 2 / 2))
    return f"the flow stalls: η̄_1 = {sign}η̄_2 for every s_j > 0, so f -> 0 and the loss -> y^2/2 = {loss}"


def predict(problem: Problem, digits: int | None = None, outside: bool = False) -> Prediction:
    """Return the limit of gradient flow by Theorem 6, verified.

    Parameters
    ----------
    problem : Regression with one sample and a network of depth 2
    digits : int, optional
        Correct decimal digits; float64 when None.
    outside : bool
        Give the closed form wherever g reaches y / alpha^2, although the hypothesis on the start fails (``applies``
        False).

    Returns
    -------
    Prediction
        ``coefficients`` (beta of the blocks), ``blocks``, ``singular_values`` (rho_j = η_1j η_2j, f = sum_j s_j rho_j).

    Raises
    ------
    BadInput
        Float64 with alpha |v̄_l| above 1e150, or a y / alpha^2 below its range (ask for digits=).
    HypothesisFails
        The margin is not positive; with ``outside``, only where the flow stalls (it says at which loss).
    NotConverged

    Accuracy
    --------
    Float64: 1e-12 of the largest entry, for 1e-160 <= alpha <= 1e100; an entry smaller than that keeps its digits in
    the digits= path. Unless the problem is small and exact, an entry of the start below 256 eps of its largest counts
    as 0. alpha, y and s enter by logarithms, so that y / alpha^2 may overflow.

    Source
    ------
    arXiv:2010.02501v3, Theorem 6; derivations/theorem_6.py.
    """
    began = time.perf_counter()
    records = THEOREM.require(problem, outside)
    if len(records) < 4:
        THEOREM.require(problem)  # the margin can be given up, the shape of the problem cannot
    # Small exact problems are solved with digits to spare for float64 too: no entry of the start passes for rounding.
    precise = digits is not None or (_small(problem) and exactly_given(problem))
    ctx = context((digits or _FLOAT_DIGITS) + _reach(problem)) if precise else None
    found = coordinates(problem, ctx)
    root = root_of(problem, found)
    if digits is None:
        _within_floats(problem, root)
    if root is None:
        raise HypothesisFails(f"{STATEMENT.title} has no limit to give: {_without(problem, found)}", records)
    eta = at_the_end(problem, found, root)
    scale = problem.start().scale(ctx)
    blocks = tuple(found.decomposition.block(eta[layer], layer, ctx) + scale * found.rest[layer] for layer in (0, 1))
    beta = problem.network.product.beta(blocks)

    def rounded(values):
        if ctx is None:
            return values
        cleaned = public(without_rounding(ctx, values), digits or _FLOAT_DIGITS)
        return cleaned if digits else cleaned.astype(float)

    applies = all(h.holds for h in records)
    return Prediction(
        statement=STATEMENT,
        hypotheses=records,
        residuals=_residuals(problem, found, blocks, digits),
        alpha=problem.start().alpha,
        coefficients=rounded(beta),
        blocks=tuple(rounded(block) for block in blocks),
        singular_values=rounded(eta[0] * eta[1]),
        digits=digits,
        applies=applies,
        notes=problem.note_on_floats(digits) + (() if applies else (records[-1].detail,)),
        seconds=time.perf_counter() - began,
    )


def _reach(problem: Problem) -> int:
    """Digits on top of those asked: the parts of the blocks range from alpha to 1/alpha times their largest, and the
    start from its smallest entry to its largest.
    """
    start, ctx = problem.start(), context(15)
    sizes = [abs(e) for layer in (0, 1) for e in start.direction(layer, ctx).flat if e]
    span = float(ctx.log10(max(sizes) / min(sizes))) if sizes else 0.0
    return 40 + int(4 * abs(start.log_alpha()) / np.log(10) + 2 * span)


def _within_floats(problem: Problem, root) -> None:
    """Refuse what float64 cannot hold: blocks whose products overflow, and a nu that underflows."""
    start = problem.start()
    entries = max(np.abs(start.direction(layer)).max() for layer in (0, 1))
    largest = start.log_alpha() + (np.log(entries) if entries else 0.0)
    if largest > _LARGEST:
        raise BadInput(
            f"alpha |v̄_l| reaches 10^{largest / np.log(10):+.0f}, too far for float64: ask for digits, e.g. digits=15"
        )
    if root is not None and -np.inf < root.log_nu < -_SMALLEST:
        raise BadInput("y / alpha^2 is too small for float64: ask for digits, e.g. digits=15")


def _residuals(problem: Problem, found: Coordinates, blocks, digits) -> tuple[Residual, ...]:
    """The output and the conserved quantities, from the blocks alone, without the singular vectors."""
    ctx, network = found.ctx, problem.network
    X, y = problem.data(ctx)
    tolerance = 1e-12 if digits is None else ctx.mpf(10) ** (1 - digits)
    scale = problem.start().scale(ctx)
    started = [scale * problem.start().direction(layer, ctx) for layer in (0, 1)]
    # In units of the largest entry: squares of blocks of size 1e-200 or 1e200 are outside the range of floats.
    unit = max(np.abs(v).max() for v in (*started, *blocks)) or 1
    started, ended = ([v / unit for v in group] for group in (started, blocks))
    size = max((v * v).sum() for v in (*started, *ended)) or 1
    missed = abs((X[0] * network.product.beta(ended)).sum() - y[0] / unit / unit)
    weight = found.s[0] * size + abs(y[0]) / unit / unit
    change = max(
        np.abs(before - after).max()
        for before, after in zip(network.product.invariants(started), network.product.invariants(ended), strict=True)
    )
    return (
        Residual("f(x; blocks) = y", missed / weight, tolerance, "s_1 |v|^2 + |y|"),
        Residual("conserved quantities", change / size, tolerance, "largest |v_l|^2"),
    )


def without_rounding(ctx, values: np.ndarray) -> np.ndarray:
    """The values with entries that are nothing but rounding, against the largest, put to zero."""
    noise = np.abs(values).max() * ctx.mpf(10) ** (15 - ctx.dps)
    return np.where(np.abs(values) <= noise, ctx.zero, values)


def limit(problem: Problem, alpha, digits: int | None = None) -> Prediction:
    """Return the limit of Theorem 6's limit points as alpha -> 0 or alpha -> oo.

    alpha -> 0: only the largest singular value with η̄_1 + sign(y) η̄_2 nonzero on its subspace is left,
    v_1 -> sqrt(|y|/s) U_1 e, v_2 -> sign(y) sqrt(|y|/s) U_2 e with e the unit vector along η̄_1 + sign(y) η̄_2 there.
    alpha -> oo: exists where v̄_1^T M(x) v̄_2 = 0 and beta(v̄) = 0; it is that of the model linearised at the start.

    Raises
    ------
    BadInput, HypothesisFails

    Source
    ------
    arXiv:2010.02501v3, Theorem 6; derivations/theorem_6.py.
    """
    began = time.perf_counter()
    records = THEOREM.hypotheses(problem)
    if len(records) < 4:
        THEOREM.require(problem)
    end = sympy.sympify(alpha)
    if end not in (0, sympy.oo):
        raise BadInput(f"a limit in alpha is at 0 or oo, not at {alpha}: for a given alpha call sb.predict")
    ctx: Any = None if digits is None else context(digits + 40)
    found = coordinates(problem, ctx)
    blocks, beta = (None, linearised(problem, ctx)) if end == sympy.oo else _small_alpha(problem, found, records)
    X, y = problem.data(ctx)
    weight = (np.abs(X[0]) * np.abs(beta)).sum() + abs(y[0])
    misfit = abs((X[0] * beta).sum() - y[0]) / (weight or 1)
    rounded = (lambda v: v) if digits is None else (lambda v: public(without_rounding(ctx, v), digits))
    tolerance = 1e-12 if digits is None else ctx.mpf(10) ** (1 - digits)
    applies = all(h.holds for h in records)
    return Prediction(
        statement=STATEMENT,
        hypotheses=records,
        residuals=(Residual("x^T beta = y", misfit, tolerance, "|x||beta| + |y|"),),
        alpha=end,
        coefficients=rounded(beta),
        blocks=blocks and tuple(rounded(block) for block in blocks),
        digits=digits,
        applies=applies,
        notes=problem.note_on_floats(digits) + (() if applies else (records[-1].detail,)),
        seconds=time.perf_counter() - began,
    )


def _small_alpha(problem: Problem, found: Coordinates, records):
    """Blocks and beta for alpha -> 0."""
    ctx, y = found.ctx, problem.data(found.ctx)[1][0]
    growing, sign = winners(found, y), 1 if y >= 0 else -1
    if y and not growing:
        raise HypothesisFails(f"{STATEMENT.title} has no limit to give: {_without(problem, found)}", records)
    eta = 0 * found.s
    if y:
        part = found.plus if sign > 0 else found.minus
        chosen = [j in growing for j in range(len(eta))]
        size = sum(part[j] ** 2 for j in growing)
        root = np.sqrt if ctx is None else ctx.sqrt
        eta = np.where(chosen, part, eta) * root(abs(y) / found.s[growing[0]] / size)
    blocks = tuple(found.decomposition.block(e, layer, ctx) for layer, e in enumerate((eta, sign * eta)))
    return blocks, problem.network.product.beta(blocks)


THEOREM = Theorem(STATEMENT, hypotheses, predict, limit, derive)

"""Corollary 4: the convolution of two layers with a short filter, one sample: a filtered version of the sample, in
closed form.

M(x)[j_1, j_2] = x_{j_1 + j_2} and the Gram matrix M M^T is the autocorrelation of x. Filter 1: its only entry is |x|^2.
Filter 2: [[|x|^2, x^T x<-], [x^T x<-, |x|^2]], with eigenvalues |x|^2 ± x^T x<- and eigenvectors (1, ±1)/sqrt 2.
"""

import time
from fractions import Fraction

import numpy as np
import sympy

from symbias import exact
from symbias.precision import context, public
from symbias.problem import Problem
from symbias.theorems import classification_derivation, theorem_3
from symbias.theorems.prediction import Prediction
from symbias.theorems.statement import Hypothesis, Statement, Theorem, failures
from symbias.verdict import Residual

STATEMENT = Statement(
    id="corollary_4",
    title="Corollary 4",
    text="two-layer convolution, one sample: filter 1 gives beta ∝ y x, filter 2 a low-pass or a high-pass filtered x",
    assumptions=(
        "classification, one sample, convolution with L = 2 and k_1 = 1 or 2",
        "the hypothesis of Theorem 3",
        "k_1 = 2: x^T x<- != 0",
    ),
    formula=r"k_1 = 1: \beta \propto y x; \quad k_1 = 2: "
    r"\beta \propto y\,(2x + \sigma(\overleftarrow{x} + \overrightarrow{x})),"
    r" \; \sigma = \mathrm{sign}(x^\top \overleftarrow{x})",
    place="appendix A.3, proof in appendix E",
)


def hypotheses(problem: Problem) -> tuple[Hypothesis, ...]:
    """Check the hypotheses: the network, those of Theorem 3, and that x^T x<- decides (margin |x^T x<-| / |x|^2)."""
    convolution = problem.network.name == "convolutional" and problem.network.filters[0] <= 2  # type: ignore[attr-defined]
    seen = f"it is {problem.network.name}" if problem.network.name != "convolutional" else "its filter is longer"
    first = Hypothesis(
        "convolution with filter 1 or 2", convolution, None, "" if convolution else seen, "see theorem_3 (depth 2)"
    )
    if not convolution:
        return (first,)
    records = (first, *theorem_3.hypotheses(problem))
    if problem.network.filters[0] == 1 or any(h.margin is None for h in failures(records)):  # type: ignore[attr-defined]
        return records
    x, correlation = autocorrelation(problem)
    margin = float(abs(correlation) / (x @ x))
    detail = (
        "" if correlation else "x^T x<- = 0: both singular values are |x|, and the limit depends on the initialization"
    )
    decides = Hypothesis("x^T x<- != 0", bool(correlation), margin, detail, "theorem_3 gives the limit of a tie")
    return (*records, decides)


def autocorrelation(problem: Problem):
    """x and x^T x<-, exactly (mpf of 50 digits for irrational samples, where below 1e-40 |x|^2 is zero)."""
    x = exact.to_sympy(problem.X[0])
    if all(isinstance(entry, sympy.Rational) for entry in x):
        values = np.array([Fraction(int(entry.p), int(entry.q)) for entry in x], dtype=object)
        return values, values @ np.roll(values, -1)
    values = exact.to_precise(x, context(50))
    correlation = values @ np.roll(values, -1)
    return values, correlation if abs(correlation) > 1e-40 * (values @ values) else 0


def closed_form(x: np.ndarray, y: int, filter_length: int, sign: int) -> np.ndarray:
    """Return beta up to a positive factor: y x, or y (2 x + sign (x<- + x->)) with x<- = (x_2, .., x_d, x_1)."""
    if filter_length == 1:
        return y * x
    return y * (2 * x + sign * (np.roll(x, -1) + np.roll(x, 1)))


def predict(problem: Problem, digits: int | None = None, outside: bool = False) -> Prediction:
    """Return the limit direction by the closed form.

    Parameters
    ----------
    problem : Classification with one sample, convolution of depth 2 with filter 1 or 2
    digits : int, optional
    outside : bool
        Accept a start outside Theorem 3's margin; a tie x^T x<- = 0 is still refused.

    Returns
    -------
    Prediction
        ``direction``, ``coefficients`` (scaled to y x^T beta = 1), ``blocks`` (unit vectors).

    Raises
    ------
    HypothesisFails, NotConverged

    Source
    ------
    arXiv:2010.02501v3, Corollary 4; derivations/corollary_4.py.

    Examples
    --------
    >>> import symbias as sb
    >>> net = sb.Convolutional(dim=3, depth=2, filters=(2, 3))
    >>> problem = sb.Classification(net, [[1, 2, 3]], [1], sb.Initialization(1, [[2, 1], [0, 0, 0]]))
    >>> sb.predict(problem, theorem="corollary_4").coefficients
    array([0.14, 0.16, 0.18])
    """
    began = time.perf_counter()
    records = THEOREM.require(problem, outside)
    if any(h.margin is None or h.name == "x^T x<- != 0" for h in failures(records)):
        THEOREM.require(problem)
    length = problem.network.filters[0]  # type: ignore[attr-defined]
    y = int(problem.y[0])
    _, correlation = autocorrelation(problem) if length == 2 else (None, 1)
    sign = 1 if correlation > 0 else -1
    ctx = None if digits is None else context(digits + 30)
    x = problem.data(ctx)[0][0]
    beta = closed_form(x, y, length, sign)
    blocks = _blocks(problem, x, y, length, sign, ctx)
    top = y * (x @ beta)
    norm = theorem_3._norm(beta, ctx)
    network = problem.network.product.beta(blocks)
    # The blocks come from the singular vectors, beta from the closed form: 16 roundings, or 20 of the 30 digits kept.
    tolerance = 1e-14 if ctx is None else ctx.mpf(10) ** (10 - ctx.dps)
    aligned = np.abs(network / theorem_3._norm(network, ctx) - beta / norm).max()
    rounded = (lambda v: v) if digits is None else (lambda v: public(v, digits))
    return Prediction(
        statement=STATEMENT,
        hypotheses=records,
        residuals=(Residual("product of the blocks ∝ beta", aligned, tolerance, "1"),),
        alpha=problem.start().alpha,
        coefficients=rounded(beta / top),
        blocks=tuple(rounded(v) for v in blocks),
        direction=rounded(beta / norm),
        digits=digits,
        applies=not failures(records),
        notes=problem.note_on_floats(digits) + _notes(problem, length, sign),
        seconds=time.perf_counter() - began,
    )


def _blocks(problem, x, y, length, sign, ctx):
    """v_1 = ±1 or ±(1, sign)/sqrt 2, the sign from the start; v_2 = y M(x)^T v_1, normalised."""
    start = problem.start()
    v, z = start.direction(0, ctx), start.direction(1, ctx)
    first = np.array([1] if length == 1 else [1, sign])
    image = x if length == 1 else x + sign * np.roll(x, -1)
    first, image = first / theorem_3._norm(first * (x[:1] * 0 + 1), ctx), image / theorem_3._norm(image, ctx)
    grown = first @ v + y * (image @ z)
    side = 1 if grown >= 0 else -1
    return side * first, y * side * image


def _notes(problem, length, sign) -> tuple[str, ...]:
    if length == 1:
        return ("filter 1: the l2 maximum margin",)
    x, correlation = autocorrelation(problem)
    kind = "low-pass filter (x^T x<- > 0)" if sign > 0 else "high-pass filter (x^T x<- < 0)"
    deficient = abs(correlation) == x @ x
    named = f"x = {'' if sign > 0 else '-'}x<-: M(x) has rank one" if deficient else ""
    return tuple(note for note in (kind, named) if note)


THEOREM = Theorem(STATEMENT, hypotheses, predict, derive=classification_derivation.corollary_4)

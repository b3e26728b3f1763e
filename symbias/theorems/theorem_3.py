"""Theorem 3: depth 2, one sample, any linear tensor network: the blocks end at the top singular vectors of M(x).

M(x) = U_1 diag(s) U_2^T, eta_l = U_l^T v_l. Along the flow eta_1 + y eta_2 grows like exp(s nu) in each coordinate and
eta_1 - y eta_2 decays, so with w = (U_1^T v̄_1 + y U_2^T v̄_2) on the largest singular value, v_1 -> U_1 w and v_2 ->
y U_2 w in direction, and rho = eta_1 * eta_2 solves min ||rho||_1 s.t. y s^T rho >= 1. Equal singular values are one
subspace.
"""

import time

import numpy as np

from symbias.errors import HypothesisFails
from symbias.precision import context, public
from symbias.problem import Problem
from symbias.theorems import classification_derivation
from symbias.theorems.prediction import Prediction
from symbias.theorems.statement import Hypothesis, Statement, Theorem, failures
from symbias.verdict import Residual

STATEMENT = Statement(
    id="theorem_3",
    title="Theorem 3",
    text="one sample, two layers: the blocks converge in direction to top singular vectors of the data matrix M(x)",
    assumptions=(
        "classification, one sample, L = 2",
        "(U_1^T v̄_1)_j^2 - (U_2^T v̄_2)_j^2 >= lambda > 0 for every singular value s_j > 0 of M(x)",
    ),
    formula=r"\frac{v_l}{\|v_l\|} \to U_l \eta_l, \quad"
    r" \eta_1 \odot \eta_2 \propto \arg\min_{y s^\top \rho \ge 1} \|\rho\|_1",
    place="section 4.3, proof in appendix E",
)

_CHECK_DIGITS = 50
#: Rounding, relative to the directions, below which a coordinate of the start is zero: float64, and 50 digits.
_FLOAT_ZERO, _PRECISE_ZERO = 1e-13, 1e-40


def hypotheses(problem: Problem) -> tuple[Hypothesis, ...]:
    """Check the hypotheses of Theorem 3.

    With r equal singular values the basis of their subspace is free; the margin is the largest over all bases,
    (|P_1 v̄_1|^2 - |P_2 v̄_2|^2) / r with P_l the projectors.
    """
    deeper = "see theorem_2 or theorem_1" if problem.network.depth > 2 else "use the statement linear"
    records = [
        _is("classification", problem.task == "classification", f"the task is {problem.task}", "use sb.Classification"),
        _is("one sample", problem.samples == 1, f"n = {problem.samples}", "see theorem_2, corollary_1 or theorem_1"),
        _is("two layers", problem.network.depth == 2, f"L = {problem.network.depth}", deeper),
    ]
    if not failures(records):
        tied = problem.network.name == "difference_of_powers"
        records.append(
            _is("blocks of their own", not tied, "w_+ and w_- are shared by the layers", "no statement covers it")
        )
    if failures(records):
        return tuple(records)
    margin, detail = _margin(problem)
    remedy = "start with |U_1^T v̄_1| above |U_2^T v̄_2| in every coordinate, e.g. v̄_2 = 0; or ask with outside=True"
    records.append(
        Hypothesis("|U_1^T v̄_1|^2 - |U_2^T v̄_2|^2 >= lambda > 0", bool(margin > 0), float(margin), detail, remedy)
    )
    return tuple(records)


def _is(name: str, holds: bool, seen: str, remedy: str) -> Hypothesis:
    return Hypothesis(name, holds, None, "" if holds else seen, remedy)


def _margin(problem: Problem):
    """The smallest margin over the singular subspaces, and where it is."""
    ctx = context(_CHECK_DIGITS)
    decomposition, first, second = coordinates(problem, ctx)
    margins = []
    for group in decomposition.groups(ctx):
        a, b = first[list(group)], second[list(group)]
        margins.append((a @ a - b @ b) / len(group))
    least = min(margins)
    scale = max(abs(entry) for entry in (*first, *second))
    if abs(least) <= _PRECISE_ZERO * scale**2:
        least = ctx.zero
    sizes = [len(group) for group in decomposition.groups(ctx)]
    repeated = f", the largest of multiplicity {sizes[0]}" if sizes[0] > 1 else ""
    return least, f"M(x) has rank {sum(sizes)}{repeated}"


def coordinates(problem: Problem, ctx=None):
    """The decomposition of M(x) and U_1^T v̄_1, U_2^T v̄_2."""
    decomposition = problem.network.singular_decomposition(problem.X[0])
    start = problem.start()
    return decomposition, *(decomposition.transform(start.direction(l, ctx), l, ctx) for l in range(2))


def predict(problem: Problem, digits: int | None = None, outside: bool = False) -> Prediction:
    """Return the limit direction of the blocks and of beta by Theorem 3.

    Parameters
    ----------
    problem : Classification with one sample and a network of two layers
    digits : int, optional
        Correct decimal digits; float64 when None.
    outside : bool
        Accept a start outside the hypothesis. The loss still goes to 0 exactly when U_1^T v̄_1 + y U_2^T v̄_2 != 0,
        and the largest singular value at which it is not zero takes the place of the top one.

    Returns
    -------
    Prediction
        ``blocks`` (unit vectors), ``direction``, ``coefficients`` (scaled to y x^T beta = 1), ``singular_values``
        (rho, scaled alike).

    Raises
    ------
    HypothesisFails, NotConverged

    Accuracy
    --------
    The residuals are those of M(y x) o (I, v_2) = s v_1 and M(y x) o (v_1, I) = s v_2, from the network and not from
    the decomposition.

    Source
    ------
    arXiv:2010.02501v3, Theorem 3; derivations/theorem_3.py.

    Examples
    --------
    >>> import symbias as sb
    >>> net = sb.Convolutional(dim=3, depth=2, filters=(2, 3))
    >>> start = sb.Initialization(alpha=1, directions=[[2, 1], [0, 0, 0]])
    >>> problem = sb.Classification(net, [[1, 2, 3]], [1], start)
    >>> [str(z) for z in sb.predict(problem, digits=15, theorem="theorem_3").coefficients]
    ['0.14', '0.16', '0.18']
    """
    began = time.perf_counter()
    records = THEOREM.require(problem, outside)
    if any(h.margin is None for h in failures(records)):
        THEOREM.require(problem)  # the shape of the problem cannot be given up, only the margin
    ctx = None if digits is None else context(digits + 30)
    y = int(problem.y[0])
    decomposition, first, second = coordinates(problem, ctx)
    grown = first + y * second
    group = _winners(decomposition, grown, np.abs(first).max() + np.abs(second).max(), ctx)
    if group is None:
        raise HypothesisFails(
            "U_1^T v̄_1 + y U_2^T v̄_2 = 0: the network stays where its output does not grow, the loss does not go to 0"
        )
    s = decomposition.singular_values(ctx)
    w = np.array([grown[j] if j in group else 0 * grown[j] for j in range(len(s))])
    w = w / _norm(w, ctx)
    top = s[group[0]]
    blocks = (decomposition.block(w, 0, ctx), y * decomposition.block(w, 1, ctx))
    beta = problem.network.product.beta(blocks)
    residuals = _residuals(problem, blocks, beta, top, y, ctx)
    rounded = (lambda v: v) if digits is None else (lambda v: public(v, digits))
    return Prediction(
        statement=STATEMENT,
        hypotheses=records,
        residuals=residuals,
        alpha=problem.start().alpha,
        coefficients=rounded(beta / top),
        blocks=tuple(rounded(v) for v in blocks),
        direction=rounded(beta / _norm(beta.ravel(), ctx)),
        singular_values=rounded(y * w * w / top),
        digits=digits,
        applies=not failures(records),
        notes=problem.note_on_floats(digits) + _on_ties(group),
        seconds=time.perf_counter() - began,
    )


def _winners(decomposition, grown, scale, ctx) -> tuple[int, ...] | None:
    """The coordinates of the largest singular value at which eta_1 + y eta_2 is not zero."""
    zero = (_FLOAT_ZERO if ctx is None else ctx.mpf(10) ** (15 - ctx.dps)) * scale
    for group in decomposition.groups(ctx):
        if max(abs(grown[j]) for j in group) > zero:
            return group
    return None


def _on_ties(group) -> tuple[str, ...]:
    if len(group) == 1:
        return ()
    return (
        f"the singular value is repeated {len(group)} times: the limit is the point of its subspace that the initial "
        "directions select",
    )


def _norm(v, ctx):
    flat = v.ravel()
    return np.sqrt(flat @ flat) if ctx is None else ctx.sqrt(flat @ flat)


def _residuals(problem, blocks, beta, top, y, ctx) -> tuple[Residual, ...]:
    """The equations of singular vectors, by the gradients of the network, and the margin."""
    # Float: 64 roundings of the products; precise: the digits asked for, of the 30 beyond them.
    tolerance = 1e-12 if ctx is None else ctx.mpf(10) ** (10 - ctx.dps)
    x = problem.data(ctx)[0][0]
    gradients = problem.network.product.gradients(blocks, y * x)
    misfit = max(np.abs(g - top * v).max() for g, v in zip(gradients, blocks, strict=True))
    margin = abs(y * (x.ravel() @ beta.ravel()) / top - 1)
    return (
        Residual("singular vectors of M(yx)", misfit / top, tolerance, "singular value"),
        Residual("margin of 1", margin, tolerance, "1"),
    )


THEOREM = Theorem(STATEMENT, hypotheses, predict, derive=classification_derivation.theorem_3)

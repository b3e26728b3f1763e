"""Corollaries 2 and 3 (Theorem 2) and 5, 6 and 7 (Theorem 5): a theorem for one architecture each."""

from dataclasses import replace

from symbias.theorems import theorem_2, theorem_5
from symbias.theorems.statement import Hypothesis, Statement, Theorem


def instance(theorem: Theorem, network: str, statement: Statement) -> Theorem:
    """The theorem restricted to one kind of network, under the statement's own name."""

    def hypotheses(problem):
        right = problem.network.name == network
        remedy = f"use the {network} network, or {theorem.statement.title} itself"
        first = Hypothesis(f"{network} network", right, None, "" if right else f"it is {problem.network.name}", remedy)
        return (first, *theorem.hypotheses(problem)) if right else (first,)

    def predict(problem, digits=None, outside=False):
        records = made.require(problem, outside)
        return replace(theorem.predict(problem, digits, outside), statement=statement, hypotheses=records)

    def limit(problem, alpha, digits=None):
        records = made.require(problem)
        return replace(theorem.limit(problem, alpha, digits), statement=statement, hypotheses=records)

    made = Theorem(statement, hypotheses, predict, limit)
    return made


COROLLARY_2 = instance(
    theorem_2.THEOREM,
    "diagonal",
    Statement(
        id="corollary_2",
        title="Corollary 2",
        text="a diagonal network converges in direction to a stationary point of the l_{2/L} maximum margin",
        assumptions=(
            "classification of separable data",
            "|w̄_l|_j^2 - |w̄_L|_j^2 >= lambda > 0 for l < L",
            "X^T r converges in direction",
        ),
        formula=r"\frac{\beta}{\|\beta\|} \to \text{a stationary point of } \min_{y_i x_i^\top z \ge 1} \|z\|_{2/L}",
        place="appendix A.2",
    ),
)

COROLLARY_3 = instance(
    theorem_2.THEOREM,
    "convolutional",
    Statement(
        id="corollary_3",
        title="Corollary 3",
        text="a full-length convolution converges in direction to a stationary point of the l_{2/L} margin of the DFT",
        assumptions=(
            "classification of separable data, all filters of full length",
            "|F w̄_l|_j^2 - |F w̄_L|_j^2 >= lambda > 0 for l < L",
            "X^T r converges in direction",
        ),
        formula=r"\frac{\beta}{\|\beta\|} \to \text{a stationary point of } \min_{y_i x_i^\top z \ge 1} \|F z\|_{2/L}",
        place="appendix A.2",
    ),
)

COROLLARY_5 = instance(
    theorem_5.THEOREM,
    "diagonal",
    Statement(
        id="corollary_5",
        title="Corollary 5",
        text="a diagonal network ends at argmin Q(z) s.t. X z = y: between a weighted l1 and a weighted l2 norm of z",
        assumptions=("regression, X of full row rank", "w̄_l = w̄ for l < L, w̄_L = 0", "|w̄_j| >= lambda > 0"),
        formula=r"\beta(\infty) = \arg\min_{X z = y} Q_{L,\alpha,\bar w}(z)",
        place="appendix A.4",
    ),
)

COROLLARY_6 = instance(
    theorem_5.THEOREM,
    "convolutional",
    Statement(
        id="corollary_6",
        title="Corollary 6",
        text="a full-length convolution on even data ends at argmin Q(d^{-(L-1)/2} F z) over even z with X z = y",
        assumptions=(
            "regression, X of full row rank, every x_i even",
            "w̄_l even, |F w̄_l| equal for l < L, w̄_L = 0",
            "|F w̄| >= lambda",
        ),
        formula=r"\beta(\infty) = \arg\min_{X z = y,\; z \text{ even}}"
        r" Q_{L,\alpha,F \bar w}\left(d^{-(L-1)/2} F z\right)",
        place="appendix A.4",
    ),
)

COROLLARY_7 = instance(
    theorem_5.THEOREM,
    "matrix_sensing",
    Statement(
        id="corollary_7",
        title="Corollary 7",
        text="deep matrix sensing with commuting symmetric matrices ends at argmin Q(eig(M)) s.t. <A_i, M> = y_i",
        assumptions=(
            "regression, the A_i symmetric and commuting, independent",
            "W_l(0) = alpha I for l < L, W_L(0) = 0",
        ),
        formula=r"M(\infty) = \arg\min_{\langle A_i, M \rangle = y_i} Q_{L,\alpha}(\mathrm{eig}(M))",
        sources=("yun2021", "arora2019"),
        place="appendix A.4",
    ),
)

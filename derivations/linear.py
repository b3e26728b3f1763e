r"""
The linear model: the nearest interpolating point, and the l2 margin
====================================================================

:math:`f(x) = x^T z`. The flow :math:`\dot z = -X^T r` stays in :math:`z(0) + \mathrm{range}\, X^T`, whatever the loss.
Regression ends at the point of it with :math:`X z = y`; classification, whose direction converges, at a z in the cone
of the support vectors: the KKT conditions of the l2 margin.
"""

import mpmath
import sympy

import symbias as sb
from symbias.proof import Step
from symbias.symbols import matrix, vector

# 1. z(0) + X^T (X X^T)^{-1} (y - X z(0)) interpolates, for one sample in symbols.
X, start, y = matrix("x", 1, 3), sympy.Matrix(vector("z", 3)), sympy.Symbol("y", real=True)
end = start + X.T * (sympy.Matrix([y]) - X * start) / (X * X.T)[0]
interpolates = Step(
    "X z = y at the end", (X * end).as_immutable(), sympy.ImmutableMatrix([y]), "X X^T cancels", "polynomial_identity"
)
# 2. It is the nearest: the move is orthogonal to every direction that keeps X z.
normal = sympy.Matrix([X[1], -X[0], 0])
nearest = Step(
    "The move is orthogonal to the kernel of X",
    (normal.T * (end - start)).as_immutable(),
    sympy.zeros(1, 1).as_immutable(),
    "it is a multiple of x",
    "polynomial_identity",
)
assert interpolates.fails_when_perturbed() and nearest.fails_when_perturbed()
print(interpolates.title, "--", nearest.title)

# 3. By the flow, in 30 digits, from a start that is not small; with its order in alpha.
net = sb.Linear(dim=3)
problem = sb.Regression(net, [[1, 2, 0], [0, 1, -1]], [1, 2], sb.Initialization("0.3", [[1, 1, 2]]))
outcome = sb.check(problem, digits=30)
print(outcome)
assert outcome.verdict == "holds"
found = sb.check_limit(problem, alpha=0)
assert found.verdict == "holds" and found.predicted_order == 1

# 4. Classification: (1, 2) with +1 and (0, -3) with -1: only the first is a support vector, the direction is (1,
# 2)/sqrt 5.
problem = sb.Classification(sb.Linear(dim=2), [[1, 2], [0, -3]], [1, -1], sb.Initialization(1, [[0, 0]]))
direction = sb.predict(problem, digits=30, theorem="linear").direction
with mpmath.workdps(35):
    assert max(abs(ours - k / mpmath.sqrt(5)) for ours, k in zip(direction, (1, 2), strict=True)) < 1e-28

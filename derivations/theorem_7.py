r"""
Theorem 7: the fully connected network
======================================

:math:`W_l(0) = \alpha \bar W_l`, :math:`w_L(0) = \alpha \bar w_L`. Two facts carry the theorem: the differences
:math:`W_l^T W_l - W_{l+1} W_{l+1}^T` are conserved, and what :math:`W_1` has outside the row space of X never moves.
So the part of :math:`\beta = W_1 \cdots w_L` outside the row space is :math:`\alpha` times bounded factors, and a loss
that goes to 0 leaves the one interpolating point of the row space, :math:`X^T (X X^T)^{-1} y`.
"""

import numpy as np
import sympy

import symbias as sb
from symbias.proof import Step
from symbias.symbols import matrix, vector
from symbias.theorems import theorem_7

# 1. The conserved quantities, proved for the network with free residuals.
for depth in (2, 3):
    proved = sb.FullyConnected(dim=2, depth=depth).invariants()
    assert all(step.fails_when_perturbed() for step in proved)
    print(f"depth {depth}:", "; ".join(step.title for step in proved))

# 2. A vector z with X z = 0 sees no change of W_1: dW_1/dt = -X^T r (W_2 .. w_L)^T, and z^T X^T = 0.
x, r, rest = sympy.Matrix(vector("x", 3)), sympy.Symbol("r", real=True), sympy.Matrix(vector("b", 2))
z = sympy.Matrix([x[1], -x[0], 0])
velocity = -x * r * rest.T
step = Step(
    "The part of W_1 outside the row space does not move",
    (z.T * velocity).as_immutable(),
    sympy.zeros(1, 2).as_immutable(),
    "z^T x = 0",
    "polynomial_identity",
)
assert step.fails_when_perturbed()
print(step.title)

# 3. The interpolating point of the row space, and that it is the nearest to 0: beta = X^T c with X beta = y.
X = matrix("x", 1, 2)
y = sympy.Symbol("y", real=True)
beta = X.T * (X * X.T).inv() * sympy.Matrix([y])
assert sympy.simplify((X * beta)[0] - y) == 0
normal = sympy.Matrix([X[1], -X[0]])
assert sympy.simplify((normal.T * beta)[0]) == 0

# 4. Part 1 on a start that satisfies it, at a large alpha: the loss goes to 0 and the invariants stay.
net = sb.FullyConnected(dim=3, depth=3)
rows, targets = [[1, 2, 0], [0, 1, -1]], [1, 2]
eye = np.eye(3, dtype=int)
start = sb.Initialization(2, [(2 * eye).tolist(), eye.tolist(), ["0.5", "0.25", 0]])
prediction = sb.predict(sb.Regression(net, rows, targets, start), digits=15, theorem="theorem_7")
print(prediction)
assert prediction.applies and all(residual.holds for residual in prediction.residuals)

# 5. Part 2 for generic directions: order 1 in alpha. The identity start checks nothing, and is recognised.
net = sb.FullyConnected(dim=3, depth=2)
generic = sb.Initialization("0.005", [[[1, "0.5", -1], ["0.25", 1, 2], [-2, 1, 1]], ["0.5", -1, "0.25"]])
found = sb.check_limit(sb.Regression(net, rows, targets, generic), alpha=0, digits=12, theorem="theorem_7", points=6)
print(found)
assert found.verdict == "holds" and found.predicted_order == 1
same = sb.Initialization("0.1", [eye.tolist(), [0, 0, 0]])
nothing = sb.check_limit(sb.Regression(net, rows, targets, same), alpha=0, digits=12, theorem="theorem_7")
assert nothing.verdict == "undecided" and nothing.note == theorem_7.NOTHING

r"""
Corollary 7: matrix sensing with commuting matrices
===================================================

For symmetric :math:`A_i` that commute, :math:`A_i = P \operatorname{diag}(x_i) P^T`, and :math:`W_l(0) = \alpha I`
(:math:`W_L(0) = 0`), every :math:`W_l(t) = P D_l(t) P^T` stays diagonal in the common eigenbasis: a diagonal network
on the eigenvalues, with all :math:`\bar\eta_j = 1`. The limit goes from the least nuclear norm (:math:`\alpha \to 0`)
to the least Frobenius norm (:math:`\alpha \to \infty`).
"""

import mpmath
import sympy

import symbias as sb

# The eigenbasis of an orthogonal matrix with rational entries.
v = sympy.Matrix([1, 2, 3])
P = sympy.eye(3) - 2 * v * v.T / (v.T * v)[0]
assert P * P.T == sympy.eye(3)
eigenvalues = [[3, 2, 1], [1, -1, 1]]
A = [(P * sympy.diag(*row) * P.T).tolist() for row in eigenvalues]
net = sb.MatrixSensing(dim=3, depth=3)
assert all(step.fails_when_perturbed() for step in net.decompose(A).prove())

problem = sb.Regression(net, A, [4, 1], sb.Initialization.theorem_5(net, alpha="0.5", eta=1))
prediction = sb.predict(problem, digits=25, theorem="corollary_7")
outcome = sb.check(problem, prediction, digits=25)
print(outcome)
assert outcome.verdict == "holds"

# In the common eigenbasis the limit is diagonal, and it is Corollary 5's on the eigenvalues.
diagonal = sb.Diagonal(dim=3, depth=3)
start = sb.Initialization.theorem_5(diagonal, alpha="0.5", eta=1)
z = sb.predict(sb.Regression(diagonal, eigenvalues, [4, 1], start), digits=25).coefficients
limit = sympy.Matrix(3, 3, lambda i, j: sympy.Float(mpmath.nstr(prediction.coefficients[i, j], 25), 25))
rotated = P.T * limit * P
for i in range(3):
    for j in range(3):
        wanted = sympy.Float(mpmath.nstr(z[i], 25), 25) if i == j else 0
        assert abs(rotated[i, j] - wanted) < 1e-22, (i, j)
print("eigenvalues of the limit:", *(mpmath.nstr(value, 25) for value in z))

# alpha -> oo: least Frobenius norm, X^T (X X^T)^{-1} y on the eigenvalues; alpha -> 0: least nuclear norm, on two of
# them.
X, y = sympy.Matrix(eigenvalues), sympy.Matrix([4, 1])
frobenius = P * sympy.diag(*(X.T * (X * X.T).inv() * y)) * P.T
limit = sb.limit(problem, alpha=sympy.oo, theorem="corollary_7").coefficients
assert max(abs(float(frobenius[i, j]) - limit[i, j]) for i in range(3) for j in range(3)) < 1e-14
nuclear = sb.limit(problem, alpha=0, theorem="corollary_7")
print("alpha -> 0:", nuclear.singular_values)
assert sum(abs(r) > 1e-12 for r in nuclear.singular_values) == 2

r"""
Assumption 1 for deep matrix sensing
====================================

Symmetric samples that commute have common eigenvectors :math:`v_j`. With :math:`E_j = v_j v_j^\top`, samples and
blocks that are diagonal in this basis multiply coordinate by coordinate, and :math:`\langle A, W_1 \cdots W_L
\rangle` is the diagonal network on the eigenvalues of :math:`A`.
"""

import numpy as np
import sympy

import symbias as sb
from symbias.errors import NotDecomposable

rotation = sympy.Matrix([[3, -4], [4, 3]]) / 5
samples = [rotation * sympy.diag(*values) * rotation.T for values in [(1, 2), (3, -1)]]
X = np.array([A.tolist() for A in samples], dtype=object)
net = sb.MatrixSensing(dim=2, depth=3)
decomposition = net.decompose(X)
steps = decomposition.prove()
for step in steps:
    print(f"{step.title}, because {step.why}")
    assert step.fails_when_perturbed()

# Eigenvalues, exactly; and f on blocks that are diagonal in the basis, with symbols for the coordinates.
assert [sorted(decomposition.exact(A)) for A in X] == [[1, 2], [-1, 3]]
eta = sympy.symbols("eta_1:7", real=True)
E = decomposition.projectors
blocks = [eta[2 * layer] * E[0] + eta[2 * layer + 1] * E[1] for layer in range(3)]
values = decomposition.exact(X[0])
claim = sum(values[j] * eta[j] * eta[2 + j] * eta[4 + j] for j in range(2))
assert sympy.expand(net.forward(samples[0], [block.tolist() for block in blocks]) - claim) == 0

# Matrices that do not commute are refused, by pair and entry.
try:
    net.decompose([[[1, 0], [0, 2]], [[0, 1], [1, 0]]])
except NotDecomposable as error:
    print(error)
    assert error.entry == (0, 1)
else:
    raise AssertionError("matrices that do not commute were decomposed")

for step in net.invariants():
    print(f"{step.title}: {step.why}")
    assert step.fails_when_perturbed()

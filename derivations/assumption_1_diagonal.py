r"""
Assumption 1 for the diagonal network
=====================================

:math:`f(x; \Theta) = x^\top (w_1 \odot \cdots \odot w_L)` has the data tensor with :math:`x_j` at :math:`(j, .., j)`
and zeros elsewhere: it is orthogonally decomposable with :math:`S = U_l = I`, for every dimension and depth.
"""

import sympy

import symbias as sb

net = sb.Diagonal(dim=3, depth=3)
x = sympy.symbols("x_1:4", real=True)
print("M(x) =", net.data_tensor(x))

decomposition = net.decompose()
steps = decomposition.prove()
for step in steps:
    print(f"{step.title}: proved by {step.check}")
    assert step.fails_when_perturbed()

# The tensor is the sum of (S x)_j e_j ⊗ e_j ⊗ e_j, entry by entry.
M, U = net.data_tensor(x), decomposition.U
values = decomposition.exact(x)
for i in range(3):
    for j in range(3):
        for k in range(3):
            entry = sum(values[m] * U[0][i, m] * U[1][j, m] * U[2][k, m] for m in range(3))
            assert entry == M[i, j, k]

# A larger class, and what its flow conserves.
assert sb.Diagonal(dim=32, depth=4).decompose().prove()
for step in net.invariants():
    print(f"{step.title}: {step.why}")
    assert step.fails_when_perturbed()

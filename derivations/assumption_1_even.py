r"""
Assumption 1 for the convolutional network on even data
=======================================================

When :math:`x_i = x_{d-i}` (counted from 0) and the blocks are even, which the flow keeps, a *real* decomposition with
:math:`m = \lfloor d/2 \rfloor + 1` terms serves. :math:`\mathrm{Re} F` alone is not orthonormal; with
:math:`\mu_k = 1` for :math:`k = 0, d/2` and 2 otherwise,

.. math:: U_{ik} = \sqrt{\mu_k/d} \cos(2\pi i k/d), \qquad S_{ki} = (d/\mu_k)^{(L-2)/2} \cos(2\pi i k/d).
"""

from itertools import product

import sympy

import symbias as sb
from symbias.errors import NotDecomposable

for dim, depth in [(2, 2), (3, 2), (5, 3), (8, 4), (18, 3)]:
    steps = sb.Convolutional(dim, depth).decompose(symmetry="even").prove()
    assert len(steps) == 3
    assert all(step.fails_when_perturbed() for step in steps)
    print(f"d = {dim}, L = {depth}: proved, and every perturbed claim fails")
for step in steps:
    print(f"  {step.title}, because {step.why}")

# d = 4, L = 3 entry by entry: the cosines are rational there. P projects on even vectors.
net = sb.Convolutional(dim=4, depth=3)
a, b, c = sympy.symbols("a b c", real=True)
M = net.data_tensor([a, b, c, b])
decomposition = net.decompose(symmetry="even")
S, U = decomposition.S, decomposition.U[0]
values = S * sympy.Matrix([a, b, c, b])
for j in product(range(4), repeat=3):
    signs = product((1, -1), repeat=3)
    projected = sum(M[tuple(s * i % 4 for s, i in zip(sign, j, strict=True))] for sign in signs) / sympy.Integer(8)
    rebuilt = sum(values[k] * U[j[0], k] * U[j[1], k] * U[j[2], k] for k in range(3))
    assert sympy.expand(projected - rebuilt) == 0

# The tempting choice Re F has too small a rank.
F = sympy.Matrix(5, 5, lambda j, k: sympy.cos(2 * sympy.pi * j * k / 5))
assert F.rank(iszerofunc=lambda entry: abs(entry.evalf(30)) < 1e-20) == 3

# A row that is not even is named.
try:
    net.decompose([[1, 2, 3, 2], [1, 2, 3, 4]], symmetry="even")
except NotDecomposable as error:
    print(error)
    assert error.entry == (1, 1)
else:
    raise AssertionError("a row that is not even was accepted")

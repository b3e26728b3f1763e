r"""
Assumption 1 for the convolutional network
==========================================

:math:`M(x)_{j_1 .. j_L} = x_{(j_1 + .. + j_L) \bmod d}` for filters of full length. With the unitary DFT matrix
:math:`F` it is orthogonally decomposable over the complex numbers: :math:`S = d^{(L-1)/2} F`, :math:`U_l = F^*`. The
proof works in :math:`\mathbf{Q}(\zeta_d)`, with integers modulo the cyclotomic polynomial, for any :math:`d`.
"""

import sympy

import symbias as sb
from symbias.errors import NotDecomposable

# d = 5: SymPy's simplify leaves the sums of roots of unity standing; the cyclotomic field does not.
zeta = sympy.exp(2 * sympy.pi * sympy.I / 5)
print("simplify leaves", sympy.simplify(sum(zeta**k for k in range(5))))

for dim, depth in [(2, 2), (5, 3), (7, 4), (9, 3), (12, 4), (64, 3)]:
    steps = sb.Convolutional(dim, depth).decompose().prove()
    assert len(steps) == 3
    assert all(step.fails_when_perturbed() for step in steps)
    print(f"d = {dim}, L = {depth}: proved, and every perturbed claim fails")
for step in steps:
    print(f"  {step.title}, because {step.why}")

# Two layers of two inputs, written out.
net = sb.Convolutional(dim=2, depth=2)
x = sympy.symbols("x_1:3", real=True)
S, (U, _) = net.decompose().S, net.decompose().U
rebuilt = U * sympy.diag(*(S * sympy.Matrix(x))) * U.T
assert (rebuilt - sympy.Matrix(net.data_tensor(x).tolist())).expand() == sympy.zeros(2)

# A short filter fails the first identity: k_l < d columns of length k_l cannot hold m >= d orthonormal ones.
try:
    sb.Convolutional(dim=4, depth=3, filters=(2, 4, 4)).decompose()
except NotDecomposable as error:
    print(error)
    assert error.entry == (2, 2)
else:
    raise AssertionError("a short filter was decomposed")

# What the flow conserves: the squared moduli of the spectra of full filters, the norms of short ones.
for step in (*net.invariants(), *sb.Convolutional(dim=4, depth=3, filters=(2, 3, 4)).invariants()):
    print(f"{step.title}: {step.why}")
    assert step.fails_when_perturbed()

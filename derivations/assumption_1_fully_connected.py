r"""
The fully connected network and Assumption 1
============================================

Every flattening of :math:`\sum_j (S x)_j u_{1,j} \otimes \cdots \otimes u_{L,j}` with orthonormal :math:`u_{l,j}` has
the rank of its coefficients, the same along every block. Along block :math:`l` the data tensor of :math:`x^\top W_1
\cdots W_{L-1} w_L` has rank :math:`d_l d_{l+1}` (:math:`d_1` and :math:`d_{L+1}` counted as 1), so beyond depth 2 it
is not orthogonally decomposable unless all inner widths are 1. At depth 2 one sample is decomposed by the singular
value decomposition of the matrix :math:`M(x)`, whose singular values all are :math:`|x|`.
"""

import sympy

import symbias as sb
from symbias.errors import NotDecomposable


def flattening(net, x, block):
    """The matrix of M(x) with one row an entry of that block."""
    M = net.data_tensor(x)
    rest = sympy.permutedims(M, (block, *(k for k in range(net.depth) if k != block)))
    return sympy.Matrix(M.shape[block], len(M) // M.shape[block], list(sympy.flatten(rest)))


net = sb.FullyConnected(dim=2, depth=3, widths=(2, 3))
ranks = [flattening(net, sympy.Matrix([1, 2]), block).rank() for block in range(3)]
print("ranks of the flattenings:", ranks)
assert ranks == [2, 6, 3]
try:
    net.decompose()
except NotDecomposable as error:
    print(error)
    assert "ranks 2 and 6" in str(error)
else:
    raise AssertionError("a network of depth 3 was decomposed")

# Depth 2, one sample: M(x)^T M(x) = |x|^2 I, so every singular value is |x|.
x = sympy.symbols("x_1:4", real=True)
shallow = sb.FullyConnected(dim=3, depth=2, widths=(2,))
M = sympy.Matrix(shallow.data_tensor(x).tolist())
square = sum(entry**2 for entry in x)
assert M.T * M - square * sympy.eye(2) == sympy.zeros(2)
assert shallow.decompose([[1, 2, 2]]).singular_values().tolist() == [3, 3]

# Two samples do not share singular vectors: M(x)^T M(z) is diagonal, M(x) M(z)^T is not symmetric.
z = sympy.symbols("z_1:4", real=True)
N = sympy.Matrix(shallow.data_tensor(z).tolist())
assert (M * N.T - N * M.T) != sympy.zeros(6)

# What the flow conserves.
for step in net.invariants():
    print(f"{step.title}: {step.why}")
    assert step.fails_when_perturbed()

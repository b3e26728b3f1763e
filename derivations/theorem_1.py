r"""
Theorem 1: the blocks of a linear tensor network converge in direction to singular vectors of M(-u)
=====================================================================================================

The loss is :math:`\sum_i e^{-y_i f(x_i)}` and f is homogeneous of degree L in the blocks. If :math:`X^T r` converges in
direction to u, the limit directions are stationary on the sphere for :math:`M(-u) \circ (v_1, \ldots, v_L)`:

.. math:: s\, u_l = M(-u) \circ (u_1, \ldots, u_{l-1}, I, u_{l+1}, \ldots, u_L), \qquad l = 1, \ldots, L,

Lim's equations, and all norms grow alike, because :math:`\|v_l\|^2 - \|v_k\|^2` is conserved. For an orthogonally
decomposable tensor the solutions are a finite list in closed form (Robeva and Seigal 2017).
"""

import mpmath
import sympy

import symbias as sb
from symbias.numeric.singular import orthogonal_tuples
from symbias.proof import Step

# 1. Equal growth. v_l . dv_l/dt = -M(X^T r) o (v_1, .., v_L) is the same number for every block: by linearity in v_l.
u, v, w = (sympy.Matrix(sympy.symbols(f"{name}1:4", real=True)) for name in "uvw")
T = [[[sympy.Symbol(f"T{i}{j}{k}", real=True) for k in range(3)] for j in range(3)] for i in range(3)]
cells = [(i, j, k) for i in range(3) for j in range(3) for k in range(3)]
whole = sum(T[i][j][k] * u[i] * v[j] * w[k] for i, j, k in cells)
pairings = [sum(block[i] * whole.diff(block[i]) for i in range(3)) for block in (u, v, w)]
for pairing in pairings:
    step = Step("Euler", sympy.expand(pairing), whole, "T o (u, v, w) is linear in each block", "polynomial_identity")
    assert step.fails_when_perturbed()
print("d|v_l|^2/dt is the same for all blocks: the norms grow alike")

# 2. The finite list: sum_j sigma_j e_j ⊗ .. ⊗ e_j. On a support |u_lj| = t_j for every l, s t_j^2 = sigma_j t_j^L,
# sum t_j^2 = 1.
s, sigma, t = sympy.symbols("s sigma t", positive=True)
for depth in (3, 4, 5, 6):
    root = (s / sigma) ** sympy.Rational(1, depth - 2)
    assert sympy.simplify(s * root**2 - sigma * root**depth) == 0
tuples = list(orthogonal_tuples([3, 1], depth=3))
for value, vectors in tuples:
    for l in range(3):
        others = [vectors[k] for k in range(3) if k != l]
        for j, weight in enumerate((3, 1)):
            assert sympy.simplify(value * vectors[l][j] - weight * others[0][j] * others[1][j]) == 0
    assert all(sympy.simplify((vectors[l] ** 2).sum() - 1) == 0 for l in range(3))
print("sigma = (3, 1), L = 3:", len(tuples), "singular tuples, s in", sorted({value for value, _ in tuples}, key=float))
assert len(tuples) == 6
assert sympy.simplify(max(v for v, _ in tuples) - 3) == 0

# 3. The limit of gradient flow is one of them, whichever the start: diagonal network, one sample x = (3, 1).
net = sb.Diagonal(dim=2, depth=3)
for eta in ([1, 1], [1, 3], [1, 4]):
    problem = sb.Classification(net, [[3, 1]], [1], sb.Initialization.theorem_5(net, 1, eta))
    found = sb.predict(problem, digits=25, theorem="theorem_1")
    with mpmath.workdps(40):
        limits = [[mpmath.mpf(str(entry.evalf(40))) for entry in vectors.ravel()] for _, vectors in tuples]
        ours = [abs(entry) for block in found.blocks for entry in block]
        gap = min(max(abs(a - abs(b)) for a, b in zip(ours, limit, strict=True)) for limit in limits)
    print("eta =", eta, "-> blocks", [[mpmath.nstr(entry, 5) for entry in block] for block in found.blocks])
    assert gap < mpmath.mpf(10) ** -24

# 4. A network without decomposition: short filters, depth 3, two samples; Lim's equations to 30 digits, checked a
# second way.
net = sb.Convolutional(dim=4, depth=3, filters=(2, 3, 4))
start = sb.Initialization(1, [[2, 1], [1, 0, 1], [0, 0, 0, "0.5"]])
problem = sb.Classification(net, [[1, 2, 0, 3], [0, -3, 1, 1]], [1, -1], start)
found = sb.predict(problem, digits=30)
assert found.statement.id == "theorem_1"
outcome = sb.check(problem, found, digits=30)
print(outcome)
assert outcome.verdict == "holds"

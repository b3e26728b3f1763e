r"""
Corollary 1: the fully connected network of any depth converges in direction to the l2 maximum margin
=======================================================================================================

Theorem 1 for :math:`f(x) = x^T W_1 \cdots W_{L-1} w_L`: with :math:`g = -u = \sum_i \mu_i y_i x_i`, :math:`\mu \ge 0`
on the support vectors, Lim's equations say :math:`s W_1 = g (W_2 \cdots w_L)^T` and so on. The first of them puts the
columns of :math:`W_1`, hence :math:`\beta = W_1 \cdots w_L`, on the line of g: :math:`\beta \propto \sum_i \mu_i y_i
x_i`, which with the margins is the optimality condition of :math:`\min \|z\|_2` s.t. :math:`y_i x_i^T z \ge 1`.
"""

import mpmath
import numpy as np
import sympy

import symbias as sb
from symbias.proof import Step

# 1. Depth 3, symbolic: rank-one layers along g solve all of Lim's equations, with free inner directions of norm 1.
g = sympy.Matrix(sympy.symbols("g1:4", real=True))
a, b = (sympy.Matrix(sympy.symbols(f"{name}1:3", real=True)) for name in "ab")
norm = sympy.Symbol("n", positive=True)  # |g|
W1, W2, w3 = g * a.T / norm, a * b.T, b
gradients = (g * (W2 * w3).T, W1.T * g * w3.T, W2.T * W1.T * g)  # of g^T W_1 W_2 w_3 in each block


def with_norms(matrix):
    """Use a.a = b.b = 1 and g.g = n^2."""
    rules = [(a[1] ** 2, 1 - a[0] ** 2), (b[1] ** 2, 1 - b[0] ** 2), (g[2] ** 2, norm**2 - g[0] ** 2 - g[1] ** 2)]
    return matrix.applyfunc(lambda entry: sympy.expand(sympy.expand(entry).subs(rules)))


for gradient, block in zip(gradients, (W1, W2, w3), strict=True):
    difference = with_norms(gradient - norm * block)
    step = Step("Lim", difference, sympy.zeros(*difference.shape), "aligned rank-one layers", "polynomial_identity")
    assert step.fails_when_perturbed()
print("s = |g|, beta = W_1 W_2 w_3 =", list((W1 * W2 * w3).subs({a[1] ** 2: 1 - a[0] ** 2}))[:1], "... along g")

# 2. Depths 2, 3, 4 and several widths: the blocks by Theorem 1 against the l2 margin by its own algorithm, 30 digits.
X, y = [[1, 2, 0], [0, -3, 1], [2, 1, 1]], [1, -1, 1]
for depth, widths in ((2, (1,)), (2, (5,)), (3, (3, 3)), (3, (2, 4)), (4, (3, 2, 3))):
    net = sb.FullyConnected(dim=3, depth=depth, widths=widths)
    rng = np.random.default_rng(depth)
    problem = sb.Classification(
        net, X, y, sb.Initialization(1, [rng.standard_normal(shape) for shape in net.block_shapes])
    )
    margin = sb.predict(problem, digits=32, theorem="corollary_1")
    blocks = sb.predict(problem, digits=32, theorem="theorem_1")
    with mpmath.workdps(40):
        gap = max(abs(margin.direction - blocks.direction))
    print(f"L = {depth}, widths {widths}: {mpmath.nstr(gap, 3)}")
    assert gap < mpmath.mpf(10) ** -30

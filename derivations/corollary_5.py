r"""
Corollary 5: the diagonal network interpolates between a weighted l1 and a weighted l2 norm
=============================================================================================

For :math:`f(x) = x^T (w_1 \odot \cdots \odot w_L)`, S = U_l = I, so Theorem 5 speaks of the coefficients themselves.
One sample :math:`x = (1, 2)`, :math:`y = 1`: stationarity is :math:`h_L^{-1}(z_2/\alpha^L) = 2 h_L^{-1}(z_1/\alpha^L)`.
"""

import mpmath
import sympy

import symbias as sb
from symbias.functions import h

# The decomposition is proved for all x.
assert all(step.fails_when_perturbed() for step in sb.Diagonal(dim=2, depth=4).decompose().prove())

# Depth 2, alpha = 1: z_1 = sinh(2t)/2, z_2 = sinh(4t)/2, z_1 + 2 z_2 = 1. Solved by SymPy, to 30 digits.
t = sympy.Symbol("t", real=True)
equation = (h(2, t) + 2 * h(2, 2 * t)).expand(func=True) - 1
root = sympy.nsolve(equation, t, 0.2, prec=40)
by_hand = [(sympy.sinh(2 * root) / 2).evalf(30), (sympy.sinh(4 * root) / 2).evalf(30)]
net = sb.Diagonal(dim=2, depth=2)
problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha=1, eta=1))
prediction = sb.predict(problem, digits=30, theorem="corollary_5")
for found, wanted in zip(prediction.coefficients, by_hand, strict=True):
    print(mpmath.nstr(found, 30), wanted)
    assert abs(sympy.Float(mpmath.nstr(found, 35), 35) - wanted) < sympy.Float("1e-29", 35)

# The ends: alpha -> 0 is the l1 solution (0, 1/2), alpha -> oo the l2 solution (1/5, 2/5) = x / |x|^2.
for alpha, end in [("1e-8", 0), ("1e8", sympy.oo)]:
    limit = sb.limit(problem, alpha=end).coefficients
    near = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha=alpha, eta=1))
    print(f"alpha -> {end}: {limit}, at alpha = {alpha}: {sb.predict(near).coefficients}")
assert list(sb.limit(problem, alpha=0, digits=20).coefficients) == [0, 0.5]

# From depth 3 on the weights 1/|eta_j|^{L-2} decide: x = (2, 2.5), eta = (2, 1) goes to (0, 0.4) or to (0.5, 0).
for depth, wanted in [(2, (0, 0.4)), (3, (0.5, 0)), (4, (0.5, 0))]:
    net = sb.Diagonal(dim=2, depth=depth)
    problem = sb.Regression(net, [[2, "2.5"]], [1], sb.Initialization.theorem_5(net, alpha=1, eta=[2, 1]))
    limit = sb.limit(problem, alpha=0).coefficients
    print(f"depth {depth}: {limit}")
    assert max(abs(limit - wanted)) < 1e-15

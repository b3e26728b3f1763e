r"""
Theorem 2: a stationary point of the l_{2/L} margin, and which one
====================================================================

In the coordinates of Assumption 1 (real), with :math:`A = \mathrm{diag}(y) X S^T` and :math:`\mu = \int p\,ds`, the
reduced flow is :math:`\rho_j = a_j^L h_L(a_j^{L-2} (A^T \mu)_j)`. For L >= 3 the coordinate j becomes infinite when
:math:`|A^T \mu|_j` reaches :math:`b_j = c_L a_j^{2-L}`, and the remaining distance is

.. math:: b_j - |A^T \mu|_j \sim \frac{|\rho_j|^{2/L-1}}{L-2},

so that the increments of :math:`\mu` on the support vectors satisfy the stationarity conditions of
:math:`\min \|\rho\|_{2/L}`. With one sample the winner is the coordinate whose blow-up time :math:`b_j/|s_j|` is least.
"""

import mpmath
import sympy

import symbias as sb
from symbias.dynamics.reduction import reduction_steps
from symbias.functions import c, h

# 1. The reduced flow carries the full one (both tasks), proved step by step.
for depth in (2, 3, 4, 5):
    assert all(step.fails_when_perturbed() for step in reduction_steps(depth))

# 2. The distance to the blow-up: with q -> oo, h ~ q^L and c_L - t(q) = int_q^oo (1 + u^2)^{-(L-1)/2} du ~
# q^{2-L}/(L-2).
q = sympy.Symbol("q", positive=True)
times = {3: sympy.atan(q), 4: q / sympy.sqrt(1 + q**2)}
for depth, t in times.items():
    assert sympy.simplify(t.diff(q) - (1 + q**2) ** (-sympy.Rational(depth - 1, 2))) == 0
    end = sympy.limit(t, q, sympy.oo)
    assert end == c(depth)
    assert sympy.limit((end - t) * q ** (depth - 2), q, sympy.oo) == sympy.Rational(1, depth - 2)
    assert sympy.limit(q * (1 + q**2) ** sympy.Rational(depth - 1, 2) / q**depth, q, sympy.oo) == 1
    print(f"L = {depth}: c_L = {end}, (c_L - t) h^((L-2)/L) -> 1/{depth - 2}")
# In units: b_j - |A^T mu|_j = a^{2-L} (c_L - t), |rho_j| = a^L h: the power of a cancels.
a, L = sympy.symbols("a L", positive=True)
assert sympy.simplify(a ** (2 - L) - (a**L) ** ((2 - L) / L)) == 0

# 3. One sample: argmin_j c_L a_j^{2-L} / |s_j| = argmax |eta_j|^{L-2} |s_j|; x = (1, 2), eta = (3, 1): 3 > 2 at depth
# 3.
net = sb.Diagonal(dim=2, depth=3)
problem = sb.Classification(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha="0.5", eta=[3, 1]))
found = sb.predict(problem, digits=30)
loser = sympy.Rational(1, 8) * h(3, c(3) * sympy.Rational(2, 3)).expand(func=True)
print("winner e_1, loser tends to", sympy.simplify(loser), "=", mpmath.nstr(found.finite[1], 30))
assert sympy.simplify(loser - sympy.sqrt(3) / 2) == 0
assert found.direction.tolist() == [1, 0]
with mpmath.workdps(40):
    assert abs(found.finite[1] - mpmath.sqrt(3) / 2) < mpmath.mpf(10) ** -29

# 4. A tie |eta_j|^{L-2} |s_j|: then |rho_j|^{2/L-1} ∝ |s_j| as well, so rho_j ∝ |s_j|^{-L/(L-2)}.
rho, size = sympy.symbols("rho size", positive=True)
for depth in (3, 4, 5):
    shared = size ** -sympy.Rational(depth, depth - 2)
    assert sympy.simplify(shared ** (sympy.Rational(2, depth) - 1) - size) == 0
net = sb.Diagonal(dim=2, depth=4)
tie = sb.Classification(net, [[4, 1]], [1], sb.Initialization.theorem_5(net, alpha=1, eta=[1, 2]))
found = sb.predict(tie, digits=20)
print("tie:", found.notes[-1], [mpmath.nstr(entry, 6) for entry in found.coefficients])
assert abs(found.coefficients[1] / found.coefficients[0] - 16) < 1e-14

# 5. Two samples: the reading of the flow, and the path in high precision to a margin of 10^40.
net = sb.Diagonal(dim=4, depth=3)
problem = sb.Classification(
    net, [[1, 2, -1, 3], [2, -1, 1, 1]], [1, 1], sb.Initialization.theorem_5(net, "0.3", [1, 2, 1, 1])
)
outcome = sb.check(problem, digits=25)
print(outcome)
assert outcome.verdict == "holds"

r"""
Theorem 5: where regression ends on an orthogonally decomposable network
========================================================================

With Assumption 1 (real), :math:`U_l^T \bar v_l = \bar\eta` for :math:`l < L` and :math:`\bar v_L = 0`, every
coordinate of the flow is a copy of one system, whose solution is Lemma 4's. Put :math:`a_j = \alpha |\bar\eta_j|`,
:math:`A = X S^T` and :math:`\nu(t) = -\int_0^t r`. Then

.. math:: \rho_j(t) = a_j^L h_L\left(a_j^{L-2} (A^T \nu(t))_j\right),

so :math:`\nabla Q(\rho) = A^T \nu` at all times: at the limit, where :math:`A \rho = y`, these are the optimality
conditions of :math:`\min Q` subject to :math:`A \rho = y`, and Q is strictly convex.
"""

import sympy

import symbias as sb
from symbias.dynamics.reduction import reduction_steps
from symbias.functions import H, h, h_inverse

# 1. The reduced flow carries the full one, for every depth separately, residuals free.
for depth in (2, 3, 4, 5, 6):
    steps = reduction_steps(depth)
    assert all(step.fails_when_perturbed() for step in steps)
    print(f"depth {depth}: {len(steps)} steps proved, each fails when perturbed")
for step in steps:
    print(f"  {step.title}: {step.why}")

# 2. The gradient of the potential is linear in nu: dQ/drho = a^{2-L} h^{-1}(rho / a^L) = s for rho = a^L h(a^{L-2} s).
L = sympy.Symbol("L", integer=True, positive=True)
a, s, rho = sympy.Symbol("a", positive=True), sympy.Symbol("s", real=True), sympy.Symbol("rho", real=True)
Q = a**2 * H(L, rho / a**L)
gradient = Q.diff(rho)
assert sympy.simplify(gradient - a ** (2 - L) * h_inverse(L, rho / a**L)) == 0
at_flow = gradient.subs(rho, a**L * h(L, a ** (L - 2) * s))
assert sympy.simplify(at_flow - s) == 0
print("grad Q at the flow:", sympy.simplify(at_flow))

# 3. An exact case by hand: x = (1, 1), y = 2, eta = (1, 1): by symmetry z = (1, 1) at every depth and alpha.
for depth in (2, 3, 5):
    net = sb.Diagonal(dim=2, depth=depth)
    problem = sb.Regression(net, [[1, 1]], [2], sb.Initialization.theorem_5(net, alpha="0.1", eta=1))
    assert all(abs(z - 1) < 1e-24 for z in sb.predict(problem, digits=25, theorem="theorem_5").coefficients)

# 4. The network itself, integrated to 30 digits, ends there; with a last layer that is not zero it does not.
net = sb.Diagonal(dim=3, depth=3)
X, y = [[1, 2, 0], [0, 1, 1]], [1, -1]
outcome = sb.check(sb.Regression(net, X, y, sb.Initialization.theorem_5(net, alpha="0.5", eta=[1, 2, 1])), digits=30)
print(outcome)
assert outcome.verdict == "holds"
other = sb.Initialization("0.5", [[1, 2, 1], [1, 2, 1], ["0.1", 0, 0]])
wrong = sb.predict(sb.Regression(net, X, y, sb.Initialization.theorem_5(net, alpha="0.5", eta=[1, 2, 1])), digits=30)
assert sb.check(sb.Regression(net, X, y, other), wrong, digits=30).verdict == "fails"

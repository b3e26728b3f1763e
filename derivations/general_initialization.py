r"""
General initialization: a potential for arbitrary real layers
=============================================================

The differences of squares of the layers of a coordinate are conserved, so one number :math:`z` carries all of them, the
signed value of the layer that starts smallest. With :math:`\rho = z \prod \sqrt{z^2+\delta_l}` and
:math:`F(z) = \int_{z_0}^z dx / \prod \sqrt{x^2+\delta_l}`, gradient flow minimises
:math:`Q = \sum_j \rho_j F_j(z_j) - (z_j^2 - z_{j0}^2)/2`. Theorem 5 is the special case :math:`\delta_l = a^2`,
:math:`z_0 = 0`. The position :math:`z(t)` is a sinh at depth 2, and Jacobi's elliptic functions
give it at depths 3 and 4.
"""

import mpmath
import sympy

import symbias as sb
from symbias.functions import (
    F,
    H,
    Z,
    general_direction_steps,
    general_initialization_steps,
    general_potential,
    theorem_5_steps,
)
from symbias.functions.general_initialization import coordinate, potential_of, rho_of

for depth in (2, 3, 4, 5):
    steps = general_initialization_steps(depth)
    assert all(step.fails_when_perturbed() for step in steps)
    print(f"depth {depth}: {len(steps)} steps proved")
for step in general_initialization_steps(3):
    print(f"{step.title}\n    {step.lhs}  =  {step.rhs}\n    {step.why}")
for step in theorem_5_steps():
    assert step.fails_when_perturbed()
    print(f"{step.title} (any depth)\n    {step.lhs}  =  {step.rhs}")

# One coordinate of three layers: the reference is the second, whose sign may change.
flow = coordinate([2, -1, 3])
print(flow)
z = sympy.Symbol("z", real=True)
Q, rho = potential_of(z, flow.start, flow.deltas), rho_of(z, flow.deltas)
print("Q =", Q)
assert rho.subs(z, flow.start) == -6
assert Q.subs(z, flow.start) == 0
assert sympy.expand(Q.diff(z) - F(z, flow.start, *flow.deltas) * rho.diff(z)) == 0

# Legendre's form, Carlson's number, and Theorem 5 as H_3.
print("F(1) =", sympy.expand_func(F(1, -1, *flow.deltas)), "=", F(1, -1, *flow.deltas).evalf(30))

# The position at a time: by Jacobi's sn and cn, until the blow-up.
t = sympy.Symbol("t", real=True)
position = sympy.expand_func(Z(t, flow.start, *flow.deltas))
print("z(t) =", position)
assert sympy.expand_func(F(sympy.oo, 0, *flow.deltas)) == sympy.elliptic_k(sympy.Rational(5, 8)) / (2 * sympy.sqrt(2))
tenth = sympy.Rational(1, 10)
assert abs(position.subs(t, tenth).evalf(30) - Z(tenth, flow.start, *flow.deltas).evalf(30)) < 1e-28

value = general_potential([2], [[1], [1], [0]], digits=30)
assert mpmath.almosteq(value, H(3, 2).evalf(30)._to_mpmath(100), rel_eps=mpmath.mpf(10) ** -15)
print("Q(2) from (1, 1, 0) =", mpmath.nstr(value, 30), "= H_3(2) =", H(3, 2).evalf(30))

# %%
# Classification
# --------------
#
# For the exponential loss, too, :math:`z_j' = g_j \prod \sqrt{z_j^2+\delta_l}` with :math:`g = A^T p`, so
# :math:`F_j(z_j) = (A^T \mu)_j`, :math:`\mu = \int p\,dt`: at every time :math:`\rho` minimises the potential of the
# start over its own margins. At depth 3 and more F ends at :math:`c_j^\pm = \int_{z_0}^{\pm\infty}`, which differ
# from side to side, and what it lacks there is :math:`|\rho_j|^{2/L-1}/(L-2)` for every start: the winners solve the
# stationarity conditions of :math:`\min \|\rho\|_{2/L}`; the losers stop where :math:`F_j(z_j) = (A^T \mu^*)_j`.
for depth in (2, 3, 4, 5):
    steps = general_direction_steps(depth)
    assert all(step.fails_when_perturbed() for step in steps)
    print(f"depth {depth}, classification: {len(steps)} steps proved")
for step in general_direction_steps(3):
    print(f"{step.title}\n    {step.lhs}  =  {step.rhs}\n    {step.why}")

# Depth 4, one sample x = (5, 4), layers (5/4, 5/4, 5/4, 3/4) and (1, 1, 1, 0): every delta is 1, and int dz (1 +
# z^2)^(-3/2) = z/sqrt(1 + z^2) starts at 3/5 and at 0 and ends at 1. The times are (2/5)/5 and 1/4: the first wins at
# 2/25, and the loser stops at z/sqrt(1 + z^2) = 4 * 2/25, with rho = z (1 + z^2)^(3/2) = t/(1 - t^2)^2.
net = sb.Diagonal(dim=2, depth=4)
start = sb.Initialization(1, [["1.25", 1]] * 3 + [["0.75", 0]])
found = sb.predict(sb.Classification(net, [[5, 4]], [1], start), digits=30, theorem="general_initialization")
t = sympy.Rational(8, 25)
print("winner e_1, loser tends to", t / (1 - t**2) ** 2, "=", mpmath.nstr(found.finite[1], 30))
assert found.direction.tolist() == [1, 0]
with mpmath.workdps(40):
    assert abs(found.finite[1] - mpmath.mpf(125000) / 314721) < mpmath.mpf(10) ** -29
# Pushed the other way the first has to come from 3/5 to -1: (8/5)/5 > 1/4, and the second wins.
against = sb.predict(sb.Classification(net, [[-5, 4]], [1], start), digits=30)
assert against.direction.tolist() == [0, 1]

# A tie keeps a sign: x = (-5, 1), layers (1, 1) of the first coordinate. Free, the l1 margin at depth 2 is -e_1/5; with
# rho_1 > 0 it is e_2. With both signs kept against the data the loss cannot fall below 1, and predict says so.
net = sb.Diagonal(dim=2, depth=2)
free = sb.predict(sb.Classification(net, [[-5, 1]], [1], sb.Initialization(1, [[2, 1], [1, 2]])))
kept = sb.predict(sb.Classification(net, [[-5, 1]], [1], sb.Initialization(1, [[1, 1], [1, 2]])), digits=20)
print("free:", free.direction, " kept:", kept.direction)
assert free.direction.tolist() == [-1, 0] and kept.direction.tolist() == [0, 1]
try:
    sb.predict(sb.Classification(net, [[-5, -1]], [1], sb.Initialization(1, [[1, 2], [1, 2]])))
except sb.HypothesisFails as stalls:
    print(stalls)
    assert "for ever" in str(stalls)
else:
    raise AssertionError("the loss stalls")

# The full flow of the network's own blocks, read at a high margin, for two samples and unequal layers.
net = sb.Diagonal(dim=3, depth=3)
start = sb.Initialization("0.5", [[1, 2, 3], [2, 1, -1], ["0.5", 1, 1]])
outcome = sb.check(sb.Classification(net, [[1, 2, -1], [3, -1, 1]], [1, 1], start), digits=25)
print(outcome)
assert outcome.verdict == "holds"

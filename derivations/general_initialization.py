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

from symbias.functions import F, H, Z, general_initialization_steps, general_potential, theorem_5_steps
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

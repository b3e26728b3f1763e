r"""
Assumption 1 for the linear model
=================================

One layer: :math:`f(x; z) = x^\top z`, :math:`M(x) = x`, and :math:`S = U_1 = I`.
"""

import sympy

import symbias as sb

net = sb.Linear(dim=3)
x = sympy.symbols("x_1:4", real=True)
assert net.data_tensor(x).tolist() == list(x)
for step in net.decompose().prove():
    print(f"{step.title}: proved by {step.check}")
    assert step.fails_when_perturbed()

# Gradient flow moves z in the row space of X: dz/dt = -X^T r.
system = net.flow(samples=2)
print(system)
X = [sympy.symbols(f"x_{i}_1:4", real=True) for i in (1, 2)]
r = sympy.symbols("r_1:3", real=True)
for j, rate in enumerate(system.rates):
    assert rate == -(r[0] * X[0][j] + r[1] * X[1][j])

r"""
The power series of the inverse of h_L and of H_L
=================================================

Lagrange inversion of :math:`y = q (1+q^2)^{(L-1)/2}` under :math:`t(q)` gives, for every depth,

.. math:: h_L^{-1}(y) = \sum_{k \ge 0} (-1)^k \binom{Lk+L-2}{k} \frac{y^{2k+1}}{2k+1},

with radius :math:`\sqrt{(L-1)^{L-1}/L^L}`: a generalised hypergeometric function. The general term cites
Lagrange's theorem; the first terms are proved without it, by solving the equation in :math:`\mathbf{Q}(L)[[y^2]]`, and
against SymPy's own series.
"""

import sympy

import symbias as sb
from symbias.functions import H, h_inverse, series_steps
from symbias.functions.series import coefficient, hypergeometric, radius

L = sympy.Symbol("L", integer=True, positive=True)
k = sympy.Symbol("k", integer=True, nonnegative=True)
y = sympy.Symbol("y", real=True)

for step in series_steps():
    assert step.fails_when_perturbed()
    print(f"{step.title}\n    {step.lhs}  =  {step.rhs}\n    {step.why}")
print("the general term:", coefficient(L, k), " radius:", radius(L))

for depth in range(2, 9):
    steps = series_steps(depth)
    assert all(step.fails_when_perturbed() for step in steps)
    print(f"depth {depth}: {steps[-1].rhs} + ..., radius {radius(depth)}")

# The same function: SymPy's elementary form at depth 2, its numbers elsewhere.
assert sympy.hyperexpand(hypergeometric(2, y)) - sympy.asinh(2 * y) / 2 == 0
inside = radius(5) / 2
assert abs((hypergeometric(5, inside) - h_inverse(5, inside)).evalf(30)) < 1e-29
print(f"depth 5 at y = {inside}:", h_inverse(5, inside).evalf(30))

# SymPy's series asks the functions for these terms, symbolic depth too.
print(H(L, y).series(y, 0, 8))
made = sb.expansions.at_zero(H(L, y), terms=2)
assert sympy.expand(made.sum - y**2 / 2 + (L - 1) * y**4 / 6) == 0

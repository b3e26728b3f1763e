r"""
Difference of powers, every depth
=================================

:math:`f = x^T(w_+^L - w_-^L)` from :math:`w_+ = w_- = \alpha w` (Woodworth et al. 2020). The layers are solved in
closed form, so :math:`\beta_j = a_j^L h(z_j)` with :math:`h(z) = (1-z)^{-k} - (1+z)^{-k}`, :math:`k = L/(L-2)` (at
depth 2, :math:`h(z) = 2 \sinh z`), and the flow minimises :math:`\sum_j a_j^2 q_L(\beta_j/a_j^L)` with :math:`q_L` the
integral of the inverse of :math:`h`. It is a weighted :math:`\ell_2` norm squared near 0 and an
:math:`\ell_1` norm at infinity.
"""

import sympy

from symbias.functions import difference_H, difference_h_inverse, difference_of_powers_steps, difference_potential
from symbias.functions.difference_of_powers import at_infinity, difference_h

L = sympy.Symbol("L", integer=True, positive=True)
y = sympy.Symbol("y", positive=True)

for depth in (L, 2):
    for step in difference_of_powers_steps(depth):
        assert step.fails_when_perturbed()
        print(f"{step.title}\n    {step.lhs}  =  {step.rhs}\n    {step.why}")
for depth in range(3, 13):
    assert all(step.fails_when_perturbed() for step in difference_of_powers_steps(depth))

# The hypentropy of Woodworth et al. at depth 2.
assert sympy.expand_func(difference_H(2, y)) == 2 - sympy.sqrt(4 + y**2) + y * sympy.asinh(y / 2)

# Numbers to any number of digits: h_4(1/2) = 4 - 4/9.
assert difference_h(4, sympy.Rational(1, 2)) == sympy.Rational(32, 9)
assert difference_h_inverse(4, sympy.Rational(32, 9)).evalf(40) == sympy.Rational(1, 2).evalf(40)

# Both ends, and the order of the first term left out.
print("near 0:", difference_H(L, y).series(y, 0, 6))
print("far:", *at_infinity(L, y))
for depth in (2, 3, 5):
    kept, left_out = at_infinity(depth, y)
    error = (difference_H(depth, y) - kept).subs(y, 10**20).evalf(15, maxn=400)
    assert abs(error / left_out.subs(y, 10**20).evalf() - 1) < 1e-5
    print(f"depth {depth} at 1e20: error of {kept} is {error.evalf(6)}, next term {left_out}")
alpha, beta = sympy.symbols("alpha beta", positive=True)
print("the potential:", difference_potential([beta], depth=3, alpha=alpha, w=[2]))

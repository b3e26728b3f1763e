r"""
Lemma 4: p, q and h_L for every depth
=====================================

:math:`p' = p^{L-2} q`, :math:`q' = p^{L-1}`, :math:`p(0) = 1`, :math:`q(0) = 0`, :math:`h_L = p^{L-1} q`. The
equations have one conserved quantity, :math:`p^2 - q^2 = 1`, and everything follows with :math:`L` a free symbol:
:math:`t(q)`, the end :math:`c_L` of the domain, the inverse of :math:`h_L`, the potential :math:`H_L`, its conjugate.
"""

import sympy

from symbias.functions import H, c, closed_form_steps, h, h_inverse, lemma_4_steps, q
from symbias.functions.explicit import time

# For a symbolic depth. Each step was reduced to 0 by the check it names, and fails when its claim is changed.
for step in lemma_4_steps():
    assert step.fails_when_perturbed()
    print(f"{step.title}\n    {step.lhs}  =  {step.rhs}\n    {step.why}")

# For each integer depth, t(q) and c_L in elementary form, and the functions themselves where they have one.
for depth in range(2, 25):
    steps = closed_form_steps(depth)
    assert all(step.fails_when_perturbed() for step in steps)
    if depth <= 6:
        for step in steps:
            print(f"{step.title}\n    {step.lhs}  =  {step.rhs}")
print("t(q) and c_L: proved for depths 2 to 24")
print("c_L:", [c(depth) for depth in range(2, 11)])

# SymPy's dsolve does not get there (NotImplementedError at depth 3); the conserved quantity does.
u, t, y = sympy.symbols("u t y", real=True)
assert sympy.simplify(time(9, u).diff(u) - (1 + u**2) ** -4) == 0
assert sympy.expand_func(q(3, t)) == sympy.tan(t)
assert sympy.expand_func(h(4, sympy.Rational(1, 2))) == sympy.Rational(8, 9)
assert sympy.expand_func(h_inverse(2, y)) == sympy.asinh(2 * y) / 2
assert H(5, y).diff(y) == h_inverse(5, y)
print("h_4(1/2) =", sympy.expand_func(h(4, sympy.Rational(1, 2))), " H_5(1) =", H(5, 1).evalf(25))

r"""
The expansions at the other ends, and the potential at both ends of alpha
=========================================================================

As :math:`y \to \infty`, for :math:`L \ge 3`,

.. math:: H_L(y) = c_L y - \frac{L}{2(L-2)} y^{2/L} + \frac{L-1}{2L} - \frac{L-1}{4L(L+2)} y^{-2/L} + \ldots,

so that the potential of Theorem 5 is a weighted :math:`\ell_1` norm as :math:`\alpha \to 0`, corrected by an
:math:`\ell_{2/L}` quasi-norm; at depth 2 a logarithm takes their place. As :math:`\alpha \to \infty` it is a weighted
:math:`\ell_2` norm squared.
"""

import sympy

import symbias as sb
from symbias.functions import H, expansion_steps, h, h_inverse, potential_steps

L = sympy.Symbol("L", integer=True, positive=True)
alpha = sympy.Symbol("alpha", positive=True)
y = sympy.Symbol("y", positive=True)
t = sympy.Symbol("t", real=True)

for depth in (L, 2):
    for step in expansion_steps(depth, terms=3):
        assert step.fails_when_perturbed()
        print(f"{step.title}\n    {step.lhs}  =  {step.rhs}")

# SymPy's own series and limit use them.
print("depth 4:", h_inverse(4, y).series(y, sympy.oo, 3))
assert sympy.limit((H(3, y) - sympy.pi * y / 2) / y ** sympy.Rational(2, 3), y, sympy.oo) == sympy.Rational(-3, 2)
assert sympy.limit(h(3, t) * (sympy.pi / 2 - t) ** 3, t, sympy.pi / 2, "-") == 1

# The potential: gradient, Hessian, conjugate, homogeneity, both ends.
for step in potential_steps(dim=2):
    assert step.fails_when_perturbed()
    print(f"{step.title}\n    {step.lhs}  =  {step.rhs}")

# A limit whose order is known: the error of two terms is of the order of the third.
rho, eta = (sympy.Rational(1, 2), -3), (1, 2)
for expand, scales in (
    (sb.expansions.potential_alpha_to_zero, ("1/1000", "1/10000")),
    (sb.expansions.potential_alpha_to_infinity, ("1000", "10000")),
):
    for depth in (2, 3, 5):
        made = expand(rho, depth=depth, alpha=alpha, eta=eta, terms=2)
        small, smaller = (
            (made.function - made.sum).subs(alpha, sympy.Rational(a)).evalf(20, maxn=1000) for a in scales
        )
        observed = abs(sympy.log(smaller / small, 10).evalf(6))
        print(f"depth {depth}, alpha -> {made.goal}: order {made.order}, observed {observed}")
        assert abs(observed - abs(made.order)) < sympy.Rational(1, 1000)

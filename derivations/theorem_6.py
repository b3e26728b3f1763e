r"""
Theorem 6: two layers, one sample, any linear tensor network
============================================================

:math:`M(x) = U_1 \mathrm{diag}(s) U_2^T` is one matrix. In :math:`\nu = -\int r` the flow is linear, the output is
:math:`\alpha^2 g(\nu)` with an increasing g, and the flow ends at :math:`\nu = g^{-1}(y/\alpha^2)`.
"""

import mpmath
import sympy

import symbias as sb
from symbias.errors import HypothesisFails
from symbias.theorems.theorem_6_derivation import small_alpha, steps

# 1. The solution of the flow, g, its monotonicity, and the rates of the end alpha -> 0.
proved = (*steps(), *small_alpha())
assert all(step.fails_when_perturbed() for step in proved)
for step in proved:
    print(f"{step.title}: {step.why}")

# 2. By hand: one direction, s = 1, eta = (1, 0): g = sinh(2 nu) / 2, so sinh(nu) cosh(nu) = y / alpha^2.
net = sb.Diagonal(dim=1, depth=2)
problem = sb.Regression(net, [[1]], [2], sb.Initialization(1, [[1], [0]]))
first, second = (block[0] for block in sb.predict(problem, digits=30, theorem="theorem_6").blocks)
with mpmath.workdps(35):
    nu = mpmath.asinh(4) / 2
    assert abs(mpmath.cosh(nu) - first) < 1e-28 and abs(mpmath.sinh(nu) - second) < 1e-28

# 3. The network itself, integrated, ends there: a convolution with short filters.
net = sb.Convolutional(dim=4, depth=2, filters=(3, 4))
start = sb.Initialization("0.5", [[3, 2, 4], [1, 0, 0, "0.5"]])
problem = sb.Regression(net, [[1, 2, 0, -1]], [2], start)
outcome = sb.check(problem, sb.predict(problem, digits=30, theorem="theorem_6"), digits=30)
print(outcome)
assert outcome.verdict == "holds"

# 4. Without the hypothesis: eta_2 = -eta_1 stalls at y^2/2 for y > 0, and reaches y < 0.
net = sb.Diagonal(dim=2, depth=2)
opposite = sb.Initialization("0.5", [[1, 1], [-1, -1]])
try:
    sb.predict(sb.Regression(net, [[1, 2]], [3], opposite), theorem="theorem_6", outside=True)
    raise AssertionError("a stalled flow was given a limit")
except HypothesisFails as error:
    assert "4.50e+00" in str(error)
    print(error)
assert not sb.predict(sb.Regression(net, [[1, 2]], [-3], opposite), theorem="theorem_6", outside=True).applies

# 5. alpha -> 0 with the rate alpha^{2 (1 - s_2/s_1)}: s = (4, 1), order 3/2.
problem = sb.Regression(net, [[1, 4]], [1], sb.Initialization(1, [[1, 1], [0, 0]]))
found = sb.check_limit(problem, alpha=0, theorem="theorem_6")
print(found)
assert found.verdict == "holds" and abs(found.predicted_order - sympy.Rational(3, 2)) < 1e-20

r"""
The lazy regime: alpha to infinity, and the model linearised at the start
=========================================================================

Let :math:`f(\Theta(0); x_i) = 0`. With :math:`\Theta = \alpha \bar v + \alpha^{1-L} \theta` homogeneity of degree L
turns the flow into that of the linearised model plus terms of relative size :math:`\alpha^{-L}`; where one block is
zero at the start, beta is odd in y and the first of them vanishes.
"""

import sympy

import symbias as sb
from symbias.errors import HypothesisFails
from symbias.proof import Step

# 1. Depth 2, one coordinate: u = a + h p, v = b + h q with h = a power of 1/alpha. alpha^2 (u v - a b) has the linear
# term of    order 1 when h = alpha^{-2}, and the square of order alpha^{-2}.
alpha, a, b, p, q = sympy.symbols("alpha a b p q", real=True)
h = 1 / alpha**2
step = Step(
    "The output beyond its start: a linear part, and a rest of order alpha^{-L}",
    sympy.expand(alpha**2 * ((a + h * p) * (b + h * q) - a * b)),
    a * q + b * p + p * q / alpha**2,
    "products of two changes carry one more factor alpha^{-L}",
    "polynomial_identity",
)
assert step.fails_when_perturbed()
print(step.title)

# 2. Flipping the sign of a block that starts at zero flips f: beta(-y) = -beta(y), so odd orders in y/alpha^L alone
# survive.
net = sb.Diagonal(dim=2, depth=3)
first, last = [1, 2], [0, 0]
ends = [
    sb.predict(sb.Regression(net, [[1, 2]], [y], sb.Initialization(3, [first, first, last])), digits=30).coefficients
    for y in (1, -1)
]
assert max(abs(u + v) for u, v in zip(*ends, strict=True)) < 1e-28

# 3. The limit with its order 2L = 6, and the order L where no block is zero.
found = sb.check_limit(
    sb.Regression(net, [[1, 2]], [1], sb.Initialization(1, [first, first, last])), alpha=sympy.oo, theorem="lazy"
)
print(found)
assert found.verdict == "holds" and found.predicted_order == 6

# 4. With an output at the start the claim is false: the library refuses, and the gap does not close.
start = [[1, 2], [1, 1], [1, 1]]
gaps = []
for scale in (10, 100):
    problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization(scale, start))
    true = sb.predict(problem, digits=30, theorem="general_initialization").coefficients
    linear = sb.predict(problem, digits=30, theorem="lazy", outside=True).coefficients
    gaps.append(max(abs(u - v) for u, v in zip(true, linear, strict=True)) / max(abs(u) for u in true))
print("relative gaps at alpha = 10, 100:", [float(gap) for gap in gaps])
assert min(gaps) > 1e-3 and gaps[1] > gaps[0] / 2
try:
    sb.limit(problem, alpha=sympy.oo, theorem="lazy")
    raise AssertionError("a false claim was made")
except HypothesisFails as error:
    assert "false" in str(error)

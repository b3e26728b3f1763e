r"""
General initialization: both ends of alpha
==========================================

With :math:`\eta_l(0) = \alpha \bar\eta_l` the curve of a coordinate scales: :math:`z = \alpha \hat z`, :math:`\rho =
\alpha^L \hat\rho`, :math:`t = \alpha^{2-L} \bar F(\hat z)`. As :math:`\alpha \to 0` the potential is a weighted
:math:`\ell_1` norm whose weights :math:`c_j^\pm = |\bar F_j(\pm\infty)|` differ with the sign of :math:`\rho_j`; at
depth 2 it is the unweighted one. As :math:`\alpha \to \infty` the coefficients grow like :math:`\alpha^L`, unless
:math:`\hat\rho = 0` solves the problem without targets.
"""

import sympy

import symbias as sb
from symbias.errors import BadInput
from symbias.functions import F
from symbias.functions.general_initialization import coordinate, rho_of
from symbias.proof import Step

alpha, w, E, V = sympy.symbols("alpha w E V", positive=True)
z, z_0 = sympy.symbols("z z_0", real=True)
deltas = sympy.symbols("delta_1:6", positive=True)


def prove(title, lhs, rhs, why):
    step = Step(title, lhs, rhs, why, "polynomial_identity")
    assert step.fails_when_perturbed()
    print(f"{title}\n    {lhs}  =  {rhs}\n    {why}")


# 1. Scaling. The squares of rho and of dt/dz = 1/prod sqrt(z^2 + delta_l) are homogeneous in (z, sqrt delta).
for depth in (2, 3, 4):
    own = deltas[: depth - 1]
    product = sympy.Mul(*(z**2 + delta for delta in own))
    scaled = sympy.Mul(*((alpha * z) ** 2 + alpha**2 * delta for delta in own))
    prove(
        f"Depth {depth}: rho^2 = z^2 prod (z^2 + delta_l) scales with alpha^{2 * depth}",
        (alpha * z) ** 2 * scaled,
        alpha ** (2 * depth) * z**2 * product,
        "and (dt/dz)^2 with alpha^(2 - 2L): t = alpha^(2-L) F(z/alpha) at alpha = 1",
    )

# 2. Far out, L >= 3, in w = 1/z^2 and D = sum delta_l: t = c - z^(2-L) (1/(L-2) - D w/(2L) + ..), so that with
# Q = rho t - (z^2 - z_0^2)/2 and rho = z^L prod sqrt(1 + delta_l w) the l1 norm is corrected by the same quasi-norm
# as Theorem 5's, whatever the start and the sign.


def head(expression):
    return sympy.expand(sympy.series(expression, w, 0, 2).removeO())


for depth in (3, 4, 5):
    own = deltas[: depth - 1]
    root, total = sympy.Mul(*(sympy.sqrt(1 + delta * w) for delta in own)), sum(own)
    prove(
        f"Depth {depth}: dt/dz = z^{1 - depth} (1 - D w/2 + ..)",
        head(1 / root),
        1 - total * w / 2,
        "integrated from z to oo: c - t = z^(2-L) (1/(L-2) - D w/(2L) + ..)",
    )
    left = head(root * (sympy.Rational(1, depth - 2) - total * w / (2 * depth)))
    quasi = head(root ** sympy.Rational(2, depth))
    prove(
        f"Depth {depth}: Q = c rho - L/(2(L-2)) rho^(2/L) + (D/(2L) + z_0^2/2) + O(w)",
        sympy.expand(-left - sympy.Rational(1, 2) + z_0**2 * w / 2),
        sympy.expand(-sympy.Rational(depth, 2 * (depth - 2)) * quasi + (total / (2 * depth) + z_0**2 / 2) * w),
        "both sides are w (Q - c rho): only c depends on the side",
    )

# 3. Depth 2, E = e^(2t), V = e^(2 v_0), sqrt(delta) e^(v_0) = z_0 + sqrt(z_0^2 + delta) =: sqrt(e).
prove(
    "Depth 2: 4 rho / e = e^(2t) - e^(-2t - 4 v_0), rho = (delta/2) sinh(2t + 2 v_0)",
    deltas[0] * (E * V - 1 / (E * V)) / (deltas[0] * V),
    E - 1 / (E * V**2),
    "so t = log(4 rho/e)/2 + .. for large rho, and |t| = log(4 |rho|/e')/2 + .. on the other side, e e' = delta^2",
)

# 4. alpha -> oo: at z = 0 the curve has dt/drho = 1/prod delta_l, and t - t(0) is odd in rho.
roots = sympy.symbols("r_1:4", positive=True)
rho = rho_of(z, [r**2 for r in roots])
prove(
    "The slope dt/drho at z = 0, depth 4, delta_l = r_l^2",
    1 / sympy.Mul(*roots) / rho.diff(z).subs(z, 0),
    1 / sympy.Mul(*(r**2 for r in roots)),
    "dt/dz = 1/prod r_l and drho/dz = prod r_l there",
)
prove("rho is odd in z", rho.subs(z, -z), -rho, "and so is t - t(0), the integral of an even function from 0")

# 5. One sample: the winner is the largest s_j / c_j^(side). Starts (1, 2, 0) and (3, 2, 2) at depth 3: the second
# coordinate ties, so it keeps its sign.
net = sb.Diagonal(dim=2, depth=3)
problem = sb.Regression(net, [[2, 3]], [1], sb.Initialization("0.1", [[1, 3], [2, 2], [0, 2]]))
flows = [coordinate([1, 2, 0]), coordinate([3, 2, 2])]
costs = [F(sympy.oo, flow.start, *flow.deltas).evalf(20) for flow in flows]
print("c_1^+, c_2^+ =", costs, " s_j / c_j:", [s / c for s, c in zip((2, 3), costs, strict=True)])
end = sb.limit(problem, 0)
print(end)
assert 3 / costs[1] > 2 / costs[0] and abs(end.coefficients - [0, 1 / 3]).max() < 1e-15
found = sb.check_limit(problem, alpha=0, points=8)
print(found)
assert found.verdict == "holds" and found.predicted_order == 3

# The other sign: the second coordinate cannot follow, and the first wins on its other side.
mirrored = sb.Regression(net, [[2, 3]], [-1], problem.initialization)
assert abs(sb.limit(mirrored, 0).coefficients - [-0.5, 0]).max() < 1e-15

# 6. alpha -> oo: finite where beta(v̄) = 0, refused where the coefficients grow.
still = sb.Regression(net, [[2, 3]], [1], sb.Initialization(1, [[1, 0], [2, 2], [0, 3]]))
weights = (4, 36)  # prod of the squares of the two other layers: beta_j = weight_j x_j / sum weight x^2
assert abs(sb.limit(still, sympy.oo).coefficients - [8 / 340, 108 / 340]).max() < 1e-15
found = sb.check_limit(still, alpha=sympy.oo, points=6)
print(found)
assert found.verdict == "holds" and found.predicted_order == 6
grows = sb.Regression(net, [[2, 3]], [1], sb.Initialization(1, [[1, 3], [2, 1], [3, 2]]))
try:
    sb.limit(grows, sympy.oo)
    raise AssertionError("a limit that does not exist was returned")
except BadInput as error:
    print(error)
sizes = [
    abs(
        sb.predict(
            sb.Regression(net, [[2, 3]], [1], sb.Initialization(a, grows.initialization.directions))
        ).coefficients
    ).max()
    for a in (100, 200)
]
assert abs(sizes[1] / sizes[0] - 8) < 1e-4  # alpha^3

r"""
The whole story in ten cells
============================

From a network to where gradient flow ends, why, and to how many digits that is checked.
"""

from dataclasses import replace

import mpmath
import sympy

import symbias as sb
from symbias.functions import c, h, h_inverse
from symbias.simulate import simulate

# %%
# 1. A network. All its layers are linear, so it computes x^T beta; but gradient flow moves the layers, not beta.
net = sb.Diagonal(dim=2, depth=3)
x = sympy.symbols("x_1:3", real=True)
blocks = [sympy.symbols(f"v_{layer}_1:3", real=True) for layer in (1, 2, 3)]
f = net.forward(x, blocks)
assert sympy.expand(f - sum(x_j * beta_j for x_j, beta_j in zip(x, net.coefficients(blocks), strict=True))) == 0
print("1. f(x; v) =", f)

# %%
# 2. The data tensor M(x), of which the network is the contraction, and its orthogonal decomposition (Assumption 1).
tensor = net.data_tensor(x)
assert [tensor[j, j, j] for j in (0, 1)] == list(x) and tensor[0, 1, 1] == 0
decomposition = net.decompose()
assert all(step.fails_when_perturbed() for step in decomposition.prove())
print("2.", decomposition)

# %%
# 3. What the flow conserves: the differences of the squares of the layers. This leaves n unknowns, whatever the width.
derivation = sb.derive(net)
conserved = next(section for section in derivation.sections if section.title == "Conserved quantities")
assert conserved.steps and derivation.verify() == len(derivation.steps) > 40
print(f"3. {len(derivation.steps)} proved steps, of which {len(conserved.steps)} are about conserved quantities")

# %%
# 4. One function: h_L of Lemma 4. From equal layers the flow is a p(s), a q(s), with p^2 - q^2 = 1.
t = sympy.Symbol("t", real=True)
assert sympy.simplify(sympy.expand_func(h(3, t)) - sympy.tan(t) / sympy.cos(t) ** 2) == 0
assert c(3) == sympy.pi / 2 and sympy.expand_func(h(4, sympy.Rational(1, 2))) == sympy.Rational(8, 9)
print("4. h_3(t) =", sympy.expand_func(h(3, t)), " c_3 =", c(3), " h_3^-1(1) =", h_inverse(3, 1).evalf(25))

# %%
# 5. Its integral makes the potential Q. Theorem 5: the flow ends at the minimiser of Q among all beta with X beta = y.
rho, alpha = sympy.symbols("rho", real=True), sympy.symbols("alpha", positive=True)
Q = sb.potential([rho], depth=3, alpha=alpha, eta=[1])
# along the flow the gradient of Q is S X^T nu: h_3^{-1} undoes h_3
assert sympy.simplify(Q.diff(rho) * alpha - h_inverse(3, rho / alpha**3)) == 0
print("5. Q =", Q)

# %%
# 6. A problem, and where its flow ends: 40 digits of a point that depends on the scale alpha of the start.
problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha="0.01", eta=1))
prediction = sb.predict(problem, digits=40)
assert prediction.statement.id == "theorem_5"
assert mpmath.nstr(prediction.coefficients[0], 17) == "1.9503862868058967e-6"
print("6.", prediction)

# %%
# 7. Is that so? Integrate the six parameters of the network, and check the conditions that define the minimiser.
at_one = replace(problem, initialization=replace(problem.initialization, alpha=1))
outcome = sb.check(at_one, digits=30)
assert outcome.verdict == "holds" and outcome.digits > 29
claimed = sb.predict(at_one, digits=30)
wrong = claimed.coefficients.copy()
wrong[0] += mpmath.mpf(10) ** -20
assert sb.check(at_one, replace(claimed, coefficients=wrong), digits=30).verdict == "fails"
print("7.", outcome)

# %%
# 8. Between two norms: as alpha goes to 0 the end is that of least l1 norm, as alpha goes to infinity that of least l2.
assert sb.limit(problem, alpha=0).coefficients.tolist() == [0, 0.5]
for end, order in ((0, 3), (sympy.oo, 6)):
    found = sb.check_limit(at_one, alpha=end, digits=15)
    assert found.verdict == "holds" and found.predicted_order == order
    print(f"8. alpha -> {end}: order {mpmath.nstr(found.order, 8)}, predicted {order}")

# %%
# 9. Classification: only the direction has a limit. Here it is not the best point of the l_{2/3} margin problem: the
#    start decides the race.
start = sb.Initialization.theorem_5(net, alpha="0.5", eta=[3, 1])
labelled = sb.Classification(net, [[1, 2]], [1], start)
direction = sb.predict(labelled, digits=20)
assert direction.direction.tolist() == [1, 0] and mpmath.nstr(direction.finite[1], 15) == "0.866025403784439"
assert sb.check(labelled, direction, digits=20).verdict == "holds"
print("9.", direction)

# %%
# 10. Seen: trajectories from three scales, the line of global minima, and the predicted ends on it.
scales = {
    f"alpha = {scale}": [replace(problem, initialization=replace(problem.initialization, alpha=scale))]
    for scale in ("0.1", "0.5", "1")
}
ax = sb.plots.trajectories(scales, balls={"l1": (0, 0.5), "l2": (0.2, 0.4)})
end = simulate(at_one).coefficients[-1]
assert abs(end @ [1, 2] - 1) < 1e-7
print("10. the flow, simulated to a loss of 1e-20, ends at", end, "and a picture of", len(ax.lines), "lines shows it")

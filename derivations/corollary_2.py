r"""
Corollary 2: the diagonal network converges in direction to a stationary point of the l_{2/L} maximum margin
==============================================================================================================

Theorem 2 with S = I. On the growing coordinates J and the support vectors I the limit satisfies
:math:`A_{IJ} z_J = 1` and :math:`\mathrm{sign}(z_j) |z_j|^{2/L-1} = (A^T \mu)_j`, :math:`\mu \ge 0`. Which J it is
depends on the data, the scale and the initial directions; the global optimum of the non-convex problem is not always
the one reached.
"""

import mpmath
import sympy

import symbias as sb

# 1. Depth 2 is convex: (1, 2), +1 and (0, -3), -1. The dual mu = (1/2, 0) proves z = (0, 1/2) optimal: A^T mu = (1/2,
# 1).
A = sympy.Matrix([[1, 2], [0, 3]])
z, mu = sympy.Matrix([0, sympy.Rational(1, 2)]), sympy.Matrix([sympy.Rational(1, 2), 0])
assert min(A * z) >= 1 and max(abs(entry) for entry in A.T * mu) <= 1 and sum(mu) == sum(abs(entry) for entry in z)
net = sb.Diagonal(dim=2, depth=2)
problem = sb.Classification(net, [[1, 2], [0, -3]], [1, -1], sb.Initialization.theorem_5(net, 1, 1))
found = sb.predict(problem, digits=30, theorem="corollary_2")
print("L = 2:", found.coefficients, found.notes[-1])
assert found.coefficients.tolist() == list(map(float, z))

# 2. Depth 3: the start decides between stationary points, here e_1 (||z|| = 1) and the optimum e_2/2.
net = sb.Diagonal(dim=2, depth=3)
for eta, winner in (([1, 1], 1), ([3, 1], 0)):
    problem = sb.Classification(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, 1, eta))
    found = sb.predict(problem, digits=20, theorem="corollary_2")
    value = sum(abs(entry) ** (mpmath.mpf(2) / 3) for entry in found.coefficients) ** 1.5
    print(f"eta = {eta}: direction {found.direction.tolist()}, ||z||_(2/3) = {mpmath.nstr(value, 6)}")
    assert found.direction[winner] == 1

# 3. Two samples, depth 3: a vertex with rational coordinates and positive multipliers, exactly.
net = sb.Diagonal(dim=3, depth=3)
problem = sb.Classification(
    net, [[1, 2, 3], [2, -1, -4]], [1, 1], sb.Initialization(1, [[2, 3, 1], [1, 2, 3], [0, 0, 0]])
)
found = sb.predict(problem, digits=30, theorem="corollary_2")
J = [j for j, entry in enumerate(found.coefficients) if entry]
I = [i for i, entry in enumerate(found.multipliers) if entry > 0]
A = sympy.Matrix([[1, 2, 3], [2, -1, -4]])
exact = A.extract(I, J).LUsolve(sympy.ones(len(I), 1))
multipliers = A.extract(I, J).T.LUsolve(exact.applyfunc(lambda v: sympy.sign(v) * abs(v) ** -sympy.Rational(1, 3)))
print("J =", J, "z_J =", list(exact), "mu =", [entry.evalf(6) for entry in multipliers])
assert all(entry.is_positive for entry in multipliers)
assert all(abs(found.coefficients[j] - mpmath.mpf(v.p) / v.q) < 1e-15 for j, v in zip(J, exact, strict=True))
outcome = sb.check(problem, found, digits=25)
print(outcome)
assert outcome.verdict == "holds"

r"""
Corollary 6: the full-length convolution on even data
=====================================================

For even samples and even blocks the DFT is real, and Theorem 5 holds with :math:`\rho_k = (F z)_k / d^{(L-1)/2}`: the
factor :math:`d^{(L-1)/2}` is needed. In the real decomposition each pair of conjugate frequencies is one coordinate,
:math:`\rho_k = \mu_k^{L/2} (F z)_k / d^{(L-1)/2}`, :math:`\bar\eta_k = \sqrt{\mu_k} (F \bar v)_k`, and Q is the sum
over all d frequencies.
"""

import mpmath
import sympy

import symbias as sb

for dim, depth in [(3, 2), (4, 3), (5, 2), (8, 3)]:
    net = sb.Convolutional(dim, depth)
    assert all(step.fails_when_perturbed() for step in net.decompose(symmetry="even").prove())

# d = 4, L = 3, x = (1, 2, 0, 2): F x = (5, 1, -3, 1)/2. By hand: z = F^* rho d, rho_k = h_3(nu d (F x)_k), a_k = 1.
net = sb.Convolutional(dim=4, depth=3)
problem = sb.Regression(net, [[1, 2, 0, 2]], [1], sb.Initialization.theorem_5(net, alpha=1, eta=[1, 1, 1, 1]))
prediction = sb.predict(problem, digits=30, theorem="corollary_6")
with mpmath.workdps(45):
    spectrum = [mpmath.mpf(5) / 2, mpmath.mpf(1) / 2, -mpmath.mpf(3) / 2, mpmath.mpf(1) / 2]
    h_3 = lambda t: mpmath.tan(t) / mpmath.cos(t) ** 2  # noqa: E731
    rho = lambda nu: [h_3(4 * nu * f) for f in spectrum]  # noqa: E731
    # x^T z = sum over frequencies of d (F x)_k rho_k
    nu = mpmath.findroot(lambda nu: 4 * sum(f * r for f, r in zip(spectrum, rho(nu), strict=True)) - 1, 0.01)
    cosine = [1, 0, -1, 0]
    z = [4 * sum(r * cosine[i * k % 4] for k, r in enumerate(rho(nu))) / 2 for i in range(4)]
    for found, wanted in zip(prediction.coefficients, z, strict=True):
        print(mpmath.nstr(found, 30), mpmath.nstr(wanted, 30))
        assert abs(found - wanted) < mpmath.mpf(10) ** -29

# The network itself, 30 digits; data that is not even is refused, naming the row.
outcome = sb.check(problem, prediction, digits=30)
print(outcome)
assert outcome.verdict == "holds"
try:
    sb.predict(sb.Regression(net, [[1, 2, 3, 4]], [1], problem.initialization), theorem="corollary_6")
except sb.HypothesisFails as error:
    print(error)
else:
    raise AssertionError("a row that is not even was accepted")
assert sympy.sqrt(4) ** (3 - 1) == 4  # the factor d^{(L-1)/2} used by hand above

r"""
Theorem 3: two layers, one sample: top singular vectors
=========================================================

With :math:`M(x) = U_1 \mathrm{diag}(s) U_2^T` and :math:`\eta_l = U_l^T v_l` the flow is
:math:`\dot\eta_1 = -r\, s \odot \eta_2,\ \dot\eta_2 = -r\, s \odot \eta_1` with :math:`-r = y e^{-y f}`. The
combinations
:math:`\eta_1 \pm y \eta_2` separate:

.. math:: \frac{d}{dt}(\eta_1 \pm y \eta_2) = \pm e^{-y f}\, s \odot (\eta_1 \pm y \eta_2),

so :math:`\eta_1 + y \eta_2` grows like :math:`e^{s \nu}` and the other decays: the largest singular value wins, and
inside its subspace the start selects the point.
"""

import mpmath
import sympy

import symbias as sb
from symbias.proof import Step

eta_1, eta_2, s, e, sign = sympy.symbols("eta_1 eta_2 s e sigma", real=True)
for y in (1, -1):
    minus_r = y * e  # e stands for e^{-y f} > 0
    rates = {eta_1: minus_r * s * eta_2, eta_2: minus_r * s * eta_1}
    for side in (1, -1):
        combination = eta_1 + side * y * eta_2
        rate = sum(combination.diff(v) * rate for v, rate in rates.items())
        step = Step("separates", sympy.expand(rate), side * e * s * combination, "y^2 = 1", "polynomial_identity")
        assert step.fails_when_perturbed()
# At the limit eta_1 - y eta_2 = 0: |eta_1| = |eta_2|, sign(eta_1) = sign(y) sign(eta_2), y rho_j >= 0.
print("eta_1 + y eta_2 grows like exp(s nu), eta_1 - y eta_2 decays, for y = 1 and y = -1")

# min |rho|_1 s.t. y s^T rho >= 1: weak duality, |rho|_1 >= s^T|rho| / s_1 >= 1/s_1, with equality on the top singular
# values.
x = [3, -1, 2, 4, 1]
for length in (1, 2, 3, 4, 5):
    net = sb.Convolutional(dim=5, depth=2, filters=(length, 5))
    problem = sb.Classification(net, [x], [-1], sb.Initialization(1, [[2, 1, 1, 3, 1][:length], [0] * 5]))
    found = sb.predict(problem, digits=30)
    assert found.statement.id == "theorem_3"
    top = max(net.singular_decomposition(x).singular_values())
    assert abs(sum(abs(r) for r in found.singular_values) * top - 1) < 1e-12
    assert all(r <= 0 for r in found.singular_values)  # y rho >= 0
    outcome = sb.check(problem, found, digits=30)
    print(
        f"filter {length}: {outcome.verdict}, {outcome.digits:.0f} digits;",
        [mpmath.nstr(b, 6) for b in found.direction],
    )
    assert outcome.verdict == "holds"

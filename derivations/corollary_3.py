r"""
Corollary 3: the full-length convolution converges in direction to a stationary point of the l_{2/L} margin of its DFT
========================================================================================================================

Theorem 2 with :math:`S = d^{(L-1)/2} F`: :math:`\rho = S^{-T} \beta` is :math:`\bar F \beta` up to a factor, so
:math:`\|\rho\|_{2/L} \propto \|F \beta\|_{2/L}`. The stationarity conditions keep phases:
:math:`|\rho_j|^{2/L-2} \rho_j = \overline{(S X^T \mu)_j}`.
"""

import mpmath
import numpy as np

import symbias as sb

# 1. S is proved: F is unitary and the data tensor is rebuilt, in the cyclotomic field.
for dim, depth in ((2, 2), (4, 3), (5, 2)):
    assert all(step.fails_when_perturbed() for step in sb.Convolutional(dim, depth).decompose().prove())

# 2. The paper's two points, d = 2: F is real; |F z|_1 = max(|z_1|, |z_2|) sqrt 2 is least at (1/3, 1/3), direction
# (1, 1)/sqrt 2.
net = sb.Convolutional(2, 2)
problem = sb.Classification(net, [[1, 2], [0, -3]], [1, -1], sb.Initialization(1, [[1, 0], ["0.5", 0]]))
found = sb.predict(problem, digits=30)
print("paper:", found.direction, found.notes[-1])
with mpmath.workdps(40):
    assert max(abs(found.direction - 1 / mpmath.sqrt(2))) < mpmath.mpf(10) ** -29

# 3. Depth 2, complex spectrum, two samples: convex, with a dual certificate; against the full flow.
start = [[3, 1, 0, 0, 1], [0, 0, 0, 0, 0]]
X, y = [[1, 2, 0, 1, -1], [0, -3, 1, 1, 2]], [1, -1]
problem = sb.Classification(sb.Convolutional(5, 2), X, y, sb.Initialization(1, start))
found = sb.predict(problem, digits=25, theorem="corollary_3")
spectrum = np.abs(np.fft.fft(found.coefficients.astype(float)))
print("L = 2: |F beta| =", np.round(spectrum, 6), found.notes[-1])
assert sb.check(problem, found, digits=25).verdict == "holds"

# 4. Depth 3, complex spectrum: which stationary point, by the full flow; the conditions with phases hold to 25 digits.
start = [[3, 1, 0, 0], [3, 1, 0, 0], [0, 0, 0, 0]]
problem = sb.Classification(sb.Convolutional(4, 3), [[1, 2, 0, 1], [0, -3, 1, 1]], [1, -1], sb.Initialization(1, start))
outcome = sb.check(problem, digits=25)
print(outcome)
assert outcome.verdict == "holds"

# 5. One sample: the winning frequency has the largest |F w|^{L-2} |F x|, and its conjugate wins with it.
x, w = np.array([1, 2, 4, 0, -3]), np.array([3, 1, 0, 0, 1])
problem = sb.Classification(
    sb.Convolutional(5, 3), [x.tolist()], [1], sb.Initialization(1, [w.tolist(), w.tolist(), [0] * 5])
)
found = sb.predict(problem, digits=25)
winner = int(np.argmax(np.abs(np.fft.fft(w)) * np.abs(np.fft.fft(x))))
active = np.flatnonzero(np.abs(np.fft.fft(found.coefficients.astype(float))) > 1e-12)
print("winning frequencies", active, "expected", sorted({winner, -winner % 5}))
assert sorted(active) == sorted({winner, -winner % 5})

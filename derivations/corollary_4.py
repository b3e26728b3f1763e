r"""
Corollary 4: filters of length 1 and 2, one sample, any dimension
===================================================================

:math:`M(x)_{j_1 j_2} = x_{j_1 + j_2}`. Filter 1: M is the row :math:`x^T`, with singular value :math:`\|x\|`. Filter
2: the rows x and :math:`\overleftarrow x`, which have equal norms, so

.. math:: M M^T = \begin{pmatrix} p & c \\ c & p \end{pmatrix}, \quad p = \|x\|^2,\ c = x^T \overleftarrow x,

with eigenvalues :math:`p \pm c` and eigenvectors :math:`(1, \pm 1)/\sqrt 2`, for every d. With T the left shift,
:math:`v_2 \propto M^T v_1 = (1 + \sigma T) x` and :math:`\beta = (1 + \sigma T^{-1}) v_2`.
"""

import mpmath
import numpy as np
import sympy

import symbias as sb
from symbias.proof import Step

# 1. The singular values, any d: only p = |x|^2 = |x<-|^2 and c = x^T x<- enter.
p, c = sympy.symbols("p c", real=True)
gram = sympy.ImmutableMatrix([[p, c], [c, p]])
for sign in (1, -1):
    vector = sympy.ImmutableMatrix([1, sign])
    step = Step(
        f"eigenvector (1, {sign})", gram * vector, (p + sign * c) * vector, "by the product", "polynomial_identity"
    )
    assert step.fails_when_perturbed()
print("squared singular values: p + c and p - c; the larger one is p + |c|, sigma = sign(c)")

# 2. beta, any d: T^d = 1 is not needed, only that T and its inverse commute and sigma^2 = 1.
T = sympy.Symbol("T", nonzero=True)
for sign in (1, -1):
    claim = 2 + sign * (T + 1 / T)
    step = Step("beta", sympy.expand((1 + sign / T) * (1 + sign * T)), claim, "sigma^2 = 1", "polynomial_identity")
    assert step.fails_when_perturbed()
print("beta ∝ y (2 x + sigma (x<- + x->))")

# 3. What it does to the frequency omega: the gain 2 + 2 sigma cos(omega).
omega = sympy.Symbol("omega", real=True)
for sign, kind, kept, lost in ((1, "low-pass", 0, sympy.pi), (-1, "high-pass", sympy.pi, 0)):
    gain = (2 + sign * (T + 1 / T)).subs(T, sympy.exp(sympy.I * omega)).rewrite(sympy.cos).simplify()
    assert sympy.simplify(gain - (2 + 2 * sign * sympy.cos(omega))) == 0
    assert gain.subs(omega, kept) == 4
    assert gain.subs(omega, lost) == 0
    print(f"sigma = {sign}: {kind}, gain {gain}")

# 4. The shift of the paper is T: x<- = (x_2, .., x_d, x_1), and the network says the same for d = 2..6.
for d in range(2, 7):
    xs = sympy.symbols(f"x1:{d + 1}", real=True)
    net = sb.Convolutional(dim=d, depth=2, filters=(2, d))
    M = sympy.Matrix(net.data_tensor(np.array(xs, dtype=object)).tolist())
    assert list(M[0, :]) == list(xs)
    assert list(M[1, :]) == [*xs[1:], xs[0]]
    for sign in (1, -1):
        last = M.T * sympy.Matrix([1, sign])
        beta = net.coefficients([[1, sign], list(last)])
        closed = [2 * xs[i] + sign * (xs[(i + 1) % d] + xs[i - 1]) for i in range(d)]
        assert all(sympy.expand(a - b) == 0 for a, b in zip(beta, closed, strict=True))

# 5. Numbers: the closed form, the SVD, and a second way.
for x in ([1, 2, 3], [1, -2, 1, -1], [3, -1, 2, 4, 1]):
    net = sb.Convolutional(dim=len(x), depth=2, filters=(2, len(x)))
    problem = sb.Classification(net, [x], [1], sb.Initialization(1, [[2, 1], [0] * len(x)]))
    closed = sb.predict(problem, digits=30, theorem="corollary_4")
    by_svd = sb.predict(problem, digits=30, theorem="theorem_3")
    assert max(abs(closed.direction - by_svd.direction)) < mpmath.mpf(10) ** -29
    assert sb.check(problem, closed, digits=30).verdict == "holds"
    print(x, closed.notes[0], [mpmath.nstr(b, 6) for b in closed.coefficients])

# 6. A tie, x^T x<- = 0: M M^T = |x|^2 I, and v_1 keeps the direction it starts with.
net = sb.Convolutional(dim=4, depth=2, filters=(2, 4))
problem = sb.Classification(net, [[1, 1, -1, 1]], [1], sb.Initialization(1, [[2, 1], [0] * 4]))
tie = sb.predict(problem, digits=30)
print("tie:", tie.notes[-1])
with mpmath.workdps(40):
    assert abs(tie.blocks[0][0] - 2 / mpmath.sqrt(5)) < mpmath.mpf(10) ** -29

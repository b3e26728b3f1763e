r"""
The difference of powers and Assumption 1
=========================================

:math:`f(x; w_\pm) = x^\top (w_+^{\odot L} - w_-^{\odot L})` is not linear in its blocks, so it has no data tensor and
Assumption 1 does not apply. Its flow is a diagonal one in each coordinate, with the conserved quantity :math:`w_+
w_-` (depth 2) or :math:`w_+^{2-L} + w_-^{2-L}`.
"""

import sympy

import symbias as sb
from symbias.errors import BadInput, NotDecomposable

net = sb.DifferenceOfPowers(dim=2, depth=3)
for refused, kind in ((lambda: net.data_tensor([1, 2]), BadInput), (net.decompose, NotDecomposable)):
    try:
        refused()
    except kind as error:
        print(error)
        assert "tied weights" in str(error)
    else:
        raise AssertionError("tied weights were given a data tensor")

# Doubling a block does not double f.
w, v = sympy.symbols("w v", positive=True)
single = sb.DifferenceOfPowers(dim=1, depth=3)
assert single.forward([1], [[2 * w], [0]]) - 2 * single.forward([1], [[w], [0]]) != 0

for depth in (2, 3, 4, 5):
    for step in sb.DifferenceOfPowers(dim=1, depth=depth).invariants():
        print(f"depth {depth}: {step.title}")
        assert step.fails_when_perturbed()

# The same on the flow as the network writes it.
system, ((u,), (z,)) = single.flow(), single.symbols()
assert sympy.expand(system.along(1 / u + 1 / z)) == 0
assert sympy.expand(system.along(1 / u - 1 / z)) != 0

"""The difference of powers."""

import numpy as np
import pytest
import sympy
from network_identities import ring_blocks

from symbias.errors import BadInput, NotDecomposable
from symbias.networks import DifferenceOfPowers


@pytest.mark.parametrize(("dim", "depth"), [(d, depth) for d in range(1, 6) for depth in (2, 3, 4)])
def test_f_is_x_times_beta(dim, depth):
    net = DifferenceOfPowers(dim, depth)
    x, blocks = ring_blocks(net)
    assert net.forward(x, blocks) - (x * net.coefficients(blocks)).sum() == 0
    assert net.forward(x, blocks) - (x * net.coefficients(blocks[::-1])).sum() != 0
    assert net.forward(np.array([x, x]), blocks)[1] == net.forward(x, blocks)


def test_tied_weights_have_no_data_tensor_and_no_decomposition():
    net = DifferenceOfPowers(2, 3)
    with pytest.raises(BadInput, match="tied weights"):
        net.data_tensor([1, 2])
    with pytest.raises(BadInput, match="tied weights"):
        net.data_tensor(sympy.symbols("x y"))
    with pytest.raises(NotDecomposable, match="tied weights"):
        net.decompose()


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_its_conserved_quantity_by_the_written_out_flow(depth):
    net = DifferenceOfPowers(2, depth)
    assert all(step.fails_when_perturbed() for step in net.invariants())
    system, (plus, minus) = net.flow(), net.symbols()
    u, v = plus[0], minus[0]
    quantity = u * v if depth == 2 else u ** (2 - depth) + v ** (2 - depth)
    assert sympy.expand(system.along(quantity)) == 0
    assert sympy.expand(system.along(u - v)) != 0

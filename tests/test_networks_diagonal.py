"""The diagonal network."""

import numpy as np
import pytest
from network_identities import assert_numeric_identities, assert_polynomial_identities

from symbias.errors import BadInput
from symbias.initialization import Initialization
from symbias.networks import Diagonal

CLASSES = [(d, depth) for d in range(1, 6) for depth in (2, 3, 4)]


@pytest.mark.parametrize(("dim", "depth"), CLASSES)
def test_f_is_the_tensor_contracted_and_x_times_beta(dim, depth):
    assert_polynomial_identities(Diagonal(dim, depth))
    assert_numeric_identities(Diagonal(dim, depth))


def test_the_coefficients_by_hand():
    net = Diagonal(dim=2, depth=3)
    assert net.coefficients([[1, 2], [3, 4], [5, 6]]).tolist() == [15, 48]
    assert net.forward([2, -1], [[1, 2], [3, 4], [5, 6]]) == 30 - 48


def test_theorem_5_directions_have_eta_in_every_layer_but_the_last():
    init = Initialization.theorem_5(Diagonal(2, 3), alpha="0.5", eta=[1, -3])
    assert [init.direction(layer).tolist() for layer in range(3)] == [[1, -3], [1, -3], [0, 0]]
    with pytest.raises(BadInput, match=r"eta has shape \(3,\)"):
        Initialization.theorem_5(Diagonal(2, 3), 1, [1, 2, 3])


def test_the_decomposition_takes_no_symmetry():
    with pytest.raises(BadInput, match="symmetry='even'"):
        Diagonal(2, 2).decompose(symmetry="even")


def test_the_conserved_quantities_are_differences_of_squared_weights():
    steps = Diagonal(3, 4).invariants()
    assert len(steps) == 3
    assert all(step.fails_when_perturbed() for step in steps)
    system = Diagonal(2, 3).flow()
    (w, _), _, (z, _) = Diagonal(2, 3).symbols()
    assert system.along(w**2 - z**2).expand() == 0
    assert system.along(w**2 + z**2).expand() != 0


def test_the_flow_in_eta_is_the_flow_of_the_network():
    system, transformed = Diagonal(2, 3).flow(), Diagonal(2, 3).eta_flow()
    names = dict(zip(transformed.parameters, system.parameters, strict=True))
    x = [s for s in system.rates.free_symbols if s.name.startswith("x_")]
    names.update(
        {
            s: next(v for v in x if v.name == s.name.replace("s", "x"))
            for s in transformed.rates.free_symbols
            if s.name.startswith("s_")
        }
    )
    assert transformed.rates.xreplace(names) == system.rates


def test_singular_values_at_depth_2_are_the_moduli_of_the_sample():
    D = Diagonal(3, 2).singular_decomposition([1.0, -4.0, 2.0])
    assert np.allclose(D.singular_values(), [4, 2, 1], rtol=1e-14, atol=0)  # a few ulp

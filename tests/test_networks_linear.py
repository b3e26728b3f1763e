"""The plain linear model."""

import pytest
from network_identities import assert_numeric_identities, assert_polynomial_identities

from symbias.errors import BadInput
from symbias.networks import Linear


@pytest.mark.parametrize("dim", range(1, 6))
def test_f_is_the_tensor_contracted_and_x_times_beta(dim):
    assert_polynomial_identities(Linear(dim))
    assert_numeric_identities(Linear(dim))


def test_more_layers_are_refused_naming_the_deep_networks():
    assert Linear(2) == Linear(dim=2, depth=1)
    with pytest.raises(BadInput, match="Diagonal or FullyConnected"):
        Linear(2, depth=2)


def test_its_decomposition_is_trivial_and_nothing_is_conserved_among_layers():
    assert Linear(3).decompose().terms == 3
    assert Linear(3).invariants() == ()

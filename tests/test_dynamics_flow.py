"""The flow as a system of equations, in the parameters and in the coordinates of a decomposition."""

import numpy as np
import pytest
import sympy

from symbias.decompositions.commuting import commuting
from symbias.decompositions.even import even
from symbias.decompositions.fourier import fourier
from symbias.dynamics.flow import transformed_flow
from symbias.errors import BadInput
from symbias.networks import Convolutional, Diagonal, MatrixSensing
from symbias.verdict import Result


def test_the_system_of_the_smallest_diagonal_network_by_hand():
    system = Diagonal(1, 2).flow()
    w, z, x, y, r = sympy.symbols("w_1_1 w_2_1 x_1 y_1 r_1", real=True)
    assert system.parameters == sympy.Tuple(w, z)
    assert system.rates == sympy.Tuple(-r * x * z, -r * x * w)
    assert system.residuals == sympy.Tuple(r)
    assert system.values == sympy.Tuple(x * w * z - y)
    assert Diagonal(1, 2).flow("classification").values == sympy.Tuple(-y * sympy.exp(-y * x * w * z))


def test_the_equations_are_differential_equations_in_t():
    first = Diagonal(1, 2).flow().equations[0]
    assert isinstance(first.lhs, sympy.Derivative)
    t = sympy.Symbol("t", real=True)
    moving = {sympy.Function(name, real=True)(t) for name in ("w_1_1", "w_2_1")}
    assert first.rhs.atoms(sympy.Function) == moving
    assert not first.rhs.has(sympy.Symbol("r_1", real=True))


def test_the_system_prints_and_reads_back():
    system = Convolutional(2, 2).flow()
    latex = system.to_latex()
    assert latex.count(r"\dot") == 4
    assert latex.count("&=") == 5
    assert len(repr(system).splitlines()) == 5
    assert Result.from_dict(system.to_dict()).rates == system.rates


def test_bad_tasks_and_sample_counts_are_refused():
    with pytest.raises(BadInput, match="regression or classification"):
        Diagonal(1, 2).flow("ranking")
    with pytest.raises(BadInput, match="samples"):
        Diagonal(1, 2).flow(samples=0)


def transformed_rates(D, net, x, blocks, r):
    """U_l^T dv_l/dt from the gradients of the network, and the transformed flow evaluated at eta_l = U_l^T v_l."""
    gradients = net.product.gradients(blocks, r * x)
    wanted = [D.transform(-part, layer) for layer, part in enumerate(gradients)]
    system = transformed_flow("regression", net.depth, D.terms, D.is_real)
    etas = [D.transform(v, layer) for layer, v in enumerate(blocks)]
    names = {name.name: name for name in system.parameters.free_symbols | system.rates.free_symbols}
    values = {names[f"eta_{k + 1}_{j + 1}"]: etas[k][j] for k in range(net.depth) for j in range(D.terms)}
    values |= {names[f"s_{j + 1}"]: s for j, s in enumerate(D.apply(x))}
    values[names["r_1"]] = r
    rates = np.array([complex(rate.subs(values)) for rate in system.rates]).reshape(net.depth, D.terms)
    return np.array(wanted), rates


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("dim", [3, 4])
def test_the_transformed_flow_is_the_flow_of_the_coordinates(dim, depth):
    rng = np.random.default_rng(dim)
    x, blocks = rng.normal(size=dim), list(rng.normal(size=(depth, dim)))
    mirror = -np.arange(dim) % dim
    cases = [
        (fourier(dim, depth), Convolutional(dim, depth), x, blocks),
        (even(dim, depth), Convolutional(dim, depth), x + x[mirror], [v + v[mirror] for v in blocks]),
    ]
    A = rng.normal(size=(dim, dim))
    D = commuting([A + A.T], depth)
    cases.append((D, MatrixSensing(dim, depth), A + A.T, [D.block(v, layer) for layer, v in enumerate(blocks)]))
    for D, net, sample, start in cases:
        wanted, rates = transformed_rates(D, net, sample, start, 0.7)
        # Transforms of at most 4 numbers, products of at most 4 factors of order 1 to 10.
        assert np.abs(wanted - rates).max() <= 1e-13 * np.abs(wanted).max()


def test_the_conjugation_in_the_transformed_flow_is_needed():
    rng = np.random.default_rng(0)
    x, blocks = rng.normal(size=3), list(rng.normal(size=(2, 3)))
    wanted, rates = transformed_rates(fourier(3, 2), Convolutional(3, 2), x, blocks, 1)
    assert np.abs(wanted - rates).max() < 1e-13
    assert np.abs(wanted - rates.conj()).max() > 0.1


def test_networks_without_assumption_1_have_no_transformed_flow():
    assert Diagonal(3, 2).eta_flow().parameters[0].is_real
    assert len(Convolutional(5, 3).eta_flow(symmetry="even").parameters) == 9
    assert len(MatrixSensing(2, 3).eta_flow("classification").parameters) == 6
    with pytest.raises(BadInput, match="filter 1"):
        Convolutional(4, 3, (2, 4, 4)).eta_flow()

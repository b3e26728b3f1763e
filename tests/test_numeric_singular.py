"""Singular vectors of tensors against matrices, the closed form of orthogonal tensors, and Lim's equations."""

import mpmath
import numpy as np
import pytest
import sympy

from symbias.errors import NotConverged
from symbias.numeric.singular import contract, lim_residual, orthogonal_tuples, polished, power_iteration
from symbias.verdict import Residual


def test_a_matrix_gives_its_largest_singular_value():
    A = np.random.default_rng(1).standard_normal((4, 3))
    # LAPACK's singular values are good to a few eps.
    assert abs(power_iteration(A).value - np.linalg.svd(A)[1][0]) < 1e-13


def test_thirty_digits_of_a_random_tensor_satisfy_lims_equations_written_out():
    T = np.random.default_rng(2).standard_normal((3, 2, 4))
    start = power_iteration(T, seed=3)
    found = polished(T, start.vectors, start.value, digits=30)
    with mpmath.workdps(40):
        u, v, w = found.vectors
        for i in range(3):
            left = mpmath.fsum(mpmath.mpf(T[i, j, k]) * v[j] * w[k] for j in range(2) for k in range(4))
            assert abs(left - found.value * u[i]) < mpmath.mpf(10) ** -29
        assert abs(mpmath.norm(list(w)) - 1) < mpmath.mpf(10) ** -29


def test_a_wrong_tuple_has_a_large_residual():
    T = np.random.default_rng(2).standard_normal((3, 2, 4))
    found = power_iteration(T)
    changed = [found.vectors[0][::-1], *found.vectors[1:]]
    assert lim_residual(T, changed, found.value) > 1e-2
    assert lim_residual(T, found.vectors, found.value * 1.0001) > 1e-5
    assert not Residual("Lim's equations", lim_residual(T, changed, found.value), 1e-13).holds


def test_the_six_tuples_of_the_example():
    # theory.md, section 5.5: L = 3, sigma = (3, 1) has six tuples, s in {3, 1, 3/sqrt(10)}.
    found = list(orthogonal_tuples([3, 1], depth=3))
    assert len(found) == 6
    assert {sympy.nsimplify(s) for s, _ in found} == {3, 1, 3 / sympy.sqrt(10)}


@pytest.mark.parametrize(("sigma", "depth"), [((3, 1), 3), ((2, -1, 5), 3), ((1, 1), 4), ((2, 3), 5)])
def test_the_closed_form_satisfies_lims_equations_and_has_the_right_number(sigma, depth):
    m, tuples = len(sigma), list(orthogonal_tuples(sigma, depth))
    assert len(tuples) == ((2 ** (depth - 1) + 1) ** m - 1) // 2 ** (depth - 1)
    tensor = np.zeros((m,) * depth)
    for j, entry in enumerate(sigma):
        tensor[(j,) * depth] = entry
    seen = set()
    for s, u in tuples:
        vectors = u.astype(float)
        # Rounding of products of at most five numbers of order one.
        assert lim_residual(tensor, vectors, float(s)) < 1e-14
        seen.add(tuple(np.round(vectors.ravel(), 9)))
    assert len(seen) == len(tuples)


def test_power_iteration_finds_only_tuples_of_the_list():
    tensor = np.zeros((2, 2, 2))
    tensor[0, 0, 0], tensor[1, 1, 1] = 3, 1
    values = {float(s) for s, _ in orthogonal_tuples([3, 1], depth=3)}
    for seed in range(6):
        assert min(abs(power_iteration(tensor, seed=seed, shift=0.5).value - v) for v in values) < 1e-12


def test_contractions_agree_with_numpy():
    T, rng = np.random.default_rng(4).standard_normal((2, 3, 4)), np.random.default_rng(5)
    u = [rng.standard_normal(k) for k in T.shape]
    assert np.allclose(contract(T, u, skip=1), np.einsum("ijk,i,k->j", T, u[0], u[2]), rtol=1e-13)


def test_an_unsettled_iteration_says_so():
    T = np.random.default_rng(0).standard_normal((4, 4, 4))
    with pytest.raises(NotConverged, match="another seed"):
        power_iteration(T, sweeps=1)

"""min sum w |rho|: exact answers with exact certificates, uniqueness, the face; against HiGHS and by hand."""

import dataclasses

import mpmath
import numpy as np
import pytest
import sympy
from scipy import optimize
from sympy import QQ

from symbias.errors import BadInput, NotConverged
from symbias.numeric import weighted_l1 as module
from symbias.numeric.weighted_l1 import weighted_l1

R = sympy.Rational


def highs(A, y, w):
    return optimize.linprog(np.tile(w, 2), A_eq=np.hstack([A, -A]), b_eq=y, method="highs").fun


def test_by_hand():
    # theory.md section 6: x = (2, 2.5), eta = (2, 1): depth 2 has weights (1, 1), depth 3 has (1/2, 1)
    assert weighted_l1([[2, "2.5"]], [1], [1, 1]).exact.tolist() == [0, R(2, 5)]
    assert weighted_l1([[2, "2.5"]], [1], ["0.5", 1]).exact.tolist() == [R(1, 2), 0]
    # the paper's l1 minimum for x = (1, 2), y = 1
    assert weighted_l1([[1, 2]], [1], [1, 1]).exact.tolist() == [0, R(1, 2)]


def test_exact_ties_are_found_with_their_face():
    found = weighted_l1([[1, 1, 2], [0, 1, 1]], [2, 1], [1, 1, 2])
    assert found.unique is False and found.free == (0, 1, 2)
    near = weighted_l1([[1, 1, 2], [0, 1, 1]], [2, 1], [1, 1, 2 - R(1, 10**40)])
    assert near.unique is True and near.exact.tolist() == [0, 0, 1]


def test_repeated_columns_tie():
    found = weighted_l1([[1, 3, 3, -3]], [3], [1, 1, 1, 1])
    assert found.unique is False and found.free == (1, 2, 3)


def test_a_degenerate_vertex_can_be_unique():
    # y on one column of two rows
    found = weighted_l1([[2, 1, 0], [2, 0, 1]], [2, 2], [1, 1, 1])
    assert found.unique is True and found.exact.tolist() == [1, 0, 0]


@pytest.mark.parametrize("seed", range(12))
def test_random_integer_problems(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    m = n + int(rng.integers(1, 6))
    A = rng.integers(-3, 4, (n, m))
    A[:, -1] = A[:, 0] * rng.integers(-1, 2)
    y, w = rng.integers(-3, 4, n), rng.integers(1, 4, m)
    if np.linalg.matrix_rank(A) < n:
        with pytest.raises(BadInput, match="rank|dependent"):
            weighted_l1(A, y, w)
        return
    found = weighted_l1(A, y, w)
    rho = [QQ(int(x.p), int(x.q)) for x in found.exact]
    assert all(sum(int(a) * x for a, x in zip(row, rho, strict=True)) == int(b) for row, b in zip(A, y, strict=True))
    value = sum(int(c) * abs(x) for c, x in zip(w, rho, strict=True))
    assert float(value) == pytest.approx(highs(A.astype(float), y, w), rel=1e-9, abs=1e-12)
    # certificate
    assert (np.abs(A.T @ found.nu) <= w * (1 + 1e-12)).all()
    assert float(value) == pytest.approx(y @ found.nu, rel=1e-12, abs=1e-14)
    assert found.unique == (extent(A, y, w, found.exact) < 1e-9)


def extent(A, y, w, rho):  # noqa: N803
    """The largest move of a coordinate among all minimisers, by HiGHS alone."""
    rho = np.array(rho, dtype=float)
    best = float(np.abs(rho) @ w)
    moves = []
    for j in range(len(w)):
        for sign in (1, -1):
            cost = np.zeros(2 * len(w))
            cost[j], cost[j + len(w)] = -sign, sign
            answer = optimize.linprog(
                cost, A_eq=np.hstack([A, -A]), b_eq=y, A_ub=[np.tile(w, 2)], b_ub=[best + 1e-12], method="highs"
            )
            moves.append(abs((answer.x[j] - answer.x[j + len(w)]) - rho[j]))
    return max(moves) if max(moves) > 1e-6 else 0.0


def test_floats_are_their_binary_values():
    rng = np.random.default_rng(3)
    A, y, w = rng.standard_normal((6, 20)), rng.standard_normal(6), np.exp(rng.standard_normal(20))
    found = weighted_l1(A, y, w)
    assert np.abs(A @ found.rho - y).max() < 1e-15 and found.unique
    assert np.abs(found.rho) @ w == pytest.approx(highs(A, y, w), rel=1e-9)
    assert (found.rho != 0).sum() == 6


def test_irrational_data_to_30_digits():
    found = weighted_l1([[1, sympy.sqrt(2)]], [1], [1, 1], digits=30)
    with mpmath.workdps(40):
        assert abs(found.rho[1] - mpmath.sqrt(mpmath.mpf(1) / 2)) < mpmath.mpf(10) ** -30
    assert found.rho[0] == 0 and found.unique and found.exact is None
    tie = weighted_l1([[1, sympy.sqrt(2)]], [1], [1, sympy.sqrt(2)], digits=30)
    assert tie.unique is False
    # a tie of irrational data is what 10^-(digits + 15) cannot tell apart
    close = weighted_l1([[1, sympy.sqrt(2)]], [1], [1, sympy.sqrt(2) * (1 - R(1, 10**40))], digits=30)
    assert close.unique is True and close.rho[0] == 0


@pytest.mark.parametrize("size", [10**30, R(1, 10**30)])
def test_irrational_data_of_any_size(size):
    plain = weighted_l1([[1, sympy.sqrt(2), 3], [1, -1, sympy.pi]], [1, 2], [1, 2, 3], digits=25)
    scaled = weighted_l1([[size, size * sympy.sqrt(2), size * 3], [1, -1, sympy.pi]], [size, 2], [1, 2, 3], digits=25)
    np.testing.assert_allclose(scaled.rho.astype(float), plain.rho.astype(float), rtol=1e-15)


def test_a_bad_start_still_ends_at_the_optimum(monkeypatch):
    A, y, w = [[1, 2, 3, 5], [2, 1, -1, 4]], [3, 4], [1, 2, 1, 3]
    expected = weighted_l1(A, y, w).exact.tolist()
    for start in ([0, 1], [0, 2], [1, 2], [1, 3], [2, 3]):
        monkeypatch.setattr(module, "starting_basis", lambda *data, start=start: np.array(start))
        assert weighted_l1(A, y, w).exact.tolist() == expected


def test_y_zero_and_weight_zero():
    assert weighted_l1([[1, 2]], [0], [1, 1]).exact.tolist() == [0, 0]
    assert weighted_l1([[1, 2]], [1], [0, 1]).exact.tolist() == [1, 0]
    assert weighted_l1([[1, 2]], [1], [0, 0]).unique is False


def test_a_wrong_point_is_refused():
    A, y, w = module.door([[1, 2]], [1], [1, 1])
    face = module.solve_face(A, y, w, None)
    with pytest.raises(NotConverged, match="A rho = y"):
        module.report(face, [QQ(1), QQ(1)], A, y, None, 0.0)
    with pytest.raises(NotConverged, match="certificate"):
        module.report(dataclasses.replace(face, gap=QQ(1, 10**30)), face.vertices[0], A, y, None, 0.0)


@pytest.mark.parametrize(
    ("A", "y", "w", "match"),
    [
        ([[1, 2], [2, 4]], [1, 2], [1, 1], "rank 1"),
        ([[1, 2]], [1], [1, -1], r"weights\[1\] = -1"),
        ([[1, 2]], [1, 2], [1, 1], "shape"),
        ([[1, np.nan]], [1], [1, 1], r"A\[0, 1\]"),
    ],
)
def test_bad_input_is_named(A, y, w, match):  # noqa: N803
    with pytest.raises(BadInput, match=match):
        weighted_l1(A, y, w)

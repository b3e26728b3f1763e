"""l1, weighted l1, l2 and spectral l1 maximum margins: certificates, hand values, other solvers."""

import numpy as np
import pytest
import sympy
from scipy.optimize import minimize as scipy_minimize
from sympy import QQ

from symbias.errors import BadInput, NotConverged, Undecided
from symbias.numeric.group_l1 import certificate, group_l1_margin
from symbias.numeric.max_margin import Margin, l1_certificate, l1_margin, l2_margin
from symbias.numeric.separability import combination
from symbias.precision import context

CTX = context(50)


def data(rng, n, m):
    while True:
        A = rng.integers(-3, 4, (n, m))
        if combination(A) is None:
            return A


def test_l1_by_hand():
    # (1, 2), (0, 3): z = (0, 1/2), mu = (1/2, 0); A^T mu = (1/2, 1).
    found = l1_margin(np.array([[1, 2], [0, 3]]), CTX)
    assert found.rho.tolist() == [0, QQ(1, 2)]
    assert found.mu.tolist() == [QQ(1, 2), 0]
    assert found.unique and found.support == (0,) and found.active == (1,)


def test_weights_and_their_two_sides_by_hand():
    # x = (2, 5/2), weights (1, 2): 2 at a cost of 1/2 a unit against 5/4: (1/2, 0).
    A = np.array([[sympy.Integer(2), sympy.Rational(5, 2)]])
    assert l1_margin(A, CTX, plus=np.array([1, 2])).rho.tolist() == [QQ(1, 2), 0]
    # A cheap negative side: rho_1 = -1 costs 1/10.
    found = l1_margin(np.array([[-1, 1]]), CTX, plus=np.array([1, 1]), minus=np.array([sympy.Rational(1, 10), 1]))
    assert found.rho.tolist() == [-1, 0]


def test_a_tie_is_not_unique_and_a_certificate_fails_for_a_wrong_point():
    assert not l1_margin(np.array([[1, 1]]), CTX).unique
    A = np.array([[1, 2], [0, 3]], dtype=object)
    one = np.array([1, 1], dtype=object)
    wrong = l1_certificate(A, np.array([1, 0], dtype=object), np.array([QQ(1, 2), 0]), one, one, 0, [0, 0])
    assert not all(r.holds for r in wrong)
    with pytest.raises(NotConverged):
        Margin(one, one, wrong)


def test_l2_by_hand_and_exact():
    # (1, 2) alone: x/|x|^2. (1, 0), (0, 1): (1, 1), mu = (1, 1).
    assert l2_margin(np.array([[1, 2], [0, 3]]), CTX).rho.tolist() == [QQ(1, 5), QQ(2, 5)]
    both = l2_margin(np.array([[1, 0], [0, 1]]), CTX)
    assert both.rho.tolist() == [1, 1] and both.mu.tolist() == [1, 1]


@pytest.mark.parametrize("seed", range(6))
def test_l2_matches_slsqp_on_easy_data(seed):
    A = data(np.random.default_rng(seed), 4, 5)
    found = l2_margin(A, CTX)
    z = found.rho.astype(float)
    peer = scipy_minimize(
        lambda v: v @ v,
        z + 0.05,
        jac=lambda v: 2 * v,
        constraints={"type": "ineq", "fun": lambda v: A @ v - 1},
        method="SLSQP",
    )
    assert abs(peer.fun - z @ z) < 1e-6 * (z @ z)  # SLSQP's default tolerance
    assert all(m >= 0 for m in found.mu) and (A.T @ found.mu == found.rho).all()


def test_irrational_data_keep_their_digits():
    A = np.array([[sympy.sqrt(2), 1], [1, -sympy.sqrt(3)]])
    found = l2_margin(A, CTX)
    exact = sympy.Matrix(A).T * (sympy.Matrix(A) * sympy.Matrix(A).T).LUsolve(sympy.ones(2, 1))
    if all(m > 0 for m in found.mu):
        for ours, true in zip(found.rho, exact, strict=True):
            assert abs(ours - CTX.mpf(true.evalf(45)._mpf_)) < CTX.mpf(10) ** -40


def test_data_that_no_rho_separates_are_refused_by_both():
    for solver in (l1_margin, l2_margin):
        for A in ([[1, 0], [-1, 0]], [[0, 0]], [[1, 1], [0, 0]]):
            with pytest.raises(BadInput, match="separates"):
                solver(np.array(A), CTX)


def test_duplicate_samples_do_no_harm():
    assert l2_margin(np.array([[1, 2], [1, 2], [1, 2]]), CTX).rho.tolist() == [QQ(1, 5), QQ(2, 5)]
    assert l1_margin(np.array([[1, 2], [1, 2]]), CTX).rho.tolist() == [0, QQ(1, 2)]


def mpf(A):
    return np.vectorize(CTX.mpf, otypes=[object])(A)


def test_a_kept_sign_forbids_the_other_side_whatever_it_would_save():
    # rows (-5, 1): free it is rho = (-1/5, 0); with rho_1 >= 0 only (0, 1), and (A^T mu)_1 = -5 has no bound there
    A = np.array([[-5, 1]])
    assert l1_margin(A, CTX).rho.tolist() == [QQ(-1, 5), 0]
    kept = l1_margin(A, CTX, kept=[1, 0])
    assert kept.rho.tolist() == [0, 1] and kept.mu.tolist() == [1] and kept.unique
    assert l1_margin(A, CTX, kept=[-1, 1]).rho.tolist() == [QQ(-1, 5), 0]
    with pytest.raises(BadInput, match="separates"):
        l1_margin(A, CTX, kept=[1, -1])
    # the control: a point on the forbidden side is no solution
    with pytest.raises(NotConverged, match="signs"):
        l1_certificate(A, np.array([QQ(-1, 5), QQ(0)]), np.array([QQ(1, 5)]), [1, 1], [1, 1], 0, [1, 0])


def test_groups_of_one_are_the_l1_margin():
    for seed in range(5):
        A = data(np.random.default_rng(seed), 2, 5)
        plain = l1_margin(A, CTX)
        if not plain.unique:
            continue
        found = group_l1_margin(mpf(A), [[j] for j in range(5)], [1] * 5, CTX)
        assert (
            max(
                abs(a - CTX.mpf(int(b.numerator)) / int(b.denominator))
                for a, b in zip(found.rho, plain.rho, strict=True)
            )
            < 1e-40
        )


def test_one_group_is_the_l2_margin():
    A = data(np.random.default_rng(8), 2, 2)
    found = group_l1_margin(mpf(A), [[0, 1]], [1], CTX)
    plain = l2_margin(A, CTX)
    assert max(abs(float(a) - float(b)) for a, b in zip(found.rho, plain.rho, strict=True)) < 1e-14


def test_a_group_certificate_fails_for_a_wrong_point():
    A = mpf([[1, 2, 0, 1], [0, 1, 1, -1]])
    groups, w = [[0, 1], [2, 3]], np.array([1.0, 1.0])
    found = group_l1_margin(A, groups, w, CTX)
    tolerance = CTX.mpf(10) ** -25
    assert all(r.holds for r in certificate(A, groups, w, found.rho, found.mu, tolerance))
    changed = found.rho * (1 + CTX.mpf(10) ** -20)
    assert not all(r.holds for r in certificate(A, groups, w, changed, found.mu, tolerance))


def test_a_group_tie_is_undecided():
    with pytest.raises(Undecided, match="tight"):
        group_l1_margin(mpf([[1, 1]]), [[0], [1]], [1, 1], CTX)

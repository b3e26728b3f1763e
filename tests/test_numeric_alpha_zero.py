"""The limit alpha to 0 of argmin Q, ties included, against argmin Q itself at alpha = 1e-40."""

import mpmath
import numpy as np
import pytest
import sympy

from symbias.errors import BadInput, NotConverged
from symbias.numeric import alpha_zero
from symbias.numeric.alpha_zero import alpha_zero_limit
from symbias.numeric.minimize import argmin_potential

R = sympy.Rational

TIES = {
    "three equal columns": ([[1, 1, 1]], [1], [1, 1, 1]),
    "two equal columns, unequal eta": ([[1, 1, "0.1"]], [1], [2, 3, 1]),
    "a face of dimension 1, two rows": ([[1, 0, 1, 1, R(1, 2)], [0, 1, 1, -1, R(1, 2)]], [2, 1], [1, 1, 1, 1, 1]),
    "opposite columns": ([[1, 2, -2, 0], [0, 1, -1, 1]], [2, 3], [1, 1, 1, 1]),
}


def tied(name, depth):
    """The data; with unequal eta, columns that tie in the weighted norm."""
    A, y, eta = TIES[name]
    if name == "two equal columns, unequal eta":
        A = [[R(1) if depth == 2 else R(e) ** (2 - depth) for e in eta[:2]] + [R(1, 10)]]
    return A, y, eta


@pytest.mark.parametrize("depth", [2, 3, 5])
@pytest.mark.parametrize("name", TIES)
def test_ties_agree_with_argmin_q_at_1e_40(name, depth):
    A, y, eta = tied(name, depth)
    limit = alpha_zero_limit(A, y, eta, depth, digits=30)
    assert limit.free
    near = argmin_potential(A, y, None, depth, digits=30, a=[R(10) ** -40 * e for e in eta])
    with mpmath.workdps(40):
        # theory.md section 4: losers of depth 2 are a^2 alpha^(-2 kappa), kappa <= 3/4 here: 1e-20
        assert max(abs(p - q) for p, q in zip(limit.rho, near.rho, strict=True)) < mpmath.mpf(10) ** -19


def test_the_two_rules_differ():
    # equal columns: sum x^{2/3} is largest at equal shares, sum x log(x/eta^2) least at shares of eta^2
    by_power = alpha_zero_limit([[1, 1]], [1], [2, 2], 3).rho
    by_entropy = alpha_zero_limit([[1, 1]], [1], [2, 1], 2).rho
    np.testing.assert_allclose(by_power, [0.5, 0.5], rtol=1e-15)
    np.testing.assert_allclose(by_entropy, [0.8, 0.2], rtol=1e-15)


def test_the_concave_rule_by_hand():
    # columns (1, 1/4), weights eta^-2 = (1, 1/4): sqrt x + sqrt z on x + z/4 = 1 is largest at z = 16 x, x = 1/5
    found = alpha_zero_limit([[1, "0.25"]], [1], [1, 2], 4, digits=30)
    with mpmath.workdps(40):
        assert abs(found.rho[0] - mpmath.mpf(1) / 5) < mpmath.mpf(10) ** -30
        assert abs(found.rho[1] - mpmath.mpf(16) / 5) < mpmath.mpf(10) ** -29


def test_unique_limits_are_exact():
    # theory.md section 6
    assert alpha_zero_limit([[2, "2.5"]], [1], [2, 1], 2).exact.tolist() == [0, R(2, 5)]
    assert alpha_zero_limit([[2, "2.5"]], [1], [2, 1], 3).exact.tolist() == [R(1, 2), 0]
    assert alpha_zero_limit([[2, "2.5"]], [1], [2, 1], 4).exact.tolist() == [R(1, 2), 0]


def test_eta_may_be_negative():
    assert alpha_zero_limit([[2, "2.5"]], [1], [-2, 1], 3).exact.tolist() == [R(1, 2), 0]


def test_floats_in_floats_out():
    rng = np.random.default_rng(5)
    A, y, log_eta = rng.standard_normal((3, 8)), rng.standard_normal(3), rng.standard_normal(8)
    for depth in (3, 4):
        limit = alpha_zero_limit(A, y, np.exp(log_eta), depth)
        assert limit.unique and (limit.rho == 0).sum() == 5
        near = argmin_potential(A, y, np.log(1e-100) + log_eta, depth)
        np.testing.assert_allclose(near.rho, limit.rho, rtol=1e-13, atol=1e-99)


def test_y_zero():
    assert not alpha_zero_limit([[1, 2]], [0], [1, 1], 2).rho.any()


def test_a_wrong_share_is_refused(monkeypatch):
    solve = alpha_zero.Cholesky.solve
    monkeypatch.setattr(alpha_zero.Cholesky, "solve", lambda self, right: solve(self, right) * 0)
    with pytest.raises(NotConverged, match="tie"):
        alpha_zero_limit([[1, 1]], [1], [2, 1], 2, digits=20)


@pytest.mark.parametrize(
    ("eta", "depth", "match"), [([0, 1], 3, r"eta\[0\] is 0"), ([1, 1], 1, "depth"), ([1, 1, 1], 2, "shape")]
)
def test_bad_input_is_named(eta, depth, match):
    with pytest.raises(BadInput, match=match):
        alpha_zero_limit([[1, 2]], [1], eta, depth)

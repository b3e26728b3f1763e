"""argmin Q in float64: reference values, other solvers, both ends of alpha, extreme inputs, bad input."""

import math
import warnings

import mpmath
import numpy as np
import pytest
from scipy import optimize

from symbias.errors import BadInput, NotConverged
from symbias.numeric import minimize, path, path_float, scaled
from symbias.numeric.minimize import argmin_potential
from symbias.numeric.weighted_l1 import weighted_l1
from symbias.numeric.weighted_l2 import weighted_l2

EPS = np.finfo(float).eps

# theory.md section 6: x = (1, 2), y = 1, eta = (1, 1): rho_1
COROLLARY_5 = {
    (2, 1.0): 0.189480406593109406,
    (3, 1.0): 0.180873365156731503,
    (4, 1.0): 0.173613752137595645,
    (2, 0.01): 0.00352911265823201659,
    (3, 0.01): 1.9503862868058967e-6,
    (4, 0.01): 8.88742244517477767e-9,
}


def gaussian(seed: int, n: int, m: int):
    """Data of order 1 and eta = exp(normal)."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, m)), rng.standard_normal(n), rng.standard_normal(m)


@pytest.mark.parametrize(("depth", "alpha"), COROLLARY_5)
def test_corollary_5_table(depth, alpha):
    found = argmin_potential(np.array([[1.0, 2.0]]), np.array([1.0]), np.full(2, np.log(alpha)), depth)
    expected = COROLLARY_5[depth, alpha]
    # at alpha = 0.01 the entry itself moves by L |log alpha| eps, 18 eps, when log alpha is rounded
    assert abs(found.rho[0] / expected - 1) < 1e-14
    assert found.rho[1] == pytest.approx((1 - expected) / 2, rel=1e-14)
    assert found.note == ""


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_agrees_with_mpmath_root_of_the_dual(depth):
    A, y, log_eta = gaussian(3, 2, 4)
    a = [mpmath.mpf(x) for x in 0.7 * np.exp(log_eta)]
    forward = {
        2: lambda t: mpmath.sinh(2 * t) / 2,
        3: lambda t: mpmath.tan(t) / mpmath.cos(t) ** 2,
        4: lambda t: t / (1 - t**2) ** 2,
    }[depth]

    def rho(nu):
        return [
            a[j] ** depth * forward(a[j] ** (depth - 2) * mpmath.fdot(nu, [mpmath.mpf(x) for x in A[:, j]]))
            for j in range(4)
        ]

    def equations(*nu):
        values = rho(nu)
        return [mpmath.fsum(mpmath.mpf(A[i, j]) * values[j] for j in range(4)) - mpmath.mpf(y[i]) for i in range(2)]

    found = argmin_potential(A, y, np.array([float(mpmath.log(x)) for x in a]), depth)
    scale = math.exp(found.log_unit) * max(a) ** (2 - depth)
    nu = mpmath.findroot(equations, [mpmath.mpf(x) * scale for x in found.nu])
    expected = np.array([float(x) for x in rho(list(nu))])
    np.testing.assert_allclose(found.rho, expected, rtol=1e-13)  # a few eps times the condition of the 2 x 2 system


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_agrees_with_slsqp_where_that_works(depth):
    from symbias import kernels

    A, y, log_eta = gaussian(5, 3, 8)
    a = np.exp(log_eta)

    def potential(rho):
        return float(np.sum(a**2 * kernels.H(depth, rho / a**depth)))

    def slope(rho):
        return a ** (2 - depth) * kernels.h_inverse(depth, rho / a**depth)

    start = np.linalg.lstsq(A, y, rcond=None)[0]
    constraint = {"type": "eq", "fun": lambda rho: A @ rho - y, "jac": lambda rho: A}
    peer = optimize.minimize(
        potential, start, jac=slope, constraints=[constraint], method="SLSQP", options={"ftol": 1e-15, "maxiter": 500}
    )
    found = argmin_potential(A, y, log_eta, depth)
    # SLSQP stops at sqrt(eps) in rho
    np.testing.assert_allclose(found.rho, peer.x, atol=2e-6 * np.abs(peer.x).max())
    assert potential(found.rho) <= potential(peer.x) * (1 + 1e-13)


@pytest.mark.parametrize("depth", [2, 3, 4, 5, 8, 12])
@pytest.mark.parametrize("alpha", [1e100, 1e3, 1.0, 0.1, 1e-3, 1e-10, 1e-100])
def test_residuals_at_every_alpha(depth, alpha):
    A, y, log_eta = gaussian(7, 5, 20)
    found = argmin_potential(A, y, np.log(alpha) + log_eta, depth)
    # rounding: eps n for feasibility, eps L |log eta| for stationarity
    assert all(residual.value < 1e-13 for residual in found.residuals)
    assert np.abs(A @ found.rho - y).max() < 1e-13
    assert found.steps <= 25  # 17 at most were needed
    assert np.isfinite(found.log_rho).all()


@pytest.mark.parametrize("depth", [2, 3, 6])
def test_large_alpha_is_weighted_l2(depth):
    A, y, log_eta = gaussian(11, 4, 9)
    found = argmin_potential(A, y, np.log(1e100) + log_eta, depth)
    expected = weighted_l2(A, y, np.exp((2 - 2 * depth) * log_eta), digits=20)
    # the relative distance is O(alpha^-2L); rounding is eps times the condition of A, about 10
    np.testing.assert_allclose(found.rho, expected.rho.astype(float), rtol=1e-12)


@pytest.mark.parametrize("depth", [3, 4, 6])
def test_small_alpha_is_weighted_l1(depth):
    A, y, log_eta = gaussian(13, 4, 9)
    found = argmin_potential(A, y, np.log(1e-100) + log_eta, depth)
    expected = weighted_l1(A, y, np.exp((2 - depth) * log_eta))
    assert expected.unique
    np.testing.assert_allclose(found.rho, expected.rho, rtol=1e-13, atol=1e-100)


def test_losers_keep_their_digits_below_the_range_of_floats():
    found = argmin_potential(np.array([[1.0, 2.0]]), np.array([1.0]), np.full(2, np.log(1e-100)), 5)
    # the loser is a^5 h_5(c_5/2): with E = 2 arctan q, E + sin E = 4 t = pi/2
    q = math.tan(optimize.brentq(lambda e: e + math.sin(e) - math.pi / 2, 0, 2, xtol=1e-15) / 2)
    assert found.rho[0] == 0.0
    assert found.root[0] == pytest.approx(q, rel=1e-13)
    expected = 5 * np.log(1e-100) + math.log(q * (1 + q * q) ** 2)
    assert found.log_rho[0] == pytest.approx(expected, rel=4 * EPS)


def test_near_tie_of_depth_2():
    A, y = np.array([[0.999, 1.0]]), np.array([1.0])
    at = {alpha: argmin_potential(A, y, np.full(2, np.log(alpha)), 2).rho for alpha in (1e-3, 1e-100)}
    # pitfalls.md, to the digits given there
    np.testing.assert_allclose(at[1e-3], [0.4966, 0.5039], atol=5e-5)
    np.testing.assert_allclose(at[1e-100], [0.3868, 0.6136], atol=5e-5)


def test_y_zero_gives_zero():
    found = argmin_potential(np.array([[1.0, 2.0], [0.0, 1.0]]), np.zeros(2), np.zeros(2), 3)
    assert not found.rho.any() and not found.root.any() and not found.nu.any()


@pytest.mark.parametrize("depth", [2, 3, 5])
@pytest.mark.parametrize("alpha", [1.0, 1e-3, 1e-100])
def test_repeated_columns_share_equally(depth, alpha):
    A, y, _ = gaussian(17, 3, 5)
    doubled = np.hstack([A, A[:, :2], -A[:, 2:3]])
    found = argmin_potential(doubled, y, np.full(8, np.log(alpha)), depth)
    np.testing.assert_allclose(found.rho[5:7], found.rho[:2], rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(found.rho[7], -found.rho[2], rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("alpha", [1.0, 1e-6, 1e-100])
def test_square_matrix_leaves_no_choice(alpha):
    A, y, log_eta = gaussian(19, 6, 6)
    found = argmin_potential(A, y, np.log(alpha) + log_eta, 4)
    np.testing.assert_allclose(found.rho, np.linalg.solve(A, y), rtol=1e-12)  # condition of A: 30


@pytest.mark.parametrize("depth", [2, 3, 4, 6])
@pytest.mark.parametrize("column", [0, 3])
def test_y_on_a_column_keeps_the_tiny_coordinates(depth, column):
    A, _, _ = gaussian(23, 4, 9)
    A[:, column] *= 8  # long enough to carry y alone as alpha goes to 0
    found = argmin_potential(A, 2 * A[:, column], np.full(9, np.log(1e-3)), depth)
    # off the column, A rho = y binds the tiny coordinates alone, and holds to their own digits
    off = np.linalg.qr(A[:, [column]], mode="complete")[0][:, 1:]
    rest, others = np.delete(found.rho, column), np.delete(A, column, axis=1)
    assert np.abs(rest).max() < 1e-3
    assert np.abs(off.T @ others @ rest).max() < 1e-13 * np.abs(rest).max()


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_eta_over_200_orders_of_magnitude(depth):
    A, y, _ = gaussian(29, 3, 8)
    log_a = np.log(0.1) + np.linspace(-230, 230, 8)
    found = argmin_potential(A, y, log_a, depth)
    assert np.abs(A @ found.rho - y).max() < 1e-13
    # the three heaviest columns carry everything: the others are smaller by the ratios of a^(2L-2)
    np.testing.assert_allclose(found.rho[-3:], np.linalg.solve(A[:, -3:], y), rtol=1e-12)


def test_exact_minimum_has_its_dual():
    A, y, log_eta = gaussian(31, 3, 7)
    found = argmin_potential(A, y, np.log(0.05) + log_eta, 3)
    from symbias import kernels

    log_a = np.log(0.05) + log_eta
    left = kernels.h_inverse(3, found.rho / np.exp(3 * log_a))
    right = np.exp(log_a - log_a.max()) * (A.T @ found.nu) * math.exp(found.log_unit)
    np.testing.assert_allclose(left, right, rtol=1e-12)


class Shift:
    """Rows are cyclic shifts of one vector: applied by FFT, never formed."""

    def __init__(self, row: np.ndarray, n: int):
        self.hat, self.shape = np.fft.rfft(row), (n, row.size)
        self.dense = np.array([np.roll(row, i) for i in range(n)])

    def apply(self, rho):
        return np.fft.irfft(np.conj(self.hat) * np.fft.rfft(rho), self.shape[1])[: self.shape[0]]

    def adjoint(self, nu):
        return np.fft.irfft(self.hat * np.fft.rfft(nu, self.shape[1]), self.shape[1])

    def gram(self, weights):
        return np.array([self.apply(weights * self.adjoint(unit)) for unit in np.eye(self.shape[0])])


@pytest.mark.parametrize("small", [scaled.SMALL, 0])
@pytest.mark.parametrize("alpha", [1.0, 1e-3, 1e-30])
def test_operator_equals_its_matrix(small, alpha, monkeypatch):
    rng = np.random.default_rng(37)
    operator = Shift(rng.standard_normal(64), 5)
    y, log_a = rng.standard_normal(5), np.log(alpha) + 0.5 * rng.standard_normal(64)
    expected = argmin_potential(operator.dense, y, log_a, 3)
    monkeypatch.setattr(scaled, "SMALL", small)
    monkeypatch.setattr("symbias.numeric.minimize_input.SMALL", small)
    found = argmin_potential(operator, y, log_a, 3)
    # the FFT of 64 entries is right to a few eps, the basis has a condition of about 10
    np.testing.assert_allclose(found.rho, expected.rho, rtol=1e-10, atol=1e-14 * np.abs(expected.rho).max())


@pytest.mark.parametrize("y_on_column", [False, True])
def test_large_problem_without_dense_frames(y_on_column, monkeypatch):
    A, y, log_eta = gaussian(41, 4, 300)
    y = 2 * A[:, 7] if y_on_column else y
    expected = argmin_potential(A, y, np.log(1e-5) + log_eta, 3)
    monkeypatch.setattr(scaled, "SMALL", 0)
    found = argmin_potential(A, y, np.log(1e-5) + log_eta, 3)
    np.testing.assert_allclose(found.rho, expected.rho, rtol=1e-9, atol=1e-15 * np.abs(expected.rho).max())


def test_a_perturbed_answer_is_refused(monkeypatch):
    A, y, log_eta = gaussian(43, 3, 7)
    settle = path_float.Local.settle
    null = np.linalg.svd(A)[2][-1]

    def off_the_constraints(self):
        v, r = settle(self)
        return v, r * (1 + 1e-9)

    def off_the_optimum(self):
        v, r = settle(self)
        return v, r + 1e-9 * null / self.problem.columns

    monkeypatch.setattr(path_float.Local, "settle", off_the_constraints)
    with pytest.raises(NotConverged, match="feasibility") as caught:
        argmin_potential(A, y, log_eta, 3)
    assert {residual.name for residual in caught.value.residuals} >= {"feasibility", "stationarity"}
    monkeypatch.setattr(path_float.Local, "settle", off_the_optimum)
    with pytest.raises(NotConverged, match="stationarity"):
        argmin_potential(A, y, log_eta, 3)


def test_an_unfinished_path_says_so(monkeypatch):
    A, y, log_eta = gaussian(47, 3, 7)
    monkeypatch.setattr(path, "_MAX_STEPS", 4)
    with pytest.raises(NotConverged, match="log alpha is still off by"):
        argmin_potential(A, y, np.log(1e-10) + log_eta, 3)


def test_progress_counts_down():
    seen = []
    A, y, log_eta = gaussian(53, 3, 7)
    found = argmin_potential(A, y, np.log(1e-4) + log_eta, 3, progress=lambda count, left: seen.append((count, left)))
    assert [count for count, _ in seen] == list(range(1, found.steps + 1))
    assert seen[-1][1] == 0.0 and seen[0][1] > 1


def test_near_tie_that_float64_cannot_decide_is_named():
    # dependent active columns at L = 3: gap 1e-12, alpha = 1e-10
    found = argmin_potential(np.array([[1.0 - 1e-12, 1.0]]), np.array([1.0]), np.full(2, np.log(1e-10)), 3)
    assert "digits=" in found.note
    clear = argmin_potential(np.array([[0.5, 1.0]]), np.array([1.0]), np.full(2, np.log(1e-10)), 3)
    assert clear.note == ""


def test_a_solution_far_above_its_data_says_how_far_it_holds():
    # rho near 1e8 for y near 1: A rho = y cannot hold to eps |y|
    A = np.array([[1.0, 1.0, 0.3], [1.0, 1.0 + 1e-8, 0.3]])
    found = argmin_potential(A, np.array([1.0, 2.0]), np.zeros(3), 3)
    assert "of |y| in float64" in found.note and np.abs(found.rho).max() > 1e7


def hostile(seed: int):
    """Random sizes, graded or integer or dependent columns, y on a column, eta up to 1e±12, any alpha."""
    g = np.random.default_rng(seed)
    n = int(g.integers(1, 7))
    m = n + int(g.integers(0, 12))
    A = g.standard_normal((n, m))
    match int(g.integers(0, 7)):
        case 1:
            A = g.integers(-2, 3, (n, m)).astype(float)
        case 2:
            A *= np.exp(g.uniform(-10, 10, m))
        case 3:
            A *= np.exp(g.uniform(-10, 10, (n, 1)))
        case 4:
            A[:, g.integers(0, m, m // 2)] = A[:, [0]]
        case 5:
            A *= g.random((n, m)) < 0.5
    y = [g.standard_normal(n), 2 * A[:, 0], A @ np.where(g.random(m) < 0.3, 1.0, 0.0), np.sign(g.standard_normal(n))]
    eta = [np.ones(m), np.exp(g.standard_normal(m)), 10.0 ** g.uniform(-3, 3, m), 10.0 ** g.uniform(-12, 12, m)]
    alpha = float(g.choice([1e100, 1e3, 1, 0.1, 1e-3, 1e-10, 1e-30, 1e-100]))
    log_a = np.log(alpha) + np.log(eta[g.integers(0, 4)])
    return A, y[g.integers(0, 4)], log_a, int(g.choice([2, 3, 4, 5, 8, 12]))


def test_hostile_random_problems():
    tried = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(150):
            A, y, log_a, depth = hostile(seed)
            if np.linalg.matrix_rank(A) < len(y):
                with pytest.raises(BadInput, match="rank"):
                    argmin_potential(A, y if y.any() else np.ones(len(y)), log_a, depth)
                continue
            found = argmin_potential(A, y, log_a, depth)
            # row by row: rounding of A rho against the row and the largest coordinate
            scale = np.abs(A).max(axis=1) * np.abs(found.rho).max() + np.abs(y)
            assert (np.abs(A @ found.rho - y) <= 1e-13 * scale).all(), seed
            tried += 1
    assert tried > 120


@pytest.mark.parametrize(
    ("A", "y", "log_a", "depth", "match"),
    [
        ([[1.0, 2.0]], [1.0], [0.0, 0.0], 1, "depth"),
        ([[1.0, 2.0]], [1.0], [0.0, 0.0], 2.0, "depth"),
        ([[1.0, np.nan]], [1.0], [0.0, 0.0], 2, r"A\[0, 1\]"),
        ([[1.0, 2.0]], [np.inf], [0.0, 0.0], 2, r"y\[0\]"),
        ([[1.0, 2.0]], [1.0], [0.0, -np.inf], 2, r"log_a\[1\]"),
        ([[1.0, 2.0]], [1.0, 2.0], [0.0, 0.0], 2, "shape"),
        ([[1.0, 2.0]], [1.0], None, 2, "log_a is missing"),
        ([[1.0, 2.0], [2.0, 4.0]], [1.0, 2.0], [0.0, 0.0], 2, "rank 1 but 2 rows.*drop the dependent rows"),
        ([[1.0, 2.0], [2.0, 4.0]], [1.0, 3.0], [0.0, 0.0], 3, "rank 1 but 2 rows.*no rho interpolates"),
        ([[1.0, 2.0], [2.0, 5.0], [1.0, 1.0]], [1.0, 1.0, 1.0], [0.0, 0.0], 3, "rank 2 but 3 rows"),
        ([[1e-300, 2e-300]], [1e300], [0.0, 0.0], 3, "range of float64"),
    ],
)
def test_bad_input_is_named(A, y, log_a, depth, match):  # noqa: N803
    with pytest.raises(BadInput, match=match):
        argmin_potential(np.array(A), np.array(y), log_a if log_a is None else np.array(log_a), depth)


def test_the_record_survives_a_dictionary():
    found = argmin_potential(np.array([[1.0, 2.0]]), np.array([1.0]), np.zeros(2), 3)
    again = minimize.Minimum.from_dict(found.to_dict())
    assert (again.rho == found.rho).all() and again.steps == found.steps
    assert "feasibility" in found.to_latex()

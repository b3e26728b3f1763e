"""Theorem 5 and Corollaries 5, 6, 7: predictions against theory.md's values, other solvers and closed forms by hand."""

import mpmath
import numpy as np
import pytest
import sympy
from scipy.optimize import brentq, minimize

import symbias as sb
from symbias.errors import BadInput, HypothesisFails
from symbias.theorems import STATEMENTS

COVERS = ["theorem_5", "corollary_5", "corollary_6", "corollary_7"]

#: Corollary 5, x = (1, 2), y = 1, eta = (1, 1): the first coefficient (theory.md, section 6).
TABLE = {
    (2, "1"): "0.189480406593109406",
    (3, "1"): "0.180873365156731503",
    (4, "1"): "0.173613752137595645",
    (2, "0.01"): "0.00352911265823201659",
    (3, "0.01"): "1.9503862868058967e-6",
    (4, "0.01"): "8.88742244517477767e-9",
}


def one_sample(depth, alpha, x=(1, 2), y=1, eta=1):
    net = sb.Diagonal(len(x), depth)
    return sb.Regression(net, [list(x)], [y], sb.Initialization.theorem_5(net, alpha, eta))


@pytest.mark.parametrize("depth, alpha", TABLE)
def test_corollary_5_table_in_float64(depth, alpha):
    z = sb.predict(one_sample(depth, alpha)).coefficients
    # 1e-14 relative is what the users were promised, about 45 ulp
    assert z[0] == pytest.approx(float(TABLE[depth, alpha]), rel=1e-14)
    assert z[1] == pytest.approx((1 - float(TABLE[depth, alpha])) / 2, rel=1e-14)


@pytest.mark.parametrize("depth, alpha", TABLE)
def test_corollary_5_table_to_its_printed_digits(depth, alpha):
    printed = TABLE[depth, alpha]
    digits = len(printed.partition("e")[0].replace(".", "").lstrip("0"))
    z = sb.predict(one_sample(depth, alpha), digits=digits).coefficients[0]
    # one unit in the last printed digit
    assert abs(z / mpmath.mpf(printed) - 1) <= mpmath.mpf(10) ** (1 - digits)


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_25_digits_satisfy_the_stationarity_equation_by_hand(depth):
    # grad Q is proportional to x = (1, 2): h^{-1}(z_2 / a^L) = 2 h^{-1}(z_1 / a^L), z_1 + 2 z_2 = 1, a = 1/100; solved
    # by bisection in t of z_1 = a^L h(t), z_2 = a^L h(2t), with h of theory.md written out.
    explicit = {
        2: lambda t: mpmath.sinh(2 * t) / 2,
        3: lambda t: mpmath.tan(t) / mpmath.cos(t) ** 2,
        4: lambda t: t / (1 - t**2) ** 2,
    }[depth]
    end = {2: mpmath.mpf(20), 3: mpmath.pi / 4, 4: mpmath.mpf(1) / 2}[depth]
    with mpmath.workdps(60):
        a = mpmath.mpf(1) / 100
        excess = lambda t: a**depth * (explicit(t) + 2 * explicit(2 * t)) - 1  # noqa: E731
        low, high = mpmath.mpf(0), end * (1 - mpmath.mpf(10) ** -45)
        for _ in range(190):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(middle) < 0 else (low, middle)
        wanted = a**depth * explicit(low), a**depth * explicit(2 * low)
        found = sb.predict(one_sample(depth, "0.01"), digits=25).coefficients
        assert all(abs(z / w - 1) < mpmath.mpf(10) ** -24 for z, w in zip(found, wanted, strict=True))


def test_the_blocks_multiply_to_the_coefficients_and_keep_the_conserved_differences():
    problem = one_sample(3, "0.5", x=(1, 2, -1), y=2, eta=[1, -2, 3])
    prediction = sb.predict(problem, digits=30)
    with mpmath.workdps(30):
        w = prediction.blocks
        assert all(
            abs(a * b * c - z) < mpmath.mpf(10) ** -28 for a, b, c, z in zip(*w, prediction.coefficients, strict=True)
        )
        # w_1^2 - w_3^2 = alpha^2 eta^2 for ever
        for j, eta in enumerate([1, -2, 3]):
            assert abs(w[0][j] ** 2 - w[2][j] ** 2 - mpmath.mpf(eta**2) / 4) < mpmath.mpf(10) ** -28


def test_signs_of_the_start_may_differ_from_layer_to_layer():
    net = sb.Diagonal(2, 3)
    init = sb.Initialization(1, [[1, 2], [-1, 2], [0, 0]])
    mixed = sb.predict(sb.Regression(net, [[1, 2]], [1], init))
    assert np.allclose(mixed.coefficients, sb.predict(one_sample(3, 1, eta=[1, 2])).coefficients, rtol=1e-14, atol=0)
    assert mixed.blocks[1][0] < 0 < mixed.blocks[0][0]


def test_several_samples_against_a_general_minimizer():
    # scipy's BFGS on the null space, from theory.md's H_2 written out; alpha = 1, where it is well conditioned.
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(3, 6)), rng.normal(size=3)
    net = sb.Diagonal(6, 2)
    found = sb.predict(sb.Regression(net, X, y, sb.Initialization.theorem_5(net, 1, 1))).coefficients
    particular, null = np.linalg.lstsq(X, y)[0], np.linalg.svd(X)[2][3:]

    def value(u):
        z = particular + u @ null
        return (z / 2 * np.arcsinh(2 * z) - (np.sqrt(1 + 4 * z**2) - 1) / 4).sum()

    best = minimize(value, np.zeros(3), method="BFGS", options={"gtol": 1e-9})
    # BFGS stops at a gradient of 1e-9; the Hessian 1/sqrt(1 + 4 z^2) is of order 1 here
    assert np.allclose(found, particular + best.x @ null, rtol=0, atol=1e-7)


def even_rows(rng, n, dim):
    half = rng.integers(-3, 4, size=(n, dim // 2 + 1))
    return half[:, [min(i, dim - i) for i in range(dim)]]


@pytest.mark.parametrize("dim", [3, 4, 5, 8])
def test_corollary_6_is_the_minimiser_over_even_vectors_with_the_factor_of_the_dimension(dim):
    # One even sample, depth 2: with rho_k = (F z)_k / sqrt(d) over all d frequencies and all |F w| = eta = 1,
    # stationarity is asinh(2 rho_k) / 2 = nu sqrt(d) (F x)_k, so z = F^* sqrt(d) rho: one unknown nu, found by brentq.
    x = even_rows(np.random.default_rng(dim), 1, dim)[0] + 1
    spectrum = np.fft.fft(x).real  # sqrt(d) F x
    coefficients = lambda nu: np.fft.ifft(dim * np.sinh(2 * nu * spectrum) / 2).real  # noqa: E731
    nu = brentq(lambda nu: x @ coefficients(nu) - 1, 0, 5, xtol=1e-16, rtol=1e-15)
    net = sb.Convolutional(dim, 2)
    problem = sb.Regression(net, [x.tolist()], [1], sb.Initialization.theorem_5(net, 1, [1] * dim))
    found = sb.predict(problem, theorem="corollary_6").coefficients
    # brentq's nu is good to 1e-15, and spectra up to 20 multiply that
    assert np.allclose(found, coefficients(nu), rtol=0, atol=1e-12)
    wrong = np.fft.ifft(np.sinh(2 * nu * spectrum) / 2).real  # without the factor
    assert not np.allclose(found, wrong, rtol=0, atol=1e-3)


def rotation(dim):
    # an orthogonal matrix with rational entries: a Householder reflection
    v = sympy.Matrix(range(1, dim + 1))
    return sympy.eye(dim) - 2 * v * v.T / (v.T * v)[0]


@pytest.mark.parametrize("depth", [2, 3])
def test_corollary_7_in_a_rotated_basis_is_corollary_5_on_the_eigenvalues(depth):
    P, eigenvalues = rotation(3), [[1, 2, 5], [3, -1, 1]]
    A = [(P * sympy.diag(*row) * P.T).tolist() for row in eigenvalues]
    net = sb.MatrixSensing(3, depth)
    problem = sb.Regression(net, A, [1, 2], sb.Initialization.theorem_5(net, "0.1", 1))
    found = sb.predict(problem, theorem="corollary_7", digits=20)
    diagonal = sb.Diagonal(3, depth)
    init = sb.Initialization.theorem_5(diagonal, "0.1", 1)
    z = sb.predict(sb.Regression(diagonal, eigenvalues, [1, 2], init), digits=25).coefficients
    with mpmath.workdps(30):
        wanted = mpmath.matrix(P) * mpmath.diag(list(z)) * mpmath.matrix(P.T)
        for i in range(3):
            for j in range(3):
                assert abs(found.coefficients[i, j] - wanted[i, j]) < mpmath.mpf(10) ** -19


def test_y_of_zero_stays_at_the_origin():
    prediction = sb.predict(one_sample(3, "0.1", y=0))
    assert not prediction.coefficients.any()


@pytest.mark.parametrize("alpha", ["1e-100", "1e100"])
def test_extreme_scales(alpha):
    # alpha -> oo: x / |x|^2 within alpha^-2L; alpha -> 0: (0, 1/2), the loser of size alpha^3. log(alpha) = 230 enters
    # times the depth, and its rounding with it: 3 * 230 eps = 1.5e-13.
    wanted = [0.2, 0.4] if alpha == "1e100" else [0.0, 0.5]
    assert np.allclose(sb.predict(one_sample(3, alpha)).coefficients, wanted, rtol=2e-13, atol=1e-290)


# The two ends of alpha


@pytest.mark.parametrize("depth, wanted", [(2, [0, 0.4]), (3, [0.5, 0]), (4, [0.5, 0])])
def test_weights_decide_the_limit_alpha_to_zero_from_depth_three_on(depth, wanted):
    problem = one_sample(depth, 1, x=(2, "2.5"), eta=[2, 1])
    assert np.allclose(sb.limit(problem, alpha=0).coefficients, wanted, rtol=1e-15, atol=0)
    precise = sb.limit(problem, alpha=0, digits=40).coefficients
    assert all(abs(z - w) < mpmath.mpf(10) ** -16 for z, w in zip(precise, wanted, strict=True))


@pytest.mark.parametrize("end", [sympy.oo, float("inf")])
def test_limit_alpha_to_infinity_is_the_weighted_least_norm(end):
    # minimise z_1^2/2^4 + z_2^2 with z_1 + 2 z_2 = 1, depth 3, eta = (2, 1): z = (16, 2) nu, 20 nu = 1
    found = sb.limit(one_sample(3, 1, eta=[2, 1]), alpha=end)
    assert np.allclose(found.coefficients, [0.8, 0.1], rtol=1e-15, atol=0)


def test_limits_are_approached():
    # alpha -> oo within O(alpha^{-2L}); depth 2, so alpha = 1e4 leaves 1e-16 relative.
    problem = one_sample(2, "1e4")
    assert np.allclose(sb.predict(problem).coefficients, sb.limit(problem, alpha=sympy.oo).coefficients, rtol=1e-13)


def test_a_limit_elsewhere_than_at_its_ends_is_refused():
    with pytest.raises(BadInput, match="sb.predict"):
        sb.limit(one_sample(2, 1), alpha=1)


# Hypotheses


def margins(problem, name="theorem_5"):
    return {h.name: h for h in STATEMENTS[name].hypotheses(problem)}


def test_a_last_layer_that_is_not_zero_fails_with_its_size():
    net = sb.Diagonal(2, 2)
    problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization(1, [[2, 2], ["0.5", 0]]))
    with pytest.raises(HypothesisFails, match="v̄_L = 0"):
        sb.predict(problem, theorem="theorem_5")
    # 0.5 relative to the scale 2
    assert margins(problem)["v̄_L = 0"].margin == -0.25


def test_layers_that_start_unequal_fail_with_the_difference():
    net = sb.Diagonal(2, 3)
    problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization(1, [[2, 2], [2, 3], [0, 0]]))
    assert margins(problem)["|U_l^T v̄_l| equal for all l < L"].margin == -0.5
    with pytest.raises(HypothesisFails, match="equal for all"):
        sb.predict(problem, theorem="theorem_5")


def test_a_difference_in_the_30th_digit_is_seen_when_the_input_is_exact():
    net = sb.Diagonal(2, 3)
    nearly = "1." + "0" * 29 + "1"
    problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization(1, [[1, 1], [1, nearly], [0, 0]]))
    with pytest.raises(HypothesisFails, match="equal for all"):
        sb.predict(problem, theorem="theorem_5")


def test_lambda_is_reported_as_the_margin():
    assert margins(one_sample(2, 1, eta=[3, "0.25"]))["|η̄_j| >= lambda > 0"].margin == 0.25


def test_a_row_that_is_not_even_is_named():
    net = sb.Convolutional(4, 2)
    problem = sb.Regression(net, [[1, 2, 3, 2], [1, 2, 3, 4]], [1, 2], sb.Initialization.theorem_5(net, 1, 1))
    with pytest.raises(HypothesisFails, match="row 1 is not even"):
        sb.predict(problem, theorem="corollary_6")


def test_blocks_that_are_not_even_fail():
    net = sb.Convolutional(4, 2)
    problem = sb.Regression(net, [[1, 2, 3, 2]], [1], sb.Initialization(1, [[1, 2, 0, 0], [0, 0, 0, 0]]))
    with pytest.raises(HypothesisFails, match="span of U_l"):
        sb.predict(problem, theorem="corollary_6")


def test_matrices_that_do_not_commute_name_the_pair():
    net = sb.MatrixSensing(2, 2)
    A = [[[1, 0], [0, 2]], [[0, 1], [1, 0]]]
    problem = sb.Regression(net, A, [1, 2], sb.Initialization.theorem_5(net, 1, 1))
    with pytest.raises(HypothesisFails, match="commute") as caught:
        sb.predict(problem, theorem="corollary_7")
    assert "0" in str(caught.value) and "1" in str(caught.value)


def test_a_corollary_for_another_network_is_refused():
    with pytest.raises(HypothesisFails, match="convolutional network"):
        sb.predict(one_sample(2, 1), theorem="corollary_6")


def test_an_unknown_statement_lists_those_there_are():
    with pytest.raises(BadInput, match="theorem_5"):
        sb.predict(one_sample(2, 1), theorem="theorem_55")


def test_a_prediction_reads_back_digit_for_digit():
    prediction = sb.predict(one_sample(3, "0.01"), digits=40)
    again = type(prediction).from_dict(prediction.to_dict())
    assert all(a == b for a, b in zip(again.coefficients, prediction.coefficients, strict=True))
    assert repr(again) == repr(prediction) and again.statement.id == "theorem_5"
    assert "yun2021" in again.cite() and "symbias" in again.cite()

"""What bites in the libraries underneath: each small input that goes wrong when they are used the obvious way gets the
right value here, or a refusal. The expected values are exact, by hand, or from mpmath in high precision.
"""

import threading
import time

import mpmath
import numpy as np
import pytest
import sympy

import symbias as sb
from symbias.functions import H, h, h_inverse
from symbias.functions import c as c_end

# SymPy


@pytest.mark.parametrize("d", [3, 5, 7, 9, 12])
def test_sums_of_roots_of_unity_are_proved_zero(d):
    # simplify leaves them (sympy #19726)
    steps = sb.Convolutional(d, 2).decompose().prove()
    assert steps and all(step.fails_when_perturbed() for step in steps)


@pytest.mark.parametrize("depth", [3, 4])
def test_lemma_4_is_derived_where_dsolve_gives_up(depth):
    # dsolve: NotImplementedError for L = 3, ValueError for L = 4 (sympy #16910)
    assert sb.derive(sb.Diagonal(2, depth)).verify() > 10


def test_a_symbolic_depth_lowers_once_it_is_a_number():
    # sympy's own integral is hyper(.. exp_polar ..), whose lambdify is a NameError (sympy #18179)
    y = sympy.Symbol("y")
    depth = sympy.Symbol("L", integer=True, positive=True)
    f = sb.lower(h_inverse(depth, y).subs(depth, 3), [y])
    assert f(1.0) == pytest.approx(0.5987667052549518971485504, rel=4e-16)  # theory.md, section 6: one ulp or two


def test_no_digit_is_lost_between_sympy_and_mpmath():
    # lambdify to 'sympy' squeezes 64-digit Floats through doubles (sympy #16464)
    y = sympy.Symbol("y")
    value = sb.lower(H(4, y), [y], digits=40)(1)
    with mpmath.workdps(40):
        # depth 4: h = t / (1 - t^2)^2 and q^2 = t^2 / (1 - t^2), H = t h - q^2 / 2
        t = mpmath.findroot(lambda t: t - (1 - t * t) ** 2, (0.5, 0.6), solver="anderson")
        assert abs(value - (t - t**2 / (1 - t**2) / 2)) < mpmath.mpf(10) ** -38
    assert mpmath.nstr(value, 25) == "0.3347498141075977360628353"  # theory.md, section 6


def test_a_float_is_refused_at_every_symbolic_door():
    x, half = sympy.Symbol("x"), sympy.Float(0.1)
    for door in (
        lambda: sb.lower(half * x, [x]),
        lambda: sb.potential([half], depth=3, alpha=1, eta=1),
        lambda: sb.Diagonal(1, 2).data_tensor([half]),
    ):
        with pytest.raises(sb.BadInput, match="Float"):
            door()


def test_a_quasi_norm_at_zero_is_no_nan():
    # d|x|^{2/3} is nan at 0; a start with beta_j = 0 at the end meets it
    net = sb.Diagonal(2, 3)
    end = sb.limit(sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, 1, 1)), alpha=0)
    assert np.array_equal(end.coefficients, [0, 0.5])


def test_a_sparse_tensor_stays_sparse():
    # SymPy's sparse arrays densify in derive_by_array (sympy #16941): the dense one has 16,384 entries
    tensor = sb.FullyConnected(4, 3, widths=[4, 4]).data_tensor(sympy.symbols("x1:5"))
    assert isinstance(tensor, sympy.ImmutableSparseNDimArray) and len(tensor._sparse_array) <= 4 * 4 * 4


# mpmath


@pytest.mark.parametrize(("depth", "t"), [(3, 1.6), (4, 1.01)])
def test_past_the_blow_up_there_is_no_number_and_no_hang(depth, t):
    # odefun past the blow-up time never returns (mpmath #228): c_3 = pi/2, c_4 = 1
    began = time.monotonic()
    assert np.isnan(sb.kernels.h(depth, t))
    with pytest.raises(sb.BadInput, match="outside its domain"):
        h(depth, sympy.Rational(str(t))).evalf(20)
    assert time.monotonic() - began < 5 and float(c_end(depth)) < t


@pytest.mark.parametrize("alpha", ["0.1", "1e-3", "1e-8", "1e-100", "1e100"])
def test_the_root_of_theorem_6_is_found_at_every_scale(alpha):
    # findroot's tolerance is absolute on |f|^2: it succeeds at alpha = 0.1 and fails from 1e-3 on (mpmath #736)
    net = sb.Diagonal(2, 2)
    problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha, 1))
    z = sb.predict(problem, digits=30, theorem="theorem_6").coefficients
    with mpmath.workdps(60):
        # z_j = alpha^2 sinh(2 x_j nu) / 2: eliminate nu between the two coordinates
        u = [mpmath.asinh(2 * mpmath.mpf(v) / mpmath.mpf(alpha) ** 2) for v in z]
        assert abs(z[0] + 2 * z[1] - 1) < mpmath.mpf(10) ** -28
        assert abs(u[1] / u[0] - 2) < mpmath.mpf(10) ** -27


def test_four_threads_at_different_digits_give_what_one_gives():
    # mp.dps is global and not thread-safe (mpmath #683)
    net = sb.Diagonal(3, 3)
    problem = sb.Regression(net, [[1, 2, 3]], [1], sb.Initialization.theorem_5(net, "0.1", 1))
    digits = [None, 15, 30, 60]
    alone = {asked: str(sb.predict(problem, digits=asked).coefficients) for asked in digits}
    seen: list[tuple] = []

    def work(order):
        seen.extend((asked, str(sb.predict(problem, digits=asked).coefficients)) for asked in order)

    threads = [threading.Thread(target=work, args=(digits[k:] + digits[:k],)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 16 and all(text == alone[asked] for asked, text in seen)


# TensorLy


def test_the_convolution_of_four_is_decomposed_exactly():
    # power iteration and parafac miss it, by a residual of 1.7 to 3.3
    x = np.array([1.0, -2.0, 0.5, 3.0])
    net = sb.Convolutional(4, 3)
    found = net.decompose()
    U = np.exp(2j * np.pi * np.outer(range(4), range(4)) / 4) / 2
    S = 4 * np.exp(-2j * np.pi * np.outer(range(4), range(4)) / 4) / 2
    tensor = np.einsum("j,aj,bj,cj->abc", S @ x, U, U, U)
    assert np.abs(tensor - net.data_tensor(x)).max() < 1e-13  # 64 terms of size 10
    assert found.terms == 4


# SciPy


@pytest.mark.parametrize("alpha", ["0.1", "0.01"])
def test_a_flow_from_a_small_start_ends_where_it_is_predicted(alpha):
    # solve_ivp's defaults are 6 to 15 % wrong with status 0 here (scipy #18039)
    net = sb.Diagonal(2, 3)
    problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha, 1))
    path = sb.simulate(problem)
    assert np.abs(path.coefficients[-1] - sb.predict(problem).coefficients).max() < 1e-5


def test_the_minimum_of_q_at_a_small_scale_has_the_right_sign_and_size():
    # SLSQP says success at 410 % error at alpha = 1e-6 (scipy #7519); trust-constr returns the wrong sign
    net = sb.Diagonal(2, 2)
    problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, "1e-6", 1))
    z = sb.predict(problem, theorem="theorem_5").coefficients
    # theory.md: the loser is (a^2 / 4) (4 |y| / (|s_w| a_w^2))^{|s_j / s_w|} = (1e-12 / 4) sqrt(2e12), to 1e-6 relative
    assert z[0] == pytest.approx(0.25e-12 * np.sqrt(2e12), rel=1e-5) and z[1] == pytest.approx(0.5, abs=1e-6)


def test_large_arguments_of_a_deep_network_stay_finite():
    # hyp2f1(1/2, (L-1)/2; 3/2; -q^2) is not finite at large q from L = 64
    found = sb.kernels.h_inverse(64, np.array([1e3, 1e100, 1e300]))
    end = float(mpmath.sqrt(mpmath.pi) * mpmath.gamma(31) / (2 * mpmath.gamma(mpmath.mpf(63) / 2)))
    assert np.isfinite(found).all() and (np.diff(found) >= 0).all() and found[-1] <= end * (1 + 1e-15)


def test_repeated_singular_values_are_no_failure():
    # M_fc: every singular value d-fold; singular vectors are fixed up to a rotation only
    net = sb.FullyConnected(3, 2)
    start = sb.Initialization(1, [np.eye(3).tolist(), [0, 0, 0]])
    beta = sb.predict(sb.Regression(net, [[1, 2, 2]], [3], start), digits=20).coefficients
    with mpmath.workdps(30):  # in the row space of X: x y / |x|^2
        assert all(abs(b - mpmath.mpf(k) / 3) < 1e-19 for b, k in zip(beta, (1, 2, 2), strict=True))


# Our own arithmetic


@pytest.mark.parametrize("y", ["1e-6", "1e-10", "1e-160"])
def test_h_near_zero_is_half_the_square(y):
    # (y/2) asinh(2y) - (sqrt(1 + 4y^2) - 1)/4 is wrong by 3e-5 at 1e-6 and 0 at 1e-10
    value = float(y)
    assert sb.kernels.H(2, value) == pytest.approx(value * value / 2, rel=2e-12)
    assert sb.kernels.root(3, value) == pytest.approx(value, rel=2e-12)  # Cardano: wrong by 3e-8 at 1e-9


@pytest.mark.parametrize("alpha", ["1e-160", "1e-120", "1e160"])
@pytest.mark.parametrize("depth", [2, 3])
def test_scales_that_over_and_underflow(alpha, depth):
    # y / alpha^2 overflows at 1e-160, alpha^3 underflows at 1e-120, sinh(800) is inf
    net = sb.Diagonal(2, depth)
    problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha, 1))
    z = sb.predict(problem, digits=20).coefficients
    assert abs(z[0] + 2 * z[1] - 1) < 1e-18
    wanted = [0.2, 0.4] if alpha == "1e160" else [0, 0.5]  # the limits: l2 and l1
    assert all(abs(v - w) < 1e-15 for v, w in zip(z, wanted, strict=True)) or depth == 2


def test_a_near_tie_that_decides_slowly():
    # theory: L = 2, x = (0.999, 1): z = (0.4966, 0.5039) at alpha = 1e-3 and still (0.3868, 0.6136) at 1e-100
    net = sb.Diagonal(2, 2)
    for alpha, wanted in (("1e-3", (0.4966, 0.5039)), ("1e-100", (0.3868, 0.6136))):
        problem = sb.Regression(net, [["0.999", 1]], [1], sb.Initialization.theorem_5(net, alpha, 1))
        assert sb.predict(problem).coefficients == pytest.approx(wanted, abs=5e-5)
        assert sb.check_limit(problem, alpha=0).verdict == "undecided"


def test_singular_values_of_an_integer_matrix_are_numbers_not_pages_of_radicals():
    # SymPy writes those of a 3x3 integer matrix in complex radicals (#20029); numpy's are the reference here
    net = sb.Convolutional(3, 2)
    found = net.singular_decomposition([1, 2, 4]).singular_values()
    wanted = np.linalg.svd(np.array(net.data_tensor(np.array([1.0, 2.0, 4.0]))), compute_uv=False)
    # two backward stable computations of values of order 7
    assert np.allclose(sorted(found), sorted(wanted), rtol=0, atol=1e-13)


def test_matrix_sensing_of_the_hadamard_matrix_at_which_eig_fails():
    # mpmath's eig fails on the 8 x 8 Hadamard matrix (#418); its eigenvalues are +-sqrt(8), four of each
    H = np.array([[1]])
    for _ in range(3):
        H = np.block([[H, H], [H, -H]])
    net = sb.MatrixSensing(8, 2)
    problem = sb.Regression(net, [H.tolist()], [1], sb.Initialization.theorem_5(net, "0.5", 1))
    found = sb.predict(problem, digits=25, theorem="corollary_7")
    with mpmath.workdps(30):
        # by symmetry M = c H with <H, M> = 64 c = 1
        wanted = mpmath.mpf(1) / 64
        assert all(abs(found.coefficients[i, j] - wanted * int(H[i, j])) < 1e-24 for i in range(8) for j in range(8))


def test_an_exact_zero_of_algebraic_numbers_ends():
    # evalf of an exact zero over CRootOf never ends (#28486): as data it is read to a fixed precision
    root = sympy.CRootOf(sympy.Symbol("x") ** 5 - sympy.Symbol("x") - 1, 0)
    net = sb.Diagonal(2, 2)
    problem = sb.Regression(net, [[root, 1]], [1], sb.Initialization.theorem_5(net, 1, 1))
    found = sb.predict(problem, digits=20)
    with mpmath.workdps(40):
        x = mpmath.mpf(sympy.N(root, 40)._to_mpmath(140))
        assert abs(x * found.coefficients[0] + found.coefficients[1] - 1) < mpmath.mpf(10) ** -19


def test_power_iteration_has_a_seed_and_leaves_its_tensor_alone():
    # tensorly's takes none (#615), and parafac changes the init it is given (#594)
    from symbias.numeric.singular import power_iteration

    tensor = np.array([[[3.0, 1.0], [0.5, 2.0]], [[1.0, 0.0], [2.0, 1.0]]])
    before = tensor.copy()
    first, second = power_iteration(tensor, seed=1), power_iteration(tensor, seed=1)
    assert repr(first) == repr(second) and np.array_equal(tensor, before)


@pytest.mark.parametrize("y", [1e-9, 1e-15, 1e-300])
def test_the_cubic_root_near_zero(y):
    # Cardano's root of q + q^3 = y is wrong by 3e-8 at 1e-9; q = y - y^3 + ..., y to the last bit here
    assert sb.kernels.root(3, y) == pytest.approx(y - y**3, rel=1e-15)


@pytest.mark.parametrize("depth", [2, 3, 5])
@pytest.mark.parametrize(("eta", "winners"), [([1, 1e300], ([1, 1], [0, 1])), ([1, 1e-300], ([1, 1], [1, 0]))])
def test_starts_three_hundred_powers_of_ten_apart_are_answered_without_a_warning(depth, eta, winners):
    # Squares of 1e300 overflow, those of 1e-300 are 0 in floats, and LSODA takes no tolerance below the normal numbers.
    # x = (1, 2), (2, 1): depth 2 is the l1 margin whatever the start, (1, 1)/3; beyond, the larger start wins alone.
    net = sb.Diagonal(2, depth)
    problem = sb.Classification(net, [[1, 2], [2, 1]], [1, 1], sb.Initialization.theorem_5(net, 1, eta))
    wanted = np.array(winners[depth > 2]) / np.linalg.norm(winners[depth > 2])
    found = sb.predict(problem)
    assert found.statement.id == "theorem_2" and np.allclose(found.direction, wanted, atol=1e-15)
    general = sb.predict(problem, theorem="general_initialization")
    assert np.allclose(general.direction, wanted, atol=1e-15)
    assert len(sb.theorems_for(problem)) > 0
    try:  # the flow of the blocks in floats: an answer, or one clear error
        assert np.allclose(sb.predict(problem, theorem="theorem_1").direction, wanted, atol=1e-15)
    except sb.SymbiasError as fault:
        assert "start" in str(fault) or "undecided" in str(fault)


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize(("eta", "coefficients"), [([1.0, 1e300], [0, 0.5]), ([1.0, 1e-300], [1, 0])])
def test_starts_of_regression_hundreds_of_powers_apart(eta, coefficients, depth):
    # By hand: the larger a_j takes all of x = (1, 2), y = 1; at depth 2 from eta = (1, 1e-300) that is e_1 as well.
    net = sb.Diagonal(2, depth)
    problem = sb.Regression(net, [[1.0, 2.0]], [1.0], sb.Initialization.theorem_5(net, 1.0, eta))
    with pytest.raises(sb.BadInput, match=r"10\^[+-]?300 or its inverse, too far for float64: ask for digits"):
        sb.predict(problem)
    if depth == 2:  # seconds at depth 3
        found = sb.predict(problem, digits=15).coefficients.astype(float)
        np.testing.assert_allclose(found, coefficients, rtol=1e-14, atol=1e-100)
    assert "general_initialization" in str(sb.theorems_for(problem)).lower().replace(" ", "_")
    with pytest.raises(sb.BadInput, match="ask for digits"):
        sb.predict(problem, theorem="lazy", outside=True)

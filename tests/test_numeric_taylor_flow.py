"""Where flows end in high precision: reference values, optimality of each network's own problem, saddles named."""

import dataclasses

import numpy as np
import pytest

from symbias.errors import NotConverged
from symbias.numeric.products import Circular, Hadamard, MatrixProduct
from symbias.numeric.taylor_flow import flow_limit
from symbias.numeric.tied_product import DifferenceOfPowers
from symbias.precision import context

CTX = context(60)


def mpf(values):
    values = np.array(values, dtype=object)
    out = np.empty(values.shape, dtype=object)
    for index, entry in np.ndenumerate(values):
        out[index] = CTX.mpf(str(entry))
    return out


def limit(product, X, y, blocks, digits=25, **options):
    found = flow_limit(product, mpf(X), mpf(y), [mpf(block) for block in blocks], digits, **options)
    inside = np.vectorize(CTX.convert, otypes=[object])  # to compute on with 60 digits
    return dataclasses.replace(found, beta=inside(found.beta), blocks=tuple(map(inside, found.blocks)))


# theory.md, section 6: z_1 of Corollary 5 for x = (1, 2), y = 1, eta = (1, 1), to 18 digits
COROLLARY_5 = [
    (2, "1", "0.189480406593109406"),
    (3, "1", "0.180873365156731503"),
    (4, "1", "0.173613752137595645"),
    (2, "0.01", "0.00352911265823201659"),
    (3, "0.01", "1.9503862868058967e-6"),
    (4, "0.01", "8.88742244517477767e-9"),
]


@pytest.mark.parametrize(("depth", "alpha", "z"), COROLLARY_5)
def test_diagonal_networks_end_at_the_reference_values(depth, alpha, z):
    found = limit(Hadamard(), [[1, 2]], [1], [[alpha, alpha]] * (depth - 1) + [[0, 0]])
    z = CTX.mpf(z)
    # the last printed digit of the reference, relative
    assert abs(found.beta[0] - z) < 1e-16 * z
    assert abs(found.beta[1] - (1 - z) / 2) < 1e-16
    assert found.agreement >= 25 and found.drift < 1e-25


# theory.md, section 6: L = 2, alpha = 0.5, initial direction (1, 0); beta_1 to 20 digits
DIRECTION = {
    "fully connected": (MatrixProduct(), [[["0.5", 0], [0, "0.5"]], ["0.5", 0]], "0.42360679774997896964"),
    "diagonal": (Hadamard(), [["0.5", "0.5"], ["0.5", 0]], "0.50994822961536369559"),
    "convolution": (Circular(2), [["0.5", 0], ["0.5", 0]], "0.45020143094631223452"),
}


@pytest.mark.parametrize("name", DIRECTION)
def test_the_three_networks_of_the_paper_end_at_the_reference_values(name):
    product, blocks, first = DIRECTION[name]
    found = limit(product, [[1, 2]], [1], blocks)
    assert abs(found.beta[0] - CTX.mpf(first)) < 1e-20  # the reference is printed to 20 digits
    other = limit(product, [[1, 2]], [1], [blocks[0], ["0.5", "0.001"]])
    assert abs(other.beta[0] - CTX.mpf(first)) > 1e-6  # negative control: another start, another end


def test_matrix_sensing_with_diagonal_data_is_the_diagonal_network():
    eye = [["0.3", 0], [0, "0.3"]]
    matrices = limit(MatrixProduct(), [[[1, 0], [0, 2]]], [1], [eye, eye, [[0, 0], [0, 0]]])
    vectors = limit(Hadamard(), [[1, 2]], [1], [["0.3", "0.3"]] * 2 + [[0, 0]])
    assert matrices.beta[0, 1] == matrices.beta[1, 0] == 0
    for i in range(2):
        assert abs(matrices.beta[i, i] - vectors.beta[i]) < 1e-25


@pytest.mark.parametrize("depth", [2, 3])
def test_a_difference_of_powers_ends_where_the_gradient_of_its_potential_is_in_the_row_space(depth):
    x, a = [1, 2], "0.4"
    found = limit(DifferenceOfPowers(depth), [x], ["0.7"], [[a, a], [a, a]])
    assert len(found.blocks) == 2 and abs(found.beta[0] + 2 * found.beta[1] - CTX.mpf("0.7")) < 1e-24
    plus, minus = found.blocks
    if depth == 2:  # hypentropy (Woodworth et al. 2020): Q' = asinh(beta/(2 a^2))
        slopes = [CTX.asinh(b / (2 * CTX.mpf(a) ** 2)) for b in found.beta]
    else:  # w_± = a (1 ∓ s)^(-1/(L-2)), and Q' is s
        slopes = [1 / m ** (depth - 2) - 1 / p ** (depth - 2) for p, m in zip(plus, minus, strict=True)]
    assert abs(slopes[1] - 2 * slopes[0]) < 1e-23 < abs(slopes[1] - slopes[0])


def test_the_convolution_ends_at_interpolation_with_frequencies_conserved():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2, 5)).round(3)
    blocks = [["0.7", "0.1", 0, 0, "-0.2"], ["0.2", 0, "0.1", 0, 0]]
    found = limit(Circular(5), X, [1, "-0.5"], blocks, digits=20)
    assert max(abs(v) for v in mpf(X).dot(found.beta) - mpf([1, "-0.5"])) < 1e-19
    assert found.drift < 1e-22 and found.log10_loss < -20 and found.steps > 10


def test_a_saddle_is_named_with_the_loss_it_stalls_at():
    # n = 1, depth 2, eta_2 = -eta_1, y > 0: stops at y^2/2 (theory.md, section 4)
    with pytest.raises(NotConverged, match=r"stalls at the loss 0\.32"):
        limit(Hadamard(), [[1]], ["0.8"], [["0.5"], ["-0.5"]])
    assert limit(Hadamard(), [[1]], ["0.8"], [["0.5"], ["-0.499"]], digits=15).agreement >= 15


def test_the_zero_start_does_not_move():
    with pytest.raises(NotConverged, match=r"stalls at the loss 0\.5"):
        limit(Hadamard(), [[1, 2]], [1], [[0, 0], [0, 0]])


def test_targets_that_cannot_be_met_are_named_with_their_loss():
    # rows (1, 2) twice, targets 1 and 0: the least loss is 1/2 (1/4 + 1/4)
    with pytest.raises(NotConverged, match=r"stalls at the loss 0\.25"):
        limit(Hadamard(), [[1, 2], [1, 2]], [1, 0], [["0.5", "0.5"], [0, 0]])


def test_a_target_of_zero_at_a_zero_start_is_met_at_once():
    found = limit(Hadamard(), [[1, 2]], [0], [["0.5", "0.5"], [0, 0]])
    assert not any(found.beta) and found.steps == 0


@pytest.mark.parametrize("alpha", ["1e-6", "1e3"])
def test_small_and_large_scales_keep_their_digits(alpha):
    X, y, blocks = [[1, 2]], ["0.3"], [[alpha, alpha], [alpha, alpha], [0, 0]]
    coarse, fine = limit(Hadamard(), X, y, blocks, digits=15), limit(Hadamard(), X, y, blocks, digits=25)
    for a, b in zip(coarse.beta, fine.beta, strict=True):
        assert abs(a - b) < 1e-14 * abs(b)  # 15 digits of every coefficient, the smallest of about 1e-11 too


def test_progress_is_told_how_far_it_is():
    seen = []

    class Bar:
        def update(self, value):
            seen.append(value)

    limit(Hadamard(), [[1, 2]], [1], [["0.5", "0.5"], [0, 0]], progress=Bar())
    assert len(seen) > 5 and 0 <= min(seen) and 0.9 < max(seen) <= 1.01


@pytest.mark.parametrize("alpha", ["1", "1e5"])
def test_an_entry_that_moves_far_less_than_the_others_keeps_its_digits_too(alpha):
    # W_1 = alpha I but for one zero, w_2 = 0: at a large alpha that entry ends at alpha^-3 times one of order 1
    W, v = [[alpha, "0"], ["1e-1", alpha]], ["0", "0"]
    found = limit(MatrixProduct(), [["1", "2"]], ["1"], [W, v], digits=30)
    assert found.agreement >= 30
    # W^T W - w w^T is conserved: the other way to the small entry W_12, from the other three and w
    (a, b), (c, d) = found.blocks[0]
    w_1, w_2 = found.blocks[1]
    off = mpf("0.1") * mpf(alpha)  # of W^T W at the start
    assert abs(a * b + c * d - w_1 * w_2 - off) <= 10 ** (2 - CTX.mpf(30)) * mpf(alpha) ** 2

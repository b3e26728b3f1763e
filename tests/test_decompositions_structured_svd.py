"""The singular values that the networks give: against the matrix M(x) itself, in float64 and in 40 digits."""

import numpy as np
import pytest

import symbias as sb
from symbias.decompositions.structured_svd import CircularSVD, DiagonalSVD, SensingSVD
from symbias.decompositions.svd import MatrixSVD
from symbias.errors import BadInput
from symbias.precision import context

CASES = [
    (sb.Diagonal(4, 2), ["1", "-3", "0", "3"], DiagonalSVD),
    (sb.Convolutional(1, 2), ["-2"], CircularSVD),
    (sb.Convolutional(2, 2), ["1", "2"], CircularSVD),
    (sb.Convolutional(5, 2), ["1", "-2", "0.5", "3", "1"], CircularSVD),
    (sb.Convolutional(6, 2), ["1", "2", "0", "-1", "4", "1"], CircularSVD),
    (sb.Convolutional(4, 2), ["1", "1", "1", "1"], CircularSVD),  # one frequency only
    (sb.MatrixSensing(2, 2), [["1", "2"], ["0", "3"]], SensingSVD),
    (sb.MatrixSensing(2, 2), [["1", "2"], ["2", "4"]], SensingSVD),  # rank one
]


@pytest.mark.parametrize("net, x, kind", CASES, ids=lambda v: getattr(v, "name", None))
@pytest.mark.parametrize("digits", [None, 40])
def test_it_rebuilds_the_matrix_with_orthonormal_vectors(net, x, kind, digits):
    ctx = None if digits is None else context(digits)
    problem = sb.Regression(net, [x], [1])
    found = net.singular_decomposition(problem.X[0])
    assert isinstance(found, kind)
    s = found.singular_values(ctx)
    unit = (
        np.eye(len(s))
        if ctx is None
        else np.array([[ctx.mpf(int(i == j)) for i in range(len(s))] for j in range(len(s))])
    )
    columns = [[found.block(e, layer, ctx).ravel(order="F") for e in unit] for layer in (0, 1)]
    first, second = (np.array(part).T for part in columns)
    M = MatrixSVD(net.data_tensor(problem.data(ctx)[0][0]), net.block_shapes).matrix
    tolerance = 1e-14 if ctx is None else ctx.mpf(10) ** -37  # a few roundings of sums over six terms
    assert np.abs((first * s) @ second.T - M).max() <= tolerance * s[0]
    for U in (first, second):
        assert np.abs(U.T @ U - unit).max() <= tolerance
    assert all(a >= b > 0 for a, b in zip(s, [*s[1:], s[-1]], strict=True))
    dense = MatrixSVD(M, net.block_shapes).singular_values(ctx)
    assert np.abs(s - dense).max() <= 10 * tolerance * s[0]
    # transform is the adjoint of block
    rng = np.random.default_rng(0)
    for layer in (0, 1):
        v = rng.integers(-4, 5, size=net.block_shapes[layer]).astype(float)
        expected = (first, second)[layer].T @ v.ravel(order="F")
        assert np.abs(found.transform(v, layer, ctx) - expected).max() <= 20 * tolerance


def test_large_networks_are_not_made_dense():
    rng = np.random.default_rng(1)
    for net in (sb.Diagonal(50_000, 2), sb.Convolutional(50_000, 2)):
        x = rng.normal(size=(1, net.dim))
        start = sb.Initialization(1e-3, [rng.uniform(1, 2, net.dim), np.zeros(net.dim)])
        prediction = sb.predict(sb.Regression(net, x, [1.0], start), theorem="theorem_6", outside=True)
        assert all(r.holds for r in prediction.residuals)


@pytest.mark.parametrize("kind", [DiagonalSVD, CircularSVD])
def test_a_zero_sample_is_refused(kind):
    with pytest.raises(BadInput, match="zero"):
        kind(np.zeros(3)).singular_values()

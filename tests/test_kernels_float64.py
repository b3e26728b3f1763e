"""The float64 kernels against mpmath at 60 digits, at the edges of the format, and their shapes, memory and errors."""

import tracemalloc
import warnings

import kernels_oracle as oracle
import numpy as np
import pytest
from kernels_oracle import mp, ulps

from symbias import kernels
from symbias.errors import BadInput

DEPTHS = range(2, 33)


def sizes(depth):
    """y: random over the range, more where the functions bend, and the seams: powers of two, q = 1, branches."""
    rng = np.random.default_rng(depth)
    seams = 2.0 ** np.array([-31, -10, -3, 0, (depth - 1) / 2, 40])
    tail = [1e-300, 1e300, 2.0**200, 2.0**1000, np.finfo(float).max, 1e-9, 1e-170]
    return np.concatenate(
        [10 ** rng.uniform(-300, 300, 8), 10 ** rng.uniform(-3, 6, 16), seams, np.nextafter(seams, 0), tail]
    )


def times(depth):
    """t: random over the domain, tiny, and approaching the end as 2^-k does; the seam of the code at 0.75 c."""
    rng = np.random.default_rng(100 + depth)
    if depth == 2:
        return np.concatenate([rng.uniform(-300, 300, 6), rng.uniform(-3, 3, 12), 10 ** rng.uniform(-300, 0, 6)])
    c = kernels.c(depth)
    near = c * (1 - 2.0 ** -np.arange(1.0, 52, 7))
    below = np.nextafter(c, 0)
    return np.concatenate([c * rng.uniform(-1, 1, 12), c * 10 ** rng.uniform(-300, 0, 6), near, [below, 0.75 * c]])


def worst(got, wanted, scale=None):
    """(ulps, index) of the worst entry, each divided by ``scale``."""
    errors = np.array([ulps(g, w) for g, w in zip(got, wanted, strict=True)]) / (1 if scale is None else scale)
    return errors.max(), int(errors.argmax())


@pytest.mark.parametrize("depth", DEPTHS)
def test_functions_of_y_keep_their_ulps(depth):
    # The bounds of the note in float64.py; the 8 of h_inverse' is from (q/y)^2, which doubles an error of q.
    y = sizes(depth)
    q = [oracle.root(depth, v) for v in y]
    t = [oracle.time(depth, v) for v in q]
    potential = [a * mp.mpf(b) - c * c / 2 for a, b, c in zip(t, y, q, strict=True)]
    slope = [1 / ((1 + v * v) ** (depth - 2) * (1 + depth * v * v)) for v in q]
    for function, wanted, bound in (
        (kernels.root, q, 4),
        (kernels.h_inverse, t, 4),
        (kernels.H, potential, 8),
        (kernels.h_inverse_prime, slope, 8),
    ):
        error, at = worst(function(depth, y), wanted)
        assert error <= bound, f"{function.__name__}({depth}, {y[at]!r}) is {error:.2f} ulp off"


@pytest.mark.parametrize("depth", DEPTHS)
def test_functions_of_t_keep_their_ulps_to_the_end_of_the_domain(depth):
    t = times(depth)
    q = [oracle.q_from_time(depth, v, start) for v, start in zip(t, kernels.q(depth, t), strict=True)]
    growth = np.array([float(oracle.growth(depth, v)) for v in q])
    for function, wanted, scale in (
        (kernels.q, q, None),
        (kernels.p, [mp.sqrt(1 + v * v) for v in q], None),
        (kernels.h, [oracle.h_of(depth, v) for v in q], growth),
    ):
        error, at = worst(function(depth, t), wanted, scale)
        assert error <= 4, f"{function.__name__}({depth}, {t[at]!r}) is {error:.2f} ulp off"


@pytest.mark.parametrize("depth", range(3, 33))
def test_q_from_the_distance_to_the_end_keeps_its_ulps(depth):
    rng = np.random.default_rng(200 + depth)
    c = kernels.c(depth)
    left = c * np.concatenate([10 ** rng.uniform(-40, -1, 6), rng.uniform(0, 0.95, 10), [0.25, np.nextafter(0.25, 0)]])
    got = kernels.q(depth, to_end=left)
    with mp.workdps(110):  # c - t(q) loses up to 40 digits here
        wanted = [oracle.q_from_end(depth, v, start) for v, start in zip(left, got, strict=True)]
    error, at = worst(got, wanted)
    assert error <= 4, f"q({depth}, to_end={left[at]!r}) is {error:.2f} ulp off"


@pytest.mark.parametrize("depth", [3, 4, 5, 6, 13, 32])
def test_q_at_distances_that_no_t_can_hold(depth):
    # T(q) = q^(-k)/k (1 + O(q^-2)), k = depth - 2: alone to 60 digits once q > 1e30.
    k = depth - 2
    for left in (1e-300, 1e-200 if depth < 8 else 1e-300):
        q = mp.power(k * mp.mpf(left), -mp.mpf(1) / k)
        leading = q * (1 - mp.mpf(depth - 1) / (2 * depth) * q**-2)  # the next order, for depth 32 where q is only 1e10
        assert ulps(kernels.q(depth, to_end=left), leading) <= 4


def test_the_far_half_of_the_domain_mirrors_the_near_one():
    # 2c - to_end is exact here, because c(4) = 1 and the distances are dyadic.
    left = np.array([2.0**-30, 0.125, 0.5, 0.75])
    assert np.array_equal(kernels.q(4, to_end=2 - left), -kernels.q(4, to_end=left))


@pytest.mark.parametrize("depth", DEPTHS)
def test_c_is_the_nearest_float(depth):
    assert kernels.c(depth) == (np.inf if depth == 2 else float(oracle.end(depth)))
    assert isinstance(kernels.c(depth), np.float64)


def test_reference_values_of_the_theory():
    # theory.md, section 6; one ulp more than the bound would still pass, a wrong formula would not.
    for depth, value in ((2, 0.7218177375894051712), (3, 0.5987667052549518971), (4, 0.5248885986564047938)):
        assert kernels.h_inverse(depth, 1.0) == pytest.approx(value, rel=1e-15)
    for depth, value in ((3, 0.70934450693545569), (4, 8 / 9), (5, 1.1773196160393065)):
        assert kernels.h(depth, 0.5) == pytest.approx(value, rel=1e-15)
    for depth, value in ((2, 0.41280074321445774), (3, 0.36598108931656788), (5, 0.31169486386891912)):
        assert kernels.H(depth, 1.0) == pytest.approx(value, rel=1e-15)


def test_the_bound_is_sharp_enough_to_catch_the_known_cancellations():
    # Negative controls: the two textbook formulas of pitfalls.md, and a value moved by five units.
    y = 1e-6
    naive = y / 2 * np.arcsinh(2 * y) - (np.sqrt(1 + 4 * y * y) - 1) / 4
    q = oracle.root(2, y)
    assert ulps(naive, oracle.time(2, q) * y - q * q / 2) > 1e9
    y = 1e-9
    cardano = np.cbrt(y / 2 + np.sqrt(y * y / 4 + 1 / 27)) + np.cbrt(y / 2 - np.sqrt(y * y / 4 + 1 / 27))
    assert ulps(cardano, oracle.root(3, y)) > 1e6
    assert ulps(kernels.root(7, 2.0) + 5 * np.spacing(kernels.root(7, 2.0)), oracle.root(7, 2.0)) > 4


@pytest.mark.parametrize("depth", [2, 3, 4, 5, 6, 9, 32])
def test_special_values_and_no_warning(depth):
    y = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 3e-310])
    c = kernels.c(depth)
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        root, t = kernels.root(depth, y), kernels.h_inverse(depth, y)
        potential, slope = kernels.H(depth, y), kernels.h_inverse_prime(depth, y)
        q, p, h = (function(depth, y) for function in (kernels.q, kernels.p, kernels.h))
    tiny = slice(5, None)
    for odd in (root, t, q, h):
        assert np.array_equal(np.signbit(odd[:2]), [False, True]) and not odd[:2].any()
        assert np.array_equal(odd[tiny], y[tiny])
    assert np.array_equal(root[2:4], [np.inf, -np.inf]) and np.array_equal(t[2:4], [c, -c])
    assert np.array_equal(potential[:4], [0, 0, np.inf, np.inf]) and np.array_equal(slope[:4], [1, 1, 0, 0])
    assert np.array_equal(p[:2], [1, 1])
    for values in (root, t, potential, slope, q, p, h):
        assert np.isnan(values[4])
    if depth == 2:
        assert np.array_equal(h[2:4], [np.inf, -np.inf])
    else:
        assert np.isnan([h[2], q[3], p[2]]).all()


@pytest.mark.parametrize("depth", range(3, 33))
def test_the_end_of_the_domain(depth):
    c = kernels.c(depth)
    beyond = np.nextafter(c, 9)
    for function in (kernels.q, kernels.p, kernels.h):
        assert np.isnan(function(depth, [beyond, -beyond, 1e300])).all()
        at_end = function(depth, c)
        # The float64 c is the end itself unless it lies below c_L, where q is finite.
        assert np.isfinite(at_end) if c < oracle.end(depth) else at_end == np.inf
    assert np.array_equal(kernels.q(depth, to_end=[0.0, -0.0]), [np.inf, np.inf])
    assert np.isnan(kernels.q(depth, to_end=[-1e-9, 2.1 * c, np.inf, np.nan])).all()
    assert (kernels.h_inverse(depth, 10.0 ** np.arange(0, 300, 5)) <= c).all()


def test_shapes_layouts_and_dtypes_are_kept():
    grid = np.linspace(-2, 2, 24).reshape(2, 3, 4)
    for function in (kernels.root, kernels.h_inverse, kernels.H, kernels.h_inverse_prime):
        wanted = function(3, grid)
        assert wanted.shape == grid.shape and wanted.dtype == np.float64
        assert np.array_equal(function(3, np.asfortranarray(grid)), wanted)
        assert np.array_equal(function(3, np.repeat(grid, 2, axis=1)[:, ::2]), wanted)
        assert np.array_equal(function(3, grid[::-1])[::-1], wanted)
        assert np.array_equal(function(3, grid.tolist()), wanted)
        assert np.array_equal(function(3, grid.astype(">f8")), wanted)
        assert function(3, []).shape == (0,)
        assert isinstance(function(3, 2), np.float64) and function(3, 2) == function(3, np.float32(2))
    before = grid.copy()
    kernels.h(3, grid / 2)
    assert np.array_equal(grid, before)
    assert isinstance(kernels.q(5, 0.1), np.float64) and isinstance(kernels.q(5, to_end=0.1), np.float64)
    assert kernels.root(np.int64(4), 1.0) == kernels.root(4, 1.0)


@pytest.mark.parametrize("depth", [1, 0, -3, 2.0, 2.5, True, None, "3"])
def test_a_depth_that_is_no_integer_of_at_least_2_is_refused(depth):
    for function in (kernels.p, kernels.q, kernels.h, kernels.h_inverse, kernels.root, kernels.H):
        with pytest.raises(BadInput, match="the depth must be an integer of at least 2"):
            function(depth, 0.5)
    with pytest.raises(BadInput, match="the depth must be"):
        kernels.c(depth)


def test_q_takes_exactly_one_of_t_and_to_end():
    for arguments in ({}, {"t": 0.1, "to_end": 0.1}):
        with pytest.raises(BadInput, match="exactly one"):
            kernels.q(3, **arguments)
    with pytest.raises(BadInput, match="depth 2"):
        kernels.q(2, to_end=0.1)


@pytest.mark.parametrize("depth", [2, 3, 7, 32])
def test_memory_stays_below_the_output_and_64_blocks(depth):
    y = np.random.default_rng(0).standard_normal(1_000_000)
    for function in (kernels.h_inverse, kernels.root, kernels.H, kernels.h_inverse_prime):
        tracemalloc.start()
        try:
            out = function(depth, y)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < out.nbytes + 64 * 8192 * 8


def test_memory_of_the_functions_of_t():
    t = np.linspace(-0.99, 0.99, 1_000_000) * kernels.c(6)
    for function in (kernels.q, kernels.p, kernels.h):
        tracemalloc.start()
        try:
            out = function(6, t)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < out.nbytes + 64 * 8192 * 8

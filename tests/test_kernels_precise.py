"""The precise kernels: correctly rounded at random points of every depth, at any precision, and fast."""

import time

import kernels_oracle as oracle
import mpmath
import numpy as np
import pytest
from kernels_oracle import mp
from mpmath.libmp import mpf_pos

from symbias.errors import BadInput
from symbias.kernels import precise
from symbias.precision import context


def nearest(value, ctx):
    """The mpf of ``ctx`` nearest to ``value``."""
    return ctx.make_mpf(mpf_pos(value._mpf_, ctx.prec, "n"))


def exactly(value):
    return mp.make_mpf(value._mpf_)


FUNCTIONS_OF_Y = {
    "root": lambda depth, y, q: q,
    "h_inverse": lambda depth, y, q: oracle.time(depth, q),
    "H": lambda depth, y, q: oracle.time(depth, q) * y - q * q / 2,
    "h_inverse_prime": lambda depth, y, q: 1 / ((1 + q * q) ** (depth - 2) * (1 + depth * q * q)),
}
FUNCTIONS_OF_T = {
    "q": lambda depth, q: q,
    "p": lambda depth, q: mp.sqrt(1 + q * q),
    "h": lambda depth, q: oracle.h_of(depth, q),
}


@pytest.mark.parametrize("digits", [15, 30, 60, 150])
@pytest.mark.parametrize("name", FUNCTIONS_OF_Y)
def test_functions_of_y_are_correctly_rounded(name, digits):
    ctx, rng = context(digits), np.random.default_rng(digits)
    for depth in (*range(2, 13), 17, 24, 31, 32):
        for exponent in (rng.uniform(-300, 300), rng.uniform(-4, 8)):
            y = ctx.mpf(10) ** float(exponent) * int(rng.choice([-1, 1]))
            with mp.workdps(2 * digits + 40):
                wanted = FUNCTIONS_OF_Y[name](depth, exactly(y), oracle.root(depth, exactly(y)))
                assert getattr(precise, name)(ctx, depth, y) == nearest(wanted, ctx), (depth, y)


@pytest.mark.parametrize("digits", [15, 40, 100])
@pytest.mark.parametrize("name", FUNCTIONS_OF_T)
def test_functions_of_t_are_correctly_rounded(name, digits):
    ctx, rng = context(digits), np.random.default_rng(digits)
    for depth in (2, 3, 4, 5, 6, 9, 16, 31):
        limit = 8 if depth == 2 else oracle.end(depth)
        for part in (rng.uniform(-1, 1), 10 ** -rng.uniform(0, 99), 1 - 10 ** -rng.uniform(0, 13)):
            t = nearest(limit * mp.mpf(float(part)), ctx)
            with mp.workdps(2 * digits + 60):
                start = exactly(precise.q(ctx, depth, t))
                wanted = FUNCTIONS_OF_T[name](depth, oracle.q_from_time(depth, exactly(t), start))
                assert getattr(precise, name)(ctx, depth, t) == nearest(wanted, ctx), (depth, t)


@pytest.mark.parametrize("depth", [3, 4, 5, 8, 13, 32])
def test_q_of_the_distance_to_the_end_is_correctly_rounded(depth):
    ctx, rng = context(50), np.random.default_rng(depth)
    for exponent in rng.uniform(-60, 0, 4):
        left = nearest(oracle.end(depth) * mp.mpf(10) ** float(exponent), ctx)
        got = precise.q(ctx, depth, to_end=left)
        with mp.workdps(200):
            assert got == nearest(oracle.q_from_end(depth, exactly(left), exactly(got)), ctx)
            mirrored = nearest(2 * oracle.end(depth) - exactly(left), context(200))
        assert abs(precise.q(ctx, depth, to_end=mirrored) + got) <= 2 * ctx.eps * got


def test_the_next_number_is_not_accepted():
    # Negative control: one unit in the last place is seen.
    ctx = context(30)
    y = ctx.mpf(2)
    value = precise.root(ctx, 5, y)
    with mp.workdps(100):
        wanted = nearest(oracle.root(5, mp.mpf(2)), ctx)
    assert value == wanted and value * (1 + 2 * ctx.eps) != wanted


def test_reference_values_of_the_theory():
    ctx = context(24)
    # theory.md, section 6: 25 digits.
    for function, depth, x, value in (
        (precise.h, 3, 0.5, "0.709344506935455690770719"),
        (precise.h, 5, 0.5, "1.177319616039306504896324"),
        (precise.h_inverse, 2, 1, "0.7218177375894051712466384"),
        (precise.h_inverse, 3, 1, "0.5987667052549518971485504"),
        (precise.h_inverse, 4, 1, "0.5248885986564047938994861"),
        (precise.H, 2, 1, "0.412800743214457747144345"),
        (precise.H, 3, 1, "0.3659810893165678838201848"),
        (precise.H, 4, 1, "0.3347498141075977360628353"),
        (precise.H, 5, 1, "0.3116948638689191011978417"),
    ):
        assert abs(function(ctx, depth, x) - ctx.mpf(value)) < 1e-23  # the digits printed there
    assert precise.h(ctx, 4, 0.5) == ctx.mpf(8) / 9


def test_c_is_exact_up_to_rounding():
    ctx = context(40)
    ends = {3: ctx.pi / 2, 4: 1, 5: ctx.pi / 4, 6: ctx.mpf(2) / 3, 7: 3 * ctx.pi / 16, 8: ctx.mpf(8) / 15}
    assert all(abs(precise.c(ctx, depth) - value) <= ctx.eps * value for depth, value in ends.items())
    assert precise.c(ctx, 2) == ctx.inf


def test_magnitudes_beyond_float64():
    ctx = context(30)
    y = ctx.mpf("1e100000")
    for depth in (3, 6, 31):
        # q^2 (1+q^2)^(L-1) = y^2 with q^-2 far below the precision: q = y^(1/L).
        q = precise.root(ctx, depth, y)
        assert abs(q / ctx.root(y, depth) - 1) <= 2 * ctx.eps
        assert precise.root(ctx, depth, 1 / y) == precise.h_inverse(ctx, depth, 1 / y) == 1 / y
        assert precise.h_inverse(ctx, depth, y) == precise.c(ctx, depth)
        # T(q) = q^(-k)/k, k = depth - 2.
        k = depth - 2
        assert abs(precise.q(ctx, depth, to_end=q**-k / k) / q - 1) <= 4 * ctx.eps


def test_a_t_with_more_digits_than_asked_counts_as_exact():
    # t = 1 - 1e-50 at depth 4: q = t/sqrt(1 - t^2).
    fine, ctx = context(120), context(20)
    t = 1 - fine.mpf(10) ** -50
    wanted = t / fine.sqrt((1 - t) * (1 + t))
    assert precise.q(ctx, 4, t) == nearest(wanted, ctx)


def test_infinities_nan_and_points_outside():
    ctx = context(20)
    assert precise.root(ctx, 3, ctx.inf) == ctx.inf and precise.h_inverse(ctx, 3, -ctx.inf) == -precise.c(ctx, 3)
    assert precise.H(ctx, 4, -ctx.inf) == ctx.inf and precise.h_inverse_prime(ctx, 4, ctx.inf) == 0
    assert precise.root(ctx, 3, 0) == precise.h_inverse(ctx, 3, 0) == precise.H(ctx, 3, 0) == precise.q(ctx, 3, 0) == 0
    for value in (
        precise.root(ctx, 5, ctx.nan),
        precise.H(ctx, 5, ctx.nan),
        precise.q(ctx, 5, ctx.nan),
        precise.q(ctx, 4, 1.5),
        precise.h(ctx, 4, ctx.inf),
        precise.q(ctx, 4, to_end=-1),
        precise.q(ctx, 4, to_end=3),
    ):
        assert ctx.isnan(value)
    assert precise.q(ctx, 4, 1) == precise.p(ctx, 4, -1) == ctx.inf and precise.h(ctx, 4, -1) == -ctx.inf


def test_bad_input_is_refused():
    ctx = context(20)
    for depth in (1, 2.5, True, "3"):
        with pytest.raises(BadInput, match="the depth must be an integer of at least 2"):
            precise.root(ctx, depth, 1)
    with pytest.raises(BadInput, match="exactly one"):
        precise.q(ctx, 3)
    with pytest.raises(BadInput, match="depth 2"):
        precise.q(ctx, 2, to_end=1)


def test_a_thousand_digits_take_no_hypergeometric_series():
    # The plain 2F1(1/2, (L-1)/2; 3/2; -q^2) takes seconds, the finite sum under a millisecond: ask for 20 times.
    ctx = context(1000)
    y, peer = ctx.mpf(10) ** 6, mpmath.MPContext()
    peer.dps = 1000
    began = time.perf_counter()
    t = precise.h_inverse(ctx, 8, y)
    ours = time.perf_counter() - began
    q = peer.make_mpf(precise.root(ctx, 8, y)._mpf_)
    began = time.perf_counter()
    theirs = q * peer.hyp2f1(peer.mpf(1) / 2, peer.mpf(7) / 2, peer.mpf(3) / 2, -q * q)
    assert time.perf_counter() - began > 20 * ours
    assert abs(peer.make_mpf(t._mpf_) - theirs) < peer.mpf(10) ** -995

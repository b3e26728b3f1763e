"""Exact linear programs against HiGHS, with their certificate, and in mpf."""

import numpy as np
import pytest
import sympy
from scipy.optimize import linprog
from sympy import QQ

from symbias.errors import BadInput
from symbias.numeric.exact_lp import Infeasible, Unbounded, minimize, rationals, solve
from symbias.precision import context


def program(rng):
    k, m = rng.integers(1, 5), rng.integers(3, 9)
    M = rng.integers(-3, 4, (k, m))
    return rng.integers(0, 4, m), M, M @ rng.integers(0, 3, m)


def test_forty_random_programs_match_highs_and_carry_an_exact_certificate():
    rng, unique = np.random.default_rng(3), set()
    for _ in range(40):
        c, M, b = map(rationals, program(rng))
        best = minimize(c, M, b)
        assert (M @ best.x == b).all() and all(x >= 0 for x in best.x)
        assert all(entry >= 0 for entry in c - M.T @ best.dual)
        assert c @ best.x == b @ best.dual
        peer = linprog(c.astype(float), A_eq=M.astype(float), b_eq=b.astype(float), method="highs")
        assert abs(float(c @ best.x) - peer.fun) < 1e-7  # HiGHS's own tolerance
        unique.add(best.unique)
    assert unique == {True, False}


def test_unique_is_decided_by_the_extent_of_the_optimal_face():
    # min x + y s.t. x + y = 1 has a segment; min x + 2 y a point; x + y with y = 0 forced by y + z = 0 a point,
    # degenerate.
    one = rationals(np.array([[1, 1]]))
    assert not minimize(rationals(np.array([1, 1])), one, rationals(np.array([1]))).unique
    assert minimize(rationals(np.array([1, 2])), one, rationals(np.array([1]))).unique
    forced = rationals(np.array([[1, 1, 0], [0, 1, 1]]))
    assert minimize(rationals(np.array([1, 1, 1])), forced, rationals(np.array([1, 0]))).unique


def test_infeasible_and_unbounded_are_told_apart():
    with pytest.raises(Infeasible):
        minimize(rationals(np.array([1, 1])), rationals(np.array([[1, 1]])), rationals(np.array([-1])))
    with pytest.raises(Infeasible, match="contradict"):
        minimize(rationals(np.array([1])), rationals(np.array([[1], [1]])), rationals(np.array([1, 2])))
    with pytest.raises(Unbounded):
        minimize(rationals(np.array([-1, 0])), rationals(np.array([[1, -1]])), rationals(np.array([0])))


def test_a_bad_guess_costs_pivots_and_not_the_answer():
    # A cost that float64 cannot see: x_1 and x_2 differ by 1e-30.
    tiny = sympy.Rational(1, 10**30)
    best = minimize(rationals(np.array([1 + tiny, 1])), rationals(np.array([[1, 1]])), rationals(np.array([1])))
    assert best.x.tolist() == [0, 1]
    assert best.unique


def test_mpf_entries_with_a_tolerance_give_the_same_vertex():
    ctx = context(40)
    rng = np.random.default_rng(5)
    for _ in range(10):
        c, M, b = program(rng)
        exact = minimize(rationals(c), rationals(M), rationals(b))
        real = [np.vectorize(ctx.mpf, otypes=[object])(part) * ctx.pi for part in (c, M, b)]
        found = minimize(*real, tolerance=ctx.mpf(10) ** -25)
        assert abs(real[0] @ found.x / ctx.pi - ctx.mpf(float(rationals(c) @ exact.x))) < 1e-12


def test_rationals_take_floats_as_their_exact_value_and_refuse_the_irrational():
    assert rationals(np.array([0.1]))[0] == QQ(3602879701896397, 36028797018963968)
    assert rationals(np.array([sympy.sqrt(2)])) is None


def test_solve_needs_a_regular_matrix():
    assert solve(rationals(np.array([[0, 2], [3, 0]])), rationals(np.array([2, 3]))).tolist() == [1, 1]
    with pytest.raises(BadInput, match="singular"):
        solve(rationals(np.array([[1, 1], [1, 1]])), rationals(np.array([1, 1])))

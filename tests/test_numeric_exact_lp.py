"""Exact linear programs against HiGHS, with their certificate, and in mpf."""

import numpy as np
import pytest
import sympy
from scipy.optimize import linprog
from sympy import QQ

from symbias.errors import BadInput
from symbias.numeric import exact_lp
from symbias.numeric.exact_lp import Infeasible, Unbounded, minimize, rationals, solve, whole
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


@pytest.mark.parametrize("tolerance", [0, 1e-25])
def test_from_any_basis_the_same_optimum_or_fault(monkeypatch, tolerance):
    # Columns in a random order: most of those bases are infeasible. Right sides that are not M x, and rows that depend.
    rng, ctx, seen = np.random.default_rng(11), context(40), set()

    def answer(program):
        try:
            best = minimize(*program, tolerance=ctx.mpf(tolerance) if tolerance else 0)
        except (Infeasible, Unbounded) as error:
            return str(error)
        return best.unique, float(program[0] @ best.x)

    for trial in range(60):
        c, M, b = program(rng)
        b = b + (trial % 3 == 0) * rng.integers(-2, 3, len(b))
        M, b = np.concatenate([M, 2 * M[:1]]), np.append(b, 2 * b[0] + (trial % 7 == 0))
        made = [rationals(part) for part in (c - (trial % 4 == 0), M, b)]
        if tolerance:
            made = [part.astype(float) * ctx.one for part in made]
        expected = answer(made)
        with monkeypatch.context() as patch:
            patch.setattr(exact_lp, "_guess", lambda c, M, b: [int(j) for j in rng.permutation(len(c))])
            assert answer(made) == (pytest.approx(expected) if isinstance(expected, tuple) else expected)
        seen.add(expected if isinstance(expected, str) else expected[0])
    assert len(seen) == 5  # both kinds of infeasible, unbounded, unique and not


def test_clearing_denominators_leaves_integers_no_larger_than_they_must_be():
    # M_ij = p_ij / (q_i w_j): the lcm of a row's or a column's denominators alone would be a product of many primes.
    p, q, w = np.array([[2, 3, 5], [7, 4, 9]]), rationals(np.array([11, 13])), rationals(np.array([17, 19, 23]))
    M = p / q[:, None] / w
    _, entries, right, *_ = whole(1 + 0 * w, M, M @ w)
    assert entries.tolist() == p.tolist() and right.tolist() == [10, 20]
    best = minimize(1 + 0 * w, M, M @ w)
    assert (M @ best.x == M @ w).all() and sum(best.x) == best.dual @ (M @ w)
    assert all(1 - M.T @ best.dual >= 0)


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

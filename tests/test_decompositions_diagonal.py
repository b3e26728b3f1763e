"""S = U_l = I for the diagonal network."""

import numpy as np
import pytest
import sympy
from decomposition_operators import assert_operators_match_matrices

from symbias.decompositions.diagonal import diagonal, prove_diagonal
from symbias.proof import ProofFails


@pytest.mark.parametrize(("dim", "depth"), [(1, 2), (3, 2), (5, 4), (64, 3)])
def test_assumption_1_is_proved(dim, depth):
    steps = diagonal(dim, depth).prove()
    assert len(steps) == depth + 2
    assert all(step.fails_when_perturbed() for step in (*steps[:1], *steps[-2:]))


def test_the_proof_fails_for_a_changed_s_or_u():
    identity = sympy.eye(3).as_immutable()
    wrong = identity.as_mutable()
    wrong[0, 1] = sympy.Rational(1, 10**30)
    with pytest.raises(ProofFails):
        prove_diagonal(wrong.as_immutable(), (identity,) * 3)
    with pytest.raises(ProofFails):
        prove_diagonal(identity, (identity, wrong.as_immutable(), identity))
    flipped = sympy.diag(1, 1, -1).as_immutable()
    with pytest.raises(ProofFails, match="multilinear"):
        prove_diagonal(flipped, (identity,) * 3)
    # A sign in S and in one U_l cancels: a different, correct decomposition.
    assert prove_diagonal(flipped, (identity, flipped, identity))


def test_the_operators_are_the_identity():
    assert_operators_match_matrices(diagonal(4, 3))
    x = np.array([1.0, 2.0])
    assert diagonal(2, 3).apply(x) is x

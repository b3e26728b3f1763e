"""What the decompositions share."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy

from symbias.decompositions.base import numbers
from symbias.decompositions.diagonal import diagonal
from symbias.decompositions.even import even
from symbias.decompositions.fourier import fourier
from symbias.errors import BadInput
from symbias.precision import context
from symbias.verdict import Result


@pytest.mark.parametrize("make", [diagonal, fourier, even])
def test_a_decomposition_reads_back_and_prints(make):
    D = make(4, 3)
    again = Result.from_dict(D.to_dict())
    assert (type(again), again.dim, again.depth) == (type(D), 4, 3)
    assert repr(D).startswith(type(D).__name__)
    assert "u_{1,j}" in D.to_latex()
    assert D.is_real is (make is not fourier)


@pytest.mark.parametrize("make", [diagonal, fourier, even])
def test_every_step_of_a_proof_reads_back_proves_itself_again_and_fails_when_perturbed(make):
    for step in make(3, 2).prove():
        assert step.fails_when_perturbed()
        if make is not diagonal:
            again = Result.from_dict(step.to_dict())
            assert again.title == step.title
            assert again.fails_when_perturbed()


def test_symbols_go_through_the_exact_door_and_floats_do_not():
    x = sympy.symbols("x:3")
    assert diagonal(3, 2).exact(x) == sympy.Matrix(x)
    assert fourier(2, 2).exact([1, 2]) == sympy.Matrix([3, -1])
    with pytest.raises(BadInput, match="Rational"):
        diagonal(1, 2).exact([sympy.Float("0.5")])


def test_numbers_of_every_kind_are_rounded_to_the_precision_asked_for():
    ctx = context(30)
    given = np.array([sympy.Rational(1, 3), mpmath.mpf("0.5"), 2, Fraction(1, 4), 1.5], dtype=object)
    precise = numbers(given, ctx)
    assert precise[0] == ctx.mpf(1) / 3
    assert [float(z) for z in precise] == [1 / 3, 0.5, 2, 0.25, 1.5]
    assert numbers(given).dtype == np.float64
    assert numbers(np.array([1, 2])).dtype == np.float64
    both = numbers(np.array([mpmath.mpc(1, 2), 1 + 1j], dtype=object), ctx)
    assert both[0] == ctx.mpc(1, 2)
    assert numbers(both).dtype == np.complex128

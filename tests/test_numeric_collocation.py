"""Implicit steps: Radau's formulas are exact on polynomials, and long stiff steps land where explicit ones do."""

from fractions import Fraction

import numpy as np

from symbias.numeric.collocation import Collocation, Steps, radau
from symbias.numeric.products import Circular, Hadamard, MatrixProduct
from symbias.numeric.series import from_floats, to_floats
from symbias.numeric.taylor import TaylorFlow
from symbias.precision import context

CTX = context(60)
X = [[1.0, 0.5, -0.25], [30.0, -10.0, 20.0]]  # curvatures a factor of 1000 apart


def mpf(values):
    return np.array([CTX.mpf(float(v)) for v in np.ravel(values)], dtype=object).reshape(np.shape(values))


def flow(product=None, blocks=None, digits=25):
    blocks = [np.ones(3), np.ones(3), np.zeros(3)] if blocks is None else blocks
    return TaylorFlow(product or Hadamard(), mpf(X), mpf([0.5, -4.0]), [mpf(block) for block in blocks], digits)


def apart(one, other):
    pairs = [(a, b) for u, v in zip(one, other, strict=True) for a, b in zip(u.flat, v.flat, strict=True)]
    return float(max(abs(a - b) for a, b in pairs))


def test_radau_points_are_those_of_numpy_and_the_weights_integrate_polynomials_exactly():
    bits, s = 160, 7
    points, weights, top = radau(s, bits)
    roots = np.polynomial.legendre.legroots([0] * (s - 1) + [1, -1])
    assert np.allclose(np.sort((1 + roots) / 2), to_floats(points, bits), atol=1e-14)  # eps times the condition
    for k in range(s):
        values = [Fraction(int(c), 2**bits) ** k for c in points]
        for row, c in zip(weights, points, strict=True):
            integral = sum(Fraction(int(w), 2**bits) * v for w, v in zip(row, values, strict=True))
            # s weights, each rounded to 2^-160
            assert abs(integral - Fraction(int(c), 2**bits) ** (k + 1) / (k + 1)) < Fraction(s, 2**158)
    chebyshev = [np.polynomial.chebyshev.Chebyshev.basis(s, (0, 1))(c) for c in to_floats(points, bits)]
    shifted = np.array(chebyshev) - (-1) ** s  # value 0 at 0
    assert abs(to_floats(top, bits) @ shifted - 1) < 1e-12
    assert abs(to_floats(top, bits) @ np.linspace(0, 1, s)) > 1e-6  # values of no polynomial of lower degree


def test_a_long_implicit_step_lands_where_many_explicit_ones_do():
    explicit, implicit = flow(), flow()
    for one in (explicit, implicit):
        one.advance_to(Fraction(1, 4))
    steps = explicit.steps
    tried = Collocation(implicit).attempt(-5.0)
    assert tried.accepted and tried.log_error < implicit.log_tolerance
    explicit.advance_to(implicit.time)
    assert explicit.steps - steps > 5  # one step against many
    assert apart(explicit.blocks(), implicit.blocks()) < 1e-25
    before = implicit.blocks()
    assert not Collocation(implicit).attempt(8.0).accepted  # too long a step is refused and leaves the flow alone
    assert apart(before, implicit.blocks()) == 0


def test_mixed_steps_reach_the_end_in_fewer_steps_and_agree_with_explicit_ones():
    mixed, explicit = flow(digits=15), flow(digits=15)
    steps = Steps(mixed)
    while mixed.log10_loss() > -8:
        steps.advance()
    explicit.advance_to(mixed.time)
    assert mixed.steps < explicit.steps / 2
    assert apart(mixed.blocks(), explicit.blocks()) < 1e-14
    assert mixed.product.drift([mpf(np.ones(3)), mpf(np.ones(3)), mpf(np.zeros(3))], mixed.blocks()) < 1e-15


def test_steps_know_the_order_in_which_every_network_joins_its_blocks():
    rng = np.random.default_rng(2)
    for product, shapes in ((Circular(3), [(3,), (3,)]), (MatrixProduct(), [(3, 2), (2, 2), (2,)])):
        one = flow(product, [0.5 + 0.1 * rng.normal(size=shape) for shape in shapes], 15)
        other = flow(product, one.blocks(), 15)
        one.advance_to(Fraction(1, 8))
        other.advance_to(Fraction(1, 8))
        assert Collocation(one).attempt(-7.0).accepted
        other.advance_to(one.time)
        assert apart(one.blocks(), other.blocks()) < 1e-14


def test_large_networks_keep_to_explicit_steps():
    assert Collocation.suits(flow())
    wide = [np.ones((3, 200)) * 1e-2, np.ones((200, 200)) * 1e-3, np.ones(200) * 1e-2]
    assert not Collocation.suits(flow(MatrixProduct(), wide))


def test_floats_survive_fixed_point():
    values = np.array([1.5, -2e-30, 0.0, 3e20])
    assert np.array_equal(to_floats(from_floats(values, 1500), 1500), values)

"""The root of g(nu) = y / alpha^2: against g itself at high precision, at every size, and where there is none."""

import mpmath
import numpy as np
import pytest

from symbias.numeric.theorem_6_root import solve
from symbias.precision import adopt, context

MP = mpmath.MPContext()
MP.dps = 800  # enough for y / alpha^2 at alpha = 1e-160 and for e^{2 s nu}


def g(s, first, second, nu):
    """g as Theorem 6 writes it, with sinh and cosh."""
    terms = zip(s, first, second, strict=True)
    return sum(t * ((a * a + b * b) / 2 * MP.sinh(2 * t * nu) + a * b * MP.cosh(2 * t * nu)) for t, a, b in terms)


def found(ctx, s, first, second, y, alpha):
    numbers = (
        (lambda v: np.array([float(e) for e in v])) if ctx is None else (lambda v: np.array([adopt(ctx, e) for e in v]))
    )
    plus, minus = (
        numbers([(a + b) ** 2 for a, b in zip(first, second, strict=True)]),
        numbers([(a - b) ** 2 for a, b in zip(first, second, strict=True)]),
    )
    g_0 = numbers([sum(t * a * b for t, a, b in zip(s, first, second, strict=True))])[0]
    log_alpha = numbers([MP.log(alpha)])[0]
    return solve(ctx, numbers(s), plus, minus, g_0, numbers([y])[0], log_alpha)


CASES = [
    ([1, 2], [1, 1], [0, 0]),
    ([1, 2], [1, 1], [1, 0]),
    ([0.5, 3, 1], [1, 0.25, 2], [-1, 0.5, 3]),
    ([1, 1e-9], [1, 1e6], [0, 0]),
    ([2], [1], [1]),
]


@pytest.mark.parametrize("s, first, second", CASES)
@pytest.mark.parametrize("y", ["1", "-1.5", "1e-30", "1e30"])
@pytest.mark.parametrize("alpha", ["1", "1e-3", "1e-160", "1e60"])
def test_the_root_satisfies_g_in_fifty_digits(s, first, second, y, alpha):
    s, first, second = ([MP.mpf(str(e)) for e in v] for v in (s, first, second))
    y, alpha = MP.mpf(y), MP.mpf(alpha)
    if all(a == b for a, b in zip(first, second, strict=True)) and y < 0:
        assert found(context(50), s, first, second, y, alpha) is None
        return
    root = found(context(50), s, first, second, y, alpha)
    nu = MP.make_mpf(root.nu._mpf_)
    target = y / alpha**2
    # g moves by g' per unit of nu, and nu has 50 digits less those of log nu: the change of g stays below 1e-46 of
    # its terms.
    slope = (g(s, first, second, nu * (1 + MP.mpf(10) ** -40)) - g(s, first, second, nu)) * MP.mpf(10) ** 40
    assert abs(g(s, first, second, nu) - target) <= MP.mpf(10) ** -46 * (
        abs(slope) + abs(target) + abs(g(s, first, second, 0))
    )
    plain = found(None, s, first, second, y, alpha)
    # float64: the logarithms are of size up to 750, so 750 eps on the exponent of g; g(0) of order one hides 1e-120
    # from a float.
    error = abs(g(s, first, second, MP.mpf(plain.nu)) - target)
    assert error <= MP.mpf("1e-12") * (abs(slope) + abs(target) + abs(g(s, first, second, 0)))


def test_no_root_where_g_stays_negative():
    # eta_2 = -eta_1: g = -sum s e^{-2 s nu} eta^2 < 0 never reaches y > 0, and reaches y < 0 at a finite nu of either
    # sign.
    assert found(None, [1, 2], [1, 1], [-1, -1], 1, 1) is None
    assert found(None, [1], [1], [-1], -4, 1).nu == pytest.approx(-np.log(4) / 2, rel=1e-15)
    assert found(None, [1], [1], [-1], MP.mpf("-0.25"), 1).nu == pytest.approx(np.log(4) / 2, rel=1e-15)


def test_y_zero_is_met_at_zero_or_at_infinity():
    assert found(None, [1, 2], [1, 1], [0, 0], 0, 1).nu == 0
    assert found(None, [1], [1], [1], 0, 1).nu == -np.inf
    assert found(None, [1], [1], [-1], 0, 1).nu == np.inf


def test_findroot_fails_where_the_bracketed_solve_does_not():
    # The trap of pitfalls.md (mpmath #736): the plain solve from 1 fails at alpha = 1e-3.
    with pytest.raises(ValueError, match="Could not find root"):
        mpmath.findroot(lambda nu: 1e6 - mpmath.sinh(2 * nu) / 2, 1, maxsteps=30)
    root = found(None, [1], [1], [0], 1, MP.mpf("1e-3"))
    assert root.nu == pytest.approx(np.arcsinh(2e6) / 2, rel=1e-15)

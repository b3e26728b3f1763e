"""The position of the scalar flow: Jacobi's functions, the closed forms against Newton and the ODE, the blow-up."""

import mpmath
import numpy as np
import pytest
import scipy.special
import sympy
from scipy.integrate import solve_ivp

from symbias.errors import BadInput
from symbias.functions import F, Z, q
from symbias.functions.elapsed import elapsed, limit_time
from symbias.functions.flow_position_proofs import position_steps
from symbias.functions.jacobi import cn, dn, sn
from symbias.functions.position_numbers import position
from symbias.lowering import lower
from symbias.precision import context
from symbias.proof import ProofFails, Step

R = sympy.Rational
CTX = context(40)
T, M = sympy.symbols("t m", real=True)
#: Depth 2, 3, 4: different deltas, equal ones (m = 0, m = 1, all), and equal ones at depth 5.
FREE = [(2,), (3, 2), (2, 3), (2, 2), (5, 3, 2), (3, 3, 2), (3, 2, 2), (2, 2, 2), (2, 2, 2, 2)]
#: A delta 0: every kind of the rest.
TIED = [(0,), (3, 0), (0, 0), (0, 3, 2), (2, 2, 0), (0, 3, 0), (0, 0, 0)]


def test_jacobi_functions_have_the_values_and_rates_of_scipy():
    for u, m in ((0.3, 0.2), (-1.1, 0.7), (2.5, 0.99)):
        ours = [float(f(sympy.Float(u), sympy.Float(m))) for f in (sn, cn, dn)]
        np.testing.assert_allclose(ours, scipy.special.ellipj(u, m)[:3], rtol=1e-14)  # scipy: a few ulp
    for f in (sn, cn, dn):
        rate = f(T, M).diff(T).subs({T: R(1, 3), M: R(1, 4)}).evalf(20)
        step = R(1, 10**10)
        central = ((f(R(1, 3) + step, R(1, 4)) - f(R(1, 3) - step, R(1, 4))) / (2 * step)).evalf(20)
        assert abs(rate - central) < 1e-18  # error step^2 times a third derivative of order one
        assert f(T, M).diff(M).has(sympy.Derivative)  # not known, and not claimed


def test_jacobi_functions_are_elementary_where_they_can_be():
    assert [f(T, 0) for f in (sn, cn, dn)] == [sympy.sin(T), sympy.cos(T), 1]
    assert [f(T, 1) for f in (sn, cn, dn)] == [sympy.tanh(T), sympy.sech(T), sympy.sech(T)]
    assert [f(0, M) for f in (sn, cn, dn)] == [0, 1, 1]
    assert [f(-T, M) for f in (sn, cn, dn)] == [-sn(T, M), cn(T, M), dn(T, M)]
    phi = sympy.Symbol("phi", real=True)
    assert sn(sympy.elliptic_f(phi, M), M) == sympy.sin(phi)
    assert sn(sympy.elliptic_f(phi, M), 2 * M).func is sn
    assert dn(T, M).is_real and sn(sympy.I, M).is_real is not True


def test_jacobi_functions_print_and_lower():
    assert sympy.latex(sn(T, M) ** 2) == r"\operatorname{sn}^{2}\left(t\middle| m\right)"
    expected = sn(1, R(1, 4)).evalf(40)._to_mpmath(140)
    with mpmath.workdps(40):
        assert abs(lower(sn(T, M), [T, M], digits=35)(1, "0.25") / expected - 1) < mpmath.mpf(10) ** -34
        assert abs(sympy.lambdify([T, M], sn(T, M), "mpmath")(1, mpmath.mpf("0.25")) / expected - 1) < 1e-39
    assert abs(lower(sn(T, M), [T, M])([0.5, 1.0], 0.25)[1] / float(expected) - 1) < 1e-15


def by_newton(time, start, deltas):
    """z with F(z) = time by bisection and then Newton on F alone, with no closed form of z."""
    ctx, rough = context(60), context(15)
    tie = min(deltas) == 0

    def z_of(ctx, v):
        return ctx.sign(start) * ctx.exp(v) if tie else ctx.sinh(v)

    low, high = (-5, 5) if start > 0 or not tie else (5, -5)
    for _ in range(40):
        middle = rough.mpf(low + high) / 2
        below = elapsed(rough, z_of(rough, middle), rough.convert(start), deltas) < time
        low, high = (middle, high) if below else (low, middle)
    z = ctx.convert(z_of(rough, low))
    for _ in range(5):
        speed = ctx.sqrt(ctx.fprod(z * z + delta for delta in deltas))
        z -= (elapsed(ctx, z, ctx.convert(start), deltas) - time) * speed
    return z


@pytest.mark.parametrize("deltas", FREE + TIED, ids=str)
def test_the_closed_form_is_the_inverse_of_the_time_to_40_digits(deltas):
    for start, time in ((R(1, 5), R(1, 10)), (R(-1, 5), R(-1, 8)), (R(1, 5), R(-1, 8)))[: 3 if len(deltas) < 4 else 1]:
        form = sympy.expand_func(Z(time, start, *deltas))
        assert not form.has(Z)
        newton = by_newton(context(60).mpf(time.p) / time.q, context(60).mpf(start.p) / start.q, deltas)
        number = position(CTX, CTX.mpf(time.p) / time.q, CTX.mpf(start.p) / start.q, [CTX.mpf(d) for d in deltas])
        # time and start are rounded to 40 digits in ``number``; their condition numbers are below 10
        assert abs(number / newton - 1) < CTX.mpf(10) ** -38
        for exact in (form, Z(time, start, *deltas)):
            assert abs(exact.evalf(45)._to_mpmath(160) / newton - 1) < context(60).mpf(10) ** -40
        wrong = sympy.expand_func(Z(time, start, *deltas[:-1], deltas[-1] + R(1, 100)))
        assert abs((wrong - form).evalf(20)) > 1e-6


@pytest.mark.parametrize("deltas", FREE[:-1] + TIED + [(2, 2, 1, 1)], ids=str)
def test_the_position_solves_the_equation_of_the_flow(deltas):
    for start, time in ((0.3, 0.12), (-0.3, 0.12), (0.3, -0.12))[: 3 if len(deltas) < 4 else 1]:

        def rate(_, z, sign=1 if time > 0 else -1):
            return sign * np.sqrt(np.prod([z**2 + d for d in deltas], axis=0))

        done = solve_ivp(rate, (0, abs(time)), [start], method="DOP853", rtol=1e-12, atol=1e-14)
        z = position(CTX, CTX.mpf(time), CTX.mpf(start), [CTX.mpf(d) for d in deltas])
        assert done.success and abs(float(z) - done.y[0, -1]) < 1e-11  # the integrator's tolerance
        assert abs(float(z) - start) > 1e-3


def integral_to_infinity(start, deltas):
    ctx = context(60)
    return ctx.quad(
        lambda x: 1 / ctx.sqrt(ctx.fprod(x * x + d for d in deltas)), [ctx.mpf(start.p) / start.q, 1, ctx.inf]
    )


def test_the_blow_up_is_a_complete_integral_at_depth_3():
    a = sympy.Symbol("a", positive=True)
    assert sympy.expand_func(F(sympy.oo, 0, 3, 2)) == sympy.elliptic_k(R(1, 3)) / sympy.sqrt(3)
    assert sympy.expand_func(F(sympy.oo, 0, a**2, a**2)) == sympy.pi / (2 * a)
    assert sympy.expand_func(F(sympy.oo, a, 2)) is sympy.oo
    for deltas in FREE[1:-1] + TIED[1:]:
        by_integral = integral_to_infinity(R(1, 5), deltas)
        start = R(1, 5)
        end = F(sympy.oo, start, *deltas)
        for value in (end, sympy.expand_func(end)):
            assert abs(value.evalf(35)._to_mpmath(130) / by_integral - 1) < 1e-30  # what the quadrature reaches
        if 0 not in deltas:
            assert abs((F(-sympy.oo, -start, *deltas) + end).evalf(20)) < 1e-19
        else:
            assert F(sympy.oo, -start, *deltas).evalf() == sympy.oo


@pytest.mark.parametrize("deltas", [(3, 2), (5, 3, 2), (2, 2, 2), (0, 3), (0, 3, 2)], ids=str)
def test_near_the_blow_up_the_position_keeps_its_digits(deltas):
    deltas = [CTX.mpf(delta) for delta in deltas]
    start, power = CTX.mpf(1) / 5, len(deltas)
    ctx = context(80)
    end = limit_time(ctx, start, deltas)
    time = CTX.convert(end - ctx.mpf(10) ** -30)
    left = end - time  # 1e-30 to some 10 digits, exactly known
    z = position(CTX, time, start, deltas)
    # z^(1-L) = (L-1) tau (1 + O(z^-2)): F(oo) - F(z) is the integral of x^-L
    assert abs(z ** (1 - power) / ((power - 1) * left) - 1) < 1e-9 if power > 1 else True
    assert abs(elapsed(ctx, ctx.convert(z), start, deltas) - time) < left * ctx.mpf(10) ** -38
    with pytest.raises(BadInput, match="blows up before"):
        position(CTX, CTX.convert(end + ctx.mpf(10) ** -30), start, deltas)
    with pytest.raises(BadInput, match="blows up before"):
        position(CTX, -CTX.convert(end) * (1 if 0 in deltas else 3), start * (-1 if 0 in deltas else 1), deltas)


def test_depth_5_far_below_the_start_and_at_its_blow_up():
    """Where there is no closed form: a tie runs to 0 for ever, and the end is told."""
    ctx = context(20)
    deltas, start = [0, 1, 1, 1], ctx.mpf(1)
    z = position(ctx, ctx.mpf(-60), start, deltas)
    # near 0 the flow is z' = z: log z = -60 + a constant of order one
    assert abs(ctx.log(z) + 60) < 1 and abs(elapsed(ctx, z, start, deltas) + 60) < 1e-15
    with pytest.raises(BadInput, match="blows up before"):
        position(ctx, ctx.mpf(1), start, deltas)


@pytest.mark.parametrize("start", ["1e-30", "0.2", "1e25"])
@pytest.mark.parametrize(
    "deltas", [("1e-30", 1), ("1e-30", 1, 1), ("1e20", "1e-20", "1e-19"), (0, "1e-30", 1)], ids=str
)
def test_deltas_far_apart_and_large_positions_keep_their_digits(deltas, start):
    deltas, start = [CTX.mpf(delta) for delta in deltas], CTX.mpf(start)
    for z in (2 * start, start * CTX.mpf("1e12"), start / 1000):
        time = elapsed(context(120), z, start, deltas)  # in 120 digits, so that its rounding does not move z
        assert abs(position(CTX, time, start, deltas) / z - 1) < CTX.mpf(10) ** -38


def test_the_time_between_large_positions_keeps_its_digits():
    # the integral of x^-3 from 1e40 to 2e40 is 3/8 1e-80, up to relative 1e-80
    z = CTX.mpf(10) ** 40
    assert abs(elapsed(CTX, 2 * z, z, [3, 2, 1]) / (CTX.mpf(3) / 8 / z**2) - 1) < CTX.mpf(10) ** -38
    assert abs(limit_time(CTX, z, [3, 2, 1]) / (1 / z**2 / 2) - 1) < CTX.mpf(10) ** -38


def test_forms_by_hand():
    a, t = sympy.symbols("a t", positive=True)
    assert sympy.expand_func(Z(t, 0, a**2)) == a * sympy.sinh(t)
    assert sympy.expand_func(Z(t, 0, 4, 1)) == sn(2 * t, R(3, 4)) / cn(2 * t, R(3, 4))
    assert sympy.expand_func(Z(t, 0, a**2, a**2)) == a * sympy.tan(a * t)
    assert sympy.expand_func(Z(t, 0, *[a**2] * 4)) == a * q(5, a**3 * t)
    assert sympy.expand_func(Z(t, a, 0)) == a * sympy.exp(t)
    assert sympy.simplify(sympy.expand_func(Z(t, a, 0, 0)) - a / (1 - a * t)) == 0
    assert sympy.expand_func(Z(t, T, 0, 1)).func is Z  # the sign of the start is not known
    assert sympy.expand_func(Z(t, 0, 1, 2, 3, 4)).func is Z


def test_the_time_and_the_position_undo_each_other():
    z, z0, t, d = sympy.symbols("z z_0 t delta", real=True)
    assert Z(F(z, z0, d, 2), z0, d, 2) == z and F(Z(t, z0, d, 2), z0, d, 2) == t
    assert F(Z(t, z0, d, 2), z0, d, 3).func is F and Z(0, z0, d) == z0
    assert F(2, 1, 3, 0) != 0 and sympy.expand_func(F(2, 1, 3, 0)).evalf(20) == F(2, 1, 3, 0).evalf(20)
    assert F(2, -1, 3, 0).expand(func=True).func is F  # no such time: z keeps its sign


def test_derivatives_of_the_position():
    t, z0, d = sympy.symbols("t z_0 delta", positive=True)
    here = Z(t, z0, d, 2)
    assert here.diff(t) == sympy.sqrt(here**2 + d) * sympy.sqrt(here**2 + 2)
    values, step = {t: R(1, 5), z0: R(1, 3), d: 3}, R(1, 10**8)
    moved = [here.subs({**values, z0: R(1, 3) + sign * step}).evalf(30) for sign in (1, -1)]
    # central difference: error step^2 times a third derivative of order ten
    assert abs((moved[0] - moved[1]) / (2 * step) - here.diff(z0).subs(values).evalf(25)) < 1e-14
    assert here.is_real and sympy.latex(here**2) == r"\left(z_{z_{0}; \delta, 2}\left(t\right)\right)^{2}"


def test_the_position_lowers():
    position_of_t = Z(T, R(1, 3), 3, 2)
    expected = position_of_t.subs(T, R(1, 5)).evalf(40)._to_mpmath(140)
    with mpmath.workdps(40):
        assert abs(lower(position_of_t, T, digits=35)("0.2") / expected - 1) < mpmath.mpf(10) ** -34
        assert abs(sympy.lambdify(T, position_of_t, "mpmath")(mpmath.mpf("0.2")) / expected - 1) < 1e-38
    assert abs(lower(sympy.expand_func(position_of_t), T)(0.2) / float(expected) - 1) < 1e-15
    with pytest.raises(BadInput, match="blows up before"):
        Z(2, 0, 1, 1).evalf()
    for made in (F(sympy.oo, 0, -1, 2), Z(R(1, 10), 0, -1), F(1, 0, 2, -1)):
        with pytest.raises(BadInput, match="negative"):
            made.evalf()


def test_a_wrong_parameter_is_not_proved():
    """m = d_2/d_1 in place of 1 - d_2/d_1, and a time scaled by the wrong root."""
    step = position_steps(3)[0]
    first, second = sympy.symbols("delta_1 delta_2", positive=True)
    u = sympy.Symbol("u", positive=True)
    for rate, m in ((first, second / first), (second, 1 - second / first)):
        at = sympy.sqrt(rate) * u, m
        z = sympy.sqrt(second) * sn(*at) / cn(*at)
        with pytest.raises(ProofFails):
            claim = sympy.Mul(z**2 + first, z**2 + second)
            Step("wrong", sympy.Derivative(z, u) ** 2, claim, "it is false", step.check)
    assert position_steps(5) == ()

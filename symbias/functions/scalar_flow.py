r"""The scalar flow z' = prod_l sqrt(z^2 + delta_l) in closed form: equal deltas at every depth, any to depth 4.

The formulas take the functions they call as ``fn``, so that what is proved (``symbolic``) is what is computed
(``numeric``). deltas come in decreasing order d_1 >= d_2 >= d_3. With no delta 0, u is the time since z = 0:

=========== ====================================================================================================
depth 2     z = sqrt(d) sinh u
depth 3     z = sqrt(d_2) sn/cn at (sqrt(d_1) u | 1 - d_2/d_1)
depth 4     z = sqrt(d_3) sn/sqrt(cn^2 - d_3/d_1) at (k u | d_1 (d_2 - d_3)/k^2), k^2 = d_2 (d_1 - d_3)
all equal   z = a q_L(a^(L-2) u), a^2 = d: Lemma 4
=========== ====================================================================================================

With a delta 0, z keeps its sign, here positive; depth 2 is z_0 e^t, and otherwise tau is the time left until z = oo:

=========== ====================================================================================================
depth 3     z = sqrt(d)/sinh(sqrt(d) tau), or 1/tau where d = 0
depth 4     1/z^2 = 2 sinh(2 s tau)/(2 s) + (d_1 + d_2) (sinh(s tau)/s)^2, s^2 = d_1 d_2, or 2 tau + d_1 tau^2
=========== ====================================================================================================
"""

from types import SimpleNamespace

import sympy

from symbias.functions import explicit, forward
from symbias.functions.jacobi import cn, sn
from symbias.kernels import precise


def symbolic() -> SimpleNamespace:
    """The functions of the formulas in SymPy."""

    def q(depth, t):
        known = explicit.q(depth, t)
        return forward.q(depth, t) if known is None else known

    def log1p(x):
        return sympy.log(1 + x)

    return SimpleNamespace(sqrt=sympy.sqrt, sinh=sympy.sinh, asinh=sympy.asinh, log1p=log1p, sn=sn, cn=cn, q=q)


def numeric(ctx) -> SimpleNamespace:
    """The functions of the formulas in an mpmath context."""

    def q(depth, t):
        return precise.q(ctx, depth, t)

    def sn(u, m):
        return ctx.ellipfun("sn", u, m=m)

    def cn(u, m):
        return ctx.ellipfun("cn", u, m=m)

    return SimpleNamespace(sqrt=ctx.sqrt, sinh=ctx.sinh, asinh=ctx.asinh, log1p=ctx.log1p, sn=sn, cn=cn, q=q)


def from_zero(fn, u, deltas):
    """z at the time u since z = 0, no delta 0; None where the flow is not elliptic (depth 5 on, deltas that differ)."""
    if all(delta == deltas[0] for delta in deltas):
        size = fn.sqrt(deltas[0])
        return size * fn.q(len(deltas) + 1, size ** (len(deltas) - 1) * u)
    if len(deltas) == 2:
        first, second = deltas
        at = fn.sqrt(first) * u, 1 - second / first
        return fn.sqrt(second) * fn.sn(*at) / fn.cn(*at)
    if len(deltas) == 3:
        first, second, third = deltas
        square = second * (first - third)
        at = fn.sqrt(square) * u, first * (second - third) / square
        return fn.sqrt(third) * fn.sn(*at) / fn.sqrt(fn.cn(*at) ** 2 - third / first)
    return None


def to_end(fn, tau, others):
    """z > 0 at the time tau before z = oo, where one delta is 0: ``others`` are the L-2 that remain, L = 3 or 4."""
    if len(others) == 1:
        root = fn.sqrt(others[0])
        return root / fn.sinh(root * tau) if others[0] != 0 else 1 / tau
    first, second = others
    if second == 0:
        return 1 / fn.sqrt(2 * tau + first * tau**2)
    root = fn.sqrt(first * second)
    return 1 / fn.sqrt(fn.sinh(2 * root * tau) / root + (first + second) * (fn.sinh(root * tau) / root) ** 2)


def time_to_end(fn, z, others):
    """The inverse of ``to_end``: the time from z > 0 to oo, without cancellation."""
    if len(others) == 1:
        root = fn.sqrt(others[0])
        return fn.asinh(root / z) / root if others[0] != 0 else 1 / z
    w, (first, second) = 1 / z**2, others
    if second == 0:
        return w / (1 + fn.sqrt(1 + first * w))
    a, b = fn.sqrt(first), fn.sqrt(second)
    gain = 1 / (b * (1 + fn.sqrt(1 + first * w))) + 1 / (a * (1 + fn.sqrt(1 + second * w)))
    return fn.log1p(first * second * w * gain / (a + b)) / (a * b)

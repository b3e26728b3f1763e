r"""General initialization: one coordinate whose layers eta_1(0), ..., eta_L(0) are arbitrary real numbers.

The differences eta_l^2 - eta_k^2 are conserved. Take as reference the layer with the smallest |eta_l(0)|, l*, and

.. math:: \delta_l = \eta_l(0)^2 - \eta_{l*}(0)^2 \ge 0, \quad \sigma = \prod_{l\ne l*} \mathrm{sign}\, \eta_l(0), \quad
          z = \sigma \eta_{l*}, \quad \rho = z \prod_{l \ne l*} \sqrt{z^2 + \delta_l}, \quad
          F(z) = \int_{z_0}^z \frac{dx}{\prod \sqrt{x^2+\delta_l}}.

Then F(z) is the time of the flow, and Q = rho F(z) - (z^2 - z_0^2)/2 has dQ/drho = F: the potential of the
coordinate, minimal at rho(0). Theorem 5 is delta_l = a^2, z_0 = 0. (With another reference it fails: that layer may
change sign.)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy
from mpmath.libmp import prec_to_dps
from sympy import Expr, Function, S, asinh, atan, elliptic_f, sqrt
from sympy.core.function import ArgumentIndexError

from symbias import exact
from symbias.errors import BadInput
from symbias.functions.elapsed import coordinate_potential, elapsed
from symbias.precision import adopt, context, public


class F(Function):
    r"""The time of the scalar flow of one coordinate: ``F(z, z0, delta_1, ..., delta_(L-1))``, increasing in z.

    .. math:: F = \int_{z_0}^z \frac{dx}{\prod_l \sqrt{x^2 + \delta_l}}

    Parameters
    ----------
    z, z0 : real
        Of the same sign, neither 0, if some delta is 0.
    delta : real, >= 0
        One for each layer but the reference; their number is the depth less one.

    Returns
    -------
    Folded, or 0 at z = z0. ``expand_func``: asinh (depth 2), Legendre's incomplete elliptic integrals (depth 3 and 4).

    Accuracy
    --------
    ``.evalf(n)``: n digits; Carlson's R_F for depth 3 and 4, Gauss quadrature at two degrees that agree beyond.

    Source
    ------
    Not in the paper: ``derivations/general_initialization.py``.

    Examples
    --------
    >>> import sympy
    >>> from symbias.functions.general_initialization import F
    >>> z, a = sympy.symbols("z a", positive=True)
    >>> sympy.expand_func(F(z, 0, a**2)), F(z, 0, a**2, 1).diff(z)
    (asinh(z/a), 1/(sqrt(a**2 + z**2)*sqrt(z**2 + 1)))
    """

    @classmethod
    def eval(cls, z, start, *deltas):
        return S.Zero if z == start else None

    def fdiff(self, argindex=1):
        z, start, *deltas = self.args
        if argindex > 2:
            raise ArgumentIndexError(self, argindex)
        at = z if argindex == 1 else start
        return (-1) ** (argindex - 1) / sympy.Mul(*(sqrt(at**2 + delta) for delta in deltas))

    def _eval_is_real(self):
        return all(a.is_real for a in self.args) or None

    def _eval_evalf(self, prec):
        if not all(a.is_number and a.is_real for a in self.args):
            return None
        z, start, *deltas = self.args
        low = context(15)
        size, gap = (low.mag(adopt(low, a._to_mpmath(low.prec))) for a in (abs(z) + abs(start), z - start))
        # Nearby ends: their difference must keep its own digits.
        ctx = context(prec_to_dps(prec + max(0, size - gap)) + 5)
        values = [adopt(ctx, a._to_mpmath(ctx.prec + 10, allow_ints=False)) for a in (z, start, *deltas)]
        return Expr._from_mpmath(elapsed(ctx, values[0], values[1], values[2:]), prec)

    def _eval_expand_func(self, **hints):
        z, start, *deltas = self.args
        known = closed_form(z, deltas)
        return self if known is None else known - closed_form(start, deltas)

    def _mpmathcode(self, printer):
        called = printer._module_format("symbias.functions.targets.symbias_mpmath_F")
        return f"{called}({', '.join(map(printer._print, self.args))})"

    def _latex(self, printer, exp=None):
        z, start, *deltas = map(printer._print, self.args)
        shown = rf"F_{{{start}; {', '.join(deltas)}}}\left({z}\right)"
        return shown if exp is None else rf"\left({shown}\right)^{{{exp}}}"


def closed_form(z, deltas: Sequence):
    r"""The integral from 0 to z of 1/prod sqrt(x^2 + delta_l), every delta > 0, in functions that SymPy has; else None.

    Depth 2: asinh(z/sqrt d). Depth 3: F(atan(z/sqrt d_2) | 1 - d_2/d_1)/sqrt d_1. Depth 4: with
    s = 1/d_3 - 1/d_1, F(phi | (1/d_3 - 1/d_2)/s)/sqrt(d_1 d_2 d_3 s), tan(phi)^2 = s z^2/(1 + z^2/d_1).
    """
    if len(deltas) == 1:
        return asinh(z / sqrt(deltas[0]))
    if len(deltas) == 2:
        first, second = deltas
        return elliptic_f(atan(z / sqrt(second)), 1 - second / first) / sqrt(first)
    if len(deltas) == 3:
        first, second, third = deltas
        size = 1 / third - 1 / first
        if size == 0:
            return None
        angle = atan(z * sqrt(size) / sqrt(1 + z**2 / first))
        return elliptic_f(angle, (1 / third - 1 / second) / size) / sqrt(first * second * third * size)
    return None


def rho_of(z, deltas: Sequence):
    """rho = z prod sqrt(z^2 + delta_l), in SymPy."""
    return z * sympy.Mul(*(sqrt(z**2 + delta) for delta in deltas))


def potential_of(z, start, deltas: Sequence):
    """The potential of one coordinate as a function of z: rho F - (z^2 - z0^2)/2, in SymPy."""
    return rho_of(z, deltas) * F(z, start, *deltas) - (z**2 - start**2) / 2


@dataclass(frozen=True)
class Coordinate:
    """The scalar flow of one coordinate. ``tie``: some delta is 0, so z keeps its sign (or stays 0)."""

    reference: int
    sign: int
    start: Any
    deltas: tuple[Any, ...]

    @property
    def tie(self) -> bool:
        return any(delta == 0 for delta in self.deltas)

    @property
    def depth(self) -> int:
        return len(self.deltas) + 1


def coordinate(eta: Sequence) -> Coordinate:
    r"""The scalar flow of one coordinate from the initial values of its layers.

    Parameters
    ----------
    eta : sequence of the L real numbers eta_1(0), ..., eta_L(0), L >= 2
        Numbers of any exact kind; a float means its exact binary value.

    Returns
    -------
    Coordinate
        reference (0-based layer), sign (the product of the other layers' signs), start z0 and deltas, exact.

    Raises
    ------
    BadInput
        Fewer than two layers; not real numbers (for symbols, name the reference yourself and use F, rho_of,
        potential_of).

    Source
    ------
    ``derivations/general_initialization.py``.

    Examples
    --------
    >>> from symbias.functions.general_initialization import coordinate
    >>> coordinate([2, -1, 3])
    Coordinate(reference=1, sign=1, start=-1, deltas=(3, 8))
    """
    values = [exact.number(value, f"eta_{i + 1}(0)") for i, value in enumerate(eta)]
    if len(values) < 2:
        raise BadInput(f"a coordinate has at least two layers, not {len(values)}")
    reference = min(range(len(values)), key=lambda i: abs(values[i]))
    others = [value for i, value in enumerate(values) if i != reference]
    # A layer that starts at 0 ties with the reference, which is then 0 too: its sign does not matter, nothing moves.
    sign = sympy.prod(-1 if value.is_negative else 1 for value in others)
    deltas = tuple(sympy.simplify(value**2 - values[reference] ** 2) for value in others)
    return Coordinate(reference, int(sign), sign * values[reference], deltas)


def general_potential(rho, initial, digits: int | None = None):
    r"""The potential of a general initialization, sum_j rho_j F_j(z_j) - (z_j^2 - z_j0^2)/2, at a vector rho.

    Parameters
    ----------
    rho : vector of m numbers
    initial : L x m numbers
        eta_l(0)_j, the initial blocks in the basis of the decomposition, alpha included.
    digits : integer, optional

    Returns
    -------
    float, or mpmath.mpf rounded once to ``digits``. It is >= 0, and 0 at rho(0) alone.

    Raises
    ------
    BadInput
        Shapes that do not fit; a coordinate with a tie whose rho has the other sign (the flow cannot reach it).

    Accuracy
    --------
    All digits asked, near rho(0) too, where both terms cancel to a quadratic.

    Source
    ------
    ``derivations/general_initialization.py``.

    Examples
    --------
    >>> import mpmath
    >>> from symbias.functions import general_potential
    >>> made = general_potential([2], [[1], [1], [0]], digits=20)  # Theorem 5: H_3(2) = pi/2 - 1/2
    >>> mpmath.nstr(made, 20)
    '1.0707963267948966192'
    """
    rho, initial = exact.array(rho, "rho", ndim=1), exact.array(initial, "initial", ndim=2)
    if initial.shape[1] != rho.size:
        raise BadInput(f"initial has {initial.shape[1]} columns, but rho has {rho.size} coordinates")
    ctx = context((digits or 16) + 5)
    total = ctx.zero
    for r, layers in zip(exact.to_sympy(rho), exact.to_sympy(initial).T, strict=True):
        flow = coordinate(layers)
        start, deltas = exact.precise(flow.start, ctx), [exact.precise(delta, ctx) for delta in flow.deltas]
        total += coordinate_potential(ctx, exact.precise(r, ctx), start, deltas)
    return float(total) if digits is None else public(total, digits)

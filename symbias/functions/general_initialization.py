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
from sympy import sqrt

from symbias import exact
from symbias.errors import BadInput
from symbias.functions.flow_time import F
from symbias.functions.position_numbers import coordinate_potential
from symbias.precision import context, public, valid_digits


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
    valid_digits(digits)
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

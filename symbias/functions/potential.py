r"""The potential of Theorem 5, which gradient flow minimises over the interpolating solutions."""

import numpy as np
import sympy

from symbias import exact
from symbias.errors import BadInput
from symbias.functions.doors import depth_at_door, exact_at_door, integer_depth
from symbias.functions.lemma_4 import H
from symbias.precision import context, public, valid_digits

_GUARD = 10  # digits; all terms of the sum are positive, so it loses none of them


def potential(rho, *, depth, alpha, eta, digits=None):
    r"""The potential of Theorem 5.

    .. math:: Q_{L,\alpha,\eta}(\rho) = \alpha^2 \sum_j \eta_j^2\, H_L\!\left(\frac{\rho_j}{\alpha^L |\eta_j|^L}\right).

    It is even in each coordinate, strictly convex and 0 only at rho = 0; alpha and eta enter through alpha |eta_j|
    alone. As alpha -> oo it is a weighted l2 norm squared, as alpha -> 0 a weighted (depth 2: unweighted) l1 norm:
    ``symbias.expansions``.

    Parameters
    ----------
    rho : vector (or one number), or a float array of shape (..., m)
        The coefficients in the basis of the decomposition; Q sums over the last axis.
    depth : integer >= 2, or a symbol when rho is symbolic
        L.
    alpha : positive number or symbol
        The scale of the initialization.
    eta : vector of the size of rho, or one number; no entry zero
        The initial direction in the basis of the decomposition; the signs do not matter.
    digits : integer, optional
        Number of correct decimal digits wanted.

    Returns
    -------
    SymPy in (rho, alpha or eta holds a SymPy object), ``digits=None``: the exact expression. Else numbers: float (an
    array for an array of vectors), or mpmath.mpf rounded once to ``digits``.

    Raises
    ------
    BadInput
        A Float in a symbolic argument (write the Rational); alpha <= 0 (call ``symbias.limit`` or
        ``symbias.expansions.potential_alpha_to_zero`` for the limit); an eta_j = 0; lengths that differ; a value
        beyond the range of floats (ask for digits=15).

    Accuracy
    --------
    Float: a few ulp at every alpha, alpha^L is never formed. A value below 1e-308 is rounded to the nearest float,
    maybe 0.

    Source
    ------
    arXiv:2010.02501v3, Theorem 5; ``derivations/lemma_4.py``.

    Examples
    --------
    >>> import mpmath, sympy, symbias as sb
    >>> rho, alpha = sympy.Symbol("rho", real=True), sympy.Symbol("alpha", positive=True)
    >>> sb.potential([rho], depth=3, alpha=alpha, eta=[1])
    alpha**2*H(3, rho/alpha**3)
    >>> mpmath.nstr(sb.potential(["1", "1"], depth=2, alpha="1", eta=["1", "1"], digits=20), 20)
    '0.82560148642891549429'
    """
    valid_digits(digits)
    if digits is None and any_symbolic(rho, alpha, eta):
        return _symbolic_potential(rho, depth, alpha, eta)
    depth = integer_depth(depth, "potential")
    rho, alpha, eta = numeric_coordinates(rho, alpha, eta)
    if digits is None:
        scale = float(alpha[()])
        if not 0 < scale < float("inf"):
            raise BadInput(f"alpha = {alpha[()]} is beyond the range of floats: ask for digits=15")
        return _float_potential(exact.to_float(rho), depth, scale, exact.to_float(eta))
    ctx = context(digits + _GUARD)
    scale = exact.to_precise(alpha, ctx)[()] * np.abs(exact.to_precise(eta, ctx))
    return public(precise_potential(ctx, exact.to_precise(rho, ctx), depth, scale), digits)


def any_symbolic(*values) -> bool:
    return any(isinstance(entry, sympy.Basic | sympy.MatrixBase) for value in values for entry in _entries(value))


def numeric_coordinates(rho, alpha, eta):
    """The door for numbers: arrays rho (..., m), alpha > 0, eta (m,) or one number, no entry 0."""
    alpha = exact.array(alpha, "alpha", ndim=0)
    rho, eta = exact.array(rho, "rho"), exact.array(eta, "eta")
    rho = rho.reshape(1) if rho.ndim == 0 else rho
    if eta.ndim and eta.shape != rho.shape[-1:]:
        raise BadInput(f"eta has shape {eta.shape}, but rho has {rho.shape[-1]} coordinates")
    if not alpha[()] > 0:
        raise BadInput(
            f"alpha = {alpha[()]} must be positive; for the limit alpha -> 0 call symbias.limit(problem, alpha=0)"
        )
    if any(entry == 0 for entry in eta.flat):
        raise BadInput(f"eta{[int(i) for i in np.argwhere(eta == 0)[0]]} is 0: Theorem 5 needs every |eta_j| > 0")
    return rho, alpha, eta


def _entries(value):
    if isinstance(value, np.ndarray):
        return value.ravel().tolist() if value.dtype == object else []
    if isinstance(value, sympy.MatrixBase):
        return list(value)
    return value if isinstance(value, (list, tuple, sympy.Tuple)) else [value]


def _symbolic_potential(rho, depth, alpha, eta):
    rho, depth, alpha, eta = symbolic_coordinates(rho, depth, alpha, eta, "potential")
    terms = (alpha**2 * e**2 * H(depth, r / (alpha**depth * abs(e) ** depth)) for r, e in zip(rho, eta, strict=True))
    return sum(terms, sympy.S.Zero)


def symbolic_coordinates(rho, depth, alpha, eta, door: str):
    """The symbolic door: rho and eta as tuples of one length, all exact, alpha not known to be <= 0, eta_j not 0."""
    depth = depth_at_door(depth, door)
    rho = tuple(exact_at_door(entry, f"rho[{j}]", door) for j, entry in enumerate(_entries(rho)))
    eta = tuple(exact_at_door(entry, f"eta[{j}]", door) for j, entry in enumerate(_entries(eta)))
    alpha = exact_at_door(alpha, "alpha", door)
    eta = eta * len(rho) if len(eta) == 1 else eta
    if len(eta) != len(rho):
        raise BadInput(f"eta has {len(eta)} entries, but rho has {len(rho)} coordinates")
    if alpha.is_positive is False:
        raise BadInput(
            f"alpha = {alpha} must be positive; for the limit alpha -> 0 call symbias.limit(problem, alpha=0)"
        )
    if any(entry.is_zero for entry in eta):
        raise BadInput("an entry of eta is 0: Theorem 5 needs every |eta_j| > 0")
    return rho, depth, alpha, eta


def precise_potential(ctx, rho, depth: int, scale):
    """sum_j a_j^2 H_L(rho_j / a_j^L) for arrays of mpf of ``ctx``, a_j = alpha |eta_j| > 0; sums over the last axis."""
    from symbias.kernels import precise

    rho, scale = np.broadcast_arrays(rho, scale)
    terms = np.empty(rho.shape, dtype=object)
    for index, r in np.ndenumerate(rho):
        a = scale[index]
        terms[index] = a**2 * precise.H(ctx, depth, r / a**depth)
    return terms.sum(axis=-1)


def _float_potential(rho: np.ndarray, depth: int, alpha: float, eta: np.ndarray):
    """The same in float64. With a = m 2^e, 1/sqrt 2 <= m < sqrt 2, powers of a are m^k 2^(ke), without overflow."""
    from symbias import kernels

    m, e = _mantissa(alpha)
    m_eta, e_eta = _mantissa(np.abs(eta))
    m, more = _mantissa(m * m_eta)
    e = e + e_eta + more

    def times_power(values, k):
        """values a^k, where the product is a float; elsewhere inf or 0, sorted out by the caller."""
        with np.errstate(over="ignore", under="ignore"):
            return np.ldexp(values * m**k, k * e)

    size = np.abs(rho)
    y = times_power(size, -depth)
    # y^2/2 and c y (depth 2: a logarithm) are H to the last bit beyond these ends, because the next terms are
    # relatively y^2 and y^(-(L-2)/L), both below 1e-33.
    small, large = y < 1e-20, y > 1e100
    inner = np.where(small | large, 1.0, y)
    with np.errstate(under="ignore"):
        middle = np.ldexp(m**2 * kernels.H(depth, inner), 2 * e)
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        # Each end is computed everywhere and used only where it holds.
        near_zero = 0.5 * times_power(size, 1 - depth) ** 2
        if depth == 2:
            far = size * (np.log(size) + np.log(4.0) - 2 * (np.log(m) + e * np.log(2.0)) - 1) / 2
        else:
            far = kernels.c(depth) * times_power(size, 2 - depth)
    value = np.where(small, near_zero, np.where(large, far, middle)).sum(axis=-1)
    if not np.isfinite(value).all():
        raise BadInput(
            f"the potential exceeds the range of floats at alpha = {alpha:g}, depth {depth}: ask for digits=15"
        )
    return value if value.ndim else float(value)


def _mantissa(values):
    """values = m 2^e with 1/sqrt 2 <= m < sqrt 2."""
    m, e = np.frexp(values)
    low = m < np.sqrt(0.5)
    return np.where(low, 2 * m, m), (e - low).astype(np.int64)

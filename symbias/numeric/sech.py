"""The functions of Lemma 4 in the variable v = asinh q, where one form serves every depth and every size.

With k = depth - 2: t(v) = ∫_0^v sech^k, its distance to the end of the domain c_L - t(v) = ∫_v^oo sech^k, and
h = sinh v cosh^(L-1) v, whose logarithm is of order L v. Nothing here overflows or cancels.
"""

import math

import numpy as np

NEAR = 0.1  # v counts as near the end of the domain when sech^k v < NEAR: there the distance to the end is carried
_LOG_2 = math.log(2.0)


def end(depth: int) -> float:
    """Return c_L = ∫_0^oo sech^(L-2), infinite for depth 2."""
    if depth == 2:
        return math.inf
    return math.sqrt(math.pi) / 2 * math.exp(math.lgamma((depth - 2) / 2) - math.lgamma((depth - 1) / 2))


def log_cosh(v: np.ndarray) -> np.ndarray:
    """Return log cosh v without overflow, and with relative accuracy at small v (cosh v = 1 + 2 sinh^2(v/2))."""
    size = np.abs(v)
    small = np.minimum(size, 1.0)
    return np.where(size < 1.0, np.log1p(2 * np.sinh(small / 2) ** 2), size + np.log1p(np.exp(-2 * size)) - _LOG_2)


def t(depth: int, v: np.ndarray) -> np.ndarray:
    """Return ∫_0^v sech^(L-2), by the recurrence in the power of sech, whose terms have one sign."""
    power = depth - 2
    if power == 0:
        return v
    tanh = np.tanh(v)
    value, start = (2 * np.arctan(np.tanh(v / 2)), 1) if power % 2 else (tanh, 2)
    if power > 2:
        squared = sech_squared(v)
        for i in range(start + 2, power + 1, 2):
            value = (squared ** ((i - 2) / 2) * tanh + (i - 2) * value) / (i - 1)
    return value


def sech_squared(v: np.ndarray) -> np.ndarray:
    """Return sech^2 v without overflow; it underflows to 0."""
    decay = np.exp(-2 * np.abs(v))
    return 4 * decay / (1 + decay) ** 2


def is_near(depth: int, v: np.ndarray) -> np.ndarray:
    """Return where v is near the end of the domain (never at depth 2)."""
    return (depth - 2) * log_cosh(v) > -math.log(NEAR)


def scaled_distance(depth: int, v: np.ndarray) -> np.ndarray:
    """Return cosh^k v (c_L - |t(v)|) for v near the end: 2F1(1/2, k/2; k/2 + 1; sech^2 v)/k, all terms positive."""
    half = (depth - 2) / 2
    z = sech_squared(v)
    largest = float(np.max(z, initial=0.0))
    terms = 2 if largest < 1e-30 else 2 + math.ceil(40 / -math.log(largest))  # z^terms below 1e-17
    binomial = np.cumprod([1.0] + [(i - 0.5) / i for i in range(1, terms)])
    value = np.zeros_like(z)
    for i in range(terms - 1, -1, -1):
        value = value * z + binomial[i] * half / (half + i)
    return value / (2 * half)

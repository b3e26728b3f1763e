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


class Hyperbolic:
    """log cosh v (to eps absolutely), tanh v and sech^2 v (to eps relatively)."""

    def __init__(self, v: np.ndarray):
        size = np.abs(v)
        decay = np.exp(-2 * size)
        self.v, self.tanh = v, np.tanh(v)
        self.log_cosh = size + np.log1p(decay) - _LOG_2
        self.sech_squared = 4 * decay / (1 + decay) ** 2

    def time(self, depth: int) -> np.ndarray:
        """Return t = ∫_0^v sech^(L-2), by the recurrence in the power of sech, whose terms have one sign."""
        power = depth - 2
        if power == 0:
            return self.v
        # gd v = 2 arctan tanh(v/2) = arcsin tanh v, in the form that keeps relative digits
        value, start = (np.arctan2(self.tanh, np.sqrt(self.sech_squared)), 1) if power % 2 else (self.tanh, 2)
        for i in range(start + 2, power + 1, 2):
            value = (self.sech_squared ** ((i - 2) / 2) * self.tanh + (i - 2) * value) / (i - 1)
        return value

    def is_near(self, depth: int) -> np.ndarray:
        """Return where v is near the end of the domain (never at depth 2)."""
        return (depth - 2) * self.log_cosh > -math.log(NEAR)


def scaled_distance(depth: int, sech_squared: np.ndarray) -> np.ndarray:
    """Return cosh^k v (c_L - |t(v)|) for v near the end: 2F1(1/2, k/2; k/2 + 1; sech^2 v)/k, all terms positive."""
    half = (depth - 2) / 2
    largest = float(np.max(sech_squared, initial=0.0))
    terms = 2 if largest < 1e-30 else 2 + math.ceil(40 / -math.log(largest))  # z^terms below 1e-17
    binomial = np.cumprod([1.0] + [(i - 0.5) / i for i in range(1, terms)])
    value = np.zeros_like(sech_squared)
    for i in range(terms - 1, -1, -1):
        value = value * sech_squared + binomial[i] * half / (half + i)
    return value / (2 * half)

"""Cauchy products of a network's joins in fixed point, one order at a time.

A number is an integer times 2^-bits, an array of numbers an object array of integers (gmpy2's where it is installed).
A Taylor coefficient of the flow needs order k of join(P, v) as soon as orders 0..k of P and v are known, and likewise
for the two adjoints of the join: an ``OnlineJoin`` keeps the orders it was given and returns the next one.
"""

import numpy as np
from mpmath.libmp import MPZ, from_man_exp, to_fixed

from symbias.numeric.products import Circular, Product


def to_ints(values: np.ndarray, bits: int) -> np.ndarray:
    """Round real mpf to integers times 2^-bits (towards minus infinity)."""
    out = np.empty(np.shape(values), dtype=object)
    for index, entry in np.ndenumerate(values):
        out[index] = MPZ(to_fixed(entry._mpf_, bits))
    return out


def to_mpf(ctx, values: np.ndarray, bits: int) -> np.ndarray:
    """Return the integers times 2^-bits as mpf of ``ctx``, rounded to its precision."""
    out = np.empty(values.shape, dtype=object)
    for index, entry in np.ndenumerate(values):
        out[index] = ctx.make_mpf(from_man_exp(entry, -bits, ctx.prec, "n"))
    return out


def to_floats(values: np.ndarray, bits: int) -> np.ndarray:
    """Return the integers times 2^-bits as float64 (0 below its range)."""
    spare = max(bits - 900, magnitude(values) - 1000, 0)  # an integer beyond 10^308 has no float
    return np.ldexp((values >> spare).astype(float), spare - bits)


def from_floats(values: np.ndarray, bits: int) -> np.ndarray:
    """Return float64 numbers as integers times 2^-bits."""
    mantissas, exponents = np.frexp(values)
    shifts = exponents.astype(object) + (bits - 53)
    whole = np.ldexp(mantissas, 53).astype(np.int64).astype(object) * MPZ(1)
    return (whole << np.maximum(shifts, 0)) >> np.maximum(-shifts, 0)


def magnitude(values: np.ndarray) -> int:
    """Return the bit length of the largest entry of an integer array."""
    return max((int(entry).bit_length() for entry in values.flat), default=0)


def horner(series: np.ndarray, argument, bits: int) -> np.ndarray:
    """Return sum_k series[k] argument^k, all in fixed point."""
    total = series[-1]
    for coefficient in series[-2::-1]:
        total = (total * argument >> bits) + coefficient
    return total


class Overflow(Exception):
    """A coefficient outgrew its slot: the step is too long for the series to decay."""


class OnlineJoin:
    """The series of join(P, v) and of its adjoints, for any product, by sums over the orders."""

    def __init__(self, product: Product, left: tuple[int, ...], right: tuple[int, ...], orders: int, bits: int):
        self.product, self.shapes, self.bits = product, (left, right), bits
        self.shape = product.join(np.ones(left), np.ones(right)).shape
        self.left = np.empty((orders, *left), dtype=object)
        self.right = np.empty((orders, *right), dtype=object)
        self.g = np.empty((orders, *self.shape), dtype=object)

    def push(self, k: int, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Take order k of both factors and return order k of their join."""
        self.left[k], self.right[k] = left, right
        return self.product.joins(self.left[: k + 1], self.right[k::-1]) >> self.bits

    def pull(self, k: int, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Take order k of the gradient in the join and return order k of the gradients in both factors."""
        self.g[k] = g
        left, right = self.shapes
        to_left = self.product.left_adjoints(self.g[: k + 1], self.right[k::-1], left) >> self.bits
        return to_left, self.product.right_adjoints(self.left[k::-1], self.g[: k + 1], right) >> self.bits


class OnlineConvolution:
    """The same for circular convolutions: each coefficient packed into one long integer (Kronecker substitution).

    A product of two such integers is a linear convolution, which Python and GMP multiply faster than quadratically: 6
    times the speed of the sum over entries at dim = 18, more beyond.
    """

    def __init__(self, dim: int, left: tuple[int, ...], right: tuple[int, ...], orders: int, bits: int, top: int):
        self.dim, self.bits, self.top = dim, bits, top
        self.shape = (dim,)
        self.lengths = (left[0], right[0])
        # Two factors below 2^top, summed over at most dim entries and all orders, and a sign.
        self.slot = 2 * top + (dim * orders).bit_length() + 2
        self.packed = {
            name: np.empty(orders, dtype=object) for name in ("left", "right", "left_back", "right_back", "g")
        }

    def push(self, k: int, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Take order k of both factors and return order k of their join."""
        for name, factor in (("left", left), ("right", right)):
            self.packed[name][k] = self._pack(factor)
            self.packed[f"{name}_back"][k] = self._pack(factor[::-1])
        product = np.dot(self.packed["left"][: k + 1], self.packed["right"][k::-1])
        return self._fold(product, sum(self.lengths) - 1, 0)

    def pull(self, k: int, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Take order k of the gradient in the join and return order k of the gradients in both factors."""
        self.packed["g"][k] = self._pack(g)
        return self._correlate(k, "right_back", *self.lengths[::-1]), self._correlate(k, "left_back", *self.lengths)

    def _correlate(self, k, back, length, wanted):
        product = np.dot(self.packed["g"][: k + 1], self.packed[back][k::-1])
        return self._fold(product, self.dim + length - 1, length - 1)[:wanted]

    def _pack(self, values):
        if magnitude(values) > self.top:
            raise Overflow
        total = MPZ(0)
        for entry in values[::-1]:
            total = (total << self.slot) + entry
        return total

    def _fold(self, product, count, first):
        """Unpack ``count`` entries and add those whose index agrees modulo dim with ``first``, ``first`` + 1, ..."""
        half = MPZ(1) << (self.slot - 1)
        mask = 2 * half - 1
        product += half * (((MPZ(1) << (self.slot * count)) - 1) // mask)  # a bias makes every entry positive
        out = np.array([MPZ(0)] * self.dim, dtype=object)
        for i in range(count):
            out[(i - first) % self.dim] += ((product >> (self.slot * i)) & mask) - half
        return out >> self.bits


def online(product: Product, left: tuple[int, ...], right: tuple[int, ...], orders: int, bits: int, top: int):
    """Return what multiplies two series by ``product``; no entry may reach 2^top."""
    if isinstance(product, Circular):
        return OnlineConvolution(product.dim, left, right, orders, bits, top)
    return OnlineJoin(product, left, right, orders, bits)

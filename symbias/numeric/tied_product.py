"""Tied weights: the product of the difference of powers, and the chain of distinct blocks that has the same flow."""

from dataclasses import dataclass

import numpy as np

from symbias.numeric.products import Hadamard, Product


@dataclass(frozen=True)
class DifferenceOfPowers(Product):
    """Tied weights: blocks w_+, w_- and beta = w_+^depth - w_-^depth, elementwise.

    Its flow is that of ``Hadamard`` on ``depth`` equal blocks (w_+, w_-) with data (X, -X), run ``depth`` times faster.
    """

    depth: int

    @property
    def speed(self):
        return self.depth

    def beta(self, blocks):
        plus, minus = (np.asarray(block) for block in blocks)
        return plus**self.depth - minus**self.depth

    def gradients(self, blocks, g):
        plus, minus = (np.asarray(block) for block in blocks)
        return [self.depth * plus ** (self.depth - 1) * g, -self.depth * minus ** (self.depth - 1) * g]

    def hessian(self, blocks, g):
        plus, minus = (np.asarray(block, dtype=float) for block in blocks)
        factor = self.depth * (self.depth - 1)
        return np.diag(factor * np.concatenate([plus ** (self.depth - 2) * g, -(minus ** (self.depth - 2)) * g]))

    def sizes(self, blocks):
        return Hadamard().sizes(blocks)

    def invariants(self, blocks):
        """w_+ w_- at depth 2, the powers w_+^(2-L) + w_-^(2-L) for positive blocks of greater depth."""
        plus, minus = (np.asarray(block) for block in blocks)
        if self.depth == 2:
            return [plus * minus]
        return [1 / plus ** (self.depth - 2) + 1 / minus ** (self.depth - 2)]

    def untied(self, X, blocks):
        joined = np.concatenate([np.asarray(block) for block in blocks])
        return Hadamard(), np.concatenate([X, -X], axis=1), [joined] * self.depth

    def tied(self, blocks):
        return np.split(blocks[0], 2)

    def joins(self, left, right):
        raise TypeError(self._NO_JOIN)

    def left_adjoints(self, g, right, shape):
        raise TypeError(self._NO_JOIN)

    def right_adjoints(self, left, g, shape):
        raise TypeError(self._NO_JOIN)

    _NO_JOIN = "the blocks of a difference of powers are tied: use untied() for a chain of joins"

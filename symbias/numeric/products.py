"""How the blocks of a linear network multiply to its linear coefficients: beta = v_1 o v_2 o ... o v_L.

Every network of the library is a chain of bilinear joins, P_1 = v_1, P_l = join(P_{l-1}, v_l), beta = P_L. A chain
needs one forward sweep for beta and one backward sweep for the gradients of <g, beta> in all blocks: nothing of size
d^L is formed. The joins are generic over the entries (float64, Python integers, mpf), and each is written once, as a
sum over a leading axis: joins(P, v) = sum_i join(P[i], v[i]), which is what a Cauchy product of two power series needs.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

Blocks = Sequence[np.ndarray]

_FFT_FROM = 128  # circular products of this size and more go through the FFT in float64


class Product(ABC):
    """A chain of bilinear joins; subclasses say how two factors are joined, and the two adjoints of that."""

    @abstractmethod
    def joins(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Return sum_i join(left[i], right[i])."""

    @abstractmethod
    def left_adjoints(self, g: np.ndarray, right: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Return sum_i d<g[i], join(P, right[i])>/dP for P of the given shape."""

    @abstractmethod
    def right_adjoints(self, left: np.ndarray, g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Return sum_i d<g[i], join(left[i], v)>/dv for v of the given shape."""

    def join(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Return the bilinear join of two factors."""
        return self.joins(left[None], right[None])

    def left_adjoint(self, g: np.ndarray, right: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Return d<g, join(P, right)>/dP for P of the given shape."""
        return self.left_adjoints(g[None], right[None], shape)

    def right_adjoint(self, left: np.ndarray, g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Return d<g, join(left, v)>/dv for v of the given shape."""
        return self.right_adjoints(left[None], g[None], shape)

    def each_join(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Return the array of join(left[i], right[i])."""
        return np.array([self.join(a, b) for a, b in zip(left, right, strict=True)])

    def each_left_adjoint(self, g: np.ndarray, right: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Return the array of left_adjoint(g[i], right[i], shape)."""
        return np.array([self.left_adjoint(a, b, shape) for a, b in zip(g, right, strict=True)])

    def each_right_adjoint(self, left: np.ndarray, g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Return the array of right_adjoint(left[i], g[i], shape)."""
        return np.array([self.right_adjoint(a, b, shape) for a, b in zip(left, g, strict=True)])

    def chain(self, blocks: Sequence) -> list:
        """Return the blocks in the order they are joined; doing it twice gives the order of the network back."""
        return list(blocks)

    def partial(self, blocks: Blocks) -> list[np.ndarray]:
        """Return the partial products P_1, ..., P_L, in the order of the chain."""
        first, *rest = (np.asarray(block) for block in self.chain(blocks))
        chain = [first]
        for block in rest:
            chain.append(self.join(chain[-1], block))
        return chain

    def beta(self, blocks: Blocks) -> np.ndarray:
        """Return the linear coefficients beta of the blocks."""
        return self.partial(blocks)[-1]

    def gradients(self, blocks: Blocks, g: np.ndarray) -> list[np.ndarray]:
        """Return the gradients d<g, beta>/dv_l of all blocks, by one forward and one backward sweep."""
        partial = self.partial(blocks)
        out: list[np.ndarray] = []
        for left, block in zip(partial[-2::-1], self.chain(blocks)[:0:-1], strict=True):
            block = np.asarray(block)
            out.append(self.right_adjoint(left, g, block.shape))
            g = self.left_adjoint(g, block, left.shape)
        return self.chain([g, *reversed(out)])

    def invariants(self, blocks: Blocks) -> list[np.ndarray]:
        """Return what gradient flow conserves whatever the data and the loss, an array for each two neighbours."""
        squares = [np.sum(np.asarray(block) ** 2) for block in blocks]
        return [np.array([a - b]) for a, b in pairwise(squares)]

    def jacobian(self, blocks: Blocks) -> np.ndarray:
        """Return d beta / d Theta, a row an entry of beta, a column an entry of the blocks laid end to end."""
        shape = self.beta(blocks).shape
        rows = []
        for index in np.ndindex(shape):
            unit = np.zeros(shape, dtype=np.asarray(blocks[0]).dtype)
            unit[index] = 1
            rows.append(np.concatenate([part.ravel() for part in self.gradients(blocks, unit)]))
        return np.array(rows)

    def sizes(self, blocks: Blocks) -> list:
        """Return the sizes that an error in the blocks is measured by: the largest entry of each nonzero block."""
        return [size for size in (np.abs(block).max() for block in blocks) if size]

    def drift(self, start: Blocks, end: Blocks):
        """Return the largest change of an invariant, relative to the largest squared entry of the blocks."""
        pairs = zip(self.invariants(start), self.invariants(end), strict=True)
        changes = [np.abs(a - b).max() for a, b in pairs]
        scale = max(np.abs(block).max() for block in (*start, *end)) ** 2
        return max(changes, default=0.0) / scale if scale else max(changes, default=0.0)

    def hessian(self, blocks: Blocks, g: np.ndarray) -> np.ndarray:
        """Return the second derivative of <g, beta> in the blocks laid end to end (float64).

        beta is linear in each block: the derivative of all gradients along a direction of one block is the gradients
        with that block replaced by the direction, and nothing within the block itself.
        """
        blocks = [np.asarray(block, dtype=float) for block in blocks]
        columns = []
        for at, block in enumerate(blocks):
            for index in np.ndindex(block.shape):
                unit = np.zeros(block.shape)
                unit[index] = 1
                parts = self.gradients([*blocks[:at], unit, *blocks[at + 1 :]], g)
                parts[at] = np.zeros(block.shape)
                columns.append(np.concatenate([part.ravel() for part in parts]))
        return np.array(columns)

    def untied(self, X: np.ndarray, blocks: Blocks) -> tuple["Product", np.ndarray, list[np.ndarray]]:
        """Return a chain with distinct blocks that has the same trajectories, its data and its blocks: here, itself."""
        return self, X, [np.asarray(block) for block in blocks]

    def tied(self, blocks: Blocks) -> list[np.ndarray]:
        """Return our blocks from those of the untied chain."""
        return list(blocks)

    speed = 1  # the flow of the tied blocks runs this many times faster than that of the untied chain


@dataclass(frozen=True)
class Hadamard(Product):
    """Elementwise: beta = w_1 * ... * w_L (the diagonal network; a linear model at depth 1)."""

    def joins(self, left, right):
        return (left * right).sum(axis=0)

    def left_adjoints(self, g, right, shape):
        return (g * right).sum(axis=0)

    def right_adjoints(self, left, g, shape):
        return (left * g).sum(axis=0)

    def join(self, left, right):
        return left * right

    def left_adjoint(self, g, right, shape):
        return g * right

    def right_adjoint(self, left, g, shape):
        return left * g

    def jacobian(self, blocks):
        return np.hstack([np.diag(part) for part in self.gradients(blocks, np.ones_like(blocks[0]))])

    def hessian(self, blocks, g):
        depth, none = len(blocks), np.zeros((len(g), len(g)))
        out = [[none] * depth for _ in range(depth)]
        for a in range(depth):
            for b in range(a):
                others = [block for at, block in enumerate(blocks) if at not in (a, b)]
                out[a][b] = out[b][a] = np.diag(np.prod(others, axis=0) * g)
        return np.block(out)

    def sizes(self, blocks):
        """Every entry: coordinates do not mix, and each is wanted to its own digits."""
        return [abs(entry) for block in blocks for entry in np.ravel(block) if entry]

    def invariants(self, blocks):
        return [a**2 - b**2 for a, b in pairwise(map(np.asarray, blocks))]


@dataclass(frozen=True)
class Circular(Product):
    """Convolution: beta_i = sum of w_1[j_1] ... w_L[j_L] over j_1 + ... + j_L = i modulo dim.

    Filters may be shorter than dim.
    """

    dim: int

    def joins(self, left, right):
        if self._by_fft(left, right):
            spectrum = np.fft.rfft(left, self.dim) * np.fft.rfft(right, self.dim)
            return np.fft.irfft(spectrum.sum(axis=0), self.dim)
        shifted = (np.arange(self.dim)[:, None] - np.arange(right.shape[1])) % self.dim
        return np.tensordot(_padded(left, self.dim)[:, shifted], right, axes=((0, 2), (0, 1)))

    def left_adjoints(self, g, right, shape):
        return self._correlate(g, right, shape[0])

    def right_adjoints(self, left, g, shape):
        return self._correlate(g, left, shape[0])

    def _correlate(self, g, factor, length):
        """Return sum_i sum_j g[i, (s + j) mod dim] factor[i, j] for s < length."""
        if self._by_fft(g, factor):
            spectrum = np.fft.rfft(g, self.dim) * np.conj(np.fft.rfft(factor, self.dim))
            return np.fft.irfft(spectrum.sum(axis=0), self.dim)[:length]
        shifted = (np.arange(length)[:, None] + np.arange(factor.shape[1])) % self.dim
        return np.tensordot(g[:, shifted], factor, axes=((0, 2), (0, 1)))

    def invariants(self, blocks):
        """Autocorrelations (|F v|^2 in every frequency) of two full-length filters, norms otherwise."""

        def square(v, full):
            return self._correlate(_padded(v[None], self.dim), v[None], self.dim) if full else np.array([np.sum(v**2)])

        out = []
        for a, b in pairwise(map(np.asarray, blocks)):
            full = len(a) == len(b) == self.dim
            out.append(square(a, full) - square(b, full))
        return out

    def _by_fft(self, left, right):
        return self.dim >= _FFT_FROM and left.dtype != object and right.dtype != object


@dataclass(frozen=True)
class MatrixProduct(Product):
    """Matrices in order: beta = W_1 ... W_{L-1} w_L (fully connected) or W_1 ... W_L (matrix sensing).

    A vector at the end is joined first, P_1 = w_L, P_l = W P_{l-1}, so that no product of two matrices is formed.
    """

    def chain(self, blocks):
        ends_in_a_vector = 1 in (np.ndim(blocks[0]), np.ndim(blocks[-1]))
        return list(blocks)[::-1] if ends_in_a_vector else list(blocks)

    def joins(self, left, right):
        if left.ndim == 2:
            return np.tensordot(right, left, axes=((0, 2), (0, 1)))
        return np.tensordot(left, right, axes=((0, 2), (0, 1)))

    def left_adjoints(self, g, right, shape):
        if g.ndim == 2:
            return np.tensordot(right, g, axes=((0, 1), (0, 1)))
        return np.tensordot(g, right, axes=((0, 2), (0, 2)))

    def right_adjoints(self, left, g, shape):
        if g.ndim == 2:
            return np.tensordot(g, left, axes=((0,), (0,)))
        return np.tensordot(left, g, axes=((0, 1), (0, 1)))

    def each_join(self, left, right):
        return (right @ left[..., None])[..., 0] if left.ndim == 2 else left @ right

    def each_left_adjoint(self, g, right, shape):
        back = right.swapaxes(-1, -2)
        return (back @ g[..., None])[..., 0] if g.ndim == 2 else g @ back

    def each_right_adjoint(self, left, g, shape):
        return g[..., :, None] * left[..., None, :] if g.ndim == 2 else left.swapaxes(-1, -2) @ g

    def invariants(self, blocks):
        def outer(v):
            return v @ v.T if v.ndim == 2 else np.multiply.outer(v, v)

        return [a.T @ a - outer(b) for a, b in pairwise(map(np.asarray, blocks))]


def _padded(rows: np.ndarray, length: int) -> np.ndarray:
    """Return the rows filled up with zeros to the length."""
    if rows.shape[1] == length:
        return rows
    out = np.zeros((rows.shape[0], length), dtype=rows.dtype)
    out[:, : rows.shape[1]] = rows
    return out

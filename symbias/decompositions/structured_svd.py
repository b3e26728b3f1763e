"""The singular value decomposition of M(x) at depth 2 where the network gives it: nothing of the size of M(x) is
formed.

Diagonal: M(x) = diag(x). Matrix sensing: A, repeated d times. Full-length convolution: M(x)_{jk} = x_{j+k} has the
real Fourier basis as right singular vectors, the same turned by the phases of the spectrum of x as left ones, and s =
|F x| sqrt(d).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from symbias.decompositions.base import numbers
from symbias.decompositions.svd import SingularDecomposition, factorise
from symbias.errors import BadInput


@dataclass(frozen=True, eq=False, repr=False)
class DiagonalSVD(SingularDecomposition):
    """s_j = |x_j|, U_1 = the unit vectors, U_2 = the same with the signs of x; coordinates with x_j = 0 are left
    out.
    """

    x: Any

    def singular_values(self, ctx=None):
        return np.abs(numbers(self.x, ctx))[self._order]

    def transform(self, v, layer, ctx=None):
        return self._signed(numbers(v, ctx)[self._order], layer)

    def block(self, eta, layer, ctx=None):
        v = np.full(len(self.x), 0.0 if ctx is None else ctx.zero, dtype=float if ctx is None else object)
        v[self._order] = self._signed(numbers(eta, ctx), layer)
        return v

    def _signed(self, values, layer):
        return values * self._signs if layer else values

    @cached_property
    def _order(self) -> np.ndarray:
        """The coordinates with x_j != 0, largest |x_j| first."""
        kept = [j for j, entry in enumerate(self.x) if entry != 0]
        if not kept:
            raise BadInput("the sample is zero: M(0) = 0 has no singular vectors")
        return np.array(sorted(kept, key=lambda j: -abs(self.x[j])))

    @cached_property
    def _signs(self) -> np.ndarray:
        return np.array([1 if self.x[j] > 0 else -1 for j in self._order])


@dataclass(frozen=True, eq=False, repr=False)
class SensingSVD(SingularDecomposition):
    """<A, W_1 W_2> with A = P diag(sigma) Q^T: eta_1 = P^T W_1 and eta_2 = (W_2 Q)^T, each sigma d times, row by
    row.
    """

    A: Any

    @cached_property
    def _factors(self) -> dict:
        return {}

    def factors(self, ctx=None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """P, sigma, Q."""
        if ctx not in self._factors:
            self._factors[ctx] = factorise(numbers(self.A, ctx), ctx)
        return self._factors[ctx]

    def singular_values(self, ctx=None):
        return np.repeat(self.factors(ctx)[1], len(self.A))

    def transform(self, v, layer, ctx=None):
        P, _, Q = self.factors(ctx)
        W = numbers(v, ctx)
        return ((W @ Q).T if layer else P.T @ W).ravel()

    def block(self, eta, layer, ctx=None):
        P, sigma, Q = self.factors(ctx)
        rows = numbers(eta, ctx).reshape(len(sigma), len(self.A))
        return (Q @ rows).T if layer else P @ rows


@dataclass(frozen=True, eq=False, repr=False)
class CircularSVD(SingularDecomposition):
    """M(x)_{jk} = x_{(j+k) mod d}. With the spectrum X_k = sum_j x_j e^{-i w_k j} = s_k e^{i phi_k}, w_k = 2 pi k/d:

    M cos(w_k .) = s_k cos(w_k . + phi_k) and M sin(w_k .) = -s_k sin(w_k . + phi_k), each frequency in 0 < k < d/2
    twice.
    """

    x: Any

    @cached_property
    def _kept(self) -> dict:
        return {}

    def singular_values(self, ctx=None):
        parts = self._parts(ctx)
        return parts["s"][parts["order"] // 2]

    def transform(self, v, layer, ctx=None):
        parts, (re, im) = self._parts(ctx), self._spectrum(numbers(v, ctx), ctx)
        if layer == 0:  # times e^{-i phi}
            re, im = re * parts["cos"] + im * parts["sin"], im * parts["cos"] - re * parts["sin"]
        else:
            im = -im
        return np.column_stack([re * parts["norm"], im * parts["norm"]]).ravel()[parts["order"]]

    def block(self, eta, layer, ctx=None):
        parts = self._parts(ctx)
        both = np.full(2 * len(parts["s"]), parts["s"][0] * 0)
        both[parts["order"]] = numbers(eta, ctx)
        c, s = both[::2] * parts["norm"], both[1::2] * parts["norm"]
        if layer == 0:  # Re (c + i s) e^{i phi} e^{i w j}
            c, s = c * parts["cos"] - s * parts["sin"], c * parts["sin"] + s * parts["cos"]
        else:
            s = -s
        return self._sum(c, s, ctx)

    def _parts(self, ctx) -> dict:
        """By context: s, the cosines and sines of phi, the norms of the basis, and the order: 2 k (cosine), 2 k + 1
        (sine).
        """
        if ctx not in self._kept:
            d = len(self.x)
            re, im = self._spectrum(numbers(self.x, ctx), ctx)
            root = np.sqrt if ctx is None else np.frompyfunc(ctx.sqrt, 1, 1)
            size = root(re * re + im * im) if ctx is not None else np.hypot(re, im)
            top = size.max()
            if not top:
                raise BadInput("the sample is zero: M(0) = 0 has no singular vectors")
            slack = 64 * d * np.finfo(float).eps if ctx is None else d * ctx.mpf(10) ** (3 - ctx.dps)
            seen = size > slack * top
            safe = np.where(seen, size, size * 0 + 1)
            lonely = [k for k in range(len(size)) if k == 0 or 2 * k == d]
            norm = np.full(len(size), 2.0 / d if ctx is None else ctx.mpf(2) / d)
            norm[lonely] = norm[lonely] / 2
            columns = [2 * k + part for k in np.flatnonzero(seen) for part in range(1 if k in lonely else 2)]
            order = np.array(sorted(columns, key=lambda column: -size[column // 2]))
            self._kept[ctx] = {"s": size, "cos": re / safe, "sin": im / safe, "norm": root(norm), "order": order}
        return self._kept[ctx]

    def _spectrum(self, v, ctx):
        """sum_j v_j e^{-i w_k j} for k = 0..d/2, real and imaginary parts."""
        if ctx is None:
            found = np.fft.rfft(v)
            return found.real, found.imag
        cos, sin = self._tables(ctx)
        return cos @ v, -(sin @ v)

    def _sum(self, c, s, ctx):
        """sum_k Re (c_k + i s_k) e^{i w_k j}."""
        d = len(self.x)
        if ctx is None:
            weights = np.full(len(c), d / 2)
            weights[0] = d
            if d % 2 == 0:
                weights[-1] = d
            return np.fft.irfft((c + 1j * s) * weights, d)
        cos, sin = self._tables(ctx)
        return c @ cos - s @ sin

    def _tables(self, ctx):
        """cos and sin of w_k j, k = 0..d/2."""
        if (ctx, "tables") not in self._kept:
            d = len(self.x)
            cos, sin = (
                np.array([f(2 * i / ctx.mpf(d)) for i in range(d)], dtype=object) for f in (ctx.cospi, ctx.sinpi)
            )
            turns = np.outer(np.arange(d // 2 + 1), np.arange(d)) % d
            self._kept[ctx, "tables"] = cos[turns], sin[turns]
        return self._kept[ctx, "tables"]

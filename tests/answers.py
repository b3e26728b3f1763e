"""Residuals of an answer, recomputed from the problem: nothing of symbias is used but the answer's own numbers.

All is done in an mpmath context of 60 digits more than the answer has. Each function returns {name: relative residual}.
"""

import math

import mpmath
import numpy as np


def private(digits: int):
    ctx = mpmath.MPContext()
    ctx.dps = digits
    return ctx


def numbers(ctx, array):
    """An object array of mpf of ``ctx`` from floats, mpf or SymPy numbers."""
    array = np.asarray(array, dtype=object)
    flat = [number(ctx, entry) for entry in array.ravel()]
    return np.array(flat, dtype=object).reshape(array.shape)


def number(ctx, entry):
    if hasattr(entry, "_mpf_"):
        return ctx.make_mpf(entry._mpf_)
    if hasattr(entry, "p") and hasattr(entry, "q"):
        return ctx.mpf(int(entry.p)) / int(entry.q)
    return ctx.mpf(float(entry))


def off_row_space(ctx, t, A):
    """|t - A^T nu| / |t| for the best nu: 0 when t is in the row space of A (Gram-Schmidt, twice)."""
    basis = []
    for row in A:
        for _ in range(2):
            for b in basis:
                row = row - b * (row @ b)
        basis.append(row / ctx.sqrt(row @ row))
    norm = ctx.sqrt(t @ t)
    if not norm:
        return ctx.mpf(0)
    rest = t
    for _ in range(2):
        for b in basis:
            rest = rest - b * (rest @ b)
    return ctx.sqrt(rest @ rest) / norm


def relative(ours, reference):
    """The largest |ours - reference| over the largest |reference|."""
    top = max(abs(entry) for entry in reference.ravel())
    error = max(abs(entry) for entry in (ours - reference).ravel())
    return error / top if top else error


def feasibility(X, y, beta):
    """|X beta - y| against the size of the terms that are added."""
    rows = X.reshape(len(X), -1)
    scale = (abs(rows) @ abs(beta.ravel())) + abs(y)
    return max(abs(r) / s if s else abs(r) for r, s in zip(rows @ beta.ravel() - y, scale, strict=True))


def even_basis(ctx, d, depth):
    """U (d, m) and S (m, d) of the convolution on even vectors: theory of the real Fourier basis."""
    m = d // 2 + 1
    mult = [1 if k in (0, d - k) else 2 for k in range(m)]
    cosine = [[ctx.cos(2 * ctx.pi * i * k / d) for k in range(m)] for i in range(d)]
    U = [[ctx.sqrt(ctx.mpf(mult[k]) / d) * cosine[i][k] for k in range(m)] for i in range(d)]
    S = [[(ctx.mpf(d) / mult[k]) ** (ctx.mpf(depth - 2) / 2) * cosine[i][k] for i in range(d)] for k in range(m)]
    return np.array(U, dtype=object), np.array(S, dtype=object)


def elapsed(ctx, q, depth):
    """t(q) = int_0^q (1 + u^2)^(-(L-1)/2) du."""
    if depth == 2:
        return ctx.asinh(q)
    if depth == 3:
        return ctx.atan(q)
    if depth == 4:
        return q / ctx.sqrt(1 + q * q)
    return q * ctx.hyp2f1(0.5, ctx.mpf(depth - 1) / 2, 1.5, -q * q)


def root(ctx, size, depth):
    """q >= 0 with q (1 + q^2)^((L-1)/2) = size: Newton in u = log q^2, where the equation is convex and increasing."""
    if not size:
        return ctx.mpf(0)
    wanted = 2 * ctx.log(size)
    u = wanted
    for _ in range(200):
        step = (u + (depth - 1) * ctx.log1p(ctx.exp(u)) - wanted) / (1 + (depth - 1) / (1 + ctx.exp(-u)))
        u -= step
        if abs(step) < ctx.mpf(10) ** (5 - ctx.dps) * (1 + abs(u)):
            return ctx.exp(u / 2)
    raise AssertionError("Newton's method of the test did not converge")


def theorem_5(ctx, X, y, start, beta, rho, blocks, U=None, S=None):
    """rho = a^L h(q) with t(q) a^{2-L} in the row space of X S^T; beta = S^T rho; the blocks multiply to rho and keep
    u^2 - w^2 = a^2.
    """
    depth, d = len(start), len(start[0])
    U = np.array([[ctx.mpf(i == j) for j in range(d)] for i in range(d)], dtype=object) if U is None else U
    S = U if S is None else S
    eta, end = [v @ U for v in start], [v @ U for v in blocks]
    a = abs(eta[0])
    q = [ctx.sign(r) * root(ctx, abs(r) / b**depth, depth) for r, b in zip(rho, a, strict=True)]
    t = np.array([elapsed(ctx, z, depth) for z in q], dtype=object) * a ** (2 - depth)
    sizes = max(max(u * u) for u in end)
    return {
        "feasibility": feasibility(X, y, beta),
        "beta": relative(S.T @ rho, beta),
        "blocks": relative(np.prod(end, axis=0), rho),
        "conserved": max(max(abs(u * u - end[-1] ** 2 - a * a)) for u in end[:-1]) / max(sizes, max(a * a)),
        "stationarity": off_row_space(ctx, t, X @ S.T),
    }


def general_initialization(ctx, X, y, start, beta, blocks):
    """Diagonal network, any start: the differences of squares are kept, and X has F in its row space.

    F_j = int_{z_0}^z dx / prod sqrt(x^2 + delta), with z the layer that started smallest times the signs of the others.
    """
    F, scale = [], []
    for j in range(len(beta)):
        first = [v[j] for v in start]
        smallest = min(range(len(first)), key=lambda l: abs(first[l]))
        others = [l for l in range(len(first)) if l != smallest]
        sign = np.prod([1 if first[l] > 0 else -1 for l in others])
        deltas = [first[l] ** 2 - first[smallest] ** 2 for l in others]

        def slope(x, deltas=deltas):
            return 1 / np.prod([ctx.sqrt(x * x + delta) for delta in deltas])

        z_0, z = sign * first[smallest], sign * blocks[smallest][j]
        # x = s sinh u with s^2 the least delta, x = e^u where it is 0 (z then keeps its sign): smooth in u
        s, side = ctx.sqrt(min(deltas)), ctx.sign(z_0)
        u_0, u = (ctx.asinh(x / s) if s else ctx.log(side * x) for x in (z_0, z))
        pieces = ctx.linspace(u_0, u, 2 + int(abs(u - u_0)))
        if s:
            F.append(ctx.quad(lambda u, s=s, slope=slope: slope(s * ctx.sinh(u)) * s * ctx.cosh(u), pieces))
        else:
            F.append(ctx.quad(lambda u, a=side, slope=slope: slope(a * ctx.exp(u)) * a * ctx.exp(u), pieces))
        scale.append(max(abs(z_0) * slope(z_0), abs(z) * slope(z)))
    F = np.array(F, dtype=object)
    size = ctx.sqrt(F @ F)
    squares = [[v * v for v in layers] for layers in (start, blocks)]
    moved = max(max(abs((a - b) - (c - d))) for a, b, c, d in _neighbours(*squares))
    return {
        "feasibility": feasibility(X, y, beta),
        "blocks": relative(np.prod(blocks, axis=0), beta),
        "conserved": moved / max(max(v) for v in squares[1]),
        "stationarity": off_row_space(ctx, F, X) * size / max(size, *scale),
    }


def _neighbours(before, after):
    return zip(before, before[1:], after, after[1:], strict=False)


def fully_connected(X, y, start, beta, blocks):
    """X beta = y, beta = W_1 .. W_{L-1} w_L, and W_l^T W_l - W_{l+1} W_{l+1}^T is kept along the flow."""

    def differences(layers):
        made = [v if v.ndim == 2 else v[:, None] for v in layers]
        return [a.T @ a - b @ b.T for a, b in zip(made, made[1:], strict=False)]

    product = blocks[-1]
    for W in reversed(blocks[:-1]):
        product = W @ product
    size = max(max(abs(v.ravel())) ** 2 for v in blocks)
    moved = max(max(abs((a - b).ravel())) for a, b in zip(differences(start), differences(blocks), strict=True))
    return {"feasibility": feasibility(X, y, beta), "blocks": relative(product, beta), "conserved": moved / size}


def difference_of_powers(ctx, X, y, start, beta, blocks):
    """beta = w_+^L - w_-^L; w_+ w_- (L = 2) or w_+^{2-L} + w_-^{2-L} kept, the difference in the row space of X."""
    depth = start["depth"]
    plus, minus = blocks
    w = start["blocks"][0]
    if depth == 2:
        kept = relative(plus * minus, w * w)
        t = np.array([ctx.log(p / m) for p, m in zip(plus, minus, strict=True)], dtype=object)
        size = ctx.mpf(1)
    else:
        kept = relative((plus ** (2 - depth) + minus ** (2 - depth)) / 2, w ** (2 - depth))
        t = minus ** (2 - depth) - plus ** (2 - depth)
        size = max(w ** (2 - depth))
    scale = max(abs(plus) ** depth + abs(minus) ** depth)
    return {
        "feasibility": feasibility(X, y, beta),
        "blocks": max(abs(plus**depth - minus**depth - beta)) / scale,
        "conserved": kept,
        # w_+ and w_- are given to their digits: their difference is known against their size, not against its own
        "stationarity": off_row_space(ctx, t, X) * min(1, max(abs(t)) / size),
    }


def linear(ctx, X, y, start, beta):
    """beta - beta(0) in the row space of X."""
    moved = beta - start
    lost = max(max(abs(start)), max(abs(beta))) / max(max(abs(moved)), ctx.mpf(10) ** -ctx.dps)
    return {"feasibility": feasibility(X, y, beta), "stationarity": off_row_space(ctx, moved, X) / max(lost, 1)}


def margin(ctx, X, y, z, norm):
    """The margins are at least 1, and |z| is the least: for two coordinates, found by trying all.

    The minimum of |z| s.t. margins >= 1 is attained with one tight sample (l1: on an axis) or with two, so the
    least norm of a feasible candidate is the least norm.
    """
    rows = X * y[:, None]
    size = {"l1": lambda v: sum(abs(v)), "l2": lambda v: ctx.sqrt(v @ v)}[norm]
    candidates = []
    for i, row in enumerate(rows):
        if norm == "l2":
            candidates.append(row / (row @ row) if any(row) else row)
        else:
            candidates += [np.array([j == 0, j == 1]) / row[j] for j in (0, 1) if row[j]]
        for other in rows[:i]:
            det = row[0] * other[1] - row[1] * other[0]
            if det:
                candidates.append(np.array([other[1] - row[1], row[0] - other[0]]) / det)
    slack = ctx.mpf(10) ** (20 - ctx.dps)
    least = min(size(v) for v in candidates if min(rows @ v) >= 1 - slack)
    return {"margins": max(1 - min(rows @ z), 0), "optimality": abs(size(z) / least - 1)}


def tolerance(digits: int | None) -> float:
    """An answer promises residuals of 1e-12 (float64) or 10^(1-n); a factor 100 for the condition of these ones."""
    return 1e-10 if digits is None else math.pow(10.0, 3 - digits)

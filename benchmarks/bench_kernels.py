"""h_inverse against np.arcsinh on the same points, brentq, sympy-lambdified radicals and mpmath, with errors."""

import time

import mpmath
import numpy as np
import scipy.optimize
import sympy

from symbias import kernels
from symbias.kernels import precise
from symbias.precision import context

POINTS = 1_000_000
CHECKED = 300  # points whose relative error is measured: a stride through all of them


def seconds(call, repeats: int) -> float:
    """The best CPU time of ``repeats`` runs: wall time and the other runs measure the rest of the machine."""
    best = np.inf
    for _ in range(repeats):
        began = time.process_time()
        call()
        best = min(best, time.process_time() - began)
    return best


def error(depth: int, y, got) -> float:
    """The largest relative error of ``got`` as h_inverse(y), against the precise kernel (tested alone) at 60 digits."""
    ctx, step = context(60), max(1, len(y) // CHECKED)
    wanted = (precise.h_inverse(ctx, depth, float(v)) for v in y[::step])
    return max(float(abs(float(g) / w - 1)) for g, w in zip(got[::step], wanted, strict=True))


def row(name, ours, peer, peer_seconds, our_error, peer_error, note="") -> dict:
    """One line of the table. ``ratio`` is how many times longer the peer takes."""
    return {
        "name": name,
        "ours_seconds": ours,
        "peer": peer,
        "peer_seconds": peer_seconds,
        "ratio": peer_seconds / ours,
        "our_error": our_error,
        "peer_error": peer_error,
        "note": note,
    }


def against_arcsinh() -> list[dict]:
    """The yardstick is a function of NumPy; the aims are 4 times its cost for depths 2 and 3, 12 for the others."""
    y = np.random.default_rng(0).uniform(-3, 3, POINTS)

    def peer():
        for _ in range(8):  # each result is dropped: keeping them would time the allocation of memory
            np.arcsinh(y)

    made = []
    for depth in (2, 3, 4, 5, 6, 8, 12, 20, 31, 32):
        kernels.h_inverse(depth, y[:10])  # builds the start table
        ours = yardstick = np.inf
        for _ in range(12):  # alternating and for equally long, so that both meet the same machine
            yardstick = min(yardstick, seconds(peer, 2) / 8)
            ours = min(ours, seconds(lambda: kernels.h_inverse(depth, y), 2))  # noqa: B023
        cost = ours / yardstick
        aim = 4 if depth < 4 else 12
        note = f"ours costs {cost:.1f} arcsinh (aim {aim}{'' if cost <= aim else ': missed'})"
        ours_off = error(depth, y, kernels.h_inverse(depth, y))
        made.append(row(f"h_inverse({depth}, 1e6 points)", ours, "np.arcsinh", yardstick, ours_off, None, note))
    return made


def against_brentq() -> list[dict]:
    """h(t) = y by bracketing, point by point; near the end of the domain its tolerance in t is what is left."""
    y = np.random.default_rng(1).uniform(0.01, 50, 1000)
    made = []
    for depth, h, end in (
        (3, lambda t: np.tan(t) / np.cos(t) ** 2, np.pi / 2),
        (4, lambda t: t / (1 - t * t) ** 2, 1.0),
    ):

        def peer():
            stop = end * (1 - 1e-15)  # noqa: B023
            return np.array([scipy.optimize.brentq(lambda t: h(t) - v, 0, stop, xtol=1e-15, rtol=1e-15) for v in y])  # noqa: B023

        ours = seconds(lambda: kernels.h_inverse(depth, y), 20)  # noqa: B023
        found = peer()
        made.append(
            row(
                f"h_inverse({depth}, 1000 points)",
                ours,
                "scipy brentq",
                seconds(peer, 2),
                error(depth, y, kernels.h_inverse(depth, y)),
                error(depth, y, found),
            )
        )
    return made


def against_radicals() -> list[dict]:
    """Depth 3: q^3 + q = y by SymPy's radicals, lambdified to NumPy; they cancel at small y."""
    symbol = sympy.Symbol("y", positive=True)
    unknown = sympy.Symbol("q")
    real = min(sympy.roots(unknown**3 + unknown - symbol, unknown), key=lambda r: abs(sympy.im(r.subs(symbol, 1).n())))
    q = sympy.lambdify(symbol, real, "numpy")
    made = []
    for name, exponents in (("1", (-1, 1)), ("1e-6", (-7, -5))):
        y = 10 ** np.random.default_rng(2).uniform(*exponents, 100_000)

        def peer():
            return np.arctan(np.real(q(y.astype(complex))))  # noqa: B023

        peer_error = error(3, y, peer())
        made.append(
            row(
                f"h_inverse(3, 1e5 points near {name})",
                seconds(lambda: kernels.h_inverse(3, y), 10),  # noqa: B023
                "sympy radicals, lambdified",
                seconds(peer, 5),
                error(3, y, kernels.h_inverse(3, y)),
                peer_error,
                "" if peer_error < 1e-10 else "peer is wrong: its radicals cancel",
            )
        )
    return made


def against_mpmath() -> list[dict]:
    """One point at many digits: findroot for q and hyp2f1 for t, the formulas as one would type them."""
    made = []
    for digits, depth, y in ((50, 5, 7), (50, 12, 7), (1000, 5, 7), (1000, 8, 10**6)):
        ctx, check, peer_ctx = context(digits), context(2 * digits), mpmath.MPContext()
        peer_ctx.dps = digits
        half = peer_ctx.mpf(depth - 1) / 2

        def peer():
            q = peer_ctx.findroot(lambda q: q * (1 + q * q) ** half / y - 1, kernels.root(depth, y))  # noqa: B023
            return q * peer_ctx.hyp2f1(0.5, half, 1.5, -q * q)  # noqa: B023

        exact = precise.h_inverse(check, depth, y)
        began = time.process_time()
        found = check.make_mpf(peer()._mpf_)
        peer_seconds = time.process_time() - began
        ours = seconds(lambda: precise.h_inverse(ctx, depth, y), 20)  # noqa: B023
        errors = [abs(value / exact - 1) for value in (precise.h_inverse(ctx, depth, y), found)]
        made.append(
            row(
                f"h_inverse({depth}, {y}) to {digits} digits",
                ours,
                "mpmath findroot + hyp2f1",
                peer_seconds,
                *map(float, errors),
                f"errors {' and '.join(check.nstr(e, 2) for e in errors)}",
            )
        )
    return made


def growth() -> list[dict]:
    """How our own cost grows with the digits and with the depth."""
    made = []
    for digits in (30, 100, 300, 1000, 3000):
        ctx = context(digits)
        y = ctx.mpf(7)
        cost = seconds(lambda: precise.h_inverse(ctx, 8, y), 10)  # noqa: B023
        made.append({"name": f"growth: h_inverse(8, 7) to {digits} digits", "ours_seconds": cost})
    for depth in (8, 16, 32, 64, 128):
        ctx = context(50)
        y = ctx.mpf(7)
        cost = seconds(lambda: precise.h_inverse(ctx, depth, y), 10)  # noqa: B023
        made.append({"name": f"growth: h_inverse({depth}, 7) to 50 digits", "ours_seconds": cost})
    return made


def rows() -> list[dict]:
    return [*against_arcsinh(), *against_brentq(), *against_radicals(), *against_mpmath(), *growth()]


if __name__ == "__main__":
    for made in rows():
        print({key: f"{value:.3g}" if isinstance(value, float) else value for key, value in made.items()})

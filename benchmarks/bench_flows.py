"""Flows: a regression limit, a classification far beyond floats, Lemma 4 in many digits; SciPy, mpmath, heyoka."""

import importlib.util
import time

import mpmath
import numpy as np

import symbias as sb
from symbias.kernels import precise
from symbias.numeric.lemma_4 import integrate_lemma_4
from symbias.numeric.products import Hadamard
from symbias.numeric.taylor_flow import flow_limit
from symbias.precision import context
from symbias.simulate import simulate

DEPTH, ALPHA, GOAL = 3, 1e-3, 1e-10
HEYOKA = importlib.util.find_spec("heyoka") is not None


def timed(call):
    began = time.perf_counter()
    found = call()
    return time.perf_counter() - began, found


def data(n: int, d: int):
    rng = np.random.default_rng(7)
    return rng.normal(size=(n, d)), rng.normal(size=n)


def problem(n: int, d: int, depth: int = DEPTH, alpha: float = ALPHA) -> sb.Regression:
    net = sb.Diagonal(d, depth)
    return sb.Regression(net, *data(n, d), sb.Initialization.theorem_5(net, alpha, 1))


def row(name, ours, our_error, peer="", peer_seconds=None, peer_error=None, note="") -> dict:
    return {
        "name": name,
        "ours_seconds": ours,
        "peer": peer,
        "peer_seconds": peer_seconds,
        "ratio": None if peer_seconds is None else peer_seconds / ours,
        "our_error": our_error,
        "peer_error": peer_error,
        "note": note,
    }


class DiagonalFlow:
    """What a user would write for dw_l/dt = -(product of the others) X^T (X beta - y)."""

    def __init__(self, X, y, depth, alpha):
        self.X, self.y, self.depth, self.d = X, y, depth, X.shape[1]
        self.start = np.concatenate([np.full(self.d * (depth - 1), alpha), np.zeros(self.d)])

    def rhs(self, t, theta):
        w = theta.reshape(self.depth, self.d)
        g = self.X.T @ (self.X @ w.prod(axis=0) - self.y)
        return np.concatenate([-g * np.delete(w, l, 0).prod(axis=0) for l in range(self.depth)])  # noqa: E741

    def jacobian(self, t, theta):
        w, d = theta.reshape(self.depth, self.d), self.d
        g = self.X.T @ (self.X @ w.prod(axis=0) - self.y)
        others = [np.delete(w, l, 0).prod(axis=0) for l in range(self.depth)]  # noqa: E741
        out = np.empty((self.depth * d, self.depth * d))
        gram = self.X.T @ self.X
        for a in range(self.depth):
            for b in range(self.depth):
                block = -others[a][:, None] * gram * others[b]
                if a != b:
                    block -= np.diag(g * np.delete(w, [a, b], 0).prod(axis=0))
                out[a * d : (a + 1) * d, b * d : (b + 1) * d] = block
        return out

    def beta(self, theta):
        return theta.reshape(self.depth, self.d).prod(axis=0)


def by_scipy(flow, method, rtol, end):
    from scipy.integrate import solve_ivp

    jac = {} if method == "DOP853" else {"jac": flow.jacobian}
    found = solve_ivp(flow.rhs, (0, end), flow.start, method=method, rtol=rtol, atol=rtol * ALPHA**DEPTH, **jac)
    return flow.beta(found.y[:, -1])


def by_descent(flow, step, end):
    theta = flow.start
    for _ in range(int(end / step)):
        theta = theta + step * flow.rhs(0, theta)
    return flow.beta(theta)


def by_heyoka(flow, end):
    import heyoka

    names = [f"w_{i}" for i in range(len(flow.start))]
    w = np.array(heyoka.make_vars(*names)).reshape(flow.depth, flow.d)
    r = [
        heyoka.sum([c * b for c, b in zip(row, w.prod(axis=0), strict=True)]) - t
        for row, t in zip(flow.X, flow.y, strict=True)
    ]
    system = []
    for l in range(flow.depth):  # noqa: E741
        others = np.delete(w, l, 0).prod(axis=0)
        for j in range(flow.d):
            g = heyoka.sum([flow.X[i, j] * r[i] for i in range(len(flow.y))])
            system.append((w[l, j], -g * others[j]))
    integrator = heyoka.taylor_adaptive(system, list(flow.start), compact_mode=True)
    integrator.propagate_until(end)
    return flow.beta(integrator.state)


def error(beta, reference) -> float:
    """The largest error relative to the largest coefficient: a limit to 1e-10 need not resolve the losers."""
    return float(np.abs(beta - reference).max() / np.abs(reference).max())


def regression_limit() -> list[dict]:
    """Diagonal depth 3, d = 20, n = 5, alpha = 1e-3, to 1e-10; all integrators end where the loss is below 1e-22."""
    given, (X, y) = problem(5, 20), data(5, 20)
    ctx = context(60)
    blocks = given.start().blocks(ctx)
    reference_seconds, exact = timed(lambda: flow_limit(Hadamard(), *given.data(ctx), blocks, 20))
    reference = exact.beta.astype(float)
    ours = {
        "predict": timed(lambda: sb.predict(given).coefficients),
        "reduced flow": timed(lambda: simulate(given, "reduced", log10_loss=-22, tolerance=1e-9)),
        "full flow": timed(lambda: simulate(given, log10_loss=-22, tolerance=1e-9)),
    }
    end = float(ours["full flow"][1].times[-1])
    found = {
        name: (seconds, error(path if name == "predict" else path.coefficients[-1], reference))
        for name, (seconds, path) in ours.items()
    }
    flow = DiagonalFlow(X, y, DEPTH, ALPHA)
    fastest = 2 / np.linalg.eigvalsh(-flow.jacobian(0, simulate_state(ours["full flow"][1]))).max()
    peers = {
        "SciPy LSODA with Jacobian": lambda: by_scipy(flow, "LSODA", 1e-11, end),
        "SciPy Radau with Jacobian": lambda: by_scipy(flow, "Radau", 1e-9, end),
        "SciPy DOP853": lambda: by_scipy(flow, "DOP853", 1e-10, end),
        "gradient descent in NumPy": lambda: by_descent(flow, 0.9 * fastest, end),
    }
    if HEYOKA:
        peers["heyoka"] = lambda: by_heyoka(flow, end)
    made = []
    for peer, call in peers.items():
        seconds, beta = timed(call)
        for name, (ours_seconds, ours_error) in found.items():
            made.append(row(f"limit to 1e-10: {name}", ours_seconds, ours_error, peer, seconds, error(beta, reference)))
    made.append(row("limit, full flow to 20 digits", reference_seconds, 10.0**-exact.agreement))
    return made


def simulate_state(path):
    return np.concatenate([block[-1] for block in path.blocks])


def lemma_4() -> list[dict]:
    """p, q of depth 3 at t = 1 (tan 1) in 50 and 200 digits."""
    made = []
    for digits in (50, 200):
        ctx = context(digits + 20)
        exact = precise.q(ctx, 3, ctx.one)
        seconds, (_, q) = timed(lambda: integrate_lemma_4(3, 1, digits))  # noqa: B023
        ours = float(abs(ctx.convert(q) - exact) / exact)
        peers = {"mpmath.odefun": lemma_4_by_mpmath}
        if HEYOKA:
            peers["heyoka (mppp real)"] = lemma_4_by_heyoka
        for peer, call in peers.items():
            theirs, value = timed(lambda: call(digits))  # noqa: B023
            wrong = float(abs(ctx.convert(value) - exact) / exact)
            made.append(row(f"Lemma 4, depth 3, {digits} digits", seconds, ours, peer, theirs, wrong))
    return made


def lemma_4_by_mpmath(digits):
    ctx = mpmath.MPContext()
    ctx.dps = digits + 2
    return ctx.odefun(lambda t, v: [v[0] * v[1], v[0] ** 2], 0, [ctx.one, ctx.zero])(1)[1]


def lemma_4_by_heyoka(digits):
    import heyoka

    bits = int(digits * 3.33) + 10
    p, q = heyoka.make_vars("p", "q")
    one, zero = (heyoka.real(v, bits) for v in (1, 0))
    integrator = heyoka.taylor_adaptive([(p, p * q), (q, p * p)], [one, zero], fp_type=heyoka.real)
    integrator.propagate_until(heyoka.real(1, bits))
    return mpmath.mp.make_mpf(mpmath.libmp.from_str(str(integrator.state[1]), bits))


def far_classification() -> list[dict]:
    """log10(loss) = -4e7, counted in right-hand sides."""
    made = []
    for flow in ("full", "reduced"):
        for depth in (2, 3):
            net = sb.Diagonal(20, depth)
            X, y = data(5, 20)
            given = sb.Classification(net, X, np.sign(y), sb.Initialization.theorem_5(net, "0.1", 1))
            seconds, path = timed(lambda: simulate(given, flow, clock="log_loss", log10_loss=-4e7))  # noqa: B023
            made.append(row(f"loss 10^-4e7, {flow}, depth {depth}", seconds, None, note=f"{path.rhs} right-hand sides"))
    return made


def growth() -> list[dict]:
    """Seconds of the high-precision limit (30 digits, alpha = 1) in d, n, depth, digits, one at a time."""
    made = []
    base = {"n": 3, "d": 10, "depth": 3, "digits": 30}
    for name, values in {"d": (10, 20, 40), "n": (2, 4, 8), "depth": (2, 4, 6), "digits": (30, 60, 120)}.items():
        for value in values:
            at = base | {name: value}
            given, ctx = problem(at["n"], at["d"], at["depth"], 1.0), context(at["digits"] + 40)
            blocks = given.start().blocks(ctx)
            seconds, found = timed(lambda: flow_limit(Hadamard(), *given.data(ctx), blocks, at["digits"]))  # noqa: B023
            made.append(row(f"growth, {name} = {value}", seconds, 10.0**-found.agreement, note=f"{found.steps} steps"))
    return made


def rows() -> list[dict]:
    return regression_limit() + lemma_4() + far_classification() + growth()

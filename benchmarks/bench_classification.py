"""Limit directions against gradient descent, solve_ivp, HiGHS, SLSQP and cvxpy with Clarabel; growth in n, d and depth.

Trajectories: the network of two layers, w_1 = (1, 1), w_2 = (1, 0), one sample (1, 2): the angle to its limit is
4 e^{-2 nu} = 4 / sqrt(2 f) for large f, known in closed form; the peers stop where the plain time or the loss leaves
float64 or patience, and the row says where. Margins: the error is that of the direction, against exact rational
numbers.
"""

import time
from importlib.util import find_spec

import numpy as np

import symbias as sb
from symbias.data import load_digits
from symbias.numeric.max_margin import as_precise, l1_margin, l2_margin
from symbias.numeric.separability import combination
from symbias.precision import context
from symbias.simulate import simulate


def timed(call):
    began = time.perf_counter()
    made = call()
    return time.perf_counter() - began, made


def row(name, ours, peer="", theirs=None, our_error=None, peer_error=None, note=""):
    ratio = None if theirs is None else theirs / ours
    return {
        "name": name,
        "ours_seconds": ours,
        "peer": peer,
        "peer_seconds": theirs,
        "ratio": ratio,
        "our_error": our_error,
        "peer_error": peer_error,
        "note": note,
    }


def two_layers():
    net = sb.Diagonal(dim=2, depth=2)
    return sb.Classification(net, [[1, 2]], [1], sb.Initialization(1, [[1, 1], [1, 0]]))


def angle(beta) -> float:
    return float(np.degrees(np.arctan2(beta[0], beta[1])))


def closed(beta) -> float:
    """The angle at the same rho_1 = e^{2 nu}, in closed form."""
    nu = np.log(beta[0]) / 2
    return float(np.degrees(np.arctan2(2 * np.exp(2 * nu), np.sinh(4 * nu))))


def descent(degrees: float, step: float = 5e-4):
    """Gradient descent in plain Python until the angle is below ``degrees``; the products and the iterations."""
    from math import atan2, exp, radians, tan

    goal, (a, b, c, d), k = tan(radians(degrees)), (1.0, 1.0, 1.0, 0.0), 0
    assert atan2(goal, 1) > 0
    while not (b * d > 0 and a * c < goal * b * d):
        r = step * exp(-(a * c + 2 * b * d))
        a, b, c, d, k = a + r * c, b + 2 * r * d, c + r * a, d + 2 * r * b, k + 1
    return np.array([a * c, b * d]), k


def ivp(degrees: float):
    """solve_ivp (LSODA, rtol 1e-10) in plain time until the angle is below ``degrees``."""
    from scipy.integrate import solve_ivp

    def velocity(t, v):
        r = np.exp(-(v[0] * v[2] + 2 * v[1] * v[3]))
        return [r * v[2], 2 * r * v[3], r * v[0], 2 * r * v[1]]

    def reached(t, v):
        return angle([v[0] * v[2], v[1] * v[3]]) - degrees

    reached.terminal = True  # type: ignore[attr-defined]
    path = solve_ivp(
        velocity, (0, 1e300), [1, 1, 1, 0], "LSODA", rtol=1e-10, atol=1e-12, events=reached, first_step=1e-6
    )
    end = path.y[:, -1]
    return np.array([end[0] * end[2], end[1] * end[3]]), len(path.t)


def trajectories() -> list[dict]:
    problem, rows = two_layers(), []
    for degrees, peers in ((60.0, ("gradient descent", "solve_ivp")), (10.0, ("solve_ivp",)), (0.0163, ())):
        margin = 8 / np.radians(degrees) ** 2  # for large f; more than enough for 60 degrees
        goal = -max(margin, 4.0) / np.log(10)
        ours, path = timed(lambda goal=goal: simulate(problem, clock="log_loss", log10_loss=goal, tolerance=1e-10))
        end = path.coefficients[-1]
        error = abs(angle(end) / closed(end) - 1)
        note = f"log10 loss {path.log10_loss[-1]:.3g}"
        for peer in peers:
            theirs, (beta, count) = timed(lambda p=peer, g=degrees: descent(g) if p == "gradient descent" else ivp(g))
            rows.append(
                row(
                    f"to {degrees} degrees of the limit",
                    ours,
                    peer,
                    theirs,
                    error,
                    abs(angle(beta) / closed(beta) - 1),
                    f"{note}; {count} steps",
                )
            )
        if not peers:
            rows.append(
                row(
                    f"to {degrees} degrees of the limit",
                    ours,
                    our_error=error,
                    note=f"{note}: beyond float64 for the peers",
                )
            )
    return rows


def separable(n: int, d: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    while True:
        A = rng.integers(-9, 10, (n, d))
        if combination(A) is None:
            return A


def unit(v):
    return v / np.linalg.norm(v)


def highs(A):
    from scipy.optimize import linprog

    n, d = A.shape
    found = linprog(np.ones(2 * d), A_ub=-np.hstack([A, -A]), b_ub=-np.ones(n), bounds=(0, None), method="highs")
    return found.x[:d] - found.x[d:]


def slsqp(A):
    from scipy.optimize import minimize

    start = np.linalg.lstsq(A, np.ones(len(A)), rcond=None)[0]
    rule = {"type": "ineq", "fun": lambda z: A @ z - 1, "jac": lambda z: A}
    return minimize(
        lambda z: z @ z, start, jac=lambda z: 2 * z, constraints=rule, method="SLSQP", options={"ftol": 1e-15}
    ).x


def clarabel(A, order):
    import cvxpy

    z = cvxpy.Variable(A.shape[1])
    cvxpy.Problem(cvxpy.Minimize(cvxpy.norm(z, order)), [A @ z >= 1]).solve(solver="CLARABEL")
    return z.value


def margins() -> list[dict]:
    ctx, rows = context(45), []
    digits = load_digits()
    sets = {"(5, 50)": separable(5, 50), "(20, 64) digits": np.array(digits.y[:, None] * digits.X, dtype=int)}
    peers = {1: {"HiGHS": highs}, 2: {"SLSQP": slsqp}}
    if find_spec("cvxpy") is not None:
        peers[1]["cvxpy, Clarabel"] = lambda A: clarabel(A, 1)
        peers[2]["cvxpy, Clarabel"] = lambda A: clarabel(A, 2)
    for order, solver in ((1, l1_margin), (2, l2_margin)):
        for name, A in sets.items():
            ours, found = timed(lambda s=solver, A=A: s(A, ctx))
            exact = as_precise(ctx, found.rho).astype(float)
            for peer, call in peers[order].items():
                theirs, z = timed(lambda c=call, A=A: c(A.astype(float)))
                error = (
                    float(np.abs(unit(z) - unit(exact)).max())
                    if found.unique
                    else float(abs(np.abs(z).sum() / np.abs(exact).sum() - 1))
                )
                note = "exact, with certificate" if found.unique else "several solutions: the error is that of the norm"
                rows.append(row(f"l{order} margin {name}", ours, peer, theirs, 0.0, error, note))
    return rows


def growth() -> list[dict]:
    rows = []
    for n, d, depth in ((2, 10, 3), (4, 10, 3), (8, 10, 3), (4, 20, 3), (4, 40, 3), (4, 10, 4), (4, 10, 6)):
        net = sb.Diagonal(d, depth)
        A = separable(n, d, seed=1)
        problem = sb.Classification(net, A.astype(object), [1] * n, sb.Initialization.theorem_5(net, 1, 1))
        ours, found = timed(lambda p=problem: sb.predict(p, digits=25, theorem="theorem_2"))
        rows.append(row(f"which vertex, n = {n}, d = {d}, L = {depth}", ours, note=found.notes[-1]))
    return rows


def rows() -> list[dict]:
    return trajectories() + margins() + growth()

"""Limit checks: nine values in high precision with their order, against solving each flow with SciPy."""

import numpy as np
import sympy

import symbias as sb
from benchmarks.bench_theorem_6 import integrated, row, timed


def rows() -> list[dict]:
    made = []
    diagonal = sb.Diagonal(3, 3)
    start = sb.Initialization.theorem_5(diagonal, 1, [1, 2, 3])
    problem = sb.Regression(diagonal, [[1, 2, 0], [0, 1, -1]], [1, 2], start)
    for end in (0, sympy.oo):
        seconds, found = timed(lambda e=end: sb.check_limit(problem, alpha=e, theorem="theorem_5"))
        note = f"{found.verdict}, order {float(found.order):.6g}, {found.digits:.0f} digits"
        made.append(row(f"Theorem 5, depth 3, alpha -> {end}", seconds, 10.0**-found.digits, note=note))
    made.append(against_scipy())
    net = sb.FullyConnected(3, 2)
    start = sb.Initialization("0.005", [[[1, "0.5", -1], ["0.25", 1, 2], [-2, 1, 1]], ["0.5", -1, "0.25"]])
    problem = sb.Regression(net, [[1, 2, 0], [0, 1, -1]], [1, 2], start)
    seconds, found = timed(lambda: sb.check_limit(problem, alpha=0, digits=12, theorem="theorem_7"))
    note = f"{found.verdict}, order {float(found.order):.3g} by seven flows"
    made.append(row("Theorem 7, depth 2, two samples", seconds, 10.0**-found.digits, note=note))
    return made


def against_scipy() -> dict:
    """Theorem 6, alpha from 1 to 1e-4: the limit that can be extrapolated from five values of each."""
    net = sb.Convolutional(2, 2, filters=(1, 2))
    x = np.array([1.0, 2.0])

    def at(alpha: float) -> sb.Regression:
        return sb.Regression(net, x[None], [1.0], sb.Initialization(alpha, [[1.0], [0.5, 0.0]]))

    claim = sb.limit(at(1.0), 0, digits=30, theorem="theorem_6")
    ours, found = timed(lambda: sb.check_limit(at(1.0), alpha=0, claim=claim, theorem="theorem_6", points=5))
    theirs, values = timed(lambda: [integrated(at(10.0**-k)) for k in range(5)])
    order = np.log10(abs(values[-3] - values[-2])[0] / abs(values[-2] - values[-1])[0])
    off = float(abs(order - float(found.order)))
    note = f"order {float(found.order):.4f} against {order:.4f}"
    return row("Theorem 6, five values and their order", ours, float(found.order_error), "LSODA", theirs, off, note)

"""Proofs: Assumption 1 for the convolution against SymPy's expand and simplify; growth; the time of ``sb.derive``."""

import itertools
import time

import sympy

import symbias as sb
from symbias.functions.closed_form_proofs import closed_form_steps
from symbias.functions.expansion_proofs import expansion_steps, series_steps
from symbias.functions.lemma_4_proofs import lemma_4_steps


def by_sympy(dim: int, depth: int) -> bool:
    """Rebuild every entry of M(x) from S and U with SymPy's exponentials; True when simplify proves all of them."""
    root = sympy.exp(2 * sympy.pi * sympy.I / dim)
    scale = sympy.sqrt(dim) ** (depth - 2)
    for j in itertools.product(range(dim), repeat=depth):
        for s in range(dim):
            entry = sum(scale * root ** (-k * s) * root ** (k * sum(j)) / sympy.sqrt(dim) ** depth for k in range(dim))
            wanted = 1 if sum(j) % dim == s else 0
            if sympy.simplify(sympy.expand(entry - wanted)) != 0:
                return False
    return True


def seconds(call) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def rows() -> list[dict]:
    made = []
    sb.Convolutional(2, 2).decompose().prove()  # the first proof imports
    for dim, depth in [(2, 3), (4, 2), (4, 3), (8, 2), (5, 2), (6, 2)]:
        ours = seconds(lambda: sb.Convolutional(dim, depth).decompose().prove())  # noqa: B023
        began = time.perf_counter()
        proved = by_sympy(dim, depth)
        theirs = time.perf_counter() - began
        made.append(
            {
                "name": f"Assumption 1, convolution, d = {dim}, L = {depth}",
                "ours_seconds": ours,
                "peer": "SymPy expand + simplify",
                "peer_seconds": theirs,
                "ratio": theirs / ours,
                "our_error": 0,
                "peer_error": 0 if proved else None,
                "note": "" if proved else "wrong: an entry does not reduce to 0",
            }
        )
    for dim, depth in [(8, 3), (16, 3), (32, 3), (64, 3), (64, 4)]:
        ours = seconds(lambda: sb.Convolutional(dim, depth).decompose().prove())  # noqa: B023
        made.append({"name": f"growth: Assumption 1, d = {dim}, L = {depth}", "ours_seconds": ours})
    for net in (
        sb.Diagonal(8, 4),
        sb.Convolutional(8, 4),
        sb.FullyConnected(8, 4),
        sb.MatrixSensing(8, 4),
        sb.DifferenceOfPowers(8, 4),
    ):
        made.append({"name": f"derive {net.name}, d = 8, L = 4", "ours_seconds": seconds(lambda: sb.derive(net))})  # noqa: B023
    made.append({"name": "all functions, depths 2 to 12", "ours_seconds": seconds(_functions)})
    return made


def _functions() -> None:
    for depth in range(2, 13):
        for steps in (lemma_4_steps, closed_form_steps, series_steps, expansion_steps):
            steps(depth)

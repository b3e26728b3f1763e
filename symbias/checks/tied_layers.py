"""The full flow of all layers where layers or coordinates are alike: one unknown for all that stay alike.

eta_l = ± eta_k in one coordinate, and equal coordinates, are kept by the flow, but unstable where the data push against
the sign of rho_j, or depth >= 3 lets one of two equals win: rounding would leave them. With one unknown it cannot. Two
layers that are zero stay zero, and the others of that coordinate stay as they are. Neither the reduction to one number
a coordinate nor the blow-up times enter: the state of the layers is read where it satisfies the conditions of the
margin problem, at two margins.
"""

import numpy as np

from symbias.dynamics.growth import alive, separable
from symbias.dynamics.merged import Coordinates
from symbias.dynamics.parameters import margin_of_start
from symbias.errors import NotConverged, Undecided
from symbias.exact import to_float
from symbias.numeric.integrate import FullFlow, afresh, scale_of_blocks
from symbias.numeric.losses import LogExponential
from symbias.numeric.max_margin import as_precise
from symbias.numeric.products import Hadamard
from symbias.precision import context
from symbias.problem import Problem
from symbias.theorems.real_view import RealView, in_coordinates
from symbias.theorems.spectral import decomposition_of
from symbias.theorems.stationary import least_misfit

#: A reading must be this near its vertex, and come nearer until it is NOISE (the tempered softmax turns the direction
#: by about 1e-5); margins at which it is first tried, and given up; steps in between.
NEAR, NOISE, FIRST, LAST, MOST = 0.02, 1e-4, 1e6, 1e80, 40_000
ACCURACY, GAP, THRESHOLDS = 1e-10, 1e-6, (0.05, 1e-2, 1e-3)


class TiedFlow:
    """The flow of the layers eta (L arrays of m) in the unknowns x: eta_l,j = sign_l,j x[place_l,j]."""

    def __init__(self, A: np.ndarray, eta: np.ndarray, place: np.ndarray, sign: np.ndarray):
        product = Hadamard()
        scale = scale_of_blocks(product, list(eta), 1.0)
        self.full = FullFlow(product, A, LogExponential(np.ones(len(A))), list(eta), scale, scaled=True)
        size, unknowns = len(self.full.start), place.max() + 1
        self.E = np.zeros((size, unknowns + 1))
        self.E[np.arange(size - 1), place.ravel()] = sign.ravel()
        self.E[-1, -1] = 1.0
        self.rows = np.array([np.flatnonzero(column)[0] for column in self.E.T])
        self.signs = self.E[self.rows, np.arange(unknowns + 1)]
        self.start = self.full.start[self.rows] * self.signs
        self.scales = self.full.scales[self.rows]

    def velocity(self, state):
        return self.full.velocity(self.E @ state)[self.rows] * self.signs

    def jacobian(self, state):
        return (self.full.jacobian(self.E @ state)[self.rows] * self.signs[:, None]) @ self.E

    def coefficients(self, state) -> np.ndarray:
        """rho of a state."""
        return self.full.coefficients(self.E @ state)


def has_ties(problem: Problem, digits: int) -> bool:
    """True when layers of a coordinate tie at the smallest, two are zero, or coordinates are equal."""
    view = _view(problem, digits)
    coordinates, live = alive(view.A, view.etas, view.ctx)
    if coordinates is None or not live.all() or coordinates.whole.kept.any():
        return True
    return len(coordinates.groups) < len(live)


def places(coordinates: Coordinates) -> tuple[np.ndarray, np.ndarray]:
    """The unknown and the sign of every layer of every coordinate, each (L, m)."""
    eta = np.array([as_precise(coordinates.ctx, e) for e in coordinates.etas])
    place, sign, count = np.full(eta.shape, -1), np.ones(eta.shape), 0
    for group in coordinates.groups:
        for j in group:
            order = sorted(range(len(eta)), key=lambda layer, j=j: (abs(eta[layer, j]), -layer))  # type: ignore[misc]
            sizes = [abs(eta[layer, j]) for layer in order]
            sign[:, j] = [-1 if entry < 0 else 1 for entry in eta[:, j]]
            if not coordinates.whole.kept[j]:  # the smallest layer is z times the signs of the others
                alike = coordinates.signs[j] * coordinates.signs[group[0]]
                sign[order[0], j] = alike * np.prod(sign[order[1:], j])
            if j == group[0]:
                numbers = []
                for k, size in enumerate(sizes):
                    same = k and size == sizes[k - 1]
                    count += not same
                    numbers.append(count - 1)
            place[order, j] = numbers  # equal coordinates have equal sizes, in any order of their layers
    return place, sign


def by_the_layers(problem: Problem, digits: int) -> np.ndarray:
    """beta with least margin 1, from the full flow of the layers.

    Raises
    ------
    Undecided
        No state up to a margin of 1e80 satisfies the conditions of the margin problem.
    NotConverged
    """
    view = _view(problem, digits)
    ctx = view.ctx
    coordinates, live = alive(view.A, view.etas, ctx)
    assert coordinates is not None
    if coordinates.depth == 2:
        margin = separable(coordinates)
        if margin is None or not margin.unique:
            raise Undecided("the l1 margin has several solutions, of which the flow in floats names none to all digits")
    A, output = as_precise(ctx, coordinates.A), as_precise(ctx, coordinates.merged * coordinates.multiplicity)
    eta = np.array([to_float(as_precise(ctx, e)) for e in coordinates.etas])
    flow = TiedFlow(to_float(A), eta, *places(coordinates))
    low, kept = to_float(output), coordinates.start.kept
    goal, seen, fault = FIRST * margin_of_start(list(eta)), None, "no margin"
    for steps, step in enumerate(afresh(flow, 1e15, ACCURACY)):
        rho = flow.coefficients(step.state)[coordinates.first]
        gamma = (low @ rho).min()
        if gamma < goal:
            if steps > MOST:
                raise NotConverged(f"the flow of the layers took {MOST} steps and is at a margin of {gamma:.1e}")
            continue
        found = read(low, rho / gamma, len(eta), kept, coordinates.multiplicity)
        if isinstance(found, str):
            seen, fault = None, found
        elif seen is not None and found[:2] == seen[:2] and found[2] < max(0.7 * seen[2], NOISE):
            merged = _vertex(output, *found[:2], ctx)
            rho = np.full(len(live), ctx.zero, dtype=object)
            rho[live] = coordinates.spread(merged)
            return view.beta(rho)
        else:
            seen, fault = found, f"the direction stays {found[2]:.1e} from its vertex"
        goal = 1e4 * gamma
        if gamma > LAST:
            break
    raise Undecided(f"the limit of the layers is undecided at a margin of {LAST:.0e}: {fault}")


def _view(problem: Problem, digits: int) -> RealView:
    return in_coordinates(problem, decomposition_of(problem), context(digits + 40))


def read(A, r, depth: int, kept, multiplicity) -> tuple[tuple[int, ...], tuple[int, ...], float] | str:
    """Support vectors and growing coordinates of r = rho / margin that satisfy the conditions, and how far r is from
    their vertex; or what is wrong.

    ``A`` counts a coordinate as often as it is there.
    """
    margins, size = A @ r, np.abs(r) * np.linalg.norm(A, axis=0)
    fault = ""
    for threshold in THRESHOLDS:
        I, J = np.flatnonzero(margins < 1 + max(threshold, 1e-3)), np.flatnonzero(size > threshold * size.max())
        B = A[np.ix_(I, J)]
        vertex = np.zeros(len(r))
        vertex[J], _, rank, _ = np.linalg.lstsq(B, np.ones(len(I)), rcond=1e-10)
        if rank < len(J) or np.abs(B @ vertex[J] - 1).max() > 1e-9:
            fault = "the growing coordinates are dependent on the support vectors"
            continue
        off = np.linalg.norm(r - vertex) / np.linalg.norm(vertex)
        others = np.delete(A @ vertex, I).min(initial=np.inf)
        if off > NEAR or (np.sign(r[J]) != np.sign(vertex[J])).any() or others < 1 + GAP:
            fault = f"the direction is {off:.1e} from its vertex, the next margin {others:.6g}"
        elif not _has_multipliers(A[I], J, vertex[J], depth, kept, multiplicity):
            fault = "it has no multipliers"
        else:
            return tuple(map(int, I)), tuple(map(int, J)), float(off)
    return fault


def _has_multipliers(A, J, vertex, depth: int, kept, multiplicity) -> bool:
    """mu >= 0 with (A^T mu)_J = c sign |rho_J|^{2/L-1}; for L = 2 |A^T mu| <= c on the sides that are allowed."""
    from scipy.optimize import linprog

    target = multiplicity[J] * np.sign(vertex) * np.abs(vertex) ** (2 / depth - 1)
    target = target / np.abs(target).max()
    bounded: dict[str, np.ndarray] = {}
    if depth == 2:
        columns = np.concatenate([A.T[kept >= 0], -A.T[kept <= 0]])
        limits = np.concatenate([multiplicity[kept >= 0], multiplicity[kept <= 0]]) / multiplicity[J].max()
        bounded = {"A_ub": columns, "b_ub": limits + 1e-9}
    found = linprog(np.ones(len(A)), A_eq=A[:, J].T, b_eq=target, bounds=(0, None), method="highs", **bounded)
    return bool(found.status == 0)


def _vertex(A, I, J, ctx) -> np.ndarray:
    """rho with A_IJ rho_J = 1, in high precision (more equations than unknowns must agree)."""
    rho = np.full(A.shape[1], ctx.zero, dtype=object)
    B = A[np.ix_(I, J)]
    rho[list(J)] = list(ctx.lu_solve(ctx.matrix(B.tolist()), ctx.matrix([ctx.one] * len(I))))
    left = least_misfit(ctx, B, [ctx.one] * len(I))
    if left > ctx.mpf(10) ** (20 - ctx.dps):
        raise Undecided(f"the margins of the support vectors differ by {float(left):.1e} on their vertex: a near tie")
    return rho

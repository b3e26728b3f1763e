"""Which coordinates win: the reduced flow in -log(loss) time, read when the reading can be certified.

At a margin gamma the state has the support vectors I (margins next to gamma) and the growing coordinates J. They are
those of
the limit when the margins, the growing coordinates and the slacks all agree with one vertex rho_J = A_IJ^{-1} 1:
the signs are those of the flow, the other margins are above 1, there are multipliers lambda >= 0 with
A_IJ^T lambda = sign |rho_J|^{2/L-1}, and no other coordinate is near its blow-up. Then the other mu_i are frozen for
good, and what is left is a convex problem whose solution that vertex is.
"""

from dataclasses import dataclass
from itertools import islice

import numpy as np

from symbias.dynamics.coordinates import CoordinateFlow
from symbias.errors import NotConverged, Undecided
from symbias.numeric.integrate import afresh

#: Relative accuracy of the integration, and the smallest gap that it can vouch for.
ACCURACY, GAP = 1e-10, 1e-7
#: Margins, in units of the start, from which a reading may be final, and at which the race is called undecided.
FIRST, LAST = 1e12, 1e60
#: How far from the vertex the state may be; a coordinate or margin excess below a threshold counts as finite.
NEAR, THRESHOLDS = 0.02, (0.05, 1e-2, 1e-3)
#: Steps at most.
MOST = 20_000


@dataclass(frozen=True)
class Race:
    """The end of a race: ``support`` I, ``active`` J with their ``signs``, ``mu`` (in the units of the flow) and
    ``margin`` gamma when it was read.

    ``gaps`` are the distances, each relative to a number of order one, by which the reading is inside its conditions;
    there are none when more coordinates grow than there are support vectors: a tie, for exact arithmetic to confirm.
    """

    support: tuple[int, ...]
    active: tuple[int, ...]
    signs: tuple[int, ...]
    mu: np.ndarray
    margin: float
    direction: np.ndarray
    gaps: dict[str, float]


def race(flow: CoordinateFlow) -> Race:
    """Run the reduced flow of L >= 3 until its winners are certain.

    Parameters
    ----------
    flow : CoordinateFlow
        With rows y_i S x_i.

    Raises
    ------
    Undecided
        Two outcomes are still as near as the accuracy of the integration at a margin of 1e60; says which.
    """
    depth, unit = len(flow.data.delta) + 1, flow.size()
    goal, seen = max(1e6 * flow.one, FIRST * unit), None
    found: Race | str = "the margins stayed negative"
    for step in restarted(flow, ACCURACY):
        gamma = flow.margins(step.state).min()
        if gamma < goal:
            continue
        found = read(flow, step.state, depth)
        if isinstance(found, Race) and found.gaps:
            # Twice the same reading, a factor of 100 apart.
            if seen is not None and (seen.support, seen.active) == (found.support, found.active):
                return found
            seen = found
        else:
            seen = None
        goal = 100 * gamma
        if gamma > LAST * max(flow.one, unit):
            break
    if isinstance(found, Race):
        return found
    raise Undecided(
        f"the winners are undecided at a margin of {LAST:.0e}: {found}; "
        "a start or data further from this tie would decide it"
    )


def restarted(flow: CoordinateFlow, tolerance: float):
    """Yield the steps of the flow, with a fresh solver now and then.

    Raises
    ------
    NotConverged
        After ``MOST`` steps.
    """
    yield from islice(afresh(flow, 1e12, tolerance), MOST)
    raise NotConverged(
        f"the reduced flow took more than {MOST} steps and is at a margin of {flow.margins(flow.start).min():.1e}"
    )


def read(flow: CoordinateFlow, state: np.ndarray, depth: int) -> Race | str:
    """Read I and J off a state, or say what does not fit."""
    margins, rho = flow.margins(state), flow.coefficients(state)
    gamma = margins.min()
    r = rho / gamma
    size = np.abs(r) * np.sqrt(flow.columns)
    size = size / size.max()
    fault: Race | str = ""
    for threshold in THRESHOLDS:
        active = np.flatnonzero(size > threshold)
        support = np.flatnonzero(margins < gamma * (1 + max(threshold, 1e-3)))
        if len(active) > len(support):
            found: dict[str, float] | str = {}
        else:
            found = _certificate(flow, state, r, support, active, depth)
        if isinstance(found, dict):
            signs = tuple(int(s) for s in np.sign(r[active]))
            named = tuple(map(int, support)), tuple(map(int, active))
            reading = Race(*named, signs, flow.dual(state).copy(), float(gamma / flow.one), r, found)
            if found:
                return reading
            fault = reading
        elif not isinstance(fault, Race):
            fault = found
    return fault


def _certificate(flow, state, r, support, active, depth) -> dict[str, float] | str:
    """The gaps of a reading, or what is wrong with it."""
    from scipy.optimize import nnls

    shown = f"the support vectors {list(map(int, support))} and the growing coordinates {list(map(int, active))}"
    B = flow.output[np.ix_(support, active)]
    if np.linalg.cond(B) > 1e10:
        return f"{shown} are dependent"
    vertex = np.zeros(flow.m)
    vertex[active] = np.linalg.lstsq(B, np.ones(len(support)), rcond=None)[0]
    if np.abs(B @ vertex[active] - 1).max() > 1e-9:
        return f"{shown} contradict each other"
    near = np.linalg.norm(r - vertex) / np.linalg.norm(vertex)
    if near > NEAR:
        return f"the direction is still {near:.1e} from the vertex of {shown}"
    if (np.sign(r[active]) != np.sign(vertex[active])).any():
        return f"{shown} do not have the signs of their vertex yet"
    target = flow.multiplicity[active] * np.sign(r[active]) * np.abs(vertex[active]) ** (2 / depth - 1)
    target = target / np.abs(target).max()
    if len(support) == len(active):
        multipliers = np.linalg.solve(B.T, target)
        least = float((multipliers / np.abs(multipliers).max()).min())
    else:  # samples with the same margin on the vertex: their multipliers are not unique, there must be some
        least = 1.0 if nnls(B.T, target)[1] < 1e-9 else -1.0
    others = np.setdiff1d(np.arange(flow.m), active)
    samples = np.setdiff1d(np.arange(flow.n), support)
    slacks = np.minimum(flow.slacks(state, 1), flow.slacks(state, -1))
    with np.errstate(invalid="ignore"):  # the slack is infinite where a coordinate is dead: inf / inf
        rest = slacks[others] / (slacks[others] + np.abs(flow.A.T @ flow.dual(state))[others])
    rest = np.where(np.isinf(slacks[others]), 1.0, rest)
    gaps = {
        "multipliers of the support vectors": least,
        "margins of the other samples": float((flow.output[samples] @ vertex).min(initial=np.inf) - 1),
        "growing coordinates": float(np.abs(vertex[active]).min() / np.abs(vertex[active]).max()),
    }
    # A coordinate at its blow-up that the margins of the support vectors force to be 0 changes nothing.
    tied = np.concatenate([active, others[rest <= GAP]])
    if np.linalg.matrix_rank(flow.output[np.ix_(support, tied)], tol=1e-9) < len(tied):
        gaps["distance of the others from their blow-up"] = float(rest.min())
    worst = min(gaps, key=gaps.__getitem__)
    return gaps if gaps[worst] > GAP else f"the gap of the {worst} is {gaps[worst]:.1e} for {shown}"

"""The margin problem in the parameters: min |Theta|^2 / 2 s.t. y_i f(x_i; Theta) >= 1, from a trajectory to any digits.

For a network that is homogeneous of degree L the limit directions of gradient flow are its stationary points:
Theta = sum_i mu_i y_i grad f_i(Theta), mu_i >= 0, mu_i (y_i f_i - 1) = 0. Block by block these are Lim's equations
for the data tensor of u = sum_i mu_i y_i x_i. A trajectory in -log(loss) time names the support vectors and the
neighbourhood; Newton's method does the rest. Solutions come in families (rotations between layers, phases): beta does
not depend on the member.
"""

from dataclasses import dataclass

import numpy as np

from symbias.errors import NotConverged, Undecided
from symbias.numeric.chord import newton, refine
from symbias.numeric.exact_lp import minimize
from symbias.numeric.integrate import FullFlow, afresh, scale_of_blocks
from symbias.numeric.losses import LogExponential
from symbias.numeric.products import Product

#: A reading must be this near its stationary point, and each of its gaps above GAP; margins are driven up to LAST.
NEAR, GAP, LAST = 0.05, 1e-6, 1e80
#: Relative accuracy of the integration, and the most steps it may take.
ACCURACY, MOST = 1e-9, 40_000
#: Multipliers below this, relative, are zero: rounding of the float64 Newton's method.
WEAK = 1e-9
THRESHOLDS = (0.05, 1e-2, 1e-3)


@dataclass(frozen=True)
class ParameterLimit:
    """``blocks`` with least margin 1, ``multipliers`` mu (n,), mpf; ``reached`` the blocks of the trajectory, scaled
    alike.

    ``margin``: where it was read; ``gaps``: by how much the reading is inside its conditions; ``freedom``: the
    dimension of the family of solutions it belongs to; ``beta_moves``: beta differs within it, and the start
    selects the member (equal singular values do that).
    """

    blocks: tuple[np.ndarray, ...]
    multipliers: np.ndarray
    reached: tuple[np.ndarray, ...]
    margin: float
    gaps: dict[str, float]
    freedom: int
    beta_moves: bool


class _Equations:
    """Theta - sum_I mu_i y_i grad f_i = 0 and y_i f_i = 1, for the rows y_i x_i of the support vectors."""

    def __init__(self, product: Product, rows: np.ndarray, shapes, input_shape):
        self.product, self.rows, self.shapes, self.input_shape = product, rows, shapes, input_shape
        self.size = sum(int(np.prod(shape)) for shape in shapes)

    def blocks(self, x):
        cuts = np.cumsum([int(np.prod(shape)) for shape in self.shapes])[:-1]
        return [part.reshape(s) for part, s in zip(np.split(x[: self.size], cuts), self.shapes, strict=True)]

    def function(self, x):
        blocks, mu = self.blocks(x), x[self.size :]
        g = (mu @ self.rows).reshape(self.input_shape)
        pull = np.concatenate([part.ravel() for part in self.product.gradients(blocks, g)])
        margins = self.rows @ self.product.beta(blocks).ravel()
        return np.concatenate([x[: self.size] - pull, margins - 1])

    def parts(self, x):
        """The Jacobian of the margins, and the Hessian of the Lagrangian."""
        blocks, mu = self.blocks(x), x[self.size :]
        J = self.rows @ self.product.jacobian(blocks)  # noqa: N806
        g = (mu @ self.rows).reshape(self.input_shape)
        return J, np.eye(self.size) - self.product.hessian(blocks, g)

    def jacobian(self, x):
        J, H = self.parts(x)  # noqa: N806
        return np.block([[H, -J.T], [J, np.zeros((len(J), len(J)))]])


def limit(
    product: Product, rows: np.ndarray, precise: np.ndarray, blocks, input_shape, ctx, later: float = 1.0
) -> ParameterLimit:
    """Return the limit direction of all blocks.

    Parameters
    ----------
    product : Product
    rows : (n, size) float64, y_i x_i flat;  precise : the same in mpf of ``ctx``
    blocks : the start, float64
    input_shape : shape of one sample
    later : a factor on the margin of the first reading

    Raises
    ------
    Undecided
        No reading of the trajectory satisfies the optimality conditions with a gap before a margin of 1e80.
    NotConverged
        The trajectory stalls, or takes too long.
    """
    first = 1e4 * margin_of_start(blocks) * later
    size = scale_of_blocks(product, blocks, 1.0)
    flow = FullFlow(product, rows, LogExponential(np.ones(len(rows))), blocks, size, scaled=True)
    shapes = [np.shape(block) for block in blocks]
    goal, seen, fault = first, None, "no margin above 1e4"
    for steps, step in enumerate(afresh(flow, 1e15, ACCURACY)):
        gamma = flow.outputs(step.state).min()
        if gamma < goal:
            continue
        found = _read(product, rows, flow.blocks(step.state), gamma, shapes, input_shape)
        if isinstance(found, str):
            seen, fault = None, found
        elif seen is not None and seen[1] == found[1] and _near(seen[0][: seen[2].size], found[0][: found[2].size]):
            return _refined(found, precise, gamma, ctx)
        else:
            seen = found
        goal = 100 * gamma
        if gamma > LAST or steps > MOST:
            break
    raise Undecided(f"the limit of the blocks is undecided at a margin of {gamma:.0e}: {fault}")


def margin_of_start(blocks) -> float:
    """The size of the margins that the start may have, at least 1.

    Raises
    ------
    NotConverged
        No margin that is read leaves the start behind.
    """
    log10 = len(blocks) * np.log10(max(1.0, *(np.abs(block).max() for block in blocks)))
    if log10 > np.log10(LAST) - 4:
        raise NotConverged(
            f"the margins of the start may be 10^{log10:.0f}, and the flow of the blocks is followed to {LAST:.0e}: "
            "scale the start down, or use a statement in the coordinates of a decomposition (general_initialization)"
        )
    return float(10.0**log10)


def _near(a, b) -> bool:
    return bool(np.linalg.norm(a - b) < NEAR * np.linalg.norm(b))


def _read(product, rows, blocks, gamma, shapes, input_shape):
    """(x, support, equations, gaps, freedom, moves, reached) of the stationary point next to a state, or what is
    wrong.
    """
    from scipy.optimize import nnls

    theta = np.concatenate([np.ravel(b) for b in blocks]) / gamma ** (1 / len(shapes))
    fault = ""
    for threshold in THRESHOLDS:
        margins = rows @ product.beta(_Equations(product, rows, shapes, input_shape).blocks(theta)).ravel()
        support = tuple(int(i) for i in np.flatnonzero(margins < 1 + threshold))
        equations = _Equations(product, rows[list(support)], shapes, input_shape)
        J = equations.rows @ product.jacobian(equations.blocks(theta))  # noqa: N806
        mu = nnls(J.T, theta)[0]
        try:
            x = newton(equations.function, equations.jacobian, np.concatenate([theta, mu]))
        except (NotConverged, np.linalg.LinAlgError) as error:
            fault = str(error)
            continue
        found = _gaps(product, rows, equations, x, theta, support)
        if isinstance(found, str):
            fault = found
            continue
        return x, support, equations, *found, theta
    return fault


def _gaps(product, rows, equations, x, theta, support):
    """The gaps of a stationary point, the dimension of its family and whether beta differs in it, or what is wrong
    with it.
    """
    point, mu = x[: equations.size], x[equations.size :]
    if not _near(theta, point):
        return f"the blocks are {np.linalg.norm(theta - point) / np.linalg.norm(point):.1e} from the stationary point"
    others = [i for i in range(len(rows)) if i not in support]
    margins = rows[others] @ product.beta(equations.blocks(point)).ravel()
    J, H = equations.parts(x)  # noqa: N806
    relative = mu / mu.max()
    strong = np.abs(relative) > WEAK  # a sample on the margin with multiplier 0 changes nothing, and holds nothing back
    rank, _ = _split(J)
    _, free = _split(J[strong])
    curvature, turns = np.linalg.eigh(free @ H @ free.T)
    flat = np.abs(curvature) < 1e-8
    if rank < len(support):  # dependent support vectors: the multipliers are not unique, these ones are not negative
        strong = strong & (relative < 0)
    gaps = {
        "multipliers": float(relative[strong].min(initial=1.0)),
        "margins of the other samples": float(margins.min(initial=np.inf) - 1),
        "second-order condition": float(curvature[~flat].min(initial=1.0)),
    }
    worst = min(gaps, key=gaps.__getitem__)
    if gaps[worst] <= GAP:
        return f"the gap of the {worst} is {gaps[worst]:.1e}"
    along = product.jacobian(equations.blocks(point)) @ free.T @ turns[:, flat]
    moves = bool(np.abs(along).max(initial=0.0) > 1e-6 * np.abs(J).max())
    return gaps, int(flat.sum()), moves


def _split(J) -> tuple[int, np.ndarray]:  # noqa: N803
    """The rank of J and an orthonormal basis of its null space (rows)."""
    _, values, right = np.linalg.svd(J)
    rank = int(np.count_nonzero(values > 1e-9 * values[0]))
    return rank, right[rank:]


def _refined(found, precise, gamma, ctx) -> ParameterLimit:
    x, support, equations, gaps, freedom, moves, theta = found
    exact = _Equations(equations.product, precise[list(support)], equations.shapes, equations.input_shape)
    root = refine(exact.function, equations.jacobian, x, ctx)
    mu = np.array([ctx.zero] * len(precise), dtype=object)
    values = root[equations.size :]
    if min(values) < -(ctx.mpf(10) ** (20 - ctx.dps)) * max(values):
        values = _nonnegative(exact, root, ctx)
    for i, entry in zip(support, values, strict=True):
        mu[i] = entry if abs(entry) > ctx.mpf(10) ** (20 - ctx.dps) * max(values) else ctx.zero
    blocks, reached = tuple(exact.blocks(root)), tuple(equations.blocks(theta))
    return ParameterLimit(blocks, mu, reached, float(gamma), gaps, freedom, moves)


def _nonnegative(equations: _Equations, root, ctx):
    """Multipliers >= 0 of the same point, where dependent support vectors leave a choice."""
    blocks = equations.blocks(root)
    pulls = [equations.product.gradients(blocks, row.reshape(equations.input_shape)) for row in equations.rows]
    J = np.array([np.concatenate([part.ravel() for part in pull]) for pull in pulls])  # noqa: N806
    unit = max(abs(entry) for entry in J.flat)
    cost = np.array([ctx.one] * len(J), dtype=object)
    return minimize(cost, J.T / unit, root[: equations.size], tolerance=ctx.mpf(10) ** (15 - ctx.dps)).x / unit


def require_fixed(found: ParameterLimit) -> None:
    """Raise Undecided when the start selects among solutions with different beta, which the equations do not see."""
    if found.beta_moves:
        raise Undecided(
            "the limit is one of a family with different beta, selected by the start (equal singular values, a tie of "
            "margins): a statement with a closed form (theorem_3, theorem_2) or data without that tie would decide it"
        )

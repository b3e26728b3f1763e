"""The figures of the report: the paper's own experiments, the potential, Lemma 4, rates, and a decomposition."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy

from symbias.checks.limits import check_limit
from symbias.initialization import Initialization
from symbias.networks import Convolutional, Diagonal, FullyConnected
from symbias.plots import angle, h, h_inverse, potential, rate, tensor, trajectories
from symbias.plots.style import MARKERS, finish, lines
from symbias.problem import Classification, Regression
from symbias.simulate import simulate
from symbias.theorems import predict

X, Y = [[1, 2]], [1]
ALPHAS = ("0.01", "0.5", "1")
#: Initial directions z of the last layer (theory: the paper does not print its own).
DIRECTIONS = ((1, 0), ("-0.5", "0.3"), (0, "-0.8"), ("0.6", "-0.9"))


#: Gradient descent as in the paper.
STEP, ITERATIONS = 1e-3, 5000


@dataclass(frozen=True)
class Figure:
    """One figure of the report: its file name, what it shows, and the function that draws it; with ``quick``, less of
    what takes long.
    """

    name: str
    caption: str
    draw: Callable[[bool], Any]


@dataclass(frozen=True)
class Drawn:
    """A figure as files: PNG for Markdown and LaTeX, SVG for the page."""

    name: str
    caption: str
    png: bytes
    svg: bytes


def draw(figure: Figure, quick: bool) -> Drawn:
    """Draw a figure; the files hold no date and no random ids, so that the same figure is the same file."""
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "symbias"}):
        canvas, files = figure.draw(quick), {}
        for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None, "Creator": None})):
            file = io.BytesIO()
            canvas.savefig(file, format=kind, dpi=150, metadata=metadata)
            files[kind] = file.getvalue()
    return Drawn(figure.name, figure.caption, **files)


def networks() -> dict[str, tuple[Any, Callable]]:
    """The three networks of the paper's section 6 with their initial directions, by z."""
    return {
        "fully connected": (FullyConnected(2, 2), lambda z: [[[1, 0], [0, 1]], list(z)]),
        "diagonal": (Diagonal(2, 2), lambda z: [[1, 1], list(z)]),
        "convolutional": (Convolutional(2, 2), lambda z: [[1, 0], list(z)]),
    }


#: The minimum-norm points of (1, 2) z = 1 that alpha -> 0 selects: norm of the ball, and where it touches.
SELECTED = {
    "fully connected": ("l2", (0.2, 0.4)),
    "diagonal": ("l1", (0, 0.5)),
    "convolutional": ("dft", (1 / 3, 1 / 3)),
}


def regression(quick: bool):
    """Trajectories for the three networks and three alphas, with limits predicted and reached by gradient descent."""
    figure, panels = _figure(1, 3, (11, 4.3))
    for ax, (title, (network, directions)) in zip(panels, networks().items(), strict=True):
        groups = {
            rf"$\alpha = {alpha}$": [
                Regression(network, X, Y, Initialization(alpha, directions(z)))
                for z in DIRECTIONS[: 1 if k == 0 else None]
            ]
            for k, alpha in enumerate(ALPHAS)
        }
        norm, point = SELECTED[title]
        trajectories(groups, ax, theorem="theorem_6", balls={norm: point})
        for problems in groups.values():
            _descents(ax, problems[: 1 if quick else 2])
        ax.set_title(f"{title} network")
        handles, labels = ax.get_legend_handles_labels()
        ax.get_legend().remove()
    figure.legend(*_once(handles, labels), loc="outside lower center", ncols=6, fontsize="small")
    return figure


def _descents(ax, problems) -> None:
    """Where gradient descent lands; at alpha = 0.01 that is just past the saddle."""
    for problem in problems:
        path = _whole(simulate(problem, "descent", step=STEP, iterations=ITERATIONS))
        ax.plot(*path.coefficients[-1], "+", color="black", markersize=6, zorder=6, label="gradient descent")


def _once(handles, labels):
    """A legend without repetitions."""
    kept = dict(zip(labels, handles, strict=True))
    return list(kept.values()), list(kept)


def _whole(path):
    """A trajectory that was interrupted interrupts the figure."""
    if path.interrupted:
        raise KeyboardInterrupt
    return path


def classification(quick: bool):
    """Directions of the three networks against the loss, and where they end in the plane."""
    figure, (plane, rates) = _figure(1, 2, (10, 4.3))
    problems = {}
    for title, (network, directions) in networks().items():
        start = Initialization("1", directions((0.5, -0.5)) if title != "convolutional" else [[1, 0], [0.5, -0.25]])
        problems[title] = Classification(network, [[1, 2], [0, -3]], [1, -1], start)
    _margins(plane, problems)
    angle(problems, rates, log10_loss=-1e4)
    return figure


def _margins(ax, problems) -> None:
    """beta(t) of each network, the two samples, and the predicted directions."""
    ax.plot([1], [2], "+", color="black", markersize=13, markeredgewidth=3, label="$x_1$, $y = +1$")
    ax.plot([0], [-3], "_", color="black", markersize=13, markeredgewidth=3, label="$x_2$, $y = -1$")
    for k, (title, problem) in enumerate(problems.items()):
        path = _whole(simulate(problem, clock="log_loss", log10_loss=-8))
        look = lines(len(problems))[k]
        colour = look["color"]
        ax.plot(*path.coefficients.T, label=title, **look)
        limit = predict(problem).direction * 5
        ax.plot([0, limit[0]], [0, limit[1]], color=colour, linestyle=":", linewidth=1)
        ax.plot(*limit, MARKERS[k], color=colour, markeredgecolor="white", markersize=8)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_title("coefficients; dotted: predicted directions")
    finish(ax, r"$\beta_1$", r"$\beta_2$").legend(fontsize="small", loc="lower right")


def potentials(quick: bool):
    """The potential between the two norms, at two depths."""
    figure, panels = _figure(1, 2, (9, 4.4))
    for ax, depth in zip(panels, (2, 3), strict=True):
        potential((10, 1, 0.5, 0.1, 0.001), ax, depth=depth)
    return figure


def lemma_4(quick: bool):
    """h_L and its inverse."""
    figure, (left, right) = _figure(1, 2, (9, 3.8))
    h(ax=left)
    h_inverse(ax=right)
    return figure


def rates(quick: bool):
    """Both ends of alpha for Corollary 5, with the predicted orders."""
    figure, panels = _figure(1, 2, (9, 3.8))
    for ax, end, title in zip(panels, (0, sympy.oo), (r"$\alpha \to 0$", r"$\alpha \to \infty$"), strict=True):
        found = {}
        for depth in (2, 3, 4):
            network = Diagonal(2, depth)
            problem = Regression(network, X, Y, Initialization.theorem_5(network, 1, 1))
            found[f"depth {depth}"] = check_limit(problem, alpha=end, digits=15)
        rate(found, ax).set_title(title)
    return figure


def decomposition(quick: bool):
    """The data tensor of the full-length convolution and its Fourier terms."""
    figure, ax = _figure(1, 1, (9, 2.3))
    tensor(Convolutional(4, 2), [4, 1, 1, 2], ax)
    return figure


def _figure(rows: int, columns: int, size):
    from matplotlib.figure import Figure as Canvas

    figure = Canvas(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns)


FIGURES = (
    Figure(
        "regression",
        "The paper's regression experiment: x = (1, 2), y = 1, depth 2. Lines: gradient flow of the coefficients for "
        "three scales alpha (alpha = 0.01: one direction) from several initial directions. Markers: the limits that "
        "Theorem 6 predicts. Crosses: gradient descent, step 0.001, 5000 iterations. Grey: the global minima and the "
        "ball of the norm that alpha -> 0 minimises.",
        regression,
    ),
    Figure(
        "classification",
        "The paper's classification experiment: (1, 2) with label +1 and (0, -3) with label -1, depth 2, exponential "
        "loss. Left: gradient flow of the coefficients to a loss of 1e-8, with the predicted directions. Right: the "
        "angle to them down to a loss of 10^(-10000).",
        classification,
    ),
    Figure(
        "potential",
        "Level curves of the potential Q of Theorem 5: from the l2 ball (large alpha) to the l1 ball.",
        potentials,
    ),
    Figure(
        "lemma_4",
        "The functions of Lemma 4: h_L and its inverse; dotted, the ends of the domain and the limits.",
        lemma_4,
    ),
    Figure(
        "rates",
        "Corollary 5, x = (1, 2), y = 1: error of the two limits in alpha, and lines of the predicted order.",
        rates,
    ),
    Figure(
        "decomposition",
        "The data tensor of the full-length convolution, d = 4, depth 2, x = (4, 1, 1, 2), and its terms by frequency.",
        decomposition,
    ),
)

"""The pictures: what they draw is right, they draw on the axes given, and nothing in them overlaps or needs colour."""

import importlib
import io
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import matplotlib
import numpy as np
import pytest
import sympy
from matplotlib import pyplot
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy.optimize import brentq

import symbias as sb
from symbias.plots import style
from symbias.plots.tensor import terms
from symbias.report import figures
from symbias.report.figures import FIGURES, draw

PICTURES = Path(__file__).parents[1] / "docs" / "_static"


@pytest.fixture
def ax():
    return Figure().subplots()


@pytest.fixture(scope="module")
def drawn():
    """Every figure of the report, with the pictures of it."""
    kept = {}

    def keep(figure):
        def made(quick):
            kept[figure.name] = figure.draw(quick)
            return kept[figure.name]

        return figures.Figure(figure.name, figure.caption, made)

    files = {figure.name: draw(keep(figure), True) for figure in FIGURES}
    return kept, files


def labelled(ax) -> dict:
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def regression(depth=2, alpha=1):
    net = sb.Diagonal(2, depth)
    return sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha, 1))


# One test writes them all


def test_all_pictures_are_written(drawn):
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, made in drawn[1].items():
        (PICTURES / f"{name}.png").write_bytes(made.png)
        assert made.png.startswith(b"\x89PNG") and made.svg.startswith(b"<?xml") and made.caption
    # they end up in pages and repositories
    assert all(len(made.png) < 400_000 and len(made.svg) < 400_000 for made in drawn[1].values())


def test_the_same_figure_is_the_same_file(drawn):
    figure = next(f for f in FIGURES if f.name == "lemma_4")
    again, first = draw(figure, True), drawn[1]["lemma_4"]
    assert again.png == first.png and again.svg == first.svg


@pytest.mark.parametrize("name", [figure.name for figure in FIGURES])
def test_no_label_overlaps_another(drawn, name):
    canvas = drawn[0][name]
    canvas.savefig(io.BytesIO(), format="png", dpi=100)
    assert overlaps(canvas) == []


def overlaps(canvas) -> list[str]:
    """Pairs of texts, titles, tick labels and legends of the figure that share more than an edge."""
    found, renderer = [], FigureCanvasAgg(canvas).get_renderer()
    for ax in [*canvas.axes, *(child for parent in canvas.axes for child in parent.child_axes)]:
        parts = [part for axis in (ax.xaxis, ax.yaxis) for part in (axis.label, *ticks(axis))] if ax.axison else []
        found += [text for text in (ax.title, *parts) if text.get_text() and text.get_visible()]
    found += canvas.legends
    boxes = [(str(item), item.get_window_extent(renderer)) for item in found]
    return [f"{a} and {b}" for (a, first), (b, second) in combinations(boxes, 2) if shared(first, second)]


def ticks(axis) -> list:
    """The tick labels that show: matplotlib keeps some beyond the ends of the axis."""
    low, high = sorted(axis.get_view_interval())
    return [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]


def shared(first, second) -> bool:
    wide = min(first.x1, second.x1) - max(first.x0, second.x0)
    high = min(first.y1, second.y1) - max(first.y0, second.y0)
    return wide > 1 and high > 1  # pixels: their boxes have a margin


def test_an_overlap_is_seen():
    canvas = Figure(figsize=(2, 2))
    ax = canvas.subplots()
    ax.set_xticks([0, 0.01, 0.02], ["one long label", "another", "and more"])
    canvas.savefig(io.BytesIO(), format="png")
    assert overlaps(canvas)


@pytest.mark.parametrize("name", [figure.name for figure in FIGURES])
def test_curves_differ_without_their_colours(drawn, name):
    for ax in drawn[0][name].axes:
        # get_linestyle calls every pattern of dashes "--"
        looks = [(str(x._unscaled_dash_pattern), x.get_marker(), x.get_linewidth()) for x in labelled(ax).values()]
        names = list(labelled(ax))
        assert len(looks) == len(set(looks)), dict(zip(names, looks, strict=True))


def test_colours_differ_in_brightness_too():
    grey = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in map(matplotlib.colors.to_rgb, style.COLOURS[:4])]
    assert len(style.COLOURS) == len(style.LINES) == len(style.MARKERS) and len(set(np.round(grey, 2))) == 4


# What each draws


def test_every_plot_returns_the_axes_it_was_given(ax):
    assert sb.plots.h(ax=ax) is ax and sb.plots.h_inverse([3], ax) is ax
    assert sb.plots.trajectories({"a": [regression()]}, ax) is ax
    assert sb.plots.potential([1], ax) is ax
    net = sb.Diagonal(2, 2)
    problem = sb.Classification(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, 1, 1))
    assert sb.plots.angle({"a": problem}, ax, log10_loss=-10) is ax
    assert sb.plots.rate({"a": sb.check_limit(regression(3), alpha=0, digits=10)}, ax) is ax
    assert sb.plots.tensor(net, [1, 2], ax) is ax


def test_a_plot_makes_its_own_axes():
    made = sb.plots.h([3])
    assert made.figure.number in pyplot.get_fignums()
    pyplot.close(made.figure)


def test_trajectories_begin_at_the_start_and_end_at_the_prediction(ax):
    sb.plots.trajectories({"one": [regression()]}, ax, balls={"l1": (0, 0.5), "l2": (0.2, 0.4)})
    found = labelled(ax)
    x, y = found["one"].get_data()
    # theory.md: Corollary 5, L = 2, alpha = 1, to the accuracy of the flow (1e-8)
    assert (x[0], y[0]) == (0, 0) and x[-1] == pytest.approx(0.189480406593109406, rel=1e-6)
    assert found["one: predicted"].get_xdata()[0] == pytest.approx(0.189480406593109406, rel=1e-12)
    assert any(label.startswith("global minima") for label in found)
    balls = [np.array(line.get_data()) for line in ax.lines if len(line.get_xdata()) == 721]
    assert np.allclose(np.abs(balls[0]).sum(axis=0), 0.5) and np.allclose(np.hypot(*balls[1]), np.hypot(0.2, 0.4))


def test_trajectories_stop_for_an_interrupt(ax, monkeypatch):
    module = importlib.import_module("symbias.simulate")  # the attribute of that name is the function
    cut = replace(module.simulate(regression()), interrupted=True)
    monkeypatch.setattr(module, "simulate", lambda problem: cut)
    with pytest.raises(KeyboardInterrupt):
        sb.plots.trajectories({"one": [regression()]}, ax)


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_the_level_curves_lie_between_the_two_norms(ax, depth):
    sb.plots.potential([100, 1, 1e-3], ax, depth=depth)
    wide, middle, narrow = (np.array(line.get_data()) for line in list(labelled(ax).values()))
    # alpha large: Q -> l2, relative error O(alpha^(-2L)); alpha small: between l1 and it
    assert np.allclose(np.hypot(*wide), 1, atol=1e-6)
    for inner, outer in ((narrow, middle), (middle, wide)):
        assert (np.hypot(*inner) <= np.hypot(*outer) + 1e-9).all()
    assert (np.abs(narrow).sum(axis=0) >= 1 - 1e-9).all()
    Q = [
        float(sb.potential([sympy.Rational(float(v)) for v in point], depth=depth, alpha=1, eta=[1, 1]).evalf(20))
        for point in (middle[:, 40], (1, 0))
    ]
    assert Q[0] == pytest.approx(Q[1], rel=1e-12)  # 60 bisections


def test_h_and_its_inverse_are_each_other(ax):
    sb.plots.h([4], ax)
    x, y = ax.lines[0].get_data()
    # theory.md: h_4 = t / (1 - t^2)^2
    assert np.allclose(y, x / (1 - x**2) ** 2, rtol=1e-12, atol=1e-12)
    assert [line.get_xdata()[0] for line in ax.lines[1:]] == [-1, 1]


def test_the_angle_is_that_of_the_flow(ax):
    net = sb.Diagonal(2, 2)
    problem = sb.Classification(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, 1, 1))
    sb.plots.angle({"diagonal": problem}, ax, log10_loss=-1000)
    x, y = ax.lines[0].get_data()
    # Depth 2, n = 1, a = 1: rho_j = sinh(2 x_j nu)/2 with rho_1 + 2 rho_2 = -log(loss)
    margin = 1000 * np.log(10)
    nu = brentq(lambda nu: np.sinh(2 * nu) / 2 + np.sinh(4 * nu) - margin, 0, 10, xtol=1e-15)
    assert x[-1] == pytest.approx(1000, rel=1e-6)
    assert y[-1] == pytest.approx(np.degrees(np.arctan(np.sinh(2 * nu) / np.sinh(4 * nu))), rel=1e-5)  # of the flow


def test_the_line_of_the_predicted_order_has_its_slope(ax):
    found = sb.check_limit(regression(3), alpha=0, digits=12)
    sb.plots.rate({"depth 3": found}, ax)
    x, y = labelled(ax)["predicted order 3"].get_data()
    assert np.allclose(np.diff(y) / np.diff(x), 3)
    sb.plots.rate({"oo": sb.check_limit(regression(3), alpha=sympy.oo, digits=12)}, ax)
    x, y = labelled(ax)["predicted order 6"].get_data()
    assert np.allclose(np.diff(y) / np.diff(x), -6)


@pytest.mark.parametrize("net", [sb.Convolutional(4, 2), sb.Convolutional(3, 3), sb.Diagonal(3, 2)])
def test_the_terms_of_a_tensor_add_up_to_it(net, ax):
    x = np.arange(1.0, net.dim + 1)
    parts = terms(net.decompose(), x)
    assert np.allclose(sum(parts), np.asarray(net.data_tensor(x), dtype=float), rtol=1e-13, atol=1e-13)
    sb.plots.tensor(net, x, ax)
    assert len(ax.child_axes) == len(parts) + 1


@pytest.mark.parametrize(
    "wrong, words",
    [
        (lambda: sb.plots.potential([0, 1]), "every alpha must be positive"),
        (lambda: sb.plots.angle({}, log10_loss=2), "below -1"),
        (lambda: sb.plots.tensor(sb.Convolutional(7, 2), range(7)), "d <= 6"),
        (lambda: sb.plots.trajectories({"a": [_of_three()]}), "d = 2"),
        (lambda: sb.plots.rate({}), "no rate to draw"),
        (lambda: sb.plots.rate({"a": 3}), "dictionary from labels"),
        (lambda: sb.plots.angle([3]), "dictionary from labels"),
        (lambda: sb.plots.trajectories(3), "dictionary from labels"),
        (lambda: sb.plots.trajectories({"a": [3]}), "a problem is wanted"),
        (lambda: sb.plots.potential(3), "list of scales"),
    ],
)
def test_what_cannot_be_drawn_is_refused(wrong, words):
    with pytest.raises(sb.BadInput, match=words):
        wrong()
    pyplot.close("all")


def _of_three():
    net = sb.Diagonal(3, 2)
    return sb.Regression(net, [[1, 2, 3]], [1], sb.Initialization.theorem_5(net, 1, 1))

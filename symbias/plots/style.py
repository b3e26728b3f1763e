"""How the pictures look: colours that the colour-blind tell apart, and lines and markers that survive a grey print."""

from collections.abc import Mapping
from itertools import cycle, islice

from symbias.errors import BadInput

#: Okabe and Ito's palette, from dark to light.
COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1, 1, 1)), (0, (1, 3)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#8c8c8c"


def axes(ax=None):
    """The axes given, or new ones."""
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(figsize=(5, 4), layout="constrained")[1]
    return ax


def labelled(value, kind: type, what: str) -> None:
    """Raise BadInput unless ``value`` is a dictionary from labels to ``kind``."""
    if not isinstance(value, Mapping) or not all(isinstance(each, kind) for each in value.values()):
        raise BadInput(f"give a dictionary from labels to {what}, not {value!r}")


def lines(count: int) -> list[dict]:
    """Colour and line style for each of ``count`` curves."""
    return [{"color": c, "linestyle": s} for c, s in islice(zip(cycle(COLOURS), cycle(LINES), strict=False), count)]


def finish(ax, xlabel: str, ylabel: str, legend: bool = True):
    """Labels, a light grid, a legend; returns the axes."""
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.grid(color="#e6e6e6", linewidth=0.6)
    ax.set_axisbelow(True)
    if legend:
        ax.legend(fontsize="small", frameon=True, framealpha=0.9)
    return ax

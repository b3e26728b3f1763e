"""The arguments of the command line that say which problem is meant, and the problem they say."""

import argparse
import json
from dataclasses import replace

import numpy as np

from symbias import Classification, Initialization, Regression, data, exact
from symbias.errors import BadInput
from symbias.networks import NETWORKS, Linear, network_named


def network_list() -> str:
    """The names of the networks, for help."""
    return ", ".join(NETWORKS)


def add_network(parser: argparse.ArgumentParser) -> None:
    """The shape of the network, apart from its kind and the length of a sample."""
    parser.add_argument("--depth", type=int, metavar="L", help="the number of layers (needed, unless linear)")
    parser.add_argument("--filters", type=_integers, metavar="K1,K2,..", help="convolutional: filter lengths")
    parser.add_argument("--widths", type=_integers, metavar="K1,K2,..", help="fully_connected: widths")


def add_problem(parser: argparse.ArgumentParser, alpha: str | None = None) -> None:
    """Data, network and initialization; ``alpha`` is its default where one makes sense."""
    parser.add_argument("data", metavar="DATA", help="CSV with a header, or npz with X and y")
    parser.add_argument("--target", metavar="NAME", help="the target column (default: the last)")
    parser.add_argument("--classify", action="store_true", help="classification: the targets are labels -1 and +1")
    parser.add_argument("--network", required=True, metavar="NAME", help=network_list())
    add_network(parser)
    tail = "" if alpha is None else f" (default: {alpha})"
    what = f"the scale of the initialization, an exact decimal such as 0.01{tail}"
    parser.add_argument("--alpha", required=alpha is None, default=alpha, metavar="A", help=what)
    parser.add_argument(
        "--eta", metavar="FILE", help="text file with the numbers eta_j of Theorem 5's start (default: all 1)"
    )
    parser.add_argument(
        "--directions", metavar="FILE", help="JSON file with the initial directions: a list with one array a block"
    )


def network(name: str, dim: int, options):
    """The network of that name; options it has not are an error, not ignored."""
    kind = network_named(name)
    shape = {}
    for option, owner in (("filters", "convolutional"), ("widths", "fully_connected")):
        value = getattr(options, option)
        if value is not None:
            if name != owner:
                raise BadInput(f"--{option} belongs to {owner}, not to {name}: leave it out")
            shape[option] = value
    if name == "linear":
        if options.depth not in (None, 1):
            raise BadInput(f"--depth {options.depth}: the linear network has depth 1: leave --depth out")
        return Linear(dim)
    if options.depth is None:
        raise BadInput(f"--depth is missing: the number of layers of the {name} network")
    return kind(dim, options.depth, **shape)


def problem(options):
    """The problem that the arguments describe, started as they say, or as in Theorem 5."""
    found = data.read(options.data, target=options.target)
    if options.network == "matrix_sensing":
        found = replace(found, X=_stacked(found.X))
    made = network(options.network, found.X.shape[-1], options)
    task = Classification if options.classify else Regression
    return task(made, found.X, found.y, _start(made, options))


def _stacked(X: np.ndarray) -> np.ndarray:
    """Rows of d^2 numbers as matrices d x d."""
    if X.ndim == 3:
        return X
    size = round(X.shape[1] ** 0.5)
    if size * size != X.shape[1]:
        raise BadInput(f"{X.shape[1]} columns are no square matrix: matrix_sensing needs d^2 columns, row by row")
    return X.reshape(-1, size, size)


def _start(made, options) -> Initialization:
    if options.directions is not None:
        if options.eta is not None:
            raise BadInput("give --eta or --directions, not both: --eta is short for Theorem 5's start")
        return Initialization(options.alpha, _directions(options.directions))
    if made.name in ("fully_connected", "linear", "difference_of_powers"):
        raise BadInput(f"the {made.name} network needs --directions FILE, a JSON list with one array a block")
    return Initialization.theorem_5(made, options.alpha, 1 if options.eta is None else _numbers(options.eta))


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read {path}: {getattr(error, 'strerror', None) or 'it is not text'}") from None


def _numbers(path: str) -> list[str]:
    """The numbers in a text file, separated by white space or commas."""
    return _read(path).replace(",", " ").split()


def _directions(path: str) -> list[np.ndarray]:
    """One exact array a block: a decimal in the file means itself, not the nearest float."""
    try:
        given = json.loads(_read(path), parse_float=str, parse_int=str)
    except ValueError as error:
        raise BadInput(f"{path} is not JSON: {error}") from None
    if not isinstance(given, list):
        raise BadInput(f"{path} must hold a list with one array a block, such as [[1, 1], [0, 0]]")
    return [exact.array(block, f"{path}, block {i + 1}") for i, block in enumerate(given)]


def _integers(text: str) -> tuple[int, ...]:
    """The integers of ``3,3,5`` (argparse makes a ValueError its own one line)."""
    return tuple(int(part) for part in text.split(","))

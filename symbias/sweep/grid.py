"""The plan of a sweep: a grid over data, networks, depths, alphas and seeds, whose points are made one at a time."""

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

import numpy as np
import sympy

from symbias import exact
from symbias.errors import BadInput
from symbias.initialization import Initialization
from symbias.networks import Network, network_named
from symbias.problem import Classification, Problem, Regression

TASKS: dict[str, type[Problem]] = {"regression": Regression, "classification": Classification}
Start = Callable[[Network, Any, int | None], Initialization]


def seeded_start(network: Network, alpha, seed: int | None) -> Initialization:
    """The start of one point: Theorem 5's with eta = 1, or with eta drawn by the seed from the 64ths in [1/2, 2].

    A network without such a start (fully connected, linear, difference of powers) draws every entry of its blocks; the
    two blocks of the difference of powers are equal.
    """
    size = {"diagonal": network.dim, "convolutional": network.dim // 2 + 1, "matrix_sensing": 1}.get(network.name)
    if seed is None:
        return Initialization.theorem_5(network, alpha, 1)
    draw = Random(seed).random  # the one stream that Python promises to keep

    def drawn(count: int) -> list[sympy.Rational]:
        return [sympy.Rational(32 + int(97 * draw()), 64) for _ in range(count)]

    if size is not None:
        eta = drawn(size)
        return Initialization.theorem_5(network, alpha, eta[0] if network.name == "matrix_sensing" else eta)
    blocks = [np.array(drawn(int(np.prod(shape))), dtype=object).reshape(shape) for shape in network.block_shapes]
    if network.name == "difference_of_powers":
        blocks = blocks[:1] * len(blocks)
    return Initialization(alpha, blocks)


@dataclass(frozen=True, eq=False)
class Point:
    """One point of a grid: everything its problem is made from."""

    index: int
    data: str
    X: np.ndarray
    y: np.ndarray
    network: str
    depth: int
    alpha: Any
    seed: int | None
    task: str
    start: Start
    digest_of_data: str

    def problem(self) -> Problem:
        """Build the problem; what is wrong with it is raised here."""
        network = network_named(self.network)(self.X.shape[-1], self.depth)
        return TASKS[self.task](network, self.X, self.y, self.start(network, self.alpha, self.seed))

    def key(self) -> dict[str, Any]:
        """What names the point in a table."""
        place = {"data": self.data, "network": self.network, "depth": self.depth}
        return {**place, "alpha": str(self.alpha), "log10_alpha": self.log10_alpha, "seed": self.seed}

    @property
    def log10_alpha(self) -> float:
        """The decimal logarithm of alpha, also where alpha is outside the range of floats."""
        if isinstance(self.alpha, sympy.Rational):
            return math.log10(self.alpha.p) - math.log10(self.alpha.q)
        return float(sympy.log(self.alpha, 10).evalf(20))

    @property
    def digest(self) -> str:
        """The hash of the problem: its data, network, depth, alpha, seed, task and start."""
        return _hash([{**self.key(), "contents": self.digest_of_data, "task": self.task, "start": named(self.start)}])


@dataclass(frozen=True, eq=False)
class Grid:
    """All combinations of data, networks, depths, alphas and seeds; the seeds vary fastest, the data slowest.

    Parameters
    ----------
    data : mapping from a name to (X, y) or to a Dataset
        Text and exact numbers are exact, a float is its binary value.
    networks : sequence of str
        Registry names: "diagonal", "convolutional", ...; d is that of the data.
    depths : sequence of int
        L; 1 for "linear".
    alphas : sequence of numbers > 0
        Scales of the initialization.
    seeds : sequence of int or None
        What the start draws by; None for Theorem 5's with eta = 1. A ``range`` takes no memory.
    task : "regression" or "classification"
    start : function (network, alpha, seed) -> Initialization
        ``seeded_start`` unless given; one that a pool of processes can import.

    Raises
    ------
    BadInput
        An empty axis, an unknown network or task, data that are not finite numbers, an alpha that is not positive. What
        is wrong with a single combination is recorded at its point.

    Examples
    --------
    >>> grid = Grid({"one": ([[1, 2]], [1])}, ["diagonal"], depths=[2], alphas=["0.1"], seeds=range(10**6))
    >>> len(grid), grid[999_999].key()
    (1000000, {'data': 'one', 'network': 'diagonal', 'depth': 2, 'alpha': '1/10', 'log10_alpha': -1.0, 'seed': 999999})
    """

    data: Mapping[str, Any]
    networks: Sequence[str]
    depths: Sequence[int]
    alphas: Sequence[Any]
    seeds: Sequence[int | None] = (None,)
    task: str = "regression"
    start: Start = seeded_start

    def __post_init__(self):
        if not isinstance(self.data, Mapping):
            raise BadInput("data must be a mapping from a name to (X, y), e.g. {'patients': (X, y)}")
        for name in ("networks", "depths", "alphas", "seeds"):
            axis = getattr(self, name)
            if isinstance(axis, str) or not isinstance(axis, (Sequence, np.ndarray)):
                raise BadInput(f"{name} must be a sequence, such as a list, not {axis!r}")
        if self.task not in TASKS:
            raise BadInput(f"task must be regression or classification, not {self.task!r}")
        for name, axis in zip(("data", *_AXES), self._axes(), strict=True):
            if not len(axis):
                raise BadInput(f"{name} is empty: a grid needs one value of each axis at least")
        for name in self.networks:
            network_named(name)
        for depth in self.depths:
            if isinstance(depth, bool) or not isinstance(depth, (int, np.integer)):
                raise BadInput(f"a depth must be a whole number, not {depth!r}")
        for alpha in self.alphas:
            if not exact.number(alpha, "alpha") > 0:
                raise BadInput(f"alpha = {alpha} must be positive: the limits are sb.limit's")
        given = () if isinstance(self.seeds, range) else self.seeds
        if not all(seed is None or (isinstance(seed, int) and not isinstance(seed, bool)) for seed in given):
            raise BadInput("a seed must be a whole number, or None for Theorem 5's start with eta = 1")
        for _ in self._contents:
            pass

    @cached_property
    def _contents(self) -> dict[str, tuple[np.ndarray, np.ndarray, str]]:
        """X, y and their hash, by the name of the data."""
        made = {}
        for name, given in self.data.items():
            X, y = (given.X, given.y) if hasattr(given, "X") else _pair(given, name)
            X, y = exact.array(X, f"{name}: X"), exact.array(y, f"{name}: y", ndim=1)
            entries = (entry for array in (X, y) for entry in [array.shape, *array.ravel().tolist()])
            made[str(name)] = (X, y, _hash(map(str, entries)))
        return made

    def _axes(self) -> tuple[Sequence, ...]:
        return (tuple(self.data), self.networks, self.depths, self.alphas, self.seeds)

    def __len__(self) -> int:
        return math.prod(len(axis) for axis in self._axes())

    def __iter__(self) -> Iterator[Point]:
        return (self[index] for index in range(len(self)))

    def __getitem__(self, index: int) -> Point:
        if not 0 <= index < len(self):
            raise IndexError(f"point {index} of a grid of {len(self)}")
        chosen, rest = [], index
        for axis in reversed(self._axes()):
            rest, place = divmod(rest, len(axis))
            chosen.append(axis[place])
        seed, alpha, depth, network, name = chosen
        X, y, digest = self._contents[str(name)]
        alpha = exact.number(alpha, "alpha")
        return Point(index, str(name), X, y, network, int(depth), alpha, seed, self.task, self.start, digest)

    @cached_property
    def digest(self) -> str:
        """The hash of the whole plan: of every value of every axis, a range by its ends."""
        axes = (f"{len(axis)}" for axis in self._axes())
        contents = (f"{name} {digest}" for name, (_, _, digest) in self._contents.items())
        alphas = (str(exact.number(alpha, "alpha")) for alpha in self.alphas)
        seeds = [self.seeds] if isinstance(self.seeds, range) else self.seeds
        other = [self.networks, self.depths, alphas, seeds]
        return _hash(
            value for part in (axes, contents, *other, [self.task, named(self.start)]) for value in map(str, part)
        )


_AXES = ("networks", "depths", "alphas", "seeds")


def named(function: Callable) -> str:
    """The module and name of a function."""
    return f"{function.__module__}.{function.__qualname__}"


def _pair(given, name) -> tuple[Any, Any]:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise BadInput(f"data[{name!r}] must be a pair (X, y) or a Dataset")
    return given[0], given[1]


def _hash(values) -> str:
    """Sixteen hexadecimal digits of SHA-256 over the JSON of the values, one at a time."""
    digest = hashlib.sha256()
    for value in values:
        digest.update(json.dumps(value, sort_keys=True).encode() + b"\n")
    return digest.hexdigest()[:16]

"""The doors of the networks: whole numbers, lengths, and arrays of numbers or symbols."""

import numpy as np
import sympy

from symbias import exact
from symbias.errors import BadInput


def whole(value, what: str, least: int) -> int:
    """Return ``value`` as an int, or raise BadInput when it is not a whole number of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer, sympy.Integer)) or value < least:
        raise BadInput(f"{what} must be a whole number of at least {least}, not {value!r}")
    return int(value)


def lengths(value, what: str, count: int) -> tuple[int, ...]:
    """Return ``value`` as a tuple of ``count`` whole numbers, each at least 1."""
    if not isinstance(value, (list, tuple)) or len(value) != count:
        raise BadInput(f"{what} must be a list of {count} whole numbers, not {value!r}")
    return tuple(whole(entry, f"{what}[{i}]", least=1) for i, entry in enumerate(value))


def no_symmetry(symmetry: str | None, name: str) -> None:
    """Raise BadInput when a symmetry is asked of a network that has no decomposition for it."""
    if symmetry is not None:
        raise BadInput(f"symmetry={symmetry!r}: the {name} network takes no symmetry")


def no_floats(X, door: str) -> None:
    """Raise BadInput when a SymPy Float stands among the samples: symbolic code is exact."""
    given = np.asarray([]) if X is None else np.asarray(X)
    for entry in given.flat if given.dtype == object else ():
        if isinstance(entry, sympy.Basic):
            exact.forbid_floats(entry, door)


def eta_vector(eta: np.ndarray, size: int, name: str) -> np.ndarray:
    """Return eta as a vector of ``size`` entries; one number stands for all of them."""
    if eta.ndim == 0:
        return np.full(size, eta[()], dtype=eta.dtype)
    if eta.shape != (size,):
        raise BadInput(f"eta has shape {eta.shape}: the {name} network takes one number or {size} of them")
    return eta


def entries(value, what: str) -> np.ndarray:
    """Return ``value`` as a float64 array, or as an object array when its entries are exact or symbolic.

    Whole numbers stay exact, as Python integers.
    """
    if isinstance(value, sympy.MatrixBase):
        value = value.tolist()
        value = [row[0] for row in value] if all(len(row) == 1 for row in value) else value
    if isinstance(value, sympy.NDimArray):
        value = value.tolist()
    try:
        made = np.asarray(value)
    except ValueError:
        raise BadInput(f"{what} is not a rectangular array") from None
    if made.dtype.kind == "f":
        return made.astype(np.float64, copy=False)
    if made.dtype.kind in "iu":
        return made.astype(object)
    if made.dtype.kind != "O" or any(isinstance(entry, (str, list, tuple)) for entry in made.flat):
        raise BadInput(f"{what} must hold real numbers or symbols, not {made.dtype} entries or ragged rows")
    return made

"""The npz half of the reader: arrays X and y, never pickled objects."""

import io
import zipfile
import zlib
from pathlib import Path

import numpy as np

from symbias import exact
from symbias.data.dataset import Dataset
from symbias.errors import BadInput

#: What NumPy and zipfile raise for a damaged array: a wrong length, checksum, header, compression, or an encrypted one.
_DAMAGE = (ValueError, EOFError, NotImplementedError, RuntimeError, OSError, zipfile.BadZipFile, zlib.error)


def read_npz(content: bytes, path: Path) -> Dataset:
    """Return the data set in the bytes of the npz file ``path``."""
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise BadInput(f"{path}: this is not an npz file; write one with numpy.savez(path, X=X, y=y)")
    arrays = {name: _member(content, name, path) for name in _names(content, path)}
    X, y = (exact.array(arrays[name], f"{path}, {name}") for name in ("X", "y"))
    square = X.ndim == 3 and X.shape[1] == X.shape[2]
    if X.ndim != 2 and not square:
        raise BadInput(f"{path}: X has the shape {X.shape}; it must be (n, d), or (n, d, d) for matrix sensing")
    if y.shape != X.shape[:1]:
        raise BadInput(f"{path}: y has the shape {y.shape}, but X has {len(X)} rows: y must have the shape ({len(X)},)")
    columns = () if square else tuple(f"x{j + 1}" for j in range(X.shape[1]))
    return Dataset(X=X, y=y, columns=columns, target="y", origin=path.name)


def _opened(content: bytes, path: Path):
    """The file as NumPy opens it, or BadInput when its table of contents is damaged."""
    try:
        return np.load(io.BytesIO(content), allow_pickle=False)
    except (ValueError, EOFError, NotImplementedError, zipfile.BadZipFile) as error:
        raise BadInput(f"{path}: it is damaged, or no npz ({_short(error)}); write it anew with numpy.savez") from None


def _short(error: Exception) -> str:
    """What the error says; zipfile puts whole headers into some of its messages."""
    said = str(error)
    return said if len(said) <= 100 else f"{said[:100]}..."


def _names(content: bytes, path: Path) -> tuple[str, str]:
    """The names X and y, if the file has both."""
    with _opened(content, path) as file:
        for name in ("X", "y"):
            if name not in file.files:
                held = ", ".join(file.files) or "nothing"
                raise BadInput(f"{path}: there is no array {name}; an npz needs X and y, and this one holds {held}")
    return "X", "y"


def _member(content: bytes, name: str, path: Path) -> np.ndarray:
    with _opened(content, path) as file:
        try:
            value = file[name]
        except _DAMAGE as error:
            if "allow_pickle" in str(error):
                raise BadInput(
                    f"{path}: {name} holds pickled Python objects, which can run code; save it as an array of numbers"
                ) from None
            raise BadInput(f"{path}: {name} cannot be read, the file is damaged ({_short(error)})") from None
    if not isinstance(value, np.ndarray):
        raise BadInput(f"{path}: {name} is not a numpy array; write the file with numpy.savez(path, X=X, y=y)")
    return value

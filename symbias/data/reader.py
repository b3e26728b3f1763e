"""The reader of CSV and npz files: every number of a CSV is the exact decimal that is written there."""

import csv
import io
from pathlib import Path

import numpy as np

from symbias import exact
from symbias.data.dataset import Dataset
from symbias.data.npz import read_npz
from symbias.errors import BadInput


def read(path: str | Path, target: str | None = None) -> Dataset:
    """Read a data set from a CSV file with a header line, or from an npz file with arrays ``X`` and ``y``.

    Parameters
    ----------
    path
        A file whose name ends in ``.csv`` (UTF-8, comma-separated, quoted fields allowed) or ``.npz``.
    target
        The column of the CSV that is y; the last one if not given. The other columns, in order, are X.

    Returns
    -------
    Dataset
        From a CSV: exact SymPy numbers, the decimals (or fractions ``1/3``) of the text. From an npz: float arrays as
        they are, others as exact numbers; ``X`` may be (n, d), or (n, d, d) for matrix sensing.

    Raises
    ------
    BadInput
        The file cannot be read, or its content is not a table of finite numbers: the sentence names the file, the
        column and the line, or the array, and the remedy.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "two.csv"
    ...     _ = path.write_text("height,weight\\n0.1,2\\n1/3,4\\n")
    ...     data = read(path)
    >>> data.X.tolist(), data.y.tolist(), data.columns, data.target
    ([[1/10], [1/3]], [2, 4], ('height',), 'weight')
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in (".csv", ".npz"):
        raise BadInput(
            f"{path}: the name of a data file must end in .csv or .npz, not {path.suffix or 'without either'}"
        )
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file; give the path of a .csv or .npz file") from None
    except OSError as error:
        raise BadInput(f"{path}: the file cannot be read ({error.strerror})") from None
    if not content:
        raise BadInput(f"{path}: the file is empty; a data file needs a header line and a line for each sample")
    if kind == ".npz":
        if target is not None:
            raise BadInput(f"{path}: the target {target!r} can be chosen in a CSV only; in an npz it is the array y")
        return read_npz(content, path)
    return _read_csv(content, path, target)


def _read_csv(content: bytes, path: Path, target: str | None) -> Dataset:
    lines = _lines(_text(content, path), path)
    if not lines:
        raise BadInput(f"{path}: the file is empty; a data file needs a header line and a line for each sample")
    (_, header), *samples = lines
    columns = _columns(header, path)
    chosen = _index_of(target, columns, path)
    if not samples:
        raise BadInput(f"{path}: there is a header but no samples; add a line of numbers for each sample")
    table = np.empty((len(samples), len(columns)), dtype=object)
    for row, (line, fields) in enumerate(samples):
        if len(fields) != len(columns):
            raise BadInput(f"{path}, line {line}: {len(fields)} fields, but the header has {len(columns)} columns")
        for column, field in enumerate(fields):
            table[row, column] = _number(field, f"{path}, line {line}, column {columns[column]!r}")
    return Dataset(
        X=exact.array(np.delete(table, chosen, axis=1), "X", ndim=2),
        y=exact.array(table[:, chosen], "y", ndim=1),
        columns=columns[:chosen] + columns[chosen + 1 :],
        target=columns[chosen],
        origin=path.name,
    )


def _text(content: bytes, path: Path) -> str:
    """The text without a byte order mark."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise BadInput(f"{path}, line {line}: byte {error.start} is not UTF-8 text; save the file as UTF-8") from None


def _lines(text: str, path: Path) -> list[tuple[int, list[str]]]:
    """The line number and the fields of every line that is not blank."""
    # newline="": the csv module itself treats line ends, also those inside quotes.
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    lines = []
    try:
        for fields in reader:
            fields = [field.strip() for field in fields]
            if fields and fields != [""]:
                lines.append((reader.line_num, fields))
    except csv.Error as error:
        raise BadInput(f"{path}, line {reader.line_num}: this is not comma-separated text ({error})") from None
    return lines


def _columns(header: list[str], path: Path) -> tuple[str, ...]:
    if len(header) < 2:
        raise BadInput(
            f"{path}: one column only, {header[0]!r}; write two or more, separated by commas, the target last"
        )
    if all(_is_number(name) for name in header):
        raise BadInput(
            f"{path}: the first line holds numbers; put a header line with the names of the columns above it"
        )
    for position, name in enumerate(header):
        if not name:
            raise BadInput(f"{path}: column {position + 1} has no name in the header; give it one")
        if name in header[:position]:
            raise BadInput(f"{path}: two columns have the name {name!r}; give each its own")
    return tuple(header)


def _index_of(target: str | None, columns: tuple[str, ...], path: Path) -> int:
    if target is None:
        return len(columns) - 1
    if target not in columns:
        raise BadInput(f"{path}: there is no column {target!r} to be the target; there are {', '.join(columns)}")
    return columns.index(target)


def _number(field: str, where: str):
    if not field:
        raise BadInput(f"{where}: the field is empty; every entry must be a number")
    if field.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        raise BadInput(f"{where}: {field} is not finite; every entry must be a finite number")
    return exact.number(field, where)


def _is_number(field: str) -> bool:
    try:
        exact.number(field, "header")
    except BadInput:
        return False
    return True

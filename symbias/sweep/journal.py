"""The file of a sweep: a header and one line a finished point, each with its checksum, only ever appended to.

A line is sixteen hexadecimal digits of the SHA-256 of the rest, a space, and JSON. A last line that is torn, by a kill
in the middle of a write, is recognised by its checksum and cut off.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from symbias.errors import BadInput
from symbias.sweep.grid import Grid, Point
from symbias.sweep.lock import FileLock

SYNC_SECONDS = 1.0  # between two fsync: what a power cut may cost


def sealed(record: dict[str, Any]) -> bytes:
    """The line of a record."""
    text = json.dumps(record, separators=(",", ":")).encode()
    return _checksum(text) + b" " + text + b"\n"


def unsealed(line: bytes) -> dict[str, Any] | None:
    """The record of a line, None when the line is torn or damaged."""
    checksum, space, text = line[:16], line[16:17], line[17:-1]
    if not line.endswith(b"\n") or space != b" " or checksum != _checksum(text):
        return None
    return json.loads(text)


def foreign(path: Path) -> BadInput:
    """What is said of a file that no sweep wrote."""
    return BadInput(f"{path} is not the file of a sweep, and is left as it is: choose another file")


def _checksum(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest()[:16].encode()


def records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (where the line ends in the file, its record), the header first; a torn last line is left out.

    Raises
    ------
    BadInput
        No such file, the file of something else, or a damaged line with whole lines after it.
    """
    try:
        stream = open(path, "rb")
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror}") from None
    with stream as lines:
        end, damaged = 0, None
        for number, line in enumerate(lines, start=1):
            if damaged == 1:
                raise foreign(path)
            if damaged is not None:
                raise BadInput(
                    f"{path}, line {damaged}: its checksum is wrong; delete the line, its point is computed again"
                )
            record = unsealed(line)
            end += len(line)
            if record is None:
                damaged = number
            else:
                yield end, record


class Journal:
    """The file of one sweep, locked and open for appending.

    ``header`` is what the file must begin with; it is written to a new file. ``grid`` is asked for the problem's hash
    of each point that the file already holds.
    """

    def __init__(self, path: Path, header: dict[str, Any], grid: Grid):
        self.path, self.header, self.grid = path, header, grid
        self.total, self.finished = len(grid), 0
        self._done = bytearray((self.total + 7) // 8)
        self._lock = FileLock(path)

    def __enter__(self) -> "Journal":
        try:
            self._lock.__enter__()
        except OSError as error:
            raise BadInput(f"cannot write beside {self.path}: {error.strerror}; choose another file") from None
        try:
            self._open()
        except BaseException:
            self._lock.__exit__()
            raise
        return self

    def _open(self) -> None:
        """Read what is there, cut off a torn line, write the header of a new file."""
        end = self._resume() if self.path.exists() else 0
        try:
            self._stream = open(self.path, "ab", buffering=0)
        except OSError as error:
            raise BadInput(f"cannot write {self.path}: {error.strerror}; choose another file") from None
        self._stream.truncate(end)
        if not end:
            self._write(sealed(self.header))
        self._synced = time.monotonic()

    def _resume(self) -> int:
        """Mark the points that the file holds and return where its whole lines end."""
        end = 0
        for stop, record in records(self.path):
            if not end:
                self._same_sweep(record)
            else:
                self._mark(record, end)
            end = stop
        if not end and not sealed(self.header).startswith(self.path.read_bytes()):
            raise foreign(self.path)
        return end

    def _same_sweep(self, header: dict[str, Any]) -> None:
        differ = [name for name in self.header if header.get(name) != self.header[name]]
        if differ:
            there = ", ".join(f"{name} {header.get(name)}, now {self.header[name]}" for name in differ)
            raise BadInput(f"{self.path} holds another sweep ({there}): give the same grid and digits, or another file")

    def _mark(self, record: dict[str, Any], place: int) -> None:
        index = record.get("point")
        if (
            not isinstance(index, int)
            or not 0 <= index < self.total
            or record.get("problem") != self.grid[index].digest
        ):
            raise BadInput(
                f"{self.path}: the line at byte {place} is of another problem; delete it or choose another file"
            )
        if self.has(index):
            raise BadInput(
                f"{self.path}: point {index} stands there twice, at byte {place} again; delete one of the lines"
            )
        self._set(index)

    def __exit__(self, *exception) -> None:
        os.fsync(self._stream.fileno())
        self._stream.close()
        self._lock.__exit__()

    def has(self, index: int) -> bool:
        """True when the point is finished."""
        return bool(self._done[index // 8] >> index % 8 & 1)

    def append(self, point: Point, found: dict[str, Any]) -> None:
        """Write the line of a finished point."""
        self._write(sealed({"point": point.index, "problem": point.digest, **point.key(), **found}))
        self._set(point.index)
        if time.monotonic() > self._synced + SYNC_SECONDS:
            os.fsync(self._stream.fileno())
            self._synced = time.monotonic()

    def _set(self, index: int) -> None:
        self._done[index // 8] |= 1 << index % 8
        self.finished += 1

    def _write(self, line: bytes) -> None:
        rest = memoryview(line)
        while rest:
            rest = rest[self._stream.write(rest) :]

"""A lock that one sweep holds on its file: released by the system when the process ends, however it ends."""

import sys
import threading
from pathlib import Path

from symbias.errors import BadInput

_held: set[Path] = set()
_guard = threading.Lock()


class FileLock:
    """The lock of ``path``, on the empty file ``path``.lock beside it, which stays.

    The lock of a process is not inherited by its children, so an orphan of a killed sweep does not keep it; that is why
    threads of one process are told apart here.
    """

    def __init__(self, path: Path):
        self.path = path.resolve()
        self.file = self.path.with_name(self.path.name + ".lock")

    def __enter__(self) -> "FileLock":
        with _guard:
            if self.path in _held:
                raise self._busy()
            self._stream = open(self.file, "a+b")
            try:
                _lock(self._stream)
            except OSError:
                self._stream.close()
                raise self._busy() from None
            _held.add(self.path)
        return self

    def __exit__(self, *exception) -> None:
        with _guard:
            _held.discard(self.path)
            self._stream.close()

    def _busy(self) -> BadInput:
        return BadInput(f"{self.path} is being written by another sweep: wait for it, or write to another file")


def _lock(stream) -> None:
    """Take the lock of the process at once, or raise OSError."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)

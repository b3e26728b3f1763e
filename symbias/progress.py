"""A line of progress on stderr, for a person who waits: nothing is written when stderr is not a terminal."""

import shutil
import sys
import time
from typing import Any

INTERVAL = 0.1  # seconds between two redraws: faster than that nobody reads


class Progress:
    """A line such as ``integrating  43%`` that is redrawn in place and cleared at the end.

    Parameters
    ----------
    title : str
        What is being done.
    total : float, optional
        What ``update`` counts to; without it a number is a fraction, 1 at the end.

    Examples
    --------
    >>> with Progress("integrating", total=3) as bar:
    ...     for step in range(3):
    ...         bar.update(step)
    """

    def __init__(self, title: str, total: float | None = None):
        self.title = title
        self.total = total
        self._stream = sys.stderr
        self._shown = sys.stderr is not None and sys.stderr.isatty()
        self._next = 0.0

    def __enter__(self) -> "Progress":
        self._draw("")
        return self

    def __exit__(self, *exception: Any) -> None:
        if self._shown:
            self._write("\r\x1b[K")

    def update(self, value: float | str) -> None:
        """Show how far it is, a number (see ``total``) or a text; most calls return at once."""
        if not self._shown or time.monotonic() < self._next:
            return
        if isinstance(value, str):
            self._draw(value)
        else:
            self._draw(f"{min(max(float(value) / (self.total or 1), 0), 1):4.0%}")

    def _draw(self, text: str) -> None:
        if self._shown:
            width = shutil.get_terminal_size().columns - 1
            self._write("\r\x1b[K" + f"{self.title}  {text}".rstrip()[:width])
            self._next = time.monotonic() + INTERVAL

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()

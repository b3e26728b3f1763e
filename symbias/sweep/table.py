"""The results of a sweep: read from its file, one record at a time or as a table."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symbias.sweep.journal import records
from symbias.verdict import Result


@dataclass(frozen=True, eq=False)
class Sweep:
    """The finished points in the file of a sweep, in the order in which they were finished.

    Iterating reads the file anew, one record in memory at a time, also while the sweep is running. A record has
    ``point``, ``data``, ``network``, ``depth``, ``alpha`` (exact, as text), ``log10_alpha``, ``seed``, ``seconds``,
    ``statement``, ``coefficients``, ``verdict``, ``error`` (None, or its type and message) and ``result`` (the
    Prediction or the Outcome).

    Parameters
    ----------
    file : path
        What ``sweep`` wrote.

    Raises
    ------
    BadInput
        When it is read: no such file, the file of something else, or a damaged line.
    """

    file: Path

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (_row(record) for place, (_, record) in enumerate(records(self.file)) if place)

    def __len__(self) -> int:
        return sum(1 for _ in records(self.file)) - 1

    def table(self):
        """Return a pandas DataFrame where pandas is installed, a list of the records otherwise; in the grid's order."""
        rows = sorted(self, key=lambda row: row["point"])
        try:
            import pandas
        except ImportError:
            return rows
        return pandas.DataFrame(rows)

    def errors(self) -> list[dict[str, Any]]:
        """The records of the points that failed."""
        return [row for row in self if row["error"] is not None]

    def __repr__(self) -> str:
        header = next(records(self.file))[1]
        failed = sum("error" in record for _, record in records(self.file))
        tail = f", {failed} of them errors" if failed else ""
        return f"sweep of {header['points']} points in {self.file}: {len(self)} finished{tail}"


def _row(record: dict[str, Any]) -> dict[str, Any]:
    found = None if "error" in record else Result.from_dict(record["result"])
    statement = getattr(found, "statement", None)
    error = record.get("error")
    return {
        **{name: record[name] for name in ("point", "data", "network", "depth", "alpha", "log10_alpha", "seed")},
        "seconds": record.get("seconds"),
        "statement": None if statement is None else statement.id,
        "coefficients": getattr(found, "coefficients", None),
        "verdict": getattr(found, "verdict", None),
        "error": None if error is None else f"{error['type']}: {error['message']}",
        "result": found,
    }

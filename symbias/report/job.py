"""The report on the whole paper: run, written, summarised."""

import sys
from pathlib import Path

from symbias.report.real_data import main_job


def run(folder: Path, *, digits: int, quick: bool, as_json: bool) -> int:
    """Write the report into ``folder``, print its summary and return the exit status."""
    return main_job(sys.stdout)

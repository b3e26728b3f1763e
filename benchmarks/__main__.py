"""``python3 dev.py bench [NAME ...] [--json FILE]``: every bench_*.py, one table, ratios within the run.

A row compares one cost of ours with that of what a user would pick instead, and states the accuracy both reached: a
peer whose error is above the row's tolerance is marked wrong, however fast it was. Growth rows have no peer.
"""

import argparse
import importlib
import json
import os
import platform
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

#: One thread: with two, OpenBLAS runs skinny products up to 50 times slower, for us and for the peers.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

HERE = Path(__file__).parent
SHOWN = (
    "symbias",
    "sympy",
    "mpmath",
    "numpy",
    "scipy",
    "tensorly",
    "gmpy2",
    "python-flint",
    "cvxpy",
    "clarabel",
    "heyoka",
)


def main() -> int:
    names = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    parser = argparse.ArgumentParser(prog="dev.py bench", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
    parser.add_argument("--json", metavar="FILE", help="also write the rows, the machine and the versions here")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in names]
    if unknown:
        print(f"no benchmark is called {unknown[0]!r}; there are {', '.join(names)}", file=sys.stderr)
        return 2
    rows = []
    for name in options.names or names:
        began = time.perf_counter()
        made = importlib.import_module(f"benchmarks.bench_{name}").rows()
        rows += [{"bench": name, **row} for row in made]
        print(f"\n{name} ({time.perf_counter() - began:.0f} s)\n" + table(made), flush=True)
    if options.json:
        Path(options.json).write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1, default=float))
    return 0


def table(rows: list[dict]) -> str:
    """The rows as text: seconds, ratio (peer / ours), and the error both sides reached."""
    lines = [f"  {'':44}{'ours s':>10}{'peer s':>10}{'ratio':>8}{'error':>10}{'theirs':>10}  peer"]
    for row in rows:
        cells = [_number(row.get(key)) for key in ("ours_seconds", "peer_seconds", "ratio", "our_error", "peer_error")]
        widths = (10, 10, 8, 10, 10)
        tail = f"{row.get('peer') or ''} {row.get('note') or ''}".strip()
        lines.append(
            f"  {row['name'][:44]:44}" + "".join(f"{c:>{w}}" for c, w in zip(cells, widths, strict=True)) + f"  {tail}"
        )
    return "\n".join(lines)


def _number(value) -> str:
    return "" if value is None else f"{float(value):.3g}"


def machine() -> dict:
    """What ran the rows."""
    found = {}
    for name in SHOWN:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cores": os.cpu_count(),
        "versions": found,
    }


if __name__ == "__main__":
    sys.exit(main())

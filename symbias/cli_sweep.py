"""``symbias sweep``: predictions or checks over a grid, into a file that a killed sweep resumes from."""

import argparse
from contextlib import nullcontext
from itertools import islice
from pathlib import Path

from symbias import data
from symbias.errors import BadInput

#: Failed points that are printed; all of them are in the file.
_SHOWN = 5


def add_parser(commands) -> None:
    """Add ``sweep`` to the commands of the command line."""
    parser = commands.add_parser(
        "sweep",
        help="predictions or checks over a grid; a killed sweep resumes",
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, width=80),
    )
    parser.add_argument("data", metavar="DATA", nargs="+", help="CSV files with a header, or npz with X and y")
    parser.add_argument("--target", metavar="NAME", help="the target column (default: the last)")
    parser.add_argument("--task", default="regression", help="regression (default) or classification")
    parser.add_argument("--network", required=True, metavar="NAMES", help="e.g. diagonal,convolutional")
    parser.add_argument("--depth", required=True, metavar="NUMBERS", help="e.g. 2,3,4")
    parser.add_argument("--alpha", required=True, metavar="NUMBERS", help="exact decimals, e.g. 0.01,0.1,1")
    parser.add_argument(
        "--seeds", type=int, metavar="N", help="N starts drawn by the seeds 0 .. N-1 (default: eta = 1)"
    )
    parser.add_argument("--digits", type=int, help="correct decimal digits (default: float64; 30 for --check)")
    parser.add_argument("--check", action="store_true", help="check every prediction against the integrated network")
    parser.add_argument("--workers", type=int, metavar="N", help="processes (default: one a core)")
    parser.add_argument("--out", required=True, metavar="FILE", help="one JSON line a point; resumed if it exists")
    parser.set_defaults(run=run)


def run(options) -> int:
    """Run the sweep; 0 when no point failed and no check did, 1 otherwise."""
    from symbias.sweep import Grid, own_pool, sweep

    if options.workers is not None and options.workers < 1:
        raise BadInput(f"--workers must be at least 1, not {options.workers}")
    grid = Grid(
        {path: data.read(path, target=options.target) for path in options.data},
        networks=options.network.split(","),
        depths=[_whole(depth) for depth in options.depth.split(",")],
        alphas=options.alpha.split(","),
        seeds=(None,) if options.seeds is None else range(options.seeds),
        task=options.task,
    )
    pool = nullcontext(None) if options.workers is None else own_pool(options.workers)
    with pool as executor:
        work = "check" if options.check else "predict"
        done = sweep(grid, Path(options.out), digits=options.digits, work=work, executor=executor)
    print(done)
    missed = (row for row in done if row["error"] is not None or row["verdict"] not in (None, "holds"))
    shown = list(islice(missed, _SHOWN))
    for row in shown:
        place = ", ".join(f"{name} {row[name]}" for name in ("data", "network", "depth", "alpha", "seed"))
        print(f"  {place}: {row['error'] or row['verdict']}")
    return 1 if shown else 0


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise BadInput(f"--depth must be whole numbers with commas between them, not {text!r}") from None

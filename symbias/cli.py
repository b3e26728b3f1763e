"""The command line: ``symbias derive | predict | check | theorems | limit | simulate | sweep | report``.

Without a command: the report on the whole paper. ``cli_problem`` reads the arguments that say which problem is meant,
``cli_commands`` holds what each command does.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence

from symbias import __version__, cli_sweep
from symbias import cli_commands as commands
from symbias.cli_problem import add_network, add_problem, network_list
from symbias.errors import SymbiasError
from symbias.theorems import STATEMENTS

_EPILOG = """\
exit status: 0 holds, 1 fails, 2 bad input, 3 undecided, 4 not converged,
5 no statement applies

examples:
  symbias derive convolutional --dim 4 --depth 3
  symbias predict data.csv --network diagonal --depth 2 --alpha 0.01
  symbias check data.csv --network diagonal --depth 3 --alpha 1 --digits 30
  symbias theorems data.csv --network diagonal --depth 3 --alpha 1
  symbias limit data.csv --network diagonal --depth 3 --to 0
  symbias simulate data.csv --network diagonal --depth 3 --alpha 1
  symbias sweep data.csv --network diagonal --depth 2,3 --alpha 1 --out points
  symbias report --out my-report
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except SymbiasError as error:
        print(f"symbias: {error}", file=sys.stderr)
        if getattr(options, "json", False):
            record = {"type": "Error", "error": type(error).__name__, "message": str(error)}
            print(json.dumps(record | {"exit_status": error.exit_status}, indent=1, ensure_ascii=False))
        return error.exit_status
    except KeyboardInterrupt:
        print("symbias: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="symbias",
        description="Where gradient flow ends on a linear network, why, and to how many digits\n"
        "that was checked. Without a command: the report on the whole paper.",
        epilog=_EPILOG,
        formatter_class=_formatter,
    )
    parser.add_argument("--version", action="version", version=f"symbias {__version__}")
    parser.set_defaults(run=commands.report, digits=30, out=None, quick=False, json=False)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")

    def command(name: str, what: str, run: Callable[..., int]) -> argparse.ArgumentParser:
        made = subparsers.add_parser(name, help=what, description=f"{what}.".capitalize(), formatter_class=_formatter)
        made.add_argument("--json", action="store_true", help="print the result as JSON (symbias/data/schema.json)")
        made.set_defaults(run=run)
        return made

    derive = command("derive", "the derivation for a network, step by step", commands.derive)
    derive.add_argument("network", metavar="NETWORK", help=network_list())
    derive.add_argument("--dim", type=int, required=True, metavar="D", help="d, the length of a sample")
    add_network(derive)
    derive.add_argument("--latex", metavar="FILE", help="write a LaTeX document instead of text")

    predict = command("predict", "where gradient flow ends for a data file", commands.predict)
    add_problem(predict)
    _add_theorem(predict)
    _add_outside(predict)
    predict.add_argument("--digits", type=int, metavar="N", help="correct decimal digits (default: float64)")

    check = command("check", "a prediction against the integrated network", commands.check)
    add_problem(check)
    _add_theorem(check)
    _add_outside(check)
    _add_digits(check, "decimal digits to check")

    theorems = command("theorems", "which statements apply, and which hypothesis fails", commands.theorems)
    add_problem(theorems)

    limit = command("limit", "the limit of that end as alpha goes to 0 or to infinity", commands.limit)
    add_problem(limit, alpha="1")
    limit.add_argument("--to", required=True, choices=("0", "oo"), help="where alpha goes")
    limit.add_argument("--check", action="store_true", help="check it along a sequence from --alpha, with its order")
    _add_theorem(limit)
    limit.add_argument("--digits", type=int, metavar="N", help="correct decimal digits (default: float64; check: 30)")

    simulate = command("simulate", "the flow itself, or gradient descent", commands.simulate)
    add_problem(simulate)
    _add_simulate(simulate)

    report = command("report", "every statement of the paper, checked, with pictures", commands.report)
    _add_digits(report, "decimal digits to check")
    report.add_argument("--out", metavar="DIR", help="where its files go (default: symbias-report)")
    report.add_argument("--quick", action="store_true", help="the small examples only, in under 20 seconds")

    cli_sweep.add_parser(subparsers)
    return parser


def _formatter(prog: str) -> argparse.HelpFormatter:
    """80 columns wherever it is read, and the epilog as it is written."""
    return argparse.RawDescriptionHelpFormatter(prog, width=80)


def _add_digits(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("--digits", type=int, default=30, metavar="N", help=f"{what} (default: 30)")


def _add_theorem(parser: argparse.ArgumentParser) -> None:
    first = "the first that applies"
    parser.add_argument("--theorem", metavar="ID", help=f"which statement (default: {first}): {', '.join(STATEMENTS)}")


def _add_outside(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--outside", action="store_true", help="accept a closed form though a hypothesis fails")


def _add_simulate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--flow", choices=("full", "reduced", "descent"), default="full", help="default: full")
    parser.add_argument(
        "--clock", choices=("time", "log_loss"), default="time", help="log_loss: classification to losses like 1e-40000"
    )
    parser.add_argument("--until", type=float, metavar="T", help="the last time (default: until the loss is small)")
    parser.add_argument("--log10-loss", type=float, metavar="X", help="stop where the loss is 10^X")
    parser.add_argument("--digits", type=int, metavar="N", help="correct decimal digits (default: float64)")
    parser.add_argument("--step", type=float, metavar="H", help="descent: the step")
    parser.add_argument("--iterations", type=int, metavar="K", help="descent: how many steps")
    parser.add_argument("--save", metavar="FILE", help="write the whole trajectory as JSON")

"""The command line: ``symbias derive | predict | check``, and with no arguments the whole job on the bundled data."""

import argparse
import json
import sys
from collections.abc import Sequence

from symbias import __version__, data
from symbias.errors import BadInput, SymbiasError
from symbias.networks import NETWORKS

_EPILOG = """\
exit status: 0 holds, 1 fails, 2 bad input, 3 undecided, 4 not converged,
5 no statement applies

examples:
  symbias derive convolutional --dim 4 --depth 3
  symbias predict data.csv --network diagonal --depth 2 --alpha 0.01
  symbias check data.csv --network diagonal --depth 3 --alpha 1 --digits 30
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        return options.run(options)
    except SymbiasError as error:
        print(f"symbias: {error}", file=sys.stderr)
        return error.exit_status
    except KeyboardInterrupt:
        print("symbias: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="symbias",
        description="Where gradient flow ends on a linear network, why, and to how many digits\n"
        "that was checked. Without a command: the whole job on bundled real data.",
        epilog=_EPILOG,
        formatter_class=_formatter,
    )
    parser.add_argument("--version", action="version", version=f"symbias {__version__}")
    parser.set_defaults(run=_job)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    derive = commands.add_parser(
        "derive", help="the derivation for a network, step by step", formatter_class=_formatter
    )
    derive.add_argument("network", metavar="NETWORK", help=", ".join(NETWORKS))
    derive.add_argument("--dim", type=int, required=True, help="d, the length of a sample")
    derive.add_argument("--depth", type=int, required=True, help="L, the number of layers")
    derive.add_argument("--latex", metavar="FILE", help="write a LaTeX document instead of text")
    derive.set_defaults(run=_derive)

    predict = commands.add_parser(
        "predict", help="where gradient flow ends for a data file", formatter_class=_formatter
    )
    _add_problem(predict)
    predict.add_argument("--digits", type=int, help="correct decimal digits (default: float64)")
    predict.set_defaults(run=_predict)

    check = commands.add_parser("check", help="a prediction against the integrated network", formatter_class=_formatter)
    _add_problem(check)
    check.add_argument("--digits", type=int, default=30, help="decimal digits to check (default: 30)")
    check.set_defaults(run=_check)
    return parser


def _formatter(prog: str) -> argparse.HelpFormatter:
    """80 columns wherever it is read, and the epilog as it is written."""
    return argparse.RawDescriptionHelpFormatter(prog, width=80)


def _add_problem(parser: argparse.ArgumentParser) -> None:
    """The arguments that say which problem: data, network and initialization."""
    parser.add_argument("data", metavar="DATA", help="CSV with a header, or npz with X and y")
    parser.add_argument("--target", metavar="NAME", help="the target column (default: the last)")
    parser.add_argument("--network", required=True, metavar="NAME", help=", ".join(NETWORKS))
    parser.add_argument("--depth", type=int, required=True, help="L, the number of layers")
    parser.add_argument("--alpha", required=True, help="the scale of the initialization, an exact decimal such as 0.01")
    parser.add_argument(
        "--eta", metavar="FILE", help="text file with the numbers eta_j of Theorem 5's start (default: all 1)"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def _network(name: str, dim: int, depth: int):
    if name not in NETWORKS:
        raise BadInput(f"no network is called {name!r}; there are {', '.join(NETWORKS)}")
    return NETWORKS[name](dim, depth)


def _problem(options):
    """The problem that the arguments describe, started as in Theorem 5."""
    from symbias import Initialization, Regression

    found = data.read(options.data, target=options.target)
    network = _network(options.network, found.X.shape[1], options.depth)
    eta = 1 if options.eta is None else _numbers(options.eta)
    return Regression(network, found.X, found.y, Initialization.theorem_5(network, options.alpha, eta))


def _numbers(path: str) -> list[str]:
    """The numbers in a text file, separated by white space or commas."""
    try:
        with open(path, encoding="utf-8") as lines:
            return lines.read().replace(",", " ").split()
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror}") from None


def _print(result, as_json: bool) -> None:
    print(json.dumps(result.to_dict(), indent=1, ensure_ascii=False) if as_json else result)


def _derive(options) -> int:
    from symbias import derive

    derivation = derive(_network(options.network, options.dim, options.depth))
    if options.latex is None:
        print(derivation.to_text(80), end="")
        return 0
    try:
        with open(options.latex, "w", encoding="utf-8") as out:
            out.write(derivation.to_latex())
    except OSError as error:
        raise BadInput(f"cannot write {options.latex}: {error.strerror}") from None
    print(f"{len(derivation.steps)} proved steps written to {options.latex}")
    return 0


def _predict(options) -> int:
    from symbias import predict

    _print(predict(_problem(options), digits=options.digits), options.json)
    return 0


def _check(options) -> int:
    from symbias import check

    outcome = check(_problem(options), digits=options.digits)
    _print(outcome, options.json)
    return {"holds": 0, "fails": 1, "undecided": 3}[outcome.verdict]


def _job(options) -> int:
    from symbias.report.real_data import main_job

    return main_job(sys.stdout)

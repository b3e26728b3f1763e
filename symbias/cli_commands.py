"""What each command of the command line does, and the exit status it ends with."""

import json
import sys
from pathlib import Path

import sympy

from symbias import cli_problem
from symbias.errors import BadInput
from symbias.progress import Progress

#: The exit status of a check, by its verdict.
STATUS = {"holds": 0, "fails": 1, "undecided": 3}


def derive(options) -> int:
    """Print or write the derivation for a network."""
    from symbias import derive

    derivation = derive(cli_problem.network(options.network, options.dim, options))
    if options.latex is not None:
        write(options.latex, derivation.to_latex())
    if options.json:
        show(derivation, True)
    elif options.latex is None:
        print(derivation.to_text(80), end="")
    else:
        print(f"{len(derivation.steps)} proved steps written to {options.latex}")
    return 0


def predict(options) -> int:
    """Print a prediction."""
    show(_predicted(cli_problem.problem(options), options), options.json)
    return 0


def _predicted(problem, options):
    from symbias import predict

    return predict(problem, digits=options.digits, theorem=options.theorem, outside=options.outside)


def check(options) -> int:
    """Print what a check of the prediction concluded."""
    from symbias import check

    problem = cli_problem.problem(options)
    prediction = _predicted(problem, options)
    with Progress("integrating") as bar:
        outcome = check(problem, prediction, digits=options.digits, progress=bar)
    show(outcome, options.json)
    return STATUS[outcome.verdict]


def theorems(options) -> int:
    """Print every statement for the problem; status 5 when none answers it."""
    from symbias import theorems_for

    survey = theorems_for(cli_problem.problem(options))
    show(survey, options.json)
    return 0 if survey.chosen else 5


def limit(options) -> int:
    """Print a limit in alpha, or what a check of it concluded."""
    from symbias import check_limit, limit

    problem, end = cli_problem.problem(options), sympy.sympify(options.to)
    if not options.check:
        show(limit(problem, end, digits=options.digits, theorem=options.theorem), options.json)
        return 0
    digits = 30 if options.digits is None else options.digits
    with Progress("checking") as bar:
        found = check_limit(problem, alpha=end, digits=digits, theorem=options.theorem, progress=bar)
    show(found, options.json)
    return STATUS[found.verdict]


def simulate(options) -> int:
    """Print a few rows of a trajectory and where it ends."""
    from symbias.simulate import simulate

    with Progress("integrating") as bar:
        path = simulate(
            cli_problem.problem(options),
            options.flow,
            digits=options.digits,
            clock=options.clock,
            until=options.until,
            log10_loss=options.log10_loss,
            step=options.step,
            iterations=options.iterations,
            progress=bar,
        )
    if options.save is not None:
        write(options.save, json.dumps(path.to_dict(), allow_nan=False))
    if options.json:
        show(path, True)
    else:
        print(rows(path))
        print(path)
    return 130 if path.interrupted else 0


def report(options) -> int:
    """Write the report on the whole paper and print its summary."""
    from symbias.report.job import run

    return run(Path(options.out or "symbias-report"), digits=options.digits, quick=options.quick, as_json=options.json)


def rows(path, most: int = 11) -> str:
    """At most ``most`` times of a trajectory, evenly spaced among those recorded, as a table of 80 columns."""
    count = len(path.times)
    kept = sorted({round(k * (count - 1) / (most - 1)) for k in range(most)})
    flat = path.coefficients.reshape(count, -1)
    shown = min(flat.shape[1], 4)
    head = f"{'time':>12}{'log10 loss':>12}" + "".join(f"{f'beta_{j + 1}':>14}" for j in range(shown))
    lines = [head + (" .." if shown < flat.shape[1] else "")]
    for k in kept:
        values = "".join(f"{float(entry):>14.8g}" for entry in flat[k, :shown])
        lines.append(f"{float(path.times[k]):>12.6g}{path.log10_loss[k]:>12.5g}{values}")
    return "\n".join(lines)


def show(result, as_json: bool) -> None:
    """Print a result as text or as JSON, never as JSON that other readers refuse (no NaN)."""
    print(json.dumps(result.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) if as_json else result)
    sys.stdout.flush()


def write(path: str | Path, text: str) -> None:
    """Write a file, or say in one line why that cannot be done."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror}") from None

"""A simulated flow: times, coefficients, blocks and loss along the way, and what it cost."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from symbias.errors import BadInput
from symbias.verdict import Result


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory(Result):
    """What ``sb.simulate`` returns: one row a recorded time.

    Parameters
    ----------
    times : array (m,)
        The time t; with clock "log_loss" the time s, ds = loss dt; for gradient descent the iteration number times the
        step.
    coefficients : array (m, *input shape)
        beta.
    blocks : tuple of arrays (m, *block shape)
        The parameters v_l.
    log10_loss : array (m,) of float
    drift : array (m,) of float
        Change of the conserved quantities since the start, relative to the squared size of the blocks.
    rhs : int
        Right-hand sides evaluated; with ``digits``, Taylor coefficients of the vector field; for descent, gradients.
    interrupted : bool
        True when the run was interrupted: the rows are those reached until then.
    correction : dict or None
        For descent on a diagonal network of depth 2: delta and shift of the potential that its limit minimises
        (sum_j delta_j H_2(beta_j/delta_j) + shift_j beta_j).
    """

    flow: str
    task: str
    clock: str
    times: Any
    coefficients: Any
    blocks: Any
    log10_loss: Any
    drift: Any
    rhs: int
    digits: int | None = None
    interrupted: bool = False
    correction: Any = None

    def save(self, path) -> None:
        """Write the trajectory as JSON; ``sb.load`` reads it back without loss."""
        Path(path).write_text(json.dumps(self.to_dict()))

    def to_frame(self):
        """Return a pandas DataFrame: time, log10 of the loss, drift and one column a coefficient."""
        try:
            import pandas
        except ImportError:
            raise BadInput(
                "to_frame needs pandas, which is not installed: pip install pandas, or use .coefficients"
            ) from None
        flat = self.coefficients.reshape(len(self.times), -1)
        columns = {f"beta_{j}": flat[:, j - 1] for j in range(1, flat.shape[1] + 1)}
        return pandas.DataFrame({"time": self.times, "log10_loss": self.log10_loss, "drift": self.drift, **columns})

    def to_latex(self) -> str:
        return (
            rf"\beta(t) &: {len(self.times)} \text{{ times, {self.flow} flow of the {self.task}}} \\ "
            rf"\log_{{10}} \mathcal{{L}} &= {self.log10_loss[-1]:.4g}"
        )

    def __repr__(self) -> str:
        last = np.array2string(self.coefficients[-1].astype(float), precision=8, threshold=6)
        state = ", interrupted" if self.interrupted else ""
        return (
            f"Trajectory({self.flow} flow, {self.task}, {len(self.times)} times to {float(self.times[-1]):.6g}{state}; "
            f"log10 of the loss {self.log10_loss[-1]:.6g}, {self.rhs} right-hand sides; last coefficients {last})"
        )


def load(path) -> Trajectory:
    """Read a trajectory that ``Trajectory.save`` wrote.

    Parameters
    ----------
    path : path of the file

    Returns
    -------
    Trajectory
        As it was saved, to the last digit.

    Raises
    ------
    BadInput
        There is no such file, or it is not the record of a trajectory.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import symbias as sb
    >>> net = sb.Diagonal(dim=2, depth=2)
    >>> problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha=1, eta=1))
    >>> path = sb.simulate(problem, until=1.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path.save(Path(folder) / "path.json")
    ...     again = sb.load(Path(folder) / "path.json")
    >>> bool((again.coefficients == path.coefficients).all())
    True
    """
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise BadInput(f"{path} is not a saved trajectory: {error}") from None
    if not isinstance(record, dict):
        raise BadInput(f"{path} is not a saved trajectory")
    return Trajectory.from_dict(record)  # type: ignore[return-value]

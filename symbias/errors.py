"""The errors of symbias: each names the value that is wrong and the remedy, and carries the exit status of the
command line.
"""

from collections.abc import Iterable


class SymbiasError(Exception):
    """Base of every error that symbias raises on purpose. ``exit_status`` is what the command line ends with."""

    exit_status = 1


class BadInput(SymbiasError, ValueError):
    """The input cannot be used as it is: wrong shape, not finite, rank-deficient, out of the domain of a function."""

    exit_status = 2


class NotDecomposable(BadInput):
    """The data tensor is not orthogonally decomposable in the basis asked for (Assumption 1 fails).

    ``identity`` names the equation that fails and ``entry`` is an index at which it does.
    """

    def __init__(self, message: str, identity: str, entry: tuple[int, ...] | None = None):
        super().__init__(message)
        self.identity = identity
        self.entry = entry

    def __reduce__(self):
        # Between processes an exception is rebuilt from these; by default from the message alone, which breaks a pool.
        return type(self), (*self.args, self.identity, self.entry)


class HypothesisFails(SymbiasError):
    """A hypothesis of the statement asked for does not hold.

    ``hypotheses`` are the records of all hypotheses that were checked, each with its margin.
    """

    exit_status = 5

    def __init__(self, message: str, hypotheses: Iterable = ()):
        super().__init__(message)
        self.hypotheses = tuple(hypotheses)


class NoStatement(SymbiasError):
    """No statement of the library applies to the problem."""

    exit_status = 5


class NotConverged(SymbiasError, ArithmeticError):
    """A computation missed its tolerance, so there is no number to return.

    ``residuals`` are the residuals reached, so that the failure can be judged.
    """

    exit_status = 4

    def __init__(self, message: str, residuals: Iterable = ()):
        super().__init__(message)
        self.residuals = tuple(residuals)


class Undecided(NotConverged):
    """A tie, or a race too close to call: the message says what would decide it."""

    exit_status = 3

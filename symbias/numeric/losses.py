"""The residual r of each loss, its derivative in the outputs f, and log10 of the loss.

Gradient flow is dTheta/dt = -J^T r. For the exponential loss there is a second clock, ds = loss dt, in which the same
trajectory is dTheta/ds = J^T (y p) with the softmax weights p of the negative margins: the flow of log(loss), for
losses far below floats.
"""

from abc import ABC, abstractmethod

import numpy as np

#: Beyond this margin the softmax is tempered: it keeps the stiffness bounded and costs 1/TEMPER in the direction.
TEMPER = 1e5


class Loss(ABC):
    """A loss of the outputs f, for the targets y."""

    def __init__(self, y: np.ndarray):
        self.y = y

    @abstractmethod
    def residual(self, f: np.ndarray) -> np.ndarray:
        """Return r."""

    @abstractmethod
    def slope(self, f: np.ndarray) -> np.ndarray:
        """Return dr/df, an (n, n) array."""

    @abstractmethod
    def log10(self, f: np.ndarray) -> float:
        """Return log10 of the loss."""


class Squared(Loss):
    """1/2 sum (f - y)^2: r = f - y."""

    def residual(self, f):
        return f - self.y

    def slope(self, f):
        return np.eye(len(f))

    def log10(self, f):
        r = f - self.y
        size = np.abs(r).max()  # r^2 may leave the range of floats
        return float(2 * np.log10(size) + np.log10(0.5 * np.sum((r / size) ** 2))) if size else -np.inf


class Exponential(Loss):
    """sum exp(-y f): r = -y exp(-y f)."""

    def residual(self, f):
        return -self.y * np.exp(-self.y * f)

    def slope(self, f):
        return np.diag(self.y**2 * np.exp(-self.y * f))

    def log10(self, f):
        margins = self.y * f
        least = margins.min()
        return float((np.log(np.sum(np.exp(least - margins))) - least) / np.log(10))


class LogExponential(Exponential):
    """log sum exp(-y f): r = -y p, p = softmax(-y f / T), T = max(unit, least margin / TEMPER).

    ``unit`` is the number 1 in the units of the outputs f.
    """

    def __init__(self, y: np.ndarray, unit: float = 1.0):
        super().__init__(y)
        self.unit = unit

    def residual(self, f):
        return -self.y * self._weights(self.y * f)

    def slope(self, f):
        margins = self.y * f
        p, T, least = self._weights(margins), self._temperature(margins), int(np.argmin(margins))
        inner = -np.eye(len(f)) / T
        if T > self.unit:
            inner[:, least] += margins / margins[least] / T
        dp = (np.diag(p) - np.outer(p, p)) @ inner
        return -self.y[:, None] * dp * self.y

    def _temperature(self, margins):
        return max(self.unit, margins.min() / TEMPER)

    def _weights(self, margins):
        e = np.exp((margins.min() - margins) / self._temperature(margins))
        return e / e.sum()


LOSSES: dict[tuple[str, str], type[Loss]] = {
    ("regression", "time"): Squared,
    ("classification", "time"): Exponential,
    ("classification", "log_loss"): LogExponential,
}

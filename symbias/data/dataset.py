"""Data as the problems take it: one row a sample, exact numbers, and where they come from."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Dataset:
    """Samples ``X`` (n, d), or (n, d, d) for matrix sensing, and targets ``y`` (n,): read-only arrays.

    Both are float64, or object arrays of exact SymPy numbers. ``columns`` names the d columns (empty for matrices),
    ``target`` the column that became y, ``origin`` says where the data come from.
    """

    X: np.ndarray
    y: np.ndarray
    columns: tuple[str, ...]
    target: str
    origin: str

    def __repr__(self) -> str:
        return f"Dataset(X of shape {self.X.shape}, y = {self.target!r}, from {self.origin})"

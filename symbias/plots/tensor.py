"""A data tensor and its orthogonal decomposition as pictures: M(x) = sum_j (S x)_j u_1j (x) .. (x) u_Lj."""

from functools import reduce

import numpy as np

from symbias.decompositions.base import OrthogonalDecomposition
from symbias.errors import BadInput
from symbias.networks.base import Network
from symbias.plots.style import axes

_CELLS = 6


def tensor(network: Network, x, ax=None):
    """Draw M(x) and its real terms side by side; conjugate terms count as one. Depth 3: slices, stacked.

    Parameters
    ----------
    network : Network of depth 2 or 3, of up to 6 dimensions, with a decomposition that serves every sample
    x : array (d,)
    ax : matplotlib Axes, optional
        Filled with one inset a tensor.

    Returns
    -------
    Axes

    Raises
    ------
    BadInput, NotDecomposable

    Source
    ------
    arXiv:2010.02501v3, Assumption 1.

    Examples
    --------
    >>> import symbias as sb
    >>> len(sb.plots.tensor(sb.Convolutional(dim=4, depth=2), [1, 2, 0, 2]).child_axes)  # M(x) and three frequencies
    4
    """
    if network.depth > 3 or network.dim > _CELLS:
        raise BadInput(
            f"a picture shows depth 2 or 3 and d <= {_CELLS}, not depth {network.depth} and d = {network.dim}"
        )
    given = np.asarray(x, dtype=float)
    whole = np.asarray(network.data_tensor(given), dtype=float)
    parts = terms(network.decompose(), given)
    ax = axes(ax)
    ax.set_axis_off()
    pictures, top = [whole, *parts], np.abs(whole).max()
    width = 1 / (len(pictures) + 0.45 * (len(pictures) - 1))
    for k, picture in enumerate(pictures):
        left = k * 1.45 * width
        inset = ax.inset_axes((left, 0, width, 0.9))
        _draw(inset, picture, top)
        inset.set_title("$M(x)$" if k == 0 else f"term {k}", fontsize="small")
        if k:
            ax.text(left - 0.22 * width, 0.45, "=" if k == 1 else "+", ha="center", va="center", fontsize="large")
    return ax


def terms(decomposition: OrthogonalDecomposition, x: np.ndarray) -> list[np.ndarray]:
    """The rank-one terms at x as real arrays, each added to its complex conjugate."""
    Sx = decomposition.apply(x)
    unit = np.eye(decomposition.terms)
    # block gives conj(U_l) eta
    columns = [[np.conj(decomposition.block(row, layer)) for layer in range(decomposition.depth)] for row in unit]
    each = [value * reduce(np.multiply.outer, vectors) for value, vectors in zip(Sx, columns, strict=True)]
    real, left = [], list(each)
    while left:
        first = left.pop(0)
        if np.abs(first.imag).max() > 1e-9 * np.abs(first).max():  # its conjugate is among the others, M(x) being real
            partner = min(range(len(left)), key=lambda i: np.abs(left[i] - first.conj()).max())
            first = first + left.pop(partner)
        real.append(first.real)
    return real


def _draw(ax, picture: np.ndarray, top: float) -> None:
    """One matrix, or the slices of an order-3 tensor below each other, with the numbers in the cells."""
    if picture.ndim == 3:
        gap = np.full((1, picture.shape[2]), np.nan)
        picture = np.concatenate([row for piece in picture for row in (piece, gap)][:-1])
    ax.imshow(picture, cmap="PuOr", vmin=-2 * top, vmax=2 * top, aspect="equal")
    ax.set_xticks([])
    ax.set_yticks([])
    for side in ax.spines.values():
        side.set_visible(False)
    for (i, j), value in np.ndenumerate(picture):
        if np.isfinite(value):
            ax.text(j, i, f"{value + 0.0:.2g}", ha="center", va="center", fontsize=7)

"""Run a function of flat float64 blocks over an array of any shape, layout or real dtype."""

import numpy as np

BLOCK = 16384  # entries: fewer pay NumPy's overhead a call, more leave the second-level cache


def blockwise(function, x):
    """Return ``function(block)`` for the blocks of ``x``, in the shape of ``x``; a scalar gives a NumPy scalar.

    ``function`` takes and returns float64 vectors and must not change its argument. Floating-point warnings are off
    inside: the branch that is not taken may overflow, and zeros, infinities and nan are put right afterwards.
    """
    x = np.asarray(x)
    if x.dtype.kind not in "fiu":
        x = x.astype(np.float64)
    walk = np.nditer(
        [x, None],
        flags=["external_loop", "buffered", "zerosize_ok"],
        op_flags=[["readonly", "contig"], ["writeonly", "allocate"]],
        op_dtypes=[np.float64, np.float64],
        casting="same_kind",
        buffersize=BLOCK,
    )
    with np.errstate(all="ignore"), walk:
        for block, out in walk:
            out[...] = function(block)
        return walk.operands[1][()]

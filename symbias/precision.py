"""Working precision: one private mpmath context a thread and precision, and the one rounding at the end.

mpmath's global precision is neither read nor changed: it is shared by all threads (mpmath #683). A computation asks
for a context that holds a given number of decimal digits, works in it, and rounds once when it hands numbers out.
"""

import threading
from collections import OrderedDict

import mpmath
import numpy as np
from mpmath.libmp import dps_to_prec, mpf_pos

from symbias.errors import BadInput

_KEPT = 32  # contexts kept a thread; a context costs about a millisecond to make
_local = threading.local()


def valid_digits(digits: int | None) -> None:
    """Raise BadInput unless ``digits`` is None (float64) or a positive integer."""
    if digits is not None and (isinstance(digits, bool) or not isinstance(digits, (int, np.integer)) or digits < 1):
        raise BadInput(f"digits must be a positive integer or None (float64), not {digits!r}")


def context(digits: int):
    """Return this thread's mpmath context with ``digits`` decimal digits. Its precision must not be changed."""
    valid_digits(digits)
    kept: OrderedDict = _local.__dict__.setdefault("contexts", OrderedDict())
    if digits not in kept:
        made = mpmath.MPContext()
        made.dps = int(digits)
        kept[digits] = made
        if len(kept) > _KEPT:
            kept.popitem(last=False)
    kept.move_to_end(digits)
    return kept[digits]


def adopt(ctx, value):
    """Bring a real number (int, float, mpf of any context) into ``ctx``, rounding to its precision."""
    raw = getattr(value, "_mpf_", None)
    if raw is None:
        return ctx.convert(value if not isinstance(value, np.generic) else value.item())
    return ctx.make_mpf(mpf_pos(raw, ctx.prec, "n"))


def public(value, digits: int):
    """Round once to ``digits`` decimal digits and return mpf of the global class: a scalar, or an object array."""
    prec = dps_to_prec(digits)
    if isinstance(value, np.ndarray):
        out = np.empty(value.shape, dtype=object)
        for index, entry in np.ndenumerate(value):
            out[index] = mpmath.mp.make_mpf(mpf_pos(entry._mpf_, prec, "n"))
        return out
    return mpmath.mp.make_mpf(mpf_pos(value._mpf_, prec, "n"))

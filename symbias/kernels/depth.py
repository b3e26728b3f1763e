"""The depth L of a network, as a number the kernels can use."""

from symbias.errors import BadInput


def check_depth(depth) -> int:
    """Return the depth as an int; raise BadInput unless it is an integer of at least 2."""
    if isinstance(depth, bool) or not hasattr(depth, "__index__") or depth.__index__() < 2:
        raise BadInput(f"the depth must be an integer of at least 2, not {depth!r}")
    return depth.__index__()

"""The symbols that the formulas share, each with the assumptions its statement makes."""

import sympy

#: Time of the gradient flow, and the argument of p, q and h_L.
t = sympy.Symbol("t", real=True)
#: The depth L of the network.
L = sympy.Symbol("L", integer=True, positive=True)
#: The scale alpha > 0 of the initialization.
alpha = sympy.Symbol("alpha", positive=True)


def vector(name: str, size: int, **assumptions) -> tuple[sympy.Symbol, ...]:
    """Symbols ``name_1 .. name_size``, real unless said otherwise."""
    assumptions = assumptions or {"real": True}
    return tuple(sympy.Symbol(f"{name}_{i + 1}", **assumptions) for i in range(size))


def matrix(name: str, rows: int, columns: int) -> sympy.ImmutableMatrix:
    """A matrix of real symbols ``name_{i j}``."""
    return sympy.ImmutableMatrix(rows, columns, lambda i, j: sympy.Symbol(f"{name}_{i + 1}_{j + 1}", real=True))

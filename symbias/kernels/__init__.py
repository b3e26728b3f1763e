"""Numbers without SymPy: the functions of Lemma 4 for float64 arrays, and in ``precise`` to any number of digits."""

from symbias.kernels.float64 import H, c, h, h_inverse, h_inverse_prime, p, q, root

__all__ = ["H", "c", "h", "h_inverse", "h_inverse_prime", "p", "q", "root"]

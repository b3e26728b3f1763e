"""The fast operators of a decomposition against its own exact matrices."""

import numpy as np
import sympy

from symbias.precision import context


def complex_matrix(matrix: sympy.Matrix) -> np.ndarray:
    """The exact matrix, each entry evaluated to 20 digits and rounded to complex128."""
    return np.array([complex(entry.evalf(20)) for entry in matrix]).reshape(matrix.shape)


def assert_operators_match_matrices(D, flatten=1):
    """S x, S^T rho, U_l^T v and conj(U_l) eta in float64, in 40 digits, and in batches."""
    rng = np.random.default_rng(D.dim)
    S, U = complex_matrix(D.S), complex_matrix(D.U[0])
    x = rng.normal(size=(2, *(D.dim,) * flatten))
    flat = x.reshape(2, -1)
    rho = rng.normal(size=(2, D.terms))
    ctx = context(40)
    # Sums of at most d numbers of order 1, by FFT or directly, times scales up to d^(L/2).
    tolerance = 64 * np.finfo(float).eps * D.dim * max(1.0, np.abs(S).max())
    for layer in range(D.depth):
        claims = (
            (D.apply, x, flat @ S.T),
            (D.adjoint, rho, rho @ S),
            (lambda v, ctx=None, k=layer: D.transform(v, k, ctx), x, flat @ U),
            (lambda v, ctx=None, k=layer: D.block(v, k, ctx), rho, rho @ U.conj().T),
        )
        for operator, argument, wanted in claims:
            assert np.abs(operator(argument).reshape(wanted.shape) - wanted).max() <= tolerance
            one = operator(argument[0])
            assert np.abs(one.ravel() - wanted[0]).max() <= tolerance
            precise = operator(argument, ctx=ctx).reshape(wanted.shape)
            assert np.abs(precise.astype(complex) - wanted).max() <= tolerance
        # In 40 digits the block really has the coordinates asked for.
        eta = np.array([ctx.mpf(j + 1) / 3 for j in range(D.terms)], dtype=object)
        back = D.transform(D.block(eta, layer, ctx), layer, ctx)
        assert max(abs(z) for z in back - eta) < ctx.mpf(10) ** -37 * D.dim

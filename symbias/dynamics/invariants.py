"""What gradient flow conserves, for any data and either loss: each quantity is differentiated along the flow.

In every step the left-hand side is the time derivative of the quantity, with the flow put in and the residuals free.
"""

from collections.abc import Sequence
from math import prod

import numpy as np
import sympy

from symbias import symbols
from symbias.dynamics.flow import FlowSystem, in_time
from symbias.errors import BadInput
from symbias.proof import Step, check

_TERMS = 100_000  # monomials of f beyond which a flow is not written out


@check
def conserved_along_flow(lhs, rhs, parameters, rates):
    """lhs is d quantity / dt: differentiate, put the flow in, and reduce in the polynomial ring over the rationals."""
    still = {moving: v for v, moving in in_time(parameters).items()}
    quantity = lhs.expr.xreplace(still)
    claim = sympy.Add(*(quantity.diff(v) * rate for v, rate in zip(parameters, rates, strict=True)), -rhs)
    return sympy.QQ[sorted(claim.free_symbols | {sympy.Symbol("r_1")}, key=str)].ring.from_expr(claim).as_expr()


def conserved(title: str, quantity: sympy.Expr, parameters, rates, why: str) -> Step:
    """The step d quantity / dt = 0 along the flow d parameter / dt = rate."""
    return Step(
        title,
        sympy.Derivative(quantity.xreplace(in_time(parameters)), symbols.t),
        sympy.Integer(0),
        why,
        "conserved_along_flow",
        {"parameters": sympy.Tuple(*parameters), "rates": sympy.Tuple(*rates)},
    )


@check
def matrix_words(lhs, rhs):
    """Noncommuting matrices: transposes are distributed, products expanded, like words collected; rhs is a number."""
    left = sympy.expand(lhs.doit()).doit()
    return -rhs if isinstance(left, sympy.ZeroMatrix) else left


def norm_differences(system: FlowSystem, blocks: Sequence[np.ndarray]) -> tuple[Step, ...]:
    """|v_l|^2 - |v_{l+1}|^2 is conserved whenever f is linear in every block (filters may be of any length)."""
    if prod(block.size for block in blocks) > _TERMS:
        raise BadInput(f"the flow written out would have more than {_TERMS} terms: use a smaller dim or depth")
    squares = [sympy.Add(*(entry**2 for entry in block.ravel())) for block in blocks]
    return tuple(
        conserved(
            f"|v_{layer}|^2 - |v_{layer + 1}|^2 is conserved",
            first - second,
            system.parameters,
            system.rates,
            "f is linear in every block, so d|v_l|^2/dt = -2 <X^T r, beta> for every l",
        )
        for layer, (first, second) in enumerate(zip(squares, squares[1:], strict=False), start=1)
    )


def squared_coordinates(depth: int, is_real: bool = True) -> tuple[Step, ...]:
    """|eta_{l,j}|^2 - |eta_{L,j}|^2 is conserved for each l < L and each coordinate j of an orthogonal decomposition.

    The coordinates meet in r alone, which stays free in sigma = (S X^T r)_j, so one coordinate proves it for all j and
    every dim. A complex eta and its conjugate are independent symbols here.
    """
    eta = sympy.symbols(f"eta_1:{depth + 1}")
    sigma, conjugate = sympy.symbols("sigma sigmabar") if not is_real else (sympy.Symbol("sigma"),) * 2
    bar = eta if is_real else sympy.symbols(f"etabar_1:{depth + 1}")
    others = [[k for k in range(depth) if k != layer] for layer in range(depth)]
    rates = [-conjugate * sympy.Mul(*(bar[k] for k in rest)) for rest in others]
    if not is_real:
        rates += [-sigma * sympy.Mul(*(eta[k] for k in rest)) for rest in others]
    shown = "eta_{}^2 - eta_{}^2" if is_real else "|eta_{}|^2 - |eta_{}|^2"
    return tuple(
        conserved(
            f"{shown.format(layer + 1, depth)} is conserved in every coordinate",
            eta[layer] * bar[layer] - eta[-1] * bar[-1],
            eta if is_real else eta + bar,
            rates,
            "d eta_l/dt = -conj(sigma prod_{k != l} eta_k), so every |eta_l|^2 has the same derivative",
        )
        for layer in range(depth - 1)
    )


def balanced_matrices(shapes: tuple[tuple[int, ...], ...], target: tuple[int, ...]) -> tuple[Step, ...]:
    """W_l^T W_l - W_{l+1} W_{l+1}^T is conserved (the last with w_L w_L^T), for beta = W_1 .. W_L of shape ``target``.

    The gradients are SymPy's own matrix derivatives of <G, W_1 .. W_L>, G = X^T r; the proof is in words of
    noncommuting matrices and holds for matrices of any entries.
    """
    sizes = [(shape[0], shape[1] if len(shape) == 2 else 1) for shape in shapes]
    W = [sympy.MatrixSymbol(f"W_{layer}", *size) for layer, size in enumerate(sizes, start=1)]
    G = sympy.MatrixSymbol("G", target[0], target[1] if len(target) == 2 else 1)
    loss = sympy.Trace(G.T * sympy.MatMul(*W))
    D = [loss.diff(matrix).doit() for matrix in W]  # dW_l/dt = -D_l
    return tuple(
        Step(
            f"W_{n}^T W_{n} - W_{n + 1} W_{n + 1}^T is conserved",
            sympy.MatAdd(
                sympy.MatMul(-1, A.T, DA), sympy.MatMul(-1, DA.T, A), sympy.MatMul(DB, B.T), sympy.MatMul(B, DB.T)
            ),
            sympy.Integer(0),
            f"W_{n}^T dW_{n}/dt = dW_{n + 1}/dt W_{n + 1}^T = -(W_1 .. W_{n})^T G (W_{n + 1} .. W_L)^T",
            "matrix_words",
        )
        for n, (A, DA, B, DB) in enumerate(zip(W, D, W[1:], D[1:], strict=False), start=1)
    )


def tied_powers(depth: int) -> tuple[Step, ...]:
    """Difference of powers: w_+ w_- (depth 2) or w_+^{2-L} + w_-^{2-L} is conserved in every coordinate."""
    plus, minus, g = sympy.symbols("w_+ w_- g", positive=True)
    quantity = plus * minus if depth == 2 else plus ** (2 - depth) + minus ** (2 - depth)
    named = "w_+ w_-" if depth == 2 else f"w_+^({2 - depth}) + w_-^({2 - depth})"
    return (
        conserved(
            f"{named} is conserved in every coordinate",
            quantity,
            (plus, minus),
            (-depth * plus ** (depth - 1) * g, depth * minus ** (depth - 1) * g),
            "dw_+/dt = -L w_+^(L-1) g and dw_-/dt = L w_-^(L-1) g with g = (X^T r)_j",
        ),
    )

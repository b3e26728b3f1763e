"""Gradient flow as a system of differential equations, symbolic in the samples, the targets and the parameters.

With the residuals r_i and g = X^T r = sum_i r_i x_i,

    dv_l/dt = -d<g, beta>/dv_l = -M(g) o (v_1, .., v_{l-1}, I, v_{l+1}, .., v_L).

Regression: r_i = f(x_i) - y_i. Classification: r_i = -y_i exp(-y_i f(x_i)).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sympy

from symbias import symbols
from symbias.errors import BadInput
from symbias.verdict import Result

TASKS = ("regression", "classification")


@dataclass(frozen=True, eq=False, repr=False)
class FlowSystem(Result):
    """The system d parameter / dt = rate, with the residuals r_i kept as symbols in the rates.

    Attributes
    ----------
    task : "regression" or "classification"
    parameters, rates : sympy.Tuple
        The parameters and their time derivatives, in the same order.
    residuals, values : sympy.Tuple
        The symbols r_i, and what they stand for.
    """

    task: str
    parameters: sympy.Tuple
    rates: sympy.Tuple
    residuals: sympy.Tuple
    values: sympy.Tuple

    @property
    def equations(self) -> tuple[sympy.Eq, ...]:
        """The equations for functions of t, residuals written out."""
        values = dict(zip(self.residuals, self.values, strict=True))
        moving = in_time(self.parameters)
        return tuple(
            sympy.Eq(moving[v].diff(symbols.t), rate.xreplace(values).xreplace(moving))
            for v, rate in zip(self.parameters, self.rates, strict=True)
        )

    def along(self, quantity: sympy.Expr) -> sympy.Expr:
        """Return d quantity / dt along the flow, by the chain rule; the residuals stay symbols."""
        return sympy.Add(*(quantity.diff(v) * rate for v, rate in zip(self.parameters, self.rates, strict=True)))

    def to_latex(self) -> str:
        pairs = zip(self.parameters, self.rates, strict=True)
        lines = [rf"\dot{{{sympy.latex(v)}}} &= {sympy.latex(rate)}" for v, rate in pairs]
        given = zip(self.residuals, self.values, strict=True)
        return r" \\ ".join([*lines, *(f"{sympy.latex(r)} &= {sympy.latex(value)}" for r, value in given)])

    def __repr__(self) -> str:
        pairs = zip((*self.parameters, *self.residuals), (*self.rates, *self.values), strict=True)
        primes = ["'"] * len(self.parameters) + [""] * len(self.residuals)
        return "\n".join(f"{v}{prime} = {value}" for prime, (v, value) in zip(primes, pairs, strict=True))


def in_time(parameters) -> dict[sympy.Symbol, sympy.Expr]:
    """Each parameter as a function of the time t."""
    return {v: sympy.Function(str(v), real=v.is_real, positive=v.is_positive)(symbols.t) for v in parameters}


def residual(task: str, output: sympy.Expr, target: sympy.Expr) -> sympy.Expr:
    """Return the residual, the derivative of the loss in the output f(x)."""
    if task == "regression":
        return output - target
    if task == "classification":
        return -target * sympy.exp(-target * output)
    raise BadInput(f"the task is {' or '.join(TASKS)}, not {task!r}")


def gradient_flow(
    task: str, blocks: Sequence[np.ndarray], gradients: Sequence[np.ndarray], outputs: Sequence, targets: Sequence
) -> FlowSystem:
    """Return the gradient flow of all blocks.

    Parameters
    ----------
    task : "regression" or "classification"
    blocks, gradients : sequences of object arrays
        The symbols of each block, and d<g, beta>/dv_l for g = X^T r with the symbols r_1, .., r_n of
        ``residual_symbols``.
    outputs, targets : sequences of n expressions
        f(x_i) and y_i.
    """
    rates = [-entry for part in gradients for entry in part.ravel()]
    values = [residual(task, f, y) for f, y in zip(outputs, targets, strict=True)]
    parameters = [entry for block in blocks for entry in block.ravel()]
    return FlowSystem(
        task,
        sympy.Tuple(*parameters),
        sympy.Tuple(*rates),
        sympy.Tuple(*residual_symbols(len(values))),
        sympy.Tuple(*values),
    )


def residual_symbols(samples: int) -> tuple[sympy.Symbol, ...]:
    """The symbols r_1, .., r_n."""
    return symbols.vector("r", samples)


def transformed_flow(task: str, depth: int, terms: int, is_real: bool = True) -> FlowSystem:
    """Return the flow of one sample in the coordinates of an orthogonal decomposition, eta_l = U_l^T v_l.

    d eta_{l,j} / dt = -conj((S X^T r)_j prod_{k != l} eta_{k,j}): the coordinates j are coupled through r alone. The
    symbols s_j stand for (S x)_j.

    It follows from dv_l/dt = -sum_j (S X^T r)_j prod_{k != l} eta_{k,j} u_{l,j}, a real vector: conjugate it,
    multiply by U_l^T and use U_l^T conj(U_l) = I.
    """
    kind = {"real": True} if is_real else {"complex": True}
    s = symbols.vector("s", terms, **kind)
    eta = [symbols.vector(f"eta_{layer}", terms, **kind) for layer in range(1, depth + 1)]
    (r,) = residual_symbols(1)
    (y,) = symbols.vector("y", 1)
    rates = [
        -sympy.conjugate(r * s[j] * sympy.Mul(*(eta[k][j] for k in range(depth) if k != layer)))
        for layer in range(depth)
        for j in range(terms)
    ]
    output = sympy.Add(*(s[j] * sympy.Mul(*(part[j] for part in eta)) for j in range(terms)))
    return FlowSystem(
        task,
        sympy.Tuple(*(entry for part in eta for entry in part)),
        sympy.Tuple(*rates),
        sympy.Tuple(r),
        sympy.Tuple(residual(task, output, y)),
    )

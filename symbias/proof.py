"""Proof steps: a claim, why it holds, and a named check that reduces claim minus derivation to the exact 0.

A check is a registered function ``check(lhs, rhs, **given)`` that returns a remainder with all symbols free; the claim
is proved when every entry of the remainder is exactly zero. A step keeps the *name* of its check, so that it can be
stored, read back and proved again, and so that a perturbed claim can be seen to fail.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import sympy

from symbias.errors import SymbiasError
from symbias.verdict import Result

CHECKS: dict[str, Callable[..., Any]] = {}


class ProofFails(SymbiasError):
    """A claim minus its derivation did not reduce to zero. ``remainder`` is what was left."""

    def __init__(self, message: str, remainder):
        super().__init__(message)
        self.remainder = remainder


def check(function: Callable[..., Any]) -> Callable[..., Any]:
    """Register ``function(lhs, rhs, **given) -> remainder`` under its own name."""
    if function.__name__ in CHECKS:
        raise ValueError(f"two proof checks are called {function.__name__}")
    CHECKS[function.__name__] = function
    return function


@dataclass(frozen=True, eq=False)
class Step(Result):
    """One proved step: ``lhs = rhs`` because ``why``; ``check`` names the function that proved it, ``cites`` what it
    uses.

    Raises
    ------
    ProofFails
        When made with a claim that its check does not reduce to zero.
    """

    title: str
    lhs: sympy.Basic
    rhs: sympy.Basic
    why: str
    check: str
    given: dict[str, Any] = field(default_factory=dict)
    cites: tuple[str, ...] = ()

    def __post_init__(self):
        left = self.remainder()
        if not vanishes(left):
            raise ProofFails(f"{self.title}: {self.check} leaves {left}", left)

    def remainder(self, rhs: sympy.Basic | None = None):
        """What the check leaves of the claim, or of the claim with another right-hand side."""
        return CHECKS[self.check](self.lhs, self.rhs if rhs is None else rhs, **self.given)

    def fails_when_perturbed(self) -> bool:
        """The negative control: the same check must not prove the claim with its right-hand side changed."""
        return not vanishes(self.remainder(perturbed(self.rhs)))

    def to_latex(self) -> str:
        return f"{sympy.latex(self.lhs)} &= {sympy.latex(self.rhs)}"


def perturbed(claim: sympy.Basic) -> sympy.Basic:
    """The claim with one added to it (to its last entry, for a matrix or a tuple)."""
    if isinstance(claim, sympy.MatrixBase):
        changed = claim.as_mutable()
        changed[-1, -1] += 1
        return changed.as_immutable()
    if isinstance(claim, sympy.Tuple):
        return sympy.Tuple(*claim[:-1], perturbed(claim[-1]))
    return claim + 1


def vanishes(remainder) -> bool:
    """True when every entry is the exact zero of its ring; an expression that merely simplifies to zero does not."""
    if isinstance(remainder, sympy.MatrixBase) or isinstance(remainder, (tuple, list, sympy.Tuple)):
        return all(vanishes(entry) for entry in remainder)
    return bool(remainder == 0)


@check
def polynomial_identity(lhs, rhs):
    """Expand lhs - rhs over the rationals in all its symbols and functions; the remainder is a polynomial."""
    if isinstance(lhs, (sympy.MatrixBase, sympy.Tuple)):
        return sympy.Tuple(*(polynomial_identity(a, b) for a, b in zip(lhs, rhs, strict=True)))
    numerator, _ = sympy.fraction(sympy.together(lhs - rhs))
    return sympy.expand(numerator)

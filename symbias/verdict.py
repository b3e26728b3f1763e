"""Verdicts: residuals computed another way, and the frozen records that every result of symbias is.

A ``Residual`` compares a number with its tolerance; a ``Solution`` is a value with the residuals that admit it; an
``Outcome`` is what a check concluded. ``Result`` gives every record its dictionary, table, LaTeX, citation and
notebook display.
"""

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from symbias import serial
from symbias.errors import BadInput, NotConverged
from symbias.sources import bibtex


@dataclass(frozen=True, eq=False, kw_only=True)
class Result:
    """Base of all results: a frozen record with ``to_dict``, ``from_dict``, ``to_latex``, ``cite`` and ``seconds``."""

    seconds: float = 0.0
    kinds: ClassVar[dict[str, type]] = {}

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        Result.kinds[cls.__name__] = cls

    @property
    def source(self) -> tuple[str, ...]:
        """Keys of the publications behind the result (see ``symbias.sources``)."""
        return ("yun2021",)

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary of plain JSON values: numbers of a chosen precision as text, arrays as lists."""
        fields = {f.name: serial.encode(getattr(self, f.name)) for f in dataclasses.fields(self)}
        return {"type": type(self).__name__, **fields}

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> "Result":
        """Rebuild the result that ``to_dict`` wrote."""
        kind = Result.kinds.get(record.get("type", ""))
        if kind is None or not issubclass(kind, cls):
            raise BadInput(f"this is not the record of a {cls.__name__}: its type is {record.get('type')!r}")
        fields = {f.name: f.default is not dataclasses.MISSING for f in dataclasses.fields(kind)}
        wrong = [name for name, optional in fields.items() if not optional and name not in record]
        wrong += [name for name in record if name not in fields and name != "type"]
        if wrong:
            raise BadInput(f"this is not the record of a {kind.__name__}: {wrong[0]} is missing or unknown to it")
        return kind(**{name: serial.decode(value, Result) for name, value in record.items() if name != "type"})

    def columns(self) -> dict[str, list[Any]]:
        """Return the result as a table, by column: here one row with the fields that are one word or number each."""
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return {name: [value] for name, value in fields.items() if isinstance(value, (str, bool, int, float))}

    def to_frame(self):
        """Return ``columns()`` as a pandas DataFrame; numbers of a chosen precision stay mpf."""
        try:
            import pandas
        except ImportError:
            raise BadInput("to_frame needs pandas, which is not installed: pip install pandas, or .columns()") from None
        return pandas.DataFrame(self.columns())

    def to_latex(self) -> str:
        """Return the result as a LaTeX fragment (display mathematics only)."""
        raise NotImplementedError(f"{type(self).__name__} must say how it is written in LaTeX")

    def cite(self) -> str:
        """Return BibTeX entries for the sources of the result and for symbias."""
        return bibtex((*self.source, "symbias"))

    def _repr_latex_(self) -> str:
        return f"$$\\begin{{aligned}}{self.to_latex()}\\end{{aligned}}$$"


@dataclass(frozen=True, eq=False)
class Residual(Result):
    """A relative residual: ``value`` should be at most ``tolerance``; ``scale`` says relative to what.

    The value is a float, or an mpf when it may lie below the range of floats.
    """

    name: str
    value: Any
    tolerance: Any
    scale: str = ""

    def __post_init__(self):
        for name in ("value", "tolerance"):  # a NumPy scalar would print, and read back, as something else
            if isinstance(getattr(self, name), np.generic):
                object.__setattr__(self, name, getattr(self, name).item())

    @property
    def holds(self) -> bool:
        """True when the value is within its tolerance; a NaN never is."""
        return bool(self.value <= self.tolerance)

    def __str__(self) -> str:
        relation = "<=" if self.holds else "> "
        return f"{self.name}: {short(self.value)} {relation} {short(self.tolerance)}"

    def to_latex(self) -> str:
        relation = r"\le" if self.holds else ">"
        return rf"\text{{{self.name}}} &: {latex_power(self.value)} {relation} {latex_power(self.tolerance)}"


@dataclass(frozen=True, eq=False)
class Solution(Result):
    """A value with the residuals that were computed independently of the way it was found."""

    value: Any
    residuals: tuple[Residual, ...]
    steps: int = 0

    def __post_init__(self):
        require(self.residuals, "the computation")

    def to_latex(self) -> str:
        return r" \\ ".join(residual.to_latex() for residual in self.residuals)


@dataclass(frozen=True, eq=False)
class Outcome(Result):
    """What a check concluded: ``verdict`` is "holds", "fails" or "undecided"; ``digits`` agreed; ``points`` tried."""

    verdict: str
    digits: float
    points: int
    evidence: tuple[Residual, ...]
    note: str = ""

    def __post_init__(self):
        if self.verdict not in ("holds", "fails", "undecided"):
            raise BadInput(f"a verdict is holds, fails or undecided, not {self.verdict!r}")
        if self.verdict == "holds" and (self.points < 1 or not all(e.holds for e in self.evidence)):
            raise BadInput("a check that tried no point, or whose evidence fails, cannot hold")

    def __str__(self) -> str:
        lines = [f"{self.verdict}: {self.digits:.1f} digits agreed over {self.points} points"]
        return "\n".join(lines + [f"  {e}" for e in self.evidence] + ([f"  {self.note}"] if self.note else []))

    __repr__ = __str__

    def columns(self) -> dict[str, list[Any]]:
        """One row a residual of the evidence."""
        names = ("name", "value", "tolerance", "holds", "scale")
        return {name: [getattr(e, name) for e in self.evidence] for name in names}

    def to_latex(self) -> str:
        head = rf"\text{{{self.verdict}}} &: {self.digits:.1f} \text{{ digits}}"
        return r" \\ ".join([head, *(e.to_latex() for e in self.evidence)])


def require(residuals, what: str) -> None:
    """Raise ``NotConverged`` naming every residual that misses its tolerance."""
    missed = [r for r in residuals if not r.holds]
    if missed:
        figures = "; ".join(str(r) for r in missed)
        raise NotConverged(f"{what} missed its tolerance ({figures}), so no number is returned", residuals)


def short(value) -> str:
    """A number in three significant digits, whatever its exponent (a float or an mpf)."""
    if hasattr(value, "_mpf_"):
        from mpmath.libmp import to_str

        return to_str(value._mpf_, 3)
    return f"{value:.2e}" if isinstance(value, float) else str(value)


def latex_power(value) -> str:
    """A number as LaTeX: 2.0e-31 becomes 2.0 times a power of ten."""
    mantissa, _, exponent = short(value).partition("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}" if exponent else mantissa

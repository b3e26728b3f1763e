"""What the time F and the position Z of the scalar flow of general initialization have in common."""

from typing import ClassVar

from sympy import Function


class FlowFunction(Function):
    """F and Z: ``f(argument, z0, delta_1, ..., delta_(L-1))``."""

    #: The letter in LaTeX.
    letter: ClassVar[str]

    def _eval_is_real(self):
        return all(a.is_real for a in self.args) or None

    def _mpmathcode(self, printer):
        called = printer._module_format(f"symbias.functions.targets.symbias_mpmath_{type(self).__name__}")
        return f"{called}({', '.join(map(printer._print, self.args))})"

    def _latex(self, printer, exp=None):
        argument, start, *deltas = map(printer._print, self.args)
        shown = rf"{self.letter}_{{{start}; {', '.join(deltas)}}}\left({argument}\right)"
        return shown if exp is None else rf"\left({shown}\right)^{{{exp}}}"

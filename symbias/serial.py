"""Plain JSON values for results and back: nothing is rounded, nothing is pickled."""

import ast
import dataclasses
import math
from typing import Any

import mpmath
import numpy as np
import sympy
from mpmath.libmp import from_man_exp, prec_to_dps, to_str

from symbias.errors import BadInput

#: Names in srepr that ``from sympy import *`` does not define; a module with SymPy Functions of its own adds them here.
NAMES: dict[str, Any] = {"Str": sympy.core.symbol.Str}


def encode(value: Any) -> Any:
    """Return ``value`` as JSON values. An mpf becomes ``{"mpf": decimal text, "exact": [sign mantissa, exponent]}``."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}  # JSON has no word for it
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "_mpf_"):
        return _encode_mpf(value._mpf_)
    if isinstance(value, np.ndarray):
        return {"array": [encode(entry) for entry in value.ravel().tolist()], "shape": list(value.shape)}
    if isinstance(value, (tuple, list)):
        return [encode(entry) for entry in value]
    if isinstance(value, dict):
        return {"dict": {str(key): encode(entry) for key, entry in value.items()}}
    if isinstance(value, sympy.Basic):
        return {"sympy": sympy.srepr(value), "latex": sympy.latex(value)}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {"dict": {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value)}}
    raise BadInput(f"a {type(value).__name__} has no form in JSON")


def _encode_mpf(raw) -> dict[str, Any]:
    sign, mantissa, exponent, size = raw
    if not mantissa and exponent:
        return {"mpf": to_str(raw, 5)}
    digits = max(prec_to_dps(size), 1)
    return {"mpf": to_str(raw, digits + 2), "exact": [str(-int(mantissa) if sign else int(mantissa)), int(exponent)]}


def decode(value: Any, results: Any) -> Any:
    """Undo ``encode``; ``results`` is the class whose ``from_dict`` rebuilds records."""
    if isinstance(value, list):
        return tuple(decode(entry, results) for entry in value)
    if not isinstance(value, dict):
        return value
    if "exact" in value:
        mantissa, exponent = value["exact"]
        return mpmath.mp.make_mpf(from_man_exp(int(mantissa), exponent))
    if "float" in value:
        return float(value["float"])
    if "mpf" in value:
        return mpmath.mpf(value["mpf"])
    if "array" in value:
        entries = [decode(entry, results) for entry in value["array"]]
        plain = all(isinstance(entry, (float, int)) for entry in entries)
        made = np.array(entries, dtype=float) if plain else np.array(entries, dtype=object)
        return made.reshape(value["shape"])
    if "dict" in value:
        return {key: decode(entry, results) for key, entry in value["dict"].items()}
    if "sympy" in value:
        return _rebuilt(ast.parse(value["sympy"], mode="eval").body)
    return results.from_dict(value)


def _rebuilt(node: ast.expr) -> Any:
    """Rebuild what ``sympy.srepr`` wrote: calls of SymPy's own names on such calls and constants. Nothing else is
    run.
    """
    match node:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_rebuilt(operand)
        case ast.Tuple(elts=entries):
            return tuple(map(_rebuilt, entries))
        case ast.List(elts=entries):
            return list(map(_rebuilt, entries))
        case ast.Name(id=name):
            return _known(name)
        case ast.Call(func=function, args=arguments, keywords=options):
            named = {option.arg: _rebuilt(option.value) for option in options if option.arg is not None}
            return _rebuilt(function)(*map(_rebuilt, arguments), **named)
    raise BadInput(f"the record holds {ast.unparse(node)!r}, which is not what symbias writes for an expression")


def _known(name: str) -> Any:
    """The class, function or singleton of SymPy (or of ``NAMES``) that srepr means by ``name``."""
    found = NAMES.get(name, getattr(sympy, name, None))
    made_by = isinstance(found, type) and issubclass(found, (sympy.Basic, sympy.MatrixBase))
    if made_by or isinstance(found, sympy.Basic):
        return found
    raise BadInput(f"the record holds the unknown name {name!r}")

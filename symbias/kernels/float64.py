"""The functions of Lemma 4 for float64 arrays, depth first. (A first version: right, not yet fast.)"""

import numpy as np

from symbias.kernels import precise
from symbias.precision import context

_CTX = context(25)


def _each(name):
    function = getattr(precise, name)

    def run(depth, x):
        precise.check_depth(depth)
        x = np.asarray(x, dtype=np.float64)
        out = np.array([float(function(_CTX, depth, float(v))) for v in x.ravel()], dtype=np.float64).reshape(x.shape)
        return np.copysign(out, x)[()] if name not in ("p", "h_inverse_prime", "H") else out[()]

    run.__name__ = name
    return run


p, h, h_inverse, root, H, h_inverse_prime = map(_each, ("p", "h", "h_inverse", "root", "H", "h_inverse_prime"))
_q = _each("q")


def c(depth):
    return float(precise.c(_CTX, depth))


def q(depth, t=None, *, to_end=None):
    if to_end is None:
        return _q(depth, t)
    to_end = np.asarray(to_end, dtype=np.float64)
    return np.array([float(precise.q(_CTX, depth, to_end=float(v))) for v in to_end.ravel()]).reshape(to_end.shape)[()]

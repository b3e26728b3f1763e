"""The functions of Lemma 4, the potential of Theorem 5, their expansions and their proofs.

``from symbias.functions import p, q, h, h_inverse, root, H, c, potential``
"""

from symbias import serial
from symbias.functions.lemma_4 import H, c, h, h_inverse, p, q, root
from symbias.functions.potential import potential

__all__ = ["H", "c", "h", "h_inverse", "p", "potential", "q", "root"]

# so that stored expressions read back
serial.NAMES.update(H=H, c=c, h=h, h_inverse=h_inverse, p=p, q=q, root=root)

"""The functions of Lemma 4, the potential of Theorem 5, expansions, two generalisations, and the proofs.

``from symbias.functions import p, q, h, h_inverse, root, H, c, potential``
"""

from symbias import serial
from symbias.functions import expansions
from symbias.functions.closed_form_proofs import closed_form_steps
from symbias.functions.difference_of_powers import difference_H, difference_h_inverse, difference_potential
from symbias.functions.difference_of_powers_proofs import difference_of_powers_steps
from symbias.functions.expansion_proofs import expansion_steps, series_steps
from symbias.functions.flow_position import Z
from symbias.functions.flow_time import F
from symbias.functions.general_direction_proofs import general_direction_steps
from symbias.functions.general_initialization import general_potential
from symbias.functions.general_initialization_proofs import general_initialization_steps, theorem_5_steps
from symbias.functions.jacobi import cn, dn, sn
from symbias.functions.lemma_4 import H, c, h, h_inverse, p, q, root
from symbias.functions.lemma_4_proofs import lemma_4_steps
from symbias.functions.potential import potential
from symbias.functions.potential_proofs import potential_steps

# Stored expressions name these functions; reading them back must not make undefined functions of the same names.
serial.NAMES.update({f.__name__: f for f in (p, q, h, h_inverse, root, H, c, F, Z, difference_h_inverse, difference_H)})
serial.NAMES.update({f.__name__: f for f in (sn, cn, dn)})

__all__ = [
    "F",
    "H",
    "Z",
    "c",
    "closed_form_steps",
    "difference_H",
    "difference_h_inverse",
    "difference_of_powers_steps",
    "difference_potential",
    "expansion_steps",
    "expansions",
    "general_direction_steps",
    "general_initialization_steps",
    "general_potential",
    "h",
    "h_inverse",
    "lemma_4_steps",
    "p",
    "potential",
    "potential_steps",
    "q",
    "root",
    "series_steps",
    "theorem_5_steps",
]

"""``sb.derive``: from the data tensor of a network to the statements about it, every step proved."""

import time
from dataclasses import replace

from symbias.derivation import Derivation, Section
from symbias.errors import BadInput, NotDecomposable
from symbias.networks.base import Network
from symbias.problem import Problem
from symbias.tensor_proof import contraction_steps
from symbias.theorems import STATEMENTS


def derive(subject) -> Derivation:
    """Return the derivation for a network, or for a problem of one sample with x, y, alpha and eta kept as symbols.

    Data tensor, decomposition, gradient flow, conserved quantities, reduction to n unknowns, the functions of Lemma 4,
    the potential and its two ends in alpha, the statements.

    Parameters
    ----------
    subject : Network, or Problem with n = 1

    Returns
    -------
    Derivation
        Its steps were proved when it was made; ``verify()`` proves them again.

    Raises
    ------
    BadInput
        Neither a network nor a problem; a problem with more than one sample (derive its network instead).

    Source
    ------
    arXiv:2010.02501v3, sections 2, 4 and 5 and appendices D to H.

    Examples
    --------
    >>> import symbias as sb
    >>> derivation = sb.derive(sb.Convolutional(dim=4, depth=3))
    >>> derivation.sections[1].title
    'The decomposition'
    >>> derivation.steps[1].fails_when_perturbed()
    True
    """
    began = time.perf_counter()
    if isinstance(subject, Problem):
        if subject.samples != 1:
            raise BadInput(
                f"a derivation keeps x and y as symbols for one sample only, not {subject.samples}: derive the network"
            )
        network, one_sample = subject.network, True
    elif isinstance(subject, Network):
        network, one_sample = subject, False
    else:
        raise BadInput(f"derive takes a network or a problem, not {subject!r}")
    sections = [tensor(network), decomposition(network), flow(network), conserved(network)]
    for theorem in STATEMENTS.values():
        if theorem.derive is not None:
            sections += theorem.derive(network, one_sample)
    title = f"Gradient flow on the {network.name.replace('_', ' ')} network, d = {network.dim}, L = {network.depth}"
    made = Derivation(title, tuple(sections))
    return replace(made, seconds=time.perf_counter() - began)


def tensor(network: Network) -> Section:
    """The function of the network as a contraction of its data tensor."""
    text = "The network is multilinear in its blocks: a linear tensor network with the data tensor M(x)."
    if network.name == "difference_of_powers":
        return Section("The network", "The blocks are tied, so there is no data tensor.", (), (network.to_latex(),))
    return Section("The data tensor", text, contraction_steps(network), (network.to_latex(),))


def decomposition(network: Network) -> Section:
    """Assumption 1 for the network, proved, or why it fails."""
    try:
        made = _decompositions(network)
    except NotDecomposable as error:
        return Section("The decomposition", f"Assumption 1 does not hold: {error}.")
    kinds = " and ".join(f"{each.kind} (m = {each.terms})" for each in made)
    text = f"Assumption 1 holds: {kinds}."
    if network.name == "matrix_sensing":
        text += " Shown for diagonal samples: in the common eigenbasis P, W_l becomes P^T W_l P, f and the flow stay."
    steps = [step for each in made for step in each.prove()]
    return Section("The decomposition", text, tuple(steps), tuple(each.to_latex() for each in made))


def _decompositions(network: Network):
    """The decompositions that serve a whole class of samples."""
    if network.name == "matrix_sensing":
        return [network.decompose([[[(i == j) * (i + 1) for j in range(network.dim)] for i in range(network.dim)]])]
    if network.name == "convolutional":
        return [network.decompose(), network.decompose(symmetry="even")]
    if network.name == "fully_connected" and network.depth == 2:
        raise NotDecomposable(
            "the singular vectors of M(x) move with x; one sample is decomposed by its SVD", "U_l fixed"
        )
    return [network.decompose()]


def flow(network: Network) -> Section:
    """The gradient flow of one sample, for both tasks."""
    text = "Every block moves against the gradient of the loss; r is the derivative of the loss in f(x)."
    formulas = [
        r"\dot v_l &= -M(X^T r) \circ (v_1, \ldots, v_{l-1}, I, v_{l+1}, \ldots, v_L)",
        r"\text{regression: } r &= f(x; \Theta) - y",
        r"\text{classification: } r &= -y e^{-y f(x; \Theta)}",
    ]
    plain = [
        "v_l' = -M(X^T r) o (v_1, .., v_{l-1}, I, v_{l+1}, .., v_L)",
        "regression: r = f - y",
        "classification: r = -y exp(-y f)",
    ]
    if network.dim**network.depth <= 32:  # beyond, the equations fill pages
        system = network.flow("regression")
        formulas.append(system.to_latex())
        plain += repr(system).splitlines()
    return Section("The gradient flow", text, (), tuple(formulas), tuple(plain))


def conserved(network: Network) -> Section:
    """What the flow conserves."""
    text = (
        "Whatever the data and the loss, these do not change along the flow (differentiated along it, residuals free)."
    )
    return Section("Conserved quantities", text, network.invariants())

"""Commuting symmetric matrices: the diagonal network in their common eigenbasis."""


def commuting(X, depth: int):
    raise NotImplementedError

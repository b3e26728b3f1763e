"""Orthogonal decompositions of data tensors (Assumption 1): they take dimensions and tensors, never networks."""

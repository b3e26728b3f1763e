"""symbias: from a linear network, its data and its initialization, say exactly where gradient flow ends."""

__version__ = "0.1.0"

"""Pictures with matplotlib (the extra ``plot``): each takes the axes to draw on, or makes them, and returns them."""

from symbias.plots.angle import angle
from symbias.plots.functions import h, h_inverse
from symbias.plots.potential import potential
from symbias.plots.rate import rate
from symbias.plots.tensor import tensor
from symbias.plots.trajectories import trajectories

__all__ = ["angle", "h", "h_inverse", "potential", "rate", "tensor", "trajectories"]

"""Volumes of a robot, pairs of them that may collide, distances with their Jacobians, fitting."""

from tarsus.collision.fitting.fit import FittedVolumes, LinkFit, fit
from tarsus.geometry.swept_sphere import SweptSphere

__all__ = ["FittedVolumes", "LinkFit", "SweptSphere", "fit"]

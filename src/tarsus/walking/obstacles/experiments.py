"""The two experiments of Buschmann 2014, 5.4.3: a beam that is stepped over, and a triangle that is passed astride."""

from __future__ import annotations

import numpy as np

from tarsus.geometry.hull import convex_hull
from tarsus.geometry.shapes import Box, Mesh, Shape
from tarsus.spatial import pose
from tarsus.walking.obstacles.obstruction import Obstruction

STEP_TIME = 1.0
"""T_s [s]."""
CYCLE = 0.002
"""Of the controller [s]."""
PUBLISHED = {"beam": (0.038, 0.0), "triangle": (0.041, 0.1)}
"""Shifts of the left and the right foot that the text tells [m]."""
SAND = (0.72, 0.66, 0.56, 1.0)


def beam(x: float = 1.5, y: float = -0.115) -> Obstruction:
    """The first one: 16.1 cm high, 8 cm deep, 35 cm wide; its middle at x, y [m].

    The text does not say where it stood; y is chosen so that the left foot overlaps it by a few centimetres.
    """
    depth, width, height = 0.08, 0.35, 0.161
    return Obstruction(Shape(Box((depth, width, height)), pose((x, y, height / 2)), SAND, "beam"))


def triangle(x: float = 1.5, y: float = -0.03) -> Obstruction:
    """The second one: 30 cm high, 9 cm deep, 13 cm wide at the base; the middle of the latter at x, y [m].

    The text does not say where it stood; y is chosen so that the right foot must give way by 6 cm more than the left
    one, as there.
    """
    d, w, height = 0.045, 0.065, 0.3
    corners = np.array([(s * d, *p) for s in (-1, 1) for p in ((-w, 0.0), (w, 0.0), (0.0, height))])
    return Obstruction(Shape(Mesh("triangle", content=convex_hull(corners)), pose((x, y, 0.0)), SAND, "triangle"))

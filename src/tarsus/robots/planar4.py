"""The planar 4R arm of Buschmann 2014, figures 5.30 to 5.33."""

from __future__ import annotations

import numpy as np

from tarsus.geometry.shapes import Shape
from tarsus.model.builder import ModelBuilder
from tarsus.model.model import Model
from tarsus.robots._primitives import BLUE, GRAPHITE, ORANGE, both, box, capsule, cylinder, rod
from tarsus.spatial.pose import pose

_LINKS = 4
_LENGTH = 0.5
_MASS = 1.0
_LIMIT_DEG = 150.0
_HEIGHT = 0.10


def planar4() -> Model:
    """Planar arm with four revolute joints about z: 4 kg, fixed base, links of 0.5 m.

    At the zero configuration the arm is stretched along x; it moves in the horizontal plane 0.1 m above the ground.
    Joints ``q1`` to ``q4``, frame ``tool`` at the tip. The reference pose is a zigzag.

    Notes
    -----
    REAL: four revolute joints in a plane (Buschmann 2014).

    ESTIMATE: slender links of 0.5 m and 1 kg with the centre of mass half-way, limits of 150 degrees; the source has no
    numbers.
    """
    builder = ModelBuilder("planar4")
    builder.add_link("pedestal", **both(_PEDESTAL_SHAPES))
    parent, position = "pedestal", (0.0, 0.0, _HEIGHT)
    for i in range(1, _LINKS + 1):
        link = f"link{i}"
        builder.add_link(link, rod(_MASS, _LENGTH, 0, (_LENGTH / 2.0, 0.0, 0.0)), **both(_link_shapes(i)))
        limit = float(np.radians(_LIMIT_DEG))
        builder.add_joint(
            f"q{i}", "revolute", parent, link, position=position, axis=(0.0, 0.0, 1.0), q_min=-limit, q_max=limit
        )
        parent, position = link, (_LENGTH, 0.0, 0.0)
    builder.add_frame("tool", parent, pose((_LENGTH, 0.0, 0.0)))
    builder.reference = {"q1": 0.9, "q2": -1.2, "q3": 0.9, "q4": 0.5}
    return builder.build()


def _link_shapes(i: int) -> tuple[Shape, ...]:
    color = BLUE if i % 2 else ORANGE
    return (
        cylinder(0.045, (0.0, 0.0, -0.045), (0.0, 0.0, 0.045), GRAPHITE),
        capsule(0.032, (0.03, 0.0, 0.0), (_LENGTH - 0.032 if i == _LINKS else _LENGTH - 0.03, 0.0, 0.0), color),
    )


_PEDESTAL_SHAPES = (
    box((0.22, 0.22, 0.03), (0.0, 0.0, 0.015), GRAPHITE),
    cylinder(0.06, (0.0, 0.0, 0.03), (0.0, 0.0, _HEIGHT - 0.045), GRAPHITE),
)

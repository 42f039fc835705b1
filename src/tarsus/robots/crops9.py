"""The 9-DoF harvesting manipulator of the CROPS project (Buschmann 2014, sections 5.3 and 5.6.4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tarsus.geometry.shapes import Shape
from tarsus.model.builder import ModelBuilder
from tarsus.model.model import Model
from tarsus.robots._primitives import (
    GRAPHITE,
    GREEN,
    ORANGE,
    SILVER,
    WHITE,
    Color,
    both,
    box,
    capsule,
    cylinder,
    sphere,
)
from tarsus.robots._volumes import shipped_volumes
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import pose

Vector = tuple[float, float, float]


class _Row(NamedTuple):
    """One revolute joint and its link; `size` is the box whose inertia the link has [m]."""

    offset: Vector
    axis: Vector
    limit_deg: float
    rate_deg: float
    mass: float
    com_x: float
    size: Vector
    reference: float


_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_ROWS = (
    _Row((0.15, 0.0, 0.0), _Z, 120.0, 60.0, 6.0, 0.08, (0.18, 0.14, 0.14), 0.3),
    _Row((0.15, 0.0, 0.0), _Y, 110.0, 60.0, 5.0, 0.15, (0.30, 0.12, 0.12), -0.9),
    _Row((0.35, 0.0, 0.0), _Z, 110.0, 75.0, 4.0, 0.06, (0.14, 0.11, 0.11), -0.2),
    _Row((0.12, 0.0, 0.0), _Y, 110.0, 75.0, 3.5, 0.12, (0.26, 0.10, 0.10), 1.3),
    _Row((0.28, 0.0, 0.0), _Z, 110.0, 90.0, 2.5, 0.05, (0.12, 0.09, 0.09), -0.2),
    _Row((0.10, 0.0, 0.0), _Y, 110.0, 90.0, 2.0, 0.08, (0.18, 0.08, 0.08), -0.4),
    _Row((0.18, 0.0, 0.0), _Z, 110.0, 120.0, 1.5, 0.04, (0.10, 0.07, 0.07), 0.1),
    _Row((0.08, 0.0, 0.0), _X, 170.0, 180.0, 2.0, 0.10, (0.22, 0.10, 0.10), 0.0),
)
_CARRIAGE = Inertia.of_box(10.0, (0.20, 0.20, 0.25), com=(0.05, 0.0, 0.0))
_CARRIAGE_HEIGHT = 0.60
_STROKE = 0.80
_TOOL = 0.25
_MAST_HEIGHT = 1.5


def crops9() -> Model:
    """CROPS harvesting manipulator: one prismatic and eight revolute joints, 36.5 kg, fixed base.

    Joints ``q1`` (vertical slide) to ``q9`` (tool roll). At the zero configuration all link frames are parallel to the
    base, and the arm is stretched along x. The root ``platform`` carries the mast. Frame ``tool``: between the fingers.

    Notes
    -----
    REAL: nine degrees of freedom, modular, built at TU Munich for the EU project CROPS.

    ESTIMATE: everything else, since no table of the arm is published: one prismatic and eight revolute joints, offsets,
    axes, limits, rates, masses and the link boxes from which the moments follow. Torques are not limited.
    """
    builder = ModelBuilder("crops9")
    builder.add_link("platform", **both(_PLATFORM_SHAPES))
    builder.add_link("carriage", _CARRIAGE, **both(_CARRIAGE_SHAPES))
    builder.add_joint(
        "q1",
        "prismatic",
        "platform",
        "carriage",
        position=(0.0, 0.0, _CARRIAGE_HEIGHT),
        axis=_Z,
        q_min=0.0,
        q_max=_STROKE,
        v_max=0.25,
    )
    builder.reference["q1"] = 0.35
    parent = "carriage"
    for i, row in enumerate(_ROWS, start=2):
        link = f"link{i}"
        inertia = Inertia.of_box(row.mass, row.size, com=(row.com_x, 0.0, 0.0))
        builder.add_link(link, inertia, **both(_link_shapes(i)))
        limit = float(np.radians(row.limit_deg))
        builder.add_joint(
            f"q{i}",
            "revolute",
            parent,
            link,
            position=row.offset,
            axis=row.axis,
            q_min=-limit,
            q_max=limit,
            v_max=float(np.radians(row.rate_deg)),
        )
        builder.reference[f"q{i}"] = row.reference
        parent = link
    builder.add_frame("tool", parent, pose((_TOOL, 0.0, 0.0)))
    builder.volumes = shipped_volumes("crops9")
    return builder.build()


def _link_shapes(i: int) -> tuple[Shape, ...]:
    """Joint module and tube that reaches to the next joint, or the gripper on the last link."""
    row = _ROWS[i - 2]
    if i == len(_ROWS) + 1:
        return _GRIPPER_SHAPES
    reach, radius = _ROWS[i - 1].offset[0], row.size[1] / 2.0
    color: Color = ORANGE if row.axis == _Y else WHITE
    end = [0.9 * radius * component for component in row.axis]
    joint = cylinder(radius, [-component for component in end], end, GRAPHITE)
    return (joint, capsule(0.72 * radius, (0.3 * radius, 0.0, 0.0), (reach - 0.3 * radius, 0.0, 0.0), color))


_PLATFORM_SHAPES = (
    box((0.70, 0.55, 0.10), (-0.10, 0.0, 0.09), GREEN),
    box((0.16, 0.16, _MAST_HEIGHT - 0.14), (-0.12, 0.0, 0.5 * (_MAST_HEIGHT + 0.14)), SILVER),
    box((0.03, 0.05, _MAST_HEIGHT - 0.20), (-0.03, 0.05, 0.5 * (_MAST_HEIGHT + 0.14)), GRAPHITE),
    box((0.03, 0.05, _MAST_HEIGHT - 0.20), (-0.03, -0.05, 0.5 * (_MAST_HEIGHT + 0.14)), GRAPHITE),
    *(
        cylinder(0.07, (x, y, 0.07), (x, 1.18 * y, 0.07), GRAPHITE)
        for x in (-0.36, 0.16)
        for y in (-0.26, 0.26)
    ),
)  # fmt: skip
_CARRIAGE_SHAPES = (
    box((0.12, 0.20, 0.25), (0.05, 0.0, 0.0), WHITE),
    box((0.10, 0.12, 0.10), (0.12, 0.0, 0.0), SILVER),
)
_GRIPPER_SHAPES = (
    cylinder(0.045, (-0.01, 0.0, 0.0), (0.07, 0.0, 0.0), GRAPHITE),
    sphere(0.05, (0.08, 0.0, 0.0), GREEN),
    *(
        capsule(0.012, (0.10, y, 0.0), (0.17, 2.2 * y, 0.0), ORANGE)
        for y in (-0.03, 0.03)
    ),
    *(
        capsule(0.012, (0.17, 2.2 * y, 0.0), (_TOOL, 1.4 * y, 0.0), ORANGE)
        for y in (-0.03, 0.03)
    ),
)  # fmt: skip

"""The 7-link planar biped of Shah, Saha and Dutt."""

from __future__ import annotations

import numpy as np

from tarsus.model.builder import ModelBuilder
from tarsus.model.description import BaseKind
from tarsus.model.model import Model
from tarsus.robots._primitives import (
    BLUE,
    GRAPHITE,
    ORANGE,
    SILVER,
    Color,
    both,
    box,
    capsule,
    cylinder,
    moments,
    rod,
    sphere,
)
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import pose

_TRUNK_LENGTH, _TRUNK_MASS, _TRUNK_DEPTH = 0.5, 5.0, 0.1
_LEG_LENGTH, _LEG_MASS = 0.5, 1.0
_FOOT_LENGTH, _FOOT_MASS = 0.15, 0.2
_BASE_HEIGHT = 1.23
_HIP_OFFSET = 0.06
_Y = (0.0, 1.0, 0.0)


def shah7(base: BaseKind = "planar", *, rotation: str = "quaternion") -> Model:
    """Planar biped with trunk, thighs, shanks and feet: 9 degrees of freedom, 9.4 kg.

    The sagittal plane is x-z, angles are pitches about +y, and the zero configuration stands upright on straight legs.
    The base frame is at the centre of mass of the trunk. Joints ``r_hip``, ``r_knee``, ``r_ankle`` (first leg of the
    paper), ``l_hip``, ``l_knee``, ``l_ankle``. Frames: ``l_sole``, ``r_sole`` under the ankle, and the ends of the feet
    ``l_toe``, ``l_heel``, ``r_toe``, ``r_heel``, the contact points of the paper.

    The reference pose stands on both feet with the trunk's centre at 1.23 m, its height in the paper's gait.

    Parameters
    ----------
    base : {"planar", "free", "fixed"}
    rotation : str
        Parametrisation of a free base in q.

    Notes
    -----
    REAL: lengths and masses (Shah, Saha and Dutt); moments of slender rods, m l^2 / 12 about the centre of mass,
    centres of mass half-way and ankles at the middle of the feet, from the legged-robot example of the authors'
    program ReDySim. The paper has gravity along -y and link axes that point down the leg; here z is up.

    DERIVED: ankle height zero, since the hip height of the gait, 0.98 m, is just below the length of the leg, 1 m.

    ESTIMATE: legs 0.06 m to the side of the sagittal plane, which has no effect on planar motion; shapes.
    """
    builder = ModelBuilder("shah7", base=base, rotation=rotation)
    builder.add_link("trunk", _trunk_inertia(), **both(_TRUNK_SHAPES))
    for side, y, color in (("r", -_HIP_OFFSET, BLUE), ("l", _HIP_OFFSET, ORANGE)):
        _add_leg(builder, side, y, color)
    bend = float(np.arccos((_BASE_HEIGHT - _TRUNK_LENGTH / 2.0) / (2.0 * _LEG_LENGTH)))
    for side in ("r", "l"):
        builder.reference |= {f"{side}_hip": -bend, f"{side}_knee": 2.0 * bend, f"{side}_ankle": -bend}
    if base != "fixed":
        builder.reference["base.z"] = _BASE_HEIGHT
    return builder.build()


def _trunk_inertia() -> Inertia:
    """Rod along z; only here the source adds the depth of the trunk about the axes in the plane."""
    across, depth = (_TRUNK_MASS * length**2 / 12.0 for length in (_TRUNK_LENGTH, _TRUNK_DEPTH))
    return Inertia(_TRUNK_MASS, np.zeros(3), moments(across + depth, across, depth))


def _add_leg(builder: ModelBuilder, side: str, y: float, color: Color) -> None:
    middle = (0.0, 0.0, -_LEG_LENGTH / 2.0)
    below = (0.0, 0.0, -_LEG_LENGTH)
    segment = rod(_LEG_MASS, _LEG_LENGTH, 2, middle)
    for name, radius in (("thigh", 0.032), ("shank", 0.026)):
        hinge = cylinder(radius + 0.012, (0.0, -0.03, 0.0), (0.0, 0.03, 0.0), GRAPHITE)
        tube = capsule(radius, (0.0, 0.0, -0.02), (0.0, 0.0, -0.47), color)
        builder.add_link(f"{side}_{name}", segment, **both((hinge, tube)))
    builder.add_link(f"{side}_foot", rod(_FOOT_MASS, _FOOT_LENGTH, 0, (0.0, 0.0, 0.0)), **both(_FOOT_SHAPES))
    start = (0.0, y, -_TRUNK_LENGTH / 2.0)
    builder.add_joint(f"{side}_hip", "revolute", "trunk", f"{side}_thigh", position=start, axis=_Y)
    builder.add_joint(f"{side}_knee", "revolute", f"{side}_thigh", f"{side}_shank", position=below, axis=_Y)
    builder.add_joint(f"{side}_ankle", "revolute", f"{side}_shank", f"{side}_foot", position=below, axis=_Y)
    builder.add_frame(f"{side}_sole", f"{side}_foot")
    builder.add_frame(f"{side}_toe", f"{side}_foot", pose((_FOOT_LENGTH / 2.0, 0.0, 0.0)))
    builder.add_frame(f"{side}_heel", f"{side}_foot", pose((-_FOOT_LENGTH / 2.0, 0.0, 0.0)))


_TRUNK_SHAPES = (
    box((0.10, 0.18, 0.34), (0.0, 0.0, 0.08), SILVER),
    capsule(0.04, (0.0, 0.0, -0.22), (0.0, 0.0, -0.05), GRAPHITE),
    cylinder(0.035, (0.0, -_HIP_OFFSET, -0.25), (0.0, _HIP_OFFSET, -0.25), GRAPHITE),
)
_FOOT_SHAPES = (
    box((_FOOT_LENGTH, 0.06, 0.02), (0.0, 0.0, 0.01), GRAPHITE),
    sphere(0.022, (0.0, 0.0, 0.022), GRAPHITE),
)

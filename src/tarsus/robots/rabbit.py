"""RABBIT, the five-link planar biped with point feet."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from tarsus.errors import UnknownNameError, nearest
from tarsus.geometry.shapes import Shape
from tarsus.model.builder import ModelBuilder
from tarsus.model.description import BaseKind
from tarsus.model.model import Model
from tarsus.robots._primitives import (
    BLUE,
    GRAPHITE,
    RED,
    SILVER,
    Color,
    both,
    box,
    capsule,
    cylinder,
    moments,
    sphere,
)
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import pose


class _Link(NamedTuple):
    """Length, distance of the centre of mass from the upper joint (torso: from the hip) [m], mass, moment [kg m^2]."""

    length: float
    com: float
    mass: float
    moment: float


class _Set(NamedTuple):
    torso: _Link
    femur: _Link
    tibia: _Link


_SETS = {
    "book": _Set(_Link(0.63, 0.24, 12.0, 1.33), _Link(0.40, 0.11, 6.8, 0.47), _Link(0.40, 0.24, 3.2, 0.20)),
    "hzd": _Set(_Link(0.625, 0.200, 20.0, 2.22), _Link(0.40, 0.163, 6.8, 1.08), _Link(0.40, 0.128, 3.2, 0.93)),
}
_HIP_OFFSET = 0.07
_Y = (0.0, 1.0, 0.0)


def rabbit(
    parameters: Literal["book", "hzd"] = "book", *, base: BaseKind = "planar", rotation: str = "quaternion"
) -> Model:
    """RABBIT: torso, two femurs, two tibias; 7 degrees of freedom with its planar base.

    The sagittal plane is x-z, angles are pitches about +y, and the zero configuration stands upright on straight legs.
    The base frame is at the hip. Joints ``r_hip``, ``r_knee``, ``l_hip``, ``l_knee``; a bent knee is positive. Frames
    ``r_sole``, ``l_sole`` are the point feet. The reference pose is a step with both feet on the ground, the right one
    in front.

    Parameters
    ----------
    parameters : {"book", "hzd"}
        ``"book"``: 32 kg, Westervelt, Grizzle, Chevallereau, Choi and Morris 2007. ``"hzd"``: 40 kg, Westervelt,
        Grizzle and Koditschek 2003.
    base : {"planar", "free", "fixed"}
    rotation : str
        Parametrisation of a free base in q.

    Notes
    -----
    REAL: lengths, masses, centres of mass and moments about the centre of mass, pitch axis.

    ESTIMATE: the moments about the other two axes (those of a slender link: equal across, none along) and the legs
    0.07 m to the side of the sagittal plane have no effect on planar motion; shapes.
    """
    if parameters not in _SETS:
        raise UnknownNameError(f"parameters {parameters!r} of rabbit not known{nearest(parameters, _SETS)}")
    links = _SETS[parameters]
    builder = ModelBuilder("rabbit", base=base, rotation=rotation)
    builder.add_link("torso", _slender(links.torso, 1.0), **both(_torso_shapes(links.torso.length)))
    for side, y, color in (("r", -_HIP_OFFSET, RED), ("l", _HIP_OFFSET, BLUE)):
        _add_leg(builder, links, side, y, color)

    # Front and rear leg have the same two inclinations in the opposite order, so both feet touch the ground.
    steep, flat = 0.20, 0.45
    builder.reference = {"r_hip": -flat, "r_knee": flat - steep, "l_hip": steep, "l_knee": flat - steep}
    if base != "fixed":
        height = links.femur.length * np.cos(flat) + links.tibia.length * np.cos(steep)
        builder.reference["base.z"] = float(height)
    return builder.build()


def _slender(link: _Link, direction: float) -> Inertia:
    com = np.array([0.0, 0.0, direction * link.com])
    return Inertia(link.mass, com, moments(link.moment, link.moment, 0.0))


def _add_leg(builder: ModelBuilder, links: _Set, side: str, y: float, color: Color) -> None:
    femur, tibia = f"{side}_femur", f"{side}_tibia"
    builder.add_link(femur, _slender(links.femur, -1.0), **both((
        cylinder(0.06, (0.0, -0.035, 0.0), (0.0, 0.035, 0.0), GRAPHITE),
        capsule(0.04, (0.0, 0.0, -0.03), (0.0, 0.0, -links.femur.length + 0.04), color),
    )))  # fmt: skip
    foot = 0.028
    builder.add_link(tibia, _slender(links.tibia, -1.0), **both((
        cylinder(0.045, (0.0, -0.035, 0.0), (0.0, 0.035, 0.0), GRAPHITE),
        capsule(0.026, (0.0, 0.0, -0.03), (0.0, 0.0, -links.tibia.length + foot), color),
        sphere(foot, (0.0, 0.0, -links.tibia.length + foot), GRAPHITE),
    )))  # fmt: skip
    builder.add_joint(f"{side}_hip", "revolute", "torso", femur, position=(0.0, y, 0.0), axis=_Y)
    builder.add_joint(f"{side}_knee", "revolute", femur, tibia, position=(0.0, 0.0, -links.femur.length), axis=_Y)
    builder.add_frame(f"{side}_sole", tibia, pose((0.0, 0.0, -links.tibia.length)))


def _torso_shapes(length: float) -> tuple[Shape, ...]:
    return (
        cylinder(0.05, (0.0, -_HIP_OFFSET, 0.0), (0.0, _HIP_OFFSET, 0.0), GRAPHITE),
        box((0.07, 0.07, 0.30), (0.0, 0.0, 0.17), GRAPHITE),
        box((0.14, 0.20, length - 0.26), (0.0, 0.0, 0.5 * (0.26 + length)), SILVER),
    )

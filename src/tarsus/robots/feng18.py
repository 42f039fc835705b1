"""The 18-DoF humanoid of Feng et al. 2015."""

from __future__ import annotations

from typing import Literal, NamedTuple

from tarsus.errors import UnknownNameError, nearest
from tarsus.geometry.shapes import Shape
from tarsus.model.builder import ModelBuilder
from tarsus.model.description import BaseKind
from tarsus.model.model import Model
from tarsus.robots._primitives import (
    BLACK,
    BLUE,
    GRAPHITE,
    RED,
    SAND,
    SILVER,
    Color,
    both,
    box,
    capsule,
    cylinder,
    ellipsoid,
    sphere,
)
from tarsus.robots._volumes import shipped_volumes
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import pose

Vector = tuple[float, float, float]


class _Part(NamedTuple):
    """Row of table 1: length [m], mass [kg], viscous friction of the joint [N m s/rad]."""

    length: float
    mass: float
    damping: float


_HEAD = _Part(0.24, 4.5, 0.5)
_UPPER_BODY = _Part(0.41, 21.5, 10.0)
_MIDDLE_BODY = _Part(0.10, 2.0, 10.0)
_LOWER_BODY = _Part(0.10, 2.0, 10.0)
_UPPER_ARM = _Part(0.31, 2.3, 0.03)
_LOWER_ARM = _Part(0.24, 1.4, 1.0)
_HAND = _Part(0.18, 0.4, 2.0)
_WAIST = _Part(0.27, 2.0, 10.0)
_UPPER_LEG = _Part(0.38, 7.3, 10.0)
_LOWER_LEG = _Part(0.40, 3.4, 10.0)
_FOOT = _Part(0.07, 1.1, 10.0)

_TOE_MASS = 0.2
HEEL, TOE_JOINT, TOE_TIP = -0.06, 0.12, 0.18
"""Of the soles, before the ankle [m]."""
ANKLE_HEIGHT = _FOOT.length
"""Above the sole [m]."""
FOOT_WIDTH = 0.09
"""[m]."""
_SHOULDER = 0.17
_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

_TOE_LENGTH, _TOE_HEIGHT = TOE_TIP - TOE_JOINT, 0.03
_HIND_LENGTH, _HIND_MIDDLE = TOE_JOINT - HEEL, 0.5 * (TOE_JOINT + HEEL)


Side = Literal["right", "left"]
"""Which leg."""
_ACROSS: dict[str, float] = {"right": 1.0, "left": -1.0}
"""Direction from the supporting leg across the waist to the other one, along y."""


def feng18(base: BaseKind = "fixed", *, rotation: str = "quaternion", support: Side = "right") -> Model:
    """Humanoid of the extended Newton-Euler walking model: 18 joints, 63.8 kg, 1.70 m.

    The tree starts at the toe of the supporting foot, link 0 of the paper, whose frame lies on the ground at the toe
    joint: x forward, y left, z up. With ``base="fixed"`` the model has the paper's 18 degrees of freedom, with
    ``base="free"`` 24. Joints ``joint1`` to ``joint18`` keep the paper's numbers: 1 to 4 toe, ankle, knee and hip of
    the supporting leg, 5 to 8 hip, knee, ankle and toe of the swing leg, 9 to 11 trunk pitch, yaw and roll, 12 to 14
    shoulder, elbow and wrist of the right arm, 15 to 17 of the left one, 18 neck. The toe joints 1 and 8 are passive.
    The supporting leg, from whose toe the tree starts, is the right one, or the left one with ``support="left"``; the
    names of arms and frames tell the side all the same, those of the bodies of the legs what they do.

    Frames: ``l_sole``, ``r_sole`` under the middle of the whole foot, their corners such as ``l_sole_front_left`` (the
    front ones on the toes), ``l_hand``, ``r_hand``; the body ``head`` is a frame itself. The zero configuration stands
    upright, and so does the reference pose with slightly bent elbows.

    Parameters
    ----------
    base : {"fixed", "free", "planar"}
    rotation : str
        Parametrisation of a free base in q.
    support : {"right", "left"}
        Leg whose toe is link 0; volumes are those of the right one only.

    Notes
    -----
    REAL (Feng et al. 2015, table 1 and text): lengths, masses and viscous friction; legs restricted to the sagittal
    plane; supporting foot made of links 0 and 1, the other foot of links 7 and 8; links 5 and 9 on link 4; joint 11
    rolls the body and carries links 12, 15, 18.

    DERIVED: the tree, from the numbering; the length of the foot is the height of the ankle and the length of the waist
    the distance between the hips, since only so the total height of 1.70 m comes out.

    ESTIMATE: axes of joints 9, 10, 13, 14, 16, 17, 18; centres of mass half-way; moments of cylinders and boxes; foot
    0.24 m x 0.09 m with the ankle 0.06 m before the heel and the toe joint 0.06 m behind the tip; shoulders 0.17 m from
    the middle. The toes have no mass in the paper, but then joint 8 would move no inertia: each takes 0.2 kg of its
    foot's 1.1 kg. The friction of joint 8 is that of a foot. Limits are not stated and not set.
    """
    if support not in tuple(_ACROSS):
        raise UnknownNameError(f"support {support!r} not found{nearest(str(support), _ACROSS)}; expected right or left")
    builder = ModelBuilder("feng18" if support == "right" else "feng18-left", base=base, rotation=rotation)
    width = _ACROSS[support] * _WAIST.length
    _add_legs(builder, width)
    _add_trunk(builder, width)
    for side, first, y in (("r", 12, -_SHOULDER), ("l", 15, _SHOULDER)):
        _add_arm(builder, side, first, y)
    _add_head(builder)
    _add_frames(builder, support)
    for shoulder in (12, 15):
        builder.reference |= {f"joint{shoulder}": 0.1, f"joint{shoulder + 1}": -0.6}
    if support == "right":
        builder.volumes = shipped_volumes("feng18")
    return builder.build()


def _add(
    builder: ModelBuilder,
    number: int,
    parent: str,
    body: str,
    position: Vector,
    axis: Vector,
    damping: float,
    inertia: Inertia,
    shapes: tuple[Shape, ...],
) -> None:
    builder.add_link(body, inertia, **both(shapes))
    passive = number in (1, 8)
    builder.add_joint(
        f"joint{number}",
        "revolute",
        parent,
        body,
        position=position,
        axis=axis,
        damping=damping,
        actuated=not passive,
    )


def _upright(part: _Part, radius: float, direction: float) -> Inertia:
    """Cylinder from the origin up (+1) or down (-1)."""
    return Inertia.of_cylinder(part.mass, radius, part.length, com=(0.0, 0.0, direction * part.length / 2.0))


def _add_legs(builder: ModelBuilder, width: float) -> None:
    """Up the supporting leg, across the waist by `width` along y, down the swing leg."""
    ankle, shank, thigh = _FOOT.length, _LOWER_LEG.length, _UPPER_LEG.length
    toe = Inertia.of_box(
        _TOE_MASS, (_TOE_LENGTH, FOOT_WIDTH, _TOE_HEIGHT), com=(_TOE_LENGTH / 2.0, 0.0, _TOE_HEIGHT / 2.0)
    )
    hind = (_HIND_LENGTH, FOOT_WIDTH, _FOOT.length)
    hind_mass = _FOOT.mass - _TOE_MASS
    waist = Inertia.of_box(_WAIST.mass, (0.10, _WAIST.length, 0.10), com=(0.0, width / 2.0, 0.0))

    builder.add_link("support_toe", toe, **both(_toe_shapes(RED)))
    from_toe = (_HIND_MIDDLE - TOE_JOINT, 0.0, ankle / 2.0)
    from_ankle = (_HIND_MIDDLE, 0.0, -ankle / 2.0)
    _add(builder, 1, "support_toe", "support_foot", (0.0, 0.0, 0.0), _Y, _FOOT.damping,
         Inertia.of_box(hind_mass, hind, com=from_toe), _foot_shapes((-TOE_JOINT, 0.0, ankle)))  # fmt: skip
    _add(builder, 2, "support_foot", "support_shank", (-TOE_JOINT, 0.0, ankle), _Y, _LOWER_LEG.damping,
         _upright(_LOWER_LEG, 0.06, 1.0), _shank_shapes(shank))  # fmt: skip
    _add(builder, 3, "support_shank", "support_thigh", (0.0, 0.0, shank), _Y, _UPPER_LEG.damping,
         _upright(_UPPER_LEG, 0.08, 1.0), _thigh_shapes(thigh))  # fmt: skip
    _add(builder, 4, "support_thigh", "waist", (0.0, 0.0, thigh), _Y, _WAIST.damping,
         waist, (capsule(0.055, (0.0, 0.0, 0.0), (0.0, width, 0.0), GRAPHITE),))  # fmt: skip
    _add(builder, 5, "waist", "swing_thigh", (0.0, width, 0.0), _Y, _UPPER_LEG.damping,
         _upright(_UPPER_LEG, 0.08, -1.0), _thigh_shapes(-thigh))  # fmt: skip
    _add(builder, 6, "swing_thigh", "swing_shank", (0.0, 0.0, -thigh), _Y, _LOWER_LEG.damping,
         _upright(_LOWER_LEG, 0.06, -1.0), _shank_shapes(-shank))  # fmt: skip
    _add(builder, 7, "swing_shank", "swing_foot", (0.0, 0.0, -shank), _Y, _FOOT.damping,
         Inertia.of_box(hind_mass, hind, com=from_ankle), _foot_shapes((0.0, 0.0, 0.0)))  # fmt: skip
    _add(builder, 8, "swing_foot", "swing_toe", (TOE_JOINT, 0.0, -ankle), _Y, _FOOT.damping,
         toe, _toe_shapes(BLUE))  # fmt: skip


def _add_trunk(builder: ModelBuilder, width: float) -> None:
    rows = (
        (9, "waist", "lower_body", (0.0, width / 2.0, 0.0), _Y, _LOWER_BODY),
        (10, "lower_body", "middle_body", (0.0, 0.0, _LOWER_BODY.length), _Z, _MIDDLE_BODY),
        (11, "middle_body", "upper_body", (0.0, 0.0, _MIDDLE_BODY.length), _X, _UPPER_BODY),
    )
    for number, parent, body, position, axis, part in rows:
        inertia = _upright(part, 0.12, 1.0)
        _add(builder, number, parent, body, position, axis, part.damping, inertia, _TRUNK_SHAPES[body])


def _add_head(builder: ModelBuilder) -> None:
    neck = (0.0, 0.0, _UPPER_BODY.length)
    inertia = _upright(_HEAD, 0.08, 1.0)
    _add(builder, 18, "upper_body", "head", neck, _Y, _HEAD.damping, inertia, _HEAD_SHAPES)


def _add_arm(builder: ModelBuilder, side: str, first: int, y: float) -> None:
    parent, position = "upper_body", (0.0, y, _UPPER_BODY.length)
    parts = (("upper_arm", _UPPER_ARM, SILVER), ("forearm", _LOWER_ARM, SAND), ("hand", _HAND, SAND))
    for number, (name, part, color) in enumerate(parts, start=first):
        body, length = f"{side}_{name}" if name != "hand" else f"{side}_palm", part.length
        radius = {"upper_arm": 0.04, "forearm": 0.034, "hand": 0.027}[name]
        shapes = (
            sphere(1.15 * radius, (0.0, 0.0, 0.0), GRAPHITE),
            capsule(radius, (0.0, 0.0, -0.5 * radius), (0.0, 0.0, radius - length), color),
        )
        _add(builder, number, parent, body, position, _Y, part.damping, _upright(part, 0.035, -1.0), shapes)
        parent, position = body, (0.0, 0.0, -length)


def _add_frames(builder: ModelBuilder, support: Side) -> None:
    middle, y = 0.5 * (HEEL + TOE_TIP), FOOT_WIDTH / 2.0
    # Origin of the ankle in the frame of the foot's body: at its toe joint for the supporting foot.
    standing, swinging = ("r", "l") if support == "right" else ("l", "r")
    feet = ((standing, "support", (-TOE_JOINT, 0.0)), (swinging, "swing", (0.0, -_FOOT.length)))
    for side, leg, (x0, z0) in feet:
        builder.add_frame(f"{side}_sole", f"{leg}_foot", pose((x0 + middle, 0.0, z0)))
        for edge, sign in (("left", 1.0), ("right", -1.0)):
            builder.add_frame(f"{side}_sole_rear_{edge}", f"{leg}_foot", pose((x0 + HEEL, sign * y, z0)))
            builder.add_frame(f"{side}_sole_front_{edge}", f"{leg}_toe", pose((_TOE_LENGTH, sign * y, 0.0)))
        builder.add_frame(f"{side}_hand", f"{side}_palm", pose((0.0, 0.0, -_HAND.length / 2.0)))


def _toe_shapes(color: Color) -> tuple[Shape, ...]:
    size = (_TOE_LENGTH, FOOT_WIDTH, _TOE_HEIGHT)
    return (box(size, (_TOE_LENGTH / 2.0, 0.0, _TOE_HEIGHT / 2.0), color),)


def _foot_shapes(ankle: Vector) -> tuple[Shape, ...]:
    """Hind foot; `ankle` is the ankle in the frame of the body."""
    x, y, z = ankle
    sole = box((_HIND_LENGTH, FOOT_WIDTH, 0.035), (x + _HIND_MIDDLE, y, z - _FOOT.length + 0.0175), GRAPHITE)
    return (sole, capsule(0.03, (x, y, z - 0.03), (x, y, z), SILVER))


def _shank_shapes(z: float) -> tuple[Shape, ...]:
    """Shank from the origin to height `z`; the thicker end is the knee."""
    knee, ankle = (z, 0.0) if z > 0.0 else (0.0, z)
    return (
        cylinder(0.05, (0.0, -0.055, knee), (0.0, 0.055, knee), GRAPHITE),
        capsule(0.048, (0.0, 0.0, knee - 0.05), (0.0, 0.0, ankle + 0.09), SILVER),
        capsule(0.036, (0.0, 0.0, ankle + 0.14), (0.0, 0.0, ankle + 0.04), SILVER),
    )


def _thigh_shapes(z: float) -> tuple[Shape, ...]:
    """Thigh from the origin to height `z`."""
    hip, knee = (z, 0.0) if z > 0.0 else (0.0, z)
    return (capsule(0.062, (0.0, 0.0, hip - 0.02), (0.0, 0.0, knee + 0.09), BLUE),)


_TRUNK_SHAPES: dict[str, tuple[Shape, ...]] = {
    "lower_body": (ellipsoid((0.10, 0.13, 0.07), (0.0, 0.0, 0.045), SILVER),),
    "middle_body": (cylinder(0.09, (0.0, 0.0, -0.01), (0.0, 0.0, 0.11), GRAPHITE),),
    "upper_body": (
        box((0.19, 0.25, 0.26), (0.0, 0.0, 0.24), BLUE),
        cylinder(0.105, (0.0, 0.0, 0.0), (0.0, 0.0, 0.12), BLUE),
        capsule(0.045, (0.0, -0.13, 0.385), (0.0, 0.13, 0.385), BLUE),
        cylinder(0.045, (0.0, 0.0, 0.38), (0.0, 0.0, 0.44), SAND),
    ),
}
_HEAD_SHAPES = (
    ellipsoid((0.10, 0.08, 0.115), (0.0, 0.0, 0.125), SAND),
    box((0.05, 0.10, 0.032), (0.085, 0.0, 0.14), BLACK),
)

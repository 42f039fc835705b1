"""HRP-2, the humanoid of Bouyarmane and Kheddar 2012."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tarsus.geometry.shapes import Shape
from tarsus.model.builder import ModelBuilder
from tarsus.model.description import BaseKind
from tarsus.model.model import Model
from tarsus.robots._primitives import (
    BLACK,
    BLUE,
    GRAPHITE,
    SILVER,
    WHITE,
    both,
    box,
    capsule,
    cylinder,
    mirrored,
    moments,
)
from tarsus.robots._volumes import shipped_volumes
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import pose

Vector = tuple[float, float, float]
Moments = tuple[float, float, float, float, float, float]


class _Row(NamedTuple):
    """One joint and the body it carries; offset in the parent, com and moments in the own link frame."""

    offset: Vector
    axis: str
    q_min_deg: float
    q_max_deg: float
    v_max: float
    tau_max: float
    gear: float
    rotor: float
    half_sitting: float
    mass: float
    com: Vector
    moments: Moments


# Right leg: hip yaw, roll, pitch, knee, ankle pitch, roll.
_LEG = (
    _Row((0.0, -0.06, 0.0), "z", -45.0, 30.0, 3.54108, 86.0, 384.0, 1.01e-5, 0.0,
         1.16852, (-0.01037928, 0.00484329, 0.06490147),
         (0.00285998, 0.00352974, 0.00145427, -1.434e-05, -0.00055582, 8.85e-06)),
    _Row((0.0, 0.0, 0.0), "x", -35.0, 20.0, 3.80952, 175.0, 240.0, 6.96e-6, 0.0,
         0.80553, (-0.00039826, -0.02612872, -0.00292156),
         (0.00126683, 0.00050656, 0.00132021, 1.211e-05, 1.64e-06, 6.938e-05)),
    _Row((0.0, 0.0, 0.0), "y", -125.0, 42.0, 4.42233, 151.0, 180.0, 1.34e-5, -0.453786,
         2.07632, (0.00345946, -0.07794217, -0.151684),
         (0.02619757, 0.0249235, 0.00376439, -3.954e-05, 0.00057351, 0.00067008)),
    _Row((0.0, 0.0, -0.3), "y", -2.0, 150.0, 3.9801, 168.0, 200.0, 1.34e-5, 0.872665,
         1.74762, (0.01798781, -0.05791638, -0.13839018),
         (0.02232685, 0.02250598, 0.00455443, -9.393e-05, -0.00224776, -0.00074526)),
    _Row((0.0, -0.035, -0.3), "y", -75.0, 42.0, 5.07937, 131.0, 180.0, 6.96e-6, -0.418879,
         0.65375, (0.00827083, -0.00133301, -0.002418),
         (0.00027773, 0.00078966, 0.00086039, -5.26e-06, 1.354e-05, -3.59e-06)),
    _Row((0.0, 0.0, 0.0), "x", -20.0, 35.0, 9.14286, 73.0, 100.0, 6.96e-6, 0.0,
         1.63877, (-0.00066419, -0.00468922, -0.0653813),
         (0.00400076, 0.00687611, 0.00711516, 9.983e-05, 0.00079295, -0.00018541)),
)  # fmt: skip

# Waist yaw, pitch.
_CHEST = (
    _Row((0.032, 0.0, 0.3477), "z", -45.0, 45.0, 4.40217, 151.0, 207.69, 6.96e-6, 0.0,
         0.78636922, (-0.01580159, 0.00529544, -0.02519634),
         (0.00181617, 0.00185079, 0.00233207, -7.322e-05, -0.00027731, -0.00010749)),
    _Row((0.0, 0.0, 0.0), "y", -5.0, 60.0, 2.3963, 278.0, 381.54, 6.96e-6, 0.0,
         11.52457, (-0.02904963, 0.00716411, 0.12102458),
         (0.16047572, 0.13684576, 0.18166852, -0.00135932, -0.00414493, 0.00388037)),
)  # fmt: skip

# Neck yaw, pitch.
_HEAD = (
    _Row((-0.007, 0.0, 0.2973), "z", -45.0, 45.0, 6.87679, 9.6, 100.0, 1.1e-6, 0.0,
         0.37476648, (-0.00087533, 0.00426199, -0.00802747),
         (0.00039945, 0.00022558, 0.00036246, -9.9e-07, 2.26e-06, -1.181e-05)),
    _Row((0.0, 0.0, 0.0), "y", -30.0, 45.0, 6.87679, 9.6, 100.0, 1.1e-6, 0.0,
         0.99335475, (0.01298846, 8.605e-05, 0.07876058),
         (0.00539717, 0.00457493, 0.00590682, -2.165e-05, 0.0006933, -6.372e-05)),
)  # fmt: skip

# Right arm: shoulder pitch, roll, yaw, elbow, wrist yaw, pitch, gripper.
_ARM = (
    _Row((0.008, -0.25, 0.181), "y", -180.0, 60.0, 4.17044, 160.0, 219.23, 6.96e-6, 0.261799,
         0.81007573, (-0.00989448, 0.0464526, -0.00015316),
         (0.00221115, 0.00184189, 0.00344772, -0.00030424, 1.47e-06, 4.667e-05)),
    _Row((0.0, 0.0, 0.0), "x", -95.0, 10.0, 2.4192, 100.0, 231.25, 6.6e-6, -0.17453,
         1.03448, (-0.01056459, -0.01204295, -0.00948156),
         (0.00122098, 0.00172216, 0.00161319, 0.00028119, 9.407e-05, 0.00012041)),
    _Row((0.0, 0.0, 0.0), "z", -92.0, 92.0, 4.15699, 48.0, 266.67, 1.0e-6, 0.0,
         1.59929, (-0.00543072, -0.00479797, -0.16687163),
         (0.00973049, 0.00970372, 0.00135331, -5.133e-05, -0.00019918, 0.00013747)),
    _Row((0.0, 0.0, -0.25), "y", -137.0, 2.0, 2.23776, 108.0, 250.0, 6.6e-6, -0.523599,
         0.77724995, (-9.27e-06, -0.01616837, -0.06270155),
         (0.00232668, 0.00212476, 0.00056363, 7.0e-08, -3.1e-07, 0.00015097)),
    _Row((0.0, 0.0, -0.25), "z", -92.0, 92.0, 4.72794, 13.9, 145.45, 1.1e-6, 0.0,
         0.55466858, (-0.00344863, -0.00361759, 0.04149589),
         (0.00132104, 0.0011992, 0.00031715, 1.646e-05, 4.66e-05, -0.00011959)),
    _Row((0.0, 0.0, 0.0), "y", -92.0, 92.0, 3.16727, 63.0, 350.0, 1.0e-6, 0.0,
         0.71190207, (-0.00072395, 0.00179195, -0.07318519),
         (0.00182453, 0.00175065, 0.00044863, 4.57e-06, -0.00013613, -9.446e-05)),
    _Row((0.0219, 0.0, -0.08525), "y", -60.0, 16.0, 5.68126, 3.0, 200.0, 1.0e-6, 0.1,
         0.0861273, (-0.00186922, -0.00409488, -0.03011865),
         (9.887e-05, 9.524e-05, 1.502e-05, -7.5e-07, -8.1e-06, -1.281e-05)),
)  # fmt: skip

_BODY = Inertia(
    15.02949,
    np.array([-0.01435142, 1.2e-07, 0.2200769]),
    moments(0.16102617, 0.09528, 0.19191383, -2.7e-07, 0.00070696, -1.9e-07),
)
_BASE_HEIGHT = 0.648702
_SOLE_BELOW_ANKLE = 0.105
_SOLE_X = (-0.1, 0.13)
_SOLE_Y_RIGHT = (-0.075, 0.056)
_FINGERTIPS = 0.157
"""From the wrist to the tips of the fingers [m]."""
_KNEECAP = (0.075, -0.06, -0.04)
"""Upper end of the plate in front of the right shin, in its link [m]."""
_INTO_SHIN = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
"""Axes of the frame of a knee in the shin: x up the shin, z to its back."""
_AXES: dict[str, Vector] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def hrp2(base: BaseKind = "free", *, rotation: str = "quaternion", armature: bool = True) -> Model:
    """HRP-2: 30 joints, 56.04 kg, 1.54 m.

    Joints keep their published names (``RLEG_JOINT0`` hip yaw ... ``LARM_JOINT6`` gripper); ``RLEG_JOINT0`` carries
    the body ``RLEG_LINK0`` and so on, and the root is ``BODY``. All link frames are parallel at the zero
    configuration: x forward, y left, z up. Frames: ``l_sole``, ``r_sole`` at the centre of the contact rectangle,
    its corners such as ``l_sole_front_left``, ``l_hand``, ``r_hand`` between the fingers, ``head``. By which it may
    lean on things: ``l_palm``, ``r_palm`` at the tips of the fingers, z up the forearm, and ``l_knee``, ``r_knee`` at
    the upper end of the plate in front of the shin, z into the shin and x towards the thigh.

    The reference pose is half-sitting with both soles on the ground.

    Parameters
    ----------
    base : {"free", "fixed", "planar"}
    rotation : str
        Parametrisation of a free base in q.
    armature : bool
        Include the reflected inertia of the rotors, gear^2 x rotor inertia: between 0.004 and 1.5 kg m^2 a joint.
        A geared robot without it is wrong by more than these values are uncertain, so it is there by default;
        False gives the bare links.

    Notes
    -----
    REAL: tree, offsets, axes, position limits, masses, centres of mass and moments (about the centre of mass, link
    axes) as in the HRP-2 model distributed with Klamp't (Hauser); rate and torque limits, gear ratios, half-sitting
    pose and contact rectangle as used at LAAS (Del Prete 2015). The total mass is 56.04 kg; the robot with its
    battery is given as 58 kg (Kaneko et al. 2004).

    DERIVED: the sources carry rotor inertias with two different powers of ten. Their mantissas match motor data
    sheets if hip yaw, hip pitch and knee are read as x 1e-5 and all others as x 1e-6 kg m^2; that reading is used.
    The published left arm is the mirror image of the right one except for the offset of the gripper
    (-0.095 m against -0.08525 m) and for centre of mass and moments of the wrist link; these look like slips, so the
    whole left side is the mirror image of the right side here.

    ESTIMATE: shapes, the frames of hands, palms and knees, and the 0.19 m from neck to crown that make the upright
    robot 1.54 m high.
    """
    builder = ModelBuilder("hrp2", base=base, rotation=rotation)
    builder.add_link("BODY", _BODY, **both(_BODY_SHAPES))
    _add_chain(builder, "RLEG", "BODY", _LEG, _LEG_SHAPES, armature)
    _add_chain(builder, "LLEG", "BODY", _mirror(_LEG), tuple(map(mirrored, _LEG_SHAPES)), armature)
    _add_chain(builder, "CHEST", "BODY", _CHEST, _CHEST_SHAPES, armature)
    _add_chain(builder, "HEAD", "CHEST_LINK1", _HEAD, _HEAD_SHAPES, armature)
    _add_chain(builder, "RARM", "CHEST_LINK1", _ARM, _ARM_SHAPES, armature)
    _add_chain(builder, "LARM", "CHEST_LINK1", _mirror(_ARM), tuple(map(mirrored, _ARM_SHAPES)), armature)
    _add_frames(builder)
    if base != "fixed":
        builder.reference["base.z"] = _BASE_HEIGHT
    builder.volumes = shipped_volumes("hrp2")
    return builder.build()


def _mirror(rows: tuple[_Row, ...]) -> tuple[_Row, ...]:
    """Reflect a limb at the x-z plane; rolls and yaws change sign, pitches do not."""
    return tuple(_mirrored_row(row) for row in rows)


def _mirrored_row(row: _Row) -> _Row:
    xx, yy, zz, xy, xz, yz = row.moments
    row = row._replace(
        offset=(row.offset[0], -row.offset[1], row.offset[2]),
        com=(row.com[0], -row.com[1], row.com[2]),
        moments=(xx, yy, zz, -xy, xz, -yz),
    )
    if row.axis == "y":
        return row
    return row._replace(q_min_deg=-row.q_max_deg, q_max_deg=-row.q_min_deg, half_sitting=-row.half_sitting)


def _add_chain(
    builder: ModelBuilder,
    prefix: str,
    parent: str,
    rows: tuple[_Row, ...],
    shapes: tuple[tuple[Shape, ...], ...],
    armature: bool,
) -> None:
    for i, row in enumerate(rows):
        link, joint = f"{prefix}_LINK{i}", f"{prefix}_JOINT{i}"
        builder.add_link(link, Inertia(row.mass, np.array(row.com), moments(*row.moments)), **both(shapes[i]))
        builder.add_joint(
            joint,
            "revolute",
            parent,
            link,
            position=row.offset,
            axis=_AXES[row.axis],
            q_min=float(np.radians(row.q_min_deg)),
            q_max=float(np.radians(row.q_max_deg)),
            v_max=row.v_max,
            tau_max=row.tau_max,
            armature=row.gear**2 * row.rotor if armature else 0.0,
        )
        builder.reference[joint] = row.half_sitting
        parent = link


def _add_frames(builder: ModelBuilder) -> None:
    for side, prefix, sign in (("r", "R", 1.0), ("l", "L", -1.0)):
        y_right, y_left = sorted(sign * y for y in _SOLE_Y_RIGHT)
        foot, z = f"{prefix}LEG_LINK5", -_SOLE_BELOW_ANKLE
        builder.add_frame(f"{side}_sole", foot, pose((sum(_SOLE_X) / 2.0, (y_right + y_left) / 2.0, z)))
        for end, x in (("rear", _SOLE_X[0]), ("front", _SOLE_X[1])):
            builder.add_frame(f"{side}_sole_{end}_left", foot, pose((x, y_left, z)))
            builder.add_frame(f"{side}_sole_{end}_right", foot, pose((x, y_right, z)))
        builder.add_frame(f"{side}_hand", f"{prefix}ARM_LINK5", pose((0.0, 0.0, -0.12)))
        builder.add_frame(f"{side}_palm", f"{prefix}ARM_LINK5", pose((0.0, 0.0, -_FINGERTIPS)))
        kneecap = (_KNEECAP[0], sign * _KNEECAP[1], _KNEECAP[2])
        builder.add_frame(f"{side}_knee", f"{prefix}LEG_LINK3", pose(kneecap, _INTO_SHIN))
    builder.add_frame("head", "HEAD_LINK1", pose((0.0, 0.0, 0.09)))


_BODY_SHAPES = (
    box((0.20, 0.24, 0.13), (-0.02, 0.0, 0.195), SILVER),
    box((0.15, 0.20, 0.06), (-0.01, 0.0, 0.115), GRAPHITE),
    cylinder(0.06, (0.02, 0.0, 0.25), (0.03, 0.0, 0.325), GRAPHITE),
)
_LEG_SHAPES: tuple[tuple[Shape, ...], ...] = (
    (cylinder(0.042, (0.0, 0.0, 0.03), (0.0, 0.0, 0.095), SILVER),),
    (cylinder(0.042, (-0.06, 0.0, 0.0), (0.04, 0.0, 0.0), GRAPHITE),),
    (
        cylinder(0.055, (0.0, -0.03, 0.0), (0.0, -0.12, 0.0), BLUE),
        box((0.11, 0.07, 0.24), (0.0, -0.077, -0.135), SILVER),
    ),
    (
        cylinder(0.055, (0.0, -0.02, 0.0), (0.0, -0.12, 0.0), BLUE),
        box((0.10, 0.07, 0.24), (0.01, -0.06, -0.14), SILVER),
        box((0.02, 0.06, 0.18), (0.065, -0.06, -0.13), GRAPHITE),
    ),
    (cylinder(0.04, (0.0, -0.04, 0.0), (0.0, 0.04, 0.0), GRAPHITE),),
    (
        box((0.09, 0.08, 0.05), (-0.01, -0.0095, -0.045), GRAPHITE),
        box((0.23, 0.131, 0.035), (0.015, -0.0095, -0.0875), BLUE),
    ),
)
_CHEST_SHAPES: tuple[tuple[Shape, ...], ...] = (
    (cylinder(0.065, (-0.01, 0.0, -0.02), (-0.01, 0.0, 0.015), GRAPHITE),),
    (
        box((0.20, 0.30, 0.15), (-0.01, 0.0, 0.18), SILVER),
        box((0.17, 0.24, 0.09), (-0.015, 0.0, 0.065), GRAPHITE),
        box((0.02, 0.16, 0.08), (0.095, 0.0, 0.185), BLUE),
        box((0.11, 0.28, 0.26), (-0.16, 0.0, 0.13), WHITE),
        cylinder(0.04, (-0.007, 0.0, 0.24), (-0.007, 0.0, 0.285), GRAPHITE),
    ),
)
_HEAD_SHAPES: tuple[tuple[Shape, ...], ...] = (
    (cylinder(0.035, (0.0, 0.0, -0.02), (0.0, 0.0, 0.02), GRAPHITE),),
    (
        box((0.16, 0.15, 0.10), (0.005, 0.0, 0.075), SILVER),
        box((0.12, 0.12, 0.065), (-0.01, 0.0, 0.1575), SILVER),
        box((0.02, 0.13, 0.045), (0.088, 0.0, 0.09), BLACK),
        cylinder(0.03, (0.0, -0.085, 0.08), (0.0, 0.085, 0.08), BLUE),
    ),
)
_ARM_SHAPES: tuple[tuple[Shape, ...], ...] = (
    (cylinder(0.05, (0.0, 0.10, 0.0), (0.0, 0.02, 0.0), GRAPHITE),),
    (box((0.10, 0.09, 0.11), (0.0, -0.01, 0.0), BLUE),),
    (
        cylinder(0.042, (0.0, 0.0, -0.055), (0.0, 0.0, -0.12), GRAPHITE),
        box((0.085, 0.085, 0.11), (0.0, 0.0, -0.165), SILVER),
    ),
    (
        cylinder(0.042, (0.0, -0.045, 0.0), (0.0, 0.045, 0.0), GRAPHITE),
        box((0.075, 0.07, 0.12), (0.0, -0.005, -0.10), SILVER),
    ),
    (cylinder(0.032, (0.0, 0.0, -0.03), (0.0, 0.0, 0.10), GRAPHITE),),
    (
        box((0.055, 0.06, 0.06), (-0.005, 0.0, -0.06), SILVER),
        capsule(0.012, (-0.022, -0.015, -0.09), (-0.022, -0.015, -0.145), GRAPHITE),
        capsule(0.012, (-0.022, 0.015, -0.09), (-0.022, 0.015, -0.145), GRAPHITE),
    ),
    (capsule(0.012, (0.0, 0.0, 0.0), (0.0, 0.0, -0.06), BLUE),),
)

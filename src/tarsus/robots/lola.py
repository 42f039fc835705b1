"""Lola, the walking robot of Buschmann 2014, without drive bodies, with rigid or with elastic gears."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from tarsus.errors import ArgumentError, UnknownNameError, nearest
from tarsus.geometry.shapes import Shape
from tarsus.model.builder import ModelBuilder
from tarsus.model.description import BaseKind
from tarsus.model.model import Model
from tarsus.robots._lola_drives import AXES, ELASTIC, GEAR, add_elastic_gear, add_rotors, without_drives
from tarsus.robots._primitives import (
    BLACK,
    CYAN,
    GRAPHITE,
    SILVER,
    WHITE,
    both,
    box,
    capsule,
    cylinder,
    mirrored,
    moments,
    sphere,
)
from tarsus.robots._volumes import shipped_volumes
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import pose

Vector = tuple[float, float, float]
Drives = Literal["rigid", "elastic"]


class _Row(NamedTuple):
    """One joint and the body it carries; offset in the parent, com and principal moments in the own link frame."""

    joint: str
    body: str
    parent: str
    offset: Vector
    axis: str
    q_min_deg: float
    q_max_deg: float
    tau_max: float
    rotor: float
    mass: float
    com: Vector
    moments: Vector


_ROWS = (
    _Row("tbr", "pelvis_yaw", "torso", (0.0, 0.0, -0.02), "+z", -19.4, 19.4, 180.0, 3e-5,
         1.0, (0.0, 0.0, -0.03), (0.003, 0.0019333, 0.0043333)),
    _Row("tba", "pelvis", "pelvis_yaw", (0.0, 0.0, -0.05), "+x", -15.1, 14.7, 180.0, 3e-5,
         4.0, (-0.01, 0.0, 0.0), (0.0258667, 0.0118667, 0.0310667)),
    _Row("thrr", "r_hip_yaw", "pelvis", (0.0, -0.12, 0.0), "+z", -26.1, 24.7, 180.0, 3e-5,
         1.2, (0.0, 0.0, -0.01), (0.00244, 0.00244, 0.00288)),
    _Row("thar", "r_hip", "r_hip_yaw", (0.0, 0.0, 0.0), "-x", -34.5, 40.4, 180.0, 3e-5,
         1.6, (-0.01, 0.0, 0.0), (0.00384, 0.0045333, 0.0045333)),
    _Row("thfr", "r_thigh", "r_hip", (0.0, 0.0, 0.0), "+y", -92.0, 44.9, 300.0, 5e-5,
         7.2, (0.01, -0.01, -0.16), (0.1176, 0.1176, 0.02352)),
    _Row("tkfr", "r_shank", "r_thigh", (0.0, 0.0, -0.43), "+y", -4.5, 120.0, 300.0, 5e-5,
         2.7, (0.01, 0.0, -0.18), (0.04194, 0.04194, 0.0045)),
    _Row("tsar", "r_ankle", "r_shank", (0.0, 0.0, -0.43), "-x", -23.5, 23.9, 180.0, 3e-5,
         0.3, (0.0, 0.0, 0.0), (0.00018, 0.00018, 0.00018)),
    _Row("tsfr", "r_foot", "r_ankle", (0.0, 0.0, 0.0), "+y", -49.0, 43.8, 180.0, 3e-5,
         1.2, (0.02, 0.0, -0.06), (0.00136, 0.00436, 0.005)),
    _Row("tzfr", "r_toe", "r_foot", (0.115, 0.0, -0.08), "+y", -49.5, 14.3, 30.0, 5e-6,
         0.3, (0.03, 0.0, -0.005), (0.0002725, 0.000145, 0.0003725)),
    _Row("thrl", "l_hip_yaw", "pelvis", (0.0, 0.12, 0.0), "+z", -24.3, 25.7, 180.0, 3e-5,
         1.2, (0.0, 0.0, -0.01), (0.00244, 0.00244, 0.00288)),
    _Row("thal", "l_hip", "l_hip_yaw", (0.0, 0.0, 0.0), "+x", -31.3, 38.1, 180.0, 3e-5,
         1.6, (-0.01, 0.0, 0.0), (0.00384, 0.0045333, 0.0045333)),
    _Row("thfl", "l_thigh", "l_hip", (0.0, 0.0, 0.0), "-y", -44.0, 91.3, 300.0, 5e-5,
         7.2, (0.01, 0.01, -0.16), (0.1176, 0.1176, 0.02352)),
    _Row("tkfl", "l_shank", "l_thigh", (0.0, 0.0, -0.43), "-y", -119.5, 4.4, 300.0, 5e-5,
         2.7, (0.01, 0.0, -0.18), (0.04194, 0.04194, 0.0045)),
    _Row("tsal", "l_ankle", "l_shank", (0.0, 0.0, -0.43), "+x", -23.0, 24.5, 180.0, 3e-5,
         0.3, (0.0, 0.0, 0.0), (0.00018, 0.00018, 0.00018)),
    _Row("tsfl", "l_foot", "l_ankle", (0.0, 0.0, 0.0), "-y", -44.0, 48.0, 180.0, 3e-5,
         1.2, (0.02, 0.0, -0.06), (0.00136, 0.00436, 0.005)),
    _Row("tzfl", "l_toe", "l_foot", (0.115, 0.0, -0.08), "-y", -15.8, 48.8, 30.0, 5e-6,
         0.3, (0.03, 0.0, -0.005), (0.0002725, 0.000145, 0.0003725)),
    _Row("tafr", "r_shoulder", "torso", (0.0, -0.22, 0.44), "+y", -170.0, 60.0, 60.0, 3e-5,
         0.6, (0.0, -0.02, 0.0), (0.00082, 0.001, 0.00082)),
    _Row("taar", "r_upper_arm", "r_shoulder", (0.0, -0.02, 0.0), "+x", -120.0, 1.5, 60.0, 3e-5,
         1.6, (0.0, 0.0, -0.13), (0.01308, 0.01308, 0.00216)),
    _Row("tefr", "r_forearm", "r_upper_arm", (0.0, 0.0, -0.3), "+y", -120.0, 5.0, 60.0, 3e-5,
         1.3, (0.0, 0.0, -0.16), (0.0116242, 0.0116242, 0.0010617)),
    _Row("tafl", "l_shoulder", "torso", (0.0, 0.22, 0.44), "-y", -60.0, 170.0, 60.0, 3e-5,
         0.6, (0.0, 0.02, 0.0), (0.00082, 0.001, 0.00082)),
    _Row("taal", "l_upper_arm", "l_shoulder", (0.0, 0.02, 0.0), "-x", -120.0, 1.5, 60.0, 3e-5,
         1.6, (0.0, 0.0, -0.13), (0.01308, 0.01308, 0.00216)),
    _Row("tefl", "l_forearm", "l_upper_arm", (0.0, 0.0, -0.3), "-y", -5.0, 120.0, 60.0, 3e-5,
         1.3, (0.0, 0.0, -0.16), (0.0116242, 0.0116242, 0.0010617)),
    _Row("tvp", "neck", "torso", (0.0, 0.0, 0.58), "+z", -113.0, 113.0, 10.0, 5e-6,
         0.3, (0.0, 0.0, 0.03), (0.00018, 0.00018, 0.00018)),
    _Row("tvt", "head", "neck", (0.0, 0.0, 0.06), "+y", -51.0, 11.0, 10.0, 5e-6,
         0.7, (0.03, 0.0, 0.05), (0.0030333, 0.0017267, 0.0024733)),
)  # fmt: skip

_TORSO = Inertia(18.0, np.array([-0.02, 0.0, 0.24]), np.diag([0.6108, 0.51, 0.246]))
_THIGH = _SHANK = 0.43
_HIP_BELOW_TORSO = 0.07
_SOLE_BELOW_ANKLE = 0.10
_HEEL, _TOE_JOINT, _TOE_TIP = -0.075, 0.115, 0.185
_FOOT_HALF_WIDTH = 0.055
_LEG_BEND = 0.3


def lola(
    base: BaseKind = "free", *, rotation: str = "quaternion", armature: bool = True, drives: Drives | None = None
) -> Model:
    """Lola: 24 joints, 60 kg, 1.80 m; 30 degrees of freedom with a free base, 46 with elastic gears.

    Joints have the robot's own names, which end in r (right) and l (left): tbr, tba pelvis rotation and adduction;
    thr, tha, thf hip rotation, adduction, flexion; tkf knee; tsa, tsf ankle adduction and flexion; tzf toe; taf, taa
    shoulder flexion and adduction; tef elbow; tvp, tvt head pan and tilt. Flexion axes point along +y on the right and
    -y on the left side, adduction axes are mirrored as well; hip adduction is positive and shoulder adduction negative
    outwards. All link frames are parallel at the zero configuration: x forward, y left, z up.

    Frames: ``l_sole``, ``r_sole`` under the middle of the whole foot, corners such as ``l_sole_front_left`` (the front
    ones on the toe body), ``l_hand``, ``r_hand``; the body ``head`` is a frame itself.

    The reference pose stands with bent knees and level feet below the hips, upper arms 10 degrees outwards.

    Parameters
    ----------
    base : {"free", "fixed", "planar"}
    rotation : str
        Parametrisation of a free base in q.
    armature : bool
        Without drive bodies: include the reflected inertia of the rotors (gear^2 x rotor inertia). False gives the bare
        links.
    drives : {None, "rigid", "elastic"}
        The drives as bodies (Buschmann 2014, section 3.4.2 and figures 3.9 and 3.13), see below.

    Notes
    -----
    Drives. ``"rigid"``: 24 rotors on the segments before their joints, 49 bodies. Every rotor closes a loop with its
    gear that is eliminated: 30 degrees of freedom, and q, v and tau mean what they mean without drives. A motor
    ``<joint>_motor`` with the body ``<joint>_rotor`` turns 100 times as fast as its joint. The two ankle joints of a
    leg are driven in parallel by an inner and an outer motor, ``amir`` and ``amor`` (``amil`` and ``amol``), with
    rods behind the ankle: q_amir = 100 q_tsfr - 70 q_tsar and q_amor = 100 q_tsfr + 70 q_tsar, adduction with the
    other sign on the left. Drives are taken out of the segments that hold them, so that the robot with rotors that do
    not turn in them is that with ``armature=False``. What rotors add is more than armature: their spin couples to the
    turning of the segment that holds them.

    ``"elastic"``: 16 gears are springs. Such a joint becomes two: ``<joint>`` leads from the segment before it to the
    output of the gear, the body ``<joint>_gear``, and is the angle of the motor divided by 100, on which tau acts;
    ``<joint>_elastic`` leads from there to the segment and is the deflection of the gear, with its stiffness and
    damping, without drive. This says the same as a torque k (q_motor / 100 - q_segment) between motor and segment, in
    joint springs alone, which `passive=True` includes. 65 bodies and 46 degrees of freedom. Screw drives (knee and
    ankle) are stiff and stay rigid, as do those of the head. With the torso fixed and the motors held, the
    deflections vibrate from 8 Hz (pelvis and legs, sideways) over 14 to 60 Hz (hips and shoulders) and 80 to 140 Hz
    (hip rotation and elbows) to 790 Hz (toes).

    REAL: the list of joints, their order and tree, and the position limits (hardware limits, measured in 2011 by Favot
    and Schwienbacher), from the interface description published by the Chair of Applied Mechanics, TU Munich
    (MIT licence, 2017). The controller stays 5 degrees inside these limits (2 degrees at the upper limit of shoulder
    adduction), and its zero pose has the hips at +10 and the shoulders at -10 degrees of adduction. With the lengths
    below that would put the feet 0.54 m apart, so the reference pose takes over the shoulders only.

    DERIVED: signs of the axes, from limits that are negated (flexion) or equal (adduction) on the two sides.

    REAL of the drives: their number; that two ankle motors act in parallel; 46 degrees of freedom with elastic gears,
    of which the screw-driven joints have none of their own. DERIVED: two further joints have none, since 46 = 30 +
    16; which ones is not published, and the head's are taken. The text speaks of 25 driven joints, the list of joints
    has 24.

    ESTIMATE: lengths, masses, centres of mass and moments, tuned to 60 kg and 1.80 m; torques scaled by the current
    limits of the motors; gear ratio 100 and rotor inertias of 5e-5, 3e-5 and 5e-6 kg m^2 by motor size; shapes. Joint
    rates are not published and not limited here. Of the drives: their places, masses (0.25, 0.18 and 0.04 kg a rotor,
    0.20 to 0.03 kg a gear output) and senses of turning, screws with motors along thigh and shank; constant ratios of
    the screws, which really vary with the angle, and lever arms of the ankle of 50 mm (flexion) and 35 mm
    (adduction); stiffnesses of 3e4 (hip flexion), 2e4 and, in arms and toes, 1e4 N m/rad; damping of 0.5 ms times
    stiffness; deflections limited to those at twice tau_max.
    """
    if drives not in (None, "rigid", "elastic"):
        raise UnknownNameError(f"drives {drives!r} not found{nearest(drives, ('rigid', 'elastic'))}")
    if drives is not None and not armature:
        raise ArgumentError(
            f"armature=False found with drives={drives!r}, whose rotors are bodies; expected drives=None"
        )
    inertias = _inertias(drives)
    builder = ModelBuilder("lola", base=base, rotation=rotation)
    builder.add_link("torso", inertias["torso"], **both(_SHAPES["torso"]))
    for row in _ROWS:
        builder.add_link(row.body, inertias[row.body], **both(_shapes(row)))
        carried = row.body
        if drives == "elastic" and row.joint in ELASTIC:
            carried = add_elastic_gear(builder, row.joint, row.body, row.axis, row.tau_max)
        builder.add_joint(
            row.joint,
            "revolute",
            row.parent,
            carried,
            position=row.offset,
            axis=AXES[row.axis],
            q_min=float(np.radians(row.q_min_deg)),
            q_max=float(np.radians(row.q_max_deg)),
            tau_max=row.tau_max,
            armature=GEAR**2 * row.rotor if armature and drives is None else 0.0,
        )
    if drives is not None:
        add_rotors(builder)
    _add_frames(builder)
    builder.reference.update(_reference())
    if base != "fixed":
        height = _SOLE_BELOW_ANKLE + (_THIGH + _SHANK) * np.cos(_LEG_BEND) + _HIP_BELOW_TORSO
        builder.reference["base.z"] = float(height)
    builder.volumes = shipped_volumes("lola")
    return builder.build()


def _inertias(drives: Drives | None) -> dict[str, Inertia]:
    inertias = {row.body: Inertia(row.mass, np.array(row.com), moments(*row.moments)) for row in _ROWS}
    inertias["torso"] = _TORSO
    if drives is None:
        return inertias
    return without_drives(inertias, {row.joint: (row.body, row.axis) for row in _ROWS}, drives == "elastic")


def _reference() -> dict[str, float]:
    """Equal thigh and shank lengths: ankles below the hips and level feet for (-bend, 2 bend, -bend)."""
    right = {"thfr": -_LEG_BEND, "tkfr": 2.0 * _LEG_BEND, "tsfr": -_LEG_BEND, "tafr": 0.15, "tefr": -0.6}
    left = {f"{name[:-1]}l": -value for name, value in right.items()}
    outwards = {name: float(np.radians(-10.0)) for name in ("taar", "taal")}
    return right | left | outwards


def _add_frames(builder: ModelBuilder) -> None:
    z, y = -_SOLE_BELOW_ANKLE, _FOOT_HALF_WIDTH
    z_toe = z - _row_of("tzfr").offset[2]
    for side in ("r", "l"):
        builder.add_frame(f"{side}_sole", f"{side}_foot", pose(((_HEEL + _TOE_TIP) / 2.0, 0.0, z)))
        for edge, sign in (("left", 1.0), ("right", -1.0)):
            builder.add_frame(f"{side}_sole_rear_{edge}", f"{side}_foot", pose((_HEEL, sign * y, z)))
            tip = pose((_TOE_TIP - _TOE_JOINT, sign * y, z_toe))
            builder.add_frame(f"{side}_sole_front_{edge}", f"{side}_toe", tip)
        builder.add_frame(f"{side}_hand", f"{side}_forearm", pose((0.0, 0.0, -0.31)))


def _row_of(joint: str) -> _Row:
    return next(row for row in _ROWS if row.joint == joint)


def _shapes(row: _Row) -> tuple[Shape, ...]:
    """Shapes of a body; limbs are drawn once, for the right side."""
    if row.body.startswith("l_"):
        return mirrored(_SHAPES["r_" + row.body[2:]])
    return _SHAPES[row.body]


_SHAPES: dict[str, tuple[Shape, ...]] = {
    "torso": (
        box((0.16, 0.30, 0.22), (-0.01, 0.0, 0.37), WHITE),
        box((0.13, 0.22, 0.20), (-0.01, 0.0, 0.17), SILVER),
        box((0.12, 0.24, 0.34), (-0.14, 0.0, 0.30), GRAPHITE),
        box((0.015, 0.20, 0.10), (0.075, 0.0, 0.40), CYAN),
        cylinder(0.055, (0.0, 0.0, 0.0), (0.0, 0.0, 0.08), GRAPHITE),
        cylinder(0.045, (0.0, -0.17, 0.44), (0.0, 0.17, 0.44), GRAPHITE),
        cylinder(0.035, (0.0, 0.0, 0.47), (0.0, 0.0, 0.56), GRAPHITE),
    ),
    "pelvis_yaw": (cylinder(0.07, (0.0, 0.0, -0.03), (0.0, 0.0, 0.02), SILVER),),
    "pelvis": (
        box((0.12, 0.20, 0.06), (-0.02, 0.0, 0.02), WHITE),
        box((0.08, 0.28, 0.05), (-0.03, 0.0, 0.055), SILVER),
    ),
    "r_hip_yaw": (cylinder(0.05, (0.0, 0.0, 0.02), (0.0, 0.0, 0.095), GRAPHITE),),
    "r_hip": (cylinder(0.052, (-0.09, 0.0, 0.0), (0.03, 0.0, 0.0), SILVER),),
    "r_thigh": (
        cylinder(0.065, (0.0, 0.045, 0.0), (0.0, -0.075, 0.0), CYAN),
        capsule(0.06, (0.005, -0.01, -0.09), (0.0, -0.005, -0.28), WHITE),
        box((0.105, 0.10, 0.14), (-0.005, -0.005, -0.31), SILVER),
    ),
    "r_shank": (
        cylinder(0.052, (0.0, 0.06, 0.0), (0.0, -0.06, 0.0), GRAPHITE),
        capsule(0.045, (0.005, 0.0, -0.06), (0.0, 0.0, -0.34), WHITE),
        cylinder(0.016, (-0.055, -0.04, -0.07), (-0.045, -0.035, -0.39), SILVER),
        cylinder(0.016, (-0.055, 0.04, -0.07), (-0.045, 0.035, -0.39), SILVER),
    ),
    "r_ankle": (sphere(0.038, (0.0, 0.0, 0.0), GRAPHITE),),
    "r_foot": (
        box((0.09, 0.07, 0.05), (0.0, 0.0, -0.045), GRAPHITE),
        box((_TOE_JOINT - _HEEL, 2.0 * _FOOT_HALF_WIDTH, 0.035), ((_TOE_JOINT + _HEEL) / 2.0, 0.0, -0.0825), SILVER),
    ),
    "r_toe": (
        cylinder(0.014, (0.0, -_FOOT_HALF_WIDTH, 0.0), (0.0, _FOOT_HALF_WIDTH, 0.0), GRAPHITE),
        box((_TOE_TIP - _TOE_JOINT, 2.0 * _FOOT_HALF_WIDTH, 0.03), ((_TOE_TIP - _TOE_JOINT) / 2.0, 0.0, -0.005), CYAN),
    ),
    "r_shoulder": (sphere(0.055, (0.0, -0.005, 0.0), CYAN),),
    "r_upper_arm": (capsule(0.042, (0.0, -0.01, -0.05), (0.0, 0.0, -0.25), WHITE),),
    "r_forearm": (
        sphere(0.042, (0.0, 0.0, 0.0), GRAPHITE),
        capsule(0.034, (0.0, 0.0, -0.05), (0.0, 0.0, -0.23), WHITE),
        sphere(0.042, (0.0, 0.0, -0.30), GRAPHITE),
    ),
    "neck": (cylinder(0.03, (0.0, 0.0, -0.03), (0.0, 0.0, 0.065), SILVER),),
    "head": (
        box((0.11, 0.18, 0.075), (0.02, 0.0, 0.0925), WHITE),
        box((0.06, 0.09, 0.075), (0.0, 0.0, 0.025), GRAPHITE),
        cylinder(0.024, (0.07, -0.055, 0.09), (0.095, -0.055, 0.09), BLACK),
        cylinder(0.024, (0.07, 0.055, 0.09), (0.095, 0.055, 0.09), BLACK),
    ),
}

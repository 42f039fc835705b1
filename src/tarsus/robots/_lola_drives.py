"""The 24 drives of Lola as bodies: where they sit, what they turn and what they weigh."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from tarsus.geometry.shapes import Shape
from tarsus.model.builder import ModelBuilder
from tarsus.robots._primitives import ORANGE, RED, Color, both, cylinder
from tarsus.spatial.inertia import Inertia

Vector = tuple[float, float, float]
GEAR = 100.0
"""Turns of a motor for one turn of its joint."""
_ANKLE_FLEXION_ARM = 0.050
_ANKLE_ADDUCTION_ARM = 0.035
_DAMPING_TIME = 5e-4
_PEAK_TORQUE = 2.0
AXES: dict[str, Vector] = {
    "+x": (1.0, 0.0, 0.0),
    "-x": (-1.0, 0.0, 0.0),
    "+y": (0.0, 1.0, 0.0),
    "-y": (0.0, -1.0, 0.0),
    "+z": (0.0, 0.0, 1.0),
}


class _Size(NamedTuple):
    """Rotor (with wave generator or screw) and gear output of one motor size; masses [kg], moments [kg m^2], [m].

    Both are thin rings: radius^2 = moment / mass.
    """

    rotor_mass: float
    rotor_moment: float
    rotor_length: float
    output_mass: float
    output_moment: float
    output_length: float
    stiffness: float


_LARGE = _Size(0.25, 5e-5, 0.040, 0.20, 1.6e-4, 0.020, 3e4)
_MEDIUM = _Size(0.18, 3e-5, 0.034, 0.14, 8e-5, 0.016, 2e4)
_ARM = _MEDIUM._replace(output_mass=0.10, output_moment=4e-5, stiffness=1e4)
_SMALL = _Size(0.04, 5e-6, 0.020, 0.03, 5e-6, 0.010, 1e4)


class Drive(NamedTuple):
    """One motor; position of the rotor and axis in the segment that carries it.

    `joints` says how many turns it makes for a turn of each joint.
    """

    motor: str
    parent: str
    position: Vector
    axis: str
    size: _Size
    joints: dict[str, float]
    elastic: bool


def _geared(joint: str, parent: str, position: Vector, axis: str, size: _Size, elastic: bool = True) -> Drive:
    """Motor on the axis of its joint."""
    return Drive(f"{joint}_motor", parent, position, axis, size, {joint: GEAR}, elastic)


# Screw-driven joints have motors along the segment. A foot that turns by (adduction, flexion) moves the rods behind the
# ankle by flexion arm x flexion -+ adduction arm x adduction; the lead of the screws makes the first of them GEAR.
_ADDUCTION_GEAR = GEAR * _ANKLE_ADDUCTION_ARM / _ANKLE_FLEXION_ARM
_MIDDLE = (
    _geared("tbr", "torso", (0.0, 0.0, 0.03), "+z", _MEDIUM),
    _geared("tba", "pelvis_yaw", (-0.05, 0.0, -0.05), "+x", _MEDIUM),
    _geared("tvp", "torso", (0.0, 0.0, 0.55), "+z", _SMALL, elastic=False),
    _geared("tvt", "neck", (0.0, 0.0, 0.06), "+y", _SMALL, elastic=False),
)
_RIGHT = (
    _geared("thrr", "pelvis", (0.0, -0.12, 0.09), "+z", _MEDIUM),
    _geared("thar", "r_hip_yaw", (-0.075, 0.0, 0.0), "-x", _MEDIUM),
    _geared("thfr", "r_hip", (0.0, -0.06, 0.0), "+y", _LARGE),
    Drive("tkfr_motor", "r_thigh", (-0.045, 0.0, -0.16), "+z", _LARGE, {"tkfr": GEAR}, False),
    Drive("amir", "r_shank", (-0.055, 0.04, -0.09), "+z", _MEDIUM, {"tsfr": GEAR, "tsar": -_ADDUCTION_GEAR}, False),
    Drive("amor", "r_shank", (-0.055, -0.04, -0.09), "+z", _MEDIUM, {"tsfr": GEAR, "tsar": _ADDUCTION_GEAR}, False),
    _geared("tzfr", "r_foot", (0.10, -0.025, -0.05), "+y", _SMALL),
    _geared("tafr", "torso", (0.0, -0.16, 0.44), "+y", _ARM),
    _geared("taar", "r_shoulder", (-0.03, -0.02, 0.0), "+x", _ARM),
    _geared("tefr", "r_upper_arm", (0.0, 0.0, -0.27), "+y", _ARM),
)


def _mirrored(drive: Drive) -> Drive:
    """The left twin of a right drive; a mirrored rotor turns the other way about x and z.

    Flexion changes sign between the sides and adduction does not, see `lola`: motors on a joint axis keep their ratio
    because that axis is mirrored; along z flexion ratios stay and adduction ratios change sign.
    """
    x, y, z = drive.position
    axis = drive.axis if drive.axis == "+z" else ("-" if drive.axis[0] == "+" else "+") + drive.axis[1]
    parent = drive.parent if drive.parent in ("torso", "pelvis") else "l_" + drive.parent[2:]
    motor = drive.motor[:-1] + "l" if drive.motor.startswith("am") else drive.motor.replace("r_motor", "l_motor")
    pair = len(drive.joints) > 1
    joints = {
        f"{name[:-1]}l": -ratio if pair and name.startswith("tsa") else ratio for name, ratio in drive.joints.items()
    }
    return drive._replace(motor=motor, parent=parent, position=(x, -y, z), axis=axis, joints=joints)


DRIVES = (*_MIDDLE, *_RIGHT, *(_mirrored(drive) for drive in _RIGHT))


ELASTIC = {joint: drive.size for drive in DRIVES if drive.elastic for joint in drive.joints}
"""Joints with an elastic gear."""


def ring(mass: float, moment: float, length: float, axis: Vector, position: Vector = (0.0, 0.0, 0.0)) -> Inertia:
    """Thin ring with `moment` about its axis: moment / 2 + mass length^2 / 12 across."""
    across = moment / 2.0 + mass * length**2 / 12.0
    return Inertia(mass, np.array(position), across * np.eye(3) + (moment - across) * np.outer(axis, axis))


def without_drives(
    segments: Mapping[str, Inertia], joints: Mapping[str, tuple[str, str]], elastic: bool
) -> dict[str, Inertia]:
    """Segments with the drives taken out of them: a robot whose rotors stand still stays what it was.

    Parameters
    ----------
    segments : mapping of str to Inertia
    joints : mapping of str to (str, str)
        Segment carried by each joint, and the axis of the joint.
    elastic : bool
        The outputs of elastic gears are bodies of their own, too.
    """
    left = dict(segments)
    for drive in DRIVES:
        left[drive.parent] = _without(left[drive.parent], _rotor(drive, drive.position))
    if elastic:
        for joint, size in ELASTIC.items():
            body, axis = joints[joint]
            left[body] = _without(left[body], _output(size, axis))
    return left


def add_rotors(builder: ModelBuilder) -> None:
    """Rotors on the segments before the joints, geared to them."""
    for drive in DRIVES:
        body = f"{drive.motor.removesuffix('_motor')}_rotor"
        size = drive.size
        shape = _drawn(size.rotor_mass, size.rotor_moment, size.rotor_length, drive.axis, ORANGE)
        builder.add_link(body, _rotor(drive), **both((shape,)))
        builder.add_joint(drive.motor, "continuous", drive.parent, body, position=drive.position, axis=AXES[drive.axis])
        (leader, ratio), *others = drive.joints.items()
        builder.add_coupling(drive.motor, leader, ratio, further=dict(others))


def add_elastic_gear(builder: ModelBuilder, joint: str, segment: str, axis: str, tau_max: float) -> str:
    """Gear output that carries a segment by a spring, for the joints in `ELASTIC`; returns the name of its body.

    The joint ``<joint>_elastic`` between them is the deflection of the gear, without drive. What is left to add is the
    joint from the segment before it to the gear output, whose angle is that of the motor divided by the gear ratio.
    """
    size, output = ELASTIC[joint], f"{joint}_gear"
    shape = _drawn(size.output_mass, size.output_moment, size.output_length, axis, RED)
    builder.add_link(output, _output(size, axis), **both((shape,)))
    peak = _PEAK_TORQUE * tau_max / size.stiffness
    builder.add_joint(
        f"{joint}_elastic",
        "revolute",
        output,
        segment,
        axis=AXES[axis],
        q_min=-peak,
        q_max=peak,
        stiffness=size.stiffness,
        damping=_DAMPING_TIME * size.stiffness,
        actuated=False,
    )
    return output


def _rotor(drive: Drive, position: Vector = (0.0, 0.0, 0.0)) -> Inertia:
    size = drive.size
    return ring(size.rotor_mass, size.rotor_moment, size.rotor_length, AXES[drive.axis], position)


def _output(size: _Size, axis: str) -> Inertia:
    return ring(size.output_mass, size.output_moment, size.output_length, AXES[axis])


def _without(whole: Inertia, part: Inertia) -> Inertia:
    """What is left of a body when a part of it is taken out, both in the same frame."""
    return whole + Inertia(-part.mass, part.com, -part.moments)


def _drawn(mass: float, moment: float, length: float, axis: str, color: Color) -> Shape:
    """Cylinder around the thin ring."""
    radius = 1.2 * float(np.sqrt(moment / mass))
    end = [0.5 * length * component for component in AXES[axis]]
    return cylinder(radius, [-component for component in end], end, color)

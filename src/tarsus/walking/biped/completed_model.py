"""What model files leave out that a walk needs: shapes that touch, which way is up, and limits of joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact import contactors
from tarsus.dynamics import frame_pose
from tarsus.errors import ArgumentError
from tarsus.ik.feet import Foot, find_feet
from tarsus.ik.level_feet import with_level_feet
from tarsus.ik.stance import stretched
from tarsus.model import Model
from tarsus.model.assembly import assemble
from tarsus.spatial import quaternion_from_rotation_vector, quaternion_product, rotation_matrix_from_quaternion
from tarsus.walking.biped.leg import common_carrier, leg_joints

QUARTER = math.pi / 2
TURNS = {
    "y": (QUARTER, 0.0, 0.0),
    "-y": (-QUARTER, 0.0, 0.0),
    "-x": (0.0, QUARTER, 0.0),
    "x": (0.0, -QUARTER, 0.0),
    "-z": (2 * QUARTER, 0.0, 0.0),
}
"""Rotations that bring an axis of the base upwards."""


def with_shapes(model: Model, notes: list[str]) -> Model:
    """The model, with what is drawn of it in place of collision shapes where it has none.

    Raises
    ------
    ArgumentError
        Where nothing is drawn of it, either.
    """
    if contactors(model):
        return model
    drawn = model.with_visuals_as_collisions()
    if not contactors(drawn):
        raise ArgumentError(
            f"{model.name!r} has neither collision shapes nor visual ones: a walk needs feet that can touch the ground"
        )
    notes.append("what is drawn of it touches the ground: it has no collision shapes")
    return drawn


def with_limits(model: Model, notes: list[str]) -> Model:
    """The model without limits of torque and speed that are 0, as exporters write what they do not know.

    Such a joint could not carry anything, or not move. Elsewhere, as in `JointLaw`, a limit of 0 is taken at its word.
    """
    moving = [joint for joint in model.joints.values() if joint.actuated and joint.v_index.stop > joint.v_index.start]
    weak = {joint.name for joint in moving if not np.all(joint.tau_max)}
    slow = {joint.name for joint in moving if not np.all(joint.v_max)}
    if not weak | slow:
        return model
    for names, told in ((weak, "torque"), (slow, "speed")):
        if names:
            which = [joint.name for joint in moving if joint.name in names]
            named = "all joints" if len(which) == len(moving) else ", ".join(which)
            notes.append(f"limits of {told} of 0 are taken for none: {named}")
    joints = [
        replace(
            joint,
            tau_max=math.inf if joint.name in weak else joint.tau_max,
            v_max=math.inf if joint.name in slow else joint.v_max,
        )
        for joint in model.description.joints
    ]
    return assemble(replace(model.description, joints=tuple(joints)), couplings=model.coupling_mode)


def upright(model: Model, notes: list[str], named: Sequence[str] | None) -> Model:
    """The model, turned so that it stands on two soles, where it does not as its file has it.

    A file that turns the base is taken at its word where soles are level then. Else the base may be tilted by a pose
    that the file keeps, such as a squat: then an axis of it is made vertical. A file that does not turn the base may
    not say how the robot stands: then its other axes are tried. Feet that somebody names leave the model as it is.
    """
    if named is not None or _on_legs(model, find_feet(model, stretched(model))):
        return model
    q = np.array(model.reference)
    squared = _with_vertical_axis(q[3:7])
    if squared is not None:
        q[3:7] = squared
        straight = model.with_reference(q)
        if _stands(straight):
            notes.append("its base is upright: the reference pose tilts it")
            return straight
    q = np.array(model.reference)
    if abs(q[3]) < 1.0 - 1e-9 or len(find_feet(model, stretched(model))) > 1:
        return model
    for axis, turn in TURNS.items():
        q[3:7] = quaternion_from_rotation_vector(turn)
        turned = model.with_reference(q)
        if _stands(turned) and _legs_hang(turned):
            notes.append(f"its {axis} axis points upwards: the file does not say how it stands")
            return turned
    return model


def _stands(model: Model) -> bool:
    """Whether a model stands on two soles with stretched legs."""
    return _on_legs(model, find_feet(model, with_level_feet(model, stretched(model))))


def _legs_hang(model: Model) -> bool:
    """Whether feet are further below their hips than beside them: robots that lie may touch with sides of feet."""
    q = with_level_feet(model, stretched(model))
    feet = [foot.body for foot in find_feet(model, q)]
    pelvis = common_carrier(model, feet)
    for foot in feet:
        hip = model.joints[leg_joints(model, pelvis, foot)[0]].child
        along = frame_pose(model, q, foot)[:3, 3] - frame_pose(model, q, hip)[:3, 3]
        if not -along[2] > float(np.linalg.norm(along[:2])):
            return False
    return True


def _with_vertical_axis(quaternion: FloatArray) -> FloatArray | None:
    """The orientation with its axis next to the vertical made vertical by the smallest turn; None where it is."""
    R = rotation_matrix_from_quaternion(quaternion)
    k = int(np.abs(R[2]).argmax())
    axis = R[:, k] * np.sign(R[2, k])
    off = np.cross(axis, [0.0, 0.0, 1.0])
    sine = float(np.linalg.norm(off))
    if sine < 1e-9:
        return None
    turn = quaternion_from_rotation_vector(off / sine * math.asin(min(1.0, sine)))
    return np.asarray(quaternion_product(turn, quaternion))


def _on_legs(model: Model, feet: Sequence[Foot]) -> bool:
    """Whether these are two soles, each at the end of a leg."""
    if len(feet) != 2 or not all(foot.flat for foot in feet):
        return False
    pelvis = common_carrier(model, [foot.body for foot in feet])
    try:
        return all(leg_joints(model, pelvis, foot.body) for foot in feet)
    except ArgumentError:
        return False

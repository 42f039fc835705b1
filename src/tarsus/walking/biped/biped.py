"""A biped, as a walk needs to know it: found from its model, and told in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from tarsus.arrays import FloatArray, IndexArray
from tarsus.contact import Sole
from tarsus.dynamics import center_of_mass, frame_pose
from tarsus.errors import ArgumentError
from tarsus.ik.feet import Foot
from tarsus.ik.level_feet import with_level_feet
from tarsus.ik.stance import stretched
from tarsus.ik.standing import standing
from tarsus.model import Model
from tarsus.model.joint import ONE_AXIS
from tarsus.simulation.arguments import check_model
from tarsus.spatial import inverse_pose, pose, quaternion_from_rotation_vector, quaternion_product
from tarsus.walking.biped.completed_model import upright, with_limits, with_shapes
from tarsus.walking.biped.facing import UNDECIDED, from_base, given_side, knees_forward, otherwise
from tarsus.walking.biped.joint_gains import JointGains, joint_gains
from tarsus.walking.biped.joint_inertia import joint_inertias
from tarsus.walking.biped.leg import Leg, carriers, common_carrier, leg_joints, places
from tarsus.walking.biped.lower_body import LowerBody
from tarsus.walking.biped.massless_joints import without_massless_joints
from tarsus.walking.biped.stance_width import SWAYS, stance_of
from tarsus.walking.biped.standing_pose import BENT, standing_pose
from tarsus.walking.biped.tried_size import untried
from tarsus.walking.biped.two_feet import touching, two_feet

SHRUNK = 0.98
"""Part of the sole found that is stood on."""
SQUARE = 0.2
"""Angle within which forward is taken for an axis of the base [rad]: feet need not stand square to it."""
UPRIGHT = 1e-3
"""Part of gravity that may be horizontal."""
ROOM = 0.1
"""Distance that joints of the upper body keep from their limits, at most [rad]."""

QUICK = 3.0
"""Speed of joints of legs, in sqrt(g / leg), taken for their limit where the file tells none. Walks take half of
it; legs that get straight take more, and throw the robot up."""


@dataclass(frozen=True, eq=False)
class Biped:
    """What a walk needs to know of a robot with two legs.

    Attributes
    ----------
    model : Model
        With frames in the middle of the soles, "walk/left" and "walk/right", and joints beyond the feet locked.
    legs : tuple of Leg
        Left and right.
    lower : LowerBody
        The robot with a stiff upper body, for inverse kinematics.
    pelvis : str
        Body that carries both legs.
    q : ndarray, shape (nq,)
        Standing side by side on level ground, the middle of the feet at the origin, looking along +x.
    width : float
        Between the middles of the soles [m].
    leg : float
        From hip to ankle, stretched [m].
    height : float
        Of the centre of mass above the ground in `q` [m].
    locked : tuple of str
        Joints beyond the feet, such as toes, that are held.
    turned : float
        Angle from the x axis of the base, as the robot stands, to forward [rad].
    notes : tuple of str
        What was assumed.
    """

    model: Model
    legs: tuple[Leg, Leg]
    lower: LowerBody
    pelvis: str
    q: FloatArray
    width: float
    leg: float
    height: float
    locked: tuple[str, ...]
    turned: float
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls,
        model: Model,
        *,
        feet: Sequence[str] | None = None,
        forward: Sequence[float] | None = None,
        bend: float = BENT,
    ) -> Self:
        """Find everything from shapes, joints and limits.

        Parameters
        ----------
        model : Model
            With a free base.
        feet : sequence of two str, optional
            Bodies of the feet, in any order; by default those that reach lowest with stretched legs.
        forward : sequence of two float, optional
            Horizontal direction in axes of the base that tells to which side of the line between its feet it looks; by
            default to that of bent knees. It looks square to that line; where what is given differs, a note tells it.
        bend : float
            How much lower than it could it walks, in lengths of its legs.

        Raises
        ------
        ArgumentError
            Where the model is no biped that can walk; with the reason.
        """
        check_model(model)
        if model.rotation != "quaternion":
            raise ArgumentError(
                f"rotation of {model.name!r} is {model.rotation!r}; robots walk with rotation='quaternion', the "
                "default of ts.load"
            )
        _check_can_stand(model)
        notes: list[str] = []
        model = upright(with_shapes(model, notes), notes, feet)
        found = two_feet(model, _down(model, feet, notes), feet)
        pelvis = common_carrier(model, [foot.body for foot in found])
        for foot in found:
            leg_joints(model, pelvis, foot.body)  # refuses legs with few joints
        model, massless = without_massless_joints(model)
        if massless:
            notes.append(f"joints that carry no mass are held: {', '.join(massless)}")
        model, locked = _without_toes(model, found)
        model = with_limits(model, notes)
        down = _down(model, feet)
        bent = standing(model, touching(model, feet), down=down)
        found, yaw = _left_first(model, bent, pelvis, found, forward, notes)
        down, bent = _turned(down, yaw), _turned(bent, yaw)
        model, halves = _with_soles(model, down, found)
        legs = tuple(
            _leg(model, pelvis, left, foot, half) for left, foot, half in zip((True, False), found, halves, strict=True)
        )
        bent[7:] = _posture(model, bent, legs, notes)[7:]
        hips = [model.joints[leg.joints[2]].child for leg in legs]
        lower = LowerBody.of(model, legs, bent)
        soles = [leg.sole for leg in legs]
        own = float(frame_pose(model, bent, soles[0])[1, 3] - frame_pose(model, bent, soles[1])[1, 3])
        stood, width, sway = stance_of(lower, pelvis, soles, hips, [leg.foot for leg in legs],
                                       halves[0][1] + halves[1][1], bend)  # fmt: skip
        if abs(width - own) > 1e-3:
            notes.append(f"feet stand {1e3 * width:.0f} mm apart, not {1e3 * own:.0f} mm as in its file: legs that "
                         "reach less could not bring the weight from one to the other")  # fmt: skip
        if sway < SWAYS[0]:
            notes.append("its legs cannot bring the pelvis far above one foot: its steps are brief")
        notes += _large_soles(model, legs, width, stood.leg)
        if not all(np.isfinite(model.v_max[leg.v]).all() for leg in legs):
            quickest = _quickest(float(np.linalg.norm(model.gravity)), stood.leg)
            notes.append(f"joints of its legs that have no limit of speed turn by {quickest:.3g} rad/s at most")
        if unknown := untried(model.total_mass, stood.leg, float(np.linalg.norm(model.gravity))):
            notes.append(unknown)
        q = lower.whole(stood.q)
        return cls(model, (legs[0], legs[1]), lower, pelvis, q, width, stood.leg, float(center_of_mass(model, q)[2]),
                   locked, from_base(model, yaw), tuple(notes))  # fmt: skip

    def bent(self, bend: float) -> Self:
        """The same robot, which walks lower than it could by `bend` lengths of its legs."""
        hips = [self.model.joints[leg.joints[2]].child for leg in self.legs]
        soles, feet = [leg.sole for leg in self.legs], [leg.foot for leg in self.legs]
        q = self.lower.whole(standing_pose(self.lower, self.pelvis, soles, hips, feet, bend, self.width).q)
        return replace(self, q=q, height=float(center_of_mass(self.model, q)[2]))

    @cached_property
    def gravity(self) -> float:
        """[m/s^2]."""
        return float(np.linalg.norm(self.model.gravity))

    @cached_property
    def weight(self) -> float:
        """M g [N]."""
        return self.gravity * self.model.total_mass

    @property
    def soles(self) -> tuple[Sole, Sole]:
        """What touches the ground."""
        left, right = (Sole(leg.side, leg.sole, leg.corners) for leg in self.legs)
        return left, right

    @cached_property
    def waist(self) -> IndexArray:
        """Places in q of the joints between base and pelvis."""
        names = [self.model.bodies[body].joint for body in carriers(self.model, self.pelvis)]
        moving = [self.model.joints[name] for name in names if name != "base"]
        return np.array([k for joint in moving for k in range(joint.q_index.start, joint.q_index.stop)], dtype=np.intp)

    @cached_property
    def inertias(self) -> tuple[FloatArray, FloatArray]:
        """Distal and proximal inertia of the joints where it stands, shape (nv,) each."""
        return joint_inertias(self.model, self.q)

    @cached_property
    def v_max(self) -> FloatArray:
        """Limits of speed, shape (nv,) [rad/s, m/s]: what is assumed of joints of legs where the file tells none."""
        v_max, legs = np.array(self.model.v_max), np.concatenate([leg.v for leg in self.legs])
        v_max[legs] = np.where(v_max[legs] < np.inf, v_max[legs], _quickest(self.gravity, self.leg))
        return v_max

    @cached_property
    def gains(self) -> JointGains:
        """Of position-controlled joints."""
        legs = np.concatenate([leg.v for leg in self.legs])
        return joint_gains(self.inertias[0], self.model.tau_max, legs, self.weight * self.height)

    def __str__(self) -> str:
        """What was found and assumed, in words."""
        left, right = self.legs
        lines = [
            f"{self.model.name}: a biped of {self.model.total_mass:.1f} kg",
            f"  feet      {left.foot} (left), {right.foot} (right), {1e3 * self.width:.0f} mm apart",
            f"  soles     {_sizes(left, right)}",
            f"  legs      {len(left.joints)} joints from {self.pelvis} on, {1e3 * self.leg:.0f} mm from hip to ankle",
            f"  forward   {np.degrees(self.turned):+.0f} degrees from the x axis of its base",
            f"  stands    with its centre of mass {1e3 * self.height:.0f} mm above the ground",
        ]
        if self.locked:
            lines.append(f"  held      {', '.join(self.locked)}, beyond the feet")
        return "\n".join([*lines, *(f"  assumed   {note}" for note in self.notes)])


def _quickest(gravity: float, leg: float) -> float:
    """Speed that is assumed of joints of legs whose limit is not known [rad/s]."""
    return QUICK * math.sqrt(gravity / leg)


def _check_can_stand(model: Model) -> None:
    """Refuse a world without weight, one that is tilted, and a base that is held."""
    strength = float(np.linalg.norm(model.gravity))
    if not strength > 0.0:
        raise ArgumentError(f"{model.name!r} has no gravity; expected some to walk in")
    if float(np.linalg.norm(model.gravity[:2])) > UPRIGHT * strength or model.gravity[2] > 0.0:
        raise ArgumentError(
            f"gravity of {model.name!r} is {np.array(model.gravity).tolist()}; expected it along -z: robots walk on "
            "ground about z = 0, and slopes are told by ground="
        )
    if model.base != "free":
        raise ArgumentError(
            f"{model.name!r} has a {model.base} base; a robot that walks needs a free one, as tarsus.load(file, "
            'base="free") gives it'
        )


def _large_soles(model: Model, legs: Sequence[Leg], width: float, length: float) -> list[str]:
    """That soles overlap where it stands; those that are longer than legs, both in metres, are refused."""
    most = 2 * max(float(leg.half.max()) for leg in legs)
    if most > length:
        raise ArgumentError(
            f"a sole of {model.name!r} is {most:.3g} m long, and its legs {length:.3g} m; expected smaller ones: "
            "meshes of files in millimetres need a scale of 0.001"
        )
    over = legs[0].half[1] + legs[1].half[1] - width
    return (
        [f"its soles overlap by {1e3 * over:.0f} mm where it stands: its feet do not avoid each other"]
        if over > 0
        else []
    )


def _sizes(left: Leg, right: Leg) -> str:
    """Length and width of the soles; of both where they differ by more than a millimetre."""
    told = [f"{2e3 * leg.half[0]:.0f} x {2e3 * leg.half[1]:.0f} mm" for leg in (left, right)]
    alike = 2e3 * float(np.abs(left.half - right.half).max()) <= 1.0
    return told[0] if alike else f"{told[0]} (left), {told[1]} (right)"


def _sole(left: bool) -> str:
    return "walk/left" if left else "walk/right"


def _leg(model: Model, pelvis: str, left: bool, foot: Foot, half: FloatArray) -> Leg:
    joints = leg_joints(model, pelvis, foot.body)
    return Leg(left, foot.body, _sole(left), half, joints, *places(model, joints))


def _down(model: Model, names: Sequence[str] | None, notes: list[str] | None = None) -> FloatArray:
    """Legs stretched down, soles level."""
    zero = stretched(model)
    level = with_level_feet(model, zero, touching(model, names))
    if notes is not None and not np.array_equal(zero, level):
        notes.append("soles are the sides of the feet below the ankles: they are not level with all joints at 0")
    return level


def _without_toes(model: Model, feet: Sequence[Foot]) -> tuple[Model, tuple[str, ...]]:
    """The model with joints beyond the feet locked where they are in the reference pose."""
    bodies = {foot.body for foot in feet}
    beyond = [name for name in model.bodies if name not in bodies and bodies & set(carriers(model, name))]
    joints = [model.joints[model.bodies[name].joint] for name in beyond]
    held = {joint.name: model.reference[joint.q_index] for joint in joints if joint.q_index.stop > joint.q_index.start}
    return (model.locked(held) if held else model), tuple(held)


def _left_first(
    model: Model, bent: FloatArray, pelvis: str, feet: list[Foot], forward: Sequence[float] | None, notes: list[str]
) -> tuple[list[Foot], float]:
    """Feet, the left one first, and the yaw from the world's x axis to forward."""
    ankles = [frame_pose(model, bent, foot.body)[:2, 3] for foot in feet]
    apart = ankles[0] - ankles[1]
    if not np.linalg.norm(apart) > 0:
        raise ArgumentError(f"{model.name!r}: both feet are in one place, seen from above; they must be side by side")
    ahead = np.array([apart[1], -apart[0], 0.0]) / np.linalg.norm(apart)  # if the first is the left one
    if forward is not None:
        side = given_side(model, forward, ahead)
    else:
        side = knees_forward(model, bent, pelvis, [foot.body for foot in feet], ahead)
        if abs(side) < UNDECIDED:
            notes.append("forward is the x axis of the base: knees are stretched where it stands")
            side = float(ahead[0])
    if side < 0:
        feet, ahead = feet[::-1], -ahead
    yaw = float(np.arctan2(ahead[1], ahead[0]))
    square = np.pi / 2 * round(yaw / (np.pi / 2))
    yaw = square if abs(yaw - square) < SQUARE else yaw
    if forward is not None and (note := otherwise(model, forward, yaw)):
        notes.append(note)
    return feet, yaw


def _turned(q: FloatArray, yaw: float) -> FloatArray:
    """The configuration turned about the vertical so that what looked along `yaw` looks along x."""
    back = quaternion_from_rotation_vector([0.0, 0.0, -yaw])
    turned = np.array(q)
    c, s = np.cos(yaw), np.sin(yaw)
    turned[:2] = [c * q[0] + s * q[1], c * q[1] - s * q[0]]
    turned[3:7] = quaternion_product(back, q[3:7])
    return turned


def _with_soles(model: Model, down: FloatArray, feet: Sequence[Foot]) -> tuple[Model, list[FloatArray]]:
    """The model with frames in the middle of the soles, x forward, and half the sizes of these."""
    halves = []
    for left, foot in zip((True, False), feet, strict=True):
        X = frame_pose(model, down, foot.body)
        world = foot.points @ X[:3, :3].T + X[:3, 3]
        low, high = world.min(axis=0), world.max(axis=0)
        middle = np.array([*(low + high)[:2] / 2, low[2]])
        model = model.with_frame(_sole(left), foot.body, inverse_pose(X) @ pose(middle))
        halves.append(SHRUNK * (high - low)[:2] / 2)
    return model, halves


def _posture(model: Model, bent: FloatArray, legs: Sequence[Leg], notes: list[str]) -> FloatArray:
    """Legs bent, everything else as in the reference pose, at a distance from limits."""
    q = np.array(model.reference)
    for leg in legs:
        q[leg.q] = bent[leg.q]
    moved = []
    for joint in model.joints.values():
        if joint.kind not in ONE_AXIS or joint.q_index.stop == joint.q_index.start:
            continue
        if any(joint.name in leg.joints for leg in legs):
            continue
        i = joint.q_index.start
        low, high = float(model.q_min[i]), float(model.q_max[i])
        room = min(ROOM, 0.25 * (high - low))
        inside = float(np.clip(q[i], low + room, high - room))
        if inside != q[i]:
            moved.append(joint.name)
            q[i] = inside
    if moved:
        notes.append(f"joints that the reference pose puts at their limits are moved off them: {', '.join(moved)}")
    return q

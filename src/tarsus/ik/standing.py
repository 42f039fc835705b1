"""A pose in which a legged robot stands: soles flat, knees bent, centre of mass above its feet."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact import Contactor, flat, on_ground
from tarsus.dynamics import body_poses, center_of_mass, frame_pose
from tarsus.errors import ArgumentError, KinematicsWarning
from tarsus.geometry.support_polygon import support_polygon
from tarsus.ik.feet import Foot, find_feet, foot_heights
from tarsus.ik.position.solve import solve
from tarsus.ik.stance import stretched
from tarsus.model import Model
from tarsus.model.joint import ONE_AXIS
from tarsus.spatial import pose
from tarsus.tasks import CenterOfMass, FramePose, Orientation, Position, Task

BENT = 0.06
"""How much lower than it could the robot stands, as a share of the length of its legs."""
UNDECIDED = 0.2
"""Share of its range by which a joint of a leg must be off the middle to be moved there before legs are bent."""
NUDGE = 0.35
"""By how much [rad]."""
TRIED = np.linspace(-0.5, 0.1, 61)
"""Heights of the base that are tried, relative to stretched legs, as shares of their length."""
TOLERANCE = 1e-6
"""Of places [m] and angles [rad]."""
EVEN = 1e-4
"""Difference of the heights of feet that is left [m]."""


def standing(
    model: Model, contacts: Iterable[Contactor] | None = None, *, down: FloatArray | None = None
) -> FloatArray:
    """A configuration in which the robot stands on level ground at z = 0.

    Feet are found from collision shapes: the bodies of limbs that reach lowest where all joints are at zero, or at the
    limit next to it. Soles are flat, and where they are with stretched legs; feet without a sole stand on a point. The
    base is upright, as it is in the reference pose, and 6 % of the length of the legs lower than it could be. The
    centre of mass is above the middle of the feet; where legs cannot bring it there, above the area between them.

    Parameters
    ----------
    model : Model
        With a free base.
    contacts : iterable of contactors, optional
        What it may stand on; all of its collision shapes by default.
    down : ndarray, shape (nq,), optional
        With legs stretched down and soles level, in place of all joints at zero.

    Returns
    -------
    q : ndarray, shape (nq,)

    Raises
    ------
    ArgumentError
        Where no feet are found, or none of the heights that were tried is one to stand at; the message says which.
    """
    if model.base != "free":
        raise ArgumentError(
            f"standing needs a free base, that of {model.name!r} is {model.base}; try base='free', and find the pose "
            "before objects are added"
        )
    touching = None if contacts is None else tuple(contacts)
    down = stretched(model) if down is None else down
    feet = find_feet(model, down, touching)
    if len(feet) < 2:
        raise ArgumentError(
            f"{model.name!r} reaches lowest with {feet[0].body!r} alone; standing needs two feet. Where its legs are "
            f"not stretched down at zero, give a pose of your own to on_ground, or contacts= of its feet"
        )
    marked = _with_soles(model, feet)
    q = _bent(marked, down, feet)
    for _ in range(4):  # feet that turn touch with other points
        gaps = foot_heights(model, q, feet, touching)
        if np.ptp(gaps) < EVEN:
            break
        q = _bent(marked, down, feet, q, gaps - gaps.mean())
    q = on_ground(model, q, flat(), touching)
    _check_balance(model, q, feet)
    return q


def _check_balance(model: Model, q: FloatArray, feet: Sequence[Foot]) -> None:
    """Refuse a pose that falls over; warn of one that does unless it is controlled."""
    X = body_poses(model, q)
    corners = np.concatenate(
        [
            foot.points @ X[model.bodies[foot.body].index, :3, :3].T + X[model.bodies[foot.body].index, :3, 3]
            for foot in feet
        ]
    )
    com = center_of_mass(model, q)
    polygon = support_polygon(corners, np.broadcast_to([0.0, 0.0, 1.0], corners.shape))
    if len(polygon) < 3:
        warnings.warn(
            f"{model.name!r} stands on {len(polygon)} points, with its centre of mass above the line between them: "
            "it falls unless something balances it",
            KinematicsWarning,
            stacklevel=3,
        )
        return
    outside = _outside(com[:2], polygon[:, :2])
    if outside > 0:
        raise ArgumentError(
            f"{model.name!r} would fall over: its centre of mass is {outside:.3g} m outside its feet "
            f"{', '.join(repr(foot.body) for foot in feet)}"
        )


def _outside(point: FloatArray, polygon: FloatArray) -> float:
    """How far a point is outside a convex polygon whose corners go round counter-clockwise; negative inside [m]."""
    sides = np.roll(polygon, -1, axis=0) - polygon
    normals = np.stack([sides[:, 1], -sides[:, 0]], axis=-1) / np.linalg.norm(sides, axis=-1, keepdims=True)
    return float(np.max(np.sum(normals * (point - polygon), axis=-1)))


def _name(k: int) -> str:
    return f"standing/{k}"


def _with_soles(model: Model, feet: Sequence[Foot]) -> Model:
    """The model with a frame in the middle of each sole, or at its point."""
    for k, foot in enumerate(feet):
        low, high = foot.points.min(axis=0), foot.points.max(axis=0)
        model = model.with_frame(_name(k), foot.body, pose((low + high) / 2))
    return model


def _leg_joints(model: Model, foot: str) -> list[str]:
    """Joints of one axis between a foot and the base, from the foot on."""
    names: list[str] = []
    body = model.bodies[foot]
    while body.parent is not None:
        joint = model.joints[body.joint]
        if joint.kind in ONE_AXIS and joint.q_index.stop > joint.q_index.start:
            names.append(joint.name)
        body = model.bodies[body.parent]
    return names


def _nudged(model: Model, q: FloatArray, feet: Sequence[Foot]) -> FloatArray:
    """Legs a little bent, so that knees know where to: towards the middle of their range, else forwards."""
    result = q.copy()
    for foot in range(len(feet)):
        joints = _leg_joints(model, feet[foot].body)
        moved = [name for name in joints if _towards_middle(model, name, result)]
        if not moved:
            _bend_forwards(model, joints, _name(foot), result)
    return result


def _towards_middle(model: Model, name: str, q: FloatArray) -> bool:
    """Move a joint that is far off the middle of its range a little towards it; False where it is not."""
    place = model.joints[name].q_index
    low, high = float(model.q_min[place][0]), float(model.q_max[place][0])
    off = (low + high) / 2 - q[place][0]
    if not np.isfinite(off) or abs(off) <= UNDECIDED * (high - low):
        return False
    q[place] += np.sign(off) * min(NUDGE, abs(off))
    return True


def _bend_forwards(model: Model, joints: Sequence[str], sole: str, q: FloatArray) -> None:
    """Bend the joint that shortens a stretched leg most, so that the foot goes back and the knee forwards."""
    foot, hip = frame_pose(model, q, sole)[:3, 3], frame_pose(model, q, model.joints[joints[-1]].child)[:3, 3]
    best, shortest = q, float(np.linalg.norm(foot - hip))
    for name in joints:
        for sign in (1.0, -1.0):
            bent = q.copy()
            bent[model.joints[name].q_index] += sign * 2 * NUDGE
            there = frame_pose(model, bent, sole)[:3, 3]
            length = float(np.linalg.norm(there - hip))
            if there[0] <= foot[0] and length < shortest - 1e-6:
                best, shortest = bent, length
    q[:] = best


def _bent(
    model: Model,
    stretched: FloatArray,
    feet: Sequence[Foot],
    begin: FloatArray | None = None,
    raised: FloatArray | None = None,
) -> FloatArray:
    """The pose with bent legs; `raised` are the heights by which feet are to be lowered."""
    soles = [frame_pose(model, stretched, _name(k)) for k in range(len(feet))]
    if raised is not None:
        for sole, height in zip(soles, raised, strict=True):
            sole[2, 3] -= height
    base = next(iter(model.bodies))
    X = body_poses(model, stretched)[0]
    leg = float(X[2, 3] - np.mean([sole[2, 3] for sole in soles]))
    middle = np.mean([sole[:3, 3] for sole in soles], axis=0)
    tasks: list[Task] = [
        FramePose(_name(k), sole) if foot.flat else Position(_name(k), sole[:3, 3])
        for k, (foot, sole) in enumerate(zip(feet, soles, strict=True))
    ]
    tasks.append(Orientation(base, X[:3, :3]))
    heights = X[2, 3] + leg * TRIED
    place = np.broadcast_to(X[:3, 3], (len(heights), 3)).copy()
    place[:, 2] = heights
    start = _nudged(model, stretched, feet) if begin is None else begin
    level = Position(base, place, axes=[False, False, True])
    balance = CenterOfMass(middle, axes=[True, True, False])
    answer = solve(model, [*tasks, level, balance], start, starts=1, tolerance=TOLERANCE)
    if not answer.success.any():  # legs with few joints cannot move the centre of mass
        without = solve(model, [*tasks, level], start, starts=1, tolerance=TOLERANCE)
        answer = without if without.success.any() else answer
    if not answer.success.any():
        best = int(np.argmin(answer.residual))
        raise ArgumentError(
            f"{model.name!r} was found no pose to stand in on {', '.join(repr(foot.body) for foot in feet)}: at best "
            f"{answer.worst[best]} is {answer.residual[best]:.3g} off ({answer.status[best]})"
        )
    highest = heights[answer.success].max()
    wanted = highest - BENT * leg
    best = int(np.argmin(np.where(answer.success, np.abs(heights - wanted), np.inf)))
    return np.asarray(answer.q[best])

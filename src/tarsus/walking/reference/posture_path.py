"""Postures that meet feet and centre of mass at many moments at once."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.errors import PlanningError
from tarsus.ik.position.solve import solve
from tarsus.model import Model
from tarsus.spatial import pose, quaternion_from_rotation_vector, quaternion_product, rotation_z
from tarsus.tasks import CenterOfMass, FramePose, Orientation, Task
from tarsus.walking.biped.biped import Biped
from tarsus.walking.reference.foot_paths import LEFT, RIGHT, FootPaths
from tarsus.walking.reference.heel_lift import on_toes

UNITS = (*("m", "m", "m", "rad", "rad", "rad") * 2, "rad", "rad", "rad", "m", "m", "m")
"""Of errors of both soles, pelvis and centre of mass."""
TOLERANCE = 1e-6
"""Of places [m] and angles [rad]."""
YIELDING = 0.02
"""Weight of the orientation of a foot that swings: where an ankle comes to its limit, the foot turns."""
TURNED = 0.3
"""By how much it may [rad]."""
YIELDED = 1e-3
"""Errors of everything else that are left then [m, rad]."""


def sole_poses(biped: Biped, feet: FootPaths, side: int) -> FloatArray:
    """Poses (n, 4, 4) of a sole along its path."""
    place = feet.place[:, side]
    level = pose(place[:, :3], rotation_z(place[:, 3]))
    return on_toes(level, feet.pitch[:, side], float(biped.legs[side].half[0]))


def pelvis_yaw(feet: FootPaths) -> FloatArray:
    """The pelvis looks to the middle of where the feet look, shape (n,) [rad]."""
    return np.asarray(feet.place[:, :, 3].mean(axis=1))


def posture_path(
    biped: Biped, feet: FootPaths, com: FloatArray, times: FloatArray, begin: FloatArray | None = None
) -> FloatArray:
    """Configurations of the whole robot, shape (n, nq): soles, centre of mass, pelvis upright, upper body held.

    Parameters
    ----------
    com : ndarray, shape (n, 3)
        Centre of mass [m].
    times : ndarray, shape (n,)
        For messages [s].
    begin : ndarray, shape (n, nq), optional
        Where to start from; the standing pose, moved along, by default.

    Raises
    ------
    PlanningError
        Where a foot or the centre of mass is out of reach; with the time and what is in the way.
    """
    yaw = pelvis_yaw(feet)
    q = np.array(_moved_along(biped, com, yaw) if begin is None else begin)
    for swinging in (None, LEFT, RIGHT):
        own = np.asarray(feet.standing.all(axis=1) if swinging is None else ~feet.standing[:, swinging])
        if own.any():
            part = feet.at(own)
            q[own] = _solved(biped, part, com[own], yaw[own], times[own], q[own], swinging)
    return q


def _solved(
    biped: Biped,
    feet: FootPaths,
    com: FloatArray,
    yaw: FloatArray,
    times: FloatArray,
    begin: FloatArray,
    swinging: int | None,
) -> FloatArray:
    """Postures of moments in which the same foot swings; limits of joints may turn that one a little."""
    lower = biped.lower
    R = rotation_z(yaw) @ frame_pose(biped.model, biped.q, biped.pelvis)[:3, :3]
    tasks: list[Task] = [
        FramePose(leg.sole, sole_poses(biped, feet, k), weight=[1.0] * 3 + [YIELDING if k == swinging else 1.0] * 3)
        for k, leg in enumerate(biped.legs)
    ]
    tasks += [Orientation(biped.pelvis, R), CenterOfMass(com), *lower.tasks]
    answer = solve(lower.model, tasks, begin[:, lower.q], starts=1, tolerance=TOLERANCE)
    if not answer.success.all():
        errors = [np.array(task.error(lower.model, answer.q)) for task in tasks[:4]]
        turned = np.zeros(len(times))
        if swinging is not None:
            turned = np.abs(errors[swinging][:, 3:]).max(axis=-1)
            errors[swinging][:, 3:] = 0.0
        off = np.abs(np.concatenate(errors, axis=-1))
        far = off.max(axis=-1)
        beyond = (far > YIELDED) | (turned > TURNED)
        if beyond.any():
            k = int(beyond.argmax())
            apart = np.linalg.norm(feet.place[k, LEFT, :2] - feet.place[k, RIGHT, :2])
            unit = "rad" if turned[k] > far[k] else UNITS[int(off[k].argmax())]
            limits = at_limit(biped, lower.model, answer.q[k], TOLERANCE)
            raise PlanningError(
                f"{biped.model.name!r} cannot take these steps: at {times[k]:.2f} s {answer.worst[k]} is out of reach "
                f"by {max(far[k], turned[k]):.2g} {unit} ({answer.status[k]}{limits}); its legs are "
                f"{biped.leg:.2f} m long, and its feet are then {apart:.2f} m apart"
            )
    return lower.whole(answer.q)


def at_limit(biped: Biped, model: Model, q: FloatArray, within: float) -> str:
    """Text ": a, b" of the joints of the legs that are so near to their limits [rad]; empty where none is."""
    joints = [model.joints[name] for leg in biped.legs for name in leg.joints]
    places = [(joint.name, joint.q_index.start) for joint in joints]
    names = [name for name, i in places if min(q[i] - model.q_min[i], model.q_max[i] - q[i]) < within]
    return f": {', '.join(names)}" if names else ""


def _moved_along(biped: Biped, com: FloatArray, yaw: FloatArray) -> FloatArray:
    """The standing pose with its centre of mass where it shall be, turned."""
    q = np.tile(biped.q, (len(com), 1))
    c, s = np.cos(yaw), np.sin(yaw)
    x, y = biped.q[:2]
    q[:, :3] = com - [0.0, 0.0, biped.height - biped.q[2]]
    q[:, 0] += c * x - s * y
    q[:, 1] += s * x + c * y
    turn = quaternion_from_rotation_vector(np.stack([0 * yaw, 0 * yaw, yaw], axis=-1))
    q[:, 3:7] = quaternion_product(turn, biped.q[3:7])
    return q

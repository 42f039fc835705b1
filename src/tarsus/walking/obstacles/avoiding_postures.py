"""Postures of a walk whose feet are pushed off obstacles: inverse kinematics with the reactive layer inside."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.errors import PlanningError
from tarsus.ik.velocity.joint_limits import Limits
from tarsus.ik.velocity.stepper import Stepper
from tarsus.spatial import rotation_z
from tarsus.tasks import CenterOfMass, FramePose, Orientation, Task
from tarsus.walking.biped.biped import Biped
from tarsus.walking.obstacles.obstruction import Obstruction
from tarsus.walking.obstacles.reactive_avoidance import AvoidanceSettings, ReactiveAvoidance, displaced
from tarsus.walking.reference.foot_paths import FootPaths
from tarsus.walking.reference.posture_path import TURNED, YIELDING, pelvis_yaw, posture_path, sole_poses

SWINGING = 0.3
"""Weight of the place of a foot in the air beside those of the centre of mass and of the foot that stands."""
APPROACH = 0.04
"""Part of the way to a limit that a joint may take between two knots: it comes to rest there softly."""
SETTLING = 5
"""Steps of inverse kinematics at the start: errors of 1e-6 m are jumps of the acceleration between knots of 2 ms."""
MISSED = 2e-3
"""Error of centre of mass and feet that stand up to which they count as tracked [m, rad]."""
STRAYED = 1e-2
"""The same of a foot in the air [m]: where it is between two footsteps is not essential, and distances are checked."""


class AvoidingPostures:
    """What `walk_plan` takes as `postures`: base and legs follow feet, pelvis and centre of mass, and feet give way.

    This is the place of the reactive layer in figure 5.14 of Buschmann 2014: between the planned task space w_d0 and
    inverse kinematics, which follows w_d1.

    Attributes
    ----------
    deviation : ndarray, shape (n, 2, 6)
        W_d1 - w_d0 of both feet in the last motion, translation and rotation vector in the world [m, rad].
    """

    def __init__(self, obstructions: Sequence[Obstruction], settings: AvoidanceSettings | None = None) -> None:
        self._obstructions, self._settings = tuple(obstructions), settings
        self.deviation = np.zeros((0, 2, 6))

    def path(
        self, biped: Biped, feet: FootPaths, com: FloatArray, times: FloatArray, begin: FloatArray | None = None
    ) -> FloatArray:
        """Configurations along a plan, shape (n, nq); as `posture_path`.

        Raises
        ------
        PlanningError
            Where feet or centre of mass are out of reach, with the time.
        """
        dt, n = float(times[1] - times[0]), len(times)
        lower = biped.lower
        q = posture_path(biped, feet.at(times == times[0]), com[:1], times[:1], None)[0][lower.q]
        avoidance = ReactiveAvoidance(biped, self._obstructions, dt, self._settings)
        made = {swinging: _stepper(biped, dt, swinging) for swinging in (None, 0, 1)}
        soles = [sole_poses(biped, feet, side) for side in (0, 1)]
        R = frame_pose(biped.model, biped.q, biped.pelvis)[:3, :3]
        upright = (rotation_z(pelvis_yaw(feet)) @ R).reshape(n, 9)
        starts, ends = _swings(feet)
        step, targets = made[None]
        _aim(targets, [X[0] for X in soles], upright[0], com[0])
        for _ in range(SETTLING):
            q = step(q)
        found, deviation = np.empty((n, len(q))), np.zeros((n, 2, 6))
        e = np.zeros(6)
        for k in range(n):
            found[k] = q
            if k + 1 == n:
                break
            foot = _swinging(feet, k + 1)
            if foot is None:
                e = np.zeros(6)
            else:
                first, last = starts[k + 1], ends[k + 1]
                if k + 1 == first:
                    avoidance.lift()
                part = (k - first) / (last - first)
                e = avoidance.step(foot, q, float(times[k]), max(part, 0.0), (last - 1 - k) * dt)
                deviation[k + 1, foot] = e
            wanted = [displaced(X[k + 1], e) if side == foot else X[k + 1] for side, X in enumerate(soles)]
            step, targets = made[foot]
            _aim(targets, wanted, upright[k + 1], com[k + 1])
            q = step(q)
        self.deviation = deviation
        self._check(biped, found, soles, com, feet, times)
        return lower.whole(found)

    def _check(
        self,
        biped: Biped,
        q: FloatArray,
        soles: Sequence[FloatArray],
        com: FloatArray,
        feet: FootPaths,
        times: FloatArray,
    ) -> None:
        """Refuse motions that miss what they shall follow."""
        model = biped.lower.model
        missed = np.abs(CenterOfMass(com).error(model, q)).max(axis=-1)
        turned = np.zeros(len(times))
        for side, leg in enumerate(biped.legs):
            wanted, e = np.array(soles[side]), self.deviation[:, side]
            for k in np.flatnonzero(e.any(axis=1)):
                wanted[k] = displaced(wanted[k], e[k])
            error = np.abs(FramePose(leg.sole, wanted).error(model, q))
            way, angle, stands = error[:, :3].max(axis=-1), error[:, 3:].max(axis=-1), feet.standing[:, side]
            missed = np.maximum(missed, np.where(stands, np.maximum(way, angle), way * MISSED / STRAYED))
            turned = np.maximum(turned, np.where(stands, 0.0, angle))
        beyond = np.maximum(missed / MISSED, turned / TURNED)
        worst = int(beyond.argmax())
        if beyond[worst] > 1.0:
            raise PlanningError(
                f"{biped.model.name!r} cannot take these steps: at {times[worst]:.2f} s feet or centre of mass are "
                f"{beyond[worst]:.1f} times as far off as they may be, with {_tightest(biped, q[worst])} next to its "
                f"limit; its legs are {biped.leg:.2f} m long"
            )


def _tightest(biped: Biped, q: FloatArray) -> str:
    """Joint of the legs that is nearest to a limit, in parts of its range."""
    model = biped.lower.model
    joints = [model.joints[name] for leg in biped.legs for name in leg.joints]

    def room(i: int) -> float:
        low, high = float(model.q_min[i]), float(model.q_max[i])
        return min(float(q[i]) - low, high - float(q[i])) / (high - low) if np.isfinite(high - low) else np.inf

    return min(joints, key=lambda joint: room(joint.q_index.start)).name


def _aim(targets: Sequence[FloatArray], soles: Sequence[FloatArray], upright: FloatArray, com: FloatArray) -> None:
    """Write what is to be followed into the targets of a stepper."""
    for target, X in zip(targets, soles, strict=False):
        target[:3], target[3:] = X[:3, 3], X[:3, :3].ravel()
    targets[2][:] = upright
    targets[3][:] = com


def _stepper(biped: Biped, dt: float, swinging: int | None) -> tuple[Stepper, list[FloatArray]]:
    """Inverse kinematics while a foot swings, and its targets: soles, pelvis, centre of mass.

    At limits of its joints and on a stretched leg it is the foot in the air that is missed, and turned first of all.
    """
    gain, lower = 1.0 / dt, biped.lower
    soles = [
        FramePose(leg.sole, np.eye(4), gain=gain, weight=[*[SWINGING] * 3, *[YIELDING] * 3] if k == swinging else 1.0)
        for k, leg in enumerate(biped.legs)
    ]
    body: list[Task] = [Orientation(biped.pelvis, np.eye(3), gain=gain), CenterOfMass(np.zeros(3), gain=gain)]
    tasks: list[Task] = [*soles, *body, *lower.tasks]
    step = Stepper(lower.model, tasks, dt=dt, limits=Limits(velocity=False, share=APPROACH), damping=1e-9)
    return step, [step.target(k) for k in range(4)]


def _swinging(feet: FootPaths, k: int) -> int | None:
    """Foot in the air at a knot."""
    left, right = feet.standing[k]
    return None if left and right else int(bool(left))


def _swings(feet: FootPaths) -> tuple[np.ndarray, np.ndarray]:
    """First knot of the phase of each knot, and the first after it, shape (n,) each."""
    edges = np.flatnonzero(np.diff(feet.phase)) + 1
    starts = np.concatenate([[0], edges])
    ends = np.concatenate([edges, [len(feet.phase)]])
    number = np.searchsorted(edges, np.arange(len(feet.phase)), side="right")
    return starts[number], ends[number]

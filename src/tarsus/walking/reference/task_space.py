"""Task space of Lola: what a walk tracks, and what it leaves to the nullspace (Buschmann 2014, 5.3, figure 5.12)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.errors import ArgumentError, PlanningError
from tarsus.ik.velocity.joint_limits import Limits
from tarsus.ik.velocity.stepper import Stepper
from tarsus.model import Model
from tarsus.spatial import rotation_vector_from_rotation_matrix, rotation_z
from tarsus.tasks import CenterOfMass, FramePose, Momentum, Orientation, Posture, Task
from tarsus.walking.biped.bent_knees import with_bent_knees
from tarsus.walking.biped.biped import Biped
from tarsus.walking.biped.leg import carriers
from tarsus.walking.reference.foot_paths import FootPaths
from tarsus.walking.reference.posture_path import at_limit, pelvis_yaw, posture_path, sole_poses

if TYPE_CHECKING:
    from tarsus.collision import CollisionModel
    from tarsus.ik.velocity.avoidance import Avoidance

LIGHT = 0.02
"""Part of the mass that a joint must move to be of use to the momentum."""
GAMMA = 0.008
"""Of figure 5.11, for a robot of Lola's mass and legs."""
LOLA = 60.0, 0.86
"""Her mass [kg] and the length of her legs [m]."""
POSTURE = 2.0
"""Rate at which joints of the nullspace go back to their posture [1/s]."""
FOLLOWED = 0.5
"""Part of an error of tracked coordinates that is made good between two knots."""
MISSED = 1e-3
"""Error of tracked coordinates up to which they count as tracked [m, rad]."""
NEAR = 0.01
"""Distance from its limit of a joint that is named where steps are out of reach [rad]."""
APPROACH = 0.1
"""Part of the way to a limit that a joint may take between two knots: it comes to rest there softly."""
UPRIGHT = (False, False, False, False, False, True)


@dataclass(frozen=True, eq=False)
class TaskSpace:
    """Centre of mass, orientation of the torso, both feet and light joints such as those of a head are tracked.

    Of Lola's 30 coordinates these are 22, her toes, which are locked, included. The others, arms and pelvis, are left
    to the nullspace: they keep the vertical angular momentum low (5.62), which is what swings the arms, and go back to
    their posture. Limits of joints are kept before everything else, and distances where a collision model is given.

    Attributes
    ----------
    biped : Biped
    torso : str
        Body whose orientation is tracked.
    held, free : tuple of str
        Joints beside base and legs: those that are tracked, and those that are left to the nullspace.
    gamma : float
        Weight of velocities beside the angular momentum (5.62), above 0 [kg^2 m^4]; that of figure 5.11, scaled to the
        size of the robot, by default.
    momentum : bool
        Whether the angular momentum counts; otherwise velocities alone do.
    collision : CollisionModel or Avoidance, optional
        Distances that are kept.
    """

    biped: Biped
    torso: str
    held: tuple[str, ...]
    free: tuple[str, ...]
    gamma: float
    momentum: bool = True
    collision: CollisionModel | Avoidance | None = None

    @classmethod
    def of(
        cls,
        biped: Biped,
        *,
        momentum: bool = True,
        gamma: float | None = None,
        collision: CollisionModel | Avoidance | None = None,
    ) -> Self:
        """The task space of any biped: the heaviest body beside the legs is its torso."""
        if gamma is None:
            gamma = GAMMA * (biped.model.total_mass / LOLA[0]) ** 2 * (biped.leg / LOLA[1]) ** 4
        if not (np.isfinite(gamma) and gamma > 0):
            raise ArgumentError(f"gamma of TaskSpace is {gamma!r}; expected a number above 0 [kg^2 m^4]")
        model = biped.model
        moved = _moved_masses(model)
        legs = {name for leg in biped.legs for name in leg.joints}
        above = [name for name in model.bodies if not legs.intersection(_joints_to(model, name))]
        torso = max(above, key=lambda name: model.bodies[name].inertia.mass)
        others = [
            joint.name
            for joint in model.joints.values()
            if joint.name not in legs and joint.name != "base" and joint.v_index.stop > joint.v_index.start
        ]
        free = tuple(name for name in others if moved[name] >= LIGHT * model.total_mass)
        return cls(biped, torso, tuple(name for name in others if name not in free), free, gamma, momentum, collision)

    @property
    def tracked(self) -> int:
        """Coordinates that are tracked."""
        return sum(task.rows(self.biped.model) for task in self._first(self.biped.q)) + len(self.biped.locked)

    def path(
        self, biped: Biped, feet: FootPaths, com: FloatArray, times: FloatArray, begin: FloatArray | None = None
    ) -> FloatArray:
        """Configurations along a plan, shape (n, nq), by closed-loop inverse kinematics; as `posture_path`.

        Raises
        ------
        PlanningError
            Where tracked coordinates are not followed to `MISSED`; with the time.
        """
        dt = float(times[1] - times[0])
        head = feet.at(times == times[0])
        q = posture_path(biped, head, com[:1], times[:1], None if begin is None else begin[:1])[0]
        levels = [self._first(q, FOLLOWED / dt), self._second()]
        known = with_bent_knees(biped.model, biped.legs, biped.q)
        step = Stepper(known, levels, dt=dt, limits=Limits(share=APPROACH), collision=self.collision)
        soles, yaw, rate = self._soles(feet), pelvis_yaw(feet), np.diff(com, axis=0, append=com[-1:]) / dt
        twists = [_twists(X, dt) for X in soles]
        turn, R = np.diff(yaw, append=yaw[-1:]) / dt, frame_pose(biped.model, biped.q, self.torso)[:3, :3]
        found = np.empty((len(times), biped.model.nq))
        for k in range(len(times)):
            found[k] = q
            step.target(0)[:], step.target_velocity(0)[:] = com[k], rate[k]
            step.target(1)[:] = (rotation_z(yaw[k]) @ R).ravel()
            step.target_velocity(1)[2] = turn[k]
            for side in (0, 1):
                X = soles[side][k]
                step.target(2 + side)[:] = np.concatenate([X[:3, 3], X[:3, :3].ravel()])
                step.target_velocity(2 + side)[:] = twists[side][k]
            q = step(q)
            if step.status not in ("solved", "held back"):
                raise PlanningError(f"{biped.model.name!r} cannot take these steps: {step.status} at {times[k]:.2f} s")
        self._check(found, feet, com, times)
        return found

    def _soles(self, feet: FootPaths) -> list[FloatArray]:
        return [sole_poses(self.biped, feet, side) for side in (0, 1)]

    def _first(self, q: FloatArray, gain: float = 1.0) -> list[Task]:
        """What is tracked, at rest at a configuration."""
        model = self.biped.model
        poses = [FramePose(leg.sole, frame_pose(model, q, leg.sole), gain=gain) for leg in self.biped.legs]
        tasks: list[Task] = [
            CenterOfMass(np.zeros(3), gain=gain),
            Orientation(self.torso, np.eye(3), gain=gain),
            *poses,
        ]
        return [*tasks, Posture(self.biped.q, joints=self.held, gain=gain)] if self.held else tasks

    def _second(self) -> list[Task]:
        """What the nullspace is for: (5.62) with velocities seen from those that lead back to the posture."""
        spin: list[Task] = [Momentum(axes=UPRIGHT)] if self.momentum else []
        slow = np.sqrt(self.gamma)
        legs = [name for leg in self.biped.legs for name in leg.joints]
        tasks: list[Task] = [*spin, Posture(self.biped.q, joints=legs, gain=0.0, weight=slow)]
        return [*tasks, Posture(self.biped.q, joints=self.free, gain=POSTURE, weight=slow)] if self.free else tasks

    def _check(self, q: FloatArray, feet: FootPaths, com: FloatArray, times: FloatArray) -> None:
        model = self.biped.model
        soles = zip(self.biped.legs, self._soles(feet), strict=True)
        tasks = [CenterOfMass(com), *(FramePose(leg.sole, X) for leg, X in soles)]
        off = np.abs(np.concatenate([task.error(model, q) for task in tasks], axis=-1))
        k, row = (int(i) for i in np.unravel_index(int(off.argmax()), off.shape))
        if off[k, row] > MISSED:
            name = ("the centre of mass", "the left sole", "the right sole")[(row + 3) // 6]
            unit = "m" if (row + 3) % 6 < 3 or row < 3 else "rad"
            limits = at_limit(self.biped, model, q[k], NEAR)
            raise PlanningError(
                f"{model.name!r} cannot take these steps: at {times[k]:.2f} s {name} is out of reach by "
                f"{off[k, row]:.2g} {unit}{' (near limits' + limits + ')' if limits else ''}; its legs are "
                f"{self.biped.leg:.2f} m long"
            )


def _twists(X: FloatArray, dt: float) -> FloatArray:
    """Velocities, world axes, that lead from each pose to the next, shape (n, 6); at rest at last."""
    V = np.zeros((len(X), 6))
    V[:-1, :3] = np.diff(X[:, :3, 3], axis=0) / dt
    V[:-1, 3:] = rotation_vector_from_rotation_matrix(X[1:, :3, :3] @ np.swapaxes(X[:-1, :3, :3], -1, -2)) / dt
    return V


def _joints_to(model: Model, body: str) -> list[str]:
    """Joints between the world and a body."""
    return [model.bodies[name].joint for name in carriers(model, body)]


def _moved_masses(model: Model) -> dict[str, float]:
    """Mass that each joint moves [kg]."""
    moved = dict.fromkeys(model.joints, 0.0)
    for name, body in model.bodies.items():
        for joint in _joints_to(model, name):
            moved[joint] += body.inertia.mass
    return moved

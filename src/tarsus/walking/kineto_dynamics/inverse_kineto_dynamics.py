"""Pure motion generation: the reference robot walks, and nothing disturbs it (Buschmann 2014, figures 5.21-5.27)."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import UnknownNameError, nearest
from tarsus.walking.kineto_dynamics.generated_motion import GeneratedMotion
from tarsus.walking.kineto_dynamics.moment_equation import Centroid, moment_equation
from tarsus.walking.kineto_dynamics.moment_feedback import MomentFeedback
from tarsus.walking.kineto_dynamics.planning_feedback import PlanningFeedback
from tarsus.walking.kineto_dynamics.reference_robot import ReferenceRobot
from tarsus.walking.kineto_dynamics.three_mass_plan import PlannedMass, ThreeMassPlan
from tarsus.walking.kineto_dynamics.upper_body import UpperBody
from tarsus.walking.reference.posture_path import posture_path

Stabilised = Literal["none", "planning", "moment", "hybrid"]
"""By nothing, planning each step anew, the contact moment, or both."""
ASTRAY = 0.25
"""Way of the centre of mass from the plan, in lengths of the leg, from which on it has diverged."""
MISSED = 0.02
"""Error of feet or upper body from which on it has, too: legs end [m, rad]."""


class InverseKinetoDynamics:
    """Inverse kineto-dynamics of a walk, a cycle at a time.

    Parameters
    ----------
    plan : ThreeMassPlan
    k : float
        Overall gain of the contact moment (5.97); used where that stabilises.
    stabilised : {"none", "planning", "moment", "hybrid"}
    upper : UpperBody, optional
        The upper body moves, too; it is stiff by default.
    com : PlannedMass, optional
        The centre of mass is told, and the contact moment is what comes of it: inverse kinematics (5.18).

    Attributes
    ----------
    robot : ReferenceRobot
    pressure : ndarray, shape (2,)
        That the contact moment of the last cycle stands for [m].
    saturated : bool
        Whether sat() took anything away then.
    """

    def __init__(
        self,
        plan: ThreeMassPlan,
        k: float = 0.0,
        stabilised: Stabilised = "none",
        *,
        upper: UpperBody | None = None,
        com: PlannedMass | None = None,
    ) -> None:
        if stabilised not in get_args(Stabilised):
            raise UnknownNameError(f"stabilised {stabilised!r} not found{nearest(stabilised, get_args(Stabilised))}")
        self.plan, self.known = plan, plan.known
        known, biped = plan.known, plan.known.biped
        self.stiff = upper is None
        self._com = com
        self.planning = PlanningFeedback(plan) if stabilised in ("planning", "hybrid") else None
        self._mass = plan.along(known.times) if self.planning is None else self.planning.mass
        self._feedback = MomentFeedback.of(k if stabilised in ("moment", "hybrid") else 0.0, known.dt)
        start = np.array([*(self._mass if com is None else com).position[0], known.heights[0, 0]])
        q = posture_path(biped, known.feet.at(np.arange(len(known.times)) == 0), start[None], known.times[:1])[0]
        self.robot = (
            ReferenceRobot(biped.lower.model, q[biped.lower.q], known.frames, known.dt, held=biped.lower.held)
            if upper is None
            else ReferenceRobot(biped.model, q, known.frames, known.dt, held=upper.held, nullspace=upper.nullspace)
        )
        self._supports = known.supports if com is None else []
        self.pressure, self.saturated = np.array(self._mass.pressure[0]), False

    def cycle(self, k: int) -> Centroid:
        """Accelerations at a cycle; `robot.advance` integrates them."""
        known, robot = self.known, self.robot
        centroid = robot.look()
        lift = robot.lift(centroid, known.heights[k])
        targets = known.poses[k], known.twists[k], known.changes[k]
        if self._com is not None:
            told = self._com
            self.pressure = told.pressure[k]
            robot.accelerate(centroid, lift, targets, com=(told.position[k], told.velocity[k], told.acceleration[k]))
            return centroid
        if self.planning is not None:
            self.planning.look(k, centroid)
        mass, heading, point = self._mass, robot.heading(), known.stance(k)
        equation = moment_equation(centroid, lift, point, heading)
        # Pressure and moment are the same thing: T = (p - r_F) x F, F_z = m (g + z'').
        weight = centroid.mass * (centroid.gravity + lift)
        dT = heading @ self._feedback.moment(equation, centroid, mass.position[k], mass.velocity[k], heading)
        change = np.array([-dT[1], dT[0]]) / weight
        planned = mass.pressure[k]
        self.pressure, self.saturated = self._supports[k].saturated(planned, change)
        x, y = self.pressure - point[:2]
        T = heading.T @ np.array([y * weight, -x * weight])
        robot.accelerate(centroid, lift, targets, moment=(equation, T, heading))
        return centroid

    def run(self) -> GeneratedMotion:
        """All cycles, or as many as there are before the motion diverges."""
        known, robot = self.known, self.robot
        n = len(known.times)
        q, v, vdot = np.empty((n, robot.model.nq)), np.empty((n, robot.model.nv)), np.empty((n, robot.model.nv))
        com, planned, pressure = np.empty((n, 2)), np.empty((n, 2)), np.empty((n, 2))
        saturated, missed = np.zeros(n, dtype=bool), np.empty(n)
        whole = self.plan.along(known.times).position
        count, reason = n, ""
        for k in range(n):
            q[k], v[k] = robot.q, robot.v
            try:
                com[k] = self.cycle(k).com[:2]
            except np.linalg.LinAlgError:
                count, reason = k, "no accelerations meet the tasks"
                break
            vdot[k], planned[k], pressure[k] = robot.vdot, self._mass.position[k], self.pressure
            saturated[k], missed[k] = self.saturated, robot.missed
            reason = self._astray(com[k], whole[k])
            if reason:
                count = k
                break
            robot.advance()
        return self._motion(count, reason, q, v, vdot, com, planned, whole, pressure, saturated, missed)

    def _astray(self, com: FloatArray, reference: FloatArray) -> str:
        robot, biped = self.robot, self.known.biped
        if not np.isfinite(robot.vdot).all():
            return "accelerations are not finite"
        far = float(np.abs(com - reference).max())
        if far > ASTRAY * biped.leg:
            return f"the centre of mass is {far:.3f} m from the plan"
        if robot.missed > MISSED:
            return f"feet or upper body are off by {robot.missed:.3f} m or rad"
        return ""

    def _motion(self, count: int, reason: str, q: FloatArray, v: FloatArray, vdot: FloatArray, *rest: FloatArray
    ) -> GeneratedMotion:  # fmt: skip
        known, biped = self.known, self.known.biped
        q, v, vdot = q[:count], v[:count], vdot[:count]
        if self.stiff:
            freedoms = np.zeros((2, count, biped.model.nv))
            freedoms[:, :, biped.lower.v] = v, vdot
            q, (v, vdot) = biped.lower.whole(q), freedoms
        com, planned, whole, pressure, saturated, missed = (values[:count] for values in rest)
        at = float(known.times[count]) if reason else None
        return GeneratedMotion(
            known, known.times[:count], q, v, vdot, com, planned, whole, pressure, saturated.astype(bool), missed, at,
            reason,
        )  # fmt: skip

"""Inverse kineto-dynamics in the cycle of the walking controller (Buschmann 2014, figure 5.25)."""

from __future__ import annotations

import math

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.estimation.single_rotation import rotation_of
from tarsus.dynamics import frame_pose
from tarsus.walking.biped.biped import Biped
from tarsus.walking.kineto_dynamics.inverse_kineto_dynamics import ASTRAY, MISSED
from tarsus.walking.kineto_dynamics.moment_equation import moment_equation
from tarsus.walking.kineto_dynamics.moment_feedback import MomentFeedback
from tarsus.walking.kineto_dynamics.reference_robot import ReferenceRobot, small_turn
from tarsus.walking.kineto_dynamics.support_bounds import SupportBounds
from tarsus.walking.stabilizer.base_reference import CycleGoal

MOVED = 1e-3
"""Way of a foot that stands from which on the support is taken anew [m]."""


class CycleReference:
    """A `BaseReference`: base and legs as numbers, whose contact moment is the planned one in every cycle.

    Its feet are those of the controller, which moves, hurries and sets them as it finds the ground. The centre of mass
    is what follows from them and from the contact moment (5.91), kept near the plan by (5.97) with saturation. Of what
    cannot be followed, as by legs at their ends, it starts again from the set-points. While steps catch the robot the
    planned moment is not the one that it needs: the base is the planned one then, and it starts again after them.

    Attributes
    ----------
    robot : ReferenceRobot
        Base and legs; the upper body is stiff.
    pressure : ndarray, shape (2,)
        That the contact moment of the last cycle stands for [m].
    restarts : int
        How often it started again because it could not go on.
    """

    def __init__(self, biped: Biped, q: FloatArray, dt: float) -> None:
        lower = biped.lower
        self._biped, self._dt = biped, dt
        frames = (biped.pelvis, biped.legs[0].sole, biped.legs[1].sole)
        self.robot = ReferenceRobot(lower.model, q[lower.q], frames, dt, held=lower.held)
        self._feedback = MomentFeedback.holding(biped.gravity / biped.height)
        R = frame_pose(biped.model, biped.q, biped.pelvis)[:3, :3]
        self._R_BP = rotation_of(biped.q[3:7]).T @ R
        self._poses: FloatArray | None = None
        self._support: tuple[SupportBounds, list[FloatArray | None]] | None = None
        self.restarts, self.pressure, self._left = 0, np.zeros(2), False

    def base(self, goal: CycleGoal) -> FloatArray:
        """One cycle further; see `BaseReference.base`."""
        if goal.catching:
            self._left = True
            return goal.base
        if self._left:
            self._restart(goal)
            self._left = False
        robot = self.robot
        try:
            com = self._step(goal)
            lost = (
                not math.isfinite(float(np.abs(robot.vdot).sum()))
                or robot.missed > MISSED
                or float(np.abs(com - goal.com).max()) > ASTRAY * self._biped.leg
            )
        except np.linalg.LinAlgError:
            lost = True
        if lost:
            self.restarts += 1
            self._restart(goal)
            return goal.base
        robot.advance()
        return np.array(robot.q[:7])

    def _step(self, goal: CycleGoal) -> FloatArray:
        """Accelerations of the cycle; the centre of mass before it, shape (2,)."""
        robot, point = self.robot, np.array([*goal.pressure, min(float(X[2, 3]) for X in goal.soles)])
        centroid, heading = robot.look(), robot.heading()
        lift = robot.lift(centroid, np.array([goal.height, 0.0, 0.0]))
        equation = moment_equation(centroid, lift, point, heading)
        weight = centroid.mass * (centroid.gravity + lift)
        dT = heading @ self._feedback.moment(equation, centroid, goal.com, goal.com_rate, heading)
        change = np.array([-dT[1], dT[0]]) / weight
        support = self._bounds(goal)
        self.pressure = goal.pressure + change if support is None else support.saturated(goal.pressure, change)[0]
        x, y = self.pressure - goal.pressure
        T = heading.T @ np.array([y * weight, -x * weight])
        robot.accelerate(centroid, lift, self._targets(goal), moment=(equation, T, heading))
        return centroid.com[:2]

    def _targets(self, goal: CycleGoal) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Poses, velocities and accelerations of pelvis and soles; feet that stand are at rest."""
        X, V = np.zeros((3, 4, 4)), np.zeros((3, 6))
        X[0, :3, :3] = rotation_of(goal.base[3:7]) @ self._R_BP
        X[1], X[2] = goal.soles
        if self._poses is not None:
            for k, moves in enumerate((True, *(not landed for landed in goal.landed))):
                if moves:
                    V[k, :3] = (X[k, :3, 3] - self._poses[k, :3, 3]) / self._dt
                    V[k, 3:] = small_turn(X[k], self._poses[k]) / self._dt
        self._poses = X
        return X, V, np.zeros((3, 6))

    def _bounds(self, goal: CycleGoal) -> SupportBounds | None:
        """Support of the feet that stand, anew where one of them came, went or moved; None where none stands."""
        feet = [sole if landed else None for sole, landed in zip(goal.soles, goal.landed, strict=True)]
        if all(foot is None for foot in feet):
            return None
        if self._support is None or any(_differ(a, b) for a, b in zip(feet, self._support[1], strict=True)):
            corners = [
                leg.corners @ X[:3, :3].T + X[:3, 3]
                for leg, X in zip(self._biped.legs, feet, strict=True)
                if X is not None
            ]
            self._support = SupportBounds.of(np.concatenate(corners)), feet
        return self._support[0]

    def _restart(self, goal: CycleGoal) -> None:
        """Where the set-points are, as fast as the plan."""
        lower, robot = self._biped.lower, self.robot
        robot.q, robot.v = np.array(goal.q[lower.q]), np.array(goal.v[lower.v])
        self._poses = None


def _differ(a: FloatArray | None, b: FloatArray | None) -> bool:
    if a is None or b is None:
        return a is not b
    return bool(np.abs(a - b).max() > MOVED)

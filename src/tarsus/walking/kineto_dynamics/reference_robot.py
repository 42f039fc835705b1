"""A robot that exists only as numbers: it moves as known tasks and contact moments tell it (Buschmann 2014, (5.91))."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dposv

from tarsus.arrays import FloatArray, IndexArray
from tarsus.dynamics import (
    center_of_mass,
    frame_pose,
    jacobian,
    jacobian_dot_v,
    momentum_dot_v,
    momentum_matrix,
)
from tarsus.errors import ArgumentError
from tarsus.ik.objectives import Objective, Sum
from tarsus.model import Model
from tarsus.model.joint import ONE_AXIS
from tarsus.walking.biped.leg import places
from tarsus.walking.kineto_dynamics.drift_feedback import DriftFeedback
from tarsus.walking.kineto_dynamics.moment_equation import Centroid, MomentEquation

UPRIGHT = 0.1
"""Part of an axis that is level, seen from above, up to which it shows no heading: 6 degrees from the vertical."""


@dataclass(frozen=True, eq=False)
class Nullspace:
    """Which of all accelerations is taken where joints are left over.

    |vdot + damping (v - v_H) |^2 + spin |L_z'  + damping L_z|^2 is least, v_H = -dH/dq of the objectives: velocities
    go to those that the objectives ask for, as in (5.62), and the vertical angular momentum goes away.

    Attributes
    ----------
    objectives : sequence of Objective
        Of `tarsus.ik.objectives`.
    damping : float
        [1/s].
    spin : float
        Weight of the vertical angular momentum beside that of velocities, 1 / gamma of (5.62).
    """

    objectives: Sequence[Objective] = ()
    damping: float = 10.0
    spin: float = 0.0

    def __post_init__(self) -> None:
        for name in ("damping", "spin"):
            if not (math.isfinite(value := getattr(self, name)) and value >= 0):
                raise ArgumentError(f"{name} of Nullspace is {value!r}; expected a number of at least 0")


class ReferenceRobot:
    """Integrates accelerations that meet w_k and the contact moment, or all of w.

    The task space w has the centre of mass, the orientation of the upper body, both soles, and joints that are held.

    Attributes
    ----------
    model : Model
    q, v, vdot : ndarray
        State, and the accelerations of the last cycle.
    missed : float
        Largest error of w_k then [m, rad].
    """

    def __init__(
        self,
        model: Model,
        q: FloatArray,
        frames: Sequence[str],
        dt: float,
        *,
        held: Sequence[str] = (),
        nullspace: Nullspace | None = None,
        feedback: DriftFeedback | None = None,
    ) -> None:
        for name in held:
            if model.joints[name].kind not in ONE_AXIS:
                raise ArgumentError(f"held joint {name!r} is {model.joints[name].kind}; expected a joint of one axis")
        self.model, self._frames, self._dt = model, tuple(frames), dt
        self.q, self.v = np.array(q, dtype=float), np.zeros(model.nv)
        self.vdot = np.zeros(model.nv)
        self._held: tuple[IndexArray, IndexArray] = places(model, held)
        self._posture = self.q[self._held[0]]
        self._feedback = DriftFeedback.at(dt) if feedback is None else feedback
        self._nullspace = Nullspace() if nullspace is None else nullspace
        given = tuple(self._nullspace.objectives)
        self._objective = Sum(given) if given else None
        self.missed = 0.0
        self._gravity = float(-model.gravity[2])
        rows = 18 + len(self._held[0])
        if rows > model.nv:
            raise ArgumentError(
                f"{model.name!r} has {model.nv} freedoms, and its task space {rows}; expected no more of it"
            )
        self._J, self._r = np.zeros((rows, model.nv)), np.zeros(rows)
        self._J[np.arange(18, rows), self._held[1]] = 1.0

    def look(self) -> Centroid:
        """Centre of mass and momentum where the robot is."""
        model, q = self.model, self.q
        A, mass = momentum_matrix(model, q), model.total_mass
        return Centroid(
            mass, self._gravity, center_of_mass(model, q), A[:3] @ self.v / mass, A, momentum_dot_v(model, q, self.v)
        )

    def heading(self) -> FloatArray:
        """Axes of the frame that turns with the upper body, seen from above, shape (2, 2).

        The first is its x axis, or its y axis where x is upright.
        """
        R = frame_pose(self.model, self.q, self._frames[0])
        level = 0 if math.hypot(R[0, 0], R[1, 0]) > UPRIGHT else 1
        size = math.hypot(R[0, level], R[1, level])
        c, s = R[0, level] / size, R[1, level] / size
        return np.array([[c, -s], [s, c]])

    def lift(self, centroid: Centroid, height: FloatArray) -> float:
        """z_C'' that keeps the centre of mass at a height, told with rate and acceleration (3,), feedback included."""
        kp, kd = self._feedback.kp, self._feedback.kd
        z, rate, change = height.tolist()
        return float(change + kp * (z - centroid.com[2]) + kd * (rate - centroid.com_rate[2]))

    def accelerate(
        self,
        centroid: Centroid,
        lift: float,
        targets: tuple[FloatArray, FloatArray, FloatArray],
        *,
        moment: tuple[MomentEquation, FloatArray, FloatArray] | None = None,
        com: tuple[FloatArray, FloatArray, FloatArray] | None = None,
    ) -> FloatArray:
        """Accelerations of one cycle, shape (nv,).

        Parameters
        ----------
        lift : float
            z_C'' [m/s^2].
        targets : tuple of ndarray
            Poses (3, 4, 4), twists and accelerations (3, 6) of upper body and soles; places of the first do not count.
        moment : tuple, optional
            The equation of the contact moment, that moment (2,) [N m] and the axes (2, 2) in which it is told: x_C and
            y_C are unknown (5.91).
        com : tuple of ndarray, optional
            In place of it x_C and y_C, their rates and accelerations, shape (2,) each: all of w is known (5.18).
        """
        J, r = self._J, self._r
        J[:3], r[:3] = centroid.matrix[:3] / centroid.mass, centroid.rate[:3] / centroid.mass
        r[2] -= lift
        if moment is not None:
            equation, T, heading = moment
            # Rows of the centre of mass in the axes of the heading: R = J_w + T_wu B^-1 A, r = dJ/dt v + T_wu B^-1 c.
            J[:2] = heading.T @ J[:2] + equation.inverse(equation.A)
            r[:2] = heading.T @ r[:2] + equation.inverse(equation.c - T)
        elif com is not None:
            kp, kd = self._feedback.kp, self._feedback.kd
            x, rate, change = com
            r[:2] -= change + kd * (rate - centroid.com_rate[:2]) + kp * (x - centroid.com[:2])
        else:
            raise ArgumentError("accelerate: found neither a moment nor a centre of mass; expected one of them")
        self._known_rows(*targets)
        self.vdot = self._solved(J, -r, centroid)
        return self.vdot

    def advance(self) -> None:
        """To the next cycle, v before q."""
        self.v = self.v + self._dt * self.vdot
        self.q = self.model.integrate(self.q, self._dt * self.v)

    def _known_rows(self, X_d: FloatArray, V_d: FloatArray, A_d: FloatArray) -> None:
        """Rows of orientation, soles and held joints: J vdot + dJ/dt v - w_k''."""
        model, q, v = self.model, self.q, self.v
        kp, kd = self._feedback.kp, self._feedback.kd
        worst, row = 0.0, 3
        for k, frame in enumerate(self._frames):
            X, J = frame_pose(model, q, frame), jacobian(model, q, frame)
            bias, first = jacobian_dot_v(model, q, v, frame), 3 if k == 0 else 0
            error = np.empty(6)
            error[:3] = X_d[k, :3, 3] - X[:3, 3]
            error[3:] = small_turn(X_d[k], X)
            wanted = A_d[k] + kd * (V_d[k] - J @ v) + kp * error
            end = row + 6 - first
            self._J[row:end], self._r[row:end] = J[first:], bias[first:] - wanted[first:]
            worst, row = max(worst, float(np.abs(error[first:]).max())), end
        q_held, v_held = self._held
        if len(q_held):
            self._r[18:] = kd * v[v_held] + kp * (q[q_held] - self._posture)
        self.missed = worst

    def _solved(self, R: FloatArray, b: FloatArray, centroid: Centroid) -> FloatArray:
        """R vdot = b, with what the nullspace asks for where that is not all."""
        rows, nv = R.shape
        if rows == nv:
            return np.asarray(np.linalg.solve(R, b))
        # The least |vdot - wish|^2 + s (a vdot - d)^2: metric W = 1 + s a a^T, whose inverse is of the same kind.
        null = self._nullspace
        v_H = 0.0 if self._objective is None else -self._objective.gradient(self.model, self.q)
        wish = -null.damping * (self.v - v_H)
        RW = R
        if null.spin > 0.0:
            a = centroid.matrix[5]
            lower = null.spin / (1.0 + null.spin * float(a @ a))
            spin = centroid.rate[5] + null.damping * float(a @ self.v)
            wish = wish - lower * (float(a @ wish) + spin) * a
            RW = R - (lower * (R @ a))[:, None] * a
        _, multipliers, failed = dposv(RW @ R.T, b - R @ wish)
        if failed:
            raise np.linalg.LinAlgError("rows of the tasks depend on each other")
        return np.asarray(wish + RW.T @ multipliers)


def small_turn(X_d: FloatArray, X: FloatArray) -> FloatArray:
    """Small rotation from one orientation to another, world axes: sum of r_i x d_i / 2, shape (3,)."""
    D = X_d[:3, :3] @ X[:3, :3].T
    return 0.5 * np.array([D[2, 1] - D[1, 2], D[0, 2] - D[2, 0], D[1, 0] - D[0, 1]])

"""Hybrid control of motion and force, Raibert and Craig 1981 and Khatib 1987."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, final, get_args

import numpy as np
import numpy.typing as npt

from tarsus.arrays import BoolArray, FloatArray
from tarsus.control.driven_model import require_drives, within_limits
from tarsus.control.force_loop import ForceGains, ForceLoop
from tarsus.control.observation import Observation
from tarsus.control.operational_space import check_beside, free_acceleration
from tarsus.control.selection import Selection
from tarsus.control.task_inertia import TaskInertia, task_inertia
from tarsus.dynamics import inverse_dynamics, jacobian, jacobian_dot_v, mass_matrix
from tarsus.errors import ArgumentError, UnknownNameError, nearest
from tarsus.ik.acceleration.demand import wanted_acceleration
from tarsus.ik.velocity.damped import adaptive_damping
from tarsus.model import Model
from tarsus.spatial._arrays import as_vector
from tarsus.tasks import FramePose, Posture

HybridMethod = Literal["operational-space", "raibert-craig"]


@dataclass(frozen=True, eq=False)
class _Moment:
    """What a law needs at one moment, in axes of the surface.

    Attributes
    ----------
    seen : TaskInertia
        Of all six directions.
    motion : ndarray, shape (..., 6)
        Accelerations of the frame that are wanted along directions of motion, damping along those of force.
    force : ndarray, shape (..., 6)
        Wrench to exert: of the loop along directions of force; along those of motion that of friction, and what keeps
        an unbalanced force from moving them.
    M : ndarray, shape (..., nv, nv)
    h, own : ndarray, shape (..., nv)
        Bias, and accelerations beside the task.
    """

    seen: TaskInertia
    motion: FloatArray
    force: FloatArray
    M: FloatArray
    h: FloatArray
    own: FloatArray


@final
class HybridForce:
    """A controller ``law(observation)`` that moves a frame along some directions and presses along the others.

    "operational-space": tau = J^T (Lambda a + f) + h + N^T M a_0 with a the accelerations of the motion and -damping
    times velocity along directions of force (Khatib 1987). "raibert-craig": tau = M J^+ a + J^T f + h and damping or
    posture in the nullspace of J, where errors are turned into joint motions by the (damped) inverse of the Jacobian
    (Raibert and Craig 1981, with computed torques in place of their joint servos). Other than in both papers, a force
    that nothing balances, as on the way to a wall, is kept from accelerating directions of motion. f is that of a
    `ForceLoop` on the wrench of the contacts on the frame's body, which remembers: a law is for one run at a time.

    Parameters
    ----------
    pose : callable
        ``pose(t)`` gives a `FramePose` of the frame that presses, with the velocity and acceleration of its target.
        What it asks along directions of force is not looked at.
    force : array_like, shape (6,), or callable
        Wrench to exert on the surroundings at the frame's origin, in axes of the surface [N, N m]: or ``force(t)``.
    selection : Selection
    gains : ForceGains
    posture : Posture, optional
        What the joints should do beside the task; they are damped without.
    damping : float
        Of motions beside the task where there is no posture [1/s].
    friction : bool
        Compensate the part of the measured wrench along directions of motion, as that of friction.
    wrench : callable, optional
        ``wrench(observation)``, shape (..., 6): what the surroundings do to the robot at the frame's origin, world
        axes, as a sensor tells it; the true one of all contacts on the frame's body by default.
    method : {"operational-space", "raibert-craig"}
    limited : bool
        Cut torques to `model.tau_max`.
    """

    def __init__(
        self,
        model: Model,
        pose: Callable[[float], FramePose],
        force: npt.ArrayLike | Callable[[float], npt.ArrayLike],
        selection: Selection,
        *,
        gains: ForceGains | None = None,
        posture: Posture | None = None,
        damping: float = 10.0,
        friction: bool = True,
        wrench: Callable[[Observation], npt.ArrayLike] | None = None,
        method: HybridMethod = "operational-space",
        limited: bool = True,
    ) -> None:
        require_drives(model, "HybridForce")
        if not callable(pose):
            raise ArgumentError(f"pose of HybridForce is {pose!r}; expected a function of time that gives a FramePose")
        if not isinstance(selection, Selection):
            raise ArgumentError(f"selection of HybridForce is {selection!r}; expected a tarsus.control.Selection")
        check_beside("HybridForce", posture, damping)
        if method not in get_args(HybridMethod):
            raise UnknownNameError(
                f"method {method!r} of HybridForce not found{nearest(method, get_args(HybridMethod))}"
            )
        if not callable(force):
            as_vector(force, "force of HybridForce", 6)
        self.model, self.pose, self.force, self.selection = model, pose, force, selection
        self.posture, self.damping, self.wrench = posture, float(damping), wrench
        self.friction, self.method, self.limited = friction, method, limited
        self.gains = ForceGains() if gains is None else gains
        self._loop = ForceLoop(self.gains)

    def __call__(self, observation: Observation) -> FloatArray:
        """Torques at one moment, shape (..., nv)."""
        task = self._task(observation.t)
        felt = observation.wrench(task.frame) if self.wrench is None else self.wrench(observation)
        measured = -self.selection.components(as_vector(felt, "wrench of HybridForce", 6))
        now = self._moment(task, observation.t, observation.q, observation.v, measured)
        law = _operational if self.method == "operational-space" else _raibert_craig
        tau = law(now)
        return within_limits(self.model, tau) if self.limited else tau

    def _task(self, t: float) -> FramePose:
        task = self.pose(t)
        if not isinstance(task, FramePose) or task.axes is not None or task.reference is not None:
            raise ArgumentError(
                f"pose of HybridForce gave {task!r} at {t:g} s; expected a FramePose in the world with all its axes"
            )
        return task

    def _moment(self, task: FramePose, t: float, q: FloatArray, v: FloatArray, measured: FloatArray) -> _Moment:
        model, pressed = self.model, np.asarray(self.selection.force)
        J = self.selection.turned(jacobian(model, q, task.frame))
        bias = self.selection.components(jacobian_dot_v(model, q, v, task.frame))
        wanted = self.selection.components(wanted_acceleration(model, task, q, v))
        rate = (J @ v[..., None])[..., 0]
        motion = np.where(pressed, -self.gains.damping * rate, wanted) - bias
        asked = as_vector(self.force(t) if callable(self.force) else self.force, "force of HybridForce", 6)
        force = self._loop.command(t, np.where(pressed, asked, 0.0), np.where(pressed, measured, 0.0))
        M = mass_matrix(model, q)
        seen = task_inertia(J, M)
        unbalanced = np.where(pressed, force - measured, 0.0)
        beside = _kept_from_motion(seen.inertia, pressed, unbalanced) + (measured if self.friction else 0.0)
        force = np.where(pressed, force, beside)
        h = inverse_dynamics(model, q, v, np.zeros(model.nv), passive=True)
        own = free_acceleration(model, self.posture, self.damping, q, v)
        return _Moment(seen, motion, force, M, h, own)


def _kept_from_motion(inertia: FloatArray, pressed: BoolArray, unbalanced: FloatArray) -> FloatArray:
    """Forces along directions of motion with which an unbalanced force accelerates its own directions only.

    Lambda_mf Lambda_ff^-1 f, shape (..., 6), with m the directions of motion and f those of force.
    """
    own = inertia[..., pressed, :][..., pressed]
    pushed = np.linalg.solve(own, unbalanced[..., pressed][..., None])
    return np.asarray((inertia[..., :, pressed] @ pushed)[..., 0])


def _operational(now: _Moment) -> FloatArray:
    seen = now.seen
    beside = seen.in_nullspace((now.M @ now.own[..., None])[..., 0])
    return np.asarray(seen.torque(now.motion) + seen.transposed(now.force) + now.h + beside)


def _raibert_craig(now: _Moment) -> FloatArray:
    J = now.seen.J
    J_t = np.swapaxes(J, -1, -2)
    inner = np.linalg.inv(J @ J_t + adaptive_damping(J)[..., None, None] * np.eye(6))
    inverse = J_t @ inner
    joints = (inverse @ now.motion[..., None])[..., 0]
    beside = now.own - (inverse @ (J @ now.own[..., None]))[..., 0]
    pressed = (J_t @ now.force[..., None])[..., 0]
    return np.asarray((now.M @ (joints + beside)[..., None])[..., 0] + now.h + pressed)

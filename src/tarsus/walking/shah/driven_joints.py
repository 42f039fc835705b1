"""Walk of a robot whose joints follow a gait exactly, its base as the ground lets it (Shah et al., section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact import PseudoCoulomb
from tarsus.contact.laws.native_law import contact_force
from tarsus.dynamics import body_jacobians, body_poses, floating_inverse_dynamics
from tarsus.errors import ArgumentError, SimulationError
from tarsus.model import Model
from tarsus.spatial.cross_product import skew
from tarsus.walking.shah.pendulum_gait import GaitMotion, PendulumGait

_FALLEN_PITCH = 1.0
"""Pitch of the trunk [rad] at which the planned joint motion has lost its meaning."""


@dataclass(frozen=True, eq=False)
class DrivenWalk:
    """Motion of the whole robot and the joint torques that it takes.

    Attributes
    ----------
    time : ndarray, shape (N,)
        [s]; equidistant.
    q, v : ndarray, shape (N, 9)
    tau : ndarray, shape (N, 9)
        Joint torques [N m]; those of the base are zero.
    contacts : tuple of str
        Frames that touch the ground.
    contact_force : ndarray, shape (N, nc, 3)
        Forces on the robot, world axes [N].
    finished : bool
        False where the trunk fell before the end; the arrays end there.
    """

    time: FloatArray
    q: FloatArray
    v: FloatArray
    tau: FloatArray
    contacts: tuple[str, ...]
    contact_force: FloatArray
    finished: bool


def drive_joints(
    model: Model,
    gait: PendulumGait,
    law: PseudoCoulomb,
    *,
    duration: float,
    contacts: Sequence[str] = ("r_toe", "r_heel", "l_toe", "l_heel"),
    sample: float = 1e-3,
    base: npt.ArrayLike | None = None,
    base_velocity: npt.ArrayLike | None = None,
    rtol: float = 1e-5,
) -> DrivenWalk:
    """Let the joints follow the gait exactly and find how the base moves and which torques that takes.

    The joints' angles, rates and accelerations are given functions of time. At each instant the state of the base gives
    the forces of the level, compliant ground at z = 0, and with them (21) gives the acceleration of the base, which is
    integrated, and the joint torques: "those trajectories were used to obtain the trunk motions, followed by the
    evaluation of joint torques" (section 4). The torques hold the ground forces as the ground really exerts them, while
    the feet sink in, roll and touch down early; that is what makes them useful as a feed-forward.

    Parameters
    ----------
    model : Model
        Planar biped with the coordinates of `GaitMotion`, such as `tarsus.robots.shah7`.
    gait : PendulumGait
    law : PseudoCoulomb
        Contact law of the ground.
    duration : float
        [s].
    contacts : sequence of str
        Frames whose origins touch the ground.
    sample : float
        Time between rows of the result [s].
    base, base_velocity : array_like, shape (3,), optional
        State of the base at the start; as planned otherwise: the feet touch the ground, which carries nothing yet.
    rtol : float
        Tolerance of the integration of the base (Radau IIA, which steps over the jumps of the force at touch-down
        without stalling); the absolute tolerance is 1e-2 rtol [m], [rad].

    Returns
    -------
    DrivenWalk
    """
    _check(model, duration, sample)
    start = gait.motion(0.0)
    y = np.concatenate([_three("base", base, start.q), _three("base_velocity", base_velocity, start.v)])
    points = _Points(model, contacts)
    times: FloatArray = np.asarray(sample * np.arange(round(duration / sample) + 1), dtype=np.float64)
    owner = np.maximum(0, np.ceil(times / gait.period - 1e-9).astype(int) - 1)  # an exchange belongs to the step before
    rows = [y[None]]
    for step in range(int(owner[-1]) + 1):
        span = (step * gait.period, min((step + 1) * gait.period, float(times[-1])))
        found, y, stands = _base_in_step(
            model, gait, law, points, step, span, y, times[(owner == step) & (times > 0.0)], rtol
        )
        rows.append(found)
        if not stands:
            break
    return _evaluated(model, gait, law, points, times, owner, np.concatenate(rows))


def _base_in_step(
    model: Model,
    gait: PendulumGait,
    law: PseudoCoulomb,
    points: _Points,
    step: int,
    span: tuple[float, float],
    y: FloatArray,
    times: FloatArray,
    rtol: float,
) -> tuple[FloatArray, FloatArray, bool]:
    """States (q, v) of the base at the times and at the end of a step that starts with y, and whether it stands."""
    from scipy.integrate import solve_ivp

    planned = lru_cache(maxsize=8)(lambda t: gait.motion(t, step))  # the stages of Radau come back to the same times

    def rate(t: float, columns: FloatArray) -> FloatArray:
        y = columns.T
        q, v, acceleration = _state(planned(float(t)), y)
        external, _ = points.external(law, q, v)
        base_acceleration = floating_inverse_dynamics(model, q, v, acceleration, external).base_acceleration  # (21)
        c, s = np.cos(y[..., 2]), np.sin(y[..., 2])
        along, up = c * y[..., 3] + s * y[..., 4], -s * y[..., 3] + c * y[..., 4]
        return np.stack([along, up, y[..., 5], *np.moveaxis(base_acceleration, -1, 0)])

    def fallen(t: float, y: FloatArray) -> float:
        return float(_FALLEN_PITCH - abs(y[2]))

    fallen.terminal = True  # type: ignore[attr-defined]
    options: dict[str, Any] = dict(method="Radau", dense_output=True, events=fallen, vectorized=True, rtol=rtol)
    solved: Any = solve_ivp(rate, span, y, atol=1e-2 * rtol, max_step=gait.period / 50.0, **options)
    if solved.status < 0:
        raise SimulationError(
            f"the motion of the base could not be integrated beyond {solved.t[-1]:g} s: {solved.message}"
        )
    stands = solved.status == 0
    within = times if stands else times[times <= solved.t[-1]]
    if not len(within):  # fell before the first of the times; SciPy cannot interpolate at none
        return np.empty((0, 6)), np.asarray(solved.y[:, -1], dtype=np.float64), stands
    found = np.asarray(solved.sol(np.clip(within, *span)).T, dtype=np.float64).reshape(-1, 6)
    return found, np.asarray(solved.y[:, -1], dtype=np.float64), stands


def _three(name: str, value: npt.ArrayLike | None, planned: FloatArray) -> FloatArray:
    array = np.array(planned[:3] if value is None else value, dtype=float)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise ArgumentError(f"{name} is {value!r}; expected three finite numbers")
    return array


def _evaluated(
    model: Model,
    gait: PendulumGait,
    law: PseudoCoulomb,
    points: _Points,
    times: FloatArray,
    owner: npt.NDArray[np.int64],
    base: FloatArray,
) -> DrivenWalk:
    """Torques and ground forces along the motion of the base, all rows at once."""
    n = len(base)
    q, v, acceleration = _state(gait.motion(times[:n], owner[:n]), base)
    external, force = points.external(law, q, v)
    tau = np.zeros_like(v)
    tau[:, 3:] = floating_inverse_dynamics(model, q, v, acceleration, external).joint_torque
    return DrivenWalk(times[:n], q, v, tau, points.names, force, n == len(times))


def _state(planned: GaitMotion, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Whole q and v from the state (q, v) of the base, and the accelerations of the joints, all of the shape of y."""
    batch = y.shape[:-1]
    q, v, vdot = (np.array(np.broadcast_to(part, (*batch, part.shape[-1]))) for part in planned)
    q[..., :3], v[..., :3] = y[..., :3], y[..., 3:]
    return q, v, vdot[..., 3:]


class _Points:
    """Contact points on level ground."""

    def __init__(self, model: Model, names: Sequence[str]) -> None:
        frames = [model.frames[name] for name in names]
        self.model, self.names = model, tuple(names)
        self.bodies = [model.bodies[frame.body].index for frame in frames]
        self.positions = np.array([frame.pose[:3, 3] for frame in frames])

    def external(self, law: PseudoCoulomb, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Wrenches on the bodies (..., nb, 6) and forces at the points (..., nc, 3) [N], section 2.2."""
        X = body_poses(self.model, q)[..., self.bodies, :, :]
        r = (X[..., :3, :3] @ self.positions[:, :, None])[..., 0]
        twist = (body_jacobians(self.model, q)[..., self.bodies, :, :] @ v[..., None, :, None])[..., 0]
        arm = skew(r)
        velocity = twist[..., :3] - (arm @ twist[..., 3:, None])[..., 0]
        depth = -(X[..., 2, 3] + r[..., 2])
        force = contact_force(law, depth, velocity)
        wrench = np.concatenate([force, (arm @ force[..., None])[..., 0]], axis=-1)
        external = np.zeros((*q.shape[:-1], self.model.nb, 6))
        for k, body in enumerate(self.bodies):
            external[..., body, :] += wrench[..., k, :]
        return external, force


def _check(model: Model, duration: float, sample: float) -> None:
    if model.base != "planar" or model.nv != 9:
        raise ArgumentError(
            f"{model.name!r} has a {model.base} base and {model.nv} degrees of freedom; expected a planar base and two "
            "legs of three joints"
        )
    if not (np.isfinite(duration) and duration > 0.0):
        raise ArgumentError(f"duration is {duration!r}; expected a time above 0 [s]")
    if not (np.isfinite(sample) and 0.0 < sample <= duration):
        raise ArgumentError(f"sample is {sample!r}; expected a time above 0 and at most the duration, {duration!r} [s]")

"""The walking example of Shah, Saha and Dutt, section 4: the 7-link biped on compliant ground."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact import PseudoCoulomb, flat, points
from tarsus.errors import UnknownNameError, nearest
from tarsus.recording.energies import total_energy
from tarsus.recording.trajectory import Trajectory
from tarsus.robots import shah7
from tarsus.simulation.simulate import simulate
from tarsus.walking.shah.driven_joints import DrivenWalk, drive_joints
from tarsus.walking.shah.feedforward_pd import feedforward_pd
from tarsus.walking.shah.pendulum_gait import LEGS_EXCHANGED, PendulumGait
from tarsus.walking.shah.rigid_ground_torque import rigid_ground_torque

SHAH_GROUND = PseudoCoulomb(stiffness=2000.0, damping=2742.26, friction=0.7, viscosity=1000.0)
"""Ground of the authors' program ReDySim: the paper prints no numbers. The damping is ten times the critical one,
10 * 2 sqrt(2000 N/m * 9.4 kg)."""

FIRM_GROUND = PseudoCoulomb(stiffness=20000.0, damping=4000.0, friction=0.7, viscosity=1000.0)
"""Ten times as stiff: here a foot can carry the standing robot, and the paper's law and gains walk for good."""

CONTACTS = ("r_toe", "r_heel", "l_toe", "l_heel")
"""Ends of the feet, the contact points of the paper."""

FeedForward = Literal["driven", "rigid", "none"]
_FEED_FORWARDS = ("driven", "rigid", "none")
_KNOT_SPACING = 1e-3
"""Time between references of the law [s]."""


def shah_walk(
    duration: float = 4.0,
    *,
    gait: PendulumGait | None = None,
    kp: float = 170.0,
    kd: float = 30.0,
    ground: PseudoCoulomb = SHAH_GROUND,
    known_ground: PseudoCoulomb | None = None,
    feedforward: FeedForward = "driven",
    speed: float = 1.0,
    pitch: float = 0.0,
    integrator: str = "dormand-prince",
    dt: float = _KNOT_SPACING,
    relative: float = 1e-8,
    absolute: float = 1e-9,
    sample_dt: float = 0.01,
    progress: bool | None = None,
) -> Trajectory:
    """Walk of `tarsus.robots.shah7` under feed-forward plus PD, from the planned state on.

    On the ground of the authors' program the walk lasts for the 4 s of the paper and falls at 12.6 s; on `FIRM_GROUND`
    it becomes periodic and goes on.

    Parameters
    ----------
    duration : float
        [s].
    gait : PendulumGait, optional
        That of the paper by default.
    kp, kd : float
        Gains [N m/rad], [N m s/rad].
    ground : PseudoCoulomb
        Law of the level ground.
    known_ground : PseudoCoulomb, optional
        The ground that the feed-forward counts on; the same by default.
    feedforward : {"driven", "rigid", "none"}
        Torques of `drive_joints`, which knows that the ground gives way; of `rigid_ground_torque`; or none.
    speed : float
        Factor on the planned velocity of the base at the start.
    pitch : float
        Pitch of the trunk at the start [rad]; planned is 0.
    integrator, dt, relative, absolute
        As for `simulate`.
    sample_dt : float
        Time between samples [s].
    progress : bool, optional
        As for `simulate`.

    Returns
    -------
    Trajectory
        With the signals "q_desired" (N, 9) and "tau_feedforward" (N, 9).
    """
    if feedforward not in _FEED_FORWARDS:
        raise UnknownNameError(f"feedforward {feedforward!r} not found{nearest(feedforward, _FEED_FORWARDS)}")
    model, gait = shah7(), gait or PendulumGait()
    times = _KNOT_SPACING * np.arange(round(duration / _KNOT_SPACING) + 1)
    tau = np.zeros((len(times), model.nv))
    if feedforward == "driven":
        driven = _driven(gait, known_ground or ground, duration)
        tau[: len(driven.tau)] = driven.tau  # where the driven robot falls, nothing is fed forward any more
    elif feedforward == "rigid":
        tau = rigid_ground_torque(model, gait, times)
    start = gait.motion(0.0)
    q0, v0 = start.q.copy(), start.v.copy()
    q0[2] += pitch
    v0[:3] *= speed
    trajectory = simulate(
        model, q0, v0, duration=duration, controller=feedforward_pd(gait, times, tau, kp=kp, kd=kd),
        ground=flat(ground), contacts=points(model, CONTACTS), integrator=integrator, dt=dt,
        sample_dt=sample_dt, relative=relative, absolute=absolute, progress=progress,
    )  # fmt: skip
    row = np.round(trajectory.time / _KNOT_SPACING).astype(int)
    signals = dict(trajectory.signals) | {"q_desired": gait.motion(trajectory.time).q, "tau_feedforward": tau[row]}
    return replace(trajectory, signals=signals)


@lru_cache(maxsize=8)
def _driven(gait: PendulumGait, ground: PseudoCoulomb, duration: float) -> DrivenWalk:
    """Inverse dynamics on this ground, remembered: studies change everything else."""
    return drive_joints(shah7(), gait, ground, duration=duration, contacts=CONTACTS, sample=_KNOT_SPACING)


@dataclass(frozen=True, eq=False)
class WalkMeasures:
    """What one walk came to.

    Attributes
    ----------
    distance : float
        Way of the trunk forward [m].
    pitch : tuple of 2 floats
        Least and greatest pitch of the trunk [rad]; positive is forward.
    fallen : float or None
        Time [s] from which on the trunk is lower than 0.9 m or pitched by more than 30 degrees.
    step_lengths : ndarray, shape (steps,)
        Way of the trunk in each step [m].
    pitch_repeats, height_repeats, joint_repeats : ndarray, shape (steps - 1,)
        Largest difference between a step, from the second on, and the one before it with the legs exchanged: pitch and
        joint angles [rad], height of the trunk [m].
    energy_exchanged : float
        What flowed between actuators, robot and ground, the sum of all changes of the actuators' work [J].
    energy_drift : float
        Range of the total energy, which ought to be constant [J].
    """

    distance: float
    pitch: tuple[float, float]
    fallen: float | None
    step_lengths: FloatArray
    pitch_repeats: FloatArray
    height_repeats: FloatArray
    joint_repeats: FloatArray
    energy_exchanged: float
    energy_drift: float


_LOW, _PITCHED = 0.9, np.radians(30.0)


def measure_walk(trajectory: Trajectory, period: float = 1.0) -> WalkMeasures:
    """Measures of a walk of one robot with the step duration `period` [s], whose samples divide it evenly."""
    t, q = trajectory.time, trajectory.q
    n = round(period / float(t[1] - t[0]))
    down = np.flatnonzero((np.abs(q[:, 2]) > _PITCHED) | (q[:, 1] < _LOW))
    whole = q[: (len(q) - 1) // n * n + 1]
    steps = np.stack([whole[k : k + n + 1] for k in range(0, len(whole) - n, n)])
    mirrored = steps.copy()
    mirrored[1::2] = mirrored[1::2][..., LEGS_EXCHANGED]
    total = total_energy(trajectory.energy)
    return WalkMeasures(
        distance=float(q[-1, 0] - q[0, 0]),
        pitch=(float(q[:, 2].min()), float(q[:, 2].max())),
        fallen=float(t[down[0]]) if len(down) else None,
        step_lengths=steps[:, -1, 0] - steps[:, 0, 0],
        pitch_repeats=np.abs(np.diff(steps[..., 2], axis=0)).max(axis=1),
        height_repeats=np.abs(np.diff(steps[..., 1], axis=0)).max(axis=1),
        joint_repeats=np.abs(np.diff(mirrored[..., 3:], axis=0)).max(axis=(1, 2)),
        energy_exchanged=float(np.abs(np.diff(trajectory.energy["actuator"])).sum()),
        energy_drift=float(np.ptp(total)),
    )

"""Walks under the law: single supports, landings and exchanges of legs, until the foot would not stay flat."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.errors import ArgumentError
from tarsus.recording.trajectory import Trajectory
from tarsus.walking.path_following.flat_foot_limits import FlatFootLimits, pressure_of
from tarsus.walking.path_following.path_law import PathLaw
from tarsus.walking.path_following.planar_biped import PlanarBiped
from tarsus.walking.path_following.single_support import SingleSupport

_HELD = 1e-6
"""Speed of the other foot into the ground that counts as rest [m/s]."""


def walk_path(
    law: PathLaw,
    rate: float,
    *,
    steps: int,
    limits: FlatFootLimits | None = None,
    robot: PlanarBiped | None = None,
    theta: npt.ArrayLike | None = None,
    stop_at_limits: bool = True,
    landing_gap: float = 2e-3,
    sample_dt: float = 5e-3,
    relative: float = 1e-8,
) -> Trajectory:
    """Let a robot walk along a path.

    Between impacts the foot that stands is held by the ground, the torques of the law act, and accelerations and the
    ground's wrench follow from them (`PlanarBiped.driven`); angles, rates, s and s' are integrated. At s = 1 the other
    foot lands, rigid and plastic (`PlanarBiped.impact`), and the legs exchange their roles. The law knows s and s' by
    its own integration; at the start of a step it takes s' from the joint rates.

    Parameters
    ----------
    law : PathLaw
    rate : float
        The joints start with the rates theta_d'(0) rate [1/s].
    steps : int
    limits : FlatFootLimits, optional
        Of the force under the foot that stands, and of the impulse under the one that lands; by default those of the
        whole sole with a friction of 0.7.
    robot : PlanarBiped, optional
        The one that walks, where it is not the one that the law knows.
    theta : array_like, shape (joints,), optional
        Angles at the start [rad]; those of the path otherwise.
    stop_at_limits : bool
        End the walk where the ground would have to pull, to hold a slipping foot, or to press outside the sole. False
        goes on as if the foot were glued, to see how far outside.
    landing_gap : float
        Largest distance of heel or toe from the ground where the foot lands, and depth of a swinging one before [m].
    sample_dt : float
        Time between samples [s], from the start of each step; one more is taken at its end.
    relative : float
        Tolerance of the integration (Dormand and Prince of order 8); the absolute one is a tenth of it.

    Returns
    -------
    Trajectory
        Legs under their own names. The contact "foot" is the pressure under the foot that stands. Signals: "s",
        "s_rate" [1/s], "pressure" [m] along the sole, "margins" of `FlatFootLimits`, and "limited", whether the law had
        to give up its pressure. ``metadata["steps"]`` has an entry for each step: its time, s' at its start ("rate"),
        and of the landing that ended it "gap" (the larger one of heel and toe) and "impulse". Where the walk ended
        early, `finished` is False and `reason` says why.
    """
    if not (math.isfinite(rate) and rate > 0.0):
        raise ArgumentError(f"rate is {rate!r}; expected a finite number above 0 [1/s]")
    if not isinstance(steps, int) or steps < 1:
        raise ArgumentError(f"steps is {steps!r}; expected a whole number, 1 or more")
    for name, value in dict(landing_gap=landing_gap, sample_dt=sample_dt, relative=relative).items():
        if not (math.isfinite(value) and value > 0.0):
            raise ArgumentError(f"{name} is {value!r}; expected a finite number above 0")
    first = law.path.at(0.0)
    angles = first.theta if theta is None else np.array(theta, dtype=float)
    if angles.shape != first.theta.shape or not np.isfinite(angles).all():
        raise ArgumentError(f"theta is {theta!r}; expected {len(first.theta)} finite angles [rad]")
    walker = law.biped if robot is None else robot
    held = walker.limits() if limits is None else limits
    support = SingleSupport(law, walker, held, stop_at_limits, landing_gap, relative)
    return _Walk(support, sample_dt).run(angles, rate * first.slope, steps)


@dataclass(eq=False)
class _Walk:
    """A walk that is being computed."""

    support: SingleSupport
    sample_dt: float
    time: float = 0.0
    forward: float = 0.0
    samples: list[dict[str, Any]] = field(default_factory=list)
    entries: list[dict[str, Any]] = field(default_factory=list)

    def run(self, theta: FloatArray, theta_rate: FloatArray, steps: int) -> Trajectory:
        """The walk from angles and rates of the joints."""
        reason = ""
        for number in range(steps):
            rate = self.support.law.start_rate(theta, theta_rate)
            self.entries.append({"time": self.time, "rate": rate})
            y = np.concatenate([theta, theta_rate, [0.0, rate]])
            if rate <= 0.0:
                self.samples.append(self._sample(0.0, y, exchanged=number % 2 == 1))
                reason = f"step {number} would start with s' = {rate:.4g}/s, not forward"
                break
            swing = self.support.swing(y)
            for t in np.append(np.arange(0.0, swing.duration, self.sample_dt), swing.duration):
                self.samples.append(self._sample(float(t), swing.state(t), exchanged=number % 2 == 1))
            self.time += swing.duration
            reason = swing.reason
            if not reason:
                theta, theta_rate, reason = self._landed(swing.state(swing.duration))
            if reason:
                break
        columns = {name: np.array([sample[name] for sample in self.samples]) for name in self.samples[0]}
        time, q, v, tau, position, force = (
            columns.pop(name) for name in ("time", "q", "v", "tau", "position", "force")
        )
        return Trajectory(
            self.support.robot.model, time, q, v, tau, contacts=("foot",), contact_position=position[:, None],
            contact_force=force[:, None], signals=columns, metadata={"steps": self.entries}, finished=not reason,
            reason=reason,
        )  # fmt: skip

    def _sample(self, t: float, y: FloatArray, *, exchanged: bool) -> dict[str, Any]:
        now, robot = self.support.instant(y), self.support.robot
        order = robot.exchanged if exchanged else slice(None)
        fx, fz, _ = wrench = now.driven.wrench
        pressure = float(pressure_of(wrench))
        return {
            "time": self.time + t,
            "q": now.q[order] + np.eye(robot.model.nq)[0] * self.forward,
            "v": now.v[order],
            "tau": now.command.tau[order],
            "position": np.array([self.forward + pressure, 0.0, 0.0]),
            "force": np.array([fx, 0.0, fz]),
            "s": float(y[-2]),
            "s_rate": float(y[-1]),
            "pressure": pressure,
            "margins": self.support.limits.margins(wrench),
            "limited": bool(now.command.limit),
        }

    def _landed(self, y: FloatArray) -> tuple[FloatArray, FloatArray, str]:
        """Joint angles and rates after the landing, legs exchanged, and why the walk ends there, if it does."""
        support, robot = self.support, self.support.robot
        now = support.instant(y)
        gap = float(np.abs(support.clearance(y)).max())
        v, impulse = robot.impact(now.q, now.v)
        lifting = robot.foot_jacobian(now.q)[1:] @ v
        self.entries[-1] |= {"gap": gap, "impulse": impulse.tolist()}
        self.forward += float(frame_pose(robot.model, now.q, robot.soles[1])[0, 3])
        reason = ""
        if gap > support.landing_gap:
            reason = f"the foot landed with {gap:.3g} m between ground and heel or toe"
        elif support.stop_at_limits and not support.stays_flat(impulse):
            reason = (
                f"the landing foot did not stay flat: impulse {impulse[0]:.3g} N s forward, {impulse[1]:.3g} N s up"
            )
        elif support.stop_at_limits and (lifting[0] - np.array(robot.sole) * lifting[1]).min() < -_HELD:
            reason = f"the impact pressed the other foot into the ground: {lifting[0]:.3g} m/s, {lifting[1]:.3g} rad/s"
        order = robot.exchanged
        return now.q[order][3:], v[order][3:], reason

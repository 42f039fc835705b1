"""What a walk knows before its centre of mass: feet, orientation of the upper body and height (w_k of (5.90))."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.spatial import rotation_vector_from_rotation_matrix, rotation_z
from tarsus.walking.biped.biped import Biped
from tarsus.walking.kineto_dynamics.support_bounds import SupportBounds
from tarsus.walking.planning.pressure_path import PressurePath
from tarsus.walking.reference.dip import dips
from tarsus.walking.reference.foot_paths import FootPaths, foot_paths, plain_swing
from tarsus.walking.reference.ground_wrench import ROLLED
from tarsus.walking.reference.heel_lift import heel_lifts
from tarsus.walking.reference.posture_path import pelvis_yaw, sole_poses
from tarsus.walking.steps.foot_swing import FootSwing
from tarsus.walking.steps.gait import Phase

WITHIN = 0.95
"""Part of the soles in which the pressure is kept."""

LEVEL = 0.6
"""Part of a swing after which a foot whose heel was lifted is level again: it rises in double support alone."""


@dataclass(frozen=True, eq=False)
class KnownMotion:
    """Poses of the soles and of the upper body at the cycles of a controller, with velocities and accelerations.

    Velocities are those by which a cycle is reached, accelerations lead to the next velocity: integrated by steps
    v += dt v', x += dt v they give the poses again.

    Attributes
    ----------
    biped : Biped
    phases : tuple of Phase
    times : ndarray, shape (n,)
        A cycle apart [s].
    feet : FootPaths
    path : PressurePath
        Where the pressure shall be.
    frames : tuple of str
        Upper body, left and right sole.
    poses : ndarray, shape (n, 3, 4, 4)
        Of these. Places of the upper body are not known, and zero.
    twists, changes : ndarray, shape (n, 3, 6)
        Velocities and accelerations, world axes.
    height : float
        Of the centre of mass where the robot stands [m].
    heights : ndarray, shape (n, 3)
        z_C, its velocity and acceleration: it is lower while feet of long steps are far apart, see `dips`.
    """

    biped: Biped
    phases: tuple[Phase, ...]
    times: FloatArray
    feet: FootPaths
    path: PressurePath
    frames: tuple[str, str, str]
    poses: FloatArray
    twists: FloatArray
    changes: FloatArray
    height: float
    heights: FloatArray

    @classmethod
    def of(
        cls, biped: Biped, phases: Sequence[Phase], path: PressurePath, clearance: float, dt: float,
        body: str | None = None, late: bool = True,
    ) -> Self:  # fmt: skip
        """Sample the phases of a walk every `dt` [s]; `body` is the pelvis by default.

        Feet of long steps arrive late, their heels go on rising in the swing and the centre of mass is lower between
        swings, unless `late` is False, as in the figures of the text.
        """
        count = math.ceil((path.end - path.start) / dt - 1e-9) + 1  # the last cycle is not before the end
        times = np.asarray(path.start + dt * np.arange(count), dtype=np.float64)
        swings = plain_swing if late else _least_jerk
        feet = foot_paths(phases, times, path.at(times), clearance, biped.leg, swings)
        if not late:
            feet = feet._replace(pitch=heel_lifts(phases, times, feet.phase, biped.leg, rising=0.0, level=LEVEL))
        upper = biped.pelvis if body is None else body
        turned = np.zeros((len(times), 4, 4))
        turned[:, :3, :3] = rotation_z(pelvis_yaw(feet)) @ frame_pose(biped.model, biped.q, upper)[:3, :3]
        turned[:, 3, 3] = 1.0
        X = np.stack([turned, *(sole_poses(biped, feet, side) for side in (0, 1))], axis=1)
        ways = np.zeros((len(times), 3, 6))
        ways[1:, :, :3] = np.diff(X[..., :3, 3], axis=0)
        ways[1:, :, 3:] = rotation_vector_from_rotation_matrix(
            X[1:, :, :3, :3] @ np.swapaxes(X[:-1, :, :3, :3], -1, -2)
        )
        V = ways / dt
        A = np.diff(V, axis=0, append=V[-1:]) / dt
        frames = (upper, biped.legs[0].sole, biped.legs[1].sole)
        z = biped.height - (dips(phases, times, biped.leg) if late else np.zeros(len(times)))
        rate = np.diff(z, prepend=z[:1]) / dt
        heights = np.column_stack([z, rate, np.diff(rate, append=rate[-1:]) / dt])
        return cls(biped, tuple(phases), times, feet, path, frames, X, V, A, biped.height, heights)

    @property
    def dt(self) -> float:
        """Cycle [s]."""
        return float(self.times[1] - self.times[0])

    def leg_masses(self, times: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Places and accelerations of the middles of the soles at times, shape (n, 2, 3) each."""
        return self._at(self._legs[0], times), self._at(self._legs[2], times)

    def leg_rates(self, times: FloatArray) -> FloatArray:
        """Velocities of the same, shape (n, 2, 3) [m/s]."""
        return self._at(self._legs[1], times)

    @cached_property
    def _legs(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Places, velocities and accelerations of both soles at the cycles, by central differences."""
        x, dt = self.poses[:, 1:, :3, 3], self.dt
        v, a = np.zeros_like(x), np.zeros_like(x)
        v[1:-1], a[1:-1] = (x[2:] - x[:-2]) / (2 * dt), (x[2:] - 2 * x[1:-1] + x[:-2]) / dt**2
        return np.asarray(x), v, a

    def _at(self, values: FloatArray, times: FloatArray) -> FloatArray:
        """Values at the cycles, linear between them."""
        x = np.clip((np.asarray(times) - self.times[0]) / self.dt, 0.0, len(self.times) - 1.0)
        k = np.minimum(x.astype(int), len(self.times) - 2)
        share = (x - k)[..., None, None]
        return np.asarray((1.0 - share) * values[k] + share * values[k + 1])

    def stance(self, k: int) -> FloatArray:
        """Place of the foot that carries more at a cycle: about it contact moments are told, shape (3,) [m]."""
        side = 0 if self.feet.load[k, 0] >= 0.5 else 1
        place: FloatArray = self.feet.place[k, side, :3]
        return place

    @cached_property
    def supports(self) -> list[SupportBounds]:
        """Where the pressure may be at every cycle; feet on their toes carry on their front edge."""
        known: dict[tuple[int, ...], SupportBounds] = {}
        found = []
        rolled = self.feet.pitch > ROLLED
        numbers = np.column_stack([self.feet.phase, self.feet.standing, rolled]).astype(int).tolist()
        for k, row in enumerate(numbers):
            key = tuple(row)
            if key not in known:
                known[key] = SupportBounds.of(self._contacts(k))
            found.append(known[key])
        return found

    def _contacts(self, k: int) -> FloatArray:
        """Corners of the soles that stand, drawn in to `WITHIN`, shape (n, 3)."""
        points = []
        for side, leg in enumerate(self.biped.legs):
            if not self.feet.standing[k, side]:
                continue
            corners = WITHIN * leg.corners
            if self.feet.pitch[k, side] > ROLLED:
                corners = corners[corners[:, 0] > 0.0]
            X = self.poses[k, 1 + side]
            if self.feet.pitch[k, side] > 0.0:  # as if flat: the front edge stays where it is
                X = np.eye(4)
                X[:3, :3], X[:3, 3] = rotation_z(self.feet.place[k, side, 3]), self.feet.place[k, side, :3]
            points.append(corners @ X[:3, :3].T + X[:3, 3])
        return np.concatenate(points)


def _least_jerk(number: int, phase: Phase, clearance: float, leg: float) -> FootSwing:
    """Swings of the text, by the least-jerk law however long steps are."""
    return plain_swing(number, phase, clearance, math.inf)

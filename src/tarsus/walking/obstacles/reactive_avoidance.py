"""A swinging foot that is pushed off obstacles, cycle by cycle, and is back on its path when it lands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.collision.collision_model import CollisionModel, ObstaclePoses
from tarsus.collision.filtered_jacobian import FilteredJacobian
from tarsus.collision.obstacle import Obstacle
from tarsus.control.estimation.single_rotation import exponential
from tarsus.control.sequencing.minimum_jerk import minimum_jerk
from tarsus.dynamics import frame_pose, jacobian
from tarsus.errors import ArgumentError
from tarsus.ik.objectives.potential import PiecewisePotential, Potential
from tarsus.walking.biped.biped import Biped
from tarsus.walking.obstacles.bounding_volume import BoundingCheck
from tarsus.walking.obstacles.foot_extent import FootExtent, leg_segments
from tarsus.walking.obstacles.limit_gradient import LimitGradient
from tarsus.walking.obstacles.modification_laws import foot_alone, selected_foot
from tarsus.walking.obstacles.obstruction import Obstruction
from tarsus.walking.obstacles.task_jacobian import FEET, task_jacobian
from tarsus.walking.steps.smooth_return import SmoothReturn

BASE = 1e4
"""Weight of velocities of the base beside those of joints: the base is where the rest of the task space holds it."""
SOLE = slice(0, 6)
TURNING = np.array([0.01, 0.01, 0.01, 1.0, 1.0, 1.0])
"""How much limits of joints move a foot, and how much they turn it: they shall not lead it into an obstacle."""


@dataclass(frozen=True)
class AvoidanceSettings:
    """Parameters of the reactive avoidance; the same for all robots and obstacles.

    Attributes
    ----------
    activation : float
        Distance from which on obstacles push, in lengths of the leg.
    gain : float
        Speed at which a foot that touches would be pushed off, in lengths of the leg a second.
    attraction : float
        s_att of (5.82) [1/s].
    limits : float
        Weight of the potential of joint limits [1/s].
    ramp : float
        Part of a swing in which potentials are switched on.
    off : float
        Part of a swing from which on potentials are off, and the foot comes back to its path.
    filtered : float
        Time constant of the Jacobians of distances [s].
    law : {"foot-alone", "selected-foot"}
        (5.80)-(5.81) or (5.78).
    """

    activation: float = 0.05
    gain: float = 0.35
    attraction: float = 3.0
    limits: float = 0.3
    ramp: float = 0.15
    off: float = 0.75
    filtered: float = 0.03
    law: str = "foot-alone"

    def __post_init__(self) -> None:
        for name in ("attraction", "limits", "filtered"):
            if not (np.isfinite(value := getattr(self, name)) and value >= 0):
                raise ArgumentError(f"{name} of AvoidanceSettings is {value!r}; expected a number of at least 0")
        for name in ("activation", "gain"):
            if not (np.isfinite(value := getattr(self, name)) and value > 0):
                raise ArgumentError(f"{name} of AvoidanceSettings is {value!r}; expected a number above 0")
        if not 0 <= self.ramp < self.off < 1:
            raise ArgumentError(
                f"AvoidanceSettings: ramp is {self.ramp!r}, off {self.off!r}; expected 0 <= ramp < off < 1"
            )
        if self.law not in ("foot-alone", "selected-foot"):
            raise ArgumentError(
                f"law of AvoidanceSettings is {self.law!r}; expected 'foot-alone' (5.80) or 'selected-foot' (5.78)"
            )


class ReactiveAvoidance:
    """Modification of the swinging foot by potentials in task space: Buschmann 2014, (5.80)-(5.83).

    H_w = H_coll + H_limit + H_att (5.83): distances of the leg that swings to obstacles and to the other leg, limits of
    its joints, and the distance of the foot to its path (5.82). The deviation e of the foot, translation and rotation
    vector in the world, is integrated from w_F' (5.80). Potentials are switched on after lift-off, and off before
    touch-down, when e goes back to zero by a polynomial that is twice continuously differentiable, without overshoot.

    Parameters
    ----------
    biped : Biped
    obstructions : sequence of Obstruction
    dt : float
        Cycle [s].
    settings : AvoidanceSettings
    reach : float
        By which volumes may be away from where they are when the robot stands, for the volume around it [m].

    Attributes
    ----------
    deviation, rate : ndarray, shape (6,)
        e [m, rad] and its rate.
    looked : int
        Cycles in which distances were computed, since an obstacle was near.
    """

    def __init__(
        self,
        biped: Biped,
        obstructions: Sequence[Obstruction],
        dt: float,
        settings: AvoidanceSettings | None = None,
        reach: float | None = None,
    ) -> None:
        if not (np.isfinite(dt) and dt > 0):
            raise ArgumentError(f"dt of ReactiveAvoidance is {dt!r}; expected a number above 0 [s]")
        self.settings = s = AvoidanceSettings() if settings is None else settings
        if s.attraction * dt > 1.0:
            raise ArgumentError(
                f"attraction of AvoidanceSettings is {s.attraction:g} 1/s; expected at most {1.0 / dt:g} at cycles of "
                f"{dt:g} s: the foot would be thrown across its path"
            )
        self._biped, self._dt, self._model = biped, dt, biped.lower.model
        self._obstructions = tuple(obstructions)
        volumes = [one.volumes for one in self._obstructions]
        self._moving = [one for one in self._obstructions if one.moving]
        self._potential: Potential = PiecewisePotential(s.activation * biped.leg, s.gain * biped.leg)
        self._filters = [FilteredJacobian(_scene(biped, foot, volumes), s.filtered) for foot in (0, 1)]
        self._near = (
            BoundingCheck(self._model, biped, volumes, biped.leg if reach is None else reach) if volumes else None
        )
        feet = FootExtent.of(biped)
        self._front = max(feet.front, feet.back)
        self._limits = LimitGradient(self._model, s.limits)
        self._weights = np.where(np.arange(self._model.nv) < 6, BASE, 1.0)
        self.looked = 0
        self.lift()

    def lift(self) -> None:
        """Another swing begins."""
        self.deviation, self.rate = np.zeros(6), np.zeros(6)
        self._change = np.zeros(6)
        self._return: tuple[SmoothReturn, float] | None = None
        for one in self._filters:
            one.reset()

    def step(self, foot: int, q: FloatArray, t: float, part: float, left_over: float) -> FloatArray:
        """The deviation e of the next cycle, shape (6,).

        Parameters
        ----------
        foot : int
            That swings: 0 for the left one, 1 for the right one.
        q : ndarray, shape (nq,)
            Of `biped.lower.model`: set-points of this cycle.
        t : float
            Time, at which obstacles are where they are [s].
        part : float
            Part of the swing that is over.
        left_over : float
            Time until touch-down [s].
        """
        if part >= self.settings.off:
            return self._back(t, left_over)
        self._return = None
        before = self.rate
        on = minimum_jerk(part, self.settings.ramp).share if self.settings.ramp > 0.0 else 1.0
        self.rate = on * self._descent(foot, q, t) - self.settings.attraction * self.deviation
        self._change = (self.rate - before) / self._dt
        self.deviation = self.deviation + self._dt * self.rate
        return self.deviation

    def _descent(self, foot: int, q: FloatArray, t: float) -> FloatArray:
        """Velocity of the foot by distances and limits, shape (6,)."""
        gradients = self.gradients(foot, q, self.poses(t))
        if not gradients.any():
            return np.zeros(6)
        if self.settings.law == "foot-alone":
            J = jacobian(self._model, q, self._biped.legs[foot].sole)
            found = foot_alone(J, gradients, self._weights, SOLE)
        else:
            found = selected_foot(task_jacobian(self._biped, q), gradients, self._weights, FEET[foot])[FEET[foot]]
        return np.asarray(found[:, 0] + self._turned(foot, q, found[:, 1]))

    def _turned(self, foot: int, q: FloatArray, wish: FloatArray) -> FloatArray:
        """What limits of joints do to the foot: it turns, about its toe or its heel, so that neither comes lower."""
        found = TURNING * wish
        lateral = frame_pose(self._model, q, self._biped.legs[foot].sole)[:3, 1]
        found[2] += self._front * abs(float(lateral @ found[3:]))
        return np.asarray(found)

    def gradients(self, foot: int, q: FloatArray, poses: ObstaclePoses | None = None) -> FloatArray:
        """Derivatives by q of H_coll, with filtered Jacobians of distances, and of H_limit, shape (nv, 2)."""
        found = np.zeros((self._model.nv, 2))
        if self._near is None:
            return found
        found[:, 1] = self._limits.at(q)
        if self._near.distance(q, poses) > self._potential.activation:
            self._filters[foot].reset()
            return found
        self.looked += 1
        pairs = self._filters[foot].update(q, self._dt, obstacle_poses=poses)
        found[:, 0] = self._potential.slope(pairs.distance) @ pairs.jacobian
        return found

    def poses(self, t: float) -> dict[str, FloatArray] | None:
        """Where moving obstacles are."""
        return {one.name: one.pose(t) for one in self._moving} or None

    def _back(self, t: float, left_over: float) -> FloatArray:
        """On the way back to the path."""
        if self._return is None:
            if not self.deviation.any():
                return self.deviation
            self._return = SmoothReturn(self.deviation, self.rate, self._change, max(left_over, self._dt)), t
        way, begin = self._return
        self.deviation, self.rate, self._change = way.at(t - begin + self._dt)
        return self.deviation


def displaced(X: FloatArray, deviation: FloatArray) -> FloatArray:
    """A pose moved by a translation and turned by a rotation vector in the world, shape (4, 4)."""
    found = np.array(X)
    found[:3, 3] += deviation[:3]
    found[:3, :3] = exponential(*deviation[3:].tolist()) @ X[:3, :3]
    return found


def _scene(biped: Biped, foot: int, obstacles: Sequence[Obstacle]) -> CollisionModel:
    """Pairs of the leg that swings with obstacles, and of both feet with each other."""
    own = leg_segments(biped, biped.legs[foot])
    names = [one.name for one in obstacles]
    low = [leg_segments(biped, leg, foot=True) for leg in biped.legs]
    pairs = [(segment, name) for segment in own for name in names]
    legs = [(a, b) for a in low[foot] for b in low[1 - foot]]
    return CollisionModel(biped.lower.model, None, obstacles, include=[*pairs, *legs])

"""Swinging feet of a robot that walks past obstacles: the planned detour, and what the reactive layer adds."""

from __future__ import annotations

import math

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.walking.obstacles.obstacle_plan import ObstaclePlan
from tarsus.walking.obstacles.reactive_avoidance import AvoidanceSettings, ReactiveAvoidance, displaced


class AvoidingSwings:
    """A `SwingModifier`: the two layers of Buschmann 2014, figure 5.14, in the cycle of the controller.

    The detour of the plan is added to the swing of the controller, which goes from where the foot really stood to where
    it shall land; distances are those of the robot as it is.

    Attributes
    ----------
    avoidance : ReactiveAvoidance
    """

    def __init__(self, plan: ObstaclePlan, dt: float, settings: AvoidanceSettings | None = None) -> None:
        walk = plan.walk
        self.avoidance = ReactiveAvoidance(walk.biped, plan.obstructions, dt, settings)
        self._lower, self._phase = walk.biped.lower.q, -1
        way = walk.feet.place[..., :3] - plan.plain[..., :3]
        self._detours: dict[int, tuple[FloatArray, FloatArray]] = {}
        for number, phase in enumerate(walk.phases):
            if phase.swing is None:
                continue
            own = np.flatnonzero(walk.feet.phase == number)
            part = (walk.times[own] - phase.start) / (phase.end - phase.start)
            self._detours[number] = part, way[own, int(not phase.swing[1].left)]

    def modified(
        self,
        foot: int,
        number: int,
        part: float,
        left_over: float,
        X: FloatArray,
        t: float,
        q: FloatArray,
        angle: float,
    ) -> FloatArray:
        """Pose of the sole; see `SwingModifier.modified`."""
        if number != self._phase:
            self._phase = number
            self.avoidance.lift()
        parts, ways = self._detours[number]
        way = np.array([np.interp(part, parts, ways[:, k], right=0.0) for k in range(3)])
        c, s = math.cos(angle), math.sin(angle)
        e = np.array(self.avoidance.step(foot, q[self._lower], t, part, left_over))
        e[:3] += [c * way[0] - s * way[1], s * way[0] + c * way[1], way[2]]
        return displaced(X, e)

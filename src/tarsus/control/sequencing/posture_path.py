"""References between two postures: centre of mass, joints and base, from rest to rest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tarsus.arrays import FloatArray, IndexArray
from tarsus.control.sequencing.minimum_jerk import PEAK_SPEED, minimum_jerk
from tarsus.control.sequencing.pace import Pace
from tarsus.dynamics.kinematics import frame_pose
from tarsus.dynamics.momentum import center_of_mass
from tarsus.model import Model
from tarsus.tasks import CenterOfMass, Orientation, Posture, Task


@dataclass(frozen=True, eq=False)
class PosturePath:
    """From one posture to another by the time law of the least jerk.

    The centre of mass goes along a straight line, all joints and the base along the shortest way between them.

    Attributes
    ----------
    model : Model
    start, end : ndarray, shape (nq,)
    duration : float
        [s].
    com_start : ndarray, shape (3,), optional
        Where the reference of the centre of mass begins, if not at that of the first posture [m].
    """

    model: Model
    start: FloatArray
    end: FloatArray
    duration: float
    com_start: FloatArray | None = None

    @cached_property
    def way(self) -> FloatArray:
        """From start to end, shape (nv,)."""
        return self.model.difference(self.start, self.end)

    @cached_property
    def com(self) -> tuple[FloatArray, FloatArray]:
        """Centres of mass at both ends, shape (3,) each."""
        first = center_of_mass(self.model, self.start) if self.com_start is None else self.com_start
        return first, center_of_mass(self.model, self.end)

    @cached_property
    def _columns(self) -> IndexArray:
        return Posture().columns(self.model)

    def posture_at(self, t: float) -> FloatArray:
        """Reference of joints and base, shape (nq,)."""
        return self.model.integrate(self.start, self.way, minimum_jerk(t, self.duration).share)

    def com_at(self, t: float) -> FloatArray:
        """Reference of the centre of mass, shape (3,)."""
        first, last = self.com
        place: FloatArray = first + minimum_jerk(t, self.duration).share * (last - first)
        return place

    def tasks(self, t: float, pace: Pace) -> list[Task]:
        """Tasks at a time from its beginning [s]: centre of mass, joints, orientation of the base."""
        if t < self.duration:
            return self._tasks(t, pace)
        if pace not in self._at_rest:  # the same objects again and again while a robot holds still
            self._at_rest[pace] = self._tasks(self.duration, pace)
        return self._at_rest[pace]

    @cached_property
    def _at_rest(self) -> dict[Pace, list[Task]]:
        """Tasks after its end."""
        return {}

    def _tasks(self, t: float, pace: Pace) -> list[Task]:
        s, rate, change = minimum_jerk(t, self.duration)
        model = self.model
        q = model.integrate(self.start, self.way, s)
        along = self.com[1] - self.com[0]
        joints = Posture(q, weight=pace.posture_weight, gain=pace.gain)
        columns = self._columns
        tasks: list[Task] = [
            CenterOfMass(
                self.com_at(t),
                weight=pace.com_weight,
                gain=pace.gain,
                velocity=rate * along,
                acceleration=change * along,
            ),
            joints.with_target(velocity=rate * self.way[columns], acceleration=change * self.way[columns]),
        ]
        base = root(model)
        if base is not None:
            R = frame_pose(model, q, base)[:3, :3]
            turn = R @ self.way[model.joints["base"].v_index][3:]
            tasks.append(
                Orientation(
                    base,
                    R,
                    weight=pace.posture_weight,
                    gain=pace.gain,
                    velocity=rate * turn,
                    acceleration=change * turn,
                )
            )
        return tasks


def root(model: Model) -> str | None:
    """The body that a free base moves; None where there is none."""
    if "base" not in model.joints or model.joints["base"].kind != "free":
        return None
    return next(name for name, body in model.bodies.items() if body.joint == "base")


def time_between(model: Model, start: FloatArray, end: FloatArray, pace: Pace) -> float:
    """Time that a pace needs from one posture to another [s]: no reference is faster than it says."""
    way = model.difference(start, end)
    columns = Posture().columns(model)
    com = float(np.linalg.norm(center_of_mass(model, end) - center_of_mass(model, start)))
    turn = float(np.abs(way[columns]).max(initial=0.0))
    if root(model) is not None:
        turn = max(turn, float(np.linalg.norm(way[model.joints["base"].v_index][3:])))
    return PEAK_SPEED * max(com / pace.com_speed, turn / pace.joint_speed)

"""What deserves attention in a walk that has passed: speeds that were not reached, ways other than planned."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.walking.steps.footsteps import Footstep

REACHED = 0.9
"""Part of the speed asked for from which on it is reached."""
DIFFERENT = 0.1
"""Part of the planned way by which another one differs from it; beside it, half a sole at least."""
TURNED = np.radians(10.0)
"""By how much a turn differs from the planned one, at least [rad]."""


def turn_of(poses: FloatArray) -> float:
    """By how much a body turns about the vertical, also beyond half a turn, by its poses, shape (n, 4, 4) [rad].

    By its rotation since the first one: axes of a pelvis may point upwards.
    """
    R = poses[:, :3, :3] @ poses[0, :3, :3].T
    return float(np.unwrap(np.arctan2(R[:, 1, 0] - R[:, 0, 1], R[:, 0, 0] + R[:, 1, 1]))[-1])


class PlannedWay(NamedTuple):
    """Where a walk was to lead.

    Attributes
    ----------
    way : ndarray, shape (2,)
        Of the middle between the feet, from the start to the end [m].
    turned : float
        [rad].
    speed : float
        Largest mean speed of a foot over a stride, two steps [m/s].
    asked : float
        Speed that was asked for [m/s]; 0 where it was none, or changed on the way.
    """

    way: FloatArray
    turned: float
    speed: float
    asked: float

    @classmethod
    def of(cls, feet: tuple[Footstep, ...], step_time: float, asked: float = 0.0) -> Self:
        """From footsteps, the two of the start first, and the time of a step [s]."""
        places = np.array([foot.position[:2] for foot in feet])
        strides = np.linalg.norm(places[2:] - places[:-2], axis=1)
        speed = float(strides.max(initial=0.0)) / (2.0 * step_time)
        yaw = float(feet[-1].yaw - feet[0].yaw)
        return cls(places[-2:].mean(axis=0) - places[:2].mean(axis=0), yaw, speed, asked)

    def document(self) -> dict[str, Any]:
        """In plain values, as recordings keep it."""
        return {"way": self.way.tolist(), "turned": self.turned, "speed": self.speed, "asked": self.asked}

    @classmethod
    def read(cls, found: Any) -> Self | None:
        """From these; None where they are none."""
        try:
            way = np.array([float(x) for x in found["way"]])
            values = [float(found[name]) for name in ("turned", "speed", "asked")]
        except (KeyError, TypeError, ValueError):
            return None
        return cls(way, *values) if way.shape == (2,) and np.isfinite([*way, *values]).all() else None

    def short(self) -> str:
        """That the way is too short for the speed that was asked for; empty where it is not. Known from the plan."""
        if not self.speed < REACHED * self.asked:
            return ""
        return f"the way was too short to reach {self.asked:.3g} m/s: {self.speed:.2f} m/s at most"

    def strayed(self, pelvis: FloatArray, sole: float) -> list[str]:
        """How a walk differs from it.

        Parameters
        ----------
        pelvis : ndarray, shape (n, 4, 4)
            Poses of the pelvis from the start to the end.
        sole : float
            Half length of a sole [m].
        """
        way, length = pelvis[-1, :2, 3] - pelvis[0, :2, 3], float(np.linalg.norm(self.way))
        found, walked = [], float(np.linalg.norm(way))
        least = max(sole, DIFFERENT * length)
        if abs(walked - length) > least and length > sole:
            word = "further" if walked > length else "less far"
            part = abs(walked / length - 1.0)
            found.append(f"walked {100 * part:.0f} % {word} than planned: {walked:.2f} m, not {length:.2f} m")
        ahead = self.way / length if length > sole else np.array([1.0, 0.0])
        aside = float(ahead[0] * way[1] - ahead[1] * way[0])
        if abs(aside) > least:
            found.append(f"ended {abs(aside):.2f} m to the {'left' if aside > 0 else 'right'} of the planned way")
        turned = turn_of(pelvis)
        if abs(turned - self.turned) > max(TURNED, DIFFERENT * abs(self.turned)):
            found.append(f"turned by {np.degrees(turned):+.0f} degrees, not {np.degrees(self.turned):+.0f} as planned")
        return found

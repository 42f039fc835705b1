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
NOWHERE = 1e-3
"""Length of a way up to which nothing is walked [m]."""


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
    along : float
        Length of the way, longer than from its start to its end where it is a curve [m]; 0 where that is not known.
    """

    way: FloatArray
    turned: float
    speed: float
    asked: float
    along: float = 0.0

    @classmethod
    def of(cls, feet: tuple[Footstep, ...], step_time: float, asked: float = 0.0) -> Self:
        """From footsteps, the two of the start first, and the time of a step [s]."""
        places = np.array([foot.position[:2] for foot in feet])
        strides = np.linalg.norm(places[2:] - places[:-2], axis=1)
        speed = float(strides.max(initial=0.0)) / (2.0 * step_time)
        yaws = np.array([foot.yaw for foot in feet])
        yaw = float(yaws[-2:].mean() - yaws[:2].mean())
        along = float(np.linalg.norm(np.diff(_centers(feet), axis=0), axis=1).sum())
        return cls(places[-2:].mean(axis=0) - places[:2].mean(axis=0), yaw, speed, asked, along)

    @property
    def length(self) -> float:
        """Of the way [m]."""
        return max(self.along, float(np.linalg.norm(self.way)))

    def document(self) -> dict[str, Any]:
        """In plain values, as recordings keep it."""
        values = {"turned": self.turned, "speed": self.speed, "asked": self.asked, "along": self.along}
        return {"way": self.way.tolist(), **values}

    @classmethod
    def read(cls, found: Any) -> Self | None:
        """From these; None where they are none."""
        try:
            way = np.array([float(x) for x in found["way"]])
            values = [float(found[name]) for name in ("turned", "speed", "asked")]
            values.append(float(found.get("along", 0.0)))
        except (KeyError, TypeError, ValueError):
            return None
        return cls(way, *values) if way.shape == (2,) and np.isfinite([*way, *values]).all() else None

    def short(self) -> str:
        """That the way is too short for the speed that was asked for; empty where it is not. Known from the plan."""
        if not self.speed < REACHED * self.asked:
            return ""
        return f"the way was too short to reach {self.asked:.3g} m/s: {self.speed:.2f} m/s at most"

    def strayed(self, middle: FloatArray, turned: float, sole: float) -> list[str]:
        """How a walk differs from it.

        Parameters
        ----------
        middle : ndarray, shape (2,)
            Way of the middle between the feet from the start to the end, in axes of the world [m].
        turned : float
            By how much the robot turned [rad].
        sole : float
            Half length of a sole [m].
        """
        found, length = [], float(np.linalg.norm(self.way))
        least = max(sole, DIFFERENT * self.length)
        if length > least:
            found += self._along_and_aside(middle, least)
        elif (off := float(np.linalg.norm(middle - self.way))) > least:
            x, y = middle - self.way
            found.append(f"ended {off:.2f} m from where it was planned to, by x, y = {x:+.2f}, {y:+.2f} m")
        if abs(turned - self.turned) > max(TURNED, DIFFERENT * abs(self.turned)):
            found.append(f"turned by {np.degrees(turned):+.0f} degrees, not {np.degrees(self.turned):+.0f} as planned")
        return found

    def _along_and_aside(self, middle: FloatArray, least: float) -> list[str]:
        """How a way differs from a planned one that leads somewhere, along this and across it."""
        found, length = [], float(np.linalg.norm(self.way))
        ahead = self.way / length
        walked, aside = float(ahead @ middle), float(ahead[0] * middle[1] - ahead[1] * middle[0])
        if walked < length - least and walked < 0.0:
            found.append(f"ended {-walked:.2f} m behind its start, not {length:.2f} m ahead of it as planned")
        elif abs(walked - length) > least:
            word = "further" if walked > length else "less far"
            part = abs(walked / length - 1.0)
            found.append(f"walked {100 * part:.0f} % {word} than planned: {walked:.2f} m, not {length:.2f} m")
        if abs(aside) > least:
            found.append(f"ended {abs(aside):.2f} m to the {'left' if aside > 0 else 'right'} of the planned way")
        return found


def _centers(feet: tuple[Footstep, ...]) -> FloatArray:
    """Where the middle of the robot is to be by each foot, shape (n, 2) [m]: half the width of the start beside it.

    Other than the middle between two feet it stays where it is in turns on the spot.
    """
    yaw = np.array([foot.yaw for foot in feet])
    places = np.array([foot.position[:2] for foot in feet])
    outwards = (
        np.stack([-np.sin(yaw), np.cos(yaw)], axis=1) * np.where([foot.left for foot in feet], 1.0, -1.0)[:, None]
    )
    half = 0.25 * float((places[0] - places[1]) @ (outwards[0] - outwards[1]))
    centers = places - half * outwards
    return np.concatenate([centers[:2].mean(axis=0, keepdims=True), centers[2:]])

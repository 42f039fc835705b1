"""When feet stand and swing, and where the pressure goes meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.simulation.argument_kinds import check_finite, check_positive, real_numbers
from tarsus.walking.planning.pressure_path import PressurePath
from tarsus.walking.steps.footsteps import Footstep, checked_steps


class Phase(NamedTuple):
    """A time in which the same feet stand.

    Attributes
    ----------
    start, end : float
        [s].
    standing : tuple of Footstep
        One or two.
    swing : tuple of Footstep, optional
        From where to where the other foot goes.
    """

    start: float
    end: float
    standing: tuple[Footstep, ...]
    swing: tuple[Footstep, Footstep] | None


@dataclass(frozen=True)
class Gait:
    """Timing of steps: single support, then double support in which the load goes over to the new foot.

    Attributes
    ----------
    step_time : float
        Of single and double support together [s].
    double_support : float
        Part of it in which both feet stand, from above 0 to below 1.
    half_sole : tuple of float
        Half of the length and of the width of a sole within which the pressure may be [m].
    settling : float
        Time of standing on both feet before the first step and after the last [s].
    """

    step_time: float
    double_support: float = 0.2
    half_sole: tuple[float, float] = (np.inf, np.inf)
    settling: float = 1.0

    def __post_init__(self) -> None:
        expected = "two numbers above 0 [m], both finite or both infinite"
        half = real_numbers("half_sole of Gait", self.half_sole, expected)
        if half.shape != (2,) or not ((half > 0).all() and (np.isfinite(half).all() or np.isinf(half).all())):
            raise ArgumentError(f"half_sole of Gait is {self.half_sole!r}; expected {expected}")
        check_positive("step_time of Gait", self.step_time, "a finite number above 0 [s]")
        check_positive("settling of Gait", self.settling, "a finite number above 0 [s]")
        check_finite("double_support of Gait", self.double_support, "a part of a step between 0 and 1")
        if not 0 < self.double_support < 1:
            raise ArgumentError(
                f"double_support of Gait is {self.double_support!r}; expected a part of a step between 0 and 1"
            )

    def phases(self, feet: Sequence[Footstep]) -> list[Phase]:
        """Phases of footsteps of alternating feet, of which the first two are stood on at the start."""
        feet = checked_steps("feet", feet)
        both, single = self.double_support * self.step_time, (1 - self.double_support) * self.step_time
        found, t = [Phase(0.0, self.settling, tuple(feet[:2]), None)], self.settling
        for k in range(2, len(feet)):
            found.append(Phase(t, t + single, (feet[k - 1],), (feet[k - 2], feet[k])))
            lasts = both if k < len(feet) - 1 else self.settling
            found.append(Phase(t + single, t + single + lasts, (feet[k - 1], feet[k]), None))
            t += single + lasts
        return found

    def pressure_path(self, feet: Sequence[Footstep]) -> PressurePath:
        """Pressure at the middle of the foot that stands, straight from foot to foot in double support.

        It starts and ends in the middle between the feet.
        """
        phases = self.phases(feet)
        first, last = _middle(feet[:2]), _middle(feet[-2:])
        times, points, boxes = [0.0], [first], [self._box(feet[0])]
        for phase in phases:
            if phase.swing is not None:
                place, box = phase.standing[0].position[:2], self._box(phase.standing[0])
                times += [phase.start, phase.end]
                points += [place, place]
                boxes += [box, box]
        times.append(phases[-1].end)
        points.append(last)
        boxes.append(self._box(feet[-1]))
        p = np.array(points)
        return PressurePath(times, p, p - np.array(boxes), p + np.array(boxes))

    def _box(self, foot: Footstep) -> FloatArray:
        """Half sizes of the largest box along x and y in the turned sole, of the shape of its outline."""
        half = np.asarray(self.half_sole, dtype=float)
        if not np.isfinite(half).all():
            return half
        c, s = abs(np.cos(foot.yaw)), abs(np.sin(foot.yaw))
        turned = np.array([[c, s], [s, c]])
        outline = turned @ half
        return np.asarray(outline * np.min(half / (turned @ outline)))


def _middle(feet: Sequence[Footstep]) -> FloatArray:
    return np.asarray(np.mean([foot.position[:2] for foot in feet], axis=0))

"""Pushes: forces from outside that act on a frame of the robot for some time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tarsus.errors import DtypeError
from tarsus.simulation.argument_kinds import check_finite, check_positive, finite_vector

_ROUNDING = 1e-9
"""Of times that are multiples of a step, in steps."""


@dataclass(frozen=True, slots=True, eq=False)
class Push:
    """A constant force and moment at the origin of a frame, world axes.

    Attributes
    ----------
    frame : str
    force, moment : array_like, shape (3,)
        Constant in world axes [N], [N m].
    start, duration : float
        Time from which it acts, and for how long [s]. In a step that it covers in part its force is smaller by that
        part, so that the impulse, force times duration, is the one told whatever the step is.
    """

    frame: str
    force: npt.ArrayLike
    start: float = 0.0
    duration: float = 0.1
    moment: npt.ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not (isinstance(self.frame, str) and self.frame):
            raise DtypeError(f"frame of Push is {self.frame!r}; expected the name of a frame")
        finite_vector("force of Push", self.force, 3, "three finite numbers [N]")
        finite_vector("moment of Push", self.moment, 3, "three finite numbers [N m]")
        check_finite("start of Push", self.start, "a time [s]")
        check_positive("duration of Push", self.duration, "a time above 0 [s]")

    @property
    def wrench(self) -> npt.NDArray[np.float64]:
        """Force and moment, shape (6,)."""
        return np.concatenate([np.asarray(self.force, dtype=float), np.asarray(self.moment, dtype=float)])

    def described(self) -> dict[str, Any]:
        """The push in plain values, as recordings keep it."""
        force, moment = self.wrench.reshape(2, 3).tolist()
        return {
            "frame": self.frame,
            "force": force,
            "moment": moment,
            "start": float(self.start),
            "duration": float(self.duration),
        }

    def steps(self, dt: float) -> tuple[int, int]:
        """Number of the first step of dt [s] during which it acts, and of the first one after it."""
        first, last = self.start / dt, (self.start + self.duration) / dt
        return int(np.floor(first + _ROUNDING)), int(np.ceil(last - _ROUNDING))

    def share(self, step: int, dt: float) -> float:
        """Part of a step of dt [s] during which it acts, 0 to 1: force times share times dt is its impulse there."""
        begin, end = max(self.start / dt, step), min((self.start + self.duration) / dt, step + 1)
        share = min(max(end - begin, 0.0), 1.0)
        return 1.0 if share > 1.0 - _ROUNDING else share

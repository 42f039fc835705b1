"""Commands of a walk over time: a list of them, or a function that is asked."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.control.observation import Observation
from tarsus.errors import ArgumentError
from tarsus.simulation.argument_kinds import finite_vector

CommandSource = Callable[[Observation], npt.ArrayLike]
"""From what is observed to (speed, side, turn): a joystick, a navigation."""


@dataclass(frozen=True, eq=False)
class CommandSchedule:
    """Velocities that hold from their times on; before the first one the robot stands.

    Attributes
    ----------
    times : tuple of float
        Rising [s].
    values : ndarray, shape (n, 3)
        Forward, to the left [m/s], turning to the left [rad/s].
    """

    times: tuple[float, ...]
    values: FloatArray

    @classmethod
    def of(cls, entries: Sequence[Sequence[float]]) -> Self:
        """From entries (time, speed, side, turn).

        Raises
        ------
        ArgumentError
            Where they are none, or not of four finite numbers each, or do not rise in time.
        """
        try:
            table = np.array([[float(x) for x in entry] for entry in entries])
        except (TypeError, ValueError):
            table = np.zeros(0)
        if table.ndim != 2 or table.shape[1:] != (4,) or not np.isfinite(table).all():
            raise ArgumentError(
                f"command is {entries!r}; expected entries (time, speed, side, turn) of finite numbers, or a function"
            )
        if table[0, 0] < 0.0 or (np.diff(table[:, 0]) <= 0.0).any():
            raise ArgumentError(f"times of command are {table[:, 0].tolist()}; expected them to rise, from 0 on")
        return cls(tuple(table[:, 0].tolist()), table[:, 1:])

    def at(self, t: float) -> FloatArray:
        """The command that holds at a time, shape (3,)."""
        k = bisect_right(self.times, t + 1e-9) - 1
        return np.array(self.values[k]) if k >= 0 else np.zeros(3)

    def unheard(self, until: float) -> str:
        """Which velocities begin when the robot has been told to stop, at a time [s]; empty where none do."""
        late = [t for t, value in zip(self.times, self.values, strict=True) if t >= until - 1e-9 and value.any()]
        if not late:
            return ""
        named = f"the command at {late[0]:g} s" if len(late) == 1 else f"{len(late)} commands from {late[0]:g} s on"
        return f"{named} {'is' if len(late) == 1 else 'are'} not walked: the robot is told to stop at {until:g} s"

    def __call__(self, observation: Observation) -> FloatArray:
        """The command of the moment; see `CommandSource`."""
        return self.at(observation.t)


def asked(source: CommandSource, observation: Observation) -> FloatArray:
    """What a source commands now, shape (3,), checked."""
    found = source(observation)
    return finite_vector(f"command at {observation.t:g} s", found, 3, "three finite numbers (speed, side, turn)")

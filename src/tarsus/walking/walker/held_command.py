"""Commands of the moment, held to what joints can follow: a function may command anything."""

from __future__ import annotations

from functools import partial

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import PlanningError
from tarsus.walking.biped.biped import Biped
from tarsus.walking.steps.footsteps import scaled_command
from tarsus.walking.walker.gait.gait_choice import PROBE, RESERVE, Demand, GaitChoice, demand_of, planned, step_limits
from tarsus.walking.walker.gait.possible_speed import RESOLVED, lacks, largest, told, too_weak

CELL = 0.05
"""Commands are tried at multiples of this part of what steps allow, so that few trials tell of all that are smaller."""
DIRECTION = 0.1
"""How finely directions of commands that are beyond limits are told apart, in their largest part."""


class HeldCommand:
    """As much of a command as can be walked with a step time and a clearance that are chosen already.

    A command is tried as a constant one is before it is walked: by a plan of a few steps, whose joints are held to
    limits of speed and torque. One that is beyond them is scaled down to 95 % of them, or to all of them where nothing
    is within that; where no part is within limits, to the largest for which joints are strong enough, as constant ones
    are walked; where there is none, to 0. A command that is nowhere more than one that was found to be possible is
    possible, too: trials, each of which takes as long as the planning of some steps, become rare as a walk goes on.

    Parameters
    ----------
    biped : Biped
    choice : GaitChoice
        How it walks.
    known : ndarray, shape (3,)
        The command that it was chosen for: forward, to the left [m/s], turning to the left [rad/s].
    """

    def __init__(self, biped: Biped, choice: GaitChoice, known: FloatArray) -> None:
        self._biped, self._choice, self._limits = biped, choice, step_limits(biped)
        most = (self._limits.length, self._limits.side / 2, self._limits.turn / 2)
        self._most = np.array(most) / choice.step_time
        self._known = [np.array(known)]
        self._tried: dict[bytes, Demand | str] = {}
        self._sizes: dict[bytes, tuple[float, bool]] = {}

    def __call__(self, command: FloatArray) -> tuple[FloatArray, str]:
        """What is walked of a command, shape (3,), and why it is not all of it; empty where it is."""
        steps = scaled_command(command, self._choice.step_time, self._limits)
        why = "needs longer steps than are possible" if (steps != command).any() else ""
        if self._is_known(steps):
            return steps, why
        demand = self._demand(steps)
        if isinstance(demand, Demand) and demand.worst <= 1.0:
            return steps, why
        lack = demand if isinstance(demand, str) else self._beyond(steps, demand)
        part, within = max(self._part(steps), *((_share(known, steps), True) for known in self._known))
        if part > 0.0 and not within:
            lack += ", and no part of it is within limits"
        return part * steps, f"{why}; {told(steps)} {lack}" if why else lack

    def _is_known(self, command: FloatArray) -> bool:
        """Whether a command is nowhere more than one that is possible, tried now where it is the first near it."""
        if self._is_within(command):
            return True
        cells = command / (CELL * self._most)
        rounded = np.copysign(np.ceil(np.abs(cells) - 1e-9), cells) * CELL * self._most
        demand = self._demand(rounded)
        if isinstance(demand, Demand) and demand.worst <= 1.0:
            self._known.append(rounded)
        return self._is_within(command)

    def _is_within(self, command: FloatArray) -> bool:
        return any(_share(known, command) >= 1.0 for known in self._known)

    def _demand(self, command: FloatArray) -> Demand | str:
        """What a trial asks of the joints, or why it is none."""
        key = command.tobytes()
        if key not in self._tried:
            try:
                self._tried[key] = demand_of(self._biped, planned(self._biped, command, PROBE, self._choice))
            except PlanningError as error:
                self._tried[key] = f"is not possible: {error}"
        return self._tried[key]

    def _beyond(self, command: FloatArray, demand: Demand) -> str:
        """Which limits a command is beyond."""
        if lacks(self._biped, demand):
            return f"is not possible: {too_weak(self._biped, f'walk at {told(command)}', demand)}"
        if demand.speed > demand.torque:
            return f"would need {demand.speed:.0%} of the speed of {demand.fastest!r}"
        return f"would need {demand.torque:.0%} of the torque of {demand.strongest!r}"

    def _part(self, command: FloatArray) -> tuple[float, bool]:
        """Largest part of a command that is possible, as it is in about its direction, and whether within limits."""
        ways = command / self._most
        size = float(np.abs(ways).max())
        way = np.round(ways / size / DIRECTION) * DIRECTION
        direction = way.tobytes()
        if direction not in self._sizes:
            most = scaled_command(2.0 * way * self._most, self._choice.step_time, self._limits)
            part, within = self._largest_part(most)
            self._sizes[direction] = part * float(np.abs(most / self._most).max()), within
        found, within = self._sizes[direction]
        return min(1.0, found / size), within

    def _largest_part(self, command: FloatArray) -> tuple[float, bool]:
        """Largest part that leaves a reserve to joints, else that is within their limits, else that they hold."""
        for most in (1.0 - RESERVE, 1.0):
            if part := largest(partial(self._is_below, command, most), 1.0, RESOLVED):
                return part, True
        return largest(partial(self._is_strong, command), 1.0, RESOLVED), False

    def _is_below(self, command: FloatArray, most: float, part: float) -> bool:
        """Whether a part of a command needs no more than so much of the limits."""
        demand = self._demand(part * command)
        return isinstance(demand, Demand) and demand.worst <= most

    def _is_strong(self, command: FloatArray, part: float) -> bool:
        """Whether joints are strong enough for a part of a command."""
        demand = self._demand(part * command)
        return isinstance(demand, Demand) and not lacks(self._biped, demand)


def _share(known: FloatArray, command: FloatArray) -> float:
    """Largest part of a command that is nowhere more than one that is known, 1 at most."""
    asked = command != 0.0
    return float(np.clip(known[asked] / command[asked], 0.0, 1.0).min(initial=1.0))

"""A walk whose command changes on the way: it is planned step by step."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.observation import Observation
from tarsus.errors import ControlWarning, PlanningError
from tarsus.walking.reference.receding_plan import RecedingPlan
from tarsus.walking.stabilizer.walk_guide import WalkGuide
from tarsus.walking.walker.command_schedule import CommandSchedule, CommandSource, asked
from tarsus.walking.walker.gait.possible_speed import told

STUCK = 3
"""Plans in a row that come no nearer to a command before that is told."""
NEARER = 1e-9
"""By how much a plan comes nearer, at least; one that is that near is there."""


class CommandedWalk:
    """Extends a plan at every step by the command of the moment, and hands it to the controller.

    Attributes
    ----------
    plan : RecedingPlan
    source : CommandSource
    until : float
        When the robot is told to stop, whatever the source says [s].
    steps : int, optional
        After how many steps it is told to stop.
    held : callable, optional
        What can be walked of a command, and why that is not all of it, as `HeldCommand` tells; by default what steps
        allow.
    refused : list of (float, str)
        When which plan was not possible, and the robot stops; or which command is not followed, and it walks on.
    scaled : list of (float, str)
        When which command was more than can be walked, why, and what was walked in place of it.
    """

    def __init__(
        self,
        plan: RecedingPlan,
        source: CommandSource,
        until: float,
        steps: int | None = None,
        held: Callable[[FloatArray], tuple[FloatArray, str]] | None = None,
    ) -> None:
        self.plan, self.source, self.until, self.steps = plan, source, until, steps
        self._held = self._by_steps if held is None else held
        self.refused: list[tuple[float, str]] = []
        self.scaled: list[tuple[float, str]] = []
        self._planned, self._stuck = -1, 0
        self._unheard = source.unheard(until) if isinstance(source, CommandSchedule) else ""
        if self._unheard:
            warnings.warn(self._unheard, ControlWarning, stacklevel=4)

    def follow(self, observation: Observation, control: WalkGuide) -> None:
        """Plan the next step where one is due."""
        phases, t = control.phases, observation.t
        taken = phases.number // 2  # phases of both feet and of one take turns
        goes = t < self.until - 1e-9 and (self.steps is None or taken < self.steps)
        command = asked(self.source, observation) if goes else np.zeros(3)
        observation.log(command=command)
        if phases.phase.swing is not None:
            return
        due = phases.number != self._planned
        stands = phases.number == len(self.plan.window.phases) - 1
        if not (command.any() if stands else due):
            return
        walked, why = self._held(command)
        if why:
            self._tell_scaled(t, command, walked, why)
        if stands and not walked.any():
            return
        self._planned, before = phases.number, self.plan.command
        try:
            control.follow(self.plan.extend(phases.time, phases.number, walked))
        except PlanningError as error:
            self._tell_refused(t, str(error))
            if not stands:
                control.follow(self.plan.extend(phases.time, phases.number, np.zeros(3)))
            return
        self._look_whether_followed(t, walked, before)

    @property
    def notes(self) -> str:
        """Commands that were not walked as they were told, in words; empty where all were."""
        found = [_first(kept) for kept in (self.scaled, self.refused) if kept]
        return "; ".join([*found, self._unheard] if self._unheard else found)

    def _by_steps(self, command: FloatArray) -> tuple[FloatArray, str]:
        most = self.plan.possible(command)
        return most, "needs longer steps than are possible" if (most != command).any() else ""

    def _tell_scaled(self, t: float, command: FloatArray, walked: FloatArray, why: str) -> None:
        """Keep, and warn once, that a command is beyond what can be walked."""
        done = f"{told(walked)} is walked" if walked.any() else "the robot stands"
        text = f"the command {told(command)} {why}; {done}"
        if not self.scaled:
            warnings.warn(f"at {t:.2f} s {text}", ControlWarning, stacklevel=3)
        if not self.scaled or self.scaled[-1][1] != text:
            self.scaled.append((t, text))

    def _look_whether_followed(self, t: float, walked: FloatArray, before: FloatArray) -> None:
        """Tell where no part of a change leaves the pressure within the soles, again and again."""
        wanted = self.plan.possible(walked)
        left, was = (float(np.linalg.norm(command - wanted)) for command in (self.plan.command, before))
        self._stuck = 0 if left < max(NEARER, was - NEARER) else self._stuck + 1
        if self._stuck == STUCK:
            why = f"soles are too small for a change from {told(before)} to {told(wanted)}"
            self._tell_refused(t, why, "the robot walks on")

    def _tell_refused(self, t: float, why: str, does: str = "the robot stops") -> None:
        """Keep, and warn, that the next steps cannot be planned; once where a robot that stands asks in every cycle."""
        text = f"{why}; {does}"
        if not self.refused or self.refused[-1][1] != text:
            warnings.warn(f"at {t:.2f} s: {text}", ControlWarning, stacklevel=3)
            self.refused.append((t, text))


def _first(found: list[tuple[float, str]]) -> str:
    """The first of some, with its time, and how many there are."""
    t, text = found[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"at {t:.2f} s {text}{more}"

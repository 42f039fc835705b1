"""A walk whose command changes on the way: it is planned step by step."""

from __future__ import annotations

import warnings

import numpy as np

from tarsus.control.observation import Observation
from tarsus.errors import ControlWarning, PlanningError
from tarsus.walking.reference.receding_plan import RecedingPlan
from tarsus.walking.stabilizer.walk_guide import WalkGuide
from tarsus.walking.walker.command_schedule import CommandSource, asked


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
    refused : list of (float, str)
        When which plan was not possible: the robot stops then.
    """

    def __init__(self, plan: RecedingPlan, source: CommandSource, until: float, steps: int | None = None) -> None:
        self.plan, self.source, self.until, self.steps = plan, source, until, steps
        self.refused: list[tuple[float, str]] = []
        self._planned = -1
        self._scaled = False

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
        self._planned = phases.number
        try:
            control.follow(self.plan.extend(phases.time, phases.number, command))
        except PlanningError as error:
            self.refused.append((t, str(error)))
            warnings.warn(f"at {t:.2f} s: {error}; the robot stops", ControlWarning, stacklevel=2)
            if not stands:
                control.follow(self.plan.extend(phases.time, phases.number, np.zeros(3)))
            return
        self._tell_scaled(t, command)

    def _tell_scaled(self, t: float, command: np.ndarray) -> None:
        """Warn once where a command was beyond what steps can walk."""
        most = self.plan.possible(command)
        if not self._scaled and (most != command).any():
            self._scaled = True
            warnings.warn(
                f"at {t:.2f} s the command {_told(command)} needs longer steps than are possible; "
                f"{_told(most)} is walked",
                ControlWarning,
                stacklevel=3,
            )


def _told(command: np.ndarray) -> str:
    return f"{command[0]:.3g} m/s, {command[1]:.3g} m/s, {np.degrees(command[2]):.3g} degrees/s"

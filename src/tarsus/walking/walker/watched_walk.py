"""The controller of a walk as `tarsus.simulate` calls it, with what looks after it."""

from __future__ import annotations

from tarsus.control.joint_law import JointLaw
from tarsus.control.observation import Observation
from tarsus.walking.stabilizer.walk_guide import WalkGuide
from tarsus.walking.walker.commanded_walk import CommandedWalk
from tarsus.walking.walker.verdict.fall_watch import FallWatch, Goal
from tarsus.walking.walker.walk_record import WalkRecord

LASTING = 0.3
"""How long a robot that has fallen is still shown [s]."""
OVER = "the walk is over"
"""Reason of runs that end with their plan."""
LONGER = 2.0
"""How long a walk whose plan waits for feet lasts at most, in the time that it was to last."""


class WatchedWalk:
    """Hands commands that change to the controller, tells when the robot falls, and ends the run.

    It ends when the robot has fallen, or when its time is over and the plan, too: on slopes the clock of a plan waits
    for feet that come down late. A walk lasts at most twice as long as it was to.

    Parameters
    ----------
    lasts : float
        How long the walk was to last, a multiple of the cycle [s].

    Attributes
    ----------
    control : WalkGuide
    watch : FallWatch
    fell : float, optional
        When it fell [s].
    steps : int
        Feet that have come down.
    """

    def __init__(
        self,
        control: WalkGuide,
        kept: WalkRecord,
        commanded: CommandedWalk | None,
        lasts: float,
        goal: Goal | None = None,
    ) -> None:
        self.control, self.watch, self._lasts = control, FallWatch(control.biped, control.plan, goal), lasts
        self._kept, self._commanded = kept, commanded
        self.fell: float | None = None
        self.steps = 0

    def __call__(self, observation: Observation) -> JointLaw:
        """Law of the joints until the next call."""
        law = self.control(observation)
        self.steps = self.control.phases.steps
        if self._commanded is not None:
            self._commanded.follow(observation, self.control)
            self._kept.commands = self._commanded.notes
        if self.fell is None:
            self.watch.look(observation.t, observation.q, self.control.error)
            if self.watch.fallen:
                self.fell = observation.t
        over = self._is_over(observation.t)
        self._kept.look(observation.t, self.watch, over)
        if self.fell is not None and observation.t > self.fell + LASTING:
            observation.stop(f"fell: {self.watch.fallen}")
        elif over:
            observation.stop(OVER)
        return law

    def _is_over(self, t: float) -> bool:
        """Whether the time of the walk is over, and its plan; or twice the time."""
        if t < self._lasts - 1e-9:
            return False
        waits = self.control.plan.phases[-1].end - self.control.phases.time
        return waits < 1e-9 or t > LONGER * self._lasts - 1e-9

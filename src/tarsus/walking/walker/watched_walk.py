"""The controller of a walk as `tarsus.simulate` calls it, with what looks after it."""

from __future__ import annotations

from tarsus.control.joint_law import JointLaw
from tarsus.control.observation import Observation
from tarsus.walking.stabilizer.walk_guide import WalkGuide
from tarsus.walking.walker.commanded_walk import CommandedWalk
from tarsus.walking.walker.fall_watch import FallWatch, Goal
from tarsus.walking.walker.walk_record import WalkRecord

LASTING = 0.3
"""How long a robot that has fallen is still shown [s]."""


class WatchedWalk:
    """Hands commands that change to the controller, tells when the robot falls, and ends the run then.

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
        self, control: WalkGuide, kept: WalkRecord, commanded: CommandedWalk | None, goal: Goal | None = None
    ) -> None:
        self.control, self.watch = control, FallWatch(control.biped, control.plan, goal)
        self._kept, self._commanded = kept, commanded
        self.fell: float | None = None
        self.steps = 0

    def __call__(self, observation: Observation) -> JointLaw:
        """Law of the joints until the next call."""
        law = self.control(observation)
        self.steps = self.control.phases.steps
        if self._commanded is not None:
            self._commanded.follow(observation, self.control)
        if self.fell is None:
            self.watch.look(observation.t, observation.q, self.control.soles, self.control.error)
            if self.watch.fallen:
                self.fell = observation.t
        self._kept.look(observation.t, self.watch)
        if self.fell is not None and observation.t > self.fell + LASTING:
            observation.stop(f"fell: {self.watch.fallen}")
        return law

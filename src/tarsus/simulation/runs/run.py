"""A run: robots on their way through time, whatever integrates them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from tarsus.arrays import FloatArray
from tarsus.control.joint_law import JointLaw
from tarsus.devices.sensors.motion import Contacts
from tarsus.errors import ArgumentError, LoopError
from tarsus.recording.samples import Samples, joined_samples
from tarsus.recording.trajectory import Trajectory
from tarsus.simulation.runs.integration import Integration
from tarsus.simulation.runs.robots import Robots
from tarsus.simulation.runs.step_failure import StepFailure
from tarsus.simulation.runs.stretch import Stretch

if TYPE_CHECKING:
    from tarsus.model import Model


class Run(ABC):
    """Robots and the way in which they are integrated.

    Attributes
    ----------
    robots : Robots
        State, time, and what acts on them: wrenches are set there between stretches.
    integration : Integration
    """

    def __init__(self, robots: Robots, integration: Integration) -> None:
        self.robots = robots
        self.integration = integration

    # -- coordinates in which the run is told ------------------------------------------------------------------------

    @property
    @abstractmethod
    def model(self) -> Model:
        """The model of all states, torques and samples."""

    @property
    @abstractmethod
    def configuration(self) -> FloatArray:
        """Configurations of all robots, shape (*batch, nq); perhaps a view of the state."""

    @property
    @abstractmethod
    def velocity(self) -> FloatArray:
        """Velocities of all robots, shape (*batch, nv); perhaps a view of the state."""

    @property
    @abstractmethod
    def torque(self) -> FloatArray:
        """Torques of the joints in the step that ended last, shape (*batch, nv); perhaps a view of the state."""

    @abstractmethod
    def set_torque(self, tau: FloatArray) -> int | None:
        """Apply constant torques from now on, shape (*batch, nv); the place of the first that is not finite, if any."""

    @abstractmethod
    def set_law(self, law: JointLaw) -> None:
        """Use this joint law from now on."""

    @abstractmethod
    def told(self, samples: Samples) -> Samples:
        """Samples of the robots in the coordinates of `model`."""

    def resume(self, trajectory: Trajectory) -> None:
        """Go on where a trajectory that was made resumable ended, from whose last state this run was made."""
        self.robots.restore(trajectory)

    # -- time --------------------------------------------------------------------------------------------------------

    @property
    def chunk(self) -> int | None:
        """Steps that a call of `advance` takes at most; None where it does not matter and may follow the clock."""
        return self.integration.chunk

    @property
    def ended(self) -> bool:
        """Whether the run has come to an end before its time."""
        return self.integration.ended

    def start(self) -> Samples:
        """The present state as one sample; more where something happens at once."""
        happened = self.integration.start()
        return self.told(joined_samples(happened)) if happened else self.present()

    def present(self) -> Samples:
        """The present state as one sample."""
        return self.told(self.integration.completed(self.robots.sample(self.robots.time)))

    def end(self) -> Samples:
        """The present state after a step as one sample, with the forces and torques that samples tell there."""
        return self.told(self.integration.completed(self.integration.acted()))

    def contacts(self) -> Contacts:
        """Contact forces of the step that ended last; before the first one those without the controller."""
        robots, world = self.robots, self.robots.world
        if robots.steps_natively and robots.step > 0:  # the same without all else that samples hold
            position, force = robots.acted_contacts()
        else:
            samples = self.integration.acted()
            position, force = samples.contact_position[-1], samples.contact_force[-1]
        return Contacts.known(world.names, position, force, world.bodies)

    def advance(self, steps: int) -> Samples | None:
        """Bring the robots that many steps of dt further; the samples on the way, None where none are due.

        Raises
        ------
        StepFailure
            With the samples until then.
        """
        stretch = Stretch(self.robots, steps)
        try:
            self.integration.integrate(stretch)
        except (StepFailure, LoopError, ArgumentError) as error:
            # Functions of the state refuse a loop that is open, and motions that constraints follow may fail.
            failure = error if isinstance(error, StepFailure) else StepFailure(str(error), 0, stretch.now)
            failure.samples = self._told_of(stretch)
            raise failure from None
        self.robots.step += steps
        return self._told_of(stretch)

    def _told_of(self, stretch: Stretch) -> Samples | None:
        samples = stretch.samples()
        return None if samples is None else self.told(samples)

    def take_events(self) -> list[dict[str, Any]]:
        """Events since the last call, for the metadata; plain JSON values."""
        return self.integration.take_events()

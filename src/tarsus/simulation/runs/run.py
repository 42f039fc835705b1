"""A run: robots on their way through time, whatever integrates them."""

from __future__ import annotations

from typing import Any, final

from tarsus.devices.sensors.motion import Contacts
from tarsus.errors import LoopError
from tarsus.recording.samples import Samples, joined_samples
from tarsus.simulation.runs.integration import Integration
from tarsus.simulation.runs.robots import Robots
from tarsus.simulation.runs.step_failure import StepFailure
from tarsus.simulation.runs.stretch import Stretch


@final
class Run:
    """Robots and the way in which they are integrated.

    Attributes
    ----------
    robots : Robots
        State, time, and what acts on them: laws, torques and wrenches are set there between stretches.
    """

    def __init__(self, robots: Robots, integration: Integration) -> None:
        self.robots = robots
        self._integration = integration

    @property
    def chunk(self) -> int | None:
        """Steps that a call of `advance` takes at most; None where it does not matter and may follow the clock."""
        return self._integration.chunk

    @property
    def ended(self) -> bool:
        """Whether the run has come to an end before its time."""
        return self._integration.ended

    def start(self) -> Samples:
        """The present state as one sample; more where something happens at once."""
        happened = self._integration.start()
        return joined_samples(happened) if happened else self.present()

    def present(self) -> Samples:
        """The present state as one sample."""
        return self._integration.completed(self.robots.sample(self.robots.time))

    def contacts(self) -> Contacts:
        """Contact forces of the step that ended last; before the first one those without the controller."""
        robots, world = self.robots, self.robots.world
        if robots.steps_natively and robots.step > 0:  # the same without all else that samples hold
            position, force = robots.acted_contacts()
        else:
            samples = self._integration.acted()
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
            self._integration.integrate(stretch)
        except (StepFailure, LoopError) as error:
            # Functions of the state refuse a loop that is open; the native core tells more.
            failure = StepFailure(str(error), 0, stretch.now) if isinstance(error, LoopError) else error
            failure.samples = stretch.samples()
            raise failure from None
        self.robots.step += steps
        return stretch.samples()

    def take_events(self) -> list[dict[str, Any]]:
        """Events since the last call, for the metadata; plain JSON values."""
        return self._integration.take_events()

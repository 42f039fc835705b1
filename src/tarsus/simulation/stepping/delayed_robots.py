"""Robots as they are known: each as it was some steps ago."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, final

import numpy.typing as npt

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.devices.sensors.motion import Contacts
from tarsus.errors import ArgumentError
from tarsus.model.lowering import to_user
from tarsus.simulation.runs.contact_switches import switch_contacts
from tarsus.simulation.runs.robots import Robots
from tarsus.simulation.runs.state import State

if TYPE_CHECKING:
    from tarsus.model import Model


@final
class DelayedRobots:
    """What an observation asks for (control.observation.Observed), of an earlier state."""

    def __init__(self, robots: Robots, state: State) -> None:
        self._robots, self._state = robots, state

    @property
    def model(self) -> Model:
        """Of all robots."""
        return self._robots.model

    @property
    def q(self) -> FloatArray:
        """Configurations, shape (*batch, nq)."""
        return read_only_copy(to_user(self.model, self._state.q).reshape(*self._robots.batch, -1))

    @property
    def v(self) -> FloatArray:
        """Velocities, shape (*batch, nv)."""
        return read_only_copy(self._state.v.reshape(*self._robots.batch, -1))

    @property
    def bodies_of_contacts(self) -> tuple[str, ...]:
        """Body that each contact is on."""
        return self._robots.world.bodies

    @property
    def moment(self) -> int:
        """Always the same: the state is a copy."""
        return 0

    def contacts(self) -> Contacts:
        """Contact forces of the step that led to the state."""
        world = self._robots.world
        samples = self._robots.sample(self._robots.time, self._state, forces="acted")
        return Contacts(world.names, samples.contact_position[-1], samples.contact_force[-1], world.bodies)

    def torque(self) -> FloatArray:
        """Torques of the joints in the step that led to the state, shape (*batch, nv)."""
        return read_only_copy(self._state.tau.reshape(*self._robots.batch, -1))

    def switch(self, contacts: str | Iterable[str], on: npt.ArrayLike) -> None:
        """Let contacts touch the ground from now on, or nothing at all: this is not delayed."""
        switch_contacts(self._robots, contacts, on)

    def log(self, signals: Mapping[str, Any]) -> NoReturn:
        """Refused: there is no trajectory."""
        raise ArgumentError("a Simulation that is stepped keeps no signals: keep them where it is stepped")

    def stop(self, reason: str) -> NoReturn:
        """Refused: nobody runs it."""
        raise ArgumentError("a Simulation that is stepped has no end: leave off stepping it")

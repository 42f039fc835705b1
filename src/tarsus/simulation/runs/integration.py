"""What differs between the runs of a simulation: how robots are brought through a stretch of time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from tarsus.recording.samples import Samples
from tarsus.simulation.runs.stretch import Stretch

_ADAPTIVE_CHUNK = 0.1
"""Time that adaptive integrators are given at once [s]: their steps end with it."""


class Integration(ABC):
    """One way to integrate robots in time; it changes the state of the robots it was made for."""

    @property
    @abstractmethod
    def chunk(self) -> int | None:
        """Steps that a stretch has at most; None where it does not matter and may follow the clock."""

    @property
    @abstractmethod
    def ended(self) -> bool:
        """Whether the run has come to an end before its time."""

    @abstractmethod
    def start(self) -> list[Samples]:
        """Begin at the present state: the energy audit, and what happens at once, as samples."""

    @abstractmethod
    def integrate(self, stretch: Stretch) -> None:
        """Bring the robots to the end of a stretch, whose samples are added to it.

        Raises
        ------
        StepFailure
            With the stretch holding the samples until then.
        """

    @abstractmethod
    def completed(self, samples: Samples) -> Samples:
        """The sample of the present state with what the native core does not know."""

    @abstractmethod
    def acted(self) -> Samples:
        """The present state with the contact forces that acted in the step that led to it, as samples tell them.

        Before the first step the forces are those under the present joint law.
        """

    @abstractmethod
    def go_on_from(self, other: Integration) -> None:
        """Take over what another one of the same kind keeps beside the state of the same robots."""

    @abstractmethod
    def take_events(self) -> list[dict[str, Any]]:
        """Events since the last call, for the metadata; plain JSON values."""


def adaptive_chunk(dt: float) -> int:
    """Steps of dt that adaptive integrators are given at once; a number that does not depend on the clock."""
    return int(max(1.0, _ADAPTIVE_CHUNK / dt))

"""A scenario: a robot, where it starts, what it shall do, and what that must show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tarsus.arrays import FloatArray
from tarsus.contact import ContactLaw, Contactor, Ground, Pairs, flat
from tarsus.control.sequencing.contact_sequence import Event, Force
from tarsus.control.whole_body.answer import Command
from tarsus.control.whole_body.contact import Contact
from tarsus.model import Model
from tarsus.simulation.push import Push


class Control(Protocol):
    """A controller of a scenario."""

    state: str
    reason: str
    events: list[Event]
    contacts: tuple[Contact, ...]
    com_reference: FloatArray
    heaviness: float
    """Weight for which the last command was made, in that of the model."""

    @property
    def frames(self) -> tuple[str, ...]:
        """Of all contacts that it may have."""

    @property
    def supports(self) -> tuple[Contact, ...]:
        """Contacts with the ground that it may have, of any size."""

    @property
    def q_reference(self) -> FloatArray:
        """Posture that it goes to or keeps, of the last command, shape (nq,)."""

    def command(self, t: float, q: FloatArray, v: FloatArray, force: Force) -> Command:
        """Command at a state, with forces that are felt."""


@dataclass(frozen=True, eq=False)
class Scenario:
    """Something that a robot does, from a model alone.

    Attributes
    ----------
    name, summary : str
    model, known : Model
        With the frames of contacts: as it is simulated, and as the controller knows it.
    q0 : ndarray, shape (nq,)
        Start, at rest.
    control : callable
        Makes the controller.
    duration : float
        It ends then, or before where the controller is done or has failed [s].
    contacts : sequence of Contactor
        What the robot touches with.
    ground : callable
        Makes the ground of a contact law.
    pushes : sequence of Push
    needs_done : bool
        Whether the controller must have come to its end.
    calm : float
        Time after a push after which the centre of mass must be at its reference again [s].
    tracks : bool
        Whether the centre of mass must be at its reference.
    standing_on : sequence of str
        Bodies that may touch the ground, or each other.
    pairs : Pairs, optional
        Bodies that touch each other.
    """

    name: str
    summary: str
    model: Model
    known: Model
    q0: FloatArray
    control: Callable[[], Control]
    duration: float
    contacts: Sequence[Contactor]
    ground: Callable[[ContactLaw], Ground] = field(default=flat)
    pushes: Sequence[Push] = ()
    needs_done: bool = True
    calm: float = 2.0
    tracks: bool = True
    standing_on: Sequence[str] = ()
    pairs: Pairs | None = None

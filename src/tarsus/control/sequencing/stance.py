"""A stance: contacts, and a posture in which the robot rests on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from tarsus.arrays import read_only_copy
from tarsus.control.whole_body.contact import Contact
from tarsus.errors import ArgumentError


@dataclass(frozen=True, eq=False)
class Stance:
    """Contacts of a robot and the posture that belongs to them.

    Attributes
    ----------
    contacts : sequence of Contact
        With poses; each on a frame of its own.
    q : array_like, shape (nq,)
        In balance on these contacts.
    hold : float
        Time to stay there [s].
    name : str
    """

    contacts: Sequence[Contact]
    q: npt.ArrayLike
    hold: float = 0.0
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "contacts", tuple(self.contacts))
        object.__setattr__(self, "q", read_only_copy(np.asarray(self.q, dtype=float)))
        frames = [contact.frame for contact in self.contacts]
        if not frames:
            raise ArgumentError(f"stance {self.name!r} has no contacts; expected at least one")
        for frame in frames:
            if frames.count(frame) > 1:
                raise ArgumentError(f"stance {self.name!r} has two contacts on {frame!r}; expected one with all points")
        for contact in self.contacts:
            if contact.pose is None:
                raise ArgumentError(f"contact {contact.frame!r} of stance {self.name!r} has no pose")
        if not (np.isfinite(self.hold) and self.hold >= 0.0):
            raise ArgumentError(f"hold of stance {self.name!r} is {self.hold!r}; expected a number of at least 0 [s]")

    @property
    def frames(self) -> tuple[str, ...]:
        """Of the contacts."""
        return tuple(contact.frame for contact in self.contacts)

    def contact(self, frame: str) -> Contact:
        """The contact on a frame."""
        return self.contacts[self.frames.index(frame)]

    def held(self, seconds: float) -> Self:
        """The stance with another time to stay there."""
        return replace(self, hold=seconds)

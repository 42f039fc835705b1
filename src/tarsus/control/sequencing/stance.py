"""A stance: contacts, and a posture in which they can be had."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.control.whole_body.contact import Contact
from tarsus.errors import ArgumentError


@dataclass(frozen=True, eq=False)
class Stance:
    """Contacts that carry a robot, and a posture in which they can be had from the stance before.

    Attributes
    ----------
    name : str
    contacts : tuple of Contact
        With poses, each on a frame of its own.
    q : ndarray, shape (nq,)
        The posture: contacts of this stance and of the one before are in place, and those that both have carry it.
    """

    name: str
    contacts: tuple[Contact, ...]
    q: FloatArray

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
                raise ArgumentError(f"contact {contact.frame!r} of stance {self.name!r} has no pose; expected one")

"""Lists of stances, from changes of contacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Self

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.stances.posture import static_posture
from tarsus.control.stances.stance import Stance
from tarsus.control.whole_body.contact import Contact
from tarsus.errors import ArgumentError
from tarsus.model import Model

INNER = 0.4
"""Part of the length and width of patches on which the weight is planned to be: the rest is for what is not planned."""
LEAST = 0.25
"""Part of an equal share of the weight that every contact is planned to carry: none is about to lift off."""
NOTHING = 1e-3
"""Part of the weight that contacts carry which carry nothing."""


class StanceList:
    """Postures in which a robot can change its contacts, one after the other.

    Parameters
    ----------
    model : Model
    contacts : sequence of Contact
        With poses, at the start.
    reference : ndarray, shape (nq,)
        The first posture is near it.

    Attributes
    ----------
    stances : list of Stance
    """

    def __init__(self, model: Model, contacts: Sequence[Contact], reference: FloatArray, name: str = "start") -> None:
        self.model = model
        self.stances: list[Stance] = []
        self._add(name, tuple(contacts), contacts, (), reference)

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """Of the last stance."""
        return self.stances[-1].contacts

    @property
    def q(self) -> FloatArray:
        """Posture of the last stance."""
        return self.stances[-1].q

    def move(self, reference: FloatArray, name: str) -> Self:
        """Another posture on the same contacts."""
        return self._add(name, self.contacts, self.contacts, (), reference)

    def lift(self, limb: Contact, reference: FloatArray, name: str) -> Self:
        """A posture on the same contacts, with a limb in the air where the pose of its contact is."""
        return self._add(name, self.contacts, self.contacts, (limb,), reference)

    def release(self, frame: str, reference: FloatArray | None = None, name: str = "") -> Self:
        """The contact of a frame ends."""
        kept = [contact for contact in self.contacts if contact.frame != frame]
        gone = [contact for contact in self.contacts if contact.frame == frame]
        return self._add(name or f"release {frame}", tuple(kept), kept, gone, reference)

    def place(self, contact: Contact, reference: FloatArray | None = None, name: str = "") -> Self:
        """A contact begins."""
        new = (*self.contacts, contact)
        return self._add(name or f"place {contact.frame}", new, self.contacts, (contact,), reference)

    def _add(
        self,
        name: str,
        after: tuple[Contact, ...],
        carrying: Sequence[Contact],
        idle: Sequence[Contact],
        reference: FloatArray | None,
    ) -> Self:
        """A posture near a reference that rests on the middle of contacts, with others in place that carry nothing."""
        weight = self.model.total_mass * float(np.linalg.norm(self.model.gravity))
        least = LEAST * weight / len(carrying)
        loaded = [_inner(contact).with_force(np.inf, least) for contact in carrying]
        in_place = [*loaded, *(contact.with_force(NOTHING * weight) for contact in idle)]
        found = static_posture(self.model, in_place, self.q if reference is None else reference)
        if not found.success:
            raise ArgumentError(f"{self.model.name!r} has no posture for {name!r}: {found.reason}")
        self.stances.append(Stance(name, after, found.q, found.equilibrium))
        return self


def _inner(contact: Contact) -> Contact:
    """The contact with the middle of its patch or edge."""
    points = np.asarray(contact.points)
    middle = points.mean(axis=0)
    return replace(contact, points=middle + INNER * (points - middle))

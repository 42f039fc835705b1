"""Switches that close when a foot is on the ground."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.devices.sensors.error_model import ErrorModel
from tarsus.devices.sensors.motion import Contacts, Motion, contacts_on, known_contacts
from tarsus.devices.sensors.native_truth import NativeTruth
from tarsus.devices.sensors.sensor import Readings, Sensor
from tarsus.errors import ArgumentError
from tarsus.model.model import Model

CLOSES = 0.05
"""Part of the robot's weight above which a switch closes by default."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ContactSwitch(Sensor):
    """1 while the contact force on a body is large, 0 otherwise, with hysteresis.

    Attributes
    ----------
    body : str
        Body, or a frame of it.
    closes, opens : float, optional
        Magnitude of the sum of contact forces [N] above which it closes and below which it opens; 5 % of the model's
        weight m g, and half of `closes`, by default.
    errors : ErrorModel
        Errors of the force that the switch feels [N].
    contact_frames : mapping of str to str
        Frames of contacts that are not named after one.
    """

    body: str
    name: str = "switch"
    closes: float | None = None
    opens: float | None = None
    errors: ErrorModel = field(default_factory=ErrorModel)
    contact_frames: Mapping[str, str] = field(default_factory=dict)
    needs_contacts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        Sensor.__post_init__(self)
        opens = 0.0 if self.opens is None else self.opens
        closes = opens if self.closes is None else self.closes
        if not 0.0 <= opens <= closes < np.inf:
            raise ArgumentError(
                f"ContactSwitch opens at {self.opens} N and closes at {self.closes} N, expected 0 <= opens <= closes"
            )

    def fitted(self, model: Model) -> ContactSwitch:
        """With the levels that follow from the weight of a model, where none were given."""
        if self.closes is not None and self.opens is not None:
            return self
        weight = model.total_mass * float(np.linalg.norm(model.gravity))
        closes = max(CLOSES * weight, self.opens or 0.0) if self.closes is None else self.closes
        return replace(self, closes=closes, opens=0.5 * closes if self.opens is None else self.opens)

    def labels(self, model: Model) -> tuple[str, ...]:
        """The one channel."""
        _ = model.frames[self.body]
        return ("closed",)

    def truth(self, motion: Motion) -> FloatArray:
        """Magnitude of the force on the body [N], (..., 1)."""
        index = self._on_body(motion.model, motion.contacts)
        total = known_contacts(motion.contacts, self.name).force[..., index, :].sum(axis=-2)
        magnitude = np.linalg.norm(total, axis=-1)[..., None]
        return np.broadcast_to(magnitude, (*motion.q.shape[:-1], 1))

    def error_parts(self) -> tuple[tuple[ErrorModel, int], ...]:
        """Of the force."""
        return ((self.errors, 1),)

    def add_to(self, table: NativeTruth, contacts: Contacts | None) -> bool:
        """The sum of the forces on the body."""
        table.add_force(self._on_body(table.model, contacts))
        return True

    def told(self, batch: tuple[int, ...]) -> Readings | None:
        """0 or 1 from the felt force; open at the start."""
        closes, opens = self.closes, self.opens
        if closes is None or opens is None:
            raise ArgumentError(
                f"ContactSwitch {self.name!r} closes at a part of the weight of a model: give closes and opens, or use "
                "what fitted(model) returns"
            )
        closed = np.zeros((*batch, 1), dtype=bool)

        def read(felt: FloatArray) -> FloatArray:
            nonlocal closed
            closed = np.where(closed, felt >= opens, felt > closes)
            return closed.astype(float)

        return read

    def _on_body(self, model: Model, contacts: Contacts | None) -> list[int]:
        """Numbers of the contacts on the body."""
        known = known_contacts(contacts, f"ContactSwitch {self.name!r}")
        return contacts_on(model, known, [model.frames[self.body].body], self.contact_frames)

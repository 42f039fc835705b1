"""Switches that close when a foot is on the ground."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.devices.sensors.error_model import ErrorModel
from tarsus.devices.sensors.motion import Motion, contacts_on
from tarsus.devices.sensors.sensor import Readings, Sensor
from tarsus.errors import ArgumentError
from tarsus.model.model import Model


@dataclass(frozen=True, eq=False, kw_only=True)
class ContactSwitch(Sensor):
    """1 while the contact force on a body is large, 0 otherwise, with hysteresis.

    Attributes
    ----------
    body : str
        Body, or a frame of it.
    closes, opens : float
        Magnitude of the sum of contact forces [N] above which it closes and below which it opens.
    errors : ErrorModel
        Errors of the force that the switch feels [N].
    contact_frames : mapping of str to str
        Frames of contacts that are not named after one.
    """

    body: str
    name: str = "switch"
    closes: float = 10.0
    opens: float = 5.0
    errors: ErrorModel = field(default_factory=ErrorModel)
    contact_frames: Mapping[str, str] = field(default_factory=dict)
    needs_contacts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        Sensor.__post_init__(self)
        if not 0.0 <= self.opens <= self.closes < np.inf:
            raise ArgumentError(
                f"ContactSwitch opens at {self.opens} N and closes at {self.closes} N, expected 0 <= opens <= closes"
            )

    def labels(self, model: Model) -> tuple[str, ...]:
        """The one channel."""
        _ = model.frames[self.body]
        return ("closed",)

    def truth(self, motion: Motion) -> FloatArray:
        """Magnitude of the force on the body [N], (..., 1)."""
        contacts = motion.known_contacts(f"ContactSwitch {self.name!r}")
        index = contacts_on(motion.model, contacts, [motion.model.frames[self.body].body], self.contact_frames)
        total = contacts.force[..., index, :].sum(axis=-2)
        magnitude = np.linalg.norm(total, axis=-1)[..., None]
        return np.broadcast_to(magnitude, (*motion.q.shape[:-1], 1))

    def begin(self, shape: tuple[int, ...], rng: np.random.Generator) -> Readings:
        """0 or 1 from the felt force; open at the start."""
        errors = self.errors.begin(shape, self.rate, rng)
        closed = np.zeros(shape, dtype=bool)

        def read(truth: FloatArray) -> FloatArray:
            nonlocal closed
            felt = errors(truth)
            closed = np.where(closed, felt >= self.opens, felt > self.closes)
            return closed.astype(float)

        return read

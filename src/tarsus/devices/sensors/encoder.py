"""Joint angles as encoders count them, and rates made of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.devices.sensors.error_model import ErrorModel
from tarsus.devices.sensors.motion import Contacts, Motion
from tarsus.devices.sensors.native_truth import NativeTruth
from tarsus.devices.sensors.sensor import Readings, Sensor
from tarsus.errors import ArgumentError, UnknownNameError
from tarsus.model.model import Model

VelocityMode = Literal["difference", "filtered", "none"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Encoder(Sensor):
    """Positions of joints with finite resolution, and velocities made of the readings.

    Attributes
    ----------
    joints : tuple of str
        Joints with one independent coordinate each.
    errors : ErrorModel
        Errors of the positions; `resolution` [rad] is one count at the joint, see `counts`.
    velocity : {"difference", "filtered", "none"}
        Difference of two readings over their distance; the same through a low pass of first order; or no rates.
    cutoff : float
        Frequency of the low pass [rad/s].
    """

    joints: tuple[str, ...]
    name: str = "encoder"
    errors: ErrorModel = field(default_factory=ErrorModel)
    velocity: VelocityMode = "difference"
    cutoff: float = 200.0

    def __post_init__(self) -> None:
        Sensor.__post_init__(self)
        object.__setattr__(self, "joints", (self.joints,) if isinstance(self.joints, str) else tuple(self.joints))
        if self.velocity not in get_args(VelocityMode):
            known = get_args(VelocityMode)
            raise UnknownNameError(f"velocity of Encoder is {self.velocity!r}, expected one of {known}")
        if not (np.isfinite(self.cutoff) and self.cutoff > 0.0):
            raise ArgumentError(f"cutoff of Encoder is {self.cutoff!r}, expected a positive number of rad/s")

    @staticmethod
    def counts(per_turn: float, ratio: float = 1.0) -> float:
        """Resolution at the joint [rad] of an encoder with so many counts a turn, on the motor behind a gear ratio."""
        return 2.0 * np.pi / (per_turn * ratio)

    def labels(self, model: Model) -> tuple[str, ...]:
        """Joints, then their rates if there are any."""
        for name in self.joints:
            joint = model.joints[name]
            if joint.q_index.stop - joint.q_index.start != 1:
                raise ArgumentError(f"joint {name!r} of an Encoder must have one independent coordinate")
        rates = () if self.velocity == "none" else tuple(f"{name} rate" for name in self.joints)
        return (*self.joints, *rates)

    def truth(self, motion: Motion) -> FloatArray:
        """Joint coordinates, then rates, (..., channels) [rad, rad/s or m, m/s]."""
        joints = [motion.model.joints[name] for name in self.joints]
        q = motion.q[..., [joint.q_index.start for joint in joints]]
        if self.velocity == "none":
            return q
        return np.concatenate([q, motion.v[..., [joint.v_index.start for joint in joints]]], axis=-1)

    def sensed(self, truth: FloatArray) -> FloatArray:
        """The positions: rates are made of their readings."""
        return truth[..., : len(self.joints)]

    def error_parts(self) -> tuple[tuple[ErrorModel, int], ...]:
        """Of the positions."""
        return ((self.errors, len(self.joints)),)

    def add_to(self, table: NativeTruth, contacts: Contacts | None) -> bool:
        """The coordinates."""
        for name in self.joints:
            table.add_position(table.model.joints[name].q_index.start)
        return True

    def told(self, batch: tuple[int, ...]) -> Readings | None:
        """Positions, and rates from their readings; the first rate is zero."""
        if self.velocity == "none":
            return None
        n = len(self.joints)
        keep = float(np.exp(-self.cutoff / self.rate)) if self.velocity == "filtered" else 0.0
        gain = (1.0 - keep) * self.rate
        last: FloatArray | None = None
        rate = np.zeros((*batch, n))

        def read(position: FloatArray) -> FloatArray:
            nonlocal last, rate
            if last is not None:
                change = gain * (position - last)
                rate = keep * rate + change if keep else change
            last = position
            return np.concatenate((position, rate), axis=-1)

        return read

"""Joint angles as encoders count them, and rates made of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.devices.sensors.error_model import ErrorModel
from tarsus.devices.sensors.motion import Motion
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

    def begin(self, shape: tuple[int, ...], rng: np.random.Generator) -> Readings:
        """Readings of positions, and rates from these readings; the first rate is zero."""
        n = len(self.joints)
        errors = self.errors.begin((*shape[:-1], n), self.rate, rng)
        keep = np.exp(-self.cutoff / self.rate) if self.velocity == "filtered" else 0.0
        last: FloatArray | None = None
        rate = np.zeros((*shape[:-1], n))

        def read(truth: FloatArray) -> FloatArray:
            nonlocal last, rate
            position = errors(truth[..., :n])
            if self.velocity == "none":
                return position
            if last is not None:
                rate = keep * rate + (1.0 - keep) * (position - last) * self.rate
            last = position
            return np.concatenate([position, rate], axis=-1)

        return read

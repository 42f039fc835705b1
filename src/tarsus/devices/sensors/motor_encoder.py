"""Encoders on motors, before their gears."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.devices.sensors.encoder import Encoder
from tarsus.devices.sensors.motion import Contacts, Motion
from tarsus.devices.sensors.native_truth import NativeTruth
from tarsus.errors import ArgumentError
from tarsus.model.model import Model


class RunningDrives(Protocol):
    """Drives while a simulation runs: an `ActuatedController`."""

    def state_at(self, joint: str, t: float) -> dict[str, FloatArray] | None:
        """State of the drive of a joint at a time [s], by name; None before it began."""

    def ratio(self, joint: str) -> float:
        """Turns of the motor for one turn of a joint."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MotorEncoder(Encoder):
    """Angles of the motors that drive joints, in turns of the motor: what an encoder before the gear counts.

    Behind an elastic gear the motor turns by ratio (q + deflection), with a deflection that is the torque of the spring
    over its stiffness; behind a rigid one by ratio q. A drive begins without deflection.

    Attributes
    ----------
    drives : ActuatedController
        That drives the joints in the same run.
    errors : ErrorModel
        Errors of the angles; `resolution` [rad] is one count at the motor.
    """

    drives: RunningDrives
    name: str = "motor-encoder"

    def labels(self, model: Model) -> tuple[str, ...]:
        """Joints, then their rates if there are any; every joint must have a drive."""
        for name in self.joints:
            self.drives.ratio(name)
        return super().labels(model)

    def truth(self, motion: Motion) -> FloatArray:
        """Angles of the motors, then rates, (..., channels) [rad, rad/s]."""
        if motion.time is None:
            raise ArgumentError(
                f"MotorEncoder {self.name!r} reads drives while they run; afterwards their angles are in the log of "
                "the ActuatedController"
            )
        angles, rates = [], []
        for name in self.joints:
            joint, ratio = motion.model.joints[name], self.drives.ratio(name)
            state = self.drives.state_at(name, motion.time) or {}
            angles.append(ratio * state.get("angle", motion.q[..., joint.q_index.start]))
            rates.append(ratio * state.get("rate", motion.v[..., joint.v_index.start]))
        return np.stack(angles if self.velocity == "none" else angles + rates, axis=-1)

    def add_to(self, table: NativeTruth, contacts: Contacts | None) -> bool:
        """The native core does not know the drives."""
        return False

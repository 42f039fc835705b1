"""Torque sensors in joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.devices.sensors.error_model import ErrorModel
from tarsus.devices.sensors.force_torque import ForceTorqueSensor
from tarsus.devices.sensors.motion import Contacts, Motion
from tarsus.devices.sensors.native_truth import NativeTruth
from tarsus.devices.sensors.sensor import Sensor
from tarsus.errors import ArgumentError
from tarsus.model.model import Model

_KINDS = ("revolute", "continuous", "prismatic")


@dataclass(frozen=True, eq=False, kw_only=True)
class JointTorqueSensor(Sensor):
    """Torques (forces of sliding joints) that joints exert on what they carry, about their axes.

    The sensor is at the output: it reads what the link feels, the component along the axis of the wrench that a
    `ForceTorqueSensor` in the joint reads, with the sign of joint torques. By Newton and Euler for what the joint
    carries this is, in a tree,

        tau - friction - damping - springs - armature vdot,

    the torque of the actuator less what is lost and stored in the joint and what its rotor takes to turn; in a joint
    that rests, the torque against gravity and contacts. Buschmann 2014 section 4.2.

    Attributes
    ----------
    joints : tuple of str
        Joints that turn or slide; nothing may close a loop around them.
    errors : ErrorModel
        Errors in N m (N); one entry a joint, or one for all.
    contact_frames : mapping of str to str
        Frames of contacts that are not named after one.
    """

    joints: tuple[str, ...]
    name: str = "joint-torque"
    errors: ErrorModel = field(default_factory=ErrorModel)
    contact_frames: Mapping[str, str] = field(default_factory=dict)
    needs_contacts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        Sensor.__post_init__(self)
        object.__setattr__(self, "joints", (self.joints,) if isinstance(self.joints, str) else tuple(self.joints))

    def labels(self, model: Model) -> tuple[str, ...]:
        """Joints."""
        for name in self.joints:
            kind = model.joints[name].kind
            if kind not in _KINDS:
                raise ArgumentError(
                    f"joint {name!r} of a JointTorqueSensor is {kind}; expected one of {', '.join(_KINDS)}"
                )
            self._wrench(model, name).labels(model)
        return self.joints

    def truth(self, motion: Motion) -> FloatArray:
        """Torques on what the joints carry, (..., joints) [N m or N]."""
        wrenches = [self._wrench(motion.model, name).truth(motion) for name in self.joints]
        return np.stack(
            [wrench @ _weights(motion.model, name) for wrench, name in zip(wrenches, self.joints, strict=True)], axis=-1
        )

    def error_parts(self) -> tuple[tuple[ErrorModel, int], ...]:
        """Of all joints."""
        return ((self.errors, len(self.joints)),)

    def add_to(self, table: NativeTruth, contacts: Contacts | None) -> bool:
        """The component of each joint's wrench."""
        for name in self.joints:
            self._wrench(table.model, name).add_component_to(table, _weights(table.model, name), contacts)
        return True

    def _wrench(self, model: Model, joint: str) -> ForceTorqueSensor:
        """A sensor of all six components in a joint, at the body that it carries."""
        child = model.joints[joint].child
        return ForceTorqueSensor(frame=child, name=self.name, joint=joint, contact_frames=self.contact_frames)


def _weights(model: Model, name: str) -> FloatArray:
    """What the six components at the child's origin, in its axes, are multiplied by: -1 along the joint's axis."""
    joint = model.joints[name]
    X_BJ = np.linalg.inv(joint.child_pose)
    axis, place = X_BJ[:3, :3] @ joint.axis, X_BJ[:3, 3]
    if joint.kind == "prismatic":
        return np.concatenate([-axis, np.zeros(3)])
    return np.concatenate([np.cross(axis, place), -axis])  # axis . (n - place x f)

"""Force/torque sensors in joints and feet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.devices.sensors.error_model import ErrorModel
from tarsus.devices.sensors.motion import Contacts, Motion, contacts_on, known_contacts
from tarsus.devices.sensors.native_truth import NativeTruth
from tarsus.devices.sensors.sensor import Sensor
from tarsus.dynamics.kinematics import frame_acceleration, frame_pose, frame_velocity
from tarsus.errors import ArgumentError
from tarsus.model.model import Model
from tarsus.spatial.inertia import Inertia


@dataclass(frozen=True, eq=False, kw_only=True)
class ForceTorqueSensor(Sensor):
    """Six components of the wrench that the part of the robot behind the sensor exerts on the part before it.

    By Newton and Euler for what is behind it, contact forces c at points p and bodies with mass m, centre of mass
    acceleration a, moments I and angular momentum h about it:

        force  = sum c - sum m (a - g)
        moment = sum (p - o) x c - sum [(r - o) x m (a - g) + dh/dt],

    about the frame's origin o, in the frame's axes. A foot on the ground reads its share of the weight upwards.
    Buschmann 2014 section 4.2: sensors in the feet are a standard component of bipeds.

    Attributes
    ----------
    frame : str
        Place and orientation of the sensor.
    joint : str, optional
        The sensor is in this joint, with every body that it carries behind it. Without it the sensor is inside the
        frame's body, and behind it are the contacts of that body and `inertia`.
    inertia : Inertia
        Inertia of the part of the frame's body behind the sensor (the sole), in the frame; without mass by default.
    errors : ErrorModel
        Errors in N and N m; six entries or one for all.
    contact_frames : mapping of str to str
        Frames of contacts that are not named after one.
    """

    frame: str
    name: str = "force-torque"
    joint: str | None = None
    inertia: Inertia = field(default_factory=Inertia)
    errors: ErrorModel = field(default_factory=ErrorModel)
    contact_frames: Mapping[str, str] = field(default_factory=dict)
    needs_contacts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        Sensor.__post_init__(self)
        if self.joint is not None and self.inertia.mass != 0.0:
            raise ArgumentError("a ForceTorqueSensor in a joint takes the inertia from the model; leave out `inertia`")

    def labels(self, model: Model) -> tuple[str, ...]:
        """Force, then moment."""
        _ = model.frames[self.frame]
        if self.joint is not None:
            behind = bodies_behind(model, self.joint)
            for loop in model.loops if model.coupling_mode != "cut" else ():
                if loop.kind == "polynomial":  # a relation between coordinates, which carries no force between links
                    continue
                ends = {model.frames[name].body in behind for name in (loop.link_a, loop.link_b)}
                if len(ends) == 2:
                    raise ArgumentError(
                        f"loop {loop.name!r} closes around joint {self.joint!r}: what goes through the joint is not "
                        "determined by what is behind it"
                    )
        return ("fx", "fy", "fz", "nx", "ny", "nz")

    def truth(self, motion: Motion) -> FloatArray:
        """Force [N] and moment [N m] about the frame's origin in its axes, (..., 6)."""
        model = motion.model
        X_WF = frame_pose(model, motion.q, self.frame)
        origin = X_WF[..., :3, 3]
        wrench = np.zeros((*motion.q.shape[:-1], 6))
        for frame, inertia in self._parts(model):
            wrench = wrench - _needed(motion, frame, inertia, origin)
        wrench = wrench + self._from_contacts(motion, origin)
        R_WF = X_WF[..., :3, :3]
        parts = [np.einsum("...ji,...j->...i", R_WF, part) for part in (wrench[..., :3], wrench[..., 3:])]
        return np.concatenate(parts, axis=-1)

    def _from_contacts(self, motion: Motion, origin: FloatArray) -> FloatArray:
        """Wrench of the contacts behind the sensor about a point, world axes."""
        contacts = known_contacts(motion.contacts, f"force sensor {self.name!r}")
        index = self._contacts(motion.model, contacts)
        force = contacts.force[..., index, :]
        place = contacts.position[..., index, :]
        arm = np.where(np.isfinite(place), place - origin[..., None, :], 0.0)  # no contact, no force, no place
        moment = np.cross(arm, force)
        return np.concatenate([force.sum(axis=-2), moment.sum(axis=-2)], axis=-1)

    def _bodies(self, model: Model) -> tuple[str, ...]:
        """Bodies whose contacts are behind the sensor."""
        return (model.frames[self.frame].body,) if self.joint is None else bodies_behind(model, self.joint)

    def _parts(self, model: Model) -> list[tuple[str, Inertia]]:
        """What has inertia behind the sensor, with the frames that it is fixed to."""
        if self.joint is None:
            return [(self.frame, self.inertia)] if self.inertia.mass > 0.0 else []
        return [(body, model.bodies[body].inertia) for body in bodies_behind(model, self.joint)]

    def error_parts(self) -> tuple[tuple[ErrorModel, int], ...]:
        """Of all six."""
        return ((self.errors, 6),)

    def add_to(self, table: NativeTruth, contacts: Contacts | None) -> bool:
        """Parts and contacts behind the sensor."""
        table.add_wrench(self.frame, self._parts(table.model), self._contacts(table.model, contacts))
        return True

    def add_component_to(self, table: NativeTruth, weights: FloatArray, contacts: Contacts | None) -> None:
        """Six weights times what it reads."""
        table.add_component(self.frame, weights, self._parts(table.model), self._contacts(table.model, contacts))

    def _contacts(self, model: Model, contacts: Contacts | None) -> list[int]:
        """Numbers of the contacts behind the sensor."""
        known = known_contacts(contacts, f"force sensor {self.name!r}")
        return contacts_on(model, known, self._bodies(model), self.contact_frames)


def _needed(motion: Motion, frame: str, inertia: Inertia, origin: FloatArray) -> FloatArray:
    """Wrench (..., 6) about a point, world axes, that a rigid body fixed to a frame needs to move against gravity."""
    model, q, v = motion.model, motion.q, motion.v
    X_WB = frame_pose(model, q, frame)
    R = X_WB[..., :3, :3]
    w = frame_velocity(model, q, v, frame)[..., 3:]
    A = frame_acceleration(model, q, v, motion.vdot, frame)
    alpha = A[..., 3:]
    r = np.einsum("...ij,j->...i", R, inertia.com)
    a = A[..., :3] + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
    moments = R @ inertia.moments @ np.swapaxes(R, -1, -2)
    spin = np.einsum("...ij,...j->...i", moments, w)
    force = inertia.mass * (a - model.gravity)
    turning = np.einsum("...ij,...j->...i", moments, alpha) + np.cross(w, spin)
    moment = turning + np.cross(X_WB[..., :3, 3] + r - origin, force)
    return np.concatenate([force, moment], axis=-1)


def bodies_behind(model: Model, joint: str) -> tuple[str, ...]:
    """Bodies that a joint carries."""
    names = {model.joints[joint].child}
    for body in model.bodies.values():  # parents first
        if body.parent in names:
            names.add(body.name)
    return tuple(name for name in model.bodies if name in names)

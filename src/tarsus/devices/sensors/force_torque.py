"""Force/torque sensors in joints and feet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.devices.sensors.error_model import ErrorModel
from tarsus.devices.sensors.motion import Motion, contacts_on
from tarsus.devices.sensors.sensor import Readings, Sensor
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
            behind = _behind(model, self.joint)
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
        if self.joint is None:
            bodies: tuple[str, ...] = (model.frames[self.frame].body,)
            if self.inertia.mass > 0.0:
                wrench = wrench - _needed(motion, self.frame, self.inertia, origin)
        else:
            bodies = _behind(model, self.joint)
            for body in bodies:
                wrench = wrench - _needed(motion, body, model.bodies[body].inertia, origin)
        wrench = wrench + self._from_contacts(motion, bodies, origin)
        R_WF = X_WF[..., :3, :3]
        parts = [np.einsum("...ji,...j->...i", R_WF, part) for part in (wrench[..., :3], wrench[..., 3:])]
        return np.concatenate(parts, axis=-1)

    def _from_contacts(self, motion: Motion, bodies: tuple[str, ...], origin: FloatArray) -> FloatArray:
        """Wrench of the contacts on some bodies about a point, world axes."""
        contacts = motion.known_contacts(f"ForceTorqueSensor {self.name!r}")
        index = contacts_on(motion.model, contacts, bodies, self.contact_frames)
        force = contacts.force[..., index, :]
        place = contacts.position[..., index, :]
        arm = np.where(np.isfinite(place), place - origin[..., None, :], 0.0)  # no contact, no force, no place
        moment = np.cross(arm, force)
        return np.concatenate([force.sum(axis=-2), moment.sum(axis=-2)], axis=-1)

    def begin(self, shape: tuple[int, ...], rng: np.random.Generator) -> Readings:
        """Readings with their errors."""
        return self.errors.begin(shape, self.rate, rng)


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


def _behind(model: Model, joint: str) -> tuple[str, ...]:
    """Bodies that a joint carries."""
    names = {model.joints[joint].child}
    for body in model.bodies.values():  # parents first
        if body.parent in names:
            names.add(body.name)
    return tuple(name for name in model.bodies if name in names)

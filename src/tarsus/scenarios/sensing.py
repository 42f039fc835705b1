"""What the controller of a scenario is told: the true state, or what sensors make of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.estimation.base_estimator import BaseEstimator
from tarsus.control.observation import Observation
from tarsus.control.sequencing.contact_sequence import Force
from tarsus.control.whole_body.contact import Contact
from tarsus.devices.sensors.proprioception import proprioception
from tarsus.devices.sensors.sensor import Sensor
from tarsus.dynamics import frame_pose
from tarsus.errors import ArgumentError
from tarsus.model import Model


class Told(NamedTuple):
    """State (nq,), (nv,) that a controller acts on, and force(frame), what it feels there in world axes [N]."""

    q: FloatArray
    v: FloatArray
    force: Force


class Senses(Protocol):
    """Makes what is told of an observation."""

    sensors: Sequence[Sensor]

    def tell(self, observation: Observation) -> Told:
        """At an observation; in the order of their times."""


class TrueState:
    """The state and the forces as they are."""

    sensors: Sequence[Sensor] = ()

    def tell(self, observation: Observation) -> Told:
        """The truth."""
        return Told(observation.q, observation.v, lambda frame: observation.wrench(frame)[:3])


class Proprioception:
    """Encoders, an inertial unit in the base, and force sensors at all contacts, with errors of ordinary parts.

    A `BaseEstimator` makes base pose and velocity of them; see `tarsus.sensors.proprioception` for their errors.

    Parameters
    ----------
    model : Model
        As the controller knows it.
    q0 : ndarray, shape (nq,)
        Where the run begins, which is known.
    contacts : sequence of Contact
        All that the controller will have, of one size a frame.
    """

    def __init__(self, model: Model, q0: FloatArray, contacts: Sequence[Contact]) -> None:
        supports: dict[str, Contact] = {}
        for contact in contacts:
            first = supports.setdefault(contact.frame, contact)
            if first.freedoms != contact.freedoms:
                raise ArgumentError(
                    f"contacts of {contact.frame!r} leave {first.freedoms} and {contact.freedoms} rotations free; an "
                    "estimator takes a support for a patch or for a point all the time: run with the true state"
                )
        self._model = model
        self.sensors: Sequence[Sensor] = proprioception(model, tuple(supports))
        self._estimator = BaseEstimator(model, tuple(supports.values()), sensors=self.sensors)
        self._estimator.reset(q0)

    def tell(self, observation: Observation) -> Told:
        """The estimate, and forces that are read."""
        q, v = self._estimator.update(observation)

        def force(frame: str) -> FloatArray:
            read = np.asarray(observation.sensors[frame])[:3]
            turned: FloatArray = frame_pose(self._model, q, frame)[:3, :3] @ read
            return turned

        return Told(q, v, force)

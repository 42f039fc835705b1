"""What a controller is told about the robots it controls, and what it can tell back."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, final

import numpy as np
import numpy.typing as npt

from tarsus.arrays import AnyArray, BoolArray, FloatArray
from tarsus.contact.frame_wrench import contacts_on, frame_wrench
from tarsus.errors import ArgumentError, SimulationWarning, UnknownNameError, nearest

if TYPE_CHECKING:
    from tarsus.model import Model


class ContactForces(Protocol):
    """Contact forces on robots at one moment; shapes (*batch, nc, 3), world axes [m, N]."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the contacts."""

    @property
    def position(self) -> FloatArray:
        """Where they act."""

    @property
    def force(self) -> FloatArray:
        """On the robot."""


class Observed(Protocol):
    """Robots that are observed, and the run that they are part of."""

    @property
    def model(self) -> Model:
        """Of all robots."""

    @property
    def bodies_of_contacts(self) -> tuple[str, ...]:
        """Body that each contact is on."""

    @property
    def moment(self) -> int:
        """A number that is another one as soon as anything has moved."""

    def contacts(self) -> ContactForces:
        """Contact forces of the step that ended last."""

    def torque(self) -> FloatArray:
        """Torques of the joints in the step that ended last, shape (*batch, nv)."""

    def log(self, signals: Mapping[str, Any]) -> None:
        """Keep these values with the samples until the next ones."""

    def stop(self, reason: str) -> None:
        """End the run."""

    def switch(self, contacts: str | Iterable[str], on: npt.ArrayLike) -> None:
        """Switch contacts on or off from now on."""


@final
class Observation:
    """One moment of a run, as its controller is told.

    Arrays cannot be written to. Nothing is computed before it is asked for: forces and torques that were not asked for
    while the moment lasted are an error later, instead of those of another moment.

    Attributes
    ----------
    t : float
        [s].
    q, v : ndarray, shape (*batch, nq), (*batch, nv)
        The true state.
    sensors : Mapping of str to ndarray, shape (*batch, channels)
        Latest readings that have arrived, by the sensor's name.
    """

    __slots__ = ("_contacts", "_moment", "_observed", "q", "sensors", "t", "v")

    def __init__(
        self,
        observed: Observed,
        t: float,
        q: FloatArray,
        v: FloatArray,
        sensors: Mapping[str, FloatArray],
    ) -> None:
        self.t, self.q, self.v = t, q, v
        self.sensors = sensors
        self._observed = observed
        self._moment = observed.moment
        self._contacts: ContactForces | None = None

    @property
    def tau(self) -> FloatArray:
        """Torques of the joints in the step that ended last, shape (*batch, nv); zero before the first."""
        self._require_present("torques")
        return self._observed.torque()

    @property
    def contacts(self) -> ContactForces:
        """Contact forces of the step that ended last: `names`, `position` and `force` (*batch, nc, 3), world axes."""
        if self._contacts is None:
            self._require_present("contact forces")
            self._contacts = self._observed.contacts()
        return self._contacts

    def _require_present(self, what: str) -> None:
        """Raise where the robots have moved since."""
        if self._observed.moment != self._moment:
            raise ArgumentError(
                f"{what} of the observation at {self.t:g} s are asked for when the robots have moved on: ask for them "
                "before, and keep what you got"
            )

    def force(self, contact: str) -> FloatArray:
        """Force of one contact on the robot, shape (*batch, 3), world axes [N]."""
        names = self.contacts.names
        if contact not in names:
            raise UnknownNameError(f"contact {contact!r} not found{nearest(contact, names)}")
        force: FloatArray = self.contacts.force[..., names.index(contact), :]
        return force

    def wrench(self, frame: str) -> FloatArray:
        """Wrench of all contacts on the body of a frame, shape (*batch, 6): force [N], moment about its origin [N m].

        World axes; what the ground does to the robot.
        """
        force, place = self._on(frame)
        return frame_wrench(self._observed.model, self.q, frame, place, force)

    def touching(self, name: str) -> BoolArray:
        """Whether a contact, or anything on the body of a frame, is pressed, shape (*batch,)."""
        names = self.contacts.names
        force = self.force(name)[..., None, :] if name in names else self._on(name)[0]
        return np.asarray(np.any(force != 0.0, axis=(-1, -2)))

    def log(self, **signals: Any) -> None:
        """Keep named values, numbers or arrays of shape (*batch, ...), as signals of the trajectory and the recording.

        They are held until the next call with the same name. The first call of a controller tells which names there
        are, and their shapes.
        """
        self._observed.log(signals)

    def stop(self, reason: str) -> None:
        """End the run at this moment; the reason becomes that of the trajectory, which is finished."""
        if not isinstance(reason, str) or not reason:
            raise ArgumentError(f"the reason to stop is {reason!r}; expected some text")
        self._observed.stop(reason)

    def switch(self, contacts: str | Iterable[str], on: npt.ArrayLike) -> None:
        """Let contacts touch the ground from now on, or nothing at all.

        Parameters
        ----------
        contacts : str or iterable of str
            Names of contacts, or of bodies for all that are on them.
        on : bool or array_like of bool, shape (*batch,)
        """
        self._observed.switch(contacts, on)

    def _on(self, frame: str) -> tuple[FloatArray, FloatArray]:
        """Forces and places of the contacts on the body of a frame, (*batch, n, 3)."""
        contacts = self.contacts
        index = contacts_on(self._observed.model, self._observed.bodies_of_contacts, frame)
        if not len(index):
            warnings.warn(
                f"no contact is on the body of {frame!r}, so that nothing ever presses on it: is there a ground=, and "
                "do contacts= hold that body?",
                SimulationWarning,
                stacklevel=3,
            )
        return contacts.force[..., index, :], contacts.position[..., index, :]

    def __repr__(self) -> str:
        return f"<tarsus.Observation at {self.t:g} s>"


@final
class Readings(Mapping[str, FloatArray]):
    """Latest readings by the names of their sensors; a sensor that has not told anything yet says so."""

    def __init__(self, names: tuple[str, ...], arrived: Mapping[str, FloatArray]) -> None:
        self._names, self._arrived = names, arrived

    def __getitem__(self, name: str) -> FloatArray:
        """The latest reading of a sensor, (*batch, channels)."""
        if name in self._arrived:
            return self._arrived[name]
        if name in self._names:
            raise UnknownNameError(f"sensor {name!r} has told nothing yet: its first reading is still on the way")
        hint = nearest(name, self._names) or (f"; there are {', '.join(self._names)}" if self._names else "")
        raise UnknownNameError(f"sensor {name!r} not found{hint}" + ("" if self._names else ": no sensors were given"))

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrived)

    def __len__(self) -> int:
        return len(self._arrived)


NO_READINGS: Mapping[str, AnyArray] = Readings((), {})
"""Of a run without sensors."""

"""What really happens to a robot, for sensors to measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError, UnknownNameError, nearest
from tarsus.model.model import Model
from tarsus.recording.recorded import Recorded


@dataclass(frozen=True, eq=False)
class Contacts:
    """Contact forces on the robot.

    Attributes
    ----------
    names : tuple of str
    position : ndarray, shape (..., nc, 3)
        World [m]; NaN is allowed where there is no contact.
    force : ndarray, shape (..., nc, 3)
        On the robot, world axes [N].
    bodies : tuple of str
        Body that each one is on; by their names, where it is empty.
    """

    names: tuple[str, ...] = ()
    position: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    force: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    bodies: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("position", "force"):
            array = np.asarray(getattr(self, name), dtype=float)
            if array.shape[-2:] != (len(self.names), 3):
                raise ShapeError(f"{name} of contacts has shape {array.shape}, expected (..., {len(self.names)}, 3)")
            object.__setattr__(self, name, array)
        if not np.isfinite(self.force).all():
            raise NonFiniteError("force of contacts has entries that are not finite")

    @classmethod
    def known(
        cls, names: tuple[str, ...], position: FloatArray, force: FloatArray, bodies: tuple[str, ...]
    ) -> Contacts:
        """Contacts that need no check: those of a simulation, at every step."""
        contacts = object.__new__(cls)
        contacts.__dict__.update(names=names, position=position, force=force, bodies=bodies)
        return contacts


@dataclass(frozen=True, eq=False)
class Motion:
    """The true state of a robot at an instant, or with leading axes at many.

    Attributes
    ----------
    model : Model
    q : ndarray, shape (..., nq)
    v, vdot : ndarray, shape (..., nv)
        Velocity and its component derivative.
    contacts : Contacts or None
        Nothing touches by default; None where nobody knows.
    time : float or None
        Of an instant of a run that is going on [s]; None where it is over.
    """

    model: Model
    q: FloatArray
    v: FloatArray
    vdot: FloatArray
    contacts: Contacts | None = field(default_factory=Contacts)
    time: float | None = None

    @classmethod
    def known(
        cls, model: Model, q: FloatArray, v: FloatArray, vdot: FloatArray, contacts: Contacts | None, time: float | None
    ) -> Motion:
        """The same in less time, as simulations need it at every step."""
        motion = object.__new__(cls)
        motion.__dict__.update(model=model, q=q, v=v, vdot=vdot, contacts=contacts, time=time)
        return motion


def known_contacts(contacts: Contacts | None, sensor: str) -> Contacts:
    """The contacts, for a sensor that cannot do without.

    Raises
    ------
    ArgumentError
        If nobody knows them.
    """
    if contacts is None:
        raise ArgumentError(
            f"{sensor} reads contact forces, and nobody told them: in a controller of ts.simulate they are known "
            "at the time and for the states that the controller is called with; elsewhere give contacts= to "
            "SensorSuite.observe or to MeasuredController (Contacts() where nothing touches)"
        )
    return contacts


def sampled(trajectory: Recorded, times: npt.ArrayLike) -> Motion:
    """The motion of a trajectory at given times (N,) [s], which need not be those of its samples.

    Between samples the configuration moves along the manifold with constant rate; velocity and contact forces are
    interpolated linearly. The acceleration is the mean over the interval that ends at or contains the time: what an
    accelerometer that integrates over the interval would tell.
    """
    t, at = np.asarray(trajectory.time, dtype=float), np.asarray(times, dtype=float)
    model, q, v = trajectory.model, np.asarray(trajectory.q), np.asarray(trajectory.v)
    force, position = np.asarray(trajectory.contact_force), np.asarray(trajectory.contact_position)
    if t.size < 2:
        index = np.zeros(at.shape, dtype=np.intp)
        contacts = Contacts(tuple(trajectory.contacts), position[index], force[index])
        return Motion(model, q[index], v[index], np.zeros(v[index].shape), contacts)
    if np.any(at < t[0]) or np.any(at > t[-1]):
        raise ArgumentError(f"times from {at.min()} to {at.max()} s are asked of a trajectory from {t[0]} to {t[-1]} s")
    later = np.clip(np.searchsorted(t, at, side="left"), 1, t.size - 1)
    earlier = later - 1
    span = t[later] - t[earlier]
    jump = span == 0.0  # a moment that occurs twice, before and after an impact
    span = np.where(jump, 1.0, span)
    part = np.where(jump, 1.0, (at - t[earlier]) / span)

    def blend(values: FloatArray) -> FloatArray:
        weight = part.reshape(part.shape + (1,) * (values.ndim - 1))
        mixed: FloatArray = values[earlier] * (1.0 - weight) + values[later] * weight
        return mixed

    wide = part.reshape(part.shape + (1,) * (q.ndim - 2))
    way = model.difference(q[earlier], q[later])
    configuration = model.integrate(q[earlier], way, np.broadcast_to(wide, way.shape[:-1]))
    change = np.where(jump.reshape(jump.shape + (1,) * (v.ndim - 1)), 0.0, v[later] - v[earlier])
    vdot = change / span.reshape(span.shape + (1,) * (v.ndim - 1))
    names = tuple(trajectory.contacts)
    one, other = (Contacts(names, position[index], force[index]) for index in (earlier, later))
    contacts = _contacts_between(one, other, part.reshape(part.shape + (1,) * (force.ndim - 1)))
    return Motion(model, configuration, blend(v), vdot, contacts)


def _contacts_between(one: Contacts, other: Contacts, weight: npt.ArrayLike) -> Contacts:
    """Forces between two instants; a contact that exists at one of them only stays where it was."""
    w = np.asarray(weight, dtype=float)
    touches = [np.any(contacts.force != 0.0, axis=-1, keepdims=True) for contacts in (one, other)]
    first = np.where(touches[0], one.position, other.position)
    second = np.where(touches[1], other.position, first)
    return Contacts(one.names, first * (1.0 - w) + second * w, one.force * (1.0 - w) + other.force * w, one.bodies)


def between(first: Motion, second: Motion, part: float, duration: float) -> Motion:
    """The motion a part (0 to 1) of the way between two instants `duration` [s] apart; see `sampled`."""
    model = first.model
    way = model.difference(first.q, second.q)
    contacts = second.contacts
    if first.contacts is not None and contacts is not None and first.contacts.names == contacts.names:
        contacts = _contacts_between(first.contacts, contacts, part)
    v = (1.0 - part) * first.v + part * second.v
    time = None if first.time is None else first.time + part * duration
    return Motion(model, model.integrate(first.q, way, part), v, (second.v - first.v) / duration, contacts, time)


def checked_motion(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    vdot: npt.ArrayLike | None,
    contacts: Contacts | None,
    time: float | None = None,
) -> Motion:
    """A motion from what a simulation hands over, or an error that names what is wrong."""
    arrays = {"q": np.array(q, dtype=float, order="C"), "v": np.array(v, dtype=float, order="C")}
    arrays["vdot"] = np.zeros(arrays["v"].shape) if vdot is None else np.array(vdot, dtype=float, order="C")
    for name, size in (("q", model.nq), ("v", model.nv), ("vdot", model.nv)):
        if arrays[name].shape[-1:] != (size,):
            raise ShapeError(f"{name} of a motion has shape {arrays[name].shape}, expected (..., {size})")
        if not np.isfinite(arrays[name]).all():
            raise NonFiniteError(f"{name} of a motion has entries that are not finite")
    if contacts is not None:  # whoever told them may use the arrays again
        contacts = replace(contacts, position=contacts.position.copy(), force=contacts.force.copy())
    return Motion(model, arrays["q"], arrays["v"], arrays["vdot"], contacts, time)


def contacts_on(model: Model, contacts: Contacts, bodies: Iterable[str], frames: Mapping[str, str]) -> list[int]:
    """Numbers of the contacts on some bodies; `frames` are told for contacts that are not named after one."""
    told, wanted = tuple(frames.items()), set(bodies)
    known = contacts.bodies if contacts.bodies and not told else ()
    found = known or [body_of_contact(model, name, told) for name in contacts.names]
    return [i for i, body in enumerate(found) if body in wanted]


def body_of_contact(model: Model, contact: str, frames: Iterable[tuple[str, str]] = ()) -> str:
    """Body that a contact acts on, by its name.

    The name is that of a frame, or begins with one: "foot", "foot/heel", "foot.3". Others are told by `frames`, pairs
    of contact (or what its name begins with) and frame.
    """
    given = dict(frames)
    stem = contact.rstrip("<>")  # ends of an edge
    while stem:
        frame = given.get(stem, stem)
        if frame in model.frames or stem in given:
            return str(model.frames[frame].body)
        stem = stem[: max(stem.rfind("/"), stem.rfind("."), 0)]
    raise UnknownNameError(
        f"contact {contact!r} is not named after a frame{nearest(contact, model.frames)}; "
        "tell its frame by contact_frames"
    )

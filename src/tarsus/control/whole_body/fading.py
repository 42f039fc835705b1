"""Tasks and contacts that come and go without jumps of torque."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.control.whole_body.answer import Command, blended
from tarsus.control.whole_body.contact import Contact
from tarsus.control.whole_body.names import contact_names, task_names
from tarsus.control.whole_body.whole_body import WholeBody, checked_contacts, checked_levels
from tarsus.dynamics.kinematics import frame_pose
from tarsus.errors import ArgumentError
from tarsus.ik.acceleration.demand import Levels
from tarsus.tasks import Task


class Fading:
    """Whole-body control whose tasks and contacts come and go without jumps of torque.

    Programs of before and after a change are both solved for a while, and the command goes from one to the other,

        tau = (1 - s) tau_before + s tau_after,   s = x^2 (3 - 2 x),   x = (t - begin) / duration,

    accelerations and wrenches likewise. Both keep the equations of motion, cones and torque limits, all of which are
    convex, and so does what is between them; torques change by at most 1.5 dt / duration of their difference in a step.
    A contact that is made thus begins to push from zero. A contact that is released is unloaded first: what it pushes
    with is bounded by (1 - s) of what it pushed with at the beginning, over `unloading`; then its rows fade.

    Tasks and contacts are the same as before where their names are (kind and frame, `Command.errors`): then only
    their targets and bounds move, at once. Other weights, gains, axes, points and cones fade.

    Parameters
    ----------
    body : WholeBody
        With tasks and contacts of the beginning; its options hold for what follows.
    duration, unloading : float
        [s].
    """

    def __init__(self, body: WholeBody, duration: float = 0.2, unloading: float = 0.2) -> None:
        if not isinstance(body, WholeBody):
            raise ArgumentError(f"body of Fading is {body!r}; expected a tarsus.control.WholeBody")
        for name, value in (("duration", duration), ("unloading", unloading)):
            if not (isinstance(value, int | float) and np.isfinite(value) and value > 0):
                raise ArgumentError(f"{name} of Fading is {value!r}; expected a number above 0 [s]")
        self.model, self.duration, self.unloading = body.model, float(duration), float(unloading)
        self.levels: Levels = body.levels
        self.contacts: tuple[Contact, ...] = body.contacts
        self._programs = [_Program(body, -np.inf)]
        self._leaving: dict[str, _Leaving] = {}
        self._last: Command | None = None

    def update(
        self,
        *,
        tasks: Sequence[Task] | Sequence[Sequence[Task]] | None = None,
        contacts: Sequence[Contact] | None = None,
    ) -> None:
        """What shall be from now on; what is new or gone begins to fade with the next call of `solve`."""
        if tasks is not None:
            self.levels = checked_levels(self.model, tasks)
        if contacts is not None:
            self.contacts = checked_contacts(self.model, contacts)

    @property
    def settled(self) -> bool:
        """Whether nothing fades any more, as of the last call of `solve`."""
        return len(self._programs) == 1 and not self._leaving and self._last is not None

    @property
    def released(self) -> tuple[str, ...]:
        """Names of contacts that are being unloaded."""
        return tuple(self._leaving)

    def solve(self, t: float, q: npt.ArrayLike, v: npt.ArrayLike) -> Command:
        """Command at a time [s] and state; times do not fall."""
        self._release(t, q)
        wanted = self._wanted(t)
        newest = self._programs[-1]
        if self._last is None:
            self._programs = [_Program(newest.body.alike(self.levels, wanted), -np.inf)]
        elif _signature(self.levels, wanted) != _signature(newest.body.levels, newest.body.contacts):
            self._programs.append(_Program(newest.body.alike(self.levels, wanted), t))
        shares = [_smooth((t - program.begin) / self.duration) for program in self._programs]
        first = max(i for i, share in enumerate(shares) if share == 1.0)
        self._programs, shares = self._programs[first:], shares[first:]
        self._move_targets(wanted)
        command = self._programs[0].body.solve(q, v)
        for program, share in zip(self._programs[1:], shares[1:], strict=True):
            command = blended(command, program.body.solve(q, v), share)
        self._last = command
        return command

    def __call__(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        """Torques (nv,) at a time and state, for `tarsus.simulate`."""
        return self.solve(t, q, v).tau

    def _release(self, t: float, q: npt.ArrayLike) -> None:
        """Begin to unload contacts that are not wanted any more; forget those that are wanted again."""
        kept = contact_names(self.contacts)
        self._leaving = {name: found for name, found in self._leaving.items() if name not in kept}
        if self._last is None:
            return
        last = self._programs[-1].body.contacts
        for name, contact in zip(contact_names(last), last, strict=True):
            if name not in kept and name not in self._leaving:
                normal = contact.X_WC(frame_pose(self.model, q, contact.frame))[:3, 2]
                carried = max(float(normal @ self._last.wrenches[contact.frame][:3]), 0.0)
                self._leaving[name] = _Leaving(contact, carried, t)

    def _wanted(self, t: float) -> tuple[Contact, ...]:
        """Contacts of the newest program: those that shall be, and those that still carry something."""
        self._leaving = {name: found for name, found in self._leaving.items() if t < found.begin + self.unloading}
        return (*self.contacts, *(found.at(t, self.unloading) for found in self._leaving.values()))

    def _move_targets(self, contacts: tuple[Contact, ...]) -> None:
        """Targets and bounds of force as they are now, in all programs that have them."""
        flat = tuple(task for level in self.levels for task in level)
        tasks = dict(zip(task_names(flat), flat, strict=True))
        bounds = dict(zip(contact_names(contacts), contacts, strict=True))
        for program in self._programs:
            body = program.body
            names = iter(task_names(body.tasks))
            levels = [[_with_target(task, tasks.get(next(names))) for task in level] for level in body.levels]
            pairs = zip(contact_names(body.contacts), body.contacts, strict=True)
            body.update(tasks=levels, contacts=[_with_bounds(contact, bounds.get(name)) for name, contact in pairs])


@dataclass(frozen=True, slots=True)
class _Program:
    """What is solved, and when it began to count [s]."""

    body: WholeBody
    begin: float


@dataclass(frozen=True, slots=True)
class _Leaving:
    """A contact that is unloaded: what it carried [N] when that began [s]."""

    contact: Contact
    carried: float
    begin: float

    def at(self, t: float, duration: float) -> Contact:
        """With what it may still carry."""
        most = min(self.carried * (1.0 - _smooth((t - self.begin) / duration)), self.contact.max_force)
        return self.contact.with_force(most, min(self.contact.min_force, most))


def _smooth(x: float) -> float:
    """From 0 to 1 between 0 and 1, without a jump of the slope; at most 1.5 steep."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


def _signature(levels: Levels, contacts: Sequence[Contact]) -> Hashable:
    """What makes programs differ by more than targets and bounds."""
    flat = [task for level in levels for task in level]
    return (
        tuple(len(level) for level in levels),
        task_names(flat),
        tuple((task.gain, np.asarray(task.weight, dtype=float).tobytes(), _tuple(task.axes)) for task in flat),
        contact_names(contacts),
        tuple((c.gain, c.friction, c.sides, c.forces, c.force_points.tobytes()) for c in contacts),
    )


def _tuple(axes: Sequence[bool] | None) -> tuple[bool, ...] | None:
    return None if axes is None else tuple(axes)


def _with_target(task: Task, newest: Task | None) -> Task:
    """The newest task of this name with the old weight, gain and axes."""
    if newest is None or newest is task:
        return task
    return replace(newest, weight=task.weight, gain=task.gain, axes=task.axes)


def _with_bounds(contact: Contact, newest: Contact | None) -> Contact:
    """The contact with the newest pose and bounds of force."""
    if newest is None or newest is contact:
        return contact
    return contact.with_pose(newest.pose).with_force(newest.max_force, newest.min_force)

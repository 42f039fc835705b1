"""Tasks and contacts that come and go without jumps of torque."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.control.whole_body.answer import Command, blended
from tarsus.control.whole_body.contact import Contact, contact_poses
from tarsus.control.whole_body.names import contact_names, task_names
from tarsus.control.whole_body.whole_body import WholeBody, checked_contacts, checked_levels
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
        self._returned = False
        self._time = -np.inf
        self._last: Command | None = None

    def update(
        self,
        *,
        tasks: Sequence[Task] | Sequence[Sequence[Task]] | None = None,
        contacts: Sequence[Contact] | None = None,
    ) -> None:
        """What shall be from now on; what is new or gone begins to fade with the next call of `solve`."""
        levels = self.levels if tasks is None else checked_levels(self.model, tasks)
        self.contacts = self.contacts if contacts is None else checked_contacts(self.model, contacts)
        self.levels = levels

    @property
    def settled(self) -> bool:
        """Whether nothing fades any more, as of the last call of `solve`."""
        return len(self._programs) == 1 and not self._leaving and self._last is not None

    @property
    def followed(self) -> tuple[Contact, ...]:
        """Contacts that the last command keeps, with bounds of force as they are between programs that fade."""
        bounds: dict[str, FloatArray] = {}
        left = 1.0
        for program in reversed(self._programs):
            share, left = left * program.share, left * (1.0 - program.share)
            for name, contact in zip(contact_names(program.body.contacts), program.body.contacts, strict=True):
                if share > 0.0:
                    bounds[name] = bounds.get(name, 0.0) + share * np.array([contact.max_force, contact.min_force])
        newest = self._programs[-1].body.contacts
        return tuple(
            contact.with_force(*bounds.get(name, np.zeros(2)).tolist())
            for name, contact in zip(contact_names(newest), newest, strict=True)
        )

    @property
    def released(self) -> tuple[str, ...]:
        """Names of contacts that are being unloaded."""
        return tuple(self._leaving)

    def solve(self, t: float, q: npt.ArrayLike, v: npt.ArrayLike) -> Command:
        """Command at a time [s] and state; where time falls, as in another run, nothing fades."""
        if not (isinstance(t, float | int | np.number) and np.isfinite(t)):
            raise ArgumentError(f"t of Fading.solve is {t!r}; expected a finite number [s]")
        if t < self._time:
            self._last, self._leaving = None, {}
        self._time = t
        wanted = self._followed_contacts(t, q)
        newest = self._programs[-1].body
        if self._last is None:
            self._programs = [_Program(newest.alike(self.levels, wanted), -np.inf)]
        elif self._returned or _signature(self.levels, wanted) != _signature(newest.levels, newest.contacts):
            self._programs.append(_Program(newest.alike(self.levels, wanted), t))
        for program in self._programs:
            program.share = _smooth((t - program.begin) / self.duration)
        first = max(i for i, program in enumerate(self._programs) if program.share == 1.0)
        self._programs = self._programs[first:]
        self._move_targets(t)
        for program in self._programs:
            program.command = program.body.solve(q, v)
        found = self._programs[0].command
        for program in self._programs[1:]:
            assert found is not None and program.command is not None
            found = blended(found, program.command, program.share)
        assert found is not None
        self._last = found
        return found

    def __call__(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        """Torques (nv,) at a time and state, for `tarsus.simulate`."""
        return self.solve(t, q, v).tau

    def _followed_contacts(self, t: float, q: npt.ArrayLike) -> tuple[Contact, ...]:
        """Contacts of the newest program: those that shall be, and those that are being unloaded."""
        kept = contact_names(self.contacts)
        self._returned = any(name in kept for name in self._leaving)
        if self._last is not None:
            last = self._programs[-1].body.contacts
            for name, contact in zip(contact_names(last), last, strict=True):
                if name not in kept and name not in self._leaving:
                    self._leaving[name] = _Leaving(contact, t, self._remembered(name, contact, q))
        self._leaving = {
            name: found
            for name, found in self._leaving.items()
            if name not in kept and t < found.begin + self.unloading
        }
        return (*self.contacts, *(found.contact for found in self._leaving.values()))

    def _remembered(self, name: str, contact: Contact, q: npt.ArrayLike) -> float:
        """What the newest program pushes with at a contact that is to be unloaded [N]; each one keeps its own."""
        normal = contact.X_WC(*contact_poses(self.model, contact, q))[:3, 2]
        for program in self._programs:
            if program.command is not None and contact.frame in program.command.wrenches:
                program.carried[name] = max(float(normal @ program.command.wrenches[contact.frame][:3]), 0.0)
        return self._programs[-1].carried.get(name, 0.0)

    def _move_targets(self, t: float) -> None:
        """Targets as they are now in all programs, and bounds of force: of what shall be in the newest program only."""
        flat = tuple(task for level in self.levels for task in level)
        tasks = dict(zip(task_names(flat), flat, strict=True))
        contacts = dict(zip(contact_names(self.contacts), self.contacts, strict=True))
        for program in self._programs:
            names = iter(task_names(program.body.tasks))
            levels = [[_with_target(task, tasks.get(next(names))) for task in level] for level in program.body.levels]
            own = dict(zip(contact_names(program.body.contacts), program.body.contacts, strict=True))
            for name, contact in own.items():
                if (leaving := self._leaving.get(name)) is not None:
                    left = 1.0 - _smooth((t - leaving.begin) / self.unloading)
                    own[name] = _bounded(contact, left * program.carried.get(name, leaving.carried))
                elif name in contacts and contact.pose is not contacts[name].pose:
                    own[name] = contact.with_pose(contacts[name].pose)
            if program is self._programs[-1]:
                own.update(contacts)
            program.body.update(tasks=levels, contacts=list(own.values()))


@dataclass(slots=True, eq=False)
class _Program:
    """What is solved, since when [s], its share over those before, its last command, loads of released contacts [N]."""

    body: WholeBody
    begin: float
    share: float = 1.0
    command: Command | None = None
    carried: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class _Leaving:
    """A contact that is unloaded, since when [s], and what it carried then [N]."""

    contact: Contact
    begin: float
    carried: float


def _bounded(contact: Contact, most: float) -> Contact:
    """The contact with at most this normal force [N]."""
    most = min(most, contact.max_force)
    return contact.with_force(most, min(contact.min_force, most))


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
        frozenset(
            (name, c.gain, c.friction, c.sides, c.forces, c.force_points.tobytes())
            for name, c in zip(contact_names(contacts), contacts, strict=True)
        ),
    )


def _tuple(axes: Sequence[bool] | None) -> tuple[bool, ...] | None:
    return None if axes is None else tuple(axes)


def _with_target(task: Task, newest: Task | None) -> Task:
    """The newest task of this name with the old weight, gain and axes."""
    if newest is None or newest is task:
        return task
    return replace(newest, weight=task.weight, gain=task.gain, axes=task.axes)

"""The state machine that takes a robot from stance to stance (Bouyarmane and Kheddar 2012, VI)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.observation import Observation
from tarsus.control.sequencing.limb_motion import LimbMotion
from tarsus.control.sequencing.minimum_jerk import minimum_jerk
from tarsus.control.sequencing.pace import Pace
from tarsus.control.sequencing.posture_path import PosturePath
from tarsus.control.sequencing.resizing import Resizing, lifted
from tarsus.control.sequencing.seat import is_seated, seat_of
from tarsus.control.sequencing.stopgap import Stopgap
from tarsus.control.sequencing.swing_path import SwingPath
from tarsus.control.sequencing.transitions import Step, steps_of
from tarsus.control.sequencing.weighing import Weighing
from tarsus.control.stances.stance import Stance, all_of
from tarsus.control.whole_body.answer import Command
from tarsus.control.whole_body.contact import Contact
from tarsus.control.whole_body.whole_body import WholeBody
from tarsus.dynamics.kinematics import frame_pose
from tarsus.dynamics.momentum import center_of_mass, com_jacobian
from tarsus.errors import ArgumentError, ShapeError
from tarsus.model import Model

Force = Callable[[str], FloatArray]
"""Force of what is touched on the body of a frame, shape (3,), world axes [N]: a reading, or the truth."""

MOST = 2.0
"""Normal force to which a contact is loaded, in weights of the robot, before it is free."""
EARLY = 0.15
"""Part of a path by which a touch may miss its end and still be in time."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a sequence.

    Attributes
    ----------
    time : float
        [s].
    state : str
        State that it happened in, or that began.
    text : str
    """

    time: float
    state: str
    text: str


class ContactSequence:
    """Takes a robot through stances: a state machine over whole-body control.

    When the posture of a stance is reached, centre of mass and posture go to the next one, and a third task moves the
    limb that changes (Bouyarmane and Kheddar 2012, VI). The force of a contact that is released fades away first; a
    contact is made where a force is felt: before its time, the limb stops and the contact is taken where it is; after
    it, the limb goes on along the normal. States are "hold", "shift", "unload", "swing", "seek" (a limb that is
    late), "load", and at the end "done" or "failed" with a reason; both go on holding the last references.

    Parameters
    ----------
    model : Model
    stances : sequence of Stance
    holds : mapping of str to float, optional
        Times to stay, by the names of stances [s].
    pace : Pace, optional
        Gains and speeds; those of the model's size by default.
    weigh : bool
        Whether the robot weighs itself in the first stance by what is felt at its contacts, and commands for that
        weight from then on, see `Weighing`.
    options
        Of `WholeBody`.

    Attributes
    ----------
    state, reason : str
        The reason of a failure.
    events : list of Event
    contacts : tuple of Contact
        Of the last command.
    com_reference, q_reference : ndarray, shape (3,), (nq,)
        Of the last command: where the centre of mass and the posture are to be.
    heaviness : float
        Weight for which the last command was made, in that of the model.
    """

    def __init__(
        self,
        model: Model,
        stances: Sequence[Stance],
        *,
        holds: Mapping[str, float] | None = None,
        pace: Pace | None = None,
        weigh: bool = False,
        **options: Any,
    ) -> None:
        stances = all_of("stances", stances, Stance)
        if not stances:
            raise ArgumentError("stances is empty; expected at least one")
        lowest = min((float(np.asarray(c.pose)[2, 3]) for s in stances[:1] for c in s.contacts), default=0.0)
        self.model = model
        self.pace = pace or Pace.of(model, stances[0].q, lowest)
        stances = tuple(replace(stance, contacts=_gained(stance.contacts, self.pace)) for stance in stances)
        self.steps = steps_of(model, stances, self.pace, holds)
        first = self.steps[0]
        self._whole_body = WholeBody(model, first.path.tasks(0.0, self.pace), first.contacts, **options)
        self._weighing = Weighing(model, [c.frame for c in first.contacts], self.pace.fade) if weigh else None
        self._index, self._since, self._path = 0, 0.0, self.steps[0].path
        self._limbs: tuple[LimbMotion, ...] = ()
        self._moved: dict[str, FloatArray] = {}  # from where contacts were planned to where they were felt
        self._seats: dict[str, FloatArray] = {}
        self._loads: dict[str, tuple[int, float]] = {}
        self._sizes: tuple[Step, Resizing] | None = None
        self._stopgap = Stopgap(model, self.pace)
        self._last: Command | None = None
        self._missing: float | None = None  # since when limits are missed
        self.state, self.reason = "", ""
        self.events: list[Event] = []
        self.contacts: tuple[Contact, ...] = ()
        self.heaviness = 1.0
        self.com_reference, self.q_reference = self.steps[0].path.com_at(0.0), self.steps[0].path.start

    @property
    def step(self) -> Step:
        """What is being done."""
        return self.steps[self._index]

    @property
    def duration(self) -> float:
        """Planned time of all states [s]."""
        return sum(step.path.duration for step in self.steps)

    @property
    def supports(self) -> tuple[Contact, ...]:
        """All contacts that it will have, of any size."""
        return tuple(c for step in self.steps for c in (*step.contacts, *step.changing))

    @property
    def frames(self) -> tuple[str, ...]:
        """Of all contacts that it will have."""
        return tuple(dict.fromkeys(contact.frame for contact in self.supports))

    def __call__(self, observation: Observation) -> FloatArray:
        """Torques (nv,), for `tarsus.simulate`."""
        return self.command(
            observation.t, observation.q, observation.v, lambda frame: observation.wrench(frame)[:3]
        ).tau

    def command(self, t: float, q: FloatArray, v: FloatArray, force: Force) -> Command:
        """Command at a state.

        Parameters
        ----------
        t : float
            [s].
        q : ndarray, shape (nq,)
        v : ndarray, shape (nv,)
        force : callable
            What is felt: force(frame), shape (3,), world axes [N].
        """
        if not np.isfinite(t):
            raise ArgumentError(f"t of ContactSequence.command is {t!r}; expected a finite number [s]")
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            return self._missed(t, q, v, self._stopped("not-finite", "the state that was told is not finite"))
        if not self.state:
            self._enter(0, t, q)
        if self.state not in ("done", "failed"):
            felt = _checked(force)
            self._weigh(t, q, v, felt)
            self._follow_limbs(t, q, felt)
            self._advance(t, q, v)
        s = t - self._since
        tasks = [*self._path.tasks(s, self.pace), *(limb.task(t, self.pace) for limb in self._limbs)]
        self.contacts = tuple(self._seated(contact, q) for contact in self._contacts_at(s))
        self.com_reference, self.q_reference = self._path.com_at(s), self._path.posture_at(s)
        self._whole_body.update(tasks=tasks, contacts=self.contacts)
        found = self._whole_body.solve(q, v)
        if self._weighing is not None:
            self.heaviness, found = self._weighing.share(t), self._weighing.scaled(t, found)
        if not found.answered:
            return self._missed(t, q, v, found)
        self._watch_limits(t, found)
        self._stopgap.answered(found)
        self._last = found
        return found

    def _watch_limits(self, t: float, found: Command) -> None:
        """Tell that limits are missed, once in a row; fail where that lasts."""
        if found.success:
            self._missing = None
        elif self._missing is None:
            self._missing = t
            self._tell(t, self.state, found.reason)
        elif t - self._missing > self.pace.patience and self.state != "failed":
            self._fail(t, f"for {self.pace.patience:g} s {found.reason}")

    def _weigh(self, t: float, q: FloatArray, v: FloatArray, force: Force) -> None:
        """Feel the weight in the first stance; torques for it stay within their limits."""
        weighing = self._weighing
        if weighing is None or self._index > 0 or not weighing.feel(t, q, v, force):
            return
        assert weighing.found is not None
        self._whole_body = self._whole_body.weaker(max(weighing.found, 1.0))
        self._tell(t, self.state, weighing.reason or f"weighs {weighing.found:.3f} of what its model does")

    def _enter(self, index: int, t: float, q: FloatArray) -> None:
        """Begin a state: its references start where those before have come to."""
        s, first = t - self._since, not self.state
        posture, com = self._path.posture_at(s), self._path.com_at(s)
        self._index, self._since = index, t
        step = self.step
        self._path = step.path if first else PosturePath(self.model, posture, step.path.end, step.path.duration, com)
        self._limbs = ()
        if step.state == "swing":
            self._limbs = tuple(self._limb(contact, step, t, q) for contact in step.changing)
        self._tell(t, step.state, f"towards {step.stance}" if step.stance else "")

    def _limb(self, contact: Contact, step: Step, t: float, q: FloatArray) -> LimbMotion:
        assert contact.pose is not None
        normal = np.asarray(contact.pose)[:3, :3] @ np.asarray(contact.normal)
        start, end = (frame_pose(self.model, at, contact.frame) for at in (q, step.path.end))
        above = max(float(normal @ (start - end)[:3, 3]), 0.0)  # no need to rise first
        clearance = max(self.pace.clearance - above, 0.0)
        path = SwingPath(start, end, step.path.duration, clearance, normal, normal)
        return LimbMotion(contact, path, t)

    def _follow_limbs(self, t: float, q: FloatArray, force: Force) -> None:
        """Contacts that are felt are taken where they are."""
        for limb in self._limbs:
            frame = limb.contact.frame
            if not limb.feel(t, frame_pose(self.model, q, frame), force(frame), self.pace):
                continue
            assert limb.touched is not None
            self._moved[frame] = (np.asarray(limb.touched.pose) - np.asarray(limb.contact.pose))[:3, 3]
            self._seats.pop(frame, None)
            when = "early" if limb.early > EARLY else "late" if limb.early < -EARLY else "in time"
            self._tell(t, self.state, f"{frame} touches {when}")

    def _advance(self, t: float, q: FloatArray, v: FloatArray) -> None:
        """Go to the next state where this one has done what it is for; fail where it takes too long."""
        step, s = self.step, t - self._since
        over = s - self._path.duration
        if step.state == "swing":
            self._advance_swing(t, q)
        elif step.state in ("load", "unload"):
            if over >= 0.0:
                self._forget(step)
                self._next(t, q)
        elif over >= 0.0 and (self._weighing is None or self._index > 0 or self._weighing.over(t)):
            away, speed = self._unsettled(q, v, s)
            height = self._height(q)
            if away < self.pace.arrived and speed < self.pace.slow and height < self.pace.arrived:
                self._next(t, q)
            elif over > self.pace.patience and height >= self.pace.arrived:
                self._fail(t, f"{self._following[0].frame} is {1e3 * height:.1f} mm above the place where it grows")
            elif over > self.pace.patience:
                self._fail(t, f"the centre of mass is {1e3 * away:.1f} mm from its reference, at {speed:.3f} m/s, "
                              f"{self.pace.patience:g} s after {step.state!r} was to end")  # fmt: skip

    @property
    def _following(self) -> tuple[Contact, ...]:
        """Contacts that are to grow when this state has ended."""
        after = self.steps[self._index + 1 : self._index + 2]
        return after[0].changing if after and after[0].state == "load" and after[0].former else ()

    def _height(self, q: FloatArray) -> float:
        """How far contacts that are to grow are above their place [m]."""
        return max((lifted(c, frame_pose(self.model, q, c.frame)) for c in self._following), default=0.0)

    def _forget(self, step: Step) -> None:
        """Where contacts were that have been released, or had another size."""
        for contact in step.former:
            self._seats.pop(contact.frame, None)
        if step.state == "unload" and not step.former:
            for contact in step.changing:
                self._moved.pop(contact.frame, None)
                self._seats.pop(contact.frame, None)

    def _advance_swing(self, t: float, q: FloatArray) -> None:
        if all(limb.touched is not None for limb in self._limbs):
            self._next(t, q)
            return
        for limb in self._limbs:
            sought = limb.sought(t, self.pace)[0]
            if sought > self.pace.seek_most:
                self._fail(t, f"{limb.contact.frame} has met nothing within {1e3 * sought:.0f} mm of its place")
                return
            if sought > 0.0 and self.state == "swing":
                self._tell(t, "seek", f"{limb.contact.frame} goes on along the normal")

    def _unsettled(self, q: FloatArray, v: FloatArray, s: float) -> tuple[float, float]:
        """Distance of the centre of mass from its reference across gravity [m], and its speed there [m/s]."""
        down = np.asarray(self.model.gravity) / np.linalg.norm(self.model.gravity)
        flat = np.eye(3) - np.outer(down, down)
        away = flat @ (center_of_mass(self.model, q) - self._path.com_at(s))
        speed = flat @ com_jacobian(self.model, q) @ v
        return float(np.linalg.norm(away)), float(np.linalg.norm(speed))

    def _next(self, t: float, q: FloatArray) -> None:
        if self._index + 1 < len(self.steps):
            self._enter(self._index + 1, t, q)
        elif self.state != "done":
            self._tell(t, "done", "the last stance is reached")

    def _fail(self, t: float, reason: str) -> None:
        """Stay where references are, with the contacts that carry."""
        s = t - self._since
        posture, com = self._path.posture_at(s), self._path.com_at(s)
        self.contacts = self._contacts_at(s)
        self._path, self._since = PosturePath(self.model, posture, posture, 0.0, com), t
        self.reason = f"{self.state} {'towards ' + self.step.stance if self.step.stance else ''}: {reason}"
        self._tell(t, "failed", self.reason)

    def _contacts_at(self, s: float) -> tuple[Contact, ...]:
        """Contacts of a moment of this state, their forces faded."""
        if self.state == "failed":
            return self.contacts
        step = self.step
        stay = tuple(self._where_met(contact) for contact in step.contacts)
        if step.state not in ("load", "unload"):
            return stay
        share = minimum_jerk(s, self._path.duration).share
        if step.former:
            return (*stay, self._where_met(self._resizing(step).at(share)))
        fading = []
        for contact in step.changing:
            own = self._where_met(contact)
            full = MOST * self._weight if step.state == "load" else self._carried(own)
            part = share if step.state == "load" else 1.0 - share
            fading.append(own.with_force(part * full))
        return (*stay, *fading)

    def _where_met(self, contact: Contact) -> Contact:
        """The contact at the place where it was felt, which may not be the planned one."""
        way = self._moved.get(contact.frame)
        if way is None:
            return contact
        pose = np.array(contact.pose)
        pose[:3, 3] += way
        return contact.with_pose(pose)

    def _resizing(self, step: Step) -> Resizing:
        if self._sizes is None or self._sizes[0] is not step:
            self._sizes = step, Resizing(step.former[0], step.changing[0])
        return self._sizes[1]

    def _seated(self, contact: Contact, q: FloatArray) -> Contact:
        """The contact at the depth and tilt where it is: ground that yields is not to be pulled back."""
        seat = self._seats.get(contact.frame)
        X = frame_pose(self.model, q, contact.frame)
        if seat is None or not is_seated(contact, seat, X):
            self._seats[contact.frame] = seat = seat_of(contact, X)
        return contact.with_pose(seat)

    def _carried(self, contact: Contact) -> float:
        """Normal force of a contact as it began to be unloaded [N]."""
        if contact.frame not in self._loads or self._loads[contact.frame][0] != self._index:
            found = MOST * self._weight
            if self._last is not None and contact.frame in self._last.wrenches:
                normal = np.asarray(contact.pose)[:3, :3] @ np.asarray(contact.normal)
                found = float(normal @ self._last.wrenches[contact.frame][:3]) / self.heaviness
            self._loads[contact.frame] = self._index, max(found, 0.0)
        return self._loads[contact.frame][1]

    @property
    def _weight(self) -> float:
        return self.model.total_mass * float(np.linalg.norm(self.model.gravity))

    def _missed(self, t: float, q: FloatArray, v: FloatArray, found: Command) -> Command:
        """What is done where there is no solution, see `Stopgap`; fail where that lasts."""
        tau = self._stopgap.torques(t, q, v, found)
        if self._stopgap.given_up and self.state != "failed":
            self._fail(t, f"no command for {self._stopgap.misses} steps: {found.status}, {found.reason}")
        return replace(found, tau=tau)

    def _stopped(self, status: str, reason: str) -> Command:
        zero = np.zeros(self.model.nv)
        return Command(zero, zero, {contact.frame: np.zeros(6) for contact in self.contacts}, status, reason)

    def _tell(self, t: float, state: str, text: str) -> None:
        self.state = state
        self.events.append(Event(t, state, text))


def _gained(contacts: Sequence[Contact], pace: Pace) -> tuple[Contact, ...]:
    return tuple(replace(contact, gain=pace.contact_gain) for contact in contacts)


def _checked(force: Force) -> Force:
    """The forces, refused by the name of their frame where they are none."""

    def felt(frame: str) -> FloatArray:
        found = np.asarray(force(frame), dtype=float)
        if found.shape != (3,):
            raise ShapeError(f"force({frame!r}): found shape {found.shape}, expected (3,)")
        return found

    return felt

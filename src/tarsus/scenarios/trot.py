"""A quadruped trots in place: diagonal feet in turn."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact import flat
from tarsus.control.sequencing.contact_sequence import Event, Force
from tarsus.control.sequencing.limb_motion import LimbMotion
from tarsus.control.sequencing.minimum_jerk import minimum_jerk
from tarsus.control.sequencing.pace import Pace
from tarsus.control.sequencing.posture_path import PosturePath
from tarsus.control.sequencing.seat import is_seated, seat_of
from tarsus.control.sequencing.swing_path import SwingPath
from tarsus.control.whole_body.answer import Command
from tarsus.control.whole_body.contact import Contact
from tarsus.control.whole_body.whole_body import WholeBody
from tarsus.dynamics import com_jacobian, frame_pose
from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.scenarios.robot import Robot
from tarsus.scenarios.scenario import Scenario
from tarsus.scenarios.stance_list import StanceList
from tarsus.tasks import Orientation, Task

SWING, SHARED = 0.8, 0.4
"""Times for which two feet are in the air, and then all on the ground, in times of sqrt(h / g)."""
MOST = 2.0
"""Normal force to which a foot is loaded, in weights of the robot."""


def trot_in_place(model: Model, *, steps: int = 12) -> Scenario:
    """Two feet on a diagonal are lifted and put down, then the other two.

    Parameters
    ----------
    model : Model
        With four legs.
    steps : int
        How often two feet are lifted.
    """
    robot = Robot.of(model)
    if len(robot.feet) != 4:
        raise ArgumentError(f"{model.name!r} stands on {len(robot.feet)} feet; a trot needs four")
    if not (isinstance(steps, (int, np.integer)) and steps >= 1):
        raise ArgumentError(f"steps is {steps!r}; expected a whole number of at least 1")
    stance = StanceList(robot.known, robot.contacts(robot.q), robot.q).stances[0]

    def control() -> Trot:
        return Trot(robot.known, stance.q, stance.contacts, int(steps))

    return Scenario(
        "trot-in-place",
        f"trots in place, {steps} steps",
        robot.model,
        robot.known,
        stance.q,
        control,
        np.ceil(10.0 * control().duration) / 10.0 + 1.0,
        robot.contactors(),
        flat,
        tracks=False,
        standing_on=robot.bodies(),
    )


@dataclass
class _Foot:
    """A foot of a trot: its contact at home, where it stands now, and its way through the air."""

    home: Contact
    contact: Contact
    limb: LimbMotion | None = None


class Trot:
    """Whole-body control of a trot in place: the centre of mass and the posture stay, feet come and go by the clock.

    Feet of one diagonal are unloaded, swing and are loaded again, then those of the other. They land where they started
    from, plus v / omega for a velocity v of the centre of mass, which is where a pendulum comes to rest (Pratt et al.
    2006).

    Parameters
    ----------
    model : Model
    q : ndarray, shape (nq,)
        Posture to keep.
    contacts : sequence of Contact
        Front left, front right, rear left, rear right.
    steps : int
    """

    def __init__(self, model: Model, q: FloatArray, contacts: tuple[Contact, ...], steps: int) -> None:
        self.model, self.pace = model, Pace.of(model, q)
        self._omega = self.pace.gain / 2.0
        self._swing, self._shared = SWING / self._omega, SHARED / self._omega
        gained = [replace(contact, gain=self.pace.contact_gain) for contact in contacts]
        self._feet = [_Foot(contact, contact) for contact in gained]
        self._pairs = ((0, 3), (1, 2))
        self._path, self._steps, self._number = PosturePath(model, q, q, 0.0), steps, -1
        self._tasks = [self._firm(task) for task in self._path.tasks(0.0, self.pace)]
        self._body = WholeBody(model, self._tasks, tuple(gained))
        self._seats: dict[str, FloatArray] = {}
        self.state, self.reason = "hold", ""
        self.events: list[Event] = []
        self.contacts: tuple[Contact, ...] = tuple(gained)
        self.heaviness = 1.0
        self.com_reference, self.q_reference = self._path.com_at(0.0), q

    @property
    def supports(self) -> tuple[Contact, ...]:
        """Contacts of the feet."""
        return tuple(foot.home for foot in self._feet)

    @property
    def frames(self) -> tuple[str, ...]:
        """Of the feet."""
        return tuple(foot.home.frame for foot in self._feet)

    @property
    def duration(self) -> float:
        """Of all steps [s]."""
        return self._steps * (self._swing + self._shared) + self._shared

    def command(self, t: float, q: FloatArray, v: FloatArray, force: Force) -> Command:
        """Command at a state, with forces that are felt."""
        number, s = divmod(t, self._swing + self._shared)
        if number < self._steps and number != self._number and s >= self._shared:
            self._number = int(number)
            self._lift(t, q, v)
        for foot in self._feet:
            self._follow(foot, t, q, force)
        state = "trot" if t < self.duration else "done"
        if state != self.state:
            self.state = state
            self.events.append(Event(t, state, ""))
        self.contacts = self._loaded(int(number), s, q)
        limbs = [foot.limb.task(t, self.pace) for foot in self._feet if foot.limb is not None]
        self._body.update(tasks=[*self._tasks, *limbs], contacts=self.contacts)
        return self._body.solve(q, v)

    def _firm(self, task: Task) -> Task:
        """The task; that of the base as heavy as the centre of mass at its height.

        Legs in the air are far from the posture that is kept. Where the base is worth as little as a joint, it is
        turned to bring them nearer, and the feet that stand are twisted against each other.
        """
        height = float(np.linalg.norm(self.model.gravity)) / self._omega**2
        return replace(task, weight=self.pace.com_weight * height**2) if isinstance(task, Orientation) else task

    def _lift(self, t: float, q: FloatArray, v: FloatArray) -> None:
        """Two feet begin to swing."""
        fall = com_jacobian(self.model, q) @ v / self._omega
        for index in self._pairs[self._number % 2]:
            foot = self._feet[index]
            target = np.array(foot.home.pose)
            target[:2, 3] += fall[:2]
            path = SwingPath(frame_pose(self.model, q, foot.home.frame), target, self._swing, self.pace.clearance)
            foot.limb = LimbMotion(foot.home.with_pose(target), path, t)
            self._seats.pop(foot.home.frame, None)

    def _follow(self, foot: _Foot, t: float, q: FloatArray, force: Force) -> None:
        """A foot that is felt, or whose time is over, stands where it is."""
        if foot.limb is None:
            return
        X = frame_pose(self.model, q, foot.home.frame)
        foot.limb.feel(t, X, force(foot.home.frame), self.pace)
        if foot.limb.late(t) >= 0.0:
            pose = np.array(foot.home.pose)
            pose[:3, 3] = X[:3, 3]
            foot.contact, foot.limb = foot.home.with_pose(pose), None

    def _loaded(self, number: int, s: float, q: FloatArray) -> tuple[Contact, ...]:
        """Contacts of feet on the ground: those that came last are loaded, those that go next unloaded."""
        weight = MOST * self.model.total_mass * float(np.linalg.norm(self.model.gravity))
        next_pair = self._pairs[number % 2] if number < self._steps else ()
        landed = self._pairs[(number - 1) % 2] if 0 < number <= self._steps else ()
        found = []
        for index, foot in enumerate(self._feet):
            if foot.limb is not None:
                continue
            contact = self._seated(foot.contact, q)
            half = 0.5 * self._shared
            if index in next_pair and s < self._shared and s > half:
                share = 1.0 - minimum_jerk(s - half, half).share
                contact = contact.with_force(max(share, 1e-3) * weight)
            elif index in landed and s < half:
                contact = contact.with_force(max(minimum_jerk(s, half).share, 1e-3) * weight)
            found.append(contact)
        return tuple(found)

    def _seated(self, contact: Contact, q: FloatArray) -> Contact:
        seat, X = self._seats.get(contact.frame), frame_pose(self.model, q, contact.frame)
        if seat is None or not is_seated(contact, seat, X):
            self._seats[contact.frame] = seat = seat_of(contact, X)
        return contact.with_pose(seat)

"""A controller that takes a box from a table with two hands, carries it and puts it down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.sequencing.contact_sequence import Event, Force
from tarsus.control.sequencing.minimum_jerk import minimum_jerk
from tarsus.control.sequencing.weighing import Weighing
from tarsus.control.whole_body.answer import Command
from tarsus.control.whole_body.contact import Contact
from tarsus.control.whole_body.fading import Fading
from tarsus.control.whole_body.whole_body import WholeBody
from tarsus.dynamics import center_of_mass, frame_pose
from tarsus.model import Model
from tarsus.spatial.pose import pose
from tarsus.spatial.rotation_vector import rotation_matrix_from_rotation_vector
from tarsus.tasks import CenterOfMass, FramePose, Orientation, Position, Posture, Task

SQUEEZE = 40.0
"""Least normal force of a hand that holds [N]."""
FELT = 3.0
"""Normal force of a hand that touches [N]."""
PRESS = 0.01
"""How far hands go on beyond the sides of the box until they feel it [m]."""
ONWARD = 0.25
"""Acceleration at which hands that have come there and feel nothing, or not enough, go on [m/s^2]."""
CLEAR = 0.04
"""Way between open hands and the box [m]."""
LEFT = 0.5
"""Part of the box's weight that hands still carry when it stands."""
SINK = 0.01
"""How far the box goes on below its place until it stands [m]."""
GAIN = 8.0
"""Of all tasks [1/s]."""
DURATIONS = {"reach": 1.0, "grasp": 0.5, "lift": 1.2, "carry": 2.0, "lower": 1.2, "put": 0.4, "release": 0.5,
             "retreat": 0.8}  # fmt: skip
"""Planned times of the states [s]; those that wait for a touch go on for as long again."""
FADING = 0.15
"""Time in which tasks and contacts come or go [s]."""
WEIGHING = 0.2
"""Time in which the robot weighs itself before it touches the box, and comes to that weight [s]."""
FRICTION = 0.6
"""That is counted on, at hands and below the box."""
COMMANDED = 0.9
"""Part of the friction of hands that commands use: forces that act differ from them by some percent."""


@dataclass(frozen=True, eq=False)
class Grip:
    """A hand that holds the box from its side.

    Attributes
    ----------
    frame : str
        In the middle of the inner side of the hand.
    side : float
        1 on the left side of the box, -1 on the right one.
    corners : ndarray, shape (4, 3)
        Of the inner side, in the frame [m].
    """

    frame: str
    side: float
    corners: FloatArray

    def contact(self, X_GF: FloatArray, box: str, friction: float = COMMANDED * FRICTION) -> Contact:
        """With the box, held where it is; it pushes the hand outwards."""
        return Contact(
            self.frame, self.corners, friction=friction, normal=(0.0, self.side, 0.0), pose=X_GF, other=box,
            min_force=SQUEEZE, pressure_margin=0.004,
        )  # fmt: skip


class Carrying:
    """States "reach", "grasp", "lift", "carry", "lower", "put", "release", "retreat", "done", or "failed".

    Centre of mass, trunk and posture are kept all the time. Hands go to the sides of the box until they feel it; from
    then on they are contacts with it, and the only other task is the pose of the box, which is a body of the same
    program: lifted, turned about the vertical through the chest, lowered until the table carries it. Contacts with the
    table and with the hands fade.

    Parameters
    ----------
    model : Model
        Robot and box.
    feet, grips : sequence
    table : Contact
        Of the box with the table, where it is at the beginning.
    q : ndarray, shape (nq,)
        Posture of the beginning, with open hands.
    lift : float
        [m].
    turn : float
        [rad].
    box : str
        Its frame, in its middle.
    """

    def __init__(
        self,
        model: Model,
        feet: Sequence[Contact],
        grips: Sequence[Grip],
        table: Contact,
        q: FloatArray,
        *,
        lift: float,
        turn: float,
        box: str = "box",
        trunk: str = "BODY",
        **options: Any,
    ) -> None:
        self.model, self._feet, self._grips, self._box, self._table = model, tuple(feet), tuple(grips), box, table
        self._lift, self._turn, self._trunk, self._start = lift, turn, trunk, np.array(q)
        self._weight = 9.81 * model.bodies[model.frames[box].body].inertia.mass
        self.com_reference, self.q_reference = center_of_mass(model, q), self._start
        self._held: tuple[Contact, ...] = ()
        self._on_table = True
        self._from = frame_pose(model, q, box)
        self._hands = {grip.frame: frame_pose(model, q, grip.frame) for grip in grips}
        self._offset = dict(self._hands)
        self.state, self.reason, self._since = "reach", "", 0.0
        self.events: list[Event] = [Event(0.0, "reach", "hands go to the sides of the box")]
        self.contacts: tuple[Contact, ...] = (*self._feet, table)
        carried = model.total_mass - self._weight / 9.81
        self._weighing = Weighing(model, [contact.frame for contact in feet], WEIGHING, carried)
        self.heaviness = 1.0
        self._options = options
        self.whole_body = Fading(WholeBody(model, self._tasks(0.0), self.contacts, **options), FADING, FADING)

    @property
    def supports(self) -> tuple[Contact, ...]:
        """Contacts of the feet."""
        return self._feet

    @property
    def frames(self) -> tuple[str, ...]:
        """Of all contacts that it may have, and of the box."""
        return (*(c.frame for c in self._feet), self._table.frame, *(g.frame for g in self._grips), self._box)

    def command(self, t: float, q: FloatArray, v: FloatArray, force: Force) -> Command:
        """Command at a state, with forces that are felt."""
        if self.state == "reach" and self._weighing.feel(t, q, v, force):
            self._tell_weight(t)
        self._go_on(t, q, force)
        on = (self._table,) if self._on_table else ()
        self.whole_body.update(tasks=self._tasks(t), contacts=(*self._feet, *self._held, *on))
        found = self.whole_body.solve(t, q, v)
        self.contacts = self.whole_body.followed
        self.heaviness = self._weighing.share(t)
        return self._weighing.scaled(t, found)

    def _tell_weight(self, t: float) -> None:
        """Torques for the weight that was found stay within limits."""
        found = self._weighing.found
        assert found is not None
        body = WholeBody(self.model, self._tasks(t), self.contacts, **self._options).weaker(max(found, 1.0))
        self.whole_body = Fading(body, FADING, FADING)
        self.events.append(Event(t, self.state, self._weighing.reason or f"weighs {found:.3f} of what its model does"))

    def _go_on(self, t: float, q: FloatArray, force: Force) -> None:
        """The next state where this one has done what it is for."""
        late = t - self._since - DURATIONS.get(self.state, np.inf)
        if self.state == "reach" and all(self._felt(grip, q, force) > FELT for grip in self._grips):
            self._grasp(q)
            self._enter(t, "grasp", "both hands feel the box")
        elif self.state == "lower" and self._carried(force) < LEFT * self._weight:
            self._on_table = True
            self._table = self._table.with_pose(frame_pose(self.model, q, self._table.frame))
            self._from = frame_pose(self.model, q, self._box)
            self._enter(t, "put", "the box stands")
        elif self.state in ("reach", "lower") and late > DURATIONS[self.state]:
            self.reason = "the hands do not feel the box" if self.state == "reach" else "the box has met no table"
            self._enter(t, "failed", self.reason)
        elif late >= 0.0 and self.state in _NEXT:
            self._leave(q)
            self._enter(t, *_NEXT[self.state])

    def _leave(self, q: FloatArray) -> None:
        """What ends with a state."""
        if self.state in ("grasp", "lift", "carry"):
            self._from = self._target(np.inf)[0]
        if self.state == "grasp":
            self._on_table = False
        elif self.state == "put":
            self._held = ()
            self._hands = {grip.frame: frame_pose(self.model, q, grip.frame) for grip in self._grips}

    def _enter(self, t: float, state: str, text: str) -> None:
        self.state, self._since = state, t
        self.events.append(Event(t, state, text))

    def _grasp(self, q: FloatArray) -> None:
        """Hands become contacts where they are on the box."""
        X_GW = np.linalg.inv(frame_pose(self.model, q, self._box))
        self._held = tuple(g.contact(X_GW @ frame_pose(self.model, q, g.frame), self._box) for g in self._grips)
        self._from = frame_pose(self.model, q, self._box)

    def _felt(self, grip: Grip, q: FloatArray, force: Force) -> float:
        """Normal force on a hand [N]."""
        outwards = frame_pose(self.model, q, grip.frame)[:3, 1] * grip.side
        return float(outwards @ force(grip.frame))

    def _carried(self, force: Force) -> float:
        """Weight that hands carry [N]."""
        return -sum(float(force(grip.frame)[2]) for grip in self._grips)

    def _tasks(self, t: float) -> list[Task]:
        found: list[Task] = [
            CenterOfMass(self.com_reference, weight=10.0, gain=GAIN),
            Orientation(self._trunk, np.eye(3), weight=2.0, gain=GAIN),
            Posture(self._start, weight=0.3, gain=0.5 * GAIN),
        ]
        if self._held:
            X, V, A = self._target(t - self._since)
            return [*found, FramePose(self._box, X, velocity=V, acceleration=A, weight=5.0, gain=GAIN)]
        for grip in self._grips:
            X, V, A = self._way(grip, t - self._since)
            # About the axis across the box a hand may turn.
            found.append(Orientation(grip.frame, X[:3, :3], axes=(True, False, True), weight=5.0, gain=GAIN))
            found.append(Position(grip.frame, X[:3, 3], velocity=V, acceleration=A, weight=5.0, gain=GAIN))
        return found

    def _way(self, grip: Grip, t: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Pose of an open hand, with velocity and acceleration of its place: inwards, at rest, or outwards."""
        inwards = {"reach": CLEAR + PRESS, "retreat": -CLEAR}.get(self.state, 0.0)
        if self.state in ("done", "failed"):
            inwards, t = -CLEAR if self.state == "done" else 0.0, np.inf
        planned = DURATIONS.get(self.state, 0.0) * (1.0 if self.state == "retreat" else 1.5)
        done = minimum_jerk(t, planned)
        late, onward = max(t - planned, 0.0), ONWARD if self.state == "reach" and t > planned else 0.0
        X = np.array(self._hands[grip.frame])
        across = X[:3, :3] @ np.array([0.0, -grip.side, 0.0])
        X[:3, 3] += (done.share * inwards + (0.5 * onward * late**2 if onward else 0.0)) * across
        rate = done.rate * inwards + (onward * late if onward else 0.0)
        return X, rate * across, (done.change * inwards + onward) * across

    def _target(self, t: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Pose of the box, its twist and the rate of that, world axes."""
        up = {"lift": self._lift, "lower": -self._lift - SINK}.get(self.state, 0.0)
        turn = self._turn if self.state == "carry" else 0.0
        stretch = 1.0 + SINK / self._lift if self.state == "lower" else 1.0
        # The box is lifted when the table does not hold it any more.
        wait = self.whole_body.duration + self.whole_body.unloading if self.state == "lift" else 0.0
        done = minimum_jerk(t - wait, (DURATIONS.get(self.state, 0.0) - wait) * stretch)
        axis = np.array([0.0, 0.0, turn])
        R = rotation_matrix_from_rotation_vector(done.share * axis)
        spin, place, height = done.rate * axis, R @ self._from[:3, 3], up * np.array([0.0, 0.0, 1.0])
        X = pose(place + done.share * height, R @ self._from[:3, :3])
        V = np.append(np.cross(spin, place) + done.rate * height, spin)
        away = np.cross(done.change * axis, place) + np.cross(spin, np.cross(spin, place))
        return X, V, np.append(away + done.change * height, done.change * axis)


_NEXT = {
    "grasp": ("lift", "the box is held"),
    "lift": ("carry", "the box is free"),
    "carry": ("lower", "the box is above its place"),
    "put": ("release", "the table carries the box"),
    "release": ("retreat", "hands have let go"),
    "retreat": ("done", "hands are open"),
}
"""State that follows, and what is told of it."""

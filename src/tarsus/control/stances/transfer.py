"""Quasi-static ways from one stance to the next, checked along their length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.collision.collision_model import CollisionModel
from tarsus.control.stances.equilibrium import static_equilibrium
from tarsus.control.stances.posture import static_posture
from tarsus.control.stances.stance import Stance, all_of
from tarsus.control.whole_body.contact import Contact
from tarsus.dynamics.kinematics import frame_pose
from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.spatial.rotation_vector import rotation_matrix_from_rotation_vector
from tarsus.tasks.orientation import rotation_error

LIFT = 0.05
"""Height of the way of a limb above the higher one of two contacts [m]."""
RISEN, ACROSS = 0.35, 0.2
"""Parts of the way of a limb at which it has risen, and at which it begins to go across; its end mirrors that."""


JUMP = 0.5
"""Change of a coordinate between two points of a way that is no motion any more [rad, m]."""


@dataclass(frozen=True, slots=True, eq=False)
class Transfer:
    """A way between the postures of two stances, on the contacts of the first.

    Attributes
    ----------
    name : str
        Of the stance to which it leads.
    q : ndarray, shape (n, nq)
        Postures along it, both ends included.
    loads : ndarray, shape (n,)
        Largest part of a torque limit that is needed at each.
    distance : float
        Smallest distance of a pair along it [m]; infinite without a collision model.
    success : bool
    reason : str
        Where and why it ends, where it does.
    """

    name: str
    q: FloatArray
    loads: FloatArray
    distance: float
    success: bool
    reason: str

    @property
    def load(self) -> float:
        """The largest of the loads."""
        return float(self.loads.max())


def transfer(
    model: Model,
    before: Stance,
    after: Stance,
    *,
    points: int = 20,
    collision: CollisionModel | None = None,
    margin: float = 0.0,
    load: float = 0.9,
    lift: float = LIFT,
) -> Transfer:
    """The way from one stance to the next, in postures in which the robot can rest.

    The straight way between both postures is brought back to the contacts of the first stance, point by point with
    `static_posture`, each from the one before; where postures jump, the way ends. A limb that comes to a new contact
    goes up, across and down, as it is led by a task of its own.

    Parameters
    ----------
    points : int
        Parts of the way, at least 1.
    collision : CollisionModel, optional
        Whose pairs keep `margin` [m] all along.
    load : float
        Part of torque limits that may be used.
    lift : float
        Height of the way of a limb above the higher end of it, along the normal of its new contact [m].
    """
    if not (isinstance(points, (int, np.integer)) and points >= 1):
        raise ArgumentError(f"points is {points!r}; expected a whole number of at least 1")
    options = {"collision": collision, "margin": margin, "load": load, "starts": 1}
    placed = after.contact(after.moved)
    begun = placed is not None and before.contact(after.moved) is None
    way = model.difference(before.q, after.q)
    q, loads, reason = [before.q], [static_equilibrium(model, before.q, before.contacts).load], ""
    for number in range(1, points + 1):
        part = number / points
        contacts = list(before.contacts)
        if placed is not None and begun:
            contacts.append(_on_the_way(model, before.q, placed, part, lift))
        wish = model.integrate(before.q, part * way, 1.0)
        found = static_posture(model, contacts, wish, start=q[-1], **options)  # type: ignore[arg-type]
        if not found.success:
            reason = f"{after.name!r}, {part:.0%} of the way: {found.reason}"
            break
        leap = float(np.abs(model.difference(q[-1], found.q)).max())
        if leap > JUMP:
            reason = f"{after.name!r}, {part:.0%} of the way: the posture jumps by {leap:.2f}"
            break
        q.append(found.q)
        loads.append(static_equilibrium(model, found.q, before.contacts).load)
    told = reason or "contacts, balance and limits hold along the way"
    near = np.inf if collision is None else min(float(collision.distances(each).min()) for each in q)
    return Transfer(after.name, np.array(q), np.array(loads), near, not reason, told)


def transfers(
    model: Model,
    stances: Sequence[Stance],
    *,
    points: int = 20,
    collision: CollisionModel | None = None,
    margin: float = 0.0,
    load: float = 0.9,
    lift: float = LIFT,
) -> tuple[Transfer, ...]:
    """The ways along a sequence of stances; one that fails does not end it. See `transfer`."""
    return tuple(
        transfer(model, before, after, points=points, collision=collision, margin=margin, load=load, lift=lift)
        for before, after in pairwise(all_of("stances", stances, Stance))
    )


def _on_the_way(model: Model, q: FloatArray, contact: Contact, part: float, lift: float) -> Contact:
    """A contact that carries nothing, on its way from where its frame is at q to where it shall be.

    Along the normal of the contact first, to `lift` above the higher end; then across; then down.
    """
    here, there = frame_pose(model, q, contact.frame), np.asarray(contact.pose)
    X = np.eye(4)
    turn = rotation_error(there[:3, :3], here[:3, :3])
    X[:3, :3] = rotation_matrix_from_rotation_vector(_smooth(part, ACROSS, 1 - ACROSS) * turn) @ here[:3, :3]
    up = there[:3, :3] @ np.asarray(contact.normal)
    way = (there - here)[:3, 3]
    rise = float(up @ way)
    top = max(rise, 0.0) + lift
    height = top * _smooth(part, 0.0, RISEN) + (rise - top) * _smooth(part, 1 - RISEN, 1.0)
    X[:3, 3] = here[:3, 3] + _smooth(part, ACROSS, 1 - ACROSS) * (way - rise * up) + height * up
    return replace(contact, pose=X, max_force=0.0, min_force=0.0)


def _smooth(part: float, begin: float, end: float) -> float:
    """From 0 at `begin` to 1 at `end`, with no slope at both."""
    s = min(max((part - begin) / (end - begin), 0.0), 1.0)
    return s * s * (3.0 - 2.0 * s)

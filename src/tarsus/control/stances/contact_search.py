"""Best-first search over contacts from a start to a goal (Bouyarmane and Kheddar 2012; Escande et al. 2013)."""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.collision.collision_model import CollisionModel
from tarsus.control.stances.com_region import com_region, region_width
from tarsus.control.stances.equilibrium import static_equilibrium
from tarsus.control.stances.reach import reach
from tarsus.control.stances.sequence import stance_sequence
from tarsus.control.stances.stance import Change, Place, Release, Stance, all_of
from tarsus.control.stances.surface import Limb, Surface, places
from tarsus.control.whole_body.contact import Contact
from tarsus.control.whole_body.terms import slip
from tarsus.dynamics.kinematics import frame_pose
from tarsus.errors import ArgumentError
from tarsus.model import Model

Status = Literal["arrived", "exhausted", "node-limit", "time-limit"]

SAME = 1e-6
"""Distance and angle at which contacts are in the same place [m, rad]."""
ROUNDING = 6
"""Decimals by which contacts of stances are compared."""


@dataclass(frozen=True, slots=True, eq=False)
class ContactPlan:
    """What a search over contacts has found.

    Attributes
    ----------
    stances : tuple of Stance
        From the start to the goal, or to the stance that is nearest to it.
    status : {"arrived", "exhausted", "node-limit", "time-limit"}
    reason : str
    nodes : int
        Stances for which a posture was looked for.
    rejected : mapping of str to int
        Stances that were left out, by why: "reach", "overlap", "room" before a posture was looked for, and the kinds
        of conditions for which none was found.
    """

    stances: tuple[Stance, ...]
    status: Status
    reason: str
    nodes: int
    rejected: Mapping[str, int]

    @property
    def success(self) -> bool:
        """Whether the goal is reached."""
        return self.status == "arrived"


def search_stances(
    model: Model,
    start: Stance,
    goal: Sequence[Contact] | npt.ArrayLike,
    surfaces: Sequence[Surface],
    limbs: Sequence[Limb],
    *,
    reference: npt.ArrayLike | None = None,
    collision: CollisionModel | None = None,
    margin: float = 0.0,
    load: float = 0.9,
    spacing: float = 0.1,
    stride: float = 0.4,
    greed: float = 2.0,
    room: float = 0.02,
    max_nodes: int = 300,
    max_time: float = np.inf,
    starts: int = 1,
    seed: int = 0,
) -> ContactPlan:
    """A sequence of stances from a start to a goal, one contact released or placed at a time.

    Stances are looked at in the order of the changes made so far plus `greed` times those that are at least needed:
    one for a contact that the goal has not or that is missing, two for one that is elsewhere and again for every
    `stride` of its way. A posture is looked for when the turn of a stance comes, not before. What is cheaper to know
    comes first: whether contacts are within reach of each other, whether they overlap, whether the centre of mass has
    room on them.

    Not every place is tried: limbs come to a grid on surfaces and to the places of the goal, at most `stride` from
    where they are. A search that ends as "exhausted" has shown nothing beyond that.

    Parameters
    ----------
    goal : sequence of Contact, or array_like of shape (nq,)
        Contacts of the last stance, all of them; or a posture, whose contacts are the limbs that lie on surfaces there,
        and to which the robot moves in the end.
    surfaces : sequence of Surface
    limbs : sequence of Limb
        Those of the goal among them.
    reference : array_like, shape (nq,), optional
        Posture to stay near to; it is carried along with the contacts of the start. The start's by default.
    collision, margin, load
        Of `static_posture`.
    spacing, stride : float
        Of the grid, and the longest way of a limb [m].
    greed : float
        At 1, the way with the fewest changes is found first; more leads to a goal sooner.
    room : float
        Least width of the region of the centre of mass in every stance [m]: robots do not stand on points.
    max_nodes : int
        Stances for which a posture is looked for.
    max_time : float
        [s]; results depend on the machine where it is finite.
    starts, seed : int
        Of `static_posture`; random starts make a stance dearer.
    """
    for name, value in (
        ("spacing", spacing),
        ("stride", stride),
        ("greed", greed),
        ("room", room),
        ("max_time", max_time),
    ):
        if not value > 0:
            raise ArgumentError(f"{name} is {value!r}; expected a number above 0")
    all_of("start", (start,), Stance)
    surfaces, limbs = all_of("surfaces", surfaces, Surface), all_of("limbs", limbs, Limb)
    frames = {limb.frame for limb in limbs}
    last, final = _goal(model, goal, surfaces, limbs)
    for contact in (*start.contacts, *last):
        if contact.frame not in frames:
            raise ArgumentError(
                f"contact {contact.frame!r} of start or goal is no limb; expected one of {sorted(frames)}"
            )
    scene: dict[str, Any] = {"collision": collision, "margin": margin, "load": load, "starts": starts, "seed": seed}
    rest = start.q if reference is None else model.normalize(reference)
    search = _Search(model, start, last, surfaces, limbs, rest, spacing, stride, greed, room, scene)
    return search.run(max_nodes, max_time, final)


def _goal(
    model: Model, goal: Sequence[Contact] | npt.ArrayLike, surfaces: Sequence[Surface], limbs: Sequence[Limb]
) -> tuple[tuple[Contact, ...], FloatArray | None]:
    """Contacts of the goal, and its posture where that is given."""
    if isinstance(goal, Sequence) and all(isinstance(contact, Contact) for contact in goal):
        contacts = tuple(contact for contact in goal if isinstance(contact, Contact))
        if not contacts or any(contact.pose is None for contact in contacts):
            raise ArgumentError("goal: found no contacts, or one without a pose; expected contacts with poses")
        return contacts, None
    q = model.normalize(np.asarray(goal, dtype=float))
    found = []
    for limb in limbs:
        X = frame_pose(model, q, limb.frame)
        for surface in surfaces:
            if surface.limbs and limb.frame not in surface.limbs:
                continue
            local = np.linalg.inv(np.asarray(surface.pose)) @ X
            inside = (np.abs(local[:2, 3]) <= np.asarray(surface.size) / 2 + SAME).all()
            flat = len(np.asarray(limb.points)) == 1 or local[2, 2] > 1 - SAME
            if inside and abs(local[2, 3]) < SAME and flat:
                found.append(Contact(limb.frame, limb.points, friction=surface.friction, pose=X))
                break
    if not found:
        raise ArgumentError("goal: no limb lies on a surface in this posture; expected at least one")
    rest = static_equilibrium(model, q, found)
    if not rest.feasible:
        raise ArgumentError(f"goal: the robot cannot rest in this posture: {rest.reason}")
    return tuple(found), q


@dataclass(slots=True, eq=False)
class _Node:
    """A change of contacts whose posture may not be known yet."""

    parent: _Node | None
    change: Change | None
    contacts: tuple[Contact, ...]
    changes: int
    stance: Stance | None = None


@dataclass(slots=True, eq=False)
class _Search:
    """One search; see `search_stances`."""

    model: Model
    start: Stance
    goal: tuple[Contact, ...]
    surfaces: tuple[Surface, ...]
    limbs: tuple[Limb, ...]
    rest: FloatArray
    spacing: float
    stride: float
    greed: float
    room: float
    scene: dict[str, Any]
    rejected: Counter[str] = field(default_factory=Counter)
    reaches: dict[tuple[str, str], float] = field(default_factory=dict)
    carries: dict[object, bool] = field(default_factory=dict)

    def run(self, max_nodes: int, max_time: float, final: FloatArray | None) -> ContactPlan:
        """Stances by their priority until one is the goal."""
        first = _Node(None, None, self.start.contacts, 0, self.start)
        queue, number, nodes, begin = [(0.0, 0, first)], 1, 0, time.monotonic()
        seen, best = {self._key(first.contacts)}, (self._needed(self.start), first)
        while queue:
            node = heapq.heappop(queue)[2]
            if node.stance is None:
                if nodes >= max_nodes:
                    return self._plan(best[1], "node-limit", f"no way to the goal in {nodes} stances", nodes)
                if time.monotonic() - begin > max_time:
                    return self._plan(best[1], "time-limit", f"no way to the goal in {max_time:g} s", nodes)
                nodes += 1
                if not self._settle(node):
                    continue
            stance = node.stance
            assert stance is not None
            left = self._needed(stance)
            if left == 0.0:
                return self._plan(
                    self._finish(node, final), "arrived", "contacts, balance and limits hold in every stance", nodes
                )
            if left < best[0]:
                best = (left, node)
            for change, contacts in self._changes(stance):
                key = self._key(contacts)
                if key in seen:
                    continue
                seen.add(key)
                child = _Node(node, change, contacts, node.changes + 1)
                priority = child.changes + self.greed * self._needed(stance, contacts)
                heapq.heappush(queue, (priority, number, child))
                number += 1
        return self._plan(best[1], "exhausted", "no change of contacts leads on", nodes)

    def _settle(self, node: _Node) -> bool:
        """The posture of a node's change, from that of its parent."""
        assert node.parent is not None and node.parent.stance is not None and node.change is not None
        change = replace(node.change, reference=self._carried_along(node.parent.stance, node.contacts))
        found = stance_sequence(self.model, node.parent.stance, [change], **self.scene)
        if not found.success:
            assert found.posture is not None
            self.rejected[str(found.posture.failed)] += 1
            return False
        node.stance = found.stances[-1]
        return True

    def _finish(self, node: _Node, final: FloatArray | None) -> _Node:
        """The goal's posture, where one is asked for."""
        if final is None:
            return node
        stance = Stance("goal", node.contacts, final, static_equilibrium(self.model, final, node.contacts))
        return _Node(node, None, node.contacts, node.changes + 1, stance)

    def _carried_along(self, stance: Stance, contacts: tuple[Contact, ...]) -> FloatArray:
        """The reference, moved with the limbs on which the robot stood at first."""
        base = self.model.joints.get("base")
        if base is None or base.kind != "free":
            return self.rest
        ways = []
        for first in self.start.contacts:
            now = next((c for c in contacts if c.frame == first.frame), None)
            X = frame_pose(self.model, stance.q, first.frame) if now is None else np.asarray(now.pose)
            ways.append(X[:3, 3] - frame_pose(self.model, self.rest, first.frame)[:3, 3])
        q = np.array(self.rest)
        q[base.q_index][:3] += np.mean(ways, axis=0)
        return q

    def _changes(self, stance: Stance) -> Iterator[tuple[Change, tuple[Contact, ...]]]:
        """Changes that pass the cheap tests, with the contacts after them."""
        held = {contact.frame: contact for contact in stance.contacts}
        for frame in held:
            contacts = tuple(contact for contact in stance.contacts if contact.frame != frame)
            if contacts and self._carried(contacts):
                yield Release(frame), contacts
        for limb in self.limbs:
            if limb.frame in held:
                continue
            here = frame_pose(self.model, stance.q, limb.frame)[:3, 3]
            for contact in self._places(limb):
                way = np.asarray(contact.pose)[:3, 3] - here
                if np.linalg.norm(way) <= self.stride and self._fits(limb, contact, stance.contacts):
                    yield Place(contact), (*stance.contacts, contact)

    def _places(self, limb: Limb) -> Iterator[Contact]:
        """Places of the goal first, then those of the grid."""
        yield from (contact for contact in self.goal if contact.frame == limb.frame)
        for surface in self.surfaces:
            yield from places(limb, surface, self.spacing)

    def _fits(self, limb: Limb, contact: Contact, others: tuple[Contact, ...]) -> bool:
        """Whether a new contact is within reach of others and does not overlap them."""
        here = np.asarray(contact.pose)[:3, 3]
        radii = {each.frame: each.radius for each in self.limbs}
        for other in others:
            far = float(np.linalg.norm(here - np.asarray(other.pose)[:3, 3]))
            pair = (contact.frame, other.frame)
            if pair not in self.reaches:
                self.reaches[pair] = reach(self.model, *pair)
            if far > self.reaches[pair]:
                self.rejected["reach"] += 1
                return False
            if far < 0.5 * (limb.radius + radii[other.frame]):
                self.rejected["overlap"] += 1
                return False
        return True

    def _carried(self, contacts: tuple[Contact, ...]) -> bool:
        """Whether the centre of mass has room on these contacts."""
        key = self._key(contacts)
        if key not in self.carries:
            corners = com_region(self.model, contacts, tolerance=0.1 * self.room)
            self.carries[key] = region_width(corners) >= self.room
            self.rejected["room"] += not self.carries[key]
        return self.carries[key]

    def _needed(self, stance: Stance, contacts: tuple[Contact, ...] | None = None) -> float:
        """Changes that are at least needed to the goal, more where limbs have a long way."""
        held = {contact.frame: contact for contact in (stance.contacts if contacts is None else contacts)}
        total = float(sum(frame not in {contact.frame for contact in self.goal} for frame in held))
        for aim in self.goal:
            now = held.get(aim.frame)
            X = frame_pose(self.model, stance.q, aim.frame) if now is None else np.asarray(now.pose)
            far = float(np.linalg.norm(X[:3, 3] - np.asarray(aim.pose)[:3, 3]))
            if now is None:
                total += 1.0 + 2.0 * max(0.0, far / self.stride - 1.0)
            elif np.abs(slip(aim, X)).max() > SAME:
                total += 2.0 * max(1.0, far / self.stride)
        return total

    def _key(self, contacts: tuple[Contact, ...]) -> frozenset[tuple[object, ...]]:
        return frozenset((c.frame, *np.round(np.asarray(c.pose)[:3].ravel(), ROUNDING) + 0.0) for c in contacts)

    def _plan(self, node: _Node, status: Status, reason: str, nodes: int) -> ContactPlan:
        stances: list[Stance] = []
        at: _Node | None = node
        while at is not None:
            assert at.stance is not None
            stances.insert(0, at.stance)
            at = at.parent
        return ContactPlan(tuple(stances), status, reason, nodes, dict(self.rejected))

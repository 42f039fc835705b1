"""What a robot does between stances: shift its weight, unload, swing, load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.sequencing.balance_time import balance_time
from tarsus.control.sequencing.pace import Pace
from tarsus.control.sequencing.posture_path import PosturePath, time_between
from tarsus.control.sequencing.resizing import grows, resized
from tarsus.control.stances.equilibrium import static_equilibrium
from tarsus.control.stances.stance import Stance
from tarsus.control.whole_body.contact import Contact
from tarsus.control.whole_body.terms import slip
from tarsus.dynamics.kinematics import frame_pose
from tarsus.errors import ArgumentError, UnknownNameError, nearest
from tarsus.model import Model

State = Literal["hold", "shift", "unload", "swing", "load"]

STILL = 1e-6
"""Way of a contact [m, rad] below which it stays where it is."""
LEAST_TIME = 2.0
"""Of a motion of references, in times of 1 / gain."""


@dataclass(frozen=True, eq=False)
class Step:
    """One state of a sequence.

    Attributes
    ----------
    state : str
        "hold", "shift" (all contacts stay), "unload" and "load" (forces of `changing` fade), "swing" (limbs on their
        way to the contacts `changing`).
    path : PosturePath
        References.
    contacts : tuple of Contact
        That stay all the time.
    changing : tuple of Contact
        That are released, or made.
    former : tuple of Contact
        Contacts of the same frames that become those of `changing`, where contacts grow or shrink on the same place.
    stance : str
        Name of the stance that it leads to.
    """

    state: State
    path: PosturePath
    contacts: tuple[Contact, ...]
    changing: tuple[Contact, ...] = ()
    stance: str = ""
    former: tuple[Contact, ...] = ()


@dataclass(frozen=True, eq=False)
class _Changes:
    """Contacts between two stances: those that end, begin, stay, and those of them with another size."""

    released: tuple[Contact, ...]
    made: tuple[Contact, ...]
    kept: tuple[Contact, ...]
    resized: tuple[Contact, ...]


def steps_of(
    model: Model, stances: Sequence[Stance], pace: Pace, holds: Mapping[str, float] | None = None
) -> tuple[Step, ...]:
    """States from the first stance to the last.

    In the posture of a stance the contacts of the one before are still in place, and those that both have carry it: a
    contact is released there by unloading it, and one that was made there is loaded. A contact that goes elsewhere, or
    that is released while another one is made, is unloaded in the posture before, which must rest on those that stay. A
    contact that grows or shrinks on the same place, as from toes to a sole, does so in the posture of its stance.

    Parameters
    ----------
    holds : mapping of str to float, optional
        Times to stay, by the names of stances [s].

    Raises
    ------
    ArgumentError
        Where stances change more than they can at once.
    """
    if not stances:
        raise ArgumentError("stances is empty; expected at least one")
    stay = dict(holds or {})
    names = [stance.name for stance in stances]
    for name in stay:
        if name not in names:
            raise UnknownNameError(f"stance {name!r} of holds not found{nearest(name, names)}")
        if not stay[name] >= 0.0:
            raise ArgumentError(f"holds[{name!r}] is {stay[name]!r}; expected a time of at least 0 [s]")
    steps = [_hold(model, stances[0], stay.get(stances[0].name, 0.0))]
    for before, after in pairwise(stances):
        steps += _between(model, before, after, pace)
        if stay.get(after.name, 0.0) > 0.0 or after is stances[-1]:
            steps.append(_hold(model, after, stay.get(after.name, 0.0)))
    return tuple(steps)


def _between(model: Model, before: Stance, after: Stance, pace: Pace) -> list[Step]:
    """Steps from one stance to the next."""
    change = _changes(before, after)
    rest = PosturePath(model, after.q, after.q, pace.fade)
    if change.resized:
        return [_moving(model, "shift", before, after, before.contacts, pace), *_resized(before, after, change, rest)]
    if change.released and change.made:
        return _exchange(model, before, after, change, pace)
    if change.made:
        swing = _moving(model, "swing", before, after, before.contacts, pace, change.made)
        return [swing, Step("load", rest, before.contacts, change.made, after.name)]
    shift = _moving(model, "shift", before, after, before.contacts, pace)
    return [shift, Step("unload", rest, change.kept, change.released, after.name)] if change.released else [shift]


def _resized(before: Stance, after: Stance, change: _Changes, rest: PosturePath) -> list[Step]:
    """A contact grows or shrinks."""
    found = []
    for new in change.resized:
        old = before.contact(new.frame)
        assert old is not None
        others = tuple(contact for contact in after.contacts if contact.frame != new.frame)
        found.append(Step("load" if grows(old, new) else "unload", rest, others, (new,), after.name, (old,)))
    return found


def _exchange(model: Model, before: Stance, after: Stance, change: _Changes, pace: Pace) -> list[Step]:
    """Contacts are released where the robot is, limbs swing on those that stay, and contacts are made."""
    held = static_equilibrium(model, before.q, change.kept)
    if not held.feasible:
        raise ArgumentError(
            f"from stance {before.name!r} to {after.name!r} {[c.frame for c in change.released]} are released and "
            f"{[c.frame for c in change.made]} made, and {[c.frame for c in change.kept]} do not hold the robot "
            f"meanwhile: {held.reason}; expected a stance in between"
        )
    here = PosturePath(model, before.q, before.q, pace.fade)
    there = PosturePath(model, after.q, after.q, pace.fade)
    return [
        Step("unload", here, change.kept, change.released, after.name),
        _moving(model, "swing", before, after, change.kept, pace, change.made),
        Step("load", there, change.kept, change.made, after.name),
    ]


def _hold(model: Model, stance: Stance, seconds: float) -> Step:
    return Step("hold", PosturePath(model, stance.q, stance.q, seconds), stance.contacts, (), stance.name)


def _moving(
    model: Model,
    state: State,
    before: Stance,
    after: Stance,
    contacts: tuple[Contact, ...],
    pace: Pace,
    changing: tuple[Contact, ...] = (),
) -> Step:
    """References from one posture to another, no faster than the pace allows them and the limbs that move."""
    ways = [_way(model, before.q, after.q, contact.frame) + 2.0 * pace.clearance for contact in changing]
    limbs = 2.0 * max(ways, default=0.0) / pace.limb_speed
    slow = balance_time(model, before.q, after.q, contacts)
    duration = max(time_between(model, before.q, after.q, pace), limbs, slow, LEAST_TIME / pace.gain)
    return Step(state, PosturePath(model, before.q, after.q, duration), contacts, changing, after.name)


def _way(model: Model, start: FloatArray, end: FloatArray, frame: str) -> float:
    """Distance that a frame moves [m]."""
    return float(np.linalg.norm((frame_pose(model, end, frame) - frame_pose(model, start, frame))[:3, 3]))


def _changes(before: Stance, after: Stance) -> _Changes:
    """What becomes of contacts; one that changes its size while others come or go is refused."""
    old, new = ({contact.frame: contact for contact in stance.contacts} for stance in (before, after))
    both = [frame for frame in new if frame in old]
    away = {frame for frame in both if _moved(old[frame], new[frame]) > STILL}
    found = _Changes(
        tuple(contact for frame, contact in old.items() if frame not in new or frame in away),
        tuple(contact for frame, contact in new.items() if frame not in old or frame in away),
        tuple(old[frame] for frame in both if frame not in away),
        tuple(new[frame] for frame in both if frame not in away and resized(old[frame], new[frame])),
    )
    if found.resized and (len(found.resized) > 1 or found.released or found.made):
        raise ArgumentError(
            f"from stance {before.name!r} to {after.name!r} {[c.frame for c in found.resized]} change their size, "
            f"{[c.frame for c in found.released]} are released and {[c.frame for c in found.made]} made; expected one "
            "change of size at a time, and stances in between"
        )
    return found


def _moved(old: Contact, new: Contact) -> float:
    """By how much a contact moves [m, rad]; the smaller one of two sizes does not know how the larger one is turned."""
    small = old if old.freedoms >= new.freedoms else new
    return float(np.abs(slip(replace(small, pose=old.pose), np.asarray(new.pose))).max())

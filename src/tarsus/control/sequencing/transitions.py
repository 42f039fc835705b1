"""What a robot does between stances: shift its weight, unload, lift, swing, load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.sequencing.pace import Pace
from tarsus.control.sequencing.posture_path import PosturePath, time_between
from tarsus.control.sequencing.stance import Stance
from tarsus.control.stances.posture import static_posture
from tarsus.control.whole_body.contact import Contact
from tarsus.dynamics.kinematics import frame_pose
from tarsus.errors import ArgumentError
from tarsus.model import Model

State = Literal["hold", "shift", "unload", "lift", "swing", "load"]

INNER = 0.4
"""Share of patches above which the weight is planned to be: the rest is for what was not planned."""
NOTHING = 1e-3
"""Part of the weight that contacts may carry which carry nothing."""
STILL = 1e-6
"""Way of a contact [m, rad] below which it stays where it is."""
LEAST_TIME = 0.3
"""Of a motion of references, in times of 1 / gain."""


@dataclass(frozen=True, eq=False)
class Step:
    """One state of a sequence.

    Attributes
    ----------
    state : str
        "hold", "shift" (all contacts stay), "unload" and "load" (forces of `changing` fade), "lift" (limbs that have no
        contact any more), "swing" (limbs on their way to the contacts `changing`).
    path : PosturePath
        References.
    contacts : tuple of Contact
        That stay all the time.
    changing : tuple of Contact
        That are released, or made.
    stance : str
        Name of the stance that it leads to.
    """

    state: State
    path: PosturePath
    contacts: tuple[Contact, ...]
    changing: tuple[Contact, ...] = ()
    stance: str = ""


def steps_of(model: Model, stances: Sequence[Stance], pace: Pace) -> tuple[Step, ...]:
    """States from the first stance to the last.

    Before a contact is released, the weight goes to a posture in which it carries nothing; a contact that is made
    carries nothing before it is there. Both postures are looked for here.

    Raises
    ------
    ArgumentError
        Where stances change more than they can at once, or no such posture is found: with the condition that is missed.
    """
    if not stances:
        raise ArgumentError("stances is empty; expected at least one")
    steps = [_hold(model, stances[0])]
    for before, after in pairwise(stances):
        _check_change(before, after)
        released = tuple(c for c in before.contacts if c.frame not in after.frames)
        made = tuple(c for c in after.contacts if c.frame not in before.frames)
        if released:
            steps += _releasing(model, before, after, released, pace)
        elif made:
            steps += _making(model, before, after, made, pace)
        else:
            steps.append(_moving(model, "shift", np.asarray(before.q), np.asarray(after.q), before.contacts, pace, (), after.name))
        steps.append(_hold(model, after))
    return tuple(steps)


def inner(contact: Contact, share: float = INNER) -> Contact:
    """The contact with the middle of its patch or edge."""
    points = np.asarray(contact.points)
    middle = points.mean(axis=0)
    return replace(contact, points=middle + share * (points - middle))


def resting(model: Model, contacts: Sequence[Contact], reference: FloatArray, idle: Sequence[Contact] = ()) -> FloatArray:
    """A posture near a reference that rests on the middle of contacts, with others in place that carry nothing.

    Raises
    ------
    ArgumentError
        With the condition that is missed.
    """
    little = NOTHING * model.total_mass * float(np.linalg.norm(model.gravity))
    unloaded = [contact.with_force(little) for contact in idle]
    found = static_posture(model, [*map(inner, contacts), *unloaded], reference)
    if not found.success:
        names = ", ".join(repr(contact.frame) for contact in contacts)
        raise ArgumentError(f"no posture of {model.name!r} rests on {names}: {found.reason}")
    return found.q


def _releasing(model: Model, before: Stance, after: Stance, released: tuple[Contact, ...], pace: Pace) -> list[Step]:
    q0, q1 = np.asarray(before.q), np.asarray(after.q)
    via = resting(model, after.contacts, q1, released)
    rest = PosturePath(model, via, via, pace.fade)
    stays = tuple(before.contact(c.frame) for c in after.contacts)
    return [
        _moving(model, "shift", q0, via, before.contacts, pace, (), after.name),
        Step("unload", rest, stays, released, after.name),
        _moving(model, "lift", via, q1, stays, pace, released, after.name),
    ]


def _making(model: Model, before: Stance, after: Stance, made: tuple[Contact, ...], pace: Pace) -> list[Step]:
    q0, q1 = np.asarray(before.q), np.asarray(after.q)
    via = resting(model, before.contacts, q0, made)
    rest = PosturePath(model, via, via, pace.fade)
    return [
        _moving(model, "swing", q0, via, tuple(before.contacts), pace, made, after.name),
        Step("load", rest, tuple(before.contacts), made, after.name),
        _moving(model, "shift", via, q1, (*before.contacts, *made), pace, (), after.name),
    ]


def _hold(model: Model, stance: Stance) -> Step:
    q = np.asarray(stance.q)
    return Step("hold", PosturePath(model, q, q, stance.hold), tuple(stance.contacts), (), stance.name)


def _moving(
    model: Model,
    state: State,
    start: FloatArray,
    end: FloatArray,
    contacts: Sequence[Contact],
    pace: Pace,
    changing: tuple[Contact, ...],
    name: str,
) -> Step:
    """References from one posture to another, no faster than the pace allows them and the limbs that move."""
    ways = [
        float(np.linalg.norm((frame_pose(model, end, c.frame) - frame_pose(model, start, c.frame))[:3, 3]))
        for c in changing
    ]
    if state == "swing":
        ways = [way + 2.0 * pace.clearance for way in ways]
    limbs = 2.0 * max(ways, default=0.0) / pace.limb_speed
    duration = max(time_between(model, start, end, pace), limbs, LEAST_TIME / pace.gain)
    return Step(state, PosturePath(model, start, end, duration), tuple(contacts), changing, name)


def _check_change(before: Stance, after: Stance) -> None:
    """Refuse contacts that move, and changes in both directions at once."""
    for contact in after.contacts:
        if contact.frame not in before.frames:
            continue
        moved = np.abs(np.asarray(before.contact(contact.frame).pose) - np.asarray(contact.pose)).max()
        if moved > STILL:
            raise ArgumentError(
                f"contact {contact.frame!r} moves by {moved:.3g} from stance {before.name!r} to {after.name!r}; expected "
                "a stance without it in between"
            )
    gone, new = set(before.frames) - set(after.frames), set(after.frames) - set(before.frames)
    if gone and new:
        raise ArgumentError(
            f"from stance {before.name!r} to {after.name!r} {sorted(gone)} are released and {sorted(new)} made; expected "
            "a stance in between"
        )

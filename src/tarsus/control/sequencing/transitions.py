"""What a robot does between stances: shift its weight, unload, swing, load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.sequencing.balance_time import balance_time
from tarsus.control.sequencing.pace import Pace
from tarsus.control.sequencing.posture_path import PosturePath, time_between
from tarsus.control.stances.stance import Stance
from tarsus.control.whole_body.contact import Contact
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
    stance : str
        Name of the stance that it leads to.
    """

    state: State
    path: PosturePath
    contacts: tuple[Contact, ...]
    changing: tuple[Contact, ...] = ()
    stance: str = ""


def steps_of(
    model: Model, stances: Sequence[Stance], pace: Pace, holds: Mapping[str, float] | None = None
) -> tuple[Step, ...]:
    """States from the first stance to the last.

    In the posture of a stance the contacts of the one before are still in place, and those that both have carry it: a
    contact is released there by unloading it, and one that was made there is loaded.

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
    steps = [_hold(model, stances[0], stay.get(stances[0].name, 0.0))]
    for before, after in pairwise(stances):
        steps += _between(model, before, after, pace)
        if stay.get(after.name, 0.0) > 0.0 or after is stances[-1]:
            steps.append(_hold(model, after, stay.get(after.name, 0.0)))
    return tuple(steps)


def _between(model: Model, before: Stance, after: Stance, pace: Pace) -> list[Step]:
    """Steps from one stance to the next."""
    released, made, kept = _changes(before, after)
    rest = PosturePath(model, after.q, after.q, pace.fade)
    if made:
        swing = _moving(model, "swing", before, after, before.contacts, pace, made)
        return [swing, Step("load", rest, before.contacts, made, after.name)]
    shift = _moving(model, "shift", before, after, before.contacts, pace)
    return [shift, Step("unload", rest, kept, released, after.name)] if released else [shift]


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


def _changes(before: Stance, after: Stance) -> tuple[tuple[Contact, ...], tuple[Contact, ...], tuple[Contact, ...]]:
    """Contacts that are released, made and kept; contacts that move, or changes in both directions, are refused."""
    old, new = ({contact.frame: contact for contact in stance.contacts} for stance in (before, after))
    for frame in old.keys() & new.keys():
        moved = float(np.abs(np.asarray(old[frame].pose) - np.asarray(new[frame].pose)).max())
        if moved > STILL:
            raise ArgumentError(
                f"contact {frame!r} moves by {moved:.3g} from stance {before.name!r} to {after.name!r}; expected a "
                "stance without it in between"
            )
    released = tuple(contact for frame, contact in old.items() if frame not in new)
    made = tuple(contact for frame, contact in new.items() if frame not in old)
    if released and made:
        raise ArgumentError(
            f"from stance {before.name!r} to {after.name!r} {[c.frame for c in released]} are released and "
            f"{[c.frame for c in made]} made; expected a stance in between"
        )
    return released, made, tuple(old[frame] for frame in new if frame in old)

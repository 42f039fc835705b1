"""Sequences of stances from changes of contacts that a user gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tarsus.collision.collision_model import CollisionModel
from tarsus.control.stances.equilibrium import static_equilibrium
from tarsus.control.stances.posture import Posture, static_posture
from tarsus.control.stances.stance import IN_PLACE, Change, Move, Place, Release, Stance, all_of
from tarsus.control.whole_body.contact import Contact
from tarsus.control.whole_body.terms import slip
from tarsus.errors import ArgumentError
from tarsus.model import Model


@dataclass(frozen=True, slots=True, eq=False)
class StanceSequence:
    """Stances, one after the other.

    Attributes
    ----------
    stances : tuple of Stance
        The start, and one a change as far as they were found.
    success : bool
    reason : str
        The stance and the condition that failed, where one did.
    posture : Posture or None
        What was found for the stance that failed.
    """

    stances: tuple[Stance, ...]
    success: bool
    reason: str
    posture: Posture | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Contacts:
    """Contacts around a change: those after it, those in place at it, and those that carry at it."""

    after: tuple[Contact, ...]
    in_place: tuple[Contact, ...]
    carrying: tuple[Contact, ...]
    moved: str


def stance_sequence(
    model: Model,
    start: Stance,
    changes: Sequence[Change],
    *,
    collision: CollisionModel | None = None,
    margin: float = 0.0,
    load: float = 0.9,
    starts: int = 8,
    seed: int = 0,
) -> StanceSequence:
    """Postures in which a robot can change its contacts, one after the other.

    A contact may be released, and a new one be loaded, without motion only where the robot rests both with it and
    without it (Bretl 2006; Bouyarmane and Kheddar 2012): the posture of a change has the contacts of both stances in
    place, and those that both have carry it. The contacts of one stance then hold along the whole way to the next.

    Parameters
    ----------
    start : Stance
        See `first_stance`.
    changes : sequence of Release, Place and Move
    collision : CollisionModel, optional
        Whose pairs keep `margin` [m] in every posture.
    load : float
        Part of torque limits that may be used.
    starts, seed : int
        Of `static_posture`.
    """
    found = list(all_of("start", (start,), Stance))
    for number, change in enumerate(all_of("changes", changes, Release, Place, Move)):
        before = found[-1]
        name = change.name or _name_of(change)
        around = _contacts_around(before, change, name)
        carrying = {id(contact) for contact in around.carrying}
        reference = before.q if change.reference is None else change.reference
        posture = static_posture(
            model,
            [*around.carrying, *(c.with_force(0.0) for c in around.in_place if id(c) not in carrying)],
            reference,
            start=before.q,
            collision=collision,
            margin=margin,
            load=load if change.load is None else change.load,
            starts=starts,
            seed=seed,
        )
        if not posture.success:
            told = f"stance {number + 1}, {name!r}: {posture.reason}"
            return StanceSequence(tuple(found), False, told, posture)
        rest = static_equilibrium(model, posture.q, around.carrying)
        found.append(Stance(name, around.after, posture.q, rest, around.moved))
    return StanceSequence(tuple(found), True, "contacts, balance and limits hold in every stance")


def _name_of(change: Change) -> str:
    match change:
        case Release(frame):
            return f"release {frame}"
        case Place(contact):
            return f"place {contact.frame}"
        case Move():
            return "move"


def _contacts_around(before: Stance, change: Change, name: str) -> _Contacts:
    """Which contacts are where, and which of them carry."""
    held = before.contacts
    match change:
        case Move():
            return _Contacts(held, held, held, "")
        case Release(frame):
            if before.contact(frame) is None:
                raise ArgumentError(
                    f"{name!r} releases {frame!r}, which is no contact of {before.name!r}; expected one of "
                    f"{[c.frame for c in held]}"
                )
            rest = tuple(contact for contact in held if contact.frame != frame)
            return _Contacts(rest, held, rest, frame)
        case Place(contact):
            if contact.pose is None:
                raise ArgumentError(f"{name!r} places {contact.frame!r} without a pose; expected where it shall be")
            old = before.contact(contact.frame)
            if old is None:
                return _Contacts((*held, contact), (*held, contact), held, contact.frame)
            return _replaced(held, old, contact, name)


def _replaced(held: tuple[Contact, ...], old: Contact, new: Contact, name: str) -> _Contacts:
    """A contact of a frame grows or shrinks: the smaller one carries while the larger one is in place."""
    after = tuple(new if contact is old else contact for contact in held)
    small, large = (old, new) if old.freedoms >= new.freedoms else (new, old)
    off = float(np.abs(slip(replace(small, pose=old.pose), np.asarray(new.pose))).max())
    if off > IN_PLACE:
        raise ArgumentError(
            f"{name!r} places {new.frame!r}, which is in contact {off:.3g} from there; expected it to be released first"
        )
    rest = tuple(contact for contact in held if contact is not old)
    return _Contacts(after, (*rest, large), (*rest, small), new.frame)

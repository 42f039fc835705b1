"""Stances of a robot, and changes of contacts that lead from one to the next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.control.stances.equilibrium import Equilibrium, static_equilibrium
from tarsus.control.whole_body.contact import Contact
from tarsus.control.whole_body.terms import slip
from tarsus.dynamics.kinematics import frame_pose
from tarsus.errors import ArgumentError
from tarsus.model import Model

_Kind = TypeVar("_Kind")

IN_PLACE = 1e-6
"""Miss of a contact that counts as in place [m, rad]."""


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """A contact ends; the robot stays in a posture in which the others carry it.

    Attributes
    ----------
    frame : str
        Of the contact.
    reference : array_like, shape (nq,), optional
        Posture to stay near to; that of the stance before by default.
    name : str
        Of the stance after it.
    load : float, optional
        Part of torque limits that may be used, where it is another one than elsewhere in the sequence.
    """

    frame: str
    reference: npt.ArrayLike | None = None
    name: str = ""
    load: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A contact begins, while those before it carry the robot.

    Where its frame is in contact already, the new contact takes the place of the old one, which must stay where it is:
    a foot on its toes comes down on its sole, or a sole rolls to its toes.

    Attributes
    ----------
    contact : Contact
        With the pose at which it shall be.
    reference : array_like, shape (nq,), optional
        Posture to stay near to; that of the stance before by default.
    name : str
        Of the stance after it.
    load : float, optional
        Part of torque limits that may be used, where it is another one than elsewhere in the sequence.
    """

    contact: Contact
    reference: npt.ArrayLike | None = None
    name: str = ""
    load: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """Another posture on the same contacts.

    Attributes
    ----------
    reference : array_like, shape (nq,)
        Posture to come near to.
    name : str
        Of the stance after it.
    load : float, optional
        Part of torque limits that may be used, where it is another one than elsewhere in the sequence.
    """

    reference: npt.ArrayLike
    name: str = ""
    load: float | None = None


Change = Release | Place | Move


@dataclass(frozen=True, slots=True, eq=False)
class Stance:
    """Contacts that carry a robot, and a posture in which they can be had from the stance before.

    Attributes
    ----------
    name : str
    contacts : tuple of Contact
        With poses, from when the posture is reached: sigma of Bouyarmane and Kheddar 2012.
    q : ndarray, shape (nq,)
        The posture: contacts of this stance and of the one before are in place, and those that both have carry it.
    equilibrium : Equilibrium
        How the robot rests at q on contacts that both stances have: with the least load of its drives.
    moved : str
        Frame of the contact that begins or ends here; empty where there is none.
    """

    name: str
    contacts: tuple[Contact, ...]
    q: FloatArray
    equilibrium: Equilibrium
    moved: str = field(default="")

    def __post_init__(self) -> None:
        frames = [contact.frame for contact in self.contacts]
        for frame in frames:
            if frames.count(frame) > 1:
                raise ArgumentError(
                    f"stance {self.name!r} has {frames.count(frame)} contacts of {frame!r}; expected one"
                )
        for contact in self.contacts:
            if contact.pose is None:
                raise ArgumentError(f"contact {contact.frame!r} of stance {self.name!r} has no pose; expected one")
        object.__setattr__(self, "contacts", tuple(self.contacts))
        object.__setattr__(self, "q", read_only_copy(np.asarray(self.q, dtype=float)))

    def contact(self, frame: str) -> Contact | None:
        """The contact of a frame, where there is one."""
        return next((contact for contact in self.contacts if contact.frame == frame), None)


def first_stance(
    model: Model, q: npt.ArrayLike, contacts: tuple[Contact, ...] | list[Contact], name: str = "start"
) -> Stance:
    """The stance of a robot at rest.

    Parameters
    ----------
    q : array_like, shape (nq,)
    contacts : sequence of Contact
        Without poses, they are where q puts them.

    Raises
    ------
    ArgumentError
        Where a contact is not where its pose says, or the robot cannot rest.
    """
    q = model.normalize(q)
    placed = []
    for contact in contacts:
        X = frame_pose(model, q, contact.frame)
        placed.append(replace(contact, pose=X) if contact.pose is None else contact)
        off = float(np.abs(slip(placed[-1], X)).max())
        if off > IN_PLACE:
            raise ArgumentError(
                f"contact {contact.frame!r} of {name!r} is {off:.3g} from its pose; expected it in place"
            )
    rest = static_equilibrium(model, q, placed)
    if not rest.feasible:
        raise ArgumentError(f"the robot cannot rest in {name!r}: {rest.reason}")
    return Stance(name, tuple(placed), q, rest)


def all_of(name: str, given: Iterable[_Kind], *kinds: type) -> tuple[_Kind, ...]:
    """What was given under a name, all of it of some kinds; anything else is refused."""
    expected = " or ".join(kind.__name__ for kind in kinds)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ArgumentError(f"{name} is {given!r}; expected a sequence of {expected}")
    found = tuple(given)
    for item in found:
        if not isinstance(item, kinds):
            raise ArgumentError(f"{name} holds {item!r}; expected {expected}")
    return found

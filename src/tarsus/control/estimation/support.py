"""Where a robot stands: frames that do not move while they carry load."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact.contactors import ContactEdge, Contactor, ContactPoint, Sole, contactors
from tarsus.control.whole_body.contact import Contact
from tarsus.errors import ArgumentError, UnknownNameError, nearest

if TYPE_CHECKING:
    from tarsus.model import Model

_FLAT = 1e-3
"""Spread of the points of a foot [m] in its second direction above which it is a patch."""
_BENEATH = 5e-3
"""How far above its lowest point [m] points of a foot still touch flat ground."""


@dataclass(frozen=True)
class Support:
    """A frame that stands still while it carries load.

    Attributes
    ----------
    frame : str
    patch : bool
        Whether it keeps its orientation, too: soles do, points and balls do not.
    radius : float
        Of a ball about the frame's origin [m], which rolls on the ground as its body turns; 0 for a point.
    """

    frame: str
    patch: bool = True
    radius: float = 0.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.radius) and self.radius >= 0.0):
            raise ArgumentError(f"radius of Support {self.frame!r} is {self.radius!r}; expected metres, at least 0")
        if self.patch and self.radius > 0.0:
            raise ArgumentError(f"Support {self.frame!r} is a patch with a radius; a ball has patch=False")


def supports_of(model: Model, contacts: Iterable[str | Support | Contact]) -> tuple[Support, ...]:
    """Supports of a model from names of frames, supports and contacts of whole-body control."""
    found = tuple(_support(model, contact) for contact in contacts)
    for support in found:
        if support.frame not in model.frames:
            close = nearest(support.frame, list(model.frames))
            raise UnknownNameError(f"frame {support.frame!r} of contacts not found{close}")
    names = [support.frame for support in found]
    doubles = sorted({name for name in names if names.count(name) > 1})
    if doubles:
        raise ArgumentError(f"contacts name frame {doubles[0]!r} twice")
    return found


def _support(model: Model, contact: str | Support | Contact) -> Support:
    if isinstance(contact, Support):
        return contact
    if isinstance(contact, Contact):
        return Support(contact.frame, patch=contact.freedoms == 0)
    if not isinstance(contact, str):
        raise ArgumentError(f"contacts holds {contact!r}; expected names of frames, Support or Contact")
    if contact not in model.frames:
        raise UnknownNameError(f"frame {contact!r} of contacts not found{nearest(contact, list(model.frames))}")
    return _of_shapes(model, contact)


def _of_shapes(model: Model, name: str) -> Support:
    """A ball where the frame is the middle of a sphere of its body; a point where nothing of the body is flat."""
    frame = model.frames[name]
    R, p = frame.pose[:3, :3], frame.pose[:3, 3]
    touching = contactors(model, [frame.body])
    for contactor in touching:
        if isinstance(contactor, ContactPoint) and contactor.radius > 0.0:
            if np.linalg.norm(np.asarray(contactor.position) - p) < 0.1 * contactor.radius:
                return Support(name, patch=False, radius=contactor.radius)
    if not touching:
        return Support(name)
    points = (np.concatenate([_places(contactor) for contactor in touching]) - p) @ R
    lowest = points[points[:, 2] < points[:, 2].min() + _BENEATH]
    spread = np.ptp(lowest, axis=0)[:2]
    return Support(name, patch=bool(spread.min() > _FLAT))


def _places(contactor: Contactor) -> FloatArray:
    """Lowest candidates of a contactor, in the axes of its body, shape (n, 3)."""
    if isinstance(contactor, Sole):
        return np.asarray(contactor.corners, dtype=float)
    if isinstance(contactor, ContactEdge):
        return np.array([contactor.start, contactor.end], dtype=float)
    return np.atleast_2d(np.asarray(contactor.position, dtype=float))

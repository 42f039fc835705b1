"""Contacts between two events: what stays as it is while the robot moves smoothly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact.rigid.modes import Modes


@final
@dataclass
class ContactPhase:
    """State of the contacts of one robot: with q, v and the works, all that its motion depends on.

    Attributes
    ----------
    modes : Modes
        Closed points, and which of them stick.
    load : ndarray, shape (k, 3), or None
        Forces of the closed points at the last event, in contact axes [N]: redundant points go on sharing them so.
    touch_gap : ndarray, shape (points,)
        Gaps below which open points touch [m].
    backward_slip : ndarray, shape (k,)
        Speeds up to which slipping points may go backwards before their slip has ended [m/s].
    unshared_until : float
        Until then forces of redundant points may be outside their cones [s].
    """

    modes: Modes = field(default_factory=Modes.none)
    load: FloatArray | None = None
    touch_gap: FloatArray = field(default_factory=lambda: np.zeros(0))
    backward_slip: FloatArray = field(default_factory=lambda: np.zeros(0))
    unshared_until: float = -np.inf

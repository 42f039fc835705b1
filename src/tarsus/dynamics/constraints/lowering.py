"""What a constraint is made of, as the native table of constraints reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import FloatArray

FRAME_DRIVE = 24
"""Numbers of the given motion of a frame: rows of (R | p), twist and its rate."""
JOINT_DRIVE = 3
"""Numbers of the given motion of a joint coordinate: position, rate, acceleration."""

HERE = np.eye(4)
"""The pose of a frame relative to itself."""
HERE.flags.writeable = False


_ROWS = _native.enumeration("PairRowKind")


class RowKind(IntEnum):
    """Functions of the motion of frame B seen from frame A."""

    ALONG = _ROWS["along"]
    ORIENTATION = _ROWS["orientation"]
    TILT = _ROWS["tilt"]
    ANGLE = _ROWS["angle"]
    THREAD = _ROWS["thread"]
    DISTANCE = _ROWS["distance"]
    SPHERE = _ROWS["sphere"]
    WHEEL = _ROWS["wheel"]


@dataclass(frozen=True, slots=True, eq=False)
class PairRow:
    """One row between two frames.

    Attributes
    ----------
    kind : RowKind
    entry : int
        Which of three, for orientation and contacts.
    a, b, c : array_like, shape (3,)
        Directions in A or B.
    value : float
        Angle, pitch, length or radius.
    holonomic : bool
        Whether the row has a position level.
    """

    kind: RowKind
    entry: int = 0
    a: npt.ArrayLike = (0.0, 0.0, 0.0)
    b: npt.ArrayLike = (0.0, 0.0, 0.0)
    c: npt.ArrayLike = (0.0, 0.0, 0.0)
    value: float = 0.0
    holonomic: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class PairPart:
    """Rows between frame A on one body and frame B on another.

    Attributes
    ----------
    frame_a, frame_b : str or None
        None is the world.
    pose_a, pose_b : ndarray, shape (4, 4)
        Where A and B are in these frames.
    rows : sequence of PairRow
    driven : bool
        A follows a motion that is given in every call.
    failure : str
        What is said where the rows have no direction.
    """

    frame_a: str | None
    frame_b: str | None
    pose_a: FloatArray
    pose_b: FloatArray
    rows: Sequence[PairRow]
    driven: bool = False
    failure: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class JointPart:
    """A row of joint coordinates: sum of factor q - f(q_leader) - offset - given position = 0.

    Attributes
    ----------
    terms : sequence of (str, int, float)
        Joint, axis, factor.
    offset : float
    leader : str or None
        Joint of the polynomial f.
    coefficients : sequence of float
        Of f, from the constant on.
    driven : bool
        A position is given in every call.
    """

    terms: Sequence[tuple[str, int, float]]
    offset: float = 0.0
    leader: str | None = None
    coefficients: Sequence[float] = ()
    driven: bool = False


Part = PairPart | JointPart

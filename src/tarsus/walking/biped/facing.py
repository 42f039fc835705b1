"""Which of two feet is the left one: the robot looks to the side that its bent knees point to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.model import Model
from tarsus.walking.biped.leg import carriers

UNDECIDED = 0.01
"""Share of the leg that knees must be off the line from hip to ankle to point somewhere."""
BETWEEN = (0.2, 0.8)
"""Part of the way from hip to ankle in which knees are."""


def knees_forward(model: Model, q: FloatArray, pelvis: str, feet: Sequence[str], forward: FloatArray) -> float:
    """How far bent knees are in front of the lines from hips to ankles, mean of the legs, in lengths of them.

    Parameters
    ----------
    q : ndarray, shape (nq,)
        With bent legs.
    forward : ndarray, shape (3,)
        Horizontal unit vector that is called forward.
    """
    found = []
    for foot in feet:
        way = carriers(model, foot)
        p = np.array([frame_pose(model, q, body)[:3, 3] for body in way[: way.index(pelvis)]])[::-1]
        plane = np.stack([p @ forward, p[:, 2]], axis=-1)  # seen from the side
        hip, ankle = plane[0], plane[-1]
        along = ankle - hip
        length = float(np.linalg.norm(along))
        share = (plane - hip) @ along / length**2
        off = (plane - hip - share[:, None] * along)[:, 0] / length
        inside = (share > BETWEEN[0]) & (share < BETWEEN[1])
        found.append(float(off[inside][np.abs(off[inside]).argmax()]) if inside.any() else 0.0)
    return float(np.mean(found))

"""How far apart a biped puts its feet: as its file has them, unless its weight could not go from one to the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.dynamics import center_of_mass, frame_pose
from tarsus.errors import ArgumentError
from tarsus.ik.position.solve import solve
from tarsus.spatial import pose
from tarsus.tasks import CenterOfMass, FramePose, Orientation, Position
from tarsus.walking.biped.lower_body import LowerBody
from tarsus.walking.biped.standing_pose import BENT, StandingPose, standing_pose

SWAYS = (0.75, 0.55)
"""Way of the centre of mass to each side in a walk, in the way to the middle of the foot: 0.63 to 0.73 of it in plans
with the step time of `gait_choice`, 0.41 to 0.52 with the shortest one, where no width allows for the former."""
FACTORS = (0.9, 1.1, 0.8, 1.2, 0.7, 1.3, 0.6, 1.4, 0.5, 1.5)
"""Widths that are tried one after the other, in that of the file."""
BESIDE = 1.1
"""Least distance of the middles of two soles, in their width."""
TOLERANCE = 1e-4
"""Of places [m] and angles [rad]."""


def stance_of(
    lower: LowerBody,
    pelvis: str,
    soles: Sequence[str],
    hips: Sequence[str],
    feet: Sequence[str],
    sole_width: float,
    bend: float = BENT,
) -> tuple[StandingPose, float, float]:
    """The pose to walk from with the first width at which the robot can sway, the width, and how far it can.

    Legs that are spread do not reach the foot that is further away; legs that cannot be brought inwards do not let
    the pelvis come above the foot, and need feet that are further apart: hips go a part of the way only.

    Parameters
    ----------
    sole_width : float
        [m].

    Returns
    -------
    stood : StandingPose
    width : float
        Between the middles of the soles [m]; as in the file where no width allows for it.
    sway : float
        One of `SWAYS`, or 0.
    """
    q = lower.posture[lower.q]
    apart = [frame_pose(lower.model, q, sole)[1, 3] for sole in soles]
    own = float(apart[0] - apart[1])
    widths = [own, *(factor * own for factor in FACTORS if factor * own >= BESIDE * sole_width)]
    stood: dict[float, StandingPose | None] = {}
    for sway in SWAYS:
        for width in widths:
            if width not in stood:
                stood[width] = _stood(lower, pelvis, soles, hips, feet, bend, width, needed=width == own)
            found = stood[width]
            if found is not None and _sways(lower, pelvis, soles, found, width, sway):
                return found, width, sway
    first = stood[own]
    assert first is not None
    return first, own, 0.0


def _stood(
    lower: LowerBody,
    pelvis: str,
    soles: Sequence[str],
    hips: Sequence[str],
    feet: Sequence[str],
    bend: float,
    width: float,
    needed: bool,
) -> StandingPose | None:
    """The pose to walk from; None where there is none and it is not needed."""
    try:
        return standing_pose(lower, pelvis, soles, hips, feet, bend, width)
    except ArgumentError:
        if needed:
            raise
        return None


def _sways(lower: LowerBody, pelvis: str, soles: Sequence[str], stood: StandingPose, width: float, sway: float) -> bool:
    """Whether the centre of mass can go to both sides with soles and pelvis level, at the same height."""
    X = frame_pose(lower.model, stood.q, pelvis)
    com = np.tile(center_of_mass(lower.model, stood.q), (2, 1))
    com[:, 1] += [sway * width / 2, -sway * width / 2]
    tasks = [
        *(FramePose(sole, pose((0.0, s * width / 2, 0.0))) for sole, s in zip(soles, (1.0, -1.0), strict=True)),
        Orientation(pelvis, X[:3, :3]),
        Position(pelvis, X[:3, 3], axes=[False, False, True]),
        CenterOfMass(com, axes=[True, True, False]),
        *lower.tasks,
    ]
    return bool(solve(lower.model, tasks, stood.q, starts=1, tolerance=TOLERANCE).success.all())

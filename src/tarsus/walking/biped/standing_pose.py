"""How high a biped can stand on both soles, and the pose from which it walks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.errors import ArgumentError
from tarsus.ik.position.solve import solve
from tarsus.spatial import pose
from tarsus.tasks import CenterOfMass, FramePose, Orientation, Position, Task
from tarsus.walking.biped.lower_body import LowerBody
from tarsus.walking.biped.short_of_height import short_of_height

BENT = 0.06
"""How much lower than it could a robot walks where steps are short, in lengths of its legs."""
TOLERANCE = 1e-6
"""Of places [m] and angles [rad]."""
HEIGHTS = 81
"""That are tried at once."""
RANGE = (0.75, 1.12)
"""Between which parts of the height of the start they are."""
NEAR = 1.5
"""Up to how many times higher or lower than the hips the frame of a pelvis is taken to be at their height."""


class StandingPose(NamedTuple):
    """How a biped stands before it walks.

    Attributes
    ----------
    q : ndarray, shape (nq,)
        Of base and legs.
    leg : float
        Length from hip to ankle where legs are as long as they can be [m].
    highest : float
        Height of the pelvis above the soles there [m].
    """

    q: FloatArray
    leg: float
    highest: float


def standing_pose(
    lower: LowerBody,
    pelvis: str,
    soles: Sequence[str],
    hips: Sequence[str],
    feet: Sequence[str],
    bend: float = BENT,
    width: float | None = None,
) -> StandingPose:
    """Soles side by side on the ground below the centre of mass, pelvis upright, legs shorter than they could be.

    Parameters
    ----------
    lower : LowerBody
        With a posture whose knees are bent the right way, pelvis upright, left foot in +y.
    soles, hips, feet : sequence of str
        Frames of the soles, bodies behind the hip joints, and bodies of the feet, the left one first.
    bend : float
        How much lower than it could the robot stands, in lengths of its legs.
    width : float, optional
        Between the middles of the soles [m]; as in that posture by default.

    Raises
    ------
    ArgumentError
        Where no height is one to stand at.
    """
    model, q = lower.model, lower.posture[lower.q]
    places = [frame_pose(model, q, sole) for sole in soles]
    width = float(places[0][1, 3] - places[1][1, 3]) if width is None else width
    targets = [pose((0.0, side * width / 2, 0.0)) for side in (1.0, -1.0)]
    X = frame_pose(model, q, pelvis)
    height = float(X[2, 3] - np.mean([place[2, 3] for place in places]))
    start = np.array(q)
    start[:3] -= np.mean([place[:3, 3] for place in places], axis=0)

    standing = [FramePose(sole, target) for sole, target in zip(soles, targets, strict=True)]

    def upright(heights: FloatArray) -> list[Task]:
        """What is asked of all but the soles, with the pelvis at heights."""
        at = np.zeros((len(heights), 3))
        at[:, 2] = heights
        return [
            Orientation(pelvis, X[:3, :3]),
            Position(pelvis, at, axes=[False, False, True]),
            CenterOfMass([0.0, 0.0, 0.0], axes=[True, True, False]),
            *lower.tasks,
        ]

    def stood(heights: FloatArray, begin: FloatArray) -> tuple[FloatArray, FloatArray, str]:
        """Poses with the pelvis at heights, whether they are some, and what is off where none is."""
        answer = solve(model, [*standing, *upright(heights)], begin, starts=1, tolerance=TOLERANCE)
        best = int(np.argmin(answer.residual))
        return (
            answer.q,
            answer.success,
            f"{answer.worst[best]} is {answer.residual[best]:.3g} off, {answer.status[best]}",
        )

    hip = float(np.mean([frame_pose(model, q, name)[2, 3] for name in hips]) - np.mean([at[2, 3] for at in places]))
    heights = _tried(height, hip)
    found, good, told = stood(heights, start)
    if not good.any():
        raise ArgumentError(
            f"{model.name!r} was found no pose to walk from: both soles level, pelvis upright and centre of mass above "
            f"them; at best {told}"
        )
    top = int(np.flatnonzero(good).max())
    highest, q_high = float(heights[top]), found[top]
    leg = float(np.mean([np.linalg.norm(frame_pose(model, q_high, hip)[:3, 3] - frame_pose(model, q_high, foot)[:3, 3])
                         for hip, foot in zip(hips, feet, strict=True)]))  # fmt: skip
    wanted = highest - bend * leg
    near = np.flatnonzero(good)[np.abs(heights[good] - wanted).argmin()]
    q_walk, walks, _ = stood(np.array([wanted]), found[near])
    if not walks[0]:
        why = short_of_height(model, pelvis, feet, standing, upright(np.array([wanted])), found[near], TOLERANCE)
        raise ArgumentError(
            f"{model.name!r} cannot bend its legs by {bend:.0%} of their length: {pelvis!r} is to be {wanted:.3f} m "
            f"above the soles, and was found to get from {heights[good].min():.3f} to {highest:.3f} m above them; {why}"
        )
    return StandingPose(np.asarray(q_walk[0]), leg, highest)


def _tried(height: float, hip: float) -> FloatArray:
    """Heights of the frame of a pelvis that are tried, from that of the frame and that of the hips where it starts [m].

    A frame may be anywhere on its body, on the ground or far above the robot: it goes up and down with the hips.
    """
    parts = np.linspace(RANGE[0], RANGE[1], HEIGHTS)
    if hip / NEAR < height < hip * NEAR:
        return np.asarray(parts * height)
    return np.asarray(height + (parts - 1.0) * hip)

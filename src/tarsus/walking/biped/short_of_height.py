"""Which leg keeps a biped from standing as low as it is to walk, and which limits of its joints are in the way.

Where a search ends at limits does not tell which of them: it often ends close to them, not at them, or with joints at
limits that happen to be there. What is told is what is beyond its limits in the pose that the biped would stand in
without them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.ik.position.solve import solve
from tarsus.ik.velocity.joint_limits import follower_limits
from tarsus.model import Model
from tarsus.model.joint import HINGES
from tarsus.tasks import FramePose, Task
from tarsus.walking.biped.leg import leg_joints


def short_of_height(
    model: Model,
    pelvis: str,
    feet: Sequence[str],
    soles: Sequence[FramePose],
    others: Sequence[Task],
    q: FloatArray,
    tolerance: float,
) -> str:
    """Legs that do not reach the ground where the pelvis is to be, and limits that are in their way, in words.

    Parameters
    ----------
    model : Model
        Of base and legs.
    feet : sequence of str
        Bodies, the left one first.
    soles : sequence of FramePose
        Where they are to be.
    others : sequence of Task
        What is asked of pelvis and centre of mass.
    q : ndarray, shape (nq,)
        To begin from.
    tolerance : float
        Of places [m] and angles [rad].
    """
    free = solve(model, [*soles, *others], q, starts=1, tolerance=tolerance, limits=False)
    if not np.all(free.success):
        return _out_of_reach(model, soles, others, q, tolerance)
    wanted = free.q.reshape(-1)
    within = solve(model, [*soles, *others], wanted, starts=1, tolerance=tolerance)
    if np.all(within.success):
        return "no limit of its joints is in the way, but from where it gets to no way there was found"
    told = []
    for side, foot in zip(("left", "right"), feet, strict=True):
        if beyond := _beyond_limits(model, leg_joints(model, pelvis, foot), wanted, tolerance):
            told.append(f"its {side} leg does not get there, with {' and '.join(beyond)}")
    if beyond := _followers_beyond_limits(model, wanted, tolerance):
        told.append(f"its legs do not get there, with {' and '.join(beyond)}")
    return "; ".join(told) or f"{np.ravel(within.worst)[0]} is {np.max(within.residual):.3g} off"


def _out_of_reach(
    model: Model, soles: Sequence[FramePose], others: Sequence[Task], q: FloatArray, tolerance: float
) -> str:
    """Legs that do not get there even without limits, in words; each is tried with the other one anywhere."""
    told = [
        f"its {side} leg does not get there, not even beyond the limits of its joints"
        for side, sole in zip(("left", "right"), soles, strict=True)
        if not np.all(solve(model, [sole, *others], q, tolerance=tolerance, limits=False).success)
    ]
    return "; ".join(told) or (
        "beyond the limits of their joints each leg gets there by itself, but both were not found to with the centre "
        "of mass above the feet"
    )


def _beyond_limits(model: Model, joints: Sequence[str], q: FloatArray, tolerance: float) -> list[str]:
    """Joints of one axis that are beyond their limits, with these."""
    found = []
    for name in joints:
        i = model.joints[name].q_index.start
        low, high = float(model.q_min[i]), float(model.q_max[i])
        if q[i] < low - tolerance or q[i] > high + tolerance:
            found.append(_at_limit(model, name, low if q[i] < low else high))
    return found


def _followers_beyond_limits(model: Model, q: FloatArray, tolerance: float) -> list[str]:
    """The same of joints that follow others in loops."""
    table = follower_limits(model)
    x = model.joint_positions(q)[table.q]
    ends = np.where(
        x < table.q_min - tolerance, table.q_min, np.where(x > table.q_max + tolerance, table.q_max, np.nan)
    )
    return [_at_limit(model, table.names[k], float(ends[k])) for k in np.flatnonzero(~np.isnan(ends))]


def _at_limit(model: Model, name: str, limit: float) -> str:
    value = f"{np.degrees(limit):.3g} degrees" if model.joints[name].kind in HINGES else f"{limit:.3g} m"
    return f"{name!r} at its limit of {value}"

"""Which leg keeps a biped from standing as low as it is to walk, and at which limits of its joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.ik.position.solve import solve
from tarsus.model import Model
from tarsus.model.joint import HINGES
from tarsus.tasks import FramePose, Task
from tarsus.walking.biped.leg import leg_joints

AT_LIMIT = 1e-3
"""Distance from its limit within which a joint is at it [rad, m]."""


def short_of_height(
    model: Model,
    pelvis: str,
    feet: Sequence[str],
    soles: Sequence[FramePose],
    others: Sequence[Task],
    q: FloatArray,
    tolerance: float,
) -> str:
    """Legs that do not reach the ground where the pelvis is to be, in words; each is tried with the other one anywhere.

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
    told = []
    for side, foot, sole in zip(("left", "right"), feet, soles, strict=True):
        answer = solve(model, [sole, *others], q, starts=1, tolerance=tolerance)
        if not np.all(answer.success):
            held = _at_limits(model, leg_joints(model, pelvis, foot), answer.q.reshape(-1))
            why = f"with {' and '.join(held)}" if held else "and none of its joints is at a limit"
            told.append(f"its {side} leg does not get there, {why}")
    return "; ".join(told) or "each leg gets there by itself, but not both with the centre of mass above the feet"


def _at_limits(model: Model, joints: Sequence[str], q: FloatArray) -> list[str]:
    """Joints of one axis that are at their limits, with these."""
    found = []
    for name in joints:
        i = model.joints[name].q_index.start
        for limit in (float(model.q_min[i]), float(model.q_max[i])):
            if abs(q[i] - limit) < AT_LIMIT:
                value = f"{np.degrees(limit):.3g} degrees" if model.joints[name].kind in HINGES else f"{limit:.3g} m"
                found.append(f"{name!r} at its limit of {value}")
    return found

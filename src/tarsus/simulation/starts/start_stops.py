"""Starts that are far beyond the limits of joints: their stops throw the robot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.simulation.runs.joint_tables import stop_tables

if TYPE_CHECKING:
    from tarsus.model import Model

MOST_STORED = 0.1
"""Height [m] to which what the stops hold may lift the robot before it is told."""
_GRAVITY = 9.81
"""[m/s^2], also of robots without weight."""
_TOLD = 5
"""Joints that are named, those that hold most."""


def stop_problem(model: Model, q: FloatArray) -> str | None:
    """What to tell about a start whose stops hold more than m g 0.1 m; of a batch, about the worst robot.

    Parameters
    ----------
    q : ndarray, shape (*batch, nq)
    """
    stops = stop_tables(model, True)
    if stops["stop_q"] is None:
        return None
    held = np.flatnonzero(stops["stop_q"] >= 0)
    joints = model.joint_positions(q)
    # Joints behind a base that is shown in another way than by a quaternion are counted from the end.
    positions = joints[..., stops["stop_q"][held] - int(model.coordinates.tree_q_start[-1]) + joints.shape[-1]]
    lower, upper = stops["lower"][held], stops["upper"][held]
    beyond = np.maximum(np.maximum(lower - positions, positions - upper), 0.0)
    energy = 0.5 * stops["stop_stiffness"][held] * beyond**2
    total = energy.sum(axis=-1)
    if not total.max() > model.total_mass * _GRAVITY * MOST_STORED:
        return None
    robot = tuple(map(int, np.unravel_index(np.argmax(total), total.shape)))
    names = {int(model.coordinates.tree_v_start[joint.index]): name for name, joint in model.joints.items()}
    worst = [int(k) for k in np.argsort(-energy[robot]) if energy[robot][k] > 0.0]
    told = []
    for k in worst[:_TOLD]:
        at, low, high = float(positions[robot][k]), float(lower[k]), float(upper[k])
        side, limit = ("upper", high) if at > high else ("lower", low)
        told.append(
            f"{names[int(held[k])]!r} is at {at:.4g}, {beyond[robot][k]:.3g} beyond its {side} limit {limit:.4g}"
        )
    more = f" and {len(worst) - _TOLD} more" if len(worst) > _TOLD else ""
    whose = f" of robot {robot}" if robot else ""
    return (
        f"stops at joint limits hold {float(total[robot]):.3g} J at the start{whose} and will throw the robot: "
        f"{'; '.join(told)}{more}. Start inside q_min and q_max{_looked_for(model)}, or give stops=False"
    )


def _looked_for(model: Model) -> str:
    """What may help legged robots."""
    return " (legged robots: start='standing')" if model.base == "free" else ""

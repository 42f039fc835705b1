"""Ground that is not where a robot stands on it."""

from __future__ import annotations

import numpy as np

from tarsus.contact import Ground
from tarsus.contact.surface_tables import surface_distances
from tarsus.dynamics import frame_pose
from tarsus.walking.reference.walk_plan import WalkPlan

LEAST = 0.003
"""Distance of a corner of a sole from the ground from which on it is told, in lengths of the leg: HRP-2 falls where the
ground is 5 mm too high."""


def ground_gap(plan: WalkPlan, ground: Ground) -> str:
    """That soles are above or inside the ground where a walk begins, by how much; empty where they stand on it."""
    biped = plan.biped
    corners = [X[:3, :3] @ corner + X[:3, 3] for leg in biped.legs
               for X in [frame_pose(biped.model, plan.q[0], leg.sole)] for corner in leg.corners]  # fmt: skip
    gap, _ = surface_distances(ground.surfaces, np.array(corners))
    worst = float(gap[np.abs(gap).argmax()])
    if abs(worst) < LEAST * biped.leg:
        return ""
    where = "above" if worst > 0.0 else "inside"
    return (
        f"where the walk begins, a sole is {1e3 * abs(worst):.3g} mm {where} the ground that is given; robots stand on "
        "z = 0 there"
    )

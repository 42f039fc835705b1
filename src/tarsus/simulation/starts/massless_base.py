"""Free bases that move without any mass going with them: their accelerations mean nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import body_jacobians, mass_matrix

if TYPE_CHECKING:
    from tarsus.model import Model

_SINGULAR = 1e-12
"""Least eigenvalue of a mass matrix, scaled to a diagonal of ones, that is not rounding."""
_MOVES = 1e-6
"""Share of a motion without mass that a coordinate or a body has in it."""


def massless_problem(model: Model, q: FloatArray, dt: float) -> str | None:
    """The body that a free base can move without mass at q (*batch, nq), in words; None where there is none.

    Looked for are motions v with v^T M v = 0 in which a free or planar base takes part. Dampers and springs of joints
    count as mass, as they do in implicit steps. Of a batch the first robot is looked at.
    """
    if not any(np.linalg.eigvalsh(body.inertia.moments)[0] <= 0.0 for body in model.bodies.values()):
        return None
    state = q.reshape(-1, model.nq)[0]
    M = np.array(mass_matrix(model, state))
    base = np.zeros(model.nv, dtype=bool)
    start = model.coordinates.tree_v_start
    held = np.zeros(int(start[-1]))  # of the tree's velocities, followers included
    for joint in model.joints.values():
        held[start[joint.index] : start[joint.index + 1]] = dt * joint.damping + dt**2 * joint.stiffness
        base[joint.v_index] = joint.kind in ("free", "planar")
    G = model.coupling_matrix(state)
    M += G.T @ (held[:, None] * G)
    scale = np.sqrt(np.maximum(np.diag(M), 0.0))  # of what has no mass, rounding may leave less than nothing
    scale[scale == 0.0] = 1.0
    values, vectors = np.linalg.eigh(M / np.outer(scale, scale))
    for value, vector in zip(values, (vectors / scale[:, None]).T, strict=True):
        motion = vector / np.abs(vector).max()
        if value > _SINGULAR or not np.abs(motion[base]).max(initial=0.0) > _MOVES:
            continue
        speed = np.abs(np.einsum("bij,j->bi", body_jacobians(model, state), motion)).max(axis=-1)
        moved = [name for name, body in model.bodies.items() if speed[body.index] > _MOVES]
        return (
            f"{' and '.join(moved[:3])} can move without any mass (the mass matrix is singular): accelerations of a "
            "free base have no meaning then; give it mass, or load the model with base='fixed'"
        )
    return None
